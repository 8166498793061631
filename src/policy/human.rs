//! The human as policy: the loop played by hand.
//!
//! A typed line becomes a tool call, and a half-typed one gets completions; both are pure functions.
//! The answers themselves come over a channel from whoever owns the keyboard.
//!
//! Invariant: knows no terminal.

use std::ops::Range;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Delta, DeltaSink, Policy, PolicyError, Request, Turn};
use crate::memory::ToolCall;
use crate::memory::tools::{COMPRESS, READ, ToolSpec, fold_name, same_tool};
use futures_util::future::BoxFuture;

/// The policy whose answers a human types.
#[derive(Debug)]
pub struct Human {
    answers: UnboundedReceiver<Turn>,
}

impl Human {
    /// The policy, and where its answers go in.
    #[must_use]
    pub fn new() -> (UnboundedSender<Turn>, Self) {
        let (sender, answers) = unbounded_channel();
        (sender, Self { answers })
    }
}

/// An answer that is one call.
#[must_use]
pub fn turn(call: ToolCall) -> Turn {
    Turn { calls: vec![call], ..Turn::default() }
}

impl Policy for Human {
    fn settings(&self) -> Value {
        json!({"kind": "human"})
    }

    fn name(&self) -> String {
        "human".into()
    }

    fn act<'a>(&'a mut self, _: &'a Request, deltas: DeltaSink<'a>) -> BoxFuture<'a, Result<Turn, PolicyError>> {
        Box::pin(async move {
            deltas(Delta::Waiting("your call".into()));
            let gone = || PolicyError::Exhausted("nobody is left to type the next call".into());
            self.answers.recv().await.ok_or_else(gone)
        })
    }
}

/// The call that a typed line means.
///
/// The first word is a tool, or the start of exactly one; the rest is a JSON object, or the bare value of
/// the tool's only argument. A line that starts with no tool goes whole to the environment's only tool
/// that takes a single text, if there is exactly one such tool: `go to shelf 1` then needs no name before it.
///
/// # Errors
/// A sentence for the one who typed.
pub fn parse_line(line: &str, tools: &[ToolSpec]) -> Result<ToolCall, String> {
    let line = line.trim();
    if line.is_empty() {
        return Err(format!("Type a call. The tools are: {}.", names(tools.iter())));
    }
    let (word, rest) = line.split_at(first_word(line));
    match find(word, tools) {
        Found::One(tool) => call(tool, rest.trim()),
        Found::Several(several) => Err(format!("{word:?} can be {}: type more of the name.", names(several.into_iter()))),
        Found::None => match bare(tools) {
            Some(tool) => call(tool, line),
            None => Err(format!("There is no tool named {word:?}. The tools are: {}.", names(tools.iter()))),
        },
    }
}

fn names<'a>(tools: impl Iterator<Item = &'a ToolSpec>) -> String {
    tools.map(|t| t.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Where the first word ends: at white space, or where a JSON object begins.
fn first_word(line: &str) -> usize {
    line.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(line.len())
}

enum Found<'a> {
    None,
    One(&'a ToolSpec),
    Several(Vec<&'a ToolSpec>),
}

fn find<'a>(word: &str, tools: &'a [ToolSpec]) -> Found<'a> {
    if let Some(tool) = tools.iter().find(|t| t.name == word).or_else(|| tools.iter().find(|t| same_tool(&t.name, word))) {
        return Found::One(tool);
    }
    match starting(word, tools).as_slice() {
        [] => Found::None,
        [only] => Found::One(only),
        several => Found::Several(several.to_vec()),
    }
}

fn starting<'a>(word: &str, tools: &'a [ToolSpec]) -> Vec<&'a ToolSpec> {
    let word = fold_name(word);
    if word.is_empty() {
        return Vec::new();
    }
    tools.iter().filter(|t| fold_name(&t.name).starts_with(&word)).collect()
}

/// The environment's only tool that takes a single text.
fn bare(tools: &[ToolSpec]) -> Option<&ToolSpec> {
    let memory = |t: &ToolSpec| same_tool(&t.name, COMPRESS) || same_tool(&t.name, READ);
    let mut fitting = tools.iter().filter(|t| !memory(t) && t.single_text_argument().is_some());
    let first = fitting.next()?;
    fitting.next().is_none().then_some(first)
}

fn call(tool: &ToolSpec, rest: &str) -> Result<ToolCall, String> {
    let arguments = if rest.starts_with('{') { object(tool, rest)? } else { single(tool, rest)? };
    Ok(ToolCall { id: Arc::from(""), name: Arc::from(tool.name.as_str()), arguments: arguments.into() })
}

/// A typed JSON object, as typed.
fn object(tool: &ToolSpec, rest: &str) -> Result<String, String> {
    let typed: &RawValue = serde_json::from_str(rest).map_err(|e| {
        let reason = e.to_string().replace("at line 1 column", "at column");
        format!("The arguments of {} are not valid JSON: {reason} of them.", tool.name)
    })?;
    Ok(typed.get().to_owned())
}

/// The bare value of the only argument.
fn single(tool: &ToolSpec, rest: &str) -> Result<String, String> {
    let Some((name, kind)) = only_argument(tool) else {
        let list = arguments(tool);
        return if rest.is_empty() && required(tool).is_empty() {
            Ok("{}".into())
        } else if list.is_empty() {
            Err(format!("{} takes no arguments.", tool.name))
        } else {
            Err(format!("{} takes a JSON object with {}.", tool.name, list.join(", ")))
        };
    };
    if rest.is_empty() {
        if required(tool).is_empty() {
            return Ok("{}".into());
        }
        let example = match kind {
            "boolean" => "true or false",
            "integer" | "number" => "a number",
            "array" => "a JSON list",
            _ => "a text",
        };
        return Err(format!("{} needs {name}: type {example} behind it.", tool.name));
    }
    let wrong = |wanted: &str| format!("{name} of {} must be {wanted}, not {rest:?}.", tool.name);
    let value = match kind {
        "boolean" => match rest.to_lowercase().as_str() {
            "true" => json!(true),
            "false" => json!(false),
            _ => return Err(wrong("true or false")),
        },
        "integer" | "number" => {
            let number: Value = serde_json::from_str(rest).map_err(|_| wrong("a number"))?;
            if !number.is_number() || (kind == "integer" && number.is_f64()) {
                return Err(wrong(if kind == "integer" { "a whole number" } else { "a number" }));
            }
            number
        }
        "array" => {
            let list: Vec<Value> = serde_json::from_str(rest).map_err(|_| wrong("a JSON list"))?;
            Value::Array(list)
        }
        // A text may be typed in quotes, as JSON, or bare.
        _ => Value::String(serde_json::from_str::<String>(rest).unwrap_or_else(|_| rest.to_owned())),
    };
    let mut map = Map::new();
    map.insert(name.to_owned(), value);
    Ok(Value::Object(map).to_string())
}

fn required(tool: &ToolSpec) -> Vec<&str> {
    tool.parameters.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn arguments(tool: &ToolSpec) -> Vec<&str> {
    tool.parameters.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).map(String::as_str).collect()
}

/// Name and JSON type of the argument that a bare value means: the only required one, or the only one.
fn only_argument(tool: &ToolSpec) -> Option<(&str, &str)> {
    let (required, all) = (required(tool), arguments(tool));
    let name = match (required.as_slice(), all.as_slice()) {
        ([only], _) | ([], [only]) => *only,
        _ => return None,
    };
    let schema = tool.parameters.get("properties")?.get(name)?;
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|k| *k != "null").unwrap_or("string"),
        _ => "string",
    };
    Some((name, kind))
}

/// What could stand in place of a part of the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The bytes of the line that a candidate replaces.
    pub replace: Range<usize>,
    /// The candidates, in the order of the tools or indices.
    pub candidates: Vec<String>,
}

/// Completes the word at `cursor` (a byte of the line): tool names first, then the indices behind
/// ReadExperience and the truth values behind a tool that takes one.
#[must_use]
pub fn complete(line: &str, cursor: usize, tools: &[ToolSpec], indices: &[&str]) -> Completion {
    let Some(typed) = line.get(..cursor) else { return Completion::default() };
    let start = typed.len() - typed.trim_start().len();
    let rest = line.get(start..).unwrap_or_default();
    let word_end = start + first_word(rest);
    if cursor <= word_end {
        let prefix = typed.get(start..).unwrap_or_default();
        let matching = if prefix.is_empty() { tools.iter().collect() } else { starting(prefix, tools) };
        return Completion { replace: start..word_end, candidates: matching.into_iter().map(|t| t.name.clone()).collect() };
    }
    let Found::One(tool) = find(line.get(start..word_end).unwrap_or_default(), tools) else { return Completion::default() };
    let behind = typed.get(word_end..).unwrap_or_default();
    let prefix = behind.trim_start();
    let from = cursor - prefix.len();
    let values: Vec<&str> = if same_tool(&tool.name, READ) {
        indices.to_vec()
    } else if only_argument(tool).is_some_and(|(_, kind)| kind == "boolean") {
        vec!["true", "false"]
    } else {
        Vec::new()
    };
    let to = cursor + line.get(cursor..).map_or(0, |r| r.find(char::is_whitespace).unwrap_or(r.len()));
    let candidates = values.into_iter().filter(|v| v.starts_with(prefix)).map(str::to_owned).collect();
    Completion { replace: from..to, candidates }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::memory::Context;
    use crate::memory::tools::{compress_spec, read_spec};

    fn tool(name: &str, properties: Value, required: Value) -> ToolSpec {
        let parameters = json!({"type": "object", "properties": properties, "required": required});
        ToolSpec { name: name.into(), description: String::new(), parameters }
    }

    fn household() -> Vec<ToolSpec> {
        vec![
            compress_spec(true),
            read_spec(),
            tool("execute_action", json!({"action": {"type": "string"}}), json!(["action"])),
            tool("finish", json!({"success": {"type": "boolean"}}), json!(["success"])),
        ]
    }

    fn typed(line: &str, tools: &[ToolSpec]) -> Result<(String, String), String> {
        parse_line(line, tools).map(|c| (c.name.to_string(), c.arguments.to_string()))
    }

    #[test]
    fn lines_become_calls() {
        let mut tools = household();
        tools.push(tool("wait", json!({"seconds": {"type": "integer"}}), json!([])));
        tools.push(tool("inventory", json!({}), json!([])));
        for (line, name, arguments) in [
            ("execute_action go to fridge 1", "execute_action", r#"{"action":"go to fridge 1"}"#),
            ("  go to fridge 1 ", "execute_action", r#"{"action":"go to fridge 1"}"#),
            ("exe  look", "execute_action", r#"{"action":"look"}"#),
            ("ExecuteAction \"look \\\"here\\\"\"", "execute_action", r#"{"action":"look \"here\""}"#),
            ("say \"hi\" now", "execute_action", r#"{"action":"say \"hi\" now"}"#),
            ("execute_action{ \"action\":  \"look\" }", "execute_action", r#"{ "action":  "look" }"#),
            ("finish true", "finish", r#"{"success":true}"#),
            ("fin FALSE", "finish", r#"{"success":false}"#),
            ("read_experience ctx_001#2", "ReadExperience", r#"{"db_index":"ctx_001#2"}"#),
            ("read ctx_001", "ReadExperience", r#"{"db_index":"ctx_001"}"#),
            (r#"compress {"summary":"s","db_blocks":[]}"#, "CompressExperience", r#"{"summary":"s","db_blocks":[]}"#),
            ("wait 3", "wait", r#"{"seconds":3}"#),
            ("wait", "wait", "{}"),
            ("inventory", "inventory", "{}"),
        ] {
            assert_eq!(typed(line, &tools), Ok((name.into(), arguments.into())), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_a_sentence() {
        let mut tools = household();
        tools.push(tool("wait", json!({"seconds": {"type": "integer"}}), json!(["seconds"])));
        tools.push(tool("inventory", json!({}), json!([])));
        for (line, part) in [
            (" ", "The tools are: CompressExperience, ReadExperience, execute_action, finish, wait, inventory."),
            ("finish", "finish needs success: type true or false"),
            ("finish maybe", "must be true or false, not \"maybe\""),
            ("execute_action", "needs action"),
            ("wait 1.5", "a whole number"),
            ("wait x", "a number"),
            ("compress everything", "takes a JSON object with summary, db_blocks"),
            ("execute_action {\"action\":", "not valid JSON"),
            ("inventory x", "takes no arguments"),
        ] {
            let error = typed(line, &tools).unwrap_err();
            assert!(error.contains(part) && error.ends_with('.'), "{line}: {error}");
        }
        tools.push(tool("read_file", json!({"path": {"type": "string"}}), json!(["path"])));
        assert!(typed("read x", &tools).unwrap_err().contains("can be ReadExperience, read_file"));
        // With two tools for a text, a bare line has no one meaning.
        assert!(typed("go to fridge 1", &tools).unwrap_err().contains("no tool named \"go\""));
        assert!(typed("read_file {", &tools).is_err());
    }

    #[test]
    fn completions_replace_what_was_typed() {
        let tools = household();
        let indices = ["ctx_001", "ctx_002", "notes"];
        let done = |line: &str, cursor: usize| {
            let c = complete(line, cursor, &tools, &indices);
            (c.replace, c.candidates)
        };
        let words = |w: &[&str]| w.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(done("", 0), (0..0, words(&["CompressExperience", "ReadExperience", "execute_action", "finish"])));
        assert_eq!(done(" exe", 4), (1..4, words(&["execute_action"])));
        assert_eq!(done("fix", 1), (0..3, words(&["finish"])));
        assert_eq!(done("read ctx", 8), (5..8, words(&["ctx_001", "ctx_002"])));
        assert_eq!(done("read  ", 6), (6..6, words(&["ctx_001", "ctx_002", "notes"])));
        assert_eq!(done("read ctx_9 x", 8), (5..10, words(&["ctx_001", "ctx_002"])));
        assert_eq!(done("finish t", 8), (7..8, words(&["true"])));
        assert_eq!(done("go to", 5).1, words(&[]));
        assert_eq!(done("é", 1).1, words(&[]));
        assert_eq!(done("é", 99).1, words(&[]));
    }

    #[test]
    fn answers_come_over_the_channel() {
        let (sender, mut human) = Human::new();
        let request = Request { step: 1, context: Context::default(), tools: Arc::default(), force: None };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut seen = Vec::new();
        let mut sink = |d: Delta| seen.push(d);
        let answer = turn(parse_line("look", &household()).unwrap());
        sender.send(answer.clone()).unwrap();
        assert_eq!(runtime.block_on(human.act(&request, &mut sink)).unwrap(), answer);
        drop(sender);
        assert!(matches!(runtime.block_on(human.act(&request, &mut sink)), Err(PolicyError::Exhausted(_))));
        assert_eq!(seen, vec![Delta::Waiting("your call".into()); 2]);
    }
}
