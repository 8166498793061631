//! A list of any number of rows that exist only while they are seen.
//!
//! The position is an item and a row within it, so items appended at the end move nothing that is being read, and a
//! frame costs what the visible items cost. Knows no keys and no contents: heights and drawing are closures.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::scrollbar;
use crate::tui::theme::Theme;

/// One item to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Which, from 0.
    pub index: usize,
    /// Where on the screen: as wide as the list, as high as what is seen of it.
    pub area: Rect,
    /// Rows of it that lie above the list and are not drawn.
    pub skip: usize,
    /// Whether it is the selected one.
    pub selected: bool,
}

/// The state of a list. Draw it with [`ListView::render`].
///
/// `height` in its methods gives the rows of an item; it is asked only about items near what is seen, and an answer
/// of 0 counts as 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListView {
    len: usize,
    selected: usize,
    /// The first item that is seen, and its rows above the list.
    top: (usize, usize),
    follow: bool,
    /// The user scrolled away from the selection: it need not be seen until it moves again.
    free: bool,
    page: usize,
    area: Rect,
}

impl ListView {
    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The selected item; none in an empty list.
    #[must_use]
    pub fn selected(&self) -> Option<usize> {
        (self.len > 0).then_some(self.selected)
    }

    /// Rows in the last frame.
    #[must_use]
    pub fn page(&self) -> usize {
        self.page
    }

    /// Whether a selection on the last item goes along to items that are appended.
    pub fn set_follow(&mut self, follow: bool) {
        self.follow = follow;
    }

    /// Sets how many items there are. Appended ones move nothing, unless the list follows and stands on the last.
    pub fn set_len(&mut self, len: usize) {
        let at_end = self.len == 0 || self.selected + 1 >= self.len;
        let grown = len > self.len;
        self.len = len;
        if self.follow && at_end && grown && !self.free {
            self.selected = len - 1;
        }
        self.selected = self.selected.min(len.saturating_sub(1));
        if self.top.0 >= len {
            self.top = (len.saturating_sub(1), 0);
        }
    }

    /// Selects an item, or the last one where there are fewer.
    pub fn select(&mut self, index: usize) {
        self.selected = index.min(self.len.saturating_sub(1));
        self.free = false;
    }

    /// Moves the selection by `count` items, down where positive. It stops at the ends.
    pub fn move_by(&mut self, count: isize) {
        self.select(self.selected.saturating_add_signed(count));
    }

    /// Moves what is seen by `count` rows and leaves the selection where it is (mouse wheel).
    pub fn scroll(&mut self, count: isize, height: impl Fn(usize) -> usize) {
        self.free = true;
        for _ in 0..count.unsigned_abs() {
            let (item, row) = self.top;
            self.top = match count > 0 {
                true if row + 1 < height(item).max(1) => (item, row + 1),
                true if item + 1 < self.len => (item + 1, 0),
                false if row > 0 => (item, row - 1),
                false if item > 0 => (item - 1, height(item - 1).max(1) - 1),
                _ => break,
            };
        }
        self.settle(&height);
    }

    /// The item drawn at this cell of the screen in the last frame.
    #[must_use]
    pub fn item_at(&self, x: u16, y: u16, height: impl Fn(usize) -> usize) -> Option<usize> {
        if !self.area.contains((x, y).into()) {
            return None;
        }
        let mut rows = usize::from(y - self.area.y) + self.top.1;
        (self.top.0..self.len).find(|&item| {
            let own = height(item).max(1);
            let here = rows < own;
            rows = rows.saturating_sub(own);
            here
        })
    }

    /// Draws the list: `draw` is called for each item that is seen. The last column is the scrollbar's.
    pub fn render(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        theme: &Theme,
        height: impl Fn(usize) -> usize,
        mut draw: impl FnMut(Item, &mut Buffer),
    ) {
        let area = area.intersection(buffer.area);
        self.area = area;
        self.page = usize::from(area.height);
        if area.is_empty() || self.len == 0 {
            return;
        }
        if !self.free {
            self.reveal(&height);
        }
        self.settle(&height);
        let bar = u16::from(area.width > 1);
        let (first, mut skip) = self.top;
        let mut y = area.top();
        let mut end = first;
        for index in first..self.len {
            if y >= area.bottom() {
                break;
            }
            let rows = height(index).max(1).saturating_sub(skip);
            let seen = u16::try_from(rows).unwrap_or(u16::MAX).min(area.bottom() - y);
            let item = Rect { y, height: seen, width: area.width - bar, ..area };
            draw(Item { index, area: item, skip, selected: index == self.selected }, buffer);
            y += seen;
            skip = 0;
            end = index + usize::from(usize::from(seen) == rows);
        }
        if bar > 0 {
            let column = Rect { x: area.right() - 1, width: 1, ..area };
            scrollbar::draw(column, buffer, first..end, self.len, theme);
        }
    }

    /// Moves as little as needed for the selected item to be seen: whole, or from its first row where it is higher
    /// than the page.
    fn reveal(&mut self, height: &impl Fn(usize) -> usize) {
        let own = height(self.selected).max(1);
        if (self.selected, 0) < self.top {
            // Within an item higher than the page, any part of it will do.
            if self.selected != self.top.0 || own <= self.page {
                self.top = (self.selected, 0);
            }
            return;
        }
        let mut rows = own;
        let mut at = self.selected;
        // Back from the selection until the page is full or the top is met.
        while at > self.top.0 && rows <= self.page {
            at -= 1;
            rows += height(at).max(1);
        }
        let hidden = if at == self.top.0 { self.top.1 } else { 0 };
        if at == self.top.0 && rows - hidden.min(rows) <= self.page {
            return;
        }
        self.top = if own >= self.page { (self.selected, 0) } else { self.top_for(self.selected, height) };
    }

    /// The top with which `last` ends at the bottom of the page.
    fn top_for(&self, last: usize, height: &impl Fn(usize) -> usize) -> (usize, usize) {
        let mut item = last;
        let mut rows = height(item).max(1);
        while rows < self.page && item > 0 {
            item -= 1;
            rows += height(item).max(1);
        }
        (item, rows.saturating_sub(self.page))
    }

    /// No empty rows below the last item while there are items above.
    fn settle(&mut self, height: &impl Fn(usize) -> usize) {
        let (item, skip) = self.top;
        self.top.1 = skip.min(height(item).max(1) - 1);
        let mut rows = 0;
        for index in item..self.len {
            rows += height(index).max(1);
            if rows >= self.page + self.top.1 {
                return;
            }
        }
        if self.len > 0 {
            self.top = self.top_for(self.len - 1, height);
        }
    }
}

#[cfg(test)]
mod tests;
