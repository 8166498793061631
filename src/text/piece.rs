//! A line taken apart into the pieces that are drawn: each knows the bytes it came from and the columns it takes.
//!
//! Everything that draws, measures, wraps or prints foreign text walks these pieces, so that what is measured is what
//! is drawn. Cost per piece is bounded: a cluster is never looked at beyond [`LONGEST_CLUSTER`] bytes.
//! Knows no lines (the caller splits at `\n`) and no screen.

use std::fmt::{self, Write as _};
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::hidden::{self, EMOJI_FORM, JOINER, TEXT_FORM};

/// Columns between two tab stops.
pub const TAB_STOP: usize = 8;
/// Bytes of one grapheme cluster that are kept together; the rest of a longer one is shown as placeholders.
pub const LONGEST_CLUSTER: usize = 96;
/// Combining marks kept on one base. Real writing systems need fewer; a stack of hundreds covers its neighbours.
const MOST_MARKS: usize = 8;
/// The three emoji that are spelled with tag characters (flags of England, Scotland, Wales).
const TAG_FLAGS: [&str; 3] = [
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// How strictly a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// A name: two different ones never look the same through hidden characters or blanks. Tabs, odd spaces, and the
    /// very characters that stand for hidden ones are spelled out. Not idempotent.
    Name,
    /// Running text: tabs are expanded, odd spaces are spaces. Showing it twice changes nothing.
    Body,
}

/// What is drawn for one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown<'a> {
    /// The text itself: one grapheme cluster.
    Text(&'a str),
    /// The picture of a control character, as `␛`.
    Picture(char),
    /// A character that cannot be seen, spelled as `⟨U+202E⟩`.
    Placeholder(char),
    /// A tab: this many spaces.
    Tab(usize),
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Text(text) => f.write_str(text),
            Self::Picture(picture) => f.write_char(picture),
            Self::Placeholder(c) => write!(f, "⟨U+{:04X}⟩", c as u32),
            Self::Tab(columns) => write!(f, "{:columns$}", ""),
        }
    }
}

/// One piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// First byte in the line.
    pub start: usize,
    /// First byte after it.
    pub end: usize,
    /// What is drawn.
    pub shown: Shown<'a>,
    /// Columns it takes, ≥ 1.
    pub width: usize,
}

impl Piece<'_> {
    /// The bytes of the line it stands for.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether it draws only blanks.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        match self.shown {
            Shown::Tab(_) => true,
            Shown::Text(text) => text.chars().all(char::is_whitespace),
            _ => false,
        }
    }
}

/// Columns of one grapheme cluster, as ratatui counts them.
pub(super) fn cluster_width(cluster: &str) -> usize {
    // Halfwidth sound marks take a column of their own on terminals, whatever their property says.
    let marks = cluster.chars().filter(|c| matches!(c, '\u{FF9E}' | '\u{FF9F}')).count();
    UnicodeWidthStr::width(cluster) + marks
}

/// Iterator over the [`Piece`]s of a line. See [`pieces`].
#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    line: &'a str,
    at: usize,
    end: usize,
    column: usize,
    strictness: Strictness,
}

/// The pieces of a whole line. `\n` is shown as a picture: split before.
#[must_use]
pub fn pieces(line: &str, strictness: Strictness) -> Pieces<'_> {
    pieces_in(line, 0..line.len(), 0, strictness)
}

/// The pieces of `line[range]`, the first of which is drawn at `column` (tab stops count from column 0).
///
/// Both ends are moved down to a character boundary within the line.
#[must_use]
pub fn pieces_in(line: &str, range: Range<usize>, column: usize, strictness: Strictness) -> Pieces<'_> {
    let end = line.floor_char_boundary(range.end);
    Pieces { line, at: line.floor_char_boundary(range.start).min(end), end, column, strictness }
}

impl<'a> Pieces<'a> {
    /// Byte at which the next piece starts.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Column at which the next piece is drawn.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    fn take(&mut self, bytes: usize, shown: Shown<'a>, width: usize) -> Piece<'a> {
        let start = self.at;
        self.at += bytes;
        self.column += width;
        Piece { start, end: self.at, shown, width }
    }

    /// Anything that is not plain ASCII before plain ASCII.
    fn hard(&mut self, rest: &'a str) -> Option<Piece<'a>> {
        let first = rest.chars().next()?;
        let size = first.len_utf8();
        if first == '\t' && self.strictness == Strictness::Body {
            let columns = TAB_STOP - self.column % TAB_STOP;
            return Some(self.take(size, Shown::Tab(columns), columns));
        }
        if let Some(picture) = hidden::picture(first) {
            return Some(self.take(size, Shown::Picture(picture), 1));
        }
        let lone = || cluster_width(&rest[..size]) == 0 && hidden::joins_before(first);
        if hidden::is_hidden(first) || first.is_control() || lone() {
            return Some(self.take(size, Shown::Placeholder(first), placeholder_width(first)));
        }
        let window = &rest[..rest.floor_char_boundary(LONGEST_CLUSTER)];
        let cluster = window.graphemes(true).next()?;
        if TAG_FLAGS.contains(&cluster) {
            return Some(self.take(cluster.len(), Shown::Text(cluster), cluster_width(cluster).max(1)));
        }
        let kept = &cluster[..kept_prefix(cluster, rest, self.strictness)];
        let width = cluster_width(kept);
        if width == 0 {
            return Some(self.take(size, Shown::Placeholder(first), placeholder_width(first)));
        }
        Some(self.take(kept.len(), Shown::Text(kept), width))
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let rest = self.line.get(self.at..self.end)?;
        let bytes = rest.as_bytes();
        let (&first, next) = (bytes.first()?, bytes.get(1));
        if matches!(first, b' '..=b'~') && next.is_none_or(u8::is_ascii) {
            return Some(self.take(1, Shown::Text(&rest[..1]), 1));
        }
        if let Some(cluster) = plain_letter(rest) {
            return Some(self.take(cluster.len(), Shown::Text(cluster), 1));
        }
        if let Some(cluster) = plain_wide(rest) {
            return Some(self.take(cluster.len(), Shown::Text(cluster), 2));
        }
        self.hard(rest)
    }
}

/// A Latin, Greek or Cyrillic letter of two bytes before another one, before ASCII or before the end: one column, and
/// nothing can join it.
fn plain_letter(rest: &str) -> Option<&str> {
    let letter = |byte: &u8| matches!(byte, 0xC3..=0xCB | 0xCE..=0xD1 | 0xD3);
    let (this, next) = rest.as_bytes().split_at_checked(2)?;
    let alone = next.first().is_none_or(|next| next.is_ascii() || letter(next));
    (this.first().is_some_and(letter) && alone).then(|| &rest[..2])
}

/// A CJK character before another one, before ASCII or before the end: two columns, and nothing can join it.
fn plain_wide(rest: &str) -> Option<&str> {
    let wide = |bytes: &[u8]| match bytes {
        [0xE4, 0xB8..=0xBF, _, ..] | [0xE5..=0xE8, _, _, ..] | [0xE9, 0x80..=0xBE, _, ..] => true,
        [0xE3, 0x81, second, ..] => *second >= 0x81,
        [0xEB | 0xEC, _, _, ..] | [0xEA, 0xB0..=0xBF, _, ..] => true,
        _ => false,
    };
    let (this, next) = rest.as_bytes().split_at_checked(3)?;
    (wide(this) && (next.first().is_none_or(u8::is_ascii) || wide(next))).then(|| &rest[..3])
}

/// Columns of `⟨U+XXXX⟩`.
fn placeholder_width(c: char) -> usize {
    let digits = (c as u32).checked_ilog(16).unwrap_or(0) as usize + 1;
    4 + digits.max(4)
}

/// How many bytes of a cluster may be drawn as they are; 0 if not even its first character may.
fn kept_prefix(cluster: &str, rest: &str, strictness: Strictness) -> usize {
    let mut marks = 0;
    // What a joiner or selector would attach to: the last visible character.
    let mut base = None;
    for (at, c) in cluster.char_indices() {
        let after = cluster[at + c.len_utf8()..].chars().next();
        let allowed = match (c, base) {
            (_, None) => may_stand_first(c, rest, strictness),
            (JOINER, Some(base)) => hidden::is_pictographic(base) && after.is_some_and(hidden::is_pictographic),
            (EMOJI_FORM | TEXT_FORM, Some(base)) if cluster[..at].ends_with(base) => selector_stays(c, base, strictness),
            (_, Some(_)) => !c.is_control() && !hidden::is_hidden(c) && !hidden::is_picture(c),
        };
        if !allowed {
            return at;
        }
        let selects = matches!(c, JOINER | EMOJI_FORM | TEXT_FORM | '\u{1F3FB}'..='\u{1F3FF}');
        if base.is_some() && !selects && cluster_width(c.encode_utf8(&mut [0; 4])) == 0 {
            marks += 1;
            if marks > MOST_MARKS {
                return at;
            }
        } else if !selects || base.is_none() {
            base = Some(c);
        }
    }
    cluster.len()
}

fn may_stand_first(c: char, rest: &str, strictness: Strictness) -> bool {
    let readable = !c.is_control() && !hidden::is_hidden(c);
    match strictness {
        Strictness::Body => readable,
        Strictness::Name => {
            // What looks like a placeholder must be one.
            let imitates = hidden::is_picture(c) || rest.starts_with("⟨U+");
            readable && !hidden::is_blank(c) && !imitates
        }
    }
}

/// Whether a variation selector right after `base` changes how it is drawn, and may stay.
fn selector_stays(selector: char, base: char, strictness: Strictness) -> bool {
    if !hidden::takes_emoji_form(base) {
        return false;
    }
    let narrow = cluster_width(base.encode_utf8(&mut [0; 4])) == 1;
    match (selector, strictness) {
        (EMOJI_FORM, Strictness::Name) => narrow,
        (EMOJI_FORM, Strictness::Body) => narrow || hidden::is_pictographic(base),
        // The text form of a wide emoji is drawn wide by some terminals and narrow by others: borders would break.
        (_, Strictness::Body) => narrow,
        (_, Strictness::Name) => false,
    }
}
