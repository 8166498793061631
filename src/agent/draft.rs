//! Draft: a compression as someone wants it, before it is checked.
//!
//! The agent's call becomes a draft; so does what a user writes by hand or has generated.

use serde_json::Value;

use crate::memory::anchor::{Anchors, Span};
use crate::memory::tools::{ArgumentFault, CompressArgs, decode_compress};
use crate::memory::{Index, IndexedSummary, Kind, Message, MessageId};
use crate::session::Session;

/// Where the extract of a block comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extract {
    /// No extract: the block is authored.
    None,
    /// Between three anchors.
    Anchors(Anchors),
    /// These ranges of M.
    Spans(Vec<Span>),
}

/// One block of a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftBlock {
    /// Under which index.
    pub index: Index,
    /// Authored text.
    pub content: Option<String>,
    /// Extract.
    pub extract: Extract,
}

/// A compression as someone wants it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// The indexed summary.
    pub summary: String,
    /// The blocks.
    pub blocks: Vec<DraftBlock>,
    /// Messages of M_work that are to stay, when only a range is compressed.
    pub kept: Vec<MessageId>,
}

impl From<CompressArgs> for Draft {
    fn from(args: CompressArgs) -> Self {
        let blocks = args
            .blocks
            .into_iter()
            .map(|b| DraftBlock { index: b.index, content: b.content, extract: b.anchors.map_or(Extract::None, Extract::Anchors) })
            .collect();
        Self { summary: args.summary, blocks, kept: Vec::new() }
    }
}

/// Which messages of M_work a forced compression takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// All.
    All,
    /// This one and what follows it.
    From(MessageId),
    /// Everything before this one, and it.
    UpTo(MessageId),
}

/// The messages a range takes and those it leaves, cut between steps so that no call is parted from its result.
#[must_use]
pub fn split(session: &Session, range: Range) -> (Vec<&std::sync::Arc<Message>>, Vec<MessageId>) {
    let work = session.context().work();
    let step_of = |id: MessageId| work.iter().find(|m| m.id == id).map(|m| m.step);
    let (taken, left): (Vec<_>, Vec<_>) = work.iter().partition(|m| match range {
        Range::All => true,
        Range::From(id) => m.kind == Kind::Summary || step_of(id).is_none_or(|s| m.step >= s),
        Range::UpTo(id) => m.kind == Kind::Summary || step_of(id).is_none_or(|s| m.step <= s),
    });
    (taken, left.iter().map(|m| m.id).collect())
}

/// The *verbatim* way: no model; each step of the range becomes one block that holds its messages word for word,
/// and σ lists them. An earlier σ is carried over at the head of the new one.
#[must_use]
pub fn verbatim(session: &Session, range: Range) -> Draft {
    let (taken, kept) = split(session, range);
    let mut draft = Draft { kept, ..Draft::default() };
    let mut lines = String::new();
    let mut status = String::new();
    let mut steps: Vec<(u32, Vec<&Message>)> = Vec::new();
    for message in taken {
        match message.kind {
            Kind::Summary => {
                let old = session.compressions().iter().rev().find(|c| !c.undone).map_or(&*message.text, |c| &*c.event.summary);
                let old = IndexedSummary::parse(old, |i| session.archive().read(i).is_some());
                status = old.status;
                for (index, description) in &old.index_map.0 {
                    lines += &format!("- {index} - {description}\n");
                }
            }
            // A status is derived from M; it is not evidence.
            Kind::Status => {}
            _ => match steps.last_mut().filter(|s| s.0 == message.step) {
                Some((_, list)) => list.push(message),
                None => steps.push((message.step, vec![message])),
            },
        }
    }
    let mut taken_names: Vec<Index> = Vec::new();
    for (step, messages) in &steps {
        let Some(index) = free_name(session, &taken_names, *step) else { continue };
        taken_names.push(index.clone());
        lines += &format!("- {index} - step {step}: {}\n", describe(messages));
        let spans = messages.iter().map(|m| Span { message: m.id, from: 0, to: m.text.len() }).collect();
        draft.blocks.push(DraftBlock { index, content: None, extract: Extract::Spans(spans) });
    }
    if status.is_empty() {
        status = "Earlier steps were archived word for word, one block a step.".into();
    }
    draft.summary = format!("{status}\n\nIndexMap:\n{lines}").trim_end().to_owned();
    draft
}

/// `step_007`, or with a letter behind it where that is taken.
fn free_name(session: &Session, taken: &[Index], step: u32) -> Option<Index> {
    let free = |name: String| Index::new(&name).ok().filter(|i| !taken.contains(i) && session.archive().versions(i).is_empty());
    free(format!("step_{step:03}")).or_else(|| (2..10_000).find_map(|n| free(format!("step_{step:03}_{n}"))))
}

/// The first line of what was called, or of what was seen, short enough for a list.
fn describe(messages: &[&Message]) -> String {
    let told = messages.iter().find(|m| m.kind == Kind::Call).or_else(|| messages.first());
    let line = told.map_or("", |m| m.text.lines().next().unwrap_or(""));
    let short: String = line.chars().take(80).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}

/// The *by hand* way: the call that a user edits, filled in with the verbatim draft as JSON.
#[must_use]
pub fn template(session: &Session, range: Range) -> String {
    let draft = verbatim(session, range);
    let list: Vec<Value> = draft
        .blocks
        .iter()
        .map(|b| match &b.extract {
            Extract::Spans(spans) => {
                let parts: Vec<Value> =
                    spans.iter().map(|s| serde_json::json!({"message": s.message.0, "from": s.from, "to": s.to})).collect();
                serde_json::json!({"db_index": b.index, "spans": parts})
            }
            _ => serde_json::json!({"db_index": b.index, "db_content": b.content}),
        })
        .collect();
    let value = serde_json::json!({"summary": draft.summary, "db_blocks": list});
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

/// Reads what a user made of [`template`]: the agent's argument form, where a block may also name `spans` of messages.
///
/// # Errors
/// Sentences about what cannot be read.
pub fn from_template(session: &Session, range: Range, text: &str) -> Result<Draft, Vec<String>> {
    let mut value: Value = serde_json::from_str(text).map_err(|e| vec![format!("this is not JSON: {e}")])?;
    // Blocks by spans are taken out and put back, so that the rest is decoded as the agent's own call would be.
    let mut by_spans = Vec::new();
    if let Some(list) = value.get_mut("db_blocks").and_then(Value::as_array_mut) {
        for (n, block) in list.iter_mut().enumerate() {
            if let Some(spans) = block.as_object_mut().and_then(|o| o.remove("spans")) {
                let spans: Vec<Span> = serde_json::from_value(spans).map_err(|e| vec![format!("block {}: spans: {e}", n + 1)])?;
                let has_text = block.get("db_content").and_then(Value::as_str).is_some_and(|s| !s.is_empty());
                if !has_text {
                    block.as_object_mut().map(|o| o.insert("db_content".into(), Value::String("-".into())));
                }
                by_spans.push((n, spans, has_text));
            }
        }
    }
    let args = decode_compress(&value, true).map_err(|f| f.iter().map(ArgumentFault::to_string).collect::<Vec<_>>())?;
    let mut draft = Draft { kept: split(session, range).1, ..Draft::from(args) };
    for (n, spans, has_text) in by_spans {
        if let Some(block) = draft.blocks.get_mut(n) {
            block.extract = Extract::Spans(spans);
            if !has_text {
                block.content = None;
            }
        }
    }
    Ok(draft)
}
