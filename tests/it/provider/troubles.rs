//! What servers and networks do wrong, and what becomes of the step.

use std::time::{Duration, Instant};

use memex::policy::openai::{Key, OpenAi};
use memex::policy::{Delta, Policy, PolicyError};

use super::server::{Do, Server, events, response, says, stream};
use super::talk::{M, ask, ask_once, settings, shown};

fn refuse(status: &str, headers: &str, body: &str) -> Vec<Do> {
    vec![Do::Send(response(status, headers, body))]
}

fn waits(deltas: &[Delta]) -> Vec<&str> {
    deltas
        .iter()
        .filter_map(|d| match d {
            Delta::Waiting(w) => Some(w.as_str()),
            _ => None,
        })
        .collect()
}

fn server_error(answer: Result<memex::policy::Turn, PolicyError>) -> String {
    match answer {
        Err(PolicyError::Server(why)) => why,
        other => panic!("no server error: {other:?}"),
    }
}

#[tokio::test]
async fn a_wait_that_the_server_asks_for_is_kept_and_seen() {
    let soon = (jiff::Timestamp::now() + jiff::SignedDuration::from_secs(3)).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    for (header, at_least) in [("1".to_owned(), 1.0), (soon, 0.9)] {
        let refusal = refuse("429 Too Many Requests", &format!("Retry-After: {header}\r\n"), r#"{"error":{"message":"slow down"}}"#);
        let server = Server::start(vec![refusal, says("x")]).await;
        let started = Instant::now();
        let (answer, deltas) = ask_once(&server.url).await;
        assert_eq!(answer.unwrap().text.as_deref(), Some("x"));
        assert!(started.elapsed().as_secs_f64() >= at_least, "{header}: {:?}", started.elapsed());
        let waits = waits(&deltas);
        assert!(waits[0].contains("429 Too Many Requests: slow down; try 2 of 5 in "), "{waits:?}");
        let [first, second] = [&server.seen()[0], &server.seen()[1]];
        assert_eq!(first.body, second.body);
    }
}

#[tokio::test]
async fn a_wait_beyond_the_limit_fails_at_once() {
    let server = Server::start(vec![refuse("429 Too Many Requests", "Retry-After: 3600\r\n", ""), says("x")]).await;
    let started = Instant::now();
    let why = server_error(ask_once(&server.url).await.0);
    assert!(why.contains("429") && why.contains("3600 s") && why.contains("120 s"), "{why}");
    assert!(started.elapsed() < Duration::from_secs(1));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn tries_are_bounded() {
    let page = "<html><head><title>502 Bad Gateway</title></head></html>";
    let server = Server::start((0..9).map(|_| refuse("502 Bad Gateway", "Content-Type: text/html\r\n", page)).collect()).await;
    let (answer, deltas) = ask_once(&server.url).await;
    let why = server_error(answer);
    assert_eq!(why, format!("POST {}/v1/chat/completions: 502 Bad Gateway: 502 Bad Gateway (tried 5 times)", server.url));
    assert_eq!((server.seen().len(), waits(&deltas).len()), (5, 4));
    // A server that asks for no wait is not asked at once all the same.
    let second = refuse("503 Service Unavailable", "Retry-After: 0\r\n", "");
    let server = Server::start(vec![refuse("500 Internal Server Error", "", ""), second, says("x")]).await;
    let (answer, deltas) = ask_once(&server.url).await;
    assert_eq!((answer.unwrap().text.as_deref(), waits(&deltas).len()), (Some("x"), 2));
}

#[tokio::test]
async fn what_cannot_get_better_is_not_tried_again() {
    for (status, body, part) in [
        ("404 Not Found", "<!doctype html><html><body><h1>Nothing\u{1b}[2J here</h1></body></html>", "404 Not Found: Nothing␛[2J here"),
        ("401 Unauthorized", r#"{"error":{"message":"bad key"}}"#, "401 Unauthorized: bad key"),
        ("400 Bad Request", r#"{"error":{"message":"no such model"}}"#, "400 Bad Request: no such model"),
        ("400 Bad Request", r#"{"error":{"message":"tool_choice?"}}"#, "400 Bad Request: tool_choice?"),
    ] {
        let server = Server::start(vec![refuse(status, "", body), says("x")]).await;
        let (answer, deltas) = ask_once(&format!("{}/v1?token=hunter2", server.url.replace("http://", "http://me:hunter2@"))).await;
        let why = server_error(answer);
        assert_eq!(why, format!("POST {}/v1/chat/completions: {part}", server.url));
        assert_eq!((server.seen().len(), deltas.len()), (1, 0));
    }
    let server = Server::start(vec![refuse("200 OK", "Content-Type: text/html\r\n", "<html><title>Log in</title></html>")]).await;
    assert!(server_error(ask_once(&server.url).await.0).ends_with("web page, not with a chat completion: Log in"));
    let server = Server::start(vec![refuse("301 Moved Permanently", "Location: https://u:hunter2@h/v1/x?k=hunter2\r\n", "")]).await;
    let why = server_error(ask_once(&server.url).await.0);
    assert!(why.contains("redirects to https://h/v1/x;") && !why.contains("hunter2"), "{why}");
}

#[tokio::test]
async fn too_long_a_context_is_its_own_error() {
    let body = r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#;
    let server = Server::start(vec![refuse("400 Bad Request", "", body)]).await;
    let (answer, _) = ask_once(&server.url).await;
    assert!(matches!(&answer, Err(PolicyError::Overflow(why)) if why.contains("maximum context length is 8192")), "{answer:?}");
    let body = events(&[r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"exceeds the available context size"}}"#]);
    let server = Server::start(vec![stream(&body)]).await;
    assert!(matches!(ask_once(&server.url).await.0, Err(PolicyError::Overflow(_))));
}

#[tokio::test]
async fn a_broken_stream_is_void_and_asked_for_again() {
    let begun = concat!(
        "data: {\"choices\":[{\"delta\":{\"content\":\"half an ans\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"n\"}}]}}]}\n\n",
    );
    // Cut between events, inside an event, and inside a chunk of known length.
    let chunked = response("200 OK", "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n", &format!("fff\r\n{begun}"));
    for cut in [stream(begun), stream(&begun[..begun.len() - 30]), vec![Do::Send(chunked)]] {
        let whole = events(&[
            r#"{"choices":[{"delta":{"content":"whole","tool_calls":[{"index":0,"id":"b","function":{"name":"look","arguments":"{}"}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        ]);
        let server = Server::start(vec![cut, stream(&whole)]).await;
        let (answer, deltas) = ask_once(&server.url).await;
        let turn = answer.unwrap();
        assert_eq!((turn.text.as_deref(), turn.calls.len(), &*turn.calls[0].id), (Some("whole"), 1, "b"));
        assert_eq!(deltas.iter().filter(|d| **d == Delta::Restart).count(), 1);
        assert_eq!(shown(&deltas).1, "whole");
        assert_eq!(server.seen().len(), 2);
    }
}

#[tokio::test]
async fn a_stream_that_never_ends_well_is_an_error() {
    let begun = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";
    let server = Server::start((0..5).map(|_| stream(begun)).collect()).await;
    let why = server_error(ask_once(&server.url).await.0);
    assert!(why.contains("stream ended early") && why.contains("tried 5 times"), "{why}");
    let server = Server::start((0..5).map(|_| stream("")).collect()).await;
    assert!(server_error(ask_once(&server.url).await.0).contains("stream ended early"));
    let server = Server::start(vec![stream(&events(&[r#"{"error":{"message":"out of memory\nat line 7"}}"#]))]).await;
    assert!(server_error(ask_once(&server.url).await.0).ends_with("the server reports an error: out of memory"));
}

#[tokio::test]
async fn silence_ends_but_comments_are_life() {
    let quick = |url: &str| {
        let mut settings = settings(url);
        settings.idle_timeout = Duration::from_millis(300);
        settings.retries = 0;
        OpenAi::new(settings).unwrap()
    };
    let request = M::new().status().request();
    let begun = response("200 OK", "Content-Type: text/event-stream\r\n", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n");
    for script in [vec![], vec![Do::Send(begun.clone())]] {
        let script = [script, vec![Do::Wait(Duration::from_secs(60))]].concat();
        let server = Server::start(vec![script]).await;
        let started = Instant::now();
        let why = server_error(ask(&mut quick(&server.url), &request).await.0);
        assert!(why.ends_with("nothing came for 0.3 s"), "{why}");
        assert!(started.elapsed() < Duration::from_secs(2));
    }
    let mut script = vec![Do::Send(begun)];
    for _ in 0..8 {
        script.extend([Do::Wait(Duration::from_millis(100)), Do::Send(b": waiting\n\n".to_vec())]);
    }
    script.push(Do::Send(b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".to_vec()));
    let server = Server::start(vec![script]).await;
    assert_eq!(ask(&mut quick(&server.url), &request).await.0.unwrap().text.as_deref(), Some("x"));
}

#[tokio::test]
async fn a_dropped_answer_closes_its_connection() {
    let begun = response("200 OK", "Content-Type: text/event-stream\r\n", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n");
    let server = Server::start(vec![vec![Do::Send(begun), Do::UntilGone(Duration::from_secs(5))], says("again")]).await;
    let mut policy = OpenAi::new(settings(&server.url)).unwrap();
    let request = M::new().status().request();
    let mut sink = |_: Delta| {};
    let cancelled = tokio::time::timeout(Duration::from_millis(300), policy.act(&request, &mut sink)).await;
    assert!(cancelled.is_err());
    let dropped = Instant::now();
    while !server.client_has_gone() {
        assert!(dropped.elapsed() < Duration::from_millis(200), "the connection outlives its future");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The next answer has nothing of the one before.
    assert_eq!(ask(&mut policy, &request).await.0.unwrap().text.as_deref(), Some("again"));
}

#[tokio::test]
async fn nobody_listens() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let mut settings = settings(&url);
    settings.retries = 1;
    let (answer, deltas) = ask(&mut OpenAi::new(settings).unwrap(), &M::new().status().request()).await;
    let why = server_error(answer);
    assert!(why.starts_with(&format!("POST {url}/v1/chat/completions: cannot connect: ")) && why.contains("refused"), "{why}");
    assert_eq!(waits(&deltas).len(), 1);
}

#[tokio::test]
async fn a_key_that_the_server_echoes_is_taken_out() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("key");
    std::fs::write(&file, "sk-hunter2").unwrap();
    let body = r#"{"error":{"message":"Incorrect API key provided: sk-hunter2."}}"#;
    let server = Server::start(vec![refuse("429 Too Many Requests", "", body), refuse("401 Unauthorized", "", body)]).await;
    let mut settings = settings(&server.url);
    settings.key = Some(Key::from_file(&file).unwrap());
    let (answer, deltas) = ask(&mut OpenAi::new(settings).unwrap(), &M::new().status().request()).await;
    assert_eq!(server.seen()[1].header("authorization"), Some("Bearer sk-hunter2"));
    let shown = format!("{answer:?} {deltas:?}");
    assert!(shown.contains("API key provided: [key].") && !shown.contains("hunter2"), "{shown}");
}
