//! A view of a text of any size: scrolled, wrapped or moved sideways, searched, selected by lines.
//!
//! The position is a [`Place`], a line and a byte of it, never a count of rows: answering a key and drawing a frame
//! cost what the visible rows cost. Knows no keys: the caller says what to do.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::document::Document;
use super::paint::{Row, Spans};
pub use super::rows::Place;
use super::rows::Rows;
use super::scrollbar;
use crate::text::piece::{Shown, Strictness, pieces_in};
use crate::text::search::Finder;
use crate::tui::theme::Theme;

/// Who colours the text: given a line (from 0) and the bytes of it that are seen, adds styles of byte ranges of the
/// line, sorted and not overlapping. Must be quick: it is asked in every frame.
pub trait LineStyler {
    /// Adds the styles of `bytes` of `line` to `styles`.
    fn styles(&mut self, line: usize, bytes: Range<usize>, theme: &Theme, styles: &mut Vec<(Range<usize>, Style)>);
}

/// Plain text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

impl LineStyler for Plain {
    fn styles(&mut self, _: usize, _: Range<usize>, _: &Theme, _: &mut Vec<(Range<usize>, Style)>) {}
}

/// What became of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A match is shown.
    Here,
    /// A match is shown that lies on the other side of the end, or the beginning.
    Around,
    /// There is none.
    Nowhere,
}

#[derive(Debug, Clone)]
struct Search {
    finder: Finder,
    /// The match that was gone to, as bytes of the text.
    current: Option<Range<usize>>,
}

/// The state of a view. Draw it with [`TextView::render`].
#[derive(Debug, Clone)]
pub struct TextView {
    document: Document,
    rows: Rows,
    top: Place,
    /// First column that is seen where lines are not wrapped.
    left: usize,
    wrap: bool,
    gutter: bool,
    follow: bool,
    search: Option<Search>,
    selection: Option<(usize, usize)>,
    /// Columns and rows for text in the last frame.
    size: (u16, u16),
    /// Where text stood in the last frame.
    area: Rect,
}

impl Default for TextView {
    fn default() -> Self {
        Self::new(Document::default())
    }
}

impl TextView {
    /// A view of `document` from its top, wrapped, without line numbers.
    #[must_use]
    pub fn new(document: Document) -> Self {
        Self {
            document,
            rows: Rows::default(),
            top: Place::default(),
            left: 0,
            wrap: true,
            gutter: false,
            follow: false,
            search: None,
            selection: None,
            size: (80, 24),
            area: Rect::ZERO,
        }
    }

    /// What is shown.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Shows another text from its top. The search stays, its place does not.
    pub fn set_document(&mut self, document: Document) {
        self.rows.clear();
        self.document = document;
        (self.top, self.left, self.selection) = (Place::default(), 0, None);
        if let Some(search) = &mut self.search {
            search.current = None;
        }
    }

    /// Shows a text that continues the present one. What is being read stays where it is; a view that follows and
    /// stands at its end goes along.
    pub fn set_continued(&mut self, text: Arc<str>) {
        let follows = self.follow && self.is_at_bottom();
        let document = self.document.continued(text);
        self.rows.clear();
        self.document = document;
        if follows {
            self.bottom();
        }
    }

    /// Whether the view goes along with a text that grows, while it stands at the end.
    pub fn set_follow(&mut self, follow: bool) {
        self.follow = follow;
    }

    /// Whether long lines are wrapped.
    #[must_use]
    pub fn is_wrapped(&self) -> bool {
        self.wrap
    }

    /// Wraps long lines, or lets them be scrolled sideways. The text at the top stays at the top.
    pub fn set_wrap(&mut self, wrap: bool) {
        let left_byte = if self.wrap { self.top.byte } else { self.rows.at_column(&self.document, self.top.line, self.left).0 };
        self.wrap = wrap;
        self.left = 0;
        self.fit();
        self.top = self.rows.aligned(&self.document, Place { line: self.top.line, byte: if wrap { left_byte } else { 0 } });
    }

    /// Whether lines are numbered.
    #[must_use]
    pub fn has_gutter(&self) -> bool {
        self.gutter
    }

    /// Numbers the lines, or does not.
    pub fn set_gutter(&mut self, gutter: bool) {
        self.gutter = gutter;
    }

    /// The first row that is seen.
    #[must_use]
    pub fn top(&self) -> Place {
        self.top
    }

    /// Rows for text in the last frame.
    #[must_use]
    pub fn height(&self) -> usize {
        usize::from(self.size.1)
    }

    /// Moves by `count` rows, down where it is positive. Cost: the rows moved over.
    pub fn scroll(&mut self, count: isize) {
        self.fit();
        for _ in 0..count.unsigned_abs() {
            let next = if count > 0 { self.rows.after(&self.document, self.top) } else { self.rows.before(&self.document, self.top) };
            match next {
                Some(place) => self.top = place,
                None => break,
            }
        }
        self.settle();
    }

    /// Moves by `pages` times the height (0.5: half a page).
    pub fn scroll_pages(&mut self, pages: f32) {
        let count = (f32::from(self.size.1) * pages) as isize;
        self.scroll(if count == 0 { pages.signum() as isize } else { count });
    }

    /// Goes to the first row.
    pub fn top_most(&mut self) {
        self.top = Place::default();
    }

    /// Shows the last row, at the bottom.
    pub fn bottom(&mut self) {
        self.fit();
        self.top = self.bottom_place();
    }

    /// Whether the last row is seen.
    #[must_use]
    pub fn is_at_bottom(&mut self) -> bool {
        self.fit();
        let bottom = self.bottom_place();
        self.top >= bottom
    }

    /// Puts `line` (from 0) at the top, or the last page where that is less.
    pub fn go_to_line(&mut self, line: usize) {
        self.fit();
        self.top = self.rows.aligned(&self.document, Place { line, byte: 0 });
        self.settle();
    }

    /// Moves sideways by `columns`, to the right where positive, as far as some line that is seen goes.
    /// Nothing happens where lines are wrapped.
    pub fn scroll_sideways(&mut self, columns: isize) {
        if self.wrap {
            return;
        }
        let wanted = self.left.saturating_add_signed(columns);
        let height = self.height();
        let lines = self.top.line..self.document.lines().min(self.top.line + height.max(1));
        let mut furthest = 0;
        for line in lines {
            let (byte, column) = self.rows.at_column(&self.document, line, wanted);
            if byte < self.document.range(line).len() {
                self.left = wanted;
                return;
            }
            furthest = furthest.max(column.saturating_sub(1));
        }
        self.left = wanted.min(furthest);
    }

    /// Looks for something else, or for nothing. Matches are marked in the next frame; nothing is gone to.
    pub fn set_search(&mut self, finder: Option<Finder>) {
        self.search = finder.map(|finder| Search { finder, current: None });
    }

    /// What is looked for.
    #[must_use]
    pub fn search(&self) -> Option<&Finder> {
        self.search.as_ref().map(|search| &search.finder)
    }

    /// Goes to the next match after the current one, or from the top of what is seen; or to the one before.
    pub fn find(&mut self, forward: bool) -> Found {
        self.fit();
        let Some(search) = &self.search else { return Found::Nowhere };
        let text = Arc::clone(self.document.text());
        let seen = self.document.range(self.top.line).start + self.top.byte;
        let finder = &search.finder;
        let (first, around) = if forward {
            let from = search.current.as_ref().map_or(seen, |current| current.end);
            let first = finder.find(&text, from);
            let again = if first.is_none() { finder.find(&text, 0) } else { None };
            (first, again)
        } else {
            let until = search.current.as_ref().map_or(seen, |current| current.start);
            let first = finder.find_last(&text, until);
            let again = if first.is_none() { finder.find_last(&text, text.len()) } else { None };
            (first, again)
        };
        let outcome = if first.is_some() { Found::Here } else { Found::Around };
        let Some(range) = first.or(around) else { return Found::Nowhere };
        self.show(range.clone());
        if let Some(search) = &mut self.search {
            search.current = Some(range);
        }
        outcome
    }

    /// Brings bytes of the text into view, moving only if they are out of it.
    pub fn show(&mut self, bytes: Range<usize>) {
        self.fit();
        let line = self.document.line_of(bytes.start);
        let byte = bytes.start.saturating_sub(self.document.range(line).start);
        let place = self.rows.aligned(&self.document, Place { line, byte });
        let mut row = self.top;
        let mut seen = false;
        for _ in 0..self.height() {
            if row == place {
                seen = true;
                break;
            }
            match self.rows.after(&self.document, row) {
                Some(next) if next <= place => row = next,
                _ => break,
            }
        }
        if !seen {
            self.top = place;
            // A third of the page before it, to be read on from.
            for _ in 0..self.height() / 3 {
                match self.rows.before(&self.document, self.top) {
                    Some(before) => self.top = before,
                    None => break,
                }
            }
            self.settle();
        }
        if !self.wrap {
            let width = usize::from(self.size.0);
            let column = self.rows.column_of(&self.document, line, byte);
            let end = self.rows.column_of(&self.document, line, byte + bytes.len());
            if column < self.left || end > self.left + width {
                self.left = if end <= width { 0 } else { column.saturating_sub(width / 3) };
            }
        }
    }

    /// Selects one line (from 0).
    pub fn select(&mut self, line: usize) {
        let line = line.min(self.document.lines().saturating_sub(1));
        self.selection = Some((line, line));
    }

    /// Moves the free end of the selection to `line`.
    pub fn select_to(&mut self, line: usize) {
        let line = line.min(self.document.lines().saturating_sub(1));
        self.selection = Some((self.selection.map_or(line, |(fixed, _)| fixed), line));
    }

    /// Selects nothing.
    pub fn unselect(&mut self) {
        self.selection = None;
    }

    /// The selected lines.
    #[must_use]
    pub fn selection(&self) -> Option<RangeInclusive<usize>> {
        self.selection.map(|(fixed, free)| fixed.min(free)..=fixed.max(free))
    }

    /// The text of the selected lines as it is, with the `\n` between them.
    #[must_use]
    pub fn selected_text(&self) -> Option<&str> {
        let lines = self.selection()?;
        self.document.text().get(self.document.range(*lines.start()).start..self.document.range(*lines.end()).end)
    }

    /// The line (from 0) drawn at this cell of the screen in the last frame.
    #[must_use]
    pub fn line_at(&mut self, x: u16, y: u16) -> Option<usize> {
        if !self.area.contains((x, y).into()) {
            return None;
        }
        let mut place = self.top;
        for _ in 0..y - self.area.y {
            place = self.rows.after(&self.document, place)?;
        }
        Some(place.line)
    }

    /// Columns that line numbers take, with the space behind them.
    fn gutter_width(&self, width: u16) -> u16 {
        if !self.gutter {
            return 0;
        }
        let digits = u16::try_from(self.document.lines().ilog10() + 2).unwrap_or(u16::MAX);
        // Text before numbers.
        if digits.saturating_mul(2) > width { 0 } else { digits }
    }

    fn fit(&mut self) {
        self.rows.set_width(self.wrap.then_some(usize::from(self.size.0)));
    }

    /// The top row of the last page.
    fn bottom_place(&mut self) -> Place {
        let mut place = self.rows.last(&self.document);
        for _ in 1..self.height() {
            match self.rows.before(&self.document, place) {
                Some(before) => place = before,
                None => break,
            }
        }
        place
    }

    /// No empty rows below the text while there are rows above.
    fn settle(&mut self) {
        let mut place = self.top;
        for _ in 1..self.height() {
            match self.rows.after(&self.document, place) {
                Some(after) => place = after,
                None => {
                    self.top = self.bottom_place();
                    return;
                }
            }
        }
    }

    /// Draws the view. The last column is the scrollbar's.
    pub fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme, styler: &mut dyn LineStyler) {
        let area = area.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        let bar = u16::from(area.width > 1);
        let gutter = self.gutter_width(area.width - bar);
        let text_area = Rect { x: area.x + gutter, width: area.width - bar - gutter, ..area };
        self.area = Rect { width: area.width - bar, ..area };
        let size = (text_area.width, area.height);
        if size != self.size {
            // A view that stood at the end goes on standing there when it becomes another size.
            let stays = self.follow && self.is_at_bottom();
            self.size = size;
            self.fit();
            self.top = self.rows.aligned(&self.document, self.top);
            if stays {
                self.top = self.bottom_place();
            }
        }
        self.fit();
        self.settle();
        let mut place = Some(self.top);
        let mut seen_end = 0;
        for y in area.top()..area.bottom() {
            let Some(at) = place else { break };
            if gutter > 0 && at.byte == 0 {
                let number = format!("{:>width$}", at.line + 1, width = usize::from(gutter) - 1);
                buffer.set_stringn(area.x, y, number, usize::from(gutter), theme.gutter());
            }
            let end = self.draw_row(at, Rect { y, height: 1, ..text_area }, buffer, theme, styler);
            seen_end = self.document.range(at.line).start + end;
            place = self.rows.after(&self.document, at);
        }
        if bar > 0 {
            let len = self.document.text().len();
            let start = self.document.range(self.top.line).start + self.top.byte;
            let end = if place.is_none() { len } else { seen_end };
            let column = Rect { x: area.right() - 1, width: 1, ..area };
            scrollbar::draw(column, buffer, start..end, len, theme);
        }
    }

    /// Draws one row and says which byte of its line it ended before.
    fn draw_row(&mut self, at: Place, area: Rect, buffer: &mut Buffer, theme: &Theme, styler: &mut dyn LineStyler) -> usize {
        let document = self.document.clone();
        let line = document.line(at.line);
        let (range, column, mut skip) = if self.wrap {
            (self.rows.row(&document, at), 0, 0)
        } else {
            let (byte, column) = self.rows.at_column(&document, at.line, self.left);
            // No piece has fewer columns than one, and none more bytes than a cluster: this holds all that is seen.
            let most = usize::from(area.width).saturating_mul(crate::text::piece::LONGEST_CLUSTER);
            (byte..line.len().min(byte.saturating_add(most)), column, self.left.saturating_sub(column))
        };
        let mut styles = Vec::new();
        styler.styles(at.line, range.clone(), theme, &mut styles);
        let matches = self.matches(at.line, &range, theme);
        let selected = self.selection().is_some_and(|lines| lines.contains(&at.line));
        let (mut styles, mut matches) = (Spans::new(&styles), Spans::new(&matches));
        let base = theme.text();
        let mut row = Row { buffer, x: area.x, y: area.y, end: area.right() };
        let mut end = range.start;
        for piece in pieces_in(line, range, column, Strictness::Body) {
            if row.is_full() {
                break;
            }
            let shown = match piece.shown {
                Shown::Picture(_) | Shown::Placeholder(_) => base.patch(theme.hidden()),
                Shown::Text(_) | Shown::Tab(_) => styles.over(base, piece.start),
            };
            let style = matches.over(if selected { shown.patch(theme.selection(true)) } else { shown }, piece.start);
            row.piece(&piece, skip, style);
            skip = 0;
            end = piece.end;
        }
        if selected {
            let rest = Rect { x: row.x, width: area.right().saturating_sub(row.x), ..area };
            buffer.set_style(rest, theme.selection(true));
        }
        end
    }

    /// Where matches lie in these bytes of a line.
    fn matches(&self, line: usize, bytes: &Range<usize>, theme: &Theme) -> Vec<(Range<usize>, Style)> {
        let Some(search) = &self.search else { return Vec::new() };
        let text = self.document.line(line);
        let start = self.document.range(line).start;
        let reach = search.finder.longest_match();
        let window =
            text.floor_char_boundary(bytes.start.saturating_sub(reach))..text.ceil_char_boundary((bytes.end + reach).min(text.len()));
        let slice = text.get(window.clone()).unwrap_or_default();
        search
            .finder
            .find_all(slice)
            .map(|found| found.start + window.start..found.end + window.start)
            .map(|found| {
                let current = search.current.as_ref().is_some_and(|current| current.start == start + found.start);
                (found, theme.found(current))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
