//! Three-anchor extraction: a verbatim span of M named by its start, middle and end (§3.2).
//!
//! Exact match only. A start is *possible* when the mid follows it and the end follows that mid,
//! none overlapping the one before. Exactly one start must be possible; the span runs from it
//! through the first mid after it to the first end after that mid. Anchors never match across
//! messages, spans may.

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use super::MessageId;

/// Hits are counted up to here; beyond, "more than" is said. Keeps the search linear on hostile text.
pub const COUNT_LIMIT: usize = 1000;

/// How many candidate positions an error lists.
const LISTED: usize = 8;

/// A byte range of one message's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The message.
    pub message: MessageId,
    /// First byte.
    pub from: usize,
    /// One past the last byte.
    pub to: usize,
}

/// The three anchors of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchors {
    /// Text at which the span begins.
    pub start: String,
    /// Text inside the span.
    pub mid: String,
    /// Text with which the span ends.
    pub end: String,
}

/// One searchable text.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The message it is the text of.
    pub message: MessageId,
    /// Its text.
    pub text: &'a str,
}

/// Where an anchor was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The message.
    pub message: MessageId,
    /// Byte offset in its text.
    pub at: usize,
}

/// Which anchor an error speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// start_anchor
    Start,
    /// mid_anchor
    Mid,
    /// end_anchor
    End,
}

impl Which {
    /// The argument's name in the call.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start_anchor",
            Self::Mid => "mid_anchor",
            Self::End => "end_anchor",
        }
    }
}

/// Why three anchors name no span; written so that the model can repair its call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnchorError {
    /// Empty, or nothing but white space.
    #[error("{} is blank", .0.name())]
    Blank(Which),
    /// All three are the same text.
    #[error("start_anchor, mid_anchor and end_anchor are the same text; they must name three places")]
    Same,
    /// No hit at all, or none behind the anchor before it.
    #[error("{} was found {} in the context, {} where it is needed (after {}){}", .which.name(), times(*.hits), if *.hits == 0 { "and so not" } else { "but never" }, .after, longest(.prefix))]
    Missing {
        /// Which anchor.
        which: Which,
        /// Hits in all of the searched text.
        hits: usize,
        /// What it must stand behind, in words.
        after: &'static str,
        /// Its longest prefix that does occur, when the anchor itself does not.
        prefix: Option<String>,
    },
    /// More than one possible start.
    #[error("start_anchor is ambiguous: {} places can start the span ({}); make it longer", times(*.starts), places(.positions))]
    Ambiguous {
        /// Number of possible starts.
        starts: usize,
        /// The first of them.
        positions: Vec<Position>,
    },
}

fn times(n: usize) -> String {
    if n > COUNT_LIMIT { format!("more than {COUNT_LIMIT} times") } else { format!("{n} times") }
}

fn longest(prefix: &Option<String>) -> String {
    match prefix {
        None => String::new(),
        Some(p) if p.is_empty() => "; not even its first character occurs".to_owned(),
        Some(p) => format!("; the longest beginning of it that does occur is {p:?}"),
    }
}

fn places(positions: &[Position]) -> String {
    let list: Vec<_> = positions.iter().map(|p| format!("message {} byte {}", p.message.0, p.at)).collect();
    list.join(", ")
}

/// A place in the searched pieces: (piece, byte).
type Place = (usize, usize);

/// Finds the span that the anchors name; one part a message.
///
/// # Errors
/// [`AnchorError`] says which anchor fails, how often it was found, and what to change.
pub fn locate(pieces: &[Piece<'_>], anchors: &Anchors) -> Result<Vec<Span>, AnchorError> {
    for (which, text) in [(Which::Start, &anchors.start), (Which::Mid, &anchors.mid), (Which::End, &anchors.end)] {
        if text.trim().is_empty() {
            return Err(AnchorError::Blank(which));
        }
    }
    if anchors.start == anchors.mid && anchors.mid == anchors.end {
        return Err(AnchorError::Same);
    }
    let start = Finder::new(&anchors.start);
    let mid = Finder::new(&anchors.mid);
    let end = Finder::new(&anchors.end);

    let starts = hits(pieces, &start);
    let Some(&first) = starts.first() else {
        return Err(missing(pieces, Which::Start, &anchors.start, "nothing"));
    };
    let reach = |from: Place| -> Result<Place, Which> {
        let after_start = (from.0, from.1 + anchors.start.len());
        let m = next(pieces, &mid, after_start).ok_or(Which::Mid)?;
        let e = next(pieces, &end, (m.0, m.1 + anchors.mid.len())).ok_or(Which::End)?;
        Ok((e.0, e.1 + anchors.end.len()))
    };
    let to = reach(first).map_err(|which| match which {
        Which::End => missing(pieces, which, &anchors.end, "start_anchor and then mid_anchor"),
        _ => missing(pieces, Which::Mid, &anchors.mid, "start_anchor"),
    })?;
    // If a start is possible then every earlier one is: the number of possible ones is a partition point.
    let possible = starts.partition_point(|&s| reach(s).is_ok());
    if possible > 1 {
        let positions = starts
            .iter()
            .take(possible.min(LISTED))
            .filter_map(|&(p, at)| Some(Position { message: pieces.get(p)?.message, at }))
            .collect();
        return Err(AnchorError::Ambiguous { starts: possible, positions });
    }
    Ok(spans(pieces, first, to))
}

/// Number of places where `text` occurs, overlapping ones counted, and the first of them.
#[must_use]
pub fn occurrences(pieces: &[Piece<'_>], text: &str) -> (usize, Vec<Position>) {
    let found = hits(pieces, &Finder::new(text));
    let list = found.iter().take(LISTED).filter_map(|&(p, at)| Some(Position { message: pieces.get(p)?.message, at })).collect();
    (found.len(), list)
}

/// All hits, overlapping ones too, up to one more than [`COUNT_LIMIT`].
fn hits(pieces: &[Piece<'_>], finder: &Finder<'_>) -> Vec<Place> {
    let mut found = Vec::new();
    for (n, piece) in pieces.iter().enumerate() {
        let mut from = 0;
        while let Some(at) = piece.text.as_bytes().get(from..).and_then(|t| finder.find(t)) {
            found.push((n, from + at));
            if found.len() > COUNT_LIMIT {
                return found;
            }
            from += at + 1;
        }
    }
    found
}

fn next(pieces: &[Piece<'_>], finder: &Finder<'_>, from: Place) -> Option<Place> {
    pieces.iter().enumerate().skip(from.0).find_map(|(n, piece)| {
        let skip = if n == from.0 { from.1 } else { 0 };
        finder.find(piece.text.as_bytes().get(skip..)?).map(|at| (n, skip + at))
    })
}

fn missing(pieces: &[Piece<'_>], which: Which, anchor: &str, after: &'static str) -> AnchorError {
    let hits = hits(pieces, &Finder::new(anchor)).len();
    AnchorError::Missing { which, hits, after, prefix: (hits == 0).then(|| longest_prefix(pieces, anchor).to_owned()) }
}

/// The longest prefix of `anchor` that occurs somewhere. Occurrence is monotone in length: bisect.
fn longest_prefix<'a>(pieces: &[Piece<'_>], anchor: &'a str) -> &'a str {
    let ends: Vec<usize> = anchor.char_indices().map(|(i, c)| i + c.len_utf8()).collect();
    let occurs = |end: usize| anchor.get(..end).is_some_and(|p| next(pieces, &Finder::new(p), (0, 0)).is_some());
    let n = ends.partition_point(|&end| occurs(end));
    n.checked_sub(1).and_then(|i| ends.get(i)).and_then(|&end| anchor.get(..end)).unwrap_or("")
}

fn spans(pieces: &[Piece<'_>], from: Place, to: Place) -> Vec<Span> {
    let inside = pieces.iter().enumerate().skip(from.0).take(to.0 - from.0 + 1);
    inside
        .map(|(n, piece)| Span {
            message: piece.message,
            from: if n == from.0 { from.1 } else { 0 },
            to: if n == to.0 { to.1 } else { piece.text.len() },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn anchors(start: &str, mid: &str, end: &str) -> Anchors {
        Anchors { start: start.into(), mid: mid.into(), end: end.into() }
    }
    fn pieces<'a>(texts: &[&'a str]) -> Vec<Piece<'a>> {
        texts.iter().enumerate().map(|(n, text)| Piece { message: MessageId(n as u64), text }).collect()
    }
    fn run(texts: &[&str], s: &str, m: &str, e: &str) -> Result<Vec<(u64, usize, usize)>, AnchorError> {
        locate(&pieces(texts), &anchors(s, m, e)).map(|v| v.iter().map(|s| (s.message.0, s.from, s.to)).collect())
    }

    #[test]
    fn the_shortest_span_from_the_only_start() {
        assert_eq!(run(&["xx AA b MM c ZZ d ZZ"], "AA", "MM", "ZZ").unwrap(), [(0, 3, 15)]);
        // Several mids and ends do not matter, several starts of which one is possible neither.
        assert_eq!(run(&["AA MM MM ZZ ZZ AA"], "AA", "MM", "ZZ").unwrap(), [(0, 0, 11)]);
    }

    #[test]
    fn spans_may_cross_messages_but_anchors_may_not() {
        assert_eq!(run(&["a START b", "mid MID mid", "c END d"], "START", "MID", "END").unwrap(), [(0, 2, 9), (1, 0, 11), (2, 0, 5)]);
        assert!(matches!(run(&["STA", "RT MID END"], "START", "MID", "END"), Err(AnchorError::Missing { which: Which::Start, .. })));
    }

    #[test]
    fn two_possible_starts_are_ambiguous_with_their_positions() {
        let Err(AnchorError::Ambiguous { starts, positions }) = run(&["AA x", "AA MM ZZ"], "AA", "MM", "ZZ") else {
            unreachable!("two starts can reach the end")
        };
        assert_eq!(starts, 2);
        assert_eq!(positions, [Position { message: MessageId(0), at: 0 }, Position { message: MessageId(1), at: 0 }]);
    }

    #[test]
    fn overlapping_starts_count() {
        assert!(matches!(run(&["aaa M Z"], "aa", "M", "Z"), Err(AnchorError::Ambiguous { starts: 2, .. })));
    }

    #[test]
    fn blank_and_equal_anchors() {
        assert_eq!(run(&["abc"], "", "b", "c"), Err(AnchorError::Blank(Which::Start)));
        assert_eq!(run(&["abc"], "a", "  \n", "c"), Err(AnchorError::Blank(Which::Mid)));
        assert_eq!(run(&["abc"], "a", "b", "\t"), Err(AnchorError::Blank(Which::End)));
        assert_eq!(run(&["x x x"], "x", "x", "x"), Err(AnchorError::Same));
    }

    #[test]
    fn what_is_missing_and_the_longest_prefix_that_hits() {
        let text = &["def parse(line):\n    return line.split()"];
        let Err(AnchorError::Missing { which, hits, prefix, .. }) = run(text, "def parse(text)", "return", "split") else {
            unreachable!("no such text")
        };
        assert_eq!((which, hits, prefix.as_deref()), (Which::Start, 0, Some("def parse(")));
        // Only with other white space: not folded.
        assert!(matches!(run(text, "def parse", "return  line", "split"), Err(AnchorError::Missing { which: Which::Mid, hits: 0, .. })));
        // There, but before the start.
        assert!(matches!(run(&["END START MID"], "START", "MID", "END"), Err(AnchorError::Missing { which: Which::End, hits: 1, .. })));
        assert!(matches!(run(&["MID START END"], "START", "MID", "END"), Err(AnchorError::Missing { which: Which::Mid, hits: 1, .. })));
        // Mid only behind the end.
        assert!(matches!(run(&["START END MID"], "START", "MID", "END"), Err(AnchorError::Missing { which: Which::End, hits: 1, .. })));
        let e = run(text, "语", "return", "split").unwrap_err();
        assert!(e.to_string().contains("start_anchor") && e.to_string().contains("0 times"), "{e}");
    }

    #[test]
    fn hostile_repetition_stays_linear() {
        let text = "a".repeat(1_000_000);
        let e = run(&[&text], &"a".repeat(5_000), "b", "c").unwrap_err();
        assert!(matches!(e, AnchorError::Missing { which: Which::Mid, hits: 0, .. }), "{e}");
        let e = run(&[&text], "a", "aa", "aaa").unwrap_err();
        assert!(e.to_string().contains("more than 1000"), "{e}");
    }

    /// The rule, by brute force.
    fn brute(text: &str, s: &str, m: &str, e: &str) -> Option<(usize, usize)> {
        let at = |needle: &str, from: usize| (from..=text.len()).find(|&i| text.as_bytes()[i..].starts_with(needle.as_bytes()));
        let possible: Vec<(usize, usize)> = (0..text.len())
            .filter(|&i| text.as_bytes()[i..].starts_with(s.as_bytes()))
            .filter_map(|i| {
                let mi = at(m, i + s.len())?;
                let ei = at(e, mi + m.len())?;
                Some((i, ei + e.len()))
            })
            .collect();
        (possible.len() == 1).then(|| possible[0])
    }

    proptest! {
        #[test]
        fn equals_brute_force(text in "[ab]{0,40}", s in "[ab]{1,3}", m in "[ab]{1,3}", e in "[ab]{1,3}") {
            prop_assume!(!(s == m && m == e));
            let found = run(&[&text], &s, &m, &e).ok().map(|v| (v[0].1, v[0].2));
            prop_assert_eq!(found, brute(&text, &s, &m, &e));
        }
    }
}
