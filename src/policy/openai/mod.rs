//! π over the network: chat completions of an OpenAI-compatible server, with native tool calls.
//!
//! | file | what |
//! |---|---|
//! | `settings` | where the server is, the key, the limits |
//! | `wire` | M → request body, pure |
//! | `sse` | bytes → events, pure |
//! | `think` | thinking split off the content, pure |
//! | `stream` | events → answer, pure |
//! | `failure`, `retry` | what went wrong, and whether and when to try again, pure |
//!
//! This file does the waiting. Nothing outlives a dropped future: the connection closes with it.
//!
//! Invariant: knows no terminal and no session; a key never leaves this folder but in its header.

mod failure;
pub mod retry;
mod settings;
pub mod sse;
pub mod stream;
pub mod think;
pub mod wire;

use std::sync::Once;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use reqwest::{Client, Response, Url};
use serde_json::Value;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use self::failure::{Failure, Then, first_line};
use self::stream::{Assembly, StreamFault};
use super::{Delta, DeltaSink, Policy, PolicyError, Request, Turn};
use futures_util::future::BoxFuture;

pub use self::settings::{Key, KeySource, Settings, SettingsError, Shape, endpoint};
pub use self::wire::Unpaired;

/// Largest event of a stream, and largest plain answer, in bytes.
const ANSWER_LIMIT: usize = 64 << 20;
/// Most that is read of an error's body, in bytes.
const ERROR_LIMIT: usize = 64 << 10;
/// How long a finished answer is kept waiting for its usage.
const LINGER: Duration = Duration::from_secs(3);

/// Installs the cryptography that TLS needs. Any number of times; the first one counts.
pub fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error means that the program has installed one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// The policy behind an endpoint.
#[derive(Debug)]
pub struct OpenAi {
    settings: Settings,
    client: Client,
    url: Url,
    refuses_tool_choice: bool,
}

impl OpenAi {
    /// Makes a client; nothing is sent yet.
    ///
    /// # Errors
    /// [`SettingsError`] when the base URL is unusable or TLS cannot be set up.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        install_crypto();
        let url = endpoint(&settings.base_url)?;
        // A redirected POST would arrive as a GET, or send the conversation elsewhere.
        let mut builder = Client::builder()
            .connect_timeout(settings.connect_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("memex-tui/", env!("CARGO_PKG_VERSION")));
        if settings::is_loopback(&url) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|e| SettingsError::Client(chain(&e.without_url())))?;
        Ok(Self { settings, client, url, refuses_tool_choice: false })
    }

    async fn ask(&mut self, request: &Request, deltas: DeltaSink<'_>) -> Result<Turn, PolicyError> {
        let tries = self.settings.retries.saturating_add(1);
        let mut n = 1;
        loop {
            let demands = request.force.is_some() && !self.refuses_tool_choice;
            let body = wire::body(request, &self.settings, demands).map_err(|e| PolicyError::Server(e.to_string()))?;
            let mut shown = false;
            let result = {
                let mut watched = |delta: Delta| {
                    shown |= delta != Delta::Restart;
                    deltas(delta);
                };
                self.try_once(&body, &mut watched).await
            };
            let failure = match result {
                Ok(turn) => return Ok(turn),
                Err(failure) => failure,
            };
            if shown {
                deltas(Delta::Restart);
            }
            let what = self.sentence(&failure.what);
            match failure.then {
                Then::WithoutToolChoice if demands => self.refuses_tool_choice = true,
                Then::Overflow => return Err(PolicyError::Overflow(what)),
                Then::Stop | Then::WithoutToolChoice => return Err(PolicyError::Server(what)),
                Then::Retry(_) if n >= tries => {
                    return Err(PolicyError::Server(if tries == 1 { what } else { format!("{what} (tried {tries} times)") }));
                }
                Then::Retry(after) => {
                    let (limit, asked) = (self.settings.max_wait, after.unwrap_or_default());
                    if asked > limit {
                        let (asked, limit) = (seconds(asked), seconds(limit));
                        return Err(PolicyError::Server(format!("{what} (it asks to wait {asked}, more than the limit of {limit})")));
                    }
                    // At least what was asked for, and never at once: a server may ask for no wait at all.
                    let wait = asked.max(retry::backoff(self.settings.first_wait, n).min(limit));
                    n += 1;
                    count_down(wait, &format!("{what}; try {n} of {tries}"), deltas).await;
                }
            }
        }
    }

    /// One request and its answer.
    async fn try_once(&self, body: &Value, deltas: DeltaSink<'_>) -> Result<Turn, Failure> {
        let mut request = self.client.post(self.url.clone()).header(ACCEPT, "text/event-stream, application/json").json(body);
        if let Some(header) = self.settings.key.as_ref().and_then(Key::header) {
            request = request.header(AUTHORIZATION, header);
        }
        let mut response = self.in_time(request.send()).await?;
        let status = response.status();
        if status.is_success() {
            return self.read_answer(response, deltas).await;
        }
        if status.is_redirection() {
            let target = response.headers().get(LOCATION).and_then(|l| l.to_str().ok()).and_then(|l| self.url.join(l).ok());
            let target = target.map_or_else(|| "another place".to_owned(), |t| settings::shown(&t));
            return Err(Failure::stop(format!("{status}: it redirects to {target}; use that address as the base URL")));
        }
        let header = response.headers().get(RETRY_AFTER).and_then(|h| h.to_str().ok());
        let after = header.and_then(|h| retry::after(h, jiff::Timestamp::now()));
        let mut text = Vec::new();
        while text.len() < ERROR_LIMIT
            && let Ok(Some(chunk)) = self.in_time(response.chunk()).await
        {
            text.extend_from_slice(&chunk);
        }
        let reason = status.canonical_reason().unwrap_or_default();
        Err(Failure::of_status(status.as_u16(), reason, &String::from_utf8_lossy(&text), after))
    }

    /// The body of a success: a stream, or one piece of JSON. Its first character tells, its declared type does not.
    async fn read_answer(&self, mut response: Response, deltas: DeltaSink<'_>) -> Result<Turn, Failure> {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|t| t.to_str().ok()).unwrap_or_default().to_owned();
        let mut head = Vec::new();
        while head.iter().all(u8::is_ascii_whitespace) {
            match self.in_time(response.chunk()).await? {
                Some(chunk) => head.extend_from_slice(&chunk),
                None => return Err(Failure::of_stream(&StreamFault::EndedEarly)),
            }
        }
        let plain = head.trim_ascii_start().first() == Some(&b'{');
        if plain || kind.starts_with("text/html") {
            let limit = if plain { ANSWER_LIMIT } else { ERROR_LIMIT };
            while let Some(chunk) = self.in_time(response.chunk()).await? {
                head.extend_from_slice(&chunk);
                if head.len() > limit {
                    break;
                }
            }
            let text = String::from_utf8_lossy(&head);
            if !plain {
                return Err(Failure::stop(format!("it answered with a web page, not with a chat completion: {}", first_line(&text))));
            }
            return Assembly::default().body(&text, deltas).map_err(|f| Failure::of_stream(&f));
        }
        self.read_stream(head, response, deltas).await
    }

    async fn read_stream(&self, head: Vec<u8>, mut response: Response, deltas: DeltaSink<'_>) -> Result<Turn, Failure> {
        let mut parser = sse::Parser::new(ANSWER_LIMIT);
        let mut answer = Assembly::default();
        let mut chunk: Vec<u8> = head;
        let mut finished: Option<Instant> = None;
        loop {
            for event in parser.push(&chunk).map_err(|e| Failure::stop(e.to_string()))? {
                answer.event(&event.data, deltas).map_err(|f| Failure::of_stream(&f))?;
            }
            if answer.done() {
                return answer.turn(deltas).map_err(|f| Failure::of_stream(&f));
            }
            if answer.finished() {
                finished = finished.or_else(|| Some(Instant::now() + LINGER));
            }
            let next = match finished {
                // The answer is whole: nothing that happens now can take it away.
                Some(until) => timeout_at(until, response.chunk()).await.ok().and_then(Result::ok).flatten(),
                None => self.in_time(response.chunk()).await?,
            };
            match next {
                Some(bytes) => chunk = bytes.to_vec(),
                None => break,
            }
        }
        // A cut event is no JSON; then the stream ended early, whatever was in it.
        if let Some(event) = parser.finish()
            && let Err(fault @ StreamFault::Reported { .. }) = answer.event(&event.data, deltas)
        {
            return Err(Failure::of_stream(&fault));
        }
        answer.turn(deltas).map_err(|f| Failure::of_stream(&f))
    }

    /// Waits for the network, but not longer than the idle timeout.
    async fn in_time<T>(&self, future: impl Future<Output = reqwest::Result<T>>) -> Result<T, Failure> {
        let idle = self.settings.idle_timeout;
        match timeout(idle, future).await {
            Err(_) => Err(Failure::retry(format!("nothing came for {}", seconds(idle)))),
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => {
                let connect = error.is_connect();
                let why = chain(&error.without_url());
                Err(Failure::retry(if connect { format!("cannot connect: {why}") } else { format!("the connection broke: {why}") }))
            }
        }
    }

    /// Method, place and what happened, with the key taken out of whatever a server may have echoed.
    fn sentence(&self, what: &str) -> String {
        let text = format!("POST {}: {what}", settings::shown(&self.url));
        self.settings.key.as_ref().map_or_else(|| text.clone(), |key| key.scrub(&text))
    }
}

impl Policy for OpenAi {
    fn settings(&self) -> Value {
        self.settings.record()
    }

    fn name(&self) -> String {
        self.settings.model.clone()
    }

    fn act<'a>(&'a mut self, request: &'a Request, deltas: DeltaSink<'a>) -> BoxFuture<'a, Result<Turn, PolicyError>> {
        Box::pin(self.ask(request, deltas))
    }
}

/// Waits at least `wait`, and says each second how much of it is left.
async fn count_down(wait: Duration, what: &str, deltas: DeltaSink<'_>) {
    let end = Instant::now() + wait;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let whole = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        deltas(Delta::Waiting(format!("{what} in {whole} s")));
        sleep_until(end.min(Instant::now() + Duration::from_secs(1))).await;
    }
}

fn seconds(d: Duration) -> String {
    if d.subsec_millis() == 0 { format!("{} s", d.as_secs()) } else { format!("{:.1} s", d.as_secs_f64()) }
}

/// An error with its causes: the outermost alone rarely says what happened.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.contains(&more) {
            text += ": ";
            text += &more;
        }
        source = cause.source();
    }
    first_line(&text)
}
