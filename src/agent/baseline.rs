//! What happens at the window's edge: the baselines' rules, and the hard fallback.

use std::collections::HashMap;

use super::compress;
use super::draft::{self, Draft, DraftBlock, Extract, Range};
use crate::memory::anchor::Span;
use crate::memory::{Archive, Index, Kind, Version};
use crate::session::{Author, Change, Edited, Event, MemoryMode, Session};
use crate::text::tokens::TokenCounter;

/// The event that makes room before a status of `status_tokens` is added, if the run has a rule for it.
pub(super) fn make_room(session: &Session, status_tokens: u64, counter: &dyn TokenCounter) -> Option<Event> {
    let config = &session.started()?.config;
    let window = config.window?;
    let over = (session.context().total() + status_tokens).saturating_sub(window);
    let only_summary = session.context().work().iter().all(|m| m.kind == Kind::Summary);
    if over == 0 || only_summary {
        return None;
    }
    match config.mode {
        MemoryMode::Truncate => Some(drop_oldest(session, over)),
        MemoryMode::Rag => forced(session, &archive_whole(session), counter),
        MemoryMode::Memex | MemoryMode::Summary if config.hard_fallback => forced(session, &draft::verbatim(session, Range::All), counter),
        _ => None,
    }
}

fn forced(session: &Session, draft: &Draft, counter: &dyn TokenCounter) -> Option<Event> {
    let plan = compress::plan(session, draft, Author::Fallback, None, Vec::new(), counter).ok()?;
    Some(Event::Compressed(Box::new(plan.event)))
}

/// Whole steps from the old end, until at least `over` tokens are free.
fn drop_oldest(session: &Session, over: u64) -> Event {
    let (mut freed, mut messages, mut step) = (0, 0, None);
    for message in session.context().work() {
        if freed >= over && step != Some(message.step) {
            break;
        }
        freed += u64::from(message.tokens);
        messages += 1;
        step = Some(message.step);
    }
    Event::Edited(Edited { by: Author::Fallback, change: Change::Dropped { messages } })
}

/// Every message of M_work as a block of its own, `msg_000123`.
fn archive_whole(session: &Session) -> Draft {
    let blocks: Vec<DraftBlock> = session
        .context()
        .work()
        .iter()
        .filter(|m| !matches!(m.kind, Kind::Status | Kind::Summary))
        .filter_map(|m| {
            let index = Index::new(&format!("msg_{:06}", m.id.0)).ok()?;
            Some(DraftBlock { index, content: None, extract: Extract::Spans(vec![Span { message: m.id, from: 0, to: m.text.len() }]) })
        })
        .collect();
    let summary = "Earlier messages were archived. Search them with ReadExperience(query).".to_owned();
    Draft { summary, blocks, kept: Vec::new() }
}

/// The archived block that matches a query best by BM25 (k1 = 1.2, b = 0.75); `None` when no word matches.
#[must_use]
pub(super) fn search<'a>(archive: &'a Archive, query: &str) -> Option<&'a Version> {
    let blocks: Vec<&Version> = archive.all().filter_map(|(_, v)| v.iter().rev().find(|v| !v.withdrawn)).collect();
    let words: Vec<Vec<String>> = blocks.iter().map(|v| terms(&v.block.content)).collect();
    let mean = words.iter().map(Vec::len).sum::<usize>() as f64 / words.len().max(1) as f64;
    let mut found_in: HashMap<&str, usize> = HashMap::new();
    let wanted = terms(query);
    for term in &wanted {
        let n = words.iter().filter(|w| w.contains(term)).count();
        found_in.insert(term, n);
    }
    let n = blocks.len() as f64;
    let score = |w: &[String]| -> f64 {
        wanted
            .iter()
            .map(|term| {
                let df = found_in.get(term.as_str()).copied().unwrap_or(0) as f64;
                let tf = w.iter().filter(|x| *x == term).count() as f64;
                let idf = ((n - df + 0.5) / (df + 0.5) + 1.0).ln();
                idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * w.len() as f64 / mean.max(1.0)))
            })
            .sum()
    };
    let best = blocks.into_iter().zip(&words).map(|(v, w)| (score(w), v)).filter(|(s, _)| *s > 0.0);
    best.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, v)| v)
}

fn terms(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
}
