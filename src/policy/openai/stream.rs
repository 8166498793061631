//! Puts an answer together from the pieces of a stream, or from one plain JSON body.
//!
//! Servers differ in what they leave out, so everything may be missing or null; only what cannot be
//! understood at all is an error.
//!
//! Invariant: knows no network.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::think::{Piece, Splitter};
use crate::memory::ToolCall;
use crate::policy::{Delta, DeltaSink, Turn};
use crate::session::{ActFault, Usage};

/// Why the pieces make no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamFault {
    /// An event, or the body, is not the JSON of a chat completion.
    #[error("it sent something that is not a chat completion ({why}): {text}")]
    NotJson {
        /// What is wrong with it.
        why: String,
        /// Its first characters.
        text: String,
    },
    /// The server reports an error inside the stream.
    #[error("{}", .message)]
    Reported {
        /// Its code or type.
        code: Option<String>,
        /// What it says.
        message: String,
    },
    /// The connection was closed before the answer was complete.
    #[error("the stream ended early, before the answer was complete")]
    EndedEarly,
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default)]
    index: Option<u64>,
    #[serde(borrow, default)]
    delta: Option<Part<'a>>,
    #[serde(borrow, default)]
    message: Option<Part<'a>>,
    #[serde(borrow, default)]
    finish_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<CallPart<'a>>>,
}

#[derive(Deserialize)]
struct CallPart<'a> {
    #[serde(default)]
    index: Option<u64>,
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    function: Option<FunctionPart<'a>>,
}

#[derive(Deserialize)]
struct FunctionPart<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    // Raw, because some servers send an object, and its digits and spaces are to stay as they are.
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Debug, Default)]
struct Slot {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// An answer in the making.
#[derive(Debug, Default)]
pub struct Assembly {
    thinking: String,
    text: String,
    splitter: Splitter,
    calls: Vec<Slot>,
    finish: Option<String>,
    usage: Option<Usage>,
    done: bool,
}

impl Assembly {
    /// Whether the server has said why it stopped; only the usage may still come.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether the server has closed the stream by its own mark.
    #[must_use]
    pub fn done(&self) -> bool {
        self.done
    }

    /// Takes the data of one event.
    ///
    /// # Errors
    /// [`StreamFault`] when it is no JSON, or reports an error.
    pub fn event(&mut self, data: &str, deltas: DeltaSink<'_>) -> Result<(), StreamFault> {
        match data.trim() {
            "" => Ok(()),
            "[DONE]" => {
                self.done = true;
                Ok(())
            }
            json => self.json(json, deltas),
        }
    }

    /// Takes the plain JSON of a server that does not stream.
    ///
    /// # Errors
    /// [`StreamFault`] when it is no chat completion, or reports an error.
    pub fn body(mut self, body: &str, deltas: DeltaSink<'_>) -> Result<Turn, StreamFault> {
        self.json(body.trim(), deltas)?;
        self.done = true;
        self.turn(deltas)
    }

    /// The answer, once the stream has ended.
    ///
    /// # Errors
    /// [`StreamFault::EndedEarly`] when nothing said that it was complete.
    pub fn turn(mut self, deltas: DeltaSink<'_>) -> Result<Turn, StreamFault> {
        let pieces = self.splitter.finish();
        self.content(pieces, deltas);
        // A server that leaves out the reason but closes by its own mark has completed what it sent.
        let marked = self.done && !(self.text.is_empty() && self.thinking.is_empty() && self.calls.is_empty());
        if self.finish.is_none() && !marked {
            return Err(StreamFault::EndedEarly);
        }
        let cut = self.finish.as_deref() == Some("length");
        let calls = if cut { Vec::new() } else { self.calls.into_iter().map(Slot::call).collect() };
        let some = |s: String| (!s.is_empty()).then_some(s);
        Ok(Turn {
            thinking: some(self.thinking.trim_matches('\n').to_owned()),
            text: some(self.text),
            calls,
            raw: None,
            finish: self.finish,
            usage: self.usage,
            fault: cut.then_some(ActFault::CutAtLimit),
        })
    }

    fn json(&mut self, json: &str, deltas: DeltaSink<'_>) -> Result<(), StreamFault> {
        let chunk: Chunk<'_> =
            serde_json::from_str(json).map_err(|e| StreamFault::NotJson { why: e.to_string(), text: json.chars().take(80).collect() })?;
        if let Some(error) = chunk.error.filter(|e| !e.is_null()) {
            let (code, message) = reported(&error);
            return Err(StreamFault::Reported { code, message });
        }
        if let Some(usage) = chunk.usage.as_ref().and_then(usage) {
            self.usage = Some(usage);
        }
        // One answer was asked for; others are not ours.
        for choice in chunk.choices.into_iter().flatten().filter(|c| c.index.unwrap_or(0) == 0) {
            for part in [choice.delta, choice.message].into_iter().flatten() {
                self.part(part, deltas);
            }
            if let Some(reason) = choice.finish_reason.filter(|r| !r.is_empty()) {
                self.finish = Some(reason.into_owned());
            }
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, deltas: DeltaSink<'_>) {
        // Some servers send the same thinking under both names.
        let thinking = part.reasoning_content.and_then(text_of).or_else(|| part.reasoning.and_then(text_of));
        if let Some(thinking) = thinking.filter(|t| !t.is_empty()) {
            self.thinking.push_str(&thinking);
            deltas(Delta::Thinking(thinking));
        }
        if let Some(content) = part.content.and_then(text_of) {
            let pieces = self.splitter.push(&content);
            self.content(pieces, deltas);
        }
        for call in part.tool_calls.into_iter().flatten() {
            self.call(call, deltas);
        }
    }

    fn content(&mut self, pieces: Vec<Piece>, deltas: DeltaSink<'_>) {
        for piece in pieces {
            match piece {
                Piece::Thinking(t) => {
                    self.thinking.push_str(&t);
                    deltas(Delta::Thinking(t));
                }
                Piece::Text(t) => {
                    self.text.push_str(&t);
                    deltas(Delta::Text(t));
                }
                Piece::TextWasThinking => {
                    self.thinking.push_str(&std::mem::take(&mut self.text));
                    deltas(Delta::Restart);
                    deltas(Delta::Thinking(self.thinking.clone()));
                }
            }
        }
    }

    fn call(&mut self, part: CallPart<'_>, deltas: DeltaSink<'_>) {
        let id = part.id.unwrap_or_default();
        let (name, arguments) = part.function.map_or((None, None), |f| (f.name, f.arguments));
        let name = name.unwrap_or_default();
        let at = match part.index {
            Some(index) => self.calls.iter().rposition(|s| s.index == Some(index)),
            // No index: a fragment without a new id belongs to the newest call.
            None => self.calls.len().checked_sub(1),
        };
        // Some servers give all parallel calls the index 0, or none; a new id with a name is a new call.
        let other = |s: &Slot| !id.is_empty() && !s.id.is_empty() && *s.id != *id && !name.is_empty();
        let at = at.filter(|&at| self.calls.get(at).is_some_and(|s| !other(s)));
        let at = at.unwrap_or_else(|| {
            self.calls.push(Slot { index: part.index, ..Slot::default() });
            self.calls.len() - 1
        });
        let Some(slot) = self.calls.get_mut(at) else { return };
        if slot.id.is_empty() {
            slot.id = id.into_owned();
        }
        // A name comes whole, and from some servers with every fragment again.
        if *slot.name != *name {
            slot.name.push_str(&name);
        }
        let more = arguments.map(arguments_of).unwrap_or_default();
        slot.arguments.push_str(&more);
        deltas(Delta::Call { name: slot.name.clone(), arguments: more });
    }
}

impl Slot {
    fn call(self) -> ToolCall {
        ToolCall { id: Arc::from(self.id), name: Arc::from(self.name), arguments: self.arguments.into() }
    }
}

/// A string, or the text parts of a list of parts.
fn text_of(raw: &RawValue) -> Option<String> {
    match raw.get().as_bytes().first()? {
        b'"' => string(raw.get()),
        b'[' => {
            let parts: Vec<Value> = serde_json::from_str(raw.get()).ok()?;
            Some(parts.iter().filter_map(|p| p.as_str().or_else(|| p.get("text").and_then(Value::as_str))).collect())
        }
        _ => None,
    }
}

/// The text of a string; anything else (an object) as it was written.
fn arguments_of(raw: &RawValue) -> String {
    string(raw.get()).unwrap_or_else(|| raw.get().to_owned())
}

/// The text of a JSON string. Half a surrogate pair becomes U+FFFD, where serde_json alone would give up
/// the whole text.
fn string(json: &str) -> Option<String> {
    struct Lossy;
    impl serde::de::Visitor<'_> for Lossy {
        type Value = String;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a string")
        }
        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
            Ok(String::from_utf8_lossy(bytes).into_owned())
        }
    }
    if !json.starts_with('"') {
        return None;
    }
    serde::Deserializer::deserialize_bytes(&mut serde_json::Deserializer::from_str(json), Lossy).ok()
}

fn usage(value: &Value) -> Option<Usage> {
    let number = |path: &str| value.pointer(path).and_then(Value::as_u64);
    let usage = Usage {
        prompt: number("/prompt_tokens"),
        completion: number("/completion_tokens"),
        cached: number("/prompt_tokens_details/cached_tokens").or_else(|| number("/prompt_cache_hit_tokens")),
    };
    (usage != Usage::default()).then_some(usage)
}

/// Code (or type) and message of an `error` member, which may be an object or a text.
pub(super) fn reported(error: &Value) -> (Option<String>, String) {
    let text = |v: &Value| match v {
        Value::String(s) => Some(s.clone()),
        Value::Number(n) => Some(n.to_string()),
        _ => None,
    };
    let field = |name: &str| error.get(name).and_then(text);
    let code = field("code").or_else(|| field("type"));
    let message = field("message").or_else(|| text(error)).unwrap_or_else(|| error.to_string());
    (code, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_survive_half_a_surrogate_pair() {
        for (json, text) in [
            (r#""a\u00e9\ud83c\udf0d\n\"""#, Some("aé🌍\n\"")),
            (r#""a\ud800b""#, Some("a\u{fffd}\u{fffd}\u{fffd}b")),
            ("7", None),
            ("[1]", None),
        ] {
            assert_eq!(string(json).as_deref(), text, "{json}");
        }
    }
}
