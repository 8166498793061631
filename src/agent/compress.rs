//! CompressExperience: from a draft to the event that carries it out, lines 11–14 of Algorithm 1.
//!
//! Everything is decoded and checked here, before anything changes; whatever is wrong is said at
//! once, so that the model can repair its call.

use std::collections::HashSet;
use std::sync::Arc;

use super::draft::{Draft, DraftBlock, Extract};
use super::wording;
use crate::memory::anchor::{Piece, Span, locate};
use crate::memory::tools::{COMPRESS, same_tool};
use crate::memory::{BlockKind, Cut, Digest, Index, Link, Message, NOTES_HEADING, Role, combine, join_spans};
use crate::session::{Author, Compressed, Session, Source, StoredBlock};
use crate::text::tokens::TokenCounter;

/// A compression that is checked but not carried out: the event, and the contents it would archive.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The event, ready to be journaled.
    pub event: Compressed,
    /// The content of each block of the event, in order.
    pub contents: Vec<Arc<str>>,
}

/// The messages of M_work that anchors search: all but the turn that holds the call itself, and the calls that
/// failed before it with what was said of them. The anchors stand in those too, so that every repaired call would
/// be ambiguous with the one it repairs.
#[must_use]
pub fn searched(session: &Session, own_turn: bool) -> Vec<&Arc<Message>> {
    let work = session.context().work();
    let compressing: HashSet<&str> = work
        .iter()
        .filter_map(|m| match &m.link {
            Link::Call(call) if same_tool(&call.name, COMPRESS) => Some(&*call.id),
            _ => None,
        })
        .collect();
    let of_a_compression = |m: &Message| match &m.link {
        Link::Call(call) => compressing.contains(&*call.id),
        _ => m.answers().is_some_and(|id| compressing.contains(&**id)),
    };
    let t = session.t();
    let own = |m: &Message| own_turn && m.step == t && m.kind.role() == Role::Assistant;
    work.iter().filter(|m| !own(m) && !of_a_compression(m)).collect()
}

/// Checks a draft against M and D.
///
/// `call` is the id of the agent's call, `not_run` names the calls that followed it in the same answer.
///
/// # Errors
/// Every fault of the draft, each a sentence that names the block and what to change.
pub fn plan(
    session: &Session,
    draft: &Draft,
    by: Author,
    call: Option<Arc<str>>,
    not_run: Vec<String>,
    counter: &dyn TokenCounter,
) -> Result<Plan, Vec<String>> {
    let Some(started) = session.started() else { return Err(vec!["the session has not started".into()]) };
    let config = &started.config;
    let messages = searched(session, call.is_some());
    let pieces: Vec<Piece<'_>> = messages.iter().map(|m| Piece { message: m.id, text: &m.text }).collect();
    let mut faults = Vec::new();
    let (mut blocks, mut contents) = (Vec::new(), Vec::new());
    for (n, block) in draft.blocks.iter().enumerate() {
        match content(session, &pieces, block) {
            Ok((content, spans)) => {
                let tokens = counter.count(&content);
                if let Some(limit) = config.block_limit
                    && tokens > limit
                {
                    faults.push(format!("block {} ({}) has {tokens} tokens, the limit is {limit}: split it", n + 1, block.index));
                    continue;
                }
                blocks.push(stored(session, block, n, call.is_some(), &content, tokens, spans));
                contents.push(content);
            }
            Err(fault) => faults.push(format!("block {} ({}): {fault}", n + 1, block.index)),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let known = |i: &Index| draft.blocks.iter().any(|b| b.index == *i) || session.archive().read(i).is_some();
    let cut = config.summary_limit.and_then(|limit| Cut::apply(&draft.summary, limit, counter, known));
    let (summary, cut) = cut.map_or((draft.summary.as_str(), None), |(kept, cut)| (kept, Some(cut)));
    let mut trailer = cut.as_ref().map(Cut::mark).unwrap_or_default();
    if !not_run.is_empty() {
        trailer += &wording::not_run(&not_run);
    }
    let mut event = Compressed {
        by,
        call,
        blocks,
        heading: NOTES_HEADING.into(),
        summary: summary.into(),
        trailer: trailer.into(),
        summary_tokens: 0,
        cut,
        tokens_before: session.context().working(),
        tokens_after: 0,
        kept: draft.kept.clone(),
        not_run,
    };
    event.summary_tokens = counter.count(&event.message_text());
    let kept: u64 = event.kept.iter().filter_map(|id| session.context().get(*id)).map(|m| u64::from(m.tokens)).sum();
    event.tokens_after = u64::from(event.summary_tokens) + kept;
    Ok(Plan { event, contents })
}

/// The content of one block, and where its extract is.
fn content(session: &Session, pieces: &[Piece<'_>], block: &DraftBlock) -> Result<(Arc<str>, Vec<Span>), String> {
    let spans = match &block.extract {
        Extract::None => Vec::new(),
        Extract::Anchors(anchors) => locate(pieces, anchors).map_err(|e| e.to_string())?,
        Extract::Spans(spans) => spans.clone(),
    };
    let extract = match spans.as_slice() {
        [] => None,
        spans => Some(join_spans(session.context(), spans).ok_or("its source is not in the context")?),
    };
    let content = match (&block.content, extract) {
        (Some(text), Some(extract)) => combine(text, &extract),
        (Some(text), None) => text.clone(),
        (None, Some(extract)) => extract,
        (None, None) => return Err("it has neither text nor an extract".into()),
    };
    Ok((content.into(), spans))
}

fn stored(
    session: &Session,
    block: &DraftBlock,
    n: usize,
    by_call: bool,
    content: &Arc<str>,
    tokens: u32,
    spans: Vec<Span>,
) -> StoredBlock {
    let kind = match (&block.content, spans.is_empty()) {
        (Some(_), true) => BlockKind::Authored,
        (Some(_), false) => BlockKind::Mixed,
        (None, _) => BlockKind::Anchored,
    };
    let authored = block.content.is_some();
    StoredBlock {
        index: block.index.clone(),
        version: session.archive().next_version(&block.index),
        kind,
        bytes: content.len() as u64,
        tokens,
        hash: Digest::of(content.as_bytes()),
        source: Source {
            call_block: (authored && by_call).then_some(n),
            text: block.content.as_deref().filter(|_| !by_call).map(Arc::from),
            spans,
        },
    }
}

/// How much of what a compression removes it keeps word for word, in bytes of M_work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Bytes of messages that leave M.
    pub removed: u64,
    /// Of these, bytes inside an extract of one of its blocks.
    pub verbatim: u64,
}

/// Measures a plan against M.
#[must_use]
pub fn kept(session: &Session, event: &Compressed) -> Kept {
    let mut kept = Kept::default();
    for message in session.context().work().iter().filter(|m| !event.kept.contains(&m.id)) {
        kept.removed += message.text.len() as u64;
        let mut ranges: Vec<(usize, usize)> =
            event.blocks.iter().flat_map(|b| &b.source.spans).filter(|s| s.message == message.id).map(|s| (s.from, s.to)).collect();
        ranges.sort_unstable();
        let mut end = 0;
        for (from, to) in ranges {
            kept.verbatim += to.saturating_sub(from.max(end)) as u64;
            end = end.max(to);
        }
    }
    kept
}
