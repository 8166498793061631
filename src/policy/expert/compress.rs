//! When the expert compresses, and with what call.

use serde_json::{Value, json};

use super::belief::Belief;
use super::notes::{PLACES, PLACES_HEADING, ROOM, WALK};
use super::sentence::Sentence;
use super::writing;
use crate::env::household::kind_of;
use crate::memory::anchor::{Anchors, Piece, Span, locate};
use crate::memory::tools::{COMPRESS, same_tool};
use crate::memory::{Context, Kind, Link, Message};

/// Fewest actions between two compressions when the status warns; more at the end of a part of the task.
const ACTS_WARNED: usize = 2;
const ACTS_BETWEEN: usize = 4;

/// W at which tidying up pays in any case, tokens: about twice what a summary and the listing read back take.
const WORTH: u64 = 600;

/// Whether now is the time: W above 0.8 τ, or a part of the task is done and W is worth it (at most a quarter of τ).
pub(super) fn is_due(b: &Belief) -> bool {
    let near = u128::from(b.working) * 5 > u128::from(b.threshold) * 4;
    let worth = b.working > (b.threshold / 4).min(WORTH);
    (near && b.acts >= ACTS_WARNED) || (worth && b.acts >= ACTS_BETWEEN && ends_a_part(b))
}

/// A wanted thing was picked up, treated or put down just now.
fn ends_a_part(b: &Belief) -> bool {
    let Some(goal) = &b.goal else { return false };
    match &b.last {
        Some(Sentence::Took { object, .. } | Sentence::Moved { object, .. } | Sentence::Treated { object, .. }) => {
            kind_of(object) == goal.object()
        }
        _ => false,
    }
}

/// The arguments of the call.
///
/// `next` says what comes next. Without blocks (the summary-only baseline), the summary has the sights itself.
pub(super) fn arguments(context: &Context, b: &Belief, next: &str, with_blocks: bool) -> Value {
    let mut summary = writing::status(b, next);
    if !with_blocks {
        if let Some(room) = listing(context).or_else(|| room_sentence(b)) {
            summary += &format!("{room}\n");
        }
        summary += &writing::places(b);
        return json!({ "summary": summary });
    }
    let round = 1 + b.stored.iter().filter_map(|i| i.as_str().strip_prefix(PLACES)?.parse::<u32>().ok()).max().unwrap_or(0);
    let (mut blocks, mut map) = (Vec::new(), Vec::new());
    let is_stored = |name: &str| b.stored.iter().any(|i| i.as_str() == name);
    // After a call that was refused, nothing that could be refused again.
    let pieces = if b.failed_compressions == 0 { pieces(context) } else { Vec::new() };
    if is_stored(ROOM) {
        map.push((ROOM.to_owned(), "every place of this room, word for word".to_owned()));
    } else if let Some(text) = listing(context) {
        let message = pieces.iter().find(|p| p.text.contains(&text)).map(|p| p.message);
        let found = anchors_in(&text).filter(|a| locate(&pieces, a).is_ok_and(|s| s.len() == 1 && s.first().map(|s| s.message) == message));
        blocks.push(match found {
            Some(anchors) => anchored(ROOM, &anchors),
            None => json!({"db_index": ROOM, "db_content": text}),
        });
        map.push((ROOM.to_owned(), "every place of this room, word for word".to_owned()));
    }
    // What was read back is in the new block; what was not, keeps its line.
    for (index, description) in b.map.iter().filter(|(i, _)| i.as_str() != ROOM) {
        let folded = index.as_str().starts_with(PLACES) && b.read.contains(index);
        if !folded {
            map.push((index.to_string(), description.clone()));
        }
    }
    let places = format!("{PLACES}{round}");
    blocks.push(json!({"db_index": places, "db_content": format!("{PLACES_HEADING}\n{}", writing::places(b))}));
    map.push((places, format!("what I saw in {} places", b.seen.len())));
    if let Some((anchors, from, to)) = walk(context, &pieces) {
        let index = format!("{WALK}{round}");
        blocks.push(anchored(&index, &anchors));
        map.push((index, format!("steps {from} to {to}, word for word")));
    }
    summary += "Index map:";
    for (index, description) in map {
        summary += &format!("\n- {index} - {description}");
    }
    json!({"summary": summary, "db_blocks": blocks})
}

fn anchored(index: &str, anchors: &Anchors) -> Value {
    json!({"db_index": index, "start_anchor": anchors.start, "mid_anchor": anchors.mid, "end_anchor": anchors.end})
}

fn room_sentence(b: &Belief) -> Option<String> {
    let places = b.room.as_ref().filter(|_| !b.room_is_fixed)?;
    let list = places.iter().map(|p| format!("a {p}")).collect::<Vec<_>>().join(", ");
    Some(format!("You are in the middle of a room. Looking quickly around you, you see {list}."))
}

/// The room listing, where an observation of M_work has it.
fn listing(context: &Context) -> Option<String> {
    let lines = context.work().iter().filter(|m| m.kind == Kind::Observation).flat_map(|m| m.text.lines());
    lines.filter(|l| matches!(Sentence::parse(l), Some(Sentence::Room(places)) if !places.is_empty())).map(str::to_owned).next()
}

/// What anchors search: M_work without refused compressions and what was said of them.
fn pieces(context: &Context) -> Vec<Piece<'_>> {
    let compressing =
        |id: &str| context.work().iter().any(|m| matches!(&m.link, Link::Call(c) if *c.id == *id && same_tool(&c.name, COMPRESS)));
    let concerns = |m: &Message| match &m.link {
        Link::Call(call) => same_tool(&call.name, COMPRESS),
        _ => m.answers().is_some_and(|id| compressing(id)),
    };
    context.work().iter().filter(|m| !concerns(m)).map(|m| Piece { message: m.id, text: &m.text }).collect()
}

/// Start, middle and end of one text.
fn anchors_in(text: &str) -> Option<Anchors> {
    let cut = |from: usize, to: usize| text.get(floor(text, from)..floor(text, to)).map(str::to_owned);
    let length = text.len();
    let reach = (length / 4).clamp(1, 72);
    Some(Anchors { start: cut(0, reach)?, mid: cut(length / 2, length / 2 + reach.min(32))?, end: cut(length - reach.min(48), length)? })
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// Anchors of everything since σ, and the steps it spans.
fn walk(context: &Context, pieces: &[Piece<'_>]) -> Option<(Anchors, u32, u32)> {
    let told: Vec<&Message> = context
        .work()
        .iter()
        .map(|m| &**m)
        .filter(|m| matches!(m.kind, Kind::Thinking | Kind::Observation) && pieces.iter().any(|p| p.message == m.id))
        .collect();
    let last = told.iter().rev().find(|m| m.kind == Kind::Observation)?;
    let before = told.iter().rev().filter(|m| m.id < last.id);
    // Mids near the end, so that the end can only be the last observation; starts near the beginning.
    for mid in before.take(4) {
        for start in told.iter().take(6).filter(|m| m.id < mid.id) {
            let anchors = Anchors { start: start.text.to_string(), mid: mid.text.to_string(), end: last.text.to_string() };
            let whole = |spans: &Vec<Span>| {
                spans.first().is_some_and(|s| s.message == start.id && s.from == 0)
                    && spans.last().is_some_and(|s| s.message == last.id && s.to == last.text.len())
            };
            if locate(pieces, &anchors).is_ok_and(|spans| whole(&spans)) {
                return Some((anchors, start.step, last.step));
            }
        }
    }
    None
}

/// The thought that goes with a compression.
pub(super) fn thought(b: &Belief) -> String {
    let share = b.working.saturating_mul(100).checked_div(b.threshold).unwrap_or(100);
    if ends_a_part(b) {
        format!(
            "A part of the task is done, so this is a good moment to tidy up: my context is at {share} % of its threshold. \
             I keep where I stand and what I hold, and archive the places and what I saw, so that I can read them back."
        )
    } else {
        format!(
            "My context is at {share} % of its threshold. I archive the places and what I saw in them now, while I still have the words, \
             and go on with a short summary."
        )
    }
}
