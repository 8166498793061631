//! ReadExperience: how a block enters M, lines 16–17 of Algorithm 1.
//!
//! A block that fits enters as it is, byte for byte. One that does not enters in parts of a fixed
//! size: part 1 is its head with a taste of its tail, part n the n-th slice. Parts depend on the
//! window and the block alone, so a read is repeatable.

use std::sync::Arc;

use super::wording;
use crate::memory::{Index, Version};
use crate::session::{Author, Read, Session};
use crate::text::tokens::TokenCounter;

/// Room kept free for the answer, as a share of the window.
const ANSWER_SHARE: u64 = 8;

/// Plans a read of a version.
///
/// # Errors
/// A sentence for the agent when the part does not exist or the window has no room for it.
pub fn plan(
    session: &Session,
    version: &Version,
    part: u32,
    by: Author,
    call: Option<Arc<str>>,
    counter: &dyn TokenCounter,
) -> Result<Read, String> {
    let block = &version.block;
    let read = |part, ranges, frame: Vec<String>, tokens| Read {
        by,
        call: call.clone(),
        index: block.index.clone(),
        version: block.version,
        part,
        ranges,
        frame: frame.into_iter().map(Arc::from).collect(),
        tokens,
    };
    let whole = || Ok(read(1, vec![(0, block.content.len())], vec![String::new(), String::new()], version.tokens));
    let Some(window) = session.started().and_then(|s| s.config.window) else {
        return if part == 1 { whole() } else { Err(wording::no_part(block.index.as_str(), part, 1)) };
    };
    let left = window.saturating_sub(session.context().total()).saturating_sub(window / ANSWER_SHARE);
    let size = u32::try_from(window / 4).unwrap_or(u32::MAX).max(1);
    if version.tokens <= size {
        return match part {
            1 if u64::from(version.tokens) <= left => whole(),
            1 => Err(wording::no_room(block.index.as_str(), u64::from(version.tokens), left)),
            _ => Err(wording::no_part(block.index.as_str(), part, 1)),
        };
    }
    if part == 1 && u64::from(version.tokens) <= left {
        return whole();
    }
    let slices = slices(&block.content, size, counter);
    let parts = u32::try_from(slices.len()).unwrap_or(u32::MAX);
    let Some(&(from, to)) = part.checked_sub(1).and_then(|n| slices.get(n as usize)) else {
        return Err(wording::no_part(block.index.as_str(), part, parts));
    };
    let total = block.content.len();
    let head = format!("[{}: part {part} of {parts}, bytes {from}–{to} of {total}]\n", block.index);
    let (ranges, frame) = if part == 1 && parts > 1 {
        let tail = tail(&block.content, to, size / 8, counter);
        let gap = format!("\n[… bytes {to}–{tail} are left out here; read {} next …]\n", next(&block.index, 2));
        (vec![(from, to), (tail, total)], vec![head, gap, String::new()])
    } else {
        let end = if part < parts { format!("\n[goes on in {}]", next(&block.index, part + 1)) } else { "\n[end of the block]".into() };
        (vec![(from, to)], vec![head, end])
    };
    let mut planned = read(part, ranges, frame, 0);
    let text = crate::session::read_text(session.archive(), &planned).unwrap_or_default();
    planned.tokens = counter.count(&text);
    if u64::from(planned.tokens) > left {
        Err(wording::no_room(block.index.as_str(), u64::from(planned.tokens), left))
    } else {
        Ok(planned)
    }
}

fn next(index: &Index, part: u32) -> String {
    format!("\"{index}#{part}\"")
}

/// Byte ranges of `size` tokens each that make up the text.
fn slices(text: &str, size: u32, counter: &dyn TokenCounter) -> Vec<(usize, usize)> {
    let (mut at, mut list) = (0, Vec::new());
    while let Some(rest) = text.get(at..).filter(|r| !r.is_empty()) {
        // Only as much as could fit is looked at: no token is longer than this many bytes on average.
        let bound = (size as usize).saturating_mul(64).min(rest.len());
        let bound = (0..=bound).rev().find(|&i| rest.is_char_boundary(i)).unwrap_or(rest.len());
        let window = rest.get(..bound).unwrap_or(rest);
        let one = rest.chars().next().map_or(1, char::len_utf8);
        let len = counter.prefix(window, size).max(one);
        list.push((at, at + len));
        at += len;
    }
    list
}

/// Where the last `size` tokens of the text begin, not before `after`.
fn tail(text: &str, after: usize, size: u32, counter: &dyn TokenCounter) -> usize {
    let rest = text.get(after..).unwrap_or("");
    let mut from = after + rest.len().saturating_sub(size as usize * 4);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    // Four bytes a token is an estimate; halve until it fits.
    while from < text.len() && text.get(from..).is_some_and(|t| counter.count(t) > size) {
        from += (text.len() - from) / 2 + 1;
        while !text.is_char_boundary(from) {
            from += 1;
        }
    }
    from.min(text.len())
}
