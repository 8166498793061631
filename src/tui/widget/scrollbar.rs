//! A scrollbar in one column: which part of the whole is seen.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::theme::Theme;

/// Draws, in the first column of `area`, that `seen` of `0..whole` is seen (lines, bytes: any measure).
/// Nothing is drawn where all is seen.
pub fn draw(area: Rect, buffer: &mut Buffer, seen: Range<usize>, whole: usize, theme: &Theme) {
    let Some(thumb) = thumb(usize::from(area.height), &seen, whole) else { return };
    for (row, y) in (area.top()..area.bottom()).enumerate() {
        let inside = thumb.contains(&row);
        if let Some(cell) = buffer.cell_mut((area.left(), y)) {
            cell.set_symbol(if inside { "┃" } else { "│" }).set_style(theme.scrollbar(inside));
        }
    }
}

/// The rows of a bar of `height` that the thumb takes: at least one, at the very ends only when the ends are seen.
fn thumb(height: usize, seen: &Range<usize>, whole: usize) -> Option<Range<usize>> {
    if height == 0 || whole == 0 || (seen.start == 0 && seen.end >= whole) {
        return None;
    }
    let scale = |at: usize| usize::try_from(at as u128 * height as u128 / whole as u128).unwrap_or(height);
    let length = scale(seen.end.saturating_sub(seen.start)).clamp(1, height);
    let mut start = scale(seen.start).min(height - length);
    if height > length {
        if seen.end >= whole {
            start = height - length;
        } else if start + length == height {
            start -= 1;
        }
        if seen.start > 0 && start == 0 && height - length > 1 {
            start = 1;
        }
    }
    Some(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thumb_tells_the_ends_from_the_middle() {
        assert_eq!(thumb(10, &(0..100), 100), None);
        assert_eq!(thumb(0, &(0..10), 100), None);
        assert_eq!(thumb(10, &(0..10), 0), None);
        assert_eq!(thumb(10, &(0..50), 100), Some(0..5));
        assert_eq!(thumb(10, &(50..100), 100), Some(5..10));
        assert_eq!(thumb(10, &(1..11), 1_000_000), Some(1..2));
        assert_eq!(thumb(10, &(999_980..999_990), 1_000_000), Some(8..9));
        assert_eq!(thumb(10, &(999_990..1_000_000), 1_000_000), Some(9..10));
        assert_eq!(thumb(1, &(5..6), 10), Some(0..1));
        assert_eq!(thumb(4, &(usize::MAX / 2..usize::MAX / 2 + 1), usize::MAX), Some(1..2));
    }
}
