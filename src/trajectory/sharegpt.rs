//! ShareGPT: conversations of `from` and `value`, with calls and thinking in tags; and ChatML as plain text.

use super::head::Head;
use super::importer::Importer;
use super::json::Node;
use super::piece::{Piece, Words};
use super::run::{Answer, Called, Pen, Relation};
use super::runs::{RunId, Runs};

/// How sure it is that these are such conversations.
pub(super) fn looks(head: &Head<'_>) -> u8 {
    let turn = |n: &Node<'_>| n.get("from").is_some() && n.get("value").is_some();
    let conversation = |n: &Node<'_>| n.list("conversations").first().is_some_and(turn);
    if head.field("conversations").is_some_and(turn) || head.objects().any(conversation) { 90 } else { 0 }
}

/// How sure it is that this is ChatML.
pub(super) fn looks_chatml(head: &Head<'_>) -> u8 {
    if memchr::memmem::find(head.bytes, b"<|im_start|>").is_some() { 90 } else { 0 }
}

/// Reads conversations.
#[derive(Debug, Default)]
pub(super) struct ShareGpt {
    run: Option<RunId>,
    document: Option<u64>,
    conversations: usize,
}

impl Importer for ShareGpt {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        let node = &piece.node;
        // A conversation of its own: a line, or an element of a list of them.
        if piece.key().is_empty() && node.get("conversations").is_some() {
            let run = self.begin(piece, runs);
            return piece.parts().iter().for_each(|part| field(part, run, runs));
        }
        let run = match self.run {
            Some(run) if self.document == Some(piece.place.document) => run,
            _ => self.begin(piece, runs),
        };
        field(piece, run, runs);
    }
}

impl ShareGpt {
    fn begin(&mut self, piece: &Piece<'_>, runs: &mut Runs) -> RunId {
        self.conversations += 1;
        self.document = Some(piece.place.document);
        let run = runs.add(format!("conversation {}", self.conversations), Relation::Main);
        self.run = Some(run);
        run
    }
}

fn field(piece: &Piece<'_>, run: RunId, runs: &mut Runs) {
    let node = &piece.node;
    let mut pen = runs.run(run);
    match piece.key() {
        "conversations" if node.is_object() => {
            let from = node.text("from").or_else(|| node.text("role")).unwrap_or_default();
            let value = node.get("value").or_else(|| node.get("content")).map(|n| piece.words(n)).unwrap_or_default();
            if !turn(&from, value, &mut pen) {
                pen.unmapped("turn", piece.whole(), "its speaker is not known");
            }
        }
        "conversations" => {}
        "system" if node.quoted().is_some() => pen.system(piece.words(node)),
        "id" if node.quoted().is_some() => pen.session(&node.str().unwrap_or_default()),
        "model" if node.quoted().is_some() => pen.origin(|o| o.model = node.str().map(Into::into)),
        "tools" => {
            let list = node.str().unwrap_or_else(|| node.raw_text());
            if let Ok(list) = Node::parse(list.as_bytes()) {
                let one = if list.is_object() { std::slice::from_ref(&list) } else { list.items() };
                one.iter().for_each(|definition| pen.tool(super::tool::tool(definition)));
            }
        }
        key => pen.unmapped(if key.is_empty() { "record" } else { key }, piece.whole(), "a field of the conversation that is no turn"),
    }
}

/// Writes a turn. `false` when its speaker is not known.
fn turn(from: &str, value: Words<'_>, pen: &mut Pen<'_>) -> bool {
    match from.trim().to_ascii_lowercase().as_str() {
        "system" => pen.system(value),
        "human" | "user" => results_or(value, pen, |pen, words| pen.user(words)),
        "gpt" | "assistant" | "chatgpt" | "model" | "bot" | "bing" | "bard" => answer(value.now(), pen),
        "function_call" => answer(&format!("<tool_call>{}</tool_call>", value.now()), pen),
        "observation" | "tool" | "function_response" | "function" | "ipython" => {
            results_or(value, pen, |pen, words| pen.result(None, words, false))
        }
        _ => return false,
    }
    true
}

/// The results in tags, or else the whole.
fn results_or<'a>(value: Words<'a>, pen: &mut Pen<'_>, whole: impl FnOnce(&mut Pen<'_>, Words<'a>)) {
    let text = value.now();
    let list = tagged(text, "tool_response").1;
    if list.is_empty() {
        return whole(pen, value);
    }
    for result in list {
        pen.result(None, result.trim().to_owned().into(), false);
    }
}

/// An answer with its thinking and calls in tags.
fn answer(text: &str, pen: &mut Pen<'_>) {
    let (rest, thoughts) = tagged(text, "think");
    let (rest, calls) = tagged(&rest, "tool_call");
    let calls: Vec<(String, String)> = calls.iter().map(|call| named(call.trim())).collect();
    pen.answer(Answer {
        thinking: thoughts.iter().map(|t| t.trim()).collect::<Vec<_>>().join("\n").into(),
        text: if calls.is_empty() && thoughts.is_empty() { text.to_owned().into() } else { rest.trim().to_owned().into() },
        calls: calls.iter().map(|(name, arguments)| Called { id: "", name, arguments: arguments.as_str().into() }).collect(),
        ..Answer::default()
    });
}

/// Name and arguments of a call written as JSON; of another the text itself.
fn named(call: &str) -> (String, String) {
    let Some(node) = Node::parse(call.as_bytes()).ok().filter(Node::is_object) else { return ("call".into(), call.to_owned()) };
    let arguments = ["arguments", "parameters"].iter().find_map(|key| node.get(key));
    let arguments = arguments.map_or_else(|| "{}".into(), |a| a.str().unwrap_or_else(|| a.raw_text()).into_owned());
    (node.text("name").unwrap_or_else(|| "call".into()).into_owned(), arguments)
}

/// The text without what stands in a tag, and that.
fn tagged(text: &str, tag: &str) -> (String, Vec<String>) {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let (mut rest, mut inside) = (String::new(), Vec::new());
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|t| t.find(&open)).map(|n| from + n) {
        rest.push_str(text.get(from..at).unwrap_or(""));
        let body = at + open.len();
        let end = text.get(body..).and_then(|t| t.find(&close)).map_or(text.len(), |n| body + n);
        inside.push(text.get(body..end).unwrap_or("").to_owned());
        from = (end + close.len()).min(text.len());
    }
    rest.push_str(text.get(from..).unwrap_or(""));
    (rest, inside)
}

/// Reads ChatML.
#[derive(Debug, Default)]
pub(super) struct ChatMl {
    speaker: Option<String>,
    lines: Vec<String>,
    begun: bool,
}

impl Importer for ChatMl {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        if !std::mem::replace(&mut self.begun, true) {
            runs.add("main", Relation::Main);
        }
        let line = piece.node.raw_text();
        let mut rest = &*line;
        if let Some(speaker) = rest.strip_prefix("<|im_start|>") {
            self.end(runs);
            self.speaker = Some(speaker.trim().to_owned());
            return;
        }
        if let Some((before, _)) = rest.split_once("<|im_end|>") {
            rest = before;
            self.lines.push(rest.to_owned());
            return self.end(runs);
        }
        if self.speaker.is_some() {
            self.lines.push(rest.to_owned());
        } else if !rest.trim().is_empty() {
            runs.main().unmapped("line", piece.whole(), "it stands outside of every turn");
        }
    }

    fn finish(&mut self, runs: &mut Runs) {
        self.end(runs);
    }
}

impl ChatMl {
    fn end(&mut self, runs: &mut Runs) {
        let text = std::mem::take(&mut self.lines).join("\n");
        let Some(speaker) = self.speaker.take() else { return };
        let mut pen = runs.main();
        if !turn(&speaker, text.clone().into(), &mut pen) {
            pen.unmapped(&speaker, text.into(), "its speaker is not known");
        }
    }
}
