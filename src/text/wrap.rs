//! One logical line into rows of a given width: at words where it can, hard where it must, and never more of the
//! line than asked for.
//!
//! A long line is cut into chunks that are wrapped each on its own, so that any place in it is reached without
//! wrapping what stands before. The price is one early line break per [`CHUNK`] bytes.

use std::ops::Range;

use unicode_segmentation::GraphemeCursor;

use super::piece::{LONGEST_CLUSTER, Pieces, Strictness, pieces_in};

/// Bytes that are wrapped in one go.
pub const CHUNK: usize = 16 * 1024;

/// The chunk of `line` that holds byte `at`: whole clusters, cut after a space where one is near.
///
/// Chunks tile the line: the end of one is the start of the next. `at` at the end of the line gives the last chunk.
#[must_use]
pub fn chunk(line: &str, at: usize) -> Range<usize> {
    if line.len() <= CHUNK {
        return 0..line.len();
    }
    let number = at.min(line.len().saturating_sub(1)) / CHUNK;
    // The border near n·CHUNK may lie on either side of it.
    let [before, lower, upper, after] = [number.saturating_sub(1), number, number + 1, number + 2].map(|n| border(line, n));
    let at = at.min(line.len().saturating_sub(1));
    if at < lower {
        before..lower
    } else if at < upper {
        lower..upper
    } else {
        upper..after
    }
}

/// Where chunk `number` starts.
fn border(line: &str, number: usize) -> usize {
    let Some(target) = number.checked_mul(CHUNK).filter(|&target| target < line.len()) else {
        return line.len();
    };
    if target == 0 {
        return 0;
    }
    let from = line.floor_char_boundary(target.saturating_sub(256));
    let to = line.floor_char_boundary(target);
    if let Some(space) = memchr::memrchr(b' ', &line.as_bytes()[from..to]) {
        let after = from + space + 1;
        if line[after..].chars().next().is_some_and(|c| c.is_ascii_graphic()) {
            return after;
        }
    }
    // No cluster that is kept whole is longer than this window.
    let window = &line[line.floor_char_boundary(to.saturating_sub(2 * LONGEST_CLUSTER))..line.ceil_char_boundary(to + LONGEST_CLUSTER)];
    let offset = line.floor_char_boundary(to.saturating_sub(2 * LONGEST_CLUSTER));
    let mut cursor = GraphemeCursor::new(to - offset, window.len(), true);
    match cursor.is_boundary(window, 0) {
        Ok(true) | Err(_) => to,
        Ok(false) => cursor.prev_boundary(window, 0).ok().flatten().map_or(to, |at| if at == 0 { to } else { offset + at }),
    }
}

/// Iterator over the rows of one chunk. See [`rows`].
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    line: &'a str,
    at: usize,
    end: usize,
    width: usize,
    first: bool,
}

/// The rows of `line[range]` at `width` columns, as byte ranges of `line` that tile `range`.
///
/// Lazy: each row costs its own length. A blank that does not fit hangs over the edge of the row it ends. An empty
/// range is one empty row. A width of 0 counts as 1; a piece wider than the row stands alone and is clipped by who
/// draws it.
#[must_use]
pub fn rows(line: &str, range: Range<usize>, width: usize) -> Rows<'_> {
    let end = line.floor_char_boundary(range.end);
    Rows { line, at: line.floor_char_boundary(range.start).min(end), end, width: width.max(1), first: true }
}

impl Iterator for Rows<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.at >= self.end {
            return std::mem::take(&mut self.first).then_some(self.at..self.end);
        }
        self.first = false;
        let start = self.at;
        let cut = row_end(pieces_in(self.line, start..self.end, 0, Strictness::Body), self.width).unwrap_or(self.end);
        self.at = cut;
        Some(start..cut)
    }
}

/// Where the row that starts with the first piece ends; none if all the rest fits.
fn row_end(pieces: Pieces<'_>, width: usize) -> Option<usize> {
    let start = pieces.at();
    let mut used = 0;
    // The last place at which a word ended.
    let mut good = None;
    for piece in pieces {
        used += piece.width;
        let blank = piece.is_blank();
        if used > width {
            let alone = piece.start == start;
            return Some(match good {
                _ if alone || (blank && used == width + 1) => piece.end,
                Some(good) => good,
                None => piece.start,
            });
        }
        if blank || piece.width == 2 {
            good = Some(piece.end);
        }
    }
    None
}

#[cfg(test)]
mod tests;
