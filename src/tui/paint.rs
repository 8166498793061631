//! Text into cells: safe, cut to its room, never beyond it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::text::width::truncate;

/// Draws `text` at `(x, y)` in at most `room` columns, cut with `…`; the column after it.
pub(crate) fn text(buffer: &mut Buffer, x: u16, y: u16, room: u16, style: Style, text: &str) -> u16 {
    let area = buffer.area;
    if room == 0 || y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
        return x;
    }
    let room = room.min(area.right() - x);
    let safe = truncate(text, usize::from(room));
    buffer.set_stringn(x, y, &safe, usize::from(room), style).0.min(x + room)
}

/// Parts of a line in a row, each with its style; the column after them.
pub(crate) fn parts<S: AsRef<str>>(buffer: &mut Buffer, x: u16, y: u16, room: u16, parts: &[(Style, S)]) -> u16 {
    let end = x.saturating_add(room);
    let mut at = x;
    for (style, part) in parts {
        at = text(buffer, at, y, end.saturating_sub(at), *style, part.as_ref());
    }
    at
}

/// Draws `text` so that it ends before column `end`; the column it starts at.
pub(crate) fn right(buffer: &mut Buffer, end: u16, y: u16, room: u16, style: Style, text_: &str) -> u16 {
    let safe = truncate(text_, usize::from(room));
    let width = u16::try_from(crate::text::width::width(&safe)).unwrap_or(room).min(room);
    let x = end.saturating_sub(width);
    text(buffer, x, y, width, style, &safe);
    x
}

/// Fills an area with blanks of a style.
pub(crate) fn fill(buffer: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buffer.area);
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
    }
}

/// Columns of a text.
pub(crate) fn width(text: &str) -> u16 {
    u16::try_from(crate::text::width::width(text)).unwrap_or(u16::MAX)
}

/// Draws running text in an area, wrapped; the row after it.
pub(crate) fn wrapped(buffer: &mut Buffer, area: Rect, style: Style, text_: &str) -> u16 {
    let safe = crate::text::sanitize::line(text_);
    let mut y = area.y;
    for row in crate::text::wrap::rows(&safe, 0..safe.len(), usize::from(area.width.max(1))) {
        if y >= area.bottom() {
            break;
        }
        text(buffer, area.x, y, area.width, style, safe.get(row).unwrap_or("").trim_end());
        y += 1;
    }
    y
}
