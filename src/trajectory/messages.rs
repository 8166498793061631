//! Chat messages: what OpenAI's and Anthropic's forms, and all that are built on them, have in common.

use super::json::{Node, Value};
use super::piece::{Piece, Words};
use super::run::{Answer, Called, Pen};
use crate::session::Usage;

/// The parts of a message's content, told apart.
#[derive(Debug, Default)]
pub(super) struct Content<'a> {
    /// Text, in order.
    pub(super) text: Vec<Words<'a>>,
    /// Thinking, in order.
    pub(super) thinking: Vec<Words<'a>>,
    /// Calls, as nodes that have `id`, `name` and `input`.
    pub(super) uses: Vec<Node<'a>>,
    /// Results, as nodes that have `tool_use_id` and `content`.
    pub(super) results: Vec<Node<'a>>,
    /// Kinds of parts that have no place, with what they are.
    pub(super) other: Vec<(String, Node<'a>)>,
}

/// Takes content apart: a string, a list of parts, or nothing.
pub(super) fn content<'a>(piece: &Piece<'a>, node: Option<&Node<'a>>) -> Content<'a> {
    let mut content = Content::default();
    let Some(node) = node else { return content };
    match node.value() {
        Value::String(_) => content.text.push(piece.words(node)),
        Value::Array(parts) => parts.iter().for_each(|part| take(piece, part, &mut content)),
        Value::Object(_) => take(piece, node, &mut content),
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) => content.text.push(piece.raw(node)),
    }
    content
}

fn take<'a>(piece: &Piece<'a>, part: &Node<'a>, content: &mut Content<'a>) {
    if part.quoted().is_some() {
        content.text.push(piece.words(part));
        return;
    }
    let kind = part.text("type").unwrap_or_default();
    let field = |key: &str| part.get(key).filter(|n| n.quoted().is_some()).map(|n| piece.words(n));
    match &*kind {
        "thinking" | "reasoning" => match field("thinking").or_else(|| field("reasoning")).or_else(|| field("text")) {
            Some(words) => content.thinking.push(words),
            None => content.other.push((kind.into_owned(), part.clone())),
        },
        "redacted_thinking" => content.thinking.push("[redacted by the server]".into()),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => content.uses.push(part.clone()),
        _ if kind.ends_with("tool_result") => content.results.push(part.clone()),
        "refusal" => content.text.extend(field("refusal")),
        _ => match field("text") {
            Some(words) => content.text.push(words),
            None => content.other.push((if kind.is_empty() { "part".into() } else { kind.into_owned() }, part.clone())),
        },
    }
}

impl<'a> Content<'a> {
    /// All its text as one, with a line for each part that is no text (an image, a file).
    pub(super) fn words(self) -> Words<'a> {
        let mut text = self.text;
        text.extend(self.other.iter().map(|(kind, node)| Words::from(stand_in(kind, node))));
        Words::join(text, "\n")
    }
}

/// What stands in M for a part that is no text: its kind and size. The record itself has all of it.
pub(super) fn stand_in(kind: &str, node: &Node<'_>) -> String {
    format!("[{kind}, {} bytes]", node.raw().len())
}

/// The text of a result's content.
pub(super) fn result_words<'a>(piece: &Piece<'a>, node: Option<&Node<'a>>) -> Words<'a> {
    content(piece, node).words()
}

/// What the server said an answer cost, in the spellings that are in use.
pub(super) fn usage(node: Option<&Node<'_>>) -> Option<Usage> {
    let node = node.filter(|n| n.is_object())?;
    let field = |keys: &[&str]| keys.iter().find_map(|k| node.get(k)?.u64());
    let mut usage = Usage {
        prompt: field(&["prompt_tokens", "input_tokens"]),
        completion: field(&["completion_tokens", "output_tokens"]),
        cached: field(&["cache_read_input_tokens", "cached_input_tokens", "cached_tokens"])
            .or_else(|| node.at(&["prompt_tokens_details", "cached_tokens"])?.u64())
            .or_else(|| node.at(&["input_tokens_details", "cached_tokens"])?.u64()),
    };
    // Anthropic's figure leaves out what the cache served or took.
    if node.get("cache_read_input_tokens").is_some() || node.get("cache_creation_input_tokens").is_some() {
        let cached = field(&["cache_read_input_tokens"]).unwrap_or(0) + field(&["cache_creation_input_tokens"]).unwrap_or(0);
        usage.prompt = usage.prompt.map(|n| n + cached);
    }
    (usage != Usage::default()).then_some(usage)
}

/// Writes a message of either form. `false` when it is none: it has no role that is known.
pub(super) fn write<'a>(piece: &Piece<'a>, message: &Node<'a>, pen: &mut Pen<'_>) -> bool {
    let role = message.text("role").unwrap_or_default();
    let parts = content(piece, message.get("content"));
    match &*role {
        "system" | "developer" => pen.system(parts.words()),
        "assistant" | "model" | "agent" => answer(piece, message, parts, pen),
        "tool" | "function" => {
            let id = message.text("tool_call_id").or_else(|| message.text("tool_use_id"));
            let id = id.or_else(|| message.list("tool_call_ids").first()?.str());
            let error = message.flag("is_error") || message.get("error").is_some_and(|e| !e.is_null());
            results(piece, &parts, pen);
            if parts.results.is_empty() {
                pen.result(id.as_deref(), parts.words(), error);
            }
        }
        "user" | "human" => {
            results(piece, &parts, pen);
            let only_results = !parts.results.is_empty() && parts.text.is_empty() && parts.other.is_empty();
            if !only_results {
                pen.user(parts.words());
            }
        }
        _ => return false,
    }
    true
}

fn results<'a>(piece: &Piece<'a>, parts: &Content<'a>, pen: &mut Pen<'_>) {
    for result in &parts.results {
        let words = result_words(piece, result.get("content"));
        pen.result(result.text("tool_use_id").as_deref(), words, result.flag("is_error"));
    }
}

/// An assistant's message as an answer.
fn answer<'a>(piece: &Piece<'a>, message: &Node<'a>, mut parts: Content<'a>, pen: &mut Pen<'_>) {
    let mut thinking = std::mem::take(&mut parts.thinking);
    for key in ["reasoning_content", "reasoning"] {
        if thinking.is_empty() {
            thinking.extend(message.get(key).filter(|n| n.quoted().is_some()).map(|n| piece.words(n)));
        }
    }
    let calls = Calls::of(piece, message, &parts.uses);
    // What a server's own tools answered within the same message follows it.
    let within = Content { results: std::mem::take(&mut parts.results), ..Content::default() };
    pen.answer(Answer {
        thinking: Words::join(thinking, "\n"),
        text: parts.words(),
        calls: calls.called(),
        finish: message.text("finish_reason").or_else(|| message.text("stop_reason")).map(Into::into),
        usage: usage(message.get("usage")),
    });
    results(piece, &within, pen);
}

/// The calls of an answer, with the texts that they borrow.
pub(super) struct Calls<'a>(Vec<(String, String, Words<'a>)>);

impl<'a> Calls<'a> {
    /// `tool_calls` and `function_call` of OpenAI's form and `tool_use` parts of Anthropic's.
    pub(super) fn of(piece: &Piece<'a>, message: &Node<'a>, uses: &[Node<'a>]) -> Self {
        let mut list = Vec::new();
        for call in uses {
            let arguments = call.get("input").map_or_else(|| "{}".into(), |n| piece.raw(n));
            list.push((text(call, "id"), text(call, "name"), arguments));
        }
        let old = message.get("function_call").filter(|n| n.is_object());
        for call in message.list("tool_calls").iter().chain(old) {
            let function = call.get("function").filter(|n| n.is_object()).unwrap_or(call);
            let arguments = function.get("arguments").or_else(|| function.get("args")).or_else(|| call.get("input"));
            let arguments = arguments.map_or_else(|| "{}".into(), |n| piece.words(n));
            // Some write the name itself where others write an object.
            let name = call.text("function").map_or_else(|| text(function, "name"), std::borrow::Cow::into_owned);
            list.push((text(call, "id"), name, arguments));
        }
        Self(list)
    }

    /// As the pen takes them.
    pub(super) fn called(&self) -> Vec<Called<'_>> {
        self.0.iter().map(|(id, name, arguments)| Called { id, name, arguments: arguments.clone() }).collect()
    }
}

fn text(node: &Node<'_>, key: &str) -> String {
    node.text(key).unwrap_or_default().into_owned()
}
