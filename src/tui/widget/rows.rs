//! The rows that a document has at a width, known only where somebody looks.
//!
//! A row is named by its line and the byte of the line at which it starts, so that no count of all rows before it is
//! needed, and a change of width can find the place again.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::document::Document;
use crate::text::piece::{Strictness, pieces_in};
use crate::text::wrap::{self, CHUNK, rows};

/// Where a row starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// Line, from 0.
    pub line: usize,
    /// Byte of the line; 0 where lines are not wrapped.
    pub byte: usize,
}

/// Most chunks kept wrapped.
const KEPT: usize = 64;

/// Rows of long lines that were wrapped once, and columns of long lines that were measured once.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// Columns to wrap at; none where lines are not wrapped.
    width: Option<usize>,
    wrapped: HashMap<(usize, usize), Arc<[usize]>>,
    /// Of a long line: (byte, column) at the start of each chunk as far as measured.
    measured: HashMap<usize, Vec<(usize, usize)>>,
}

impl Rows {
    /// Forgets what holds no longer when the width changes.
    pub(super) fn set_width(&mut self, width: Option<usize>) {
        if self.width != width {
            self.width = width;
            self.wrapped.clear();
        }
    }

    /// Forgets everything: another text.
    pub(super) fn clear(&mut self) {
        self.wrapped.clear();
        self.measured.clear();
    }

    /// Starts of the rows in the chunk of `line` that holds `byte`, and the chunk.
    fn starts(&mut self, document: &Document, line: usize, byte: usize, width: usize) -> (Range<usize>, Arc<[usize]>) {
        let text = document.line(line);
        let chunk = wrap::chunk(text, byte);
        let wrap = || rows(text, chunk.clone(), width).map(|row| row.start).collect::<Arc<[usize]>>();
        if text.len() < 1024 {
            return (chunk.clone(), wrap());
        }
        if self.wrapped.len() >= KEPT {
            self.wrapped.clear();
        }
        let starts = self.wrapped.entry((line, chunk.start)).or_insert_with(wrap);
        (chunk.clone(), Arc::clone(starts))
    }

    /// The row of `line` that holds `byte`, as bytes of the line.
    pub(super) fn row(&mut self, document: &Document, place: Place) -> Range<usize> {
        let Some(width) = self.width else { return 0..document.range(place.line).len() };
        let (chunk, starts) = self.starts(document, place.line, place.byte, width);
        let at = starts.partition_point(|&start| start <= place.byte).saturating_sub(1);
        let start = starts.get(at).copied().unwrap_or(chunk.start);
        start..starts.get(at + 1).copied().unwrap_or(chunk.end)
    }

    /// The start of the row that holds `place`.
    pub(super) fn aligned(&mut self, document: &Document, place: Place) -> Place {
        let line = place.line.min(document.lines().saturating_sub(1));
        let byte = if line == place.line { place.byte } else { 0 };
        Place { line, byte: self.row(document, Place { line, byte }).start }
    }

    /// The row after the one at `place`.
    pub(super) fn after(&mut self, document: &Document, place: Place) -> Option<Place> {
        let row = self.row(document, place);
        if row.end < document.range(place.line).len() {
            return Some(Place { line: place.line, byte: row.end });
        }
        (place.line + 1 < document.lines()).then_some(Place { line: place.line + 1, byte: 0 })
    }

    /// The row before the one at `place`.
    pub(super) fn before(&mut self, document: &Document, place: Place) -> Option<Place> {
        if self.width.is_some() && place.byte > 0 {
            return Some(self.aligned(document, Place { byte: place.byte - 1, ..place }));
        }
        let line = place.line.checked_sub(1)?;
        Some(self.aligned(document, Place { line, byte: document.range(line).len() }))
    }

    /// The last row of all.
    pub(super) fn last(&mut self, document: &Document) -> Place {
        let line = document.lines().saturating_sub(1);
        self.aligned(document, Place { line, byte: document.range(line).len() })
    }

    /// Byte of the piece of `line` that covers `column` where lines are not wrapped, with the column it starts at.
    /// Where the line ends before: its length and its width.
    pub(super) fn at_column(&mut self, document: &Document, line: usize, column: usize) -> (usize, usize) {
        let from = self.known(document, line, |_, known| known > column);
        let text = document.line(line);
        let mut end = from;
        for piece in pieces_in(text, from.0..text.len(), from.1, Strictness::Body) {
            if end.1 + piece.width > column {
                return end;
            }
            end = (piece.end, end.1 + piece.width);
        }
        end
    }

    /// Column at which `byte` of `line` is drawn where lines are not wrapped.
    pub(super) fn column_of(&mut self, document: &Document, line: usize, byte: usize) -> usize {
        let from = self.known(document, line, |known, _| known > byte);
        let text = document.line(line);
        let pieces = pieces_in(text, from.0..text.len(), from.1, Strictness::Body);
        pieces.take_while(|piece| piece.end <= byte).fold(from.1, |column, piece| column + piece.width)
    }

    /// The last measured place of `line` that is not `beyond`, measuring on as far as needed.
    fn known(&mut self, document: &Document, line: usize, beyond: impl Fn(usize, usize) -> bool) -> (usize, usize) {
        let text = document.line(line);
        if text.len() <= CHUNK {
            return (0, 0);
        }
        if self.measured.len() >= KEPT && !self.measured.contains_key(&line) {
            self.measured.clear();
        }
        let known = self.measured.entry(line).or_insert_with(|| vec![(0, 0)]);
        while let Some(&(byte, column)) = known.last()
            && byte < text.len()
            && !beyond(byte, column)
        {
            let chunk = byte..wrap::chunk(text, byte).end;
            known.push((chunk.end, column + measure(text, chunk, column)));
        }
        let at = known.partition_point(|&(byte, column)| !beyond(byte, column)).saturating_sub(1);
        known.get(at).copied().unwrap_or_default()
    }
}

/// Columns of `text[range]`, which starts at `column`.
fn measure(text: &str, range: Range<usize>, column: usize) -> usize {
    let next = text.as_bytes().get(range.end);
    let bytes = text.as_bytes().get(range.clone()).unwrap_or_default();
    if bytes.iter().all(|b| matches!(b, b' '..=b'~')) && next.is_none_or(u8::is_ascii) {
        return bytes.len();
    }
    pieces_in(text, range, column, Strictness::Body).map(|piece| piece.width).sum()
}
