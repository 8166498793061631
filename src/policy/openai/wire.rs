//! The wire: M and the tools as the body of a chat completion.
//!
//! Two promises: `messages[0]` (m0) and `messages[1]` (u) are the same bytes in every request of a run,
//! and no request leaves with a call that lacks its one result. Both keep the server's prompt cache warm
//! and its validation quiet.
//!
//! Invariant: pure; knows no network.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::settings::{Settings, Shape};
use crate::memory::tools::ToolSpec;
use crate::memory::{Context, Kind, Link, Message, Role};
use crate::policy::Request;

/// Calls and results that do not pair: a request that every server would refuse, so it is not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unpaired {
    /// A call whose result is not there, or not directly behind it.
    #[error("the call {0:?} has no result directly behind it, so the request was not sent; undo the change that took it away")]
    NoResult(String),
    /// A result whose call is not there.
    #[error("the result for {0:?} has no call directly before it, so the request was not sent; undo the change that took it away")]
    NoCall(String),
    /// A call with two results.
    #[error("the call {0:?} has two results, so the request was not sent")]
    TwoResults(String),
    /// Two calls of one answer with one id.
    #[error("two calls of one answer have the id {0:?}, so the request was not sent")]
    SameId(String),
}

/// The body of the request. `tool_choice` is whether a demanded tool is demanded from the server too.
///
/// # Errors
/// [`Unpaired`] names the call or result that has no counterpart.
pub fn body(request: &Request, settings: &Settings, tool_choice: bool) -> Result<Value, Unpaired> {
    let messages = messages(&request.context, settings.shape);
    check(&messages)?;
    let mut body = Map::new();
    body.insert("model".into(), json!(settings.model));
    body.insert("messages".into(), Value::Array(messages));
    if !request.tools.is_empty() {
        body.insert("tools".into(), tools(&request.tools));
        if let Some(name) = request.force.filter(|_| tool_choice) {
            body.insert("tool_choice".into(), json!({"type": "function", "function": {"name": name}}));
        }
    }
    if let Some(n) = settings.max_tokens {
        body.insert("max_tokens".into(), json!(n));
    }
    if let Some(t) = settings.temperature {
        body.insert("temperature".into(), json!(t));
    }
    if settings.stream {
        body.insert("stream".into(), json!(true));
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    for (name, value) in &settings.extra {
        if value.is_null() {
            body.shift_remove(name);
        } else {
            body.insert(name.clone(), value.clone());
        }
    }
    Ok(Value::Object(body))
}

/// The tools as the endpoint expects them.
#[must_use]
pub fn tools(specs: &[ToolSpec]) -> Value {
    specs
        .iter()
        .map(|t| json!({"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}))
        .collect()
}

/// M as messages: one for each role's turn, not one for each entry of M.
#[must_use]
pub fn messages(context: &Context, shape: Shape) -> Vec<Value> {
    let mut list = List { out: Vec::with_capacity(context.len()), open: Vec::new(), held: Vec::new() };
    for message in context.head() {
        list.out.push(json!({"role": message.kind.role().name(), "content": &*message.text}));
    }
    let turns = context.work().chunk_by(|a, b| {
        let assistant = |m: &Message| m.kind.role() == Role::Assistant;
        assistant(a) && assistant(b) && a.step == b.step
    });
    for turn in turns {
        match turn {
            [message] if message.kind.role() != Role::Assistant => list.add(message),
            answer => list.answer(answer, shape),
        }
    }
    list.release();
    list.out
}

struct List<'a> {
    out: Vec<Value>,
    /// Calls of the newest answer that still wait for their result.
    open: Vec<Arc<str>>,
    /// What came between a call and its result: it goes behind the results.
    held: Vec<&'a Message>,
}

impl<'a> List<'a> {
    fn answer(&mut self, parts: &[Arc<Message>], shape: Shape) {
        self.release();
        let (mut thinking, mut content, mut calls) = (String::new(), String::new(), Vec::new());
        for part in parts {
            match (&part.link, part.kind) {
                (Link::Call(call), _) => {
                    self.open.push(Arc::clone(&call.id));
                    let function = json!({"name": &*call.name, "arguments": &*call.arguments});
                    calls.push(json!({"id": &*call.id, "type": "function", "function": function}));
                }
                (_, Kind::Thinking) => append(&mut thinking, &part.text),
                _ => append(&mut content, &part.text),
            }
        }
        let reasoning = shape.send_reasoning && !thinking.is_empty();
        // An answer of thinking alone would be an empty message, which servers refuse.
        if content.is_empty() && calls.is_empty() && !reasoning {
            return;
        }
        let mut message = Map::new();
        message.insert("role".into(), json!("assistant"));
        let null = content.is_empty() && !calls.is_empty() && !shape.empty_content;
        message.insert("content".into(), if null { Value::Null } else { Value::String(content) });
        if reasoning {
            message.insert("reasoning_content".into(), Value::String(thinking));
        }
        if !calls.is_empty() {
            message.insert("tool_calls".into(), Value::Array(calls));
        }
        self.out.push(Value::Object(message));
    }

    fn add(&mut self, message: &'a Message) {
        match message.answers() {
            Some(id) => {
                self.out.push(json!({"role": "tool", "tool_call_id": &**id, "content": &*message.text}));
                self.open.retain(|o| o != id);
                if self.open.is_empty() {
                    self.release();
                }
            }
            None if self.open.is_empty() => self.user(message),
            None => self.held.push(message),
        }
    }

    fn release(&mut self) {
        self.open.clear();
        for message in std::mem::take(&mut self.held) {
            self.user(message);
        }
    }

    fn user(&mut self, message: &Message) {
        if message.kind == Kind::Status && self.out.len() > 2 && self.append_status(&message.text) {
            return;
        }
        self.out.push(json!({"role": "user", "content": &*message.text}));
    }

    /// Line 8 adds no turn of its own: the status ends the message that the model reads last.
    fn append_status(&mut self, text: &str) -> bool {
        let Some(last) = self.out.last_mut().filter(|m| role(m) != "assistant") else { return false };
        let Some(Value::String(content)) = last.get_mut("content") else { return false };
        append(content, text);
        true
    }
}

fn append(to: &mut String, text: &str) {
    if !to.is_empty() {
        to.push_str("\n\n");
    }
    to.push_str(text);
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// Checks that each call of each answer has exactly one result, directly behind the answer.
///
/// # Errors
/// [`Unpaired`] names the first id for which that does not hold.
pub fn check(messages: &[Value]) -> Result<(), Unpaired> {
    let (mut waiting, mut answered): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for message in messages {
        if role(message) == "tool" {
            let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
            match waiting.iter().position(|w| *w == id) {
                Some(at) => answered.push(waiting.remove(at)),
                None if answered.contains(&id) => return Err(Unpaired::TwoResults(id.to_owned())),
                None => return Err(Unpaired::NoCall(id.to_owned())),
            }
            continue;
        }
        if let Some(id) = waiting.first() {
            return Err(Unpaired::NoResult((*id).to_owned()));
        }
        answered.clear();
        for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
            if waiting.contains(&id) {
                return Err(Unpaired::SameId(id.to_owned()));
            }
            waiting.push(id);
        }
    }
    waiting.first().map_or(Ok(()), |id| Err(Unpaired::NoResult((*id).to_owned())))
}
