//! Pieces of a line into cells of a row, with the styles that lie over each other on them.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::text::piece::{Piece, Shown};

/// One row of cells being filled from left to right.
pub(super) struct Row<'a> {
    pub(super) buffer: &'a mut Buffer,
    pub(super) x: u16,
    pub(super) y: u16,
    /// First column after the row.
    pub(super) end: u16,
}

impl Row<'_> {
    /// Whether there is no room left.
    pub(super) fn is_full(&self) -> bool {
        self.x >= self.end
    }

    /// Draws a piece without its first `skip` columns. A wide character of which only one half would be seen is drawn
    /// as a blank.
    pub(super) fn piece(&mut self, piece: &Piece<'_>, skip: usize, style: Style) {
        match piece.shown {
            Shown::Text(text) => {
                let room = usize::from(self.end.saturating_sub(self.x));
                if skip > 0 || piece.width > room {
                    self.blanks(piece.width.saturating_sub(skip).min(room), style);
                } else if text.len() == 1 {
                    self.symbol(text, style);
                } else {
                    let before = self.x;
                    self.buffer.set_stringn(self.x, self.y, text, piece.width, style);
                    // The cells behind a wide character have no style of their own yet.
                    self.x = self.x.saturating_add(u16::try_from(piece.width).unwrap_or(u16::MAX)).min(self.end);
                    for x in before + 1..self.x {
                        if let Some(cell) = self.buffer.cell_mut((x, self.y)) {
                            cell.set_style(style);
                        }
                    }
                }
            }
            Shown::Tab(columns) => self.blanks(columns.saturating_sub(skip), style),
            // Every character of a picture or placeholder takes one column.
            shown @ (Shown::Picture(_) | Shown::Placeholder(_)) => {
                for c in shown.to_string().chars().skip(skip) {
                    self.symbol(c.encode_utf8(&mut [0; 4]), style);
                }
            }
        }
    }

    fn blanks(&mut self, columns: usize, style: Style) {
        for _ in 0..columns.min(usize::from(self.end.saturating_sub(self.x))) {
            self.symbol(" ", style);
        }
    }

    fn symbol(&mut self, symbol: &str, style: Style) {
        if self.is_full() {
            return;
        }
        if let Some(cell) = self.buffer.cell_mut((self.x, self.y)) {
            cell.set_symbol(symbol).set_style(style);
        }
        self.x += 1;
    }
}

/// Styles of byte ranges in order, asked for bytes in order: each step costs nothing but itself.
pub(super) struct Spans<'a> {
    spans: &'a [(Range<usize>, Style)],
}

impl<'a> Spans<'a> {
    /// `spans`: sorted by start, not overlapping.
    pub(super) fn new(spans: &'a [(Range<usize>, Style)]) -> Self {
        Self { spans }
    }

    /// `style` with that of the span at `byte` over it.
    pub(super) fn over(&mut self, style: Style, byte: usize) -> Style {
        while let [(first, _), rest @ ..] = self.spans
            && first.end <= byte
        {
            self.spans = rest;
        }
        match self.spans.first() {
            Some((range, over)) if range.contains(&byte) => style.patch(*over),
            _ => style,
        }
    }
}
