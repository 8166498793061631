//! What went wrong with one try, in one line for a human, and what to do about it.
//!
//! Invariant: pure; knows no network.

use std::time::Duration;

use serde_json::Value;

use super::retry;
use super::stream::{StreamFault, reported};
use crate::text::sanitize;

/// One failed try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// What happened, without where.
    pub(super) what: String,
    /// What follows.
    pub(super) then: Then,
}

/// What follows a failed try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Trying again may help; the server may have said when.
    Retry(Option<Duration>),
    /// The server does not take `tool_choice`.
    WithoutToolChoice,
    /// The request is longer than the window.
    Overflow,
    /// Nothing helps.
    Stop,
}

impl Failure {
    pub(super) fn retry(what: impl Into<String>) -> Self {
        Self { what: what.into(), then: Then::Retry(None) }
    }

    pub(super) fn stop(what: impl Into<String>) -> Self {
        Self { what: what.into(), then: Then::Stop }
    }

    /// A response whose status is no success.
    pub(super) fn of_status(status: u16, reason: &str, body: &str, after: Option<Duration>) -> Self {
        let json: Option<Value> = serde_json::from_str(body.trim()).ok();
        let (code, message) = match &json {
            Some(value) => reported(value.get("error").filter(|e| !e.is_null()).unwrap_or(value)),
            None => (None, body.to_owned()),
        };
        let said = first_line(&message);
        let mut what = format!("{status} {reason}").trim_end().to_owned();
        if !said.is_empty() {
            what += ": ";
            what += &said;
        }
        let code = code.as_deref();
        let then = if matches!(status, 400 | 413 | 422 | 500) && is_overflow(code, &message) {
            Then::Overflow
        } else if status == 400 && body.contains("tool_choice") {
            Then::WithoutToolChoice
        } else if retry::worth_it(status) && code != Some("insufficient_quota") {
            Then::Retry(after)
        } else {
            Then::Stop
        };
        Self { what, then }
    }

    /// A stream or body that makes no answer.
    pub(super) fn of_stream(fault: &StreamFault) -> Self {
        match fault {
            StreamFault::EndedEarly => Self::retry(fault.to_string()),
            StreamFault::NotJson { why, text } => {
                Self::retry(format!("it sent something that is not a chat completion ({why}): {}", first_line(text)))
            }
            StreamFault::Reported { code, message } => {
                let what = format!("the server reports an error: {}", first_line(message));
                let code = code.as_deref();
                let status = code.and_then(|c| c.parse().ok());
                let passing = code.is_some_and(|c| ["server_error", "overloaded", "rate_limit", "timeout"].iter().any(|w| c.contains(w)));
                let then = if is_overflow(code, message) {
                    Then::Overflow
                } else if passing || status.is_some_and(retry::worth_it) {
                    Then::Retry(None)
                } else {
                    Then::Stop
                };
                Self { what, then }
            }
        }
    }
}

/// Whether an error says that the request does not fit the window. There is no common code for it.
fn is_overflow(code: Option<&str>, message: &str) -> bool {
    let code = code.unwrap_or_default().to_lowercase();
    let message = message.to_lowercase();
    ["context_length_exceeded", "exceed_context_size"].iter().any(|c| code.contains(c))
        || [
            "context_length_exceeded",
            "maximum context length",
            "context length exceeded",
            "exceeds the available context",
            "exceeds the context",
            "exceed the context",
            "exceed context",
            "context window",
            "context size",
            "context length of",
            "prompt is too long",
            "input is too long",
        ]
        .iter()
        .any(|m| message.contains(m))
}

/// Longest part of a server's text that is shown, in characters.
const SHOWN: usize = 300;

/// The first line with text in it, of HTML its text only, with control characters made visible.
pub(super) fn first_line(text: &str) -> String {
    let start = text.trim_start().get(..64.min(text.trim_start().len())).unwrap_or(text).to_lowercase();
    let html = start.starts_with("<!doctype") || start.starts_with("<html") || start.starts_with("<head") || start.starts_with("<?xml");
    let plain = if html { without_tags(text) } else { text.to_owned() };
    let Some(line) = plain.lines().map(str::trim).find(|l| !l.is_empty()) else { return String::new() };
    let cut: String = line.chars().take(SHOWN).collect();
    let mut shown = sanitize::line(&cut).into_owned();
    if line.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        let name = tag.get(..6.min(tag.len())).unwrap_or_default().to_lowercase();
        // The inside of these is no text.
        let end = if name.starts_with("script") {
            "</script"
        } else if name.starts_with("style") {
            "</style"
        } else if name.starts_with("!--") {
            "-->"
        } else {
            ""
        };
        let inside = if end.is_empty() { tag } else { tag.find(end).and_then(|at| tag.get(at..)).unwrap_or_default() };
        rest = inside.split_once('>').map_or("", |(_, after)| after);
        text.push('\n');
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_become_their_first_line() {
        let page = "<!DOCTYPE html>\n<html><head><style>body { color: red }</style><script>alert(1)</script>\n<!-- a > b --><title>404 Not\u{1b}[2J Found</title></head>\n<body><h1>x</h1></body></html>";
        assert_eq!(first_line(page), "404 Not␛[2J Found");
        assert_eq!(first_line("\n\n  plain <b>text</b>\nmore"), "plain <b>text</b>");
        assert_eq!(first_line(""), "");
        assert_eq!(first_line("<html><script>never closed"), "");
        assert_eq!(first_line("a\u{9b}2J\u{7f}\u{202e}b\u{0}"), "a⟨U+009B⟩2J␡⟨U+202E⟩b␀");
        assert_eq!(first_line(&"é".repeat(301)).chars().count(), 301);
        assert_eq!(first_line(&format!("{}é", "x".repeat(63))), format!("{}é", "x".repeat(63)));
    }

    #[test]
    fn what_follows_a_status() {
        let then = |status, body: &str| Failure::of_status(status, "", body, None).then;
        for (status, body) in [
            (400, r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#),
            (400, r#"{"object":"error","message":"This model's maximum context length is 8192 tokens.","code":400}"#),
            (
                400,
                r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}"#,
            ),
            (413, r#"{"error":"prompt is too long: 210000 tokens > 200000 maximum"}"#),
        ] {
            assert_eq!(then(status, body), Then::Overflow, "{body}");
        }
        assert_eq!(then(400, r#"{"error":"Invalid tool_choice type: 'object'"}"#), Then::WithoutToolChoice);
        assert_eq!(then(400, r#"{"error":{"message":"bad model"}}"#), Then::Stop);
        assert_eq!(then(401, ""), Then::Stop);
        assert_eq!(then(429, ""), Then::Retry(None));
        assert_eq!(then(429, r#"{"error":{"code":"insufficient_quota","message":"pay"}}"#), Then::Stop);
        assert_eq!(then(502, "<html><title>Bad gateway</title>"), Then::Retry(None));
    }

    #[test]
    fn errors_are_one_line() {
        let json = r#"{"error":{"message":"no such model\nsecond line","type":"x"}}"#;
        assert_eq!(Failure::of_status(404, "Not Found", json, None).what, "404 Not Found: no such model");
        assert_eq!(Failure::of_status(503, "", "", None).what, "503");
    }
}
