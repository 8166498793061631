//! The index map pane: every index that σ lists or D holds, and whether the one leads to the other.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Move;
use crate::memory::Index;
use crate::session::Session;
use crate::text::search::Finder;
use crate::tui::look::Look;
use crate::tui::paint;
use crate::tui::theme::Reach;
use crate::tui::widget::list::ListView;
use crate::tui::words;

/// One row: an index and how it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The index.
    pub(crate) index: Index,
    /// Whether σ leads to a block.
    pub(crate) reach: Reach,
    /// Segment whose σ listed it last, where the present one does not.
    pub(crate) segment: Option<usize>,
    /// Number of versions in D.
    pub(crate) versions: usize,
    /// Every version was taken back by an undo.
    pub(crate) withdrawn: bool,
    /// Times its newest version was read.
    pub(crate) reads: u32,
    /// Tokens of its newest version.
    pub(crate) tokens: Option<u32>,
    /// How it came about.
    pub(crate) kind: &'static str,
}

/// All rows: I in its own order, then what D holds besides.
pub(crate) fn rows(session: &Session) -> Vec<Row> {
    let archive = session.archive();
    let listed = session.index_map().indices();
    let besides = archive.all().map(|(i, _)| i).filter(|i| !session.reachable(i));
    let row = |index: &Index| {
        let versions = archive.versions(index);
        let readable = archive.read(index);
        let newest = readable.or(versions.last());
        let in_map = session.reachable(index);
        let reach = match (in_map, readable.is_some()) {
            (true, true) => Reach::Reachable,
            (true, false) => Reach::Dangling,
            (false, _) => Reach::Orphan,
        };
        Row {
            index: index.clone(),
            reach,
            segment: if in_map { None } else { last_listed(session, index) },
            versions: versions.len(),
            withdrawn: !versions.is_empty() && readable.is_none(),
            reads: newest.map_or(0, |v| v.reads),
            tokens: newest.map(|v| v.tokens),
            kind: newest.map_or("", |v| v.block.kind.name()),
        }
    };
    listed.chain(besides).map(row).collect()
}

/// The segment whose σ listed the index last: 1 is the one before the first compression.
fn last_listed(session: &Session, index: &Index) -> Option<usize> {
    let in_force = session.compressions().iter().filter(|c| !c.undone);
    in_force.enumerate().filter(|(_, c)| c.map_after.contains(index)).map(|(n, _)| n + 2).last()
}

/// Where the reader of the map stands.
#[derive(Debug, Default)]
pub(crate) struct IndexPane {
    list: ListView,
    rows: Vec<Row>,
    selected: Option<Index>,
}

impl IndexPane {
    /// The selected index.
    pub(crate) fn selected(&self) -> Option<&Index> {
        self.selected.as_ref()
    }

    /// The rows that are shown.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Takes another state: the selection stays on its index.
    pub(crate) fn settle(&mut self, session: &Session) {
        self.rows = rows(session);
        self.list.set_len(self.rows.len());
        match self.selected.as_ref().and_then(|s| self.rows.iter().position(|r| r.index == *s)) {
            Some(row) => self.list.select(row),
            None => self.remember(),
        }
    }

    fn remember(&mut self) {
        self.selected = self.list.selected().and_then(|n| self.rows.get(n)).map(|r| r.index.clone());
    }

    /// Moves the selection.
    pub(crate) fn go(&mut self, by: Move) {
        match by.rows(self.list.page()) {
            Some(rows) => self.list.move_by(rows),
            None if by == Move::Top => self.list.select(0),
            None => self.list.select(usize::MAX),
        }
        self.remember();
    }

    /// Selects an index.
    pub(crate) fn select(&mut self, index: &Index) {
        if let Some(row) = self.rows.iter().position(|r| r.index == *index) {
            self.list.select(row);
            self.remember();
        }
    }

    /// A click.
    pub(crate) fn click(&mut self, x: u16, y: u16) {
        if let Some(row) = self.list.item_at(x, y, |_| 1) {
            self.list.select(row);
            self.remember();
        }
    }

    /// Draws the pane.
    pub(crate) fn draw(&mut self, area: Rect, buffer: &mut Buffer, look: &Look, focused: bool, finder: Option<&Finder>) {
        if self.rows.is_empty() {
            let text = "Nothing is archived yet. CompressExperience puts blocks here, each under an index.";
            paint::wrapped(buffer, Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area }, look.theme.dim(), text);
            return;
        }
        let rows = &self.rows;
        self.list.render(
            area,
            buffer,
            &look.theme,
            |_| 1,
            |item, buffer| {
                let style = if item.selected { look.theme.selection(focused) } else { Style::default() };
                buffer.set_style(item.area, style);
                if let Some(row) = rows.get(item.index) {
                    draw_row(row, item.area, buffer, look, style, finder);
                }
            },
        );
    }
}

fn draw_row(row: &Row, area: Rect, buffer: &mut Buffer, look: &Look, style: Style, finder: Option<&Finder>) {
    let (x, y) = (area.x, area.y);
    let own = look.theme.index(row.reach).patch(style);
    paint::text(buffer, x, y, 2, own, look.reach(row.reach));
    let state = match (row.reach, row.withdrawn) {
        (_, true) => "withdrawn".to_owned(),
        (Reach::Dangling, _) => "dangling".into(),
        (Reach::Orphan, _) => row.segment.map_or("orphan".into(), |s| format!("orphan @seg{s}")),
        (Reach::Reachable, _) => words::count(row.reads as usize, "read"),
    };
    let tokens = row.tokens.map_or(String::new(), |t| words::thousands(u64::from(t)));
    let version = if row.versions > 1 { format!(" v{}", row.versions) } else { String::new() };
    // What is left out where there is no room: the kind first, then the tokens; never the name or how it stands.
    let name = paint::width(row.index.as_str()) + paint::width(&version);
    let mut right = format!("{state:<8}");
    for part in [&tokens, row.kind] {
        let wider = format!("{part:>8} {right}");
        if name + 3 + paint::width(&wider) <= area.width {
            right = wider;
        }
    }
    if name + 3 + paint::width(&right) > area.width {
        right = right.trim_end().to_owned();
    }
    let state_style = if row.reach == Reach::Reachable && !row.withdrawn { look.theme.dim().patch(style) } else { own };
    let keep = 3 + name.min(area.width / 2);
    let from = paint::right(buffer, area.right(), y, area.width.saturating_sub(keep), state_style, &right);
    let room = from.saturating_sub(x + 3).saturating_sub(paint::width(&version));
    let shown = crate::text::sanitize::name(row.index.as_str());
    let shown = crate::text::width::truncate_middle(&shown, usize::from(room));
    let at = paint::text(buffer, x + 2, y, room, look.theme.text().patch(style), &shown);
    paint::text(buffer, at, y, paint::width(&version), look.theme.strong().patch(style), &version);
    if let Some(finder) = finder {
        super::context::mark_found(buffer, look, finder, &shown, Rect { x: x + 2, y, width: room, height: 1 });
    }
}
