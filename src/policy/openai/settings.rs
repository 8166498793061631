//! Where the server is, and how to speak to it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;
use serde_json::{Map, Value, json};

/// What cannot be used as a setting. No message ever holds a key.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The base URL.
    #[error("the base URL {url:?} cannot be used: {why}; give one like http://localhost:8080/v1")]
    Url {
        /// As given, without what may be secret.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// The environment variable of the key.
    #[error("the environment variable {0} does not hold an API key; set it, or name another one")]
    KeyVariable(String),
    /// The file of the key.
    #[error("cannot read an API key from {path}: {why}")]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A recorded setting.
    #[error("the recorded settings of the model server have no usable {0}")]
    Recorded(&'static str),
    /// The HTTP client.
    #[error("the HTTP client cannot be made: {0}")]
    Client(String),
}

/// Where a key came from; that much may be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// An environment variable.
    Variable(String),
    /// A file.
    File(PathBuf),
}

/// An API key. It is never shown: not by `Debug`, not in settings, not in errors.
#[derive(Clone)]
pub struct Key {
    secret: String,
    source: KeySource,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key(from {:?})", self.source)
    }
}

impl Key {
    /// The key in an environment variable.
    ///
    /// # Errors
    /// [`SettingsError::KeyVariable`] when it is not set, empty, or no possible header.
    pub fn from_variable(name: &str) -> Result<Self, SettingsError> {
        let value = std::env::var(name).ok().and_then(|v| usable(&v));
        let source = KeySource::Variable(name.to_owned());
        value.map(|secret| Self { secret, source }).ok_or_else(|| SettingsError::KeyVariable(name.to_owned()))
    }

    /// The key in a file, white space around it left out.
    ///
    /// # Errors
    /// [`SettingsError::KeyFile`] when it cannot be read, or holds no possible header.
    pub fn from_file(path: &Path) -> Result<Self, SettingsError> {
        let fault = |why: String| SettingsError::KeyFile { path: path.to_owned(), why };
        let text = std::fs::read_to_string(path).map_err(|e| fault(e.to_string()))?;
        let secret = usable(&text).ok_or_else(|| fault("it must hold one line of printable text".into()))?;
        Ok(Self { secret, source: KeySource::File(path.to_owned()) })
    }

    /// Where it came from.
    #[must_use]
    pub fn source(&self) -> &KeySource {
        &self.source
    }

    /// The `Authorization` header, marked as sensitive.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.secret)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// `text` without the key, where a server has echoed it.
    pub(super) fn scrub(&self, text: &str) -> String {
        text.replace(&self.secret, "[key]")
    }
}

fn usable(text: &str) -> Option<String> {
    let text = text.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic())).then(|| text.to_owned())
}

/// How an endpoint wants assistant messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Send z_t back as `reasoning_content`.
    pub send_reasoning: bool,
    /// The content of a message that has only calls is `""` rather than `null`.
    pub empty_content: bool,
}

/// How to reach a server and what to tell it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where: host, `…/v1`, or the full path of the endpoint.
    pub base_url: String,
    /// Which model.
    pub model: String,
    /// The key, if the server wants one.
    pub key: Option<Key>,
    /// Limit of an answer in tokens.
    pub max_tokens: Option<u32>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// More fields of the body, put over ours; `null` takes a field of ours away.
    pub extra: Map<String, Value>,
    /// Ask for a stream. A server that answers in one piece is understood either way.
    pub stream: bool,
    /// The form of assistant messages.
    pub shape: Shape,
    /// Longest time to make a connection.
    pub connect_timeout: Duration,
    /// Longest silence: to the first byte and between bytes. Comments of the stream are bytes.
    pub idle_timeout: Duration,
    /// How many times a failed request is tried again.
    pub retries: u32,
    /// Longest single wait before a new try. A server that asks for more ends the run at once.
    pub max_wait: Duration,
    /// The wait before the first new try, where the server asks for none; it doubles.
    pub first_wait: Duration,
}

impl Settings {
    /// The defaults for a server and a model.
    #[must_use]
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            key: None,
            max_tokens: None,
            temperature: None,
            extra: Map::new(),
            stream: true,
            shape: Shape::default(),
            connect_timeout: Duration::from_secs(15),
            // Reasoning models may think for minutes before their first byte.
            idle_timeout: Duration::from_secs(600),
            retries: 4,
            max_wait: Duration::from_secs(120),
            first_wait: Duration::from_secs(1),
        }
    }

    /// The settings that [`Self::record`] has written. The key is read again from where it came from.
    ///
    /// # Errors
    /// [`SettingsError`] when a field is missing, or the key is no longer there.
    pub fn from_record(record: &Value) -> Result<Self, SettingsError> {
        let text = |name| record.get(name).and_then(Value::as_str);
        let url = text("base_url").ok_or(SettingsError::Recorded("base_url"))?;
        let mut settings = Self::new(url, text("model").ok_or(SettingsError::Recorded("model"))?);
        if let Some(name) = text("key_variable") {
            settings.key = Some(Key::from_variable(name)?);
        } else if let Some(path) = text("key_file") {
            settings.key = Some(Key::from_file(Path::new(path))?);
        }
        let number = |name| record.get(name).and_then(Value::as_u64);
        let flag = |name| record.get(name).and_then(Value::as_bool).unwrap_or_default();
        let time = |name, default| record.get(name).and_then(Value::as_u64).map_or(default, Duration::from_millis);
        settings.max_tokens = number("max_tokens").and_then(|n| n.try_into().ok());
        settings.temperature = record.get("temperature").and_then(Value::as_f64);
        settings.extra = record.get("extra").and_then(Value::as_object).cloned().unwrap_or_default();
        settings.stream = record.get("stream").and_then(Value::as_bool).unwrap_or(true);
        settings.shape = Shape { send_reasoning: flag("send_reasoning"), empty_content: flag("empty_content") };
        settings.connect_timeout = time("connect_timeout_ms", settings.connect_timeout);
        settings.idle_timeout = time("idle_timeout_ms", settings.idle_timeout);
        settings.max_wait = time("max_wait_ms", settings.max_wait);
        settings.first_wait = time("first_wait_ms", settings.first_wait);
        settings.retries = number("retries").and_then(|n| n.try_into().ok()).unwrap_or(settings.retries);
        Ok(settings)
    }

    /// All of it but the key, for the journal.
    #[must_use]
    pub fn record(&self) -> Value {
        let millis = |d: Duration| u64::try_from(d.as_millis()).unwrap_or(u64::MAX);
        let mut record = Map::new();
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                record.insert(name.to_owned(), value);
            }
        };
        put("kind", json!("openai"));
        put("base_url", json!(shown_base(&self.base_url)));
        put("model", json!(self.model));
        match self.key.as_ref().map(Key::source) {
            Some(KeySource::Variable(name)) => put("key_variable", json!(name)),
            Some(KeySource::File(path)) => put("key_file", json!(path.to_string_lossy())),
            None => {}
        }
        put("max_tokens", json!(self.max_tokens));
        put("temperature", json!(self.temperature));
        if !self.extra.is_empty() {
            put("extra", Value::Object(self.extra.clone()));
        }
        put("stream", json!(self.stream));
        put("send_reasoning", json!(self.shape.send_reasoning));
        put("empty_content", json!(self.shape.empty_content));
        put("connect_timeout_ms", json!(millis(self.connect_timeout)));
        put("idle_timeout_ms", json!(millis(self.idle_timeout)));
        put("retries", json!(self.retries));
        put("max_wait_ms", json!(millis(self.max_wait)));
        put("first_wait_ms", json!(millis(self.first_wait)));
        Value::Object(record)
    }
}

const PATH: &str = "/chat/completions";

/// The URL of the endpoint, from whichever form of it was given.
///
/// # Errors
/// [`SettingsError::Url`] when it is no HTTP URL.
pub fn endpoint(base: &str) -> Result<Url, SettingsError> {
    let mut url = parse(base)?;
    let path = url.path().trim_end_matches('/').to_owned();
    if path.is_empty() {
        url.set_path(&format!("/v1{PATH}"));
    } else if path.ends_with(PATH) {
        url.set_path(&path);
    } else {
        url.set_path(&format!("{path}{PATH}"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn parse(base: &str) -> Result<Url, SettingsError> {
    let base = base.trim();
    let fault = |why: String| SettingsError::Url { url: without_secrets(base), why };
    // Servers on the same machine rarely speak TLS, others must.
    let local = ["localhost", "127.", "[::1]", "0.0.0.0"].iter().any(|host| base.starts_with(host));
    let full = if base.contains("://") { base.to_owned() } else { format!("{}://{base}", if local { "http" } else { "https" }) };
    let url = Url::parse(&full).map_err(|e| fault(e.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(fault(format!("{} is neither http nor https", url.scheme())));
    }
    Ok(url)
}

/// Whether the server runs on this machine, where no proxy leads.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// A URL for messages: no user, no password, no query.
pub(super) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.to_string()
}

/// The base URL for the journal: no user, no password, of the query only versions.
fn shown_base(base: &str) -> String {
    let Ok(mut url) = parse(base) else { return without_secrets(base) };
    let kept: Vec<(String, String)> =
        url.query_pairs().filter(|(name, _)| name.contains("version")).map(|(n, v)| (n.into_owned(), v.into_owned())).collect();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    if !kept.is_empty() {
        url.query_pairs_mut().extend_pairs(kept);
    }
    url.to_string()
}

/// What can be shown of a text that is no URL.
fn without_secrets(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = text.split_once("://").map_or(("", text), |(s, r)| (s, r));
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let rest: String = rest.chars().filter(|c| !c.is_control()).collect();
    if scheme.is_empty() { rest } else { format!("{scheme}://{rest}") }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_form_of_a_base_url() {
        for (base, url) in [
            ("http://h:1", "http://h:1/v1/chat/completions"),
            ("http://h:1/", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1/", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1//", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1/chat/completions", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1/chat/completions/", "http://h:1/v1/chat/completions"),
            ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"),
            (
                "https://x.azure.com/openai/deployments/d?api-version=7",
                "https://x.azure.com/openai/deployments/d/chat/completions?api-version=7",
            ),
            (" localhost:8080 ", "http://localhost:8080/v1/chat/completions"),
            ("api.example.org/v1", "https://api.example.org/v1/chat/completions"),
        ] {
            assert_eq!(endpoint(base).unwrap().as_str(), url, "{base}");
        }
        for bad in ["", "ftp://h/v1", "http://", "unix:///tmp/x"] {
            let text = endpoint(bad).unwrap_err().to_string();
            assert!(text.contains("base URL") && text.contains("http://localhost:8080/v1"), "{text}");
        }
    }

    #[test]
    fn urls_are_shown_without_secrets() {
        let url = endpoint("https://me:hunter2@h/v1?token=hunter2&api-version=7").unwrap();
        assert_eq!(shown(&url), "https://h/v1/chat/completions");
        assert_eq!(shown_base("https://me:hunter2@h/v1?token=hunter2&api-version=7"), "https://h/v1?api-version=7");
        let text = endpoint("ftp://me:hunter2@h/v1?token=hunter2").unwrap_err().to_string();
        assert!(!text.contains("hunter2"), "{text}");
        let text = endpoint("http://me:hunter2@h:port/").unwrap_err().to_string();
        assert!(!text.contains("hunter2"), "{text}");
    }

    #[test]
    fn a_key_is_found_and_never_shown() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        std::fs::write(&path, "\u{feff}sk-hunter2\r\n").unwrap();
        let key = Key::from_file(&path).unwrap();
        assert_eq!(key.header().unwrap().as_bytes(), b"Bearer sk-hunter2");
        assert_eq!(key.scrub("bad key sk-hunter2!"), "bad key [key]!");
        let settings = Settings { key: Some(key), ..Settings::new("h", "m") };
        let shown = format!("{settings:?} {:#?} {}", settings.key.as_ref().unwrap().header(), settings.record());
        assert!(!shown.contains("hunter2"), "{shown}");
        for bad in ["", " \n", "two words", "two\nlines", "schlüssel"] {
            std::fs::write(&path, bad).unwrap();
            let text = Key::from_file(&path).unwrap_err().to_string();
            assert!(text.contains("one line") && (bad.trim().is_empty() || !text.contains(bad)), "{text}");
        }
        assert!(Key::from_variable("MEMEX_NO_SUCH_VARIABLE").unwrap_err().to_string().contains("MEMEX_NO_SUCH_VARIABLE"));
        assert!(Key::from_file(&dir.path().join("none")).is_err());
    }

    #[test]
    fn a_record_gives_the_same_settings_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        std::fs::write(&path, "sk-1").unwrap();
        let mut settings = Settings::new("http://h:1/v1", "m");
        settings.key = Some(Key::from_file(&path).unwrap());
        settings.max_tokens = Some(7);
        settings.temperature = Some(0.5);
        settings.extra.insert("top_p".into(), json!(0.9));
        settings.stream = false;
        settings.shape = Shape { send_reasoning: true, empty_content: true };
        settings.idle_timeout = Duration::from_millis(1234);
        settings.retries = 9;
        let again = Settings::from_record(&settings.record()).unwrap();
        assert_eq!(format!("{again:?}"), format!("{settings:?}"));
        assert!(Settings::from_record(&json!({"model": "m"})).is_err());
    }
}
