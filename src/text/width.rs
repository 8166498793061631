//! Columns: measuring, cutting and padding text by what it takes on the screen, never by bytes or characters.
//!
//! Takes raw text and returns safe text ([`super::sanitize::line`] is applied on the way and changes nothing the
//! second time). Cost follows the columns asked for, not the length of the text: a name of 5 MB is cut at once.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::piece::{Piece, Shown, Strictness, pieces};

/// What stands for the part that was cut away. One column.
pub const ELLIPSIS: char = '…';

/// Columns that `text` takes when drawn as one line.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return text.len();
    }
    pieces(text, Strictness::Body).map(|piece| piece.width).sum()
}

/// `text` in at most `columns`, cut at the right with `…`.
///
/// ```
/// use memex::text::width::truncate;
/// assert_eq!(truncate("household", 6), "house…");
/// assert_eq!(truncate("한국어", 4), "한…");
/// ```
#[must_use]
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    let mut head = Vec::new();
    let mut used = 0;
    // The longest prefix that leaves a column for the ellipsis.
    let mut cut = 0;
    for piece in pieces(text, Strictness::Body) {
        used += piece.width;
        if used > columns {
            return Cow::Owned(if columns == 0 { String::new() } else { written(&head[..cut], Some(ELLIPSIS)) });
        }
        head.push(piece);
        if used < columns {
            cut = head.len();
        }
    }
    whole(text, &head)
}

/// `text` in at most `columns`, cut in the middle: both ends of a path or an index say more than its middle.
#[must_use]
pub fn truncate_middle(text: &str, columns: usize) -> Cow<'_, str> {
    let all: Vec<_> = pieces(text, Strictness::Body)
        .scan(0, |used, piece| {
            // One piece beyond the limit is enough to know that a cut is needed.
            let go_on = *used <= columns;
            *used += piece.width;
            go_on.then_some(piece)
        })
        .collect();
    if all.iter().map(|piece| piece.width).sum::<usize>() <= columns {
        return whole(text, &all);
    }
    if columns == 0 {
        return Cow::Owned(String::new());
    }
    let left = fitting(all.iter(), (columns - 1).div_ceil(2));
    let head = written(&all[..left.0], Some(ELLIPSIS));
    let tail = tail(text, columns - 1 - left.1);
    Cow::Owned(head + &tail)
}

/// `text` in exactly `columns`: cut or filled with spaces at the right.
#[must_use]
pub fn pad(text: &str, columns: usize) -> String {
    let mut out = truncate(text, columns).into_owned();
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(width(&out))));
    out
}

/// `text` in exactly `columns`, filled at the left: for numbers.
#[must_use]
pub fn pad_left(text: &str, columns: usize) -> String {
    let cut = truncate(text, columns);
    let mut out = " ".repeat(columns.saturating_sub(width(&cut)));
    out.push_str(&cut);
    out
}

/// The last pieces of `text` that fit in `columns`.
fn tail(text: &str, columns: usize) -> String {
    // No piece is longer than a cluster or narrower than a column, so this window holds all that can fit.
    let window = columns.saturating_mul(super::piece::LONGEST_CLUSTER).saturating_add(super::piece::LONGEST_CLUSTER);
    let from = text.ceil_char_boundary(text.len().saturating_sub(window));
    let all: Vec<_> = pieces(&text[from..], Strictness::Body).collect();
    let (count, _) = fitting(all.iter().rev(), columns);
    written(&all[all.len() - count..], None)
}

/// How many of the pieces fit, and the columns they take.
fn fitting<'a, 'b: 'a>(pieces: impl Iterator<Item = &'a Piece<'b>>, columns: usize) -> (usize, usize) {
    let mut used = 0;
    let mut count = 0;
    for piece in pieces {
        if used + piece.width > columns {
            break;
        }
        used += piece.width;
        count += 1;
    }
    (count, used)
}

fn whole<'a>(text: &'a str, all: &[Piece<'a>]) -> Cow<'a, str> {
    if all.iter().all(|piece| matches!(piece.shown, Shown::Text(_))) { Cow::Borrowed(text) } else { Cow::Owned(written(all, None)) }
}

fn written(pieces: &[Piece<'_>], last: Option<char>) -> String {
    let mut out = String::new();
    for piece in pieces {
        // Writing to a String cannot fail.
        let _ = write!(out, "{}", piece.shown);
    }
    out.extend(last);
    out
}

#[cfg(test)]
mod tests;
