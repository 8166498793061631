//! Raw text answers: `<think>…</think>` and `<tool_call>{"name":…,"arguments":{…}}</tool_call>`.
//!
//! Broken calls are found here, before anything could repair them: the paper counts them from the raw
//! text (P_format, §3.3.2). Nothing is ever repaired, and arguments never become `{}`.
//!
//! Invariant: pure.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::Turn;
use crate::memory::ToolCall;
use crate::session::ActFault;

const THINK: &str = "<think>";
const THINK_END: &str = "</think>";
const CALL: &str = "<tool_call>";
const CALL_END: &str = "</tool_call>";

/// A raw answer, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// What stands before the last `</think>`, without the tags around it.
    pub thinking: Option<String>,
    /// What stands outside thinking and calls.
    pub text: Option<String>,
    /// The calls, in order; none when one of them is broken.
    pub calls: Vec<ToolCall>,
    /// What is wrong with the first broken call, and at which byte of the answer (0-based).
    pub malformed: Option<String>,
    /// Calls that were only drafted inside the thinking. They are not run.
    pub drafts: usize,
}

/// Takes a raw answer apart. Never fails: an answer that breaks the format says so in `malformed`.
#[must_use]
pub fn parse(raw: &str) -> Parsed {
    let (thinking, start) = thinking(raw);
    let drafts = thinking.map_or(0, |t| t.matches(CALL).count());
    let mut parsed = Parsed { thinking: thinking.and_then(trimmed), drafts, ..Parsed::default() };
    // After an unclosed <think> there is no answer, but there may be one before it.
    let end = if start.is_none() { raw.find(THINK).unwrap_or(raw.len()) } else { raw.len() };
    match calls(raw, start.unwrap_or(0), end) {
        Ok((calls, text)) => {
            parsed.calls = calls;
            parsed.text = trimmed(&text);
        }
        Err(reason) => parsed.malformed = Some(reason),
    }
    parsed
}

/// The answer of a policy that speaks raw text.
#[must_use]
pub fn turn(raw: String) -> Turn {
    let parsed = parse(&raw);
    Turn {
        thinking: parsed.thinking,
        text: parsed.text,
        calls: parsed.calls,
        fault: parsed.malformed.map(|reason| ActFault::Malformed { reason }),
        raw: Some(raw),
        ..Turn::default()
    }
}

fn trimmed(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The thinking, and where the answer begins: behind the last `</think>`, or nowhere if it never closes.
fn thinking(raw: &str) -> (Option<&str>, Option<usize>) {
    if let Some((before, _)) = raw.rsplit_once(THINK_END) {
        let trimmed = before.trim_start();
        return (Some(trimmed.strip_prefix(THINK).unwrap_or(trimmed)), Some(before.len() + THINK_END.len()));
    }
    match raw.split_once(THINK) {
        Some((_, after)) => (Some(after), None),
        None => (None, Some(0)),
    }
}

/// The calls between two bytes of the answer, and the text around them.
fn calls(raw: &str, start: usize, end: usize) -> Result<(Vec<ToolCall>, String), String> {
    let raw = raw.get(..end).unwrap_or(raw);
    let (mut calls, mut text, mut at) = (Vec::new(), String::new(), start);
    loop {
        let rest = raw.get(at..).unwrap_or_default();
        let open = rest.find(CALL);
        if let Some(stray) = rest.find(CALL_END).filter(|&c| open.is_none_or(|o| c < o)) {
            return Err(format!("tag mismatch: {CALL_END} at byte {} has no {CALL} before it", at + stray));
        }
        let Some(open) = open else {
            text.push_str(rest);
            return Ok((calls, text));
        };
        text.push_str(rest.get(..open).unwrap_or_default());
        let (call, behind) = one_call(raw, at + open)?;
        calls.push(call);
        at = behind;
    }
}

/// The call whose tag opens at byte `tag`, and where it ends.
fn one_call(raw: &str, tag: usize) -> Result<(ToolCall, usize), String> {
    let unclosed = || format!("tag mismatch: {CALL} at byte {tag} is not closed by {CALL_END}");
    let inside = tag + CALL.len();
    let rest = raw.get(inside..).unwrap_or_default();
    let json = rest.trim_start();
    let from = inside + (rest.len() - json.len());
    if json.starts_with(CALL) || json.is_empty() {
        return Err(unclosed());
    }
    // The JSON itself says where it ends: a tag inside one of its strings is no tag.
    let mut values = serde_json::Deserializer::from_str(json).into_iter::<&RawValue>();
    let value = match values.next() {
        Some(Ok(value)) => value,
        Some(Err(_)) if !json.contains(CALL_END) => return Err(unclosed()),
        Some(Err(e)) => return Err(format!("invalid JSON at byte {}: {}", from + offset(json, &e), reason(&e))),
        None => return Err(unclosed()),
    };
    let ended = from + values.byte_offset();
    let behind = raw.get(ended..).unwrap_or_default();
    let gap = behind.len() - behind.trim_start().len();
    if !behind.trim_start().starts_with(CALL_END) {
        let next_open = behind.find(CALL).unwrap_or(usize::MAX);
        return Err(match behind.find(CALL_END) {
            Some(close) if close < next_open => format!("invalid JSON at byte {}: text behind the end of the object", ended + gap),
            _ => unclosed(),
        });
    }
    let call = decode(value, from)?;
    Ok((call, ended + gap + CALL_END.len()))
}

fn decode(value: &RawValue, from: usize) -> Result<ToolCall, String> {
    let missing = |what: &str| format!("missing {what} in the call at byte {from}");
    let fields: BTreeMap<String, &RawValue> =
        serde_json::from_str(value.get()).map_err(|_| missing("name: the call is not a JSON object"))?;
    let name = fields.get("name").ok_or_else(|| missing("name"))?;
    let name: String = serde_json::from_str(name.get()).map_err(|_| missing("name: it must be a string"))?;
    if name.trim().is_empty() {
        return Err(missing("name: it is empty"));
    }
    let arguments = fields.get("arguments").ok_or_else(|| missing("arguments"))?.get();
    if !arguments.starts_with(['{', '"']) {
        return Err(missing(&format!("arguments: they must be an object, not {}", kind(arguments))));
    }
    Ok(ToolCall { id: Arc::from(""), name: Arc::from(name), arguments: arguments.into() })
}

fn kind(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'[') => "a list",
        Some(b'n') => "null",
        Some(b't' | b'f') => "a boolean",
        _ => "a number",
    }
}

/// Byte of the text at which an error was found.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let lines: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    (lines + error.column().saturating_sub(1)).min(text.len())
}

/// The reason without serde's own line and column, which mean nothing to a reader of the answer.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]
    use super::*;

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: "".into(), name: name.into(), arguments: arguments.into() }
    }

    /// The reason, after checking that nothing of the answer is run.
    fn broken(raw: &str) -> String {
        let turn = turn(raw.to_owned());
        assert_eq!((turn.calls.len(), turn.raw.as_deref()), (0, Some(raw)));
        let Some(ActFault::Malformed { reason }) = turn.fault else { panic!("{raw} is not malformed") };
        reason
    }

    #[test]
    fn a_whole_answer() {
        let raw = "<think>\nlook first\n</think>\n\nI look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"n\": 9223372036854775807, \"x\": 1e400}}\n</tool_call>\n<tool_call>{\"arguments\":\"{}\",\"name\":\"go\"}</tool_call>";
        assert_eq!(
            parse(raw),
            Parsed {
                thinking: Some("look first".into()),
                text: Some("I look.".into()),
                calls: vec![call("look", "{\"n\": 9223372036854775807, \"x\": 1e400}"), call("go", "\"{}\"")],
                malformed: None,
                drafts: 0,
            }
        );
        assert_eq!(parse("just text"), Parsed { text: Some("just text".into()), ..Parsed::default() });
        assert_eq!(parse(""), Parsed::default());
        let empty = r#"<tool_call>{"name":"look","arguments":{}}</tool_call>"#;
        assert_eq!(parse(empty).calls, [call("look", "{}")]);
        let tag_in_string = r#"<tool_call>{"name":"write","arguments":{"text":"a</tool_call><tool_call>b"}}</tool_call>"#;
        assert_eq!(parse(tag_in_string).calls, [call("write", r#"{"text":"a</tool_call><tool_call>b"}"#)]);
    }

    #[test]
    fn tags_that_do_not_match() {
        for (raw, byte) in [
            (r#"<tool_call>{"name":"look","arguments":{}}"#, "<tool_call> at byte 0 "),
            (r#"ab {"name":"look","arguments":{}}</tool_call>"#, "</tool_call> at byte 33 "),
            (r#"<tool_call>{"name":"a","arguments":{}}<tool_call>{"name":"b","arguments":{}}</tool_call>"#, "<tool_call> at byte 0 "),
            (r#"é<tool_call><tool_call>{"name":"a","arguments":{}}</tool_call>"#, "<tool_call> at byte 2 "),
            ("<tool_call>", "<tool_call> at byte 0 "),
            (r#"<tool_call>{"name":"a","arg"#, "<tool_call> at byte 0 "),
            (r#"<tool_call>{"name":"a","arguments":{}}</tool_call></tool_call>"#, "</tool_call> at byte 50 "),
        ] {
            let reason = broken(raw);
            assert!(reason.starts_with("tag mismatch") && reason.contains(byte), "{raw}: {reason}");
        }
    }

    #[test]
    fn json_that_is_none() {
        // The byte is where a reader has to look, counted in the whole answer by hand.
        for (raw, byte) in [
            ("<tool_call>{\"name\":\"x\",\"arguments\":{\"a\":1}</tool_call>", Some(42)),
            ("<tool_call>{\"name\":\"x\",\"arguments\":{\"a\":\"1\n2\"}}</tool_call>", None),
            ("<tool_call>{\"name\":\"x\",\"arguments\":{\"a\":\"1\t2\"}}</tool_call>", None),
            ("<tool_call>{\"name\":\"x\",\"arguments\":{\"a\":1,}}</tool_call>", Some(42)),
            (r#"<tool_call>{"name":"x","arguments":{"a":"say "hi""}}</tool_call>"#, None),
            (r#"<tool_call>{"name":"x","arguments":{"a":"\*"}}</tool_call>"#, None),
            (r#"<tool_call>{"name":"x","arguments":{"a":NaN}}</tool_call>"#, Some(40)),
            ("<tool_call>{'name':'x','arguments':{}}</tool_call>", Some(12)),
            ("<tool_call>\u{feff}{\"name\":\"x\",\"arguments\":{}}</tool_call>", Some(11)),
            ("<tool_call>```json\n{\"name\":\"x\",\"arguments\":{}}\n```</tool_call>", Some(11)),
            ("<tool_call>{\"name\":\"x\",\"arguments\":{}} so</tool_call>", Some(39)),
            ("<tool_call></tool_call>", Some(11)),
        ] {
            let reason = broken(raw);
            assert!(reason.starts_with("invalid JSON at byte "), "{raw}: {reason}");
            if let Some(byte) = byte {
                assert!(reason.starts_with(&format!("invalid JSON at byte {byte}:")), "{raw}: {reason}");
            }
            assert!(!reason.contains("line 1"), "{reason}");
        }
    }

    #[test]
    fn parts_that_are_missing() {
        for (json, part) in [
            (r#"{"arguments":{}}"#, "missing name"),
            (r#"{"name":7,"arguments":{}}"#, "missing name: it must be a string"),
            (r#"{"name":"","arguments":{}}"#, "missing name: it is empty"),
            (r#"{"name":"x"}"#, "missing arguments"),
            (r#"{"name":"x","arguments":null}"#, "missing arguments: they must be an object, not null"),
            (r#"{"name":"x","arguments":[]}"#, "not a list"),
            (r#"{"name":"x","arguments":42}"#, "not a number"),
            (r#"["x"]"#, "missing name: the call is not a JSON object"),
        ] {
            let reason = broken(&format!("ab<tool_call>{json}</tool_call>"));
            assert!(reason.contains(part) && reason.ends_with("in the call at byte 13"), "{json}: {reason}");
        }
    }

    #[test]
    fn calls_inside_thinking_are_drafts() {
        let draft = r#"<tool_call>{"name":"draft","arguments":{}}</tool_call>"#;
        let real = r#"<tool_call>{"name":"real","arguments":{}}</tool_call>"#;
        let parsed = parse(&format!("<think>{draft}</think>{real}"));
        assert_eq!((parsed.calls, parsed.drafts, parsed.malformed), (vec![call("real", "{}")], 1, None));
        for only in [format!("<think>{draft}</think>"), format!("<think>{draft}"), format!("{draft}</think> hm")] {
            let parsed = parse(&only);
            assert_eq!((parsed.calls.len(), parsed.drafts, parsed.malformed), (0, 1, None), "{only}");
            assert_eq!(parsed.thinking.as_deref(), Some(draft), "{only}");
        }
        let parsed = parse(&format!("<think>a</think>{draft}<think>b</think>{real}"));
        assert_eq!((parsed.calls, parsed.drafts), (vec![call("real", "{}")], 1));
        // A draft may be as broken as it likes.
        assert_eq!(parse(&format!("<think><tool_call>{{</think>{real}")).malformed, None);
    }
}
