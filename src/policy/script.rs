//! A policy that reads its answers from a file: any run can be reproduced, any bug report played.
//!
//! One JSON object a line, blank lines apart:
//!
//! ```json
//! {"thinking": "…", "text": "…", "calls": [{"name": "look", "arguments": {}}]}
//! {"raw": "<think>…</think><tool_call>{\"name\":…}</tool_call>"}
//! ```
//!
//! `usage` and `finish` may stand beside either, as a server would report them. `arguments` is an object,
//! kept as it is written to the last space, or a string that holds the text of the arguments.
//!
//! Invariant: knows no network and no clock.

use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Delta, DeltaSink, Policy, PolicyError, Request, Turn, raw};
use crate::memory::ToolCall;
use crate::session::{ActFault, Usage};
use futures_util::future::BoxFuture;

/// Why a script cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It cannot be read.
    #[error("cannot read the script {file}: {why}")]
    Unreadable {
        /// Its name.
        file: String,
        /// What happened.
        why: String,
    },
    /// A line is no answer.
    #[error("{file}, line {line}: {why}")]
    Line {
        /// Its name.
        file: String,
        /// 1-based.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    thinking: Option<String>,
    text: Option<String>,
    #[serde(borrow, default)]
    calls: Option<Vec<Call<'a>>>,
    raw: Option<String>,
    usage: Option<Usage>,
    finish: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call<'a> {
    #[serde(default)]
    id: String,
    name: String,
    #[serde(borrow)]
    arguments: &'a RawValue,
}

/// The policy.
#[derive(Debug)]
pub struct Script {
    file: String,
    total: usize,
    answers: VecDeque<Turn>,
}

impl Script {
    /// Reads the whole script; `-` is the standard input.
    ///
    /// # Errors
    /// [`ScriptError`] names the file, and the line that is no answer.
    pub fn open(file: &str) -> Result<Self, ScriptError> {
        let fault = |e: std::io::Error| ScriptError::Unreadable { file: file.to_owned(), why: e.to_string() };
        let mut bytes = Vec::new();
        if file == "-" {
            std::io::stdin().lock().read_to_end(&mut bytes).map_err(fault)?;
        } else {
            let about = std::fs::metadata(file).map_err(fault)?;
            if std::os::unix::fs::FileTypeExt::is_char_device(&about.file_type()) {
                // It may never end.
                return Err(ScriptError::Unreadable { file: file.to_owned(), why: "it is a device, not a file".into() });
            }
            bytes = std::fs::read(Path::new(file)).map_err(fault)?;
        }
        Self::parse(file, &bytes)
    }

    /// Reads a script from memory; `file` is its name in settings and errors.
    ///
    /// # Errors
    /// [`ScriptError::Line`] names the line that is no answer.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, ScriptError> {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let mut answers = VecDeque::new();
        for (n, line) in bytes.split(|b| *b == b'\n').enumerate() {
            let fault = |why: String| ScriptError::Line { file: file.to_owned(), line: n + 1, why };
            let line = std::str::from_utf8(line).map_err(|_| fault("it is not UTF-8".into()))?.trim();
            if !line.is_empty() {
                answers.push_back(answer(line).map_err(fault)?);
            }
        }
        Ok(Self { file: file.to_owned(), total: answers.len(), answers })
    }

    /// How many answers are left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.answers.len()
    }
}

fn answer(line: &str) -> Result<Turn, String> {
    let parsed: Line<'_> = serde_json::from_str(line).map_err(|e| format!("it is not an answer ({})", place(&e)))?;
    let mut turn = match parsed.raw {
        Some(_) if parsed.thinking.is_some() || parsed.text.is_some() || parsed.calls.is_some() => {
            return Err("raw stands for the whole answer: leave out thinking, text and calls beside it".into());
        }
        Some(text) => raw::turn(text),
        None => Turn {
            thinking: parsed.thinking,
            text: parsed.text,
            calls: parsed.calls.into_iter().flatten().map(call).collect(),
            ..Turn::default()
        },
    };
    turn.usage = parsed.usage;
    turn.finish = parsed.finish;
    if turn.finish.as_deref() == Some("length") {
        turn.calls.clear();
        turn.fault = Some(ActFault::CutAtLimit);
    }
    Ok(turn)
}

fn call(call: Call<'_>) -> ToolCall {
    let arguments = serde_json::from_str::<String>(call.arguments.get()).unwrap_or_else(|_| call.arguments.get().to_owned());
    ToolCall { id: call.id.into(), name: call.name.into(), arguments: arguments.into() }
}

/// The error with its column; its line is always 1, and the file's line is named already.
fn place(error: &serde_json::Error) -> String {
    error.to_string().replace("at line 1 column", "at column")
}

impl Policy for Script {
    fn settings(&self) -> Value {
        json!({"kind": "script", "file": self.file})
    }

    fn name(&self) -> String {
        "script".into()
    }

    fn act<'a>(&'a mut self, _: &'a Request, deltas: DeltaSink<'a>) -> BoxFuture<'a, Result<Turn, PolicyError>> {
        Box::pin(async move {
            let Some(turn) = self.answers.pop_front() else {
                let of = if self.total == 1 { "its only answer has".to_owned() } else { format!("all of its {} answers have", self.total) };
                return Err(PolicyError::Exhausted(format!("the script {} has ended: {of} been played", self.file)));
            };
            if let Some(thinking) = &turn.thinking {
                deltas(Delta::Thinking(thinking.clone()));
            }
            if let Some(text) = &turn.text {
                deltas(Delta::Text(text.clone()));
            }
            for call in &turn.calls {
                deltas(Delta::Call { name: call.name.to_string(), arguments: call.arguments.to_string() });
            }
            Ok(turn)
        })
    }

    fn skip(&mut self, answers: u32) {
        let n = usize::try_from(answers).unwrap_or(usize::MAX).min(self.answers.len());
        self.answers.drain(..n);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use super::*;
    use crate::memory::Context;

    fn play(script: &mut Script) -> Result<Turn, PolicyError> {
        let request = Request { step: 1, context: Context::default(), tools: Arc::default(), force: None };
        let mut sink = |_: Delta| {};
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(script.act(&request, &mut sink))
    }

    #[test]
    fn answers_come_in_order_and_as_written() {
        let text = "\u{feff}{\"thinking\":\"z\",\"calls\":[{\"name\":\"go\",\"arguments\":{ \"n\":9223372036854775807,\"x\":1e400 }}],\"usage\":{\"prompt\":7}}\r\n\n{\"calls\":[{\"name\":\"go\",\"arguments\":\"{\\\"a\\\": 1}\",\"id\":\"c7\"}]}\n{\"raw\":\"<tool_call>\"}\n{\"text\":\"cut\",\"calls\":[{\"name\":\"go\",\"arguments\":{}}],\"finish\":\"length\"}\n{}";
        let mut script = Script::parse("s.jsonl", text.as_bytes()).unwrap();
        assert_eq!(script.left(), 5);
        let first = play(&mut script).unwrap();
        assert_eq!(&*first.calls[0].arguments, "{ \"n\":9223372036854775807,\"x\":1e400 }");
        assert_eq!((first.thinking.as_deref(), first.usage.unwrap().prompt), (Some("z"), Some(7)));
        let second = play(&mut script).unwrap();
        assert_eq!((&*second.calls[0].id, &*second.calls[0].arguments), ("c7", "{\"a\": 1}"));
        assert!(matches!(play(&mut script).unwrap().fault, Some(ActFault::Malformed { .. })));
        let cut = play(&mut script).unwrap();
        assert_eq!((cut.fault, cut.calls.len(), cut.text.as_deref()), (Some(ActFault::CutAtLimit), 0, Some("cut")));
        assert_eq!(play(&mut script).unwrap(), Turn::default());
        let end = play(&mut script).unwrap_err();
        assert!(matches!(&end, PolicyError::Exhausted(why) if why.contains("s.jsonl") && why.contains("all of its 5 answers")), "{end}");
    }

    #[test]
    fn a_resumed_script_moves_on() {
        let mut script = Script::parse("-", b"{\"text\":\"1\"}\n{\"text\":\"2\"}\n{\"text\":\"3\"}\n").unwrap();
        script.skip(2);
        assert_eq!(play(&mut script).unwrap().text.as_deref(), Some("3"));
        script.skip(9);
        assert_eq!(script.left(), 0);
    }

    #[test]
    fn a_bad_line_is_named() {
        for (line, part) in [
            ("{\"calls\":[{\"name\":\"go\"}]}", "missing field `arguments`"),
            ("{\"calls\":[{\"arguments\":{}}]}", "missing field `name`"),
            ("{\"call\":[]}", "unknown field `call`"),
            ("{\"raw\":\"x\",\"text\":\"y\"}", "raw stands for the whole answer"),
            ("{\"text\":\"x\"", "column 11"),
            ("[]", "not an answer"),
        ] {
            let error = Script::parse("dir/s.jsonl", format!("{{}}\n\n{line}\n").as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with("dir/s.jsonl, line 3: ") && error.contains(part), "{error}");
        }
        let error = Script::parse("s", b"{}\n\"\xff\"").unwrap_err().to_string();
        assert_eq!(error, "s, line 2: it is not UTF-8");
        assert!(Script::open("/no/such/script").unwrap_err().to_string().contains("/no/such/script"));
    }
}
