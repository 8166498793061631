//! The context pane: M, one row a message, each opened in place to its text.
//!
//! What streams in stands behind the last message and moves nothing that is being read.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::{Move, item};
use crate::memory::{Kind, Message, MessageId};
use crate::session::Session;
use crate::text::search::Finder;
use crate::text::wrap;
use crate::tui::look::Look;
use crate::tui::paint;
use crate::tui::theme::Speaker;
use crate::tui::widget::list::{Item, ListView};
use crate::tui::words;

/// Most rows of a message that is opened in place; a longer one is opened in the detail pane.
const LONGEST: usize = 60;
/// Rows of what streams in that are seen.
const STREAMED: usize = 8;

/// A part of the answer under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    /// What it is.
    pub(crate) kind: Kind,
    /// Its name, for a call.
    pub(crate) name: String,
    /// Its text so far.
    pub(crate) text: String,
}

/// Rows of a message by how it was shown: id, width, raw.
type Heights = RefCell<HashMap<(MessageId, u16, bool), usize>>;

/// Where the reader of M stands.
#[derive(Debug, Default)]
pub(crate) struct ContextPane {
    list: ListView,
    /// Positions in M of what is listed; `None` when all is.
    listed: Option<Vec<usize>>,
    messages: usize,
    tails: usize,
    selected: Option<MessageId>,
    /// Opened (or, where all are opened, closed) by hand.
    opened: HashSet<MessageId>,
    /// All are opened.
    all_open: bool,
    /// Thinking is listed.
    pub(crate) thinking: bool,
    /// Records instead of texts.
    pub(crate) raw: bool,
    width: u16,
    heights: Heights,
}

impl ContextPane {
    /// The pane as it starts: thinking shown, at the end.
    pub(crate) fn new() -> Self {
        let mut pane = Self { thinking: true, ..Self::default() };
        pane.list.set_follow(true);
        pane
    }

    /// The selected message; what streams in is none.
    pub(crate) fn selected<'a>(&self, session: &'a Session) -> Option<&'a Arc<Message>> {
        session.context().nth(self.position(self.list.selected()?)?)
    }

    /// Position in M of a row of the list.
    fn position(&self, row: usize) -> Option<usize> {
        match &self.listed {
            Some(listed) => listed.get(row).copied(),
            None => (row < self.messages).then_some(row),
        }
    }

    fn row_of(&self, position: usize) -> Option<usize> {
        match &self.listed {
            Some(listed) => listed.binary_search(&position).ok(),
            None => (position < self.messages).then_some(position),
        }
    }

    /// Takes another M: the selection stays on its message, or at the end if it was there.
    pub(crate) fn settle(&mut self, session: &Session) {
        let context = session.context();
        let at_end = self.list.selected().is_none_or(|s| s + 1 >= self.rows());
        self.messages = context.len();
        self.listed = (!self.thinking).then(|| {
            let shown = context.messages().enumerate().filter(|(_, m)| m.kind != Kind::Thinking);
            shown.map(|(n, _)| n).collect()
        });
        self.list.set_len(self.rows() + self.tails);
        if at_end {
            self.list.select(usize::MAX);
        } else if let Some(id) = self.selected
            && self.selected(session).is_none_or(|m| m.id != id)
            && let Some(row) = context.messages().position(|m| m.id == id).and_then(|p| self.row_of(p))
        {
            self.list.select(row);
        }
        self.remember(session);
        self.heights.borrow_mut().clear();
    }

    fn rows(&self) -> usize {
        self.listed.as_ref().map_or(self.messages, Vec::len)
    }

    fn remember(&mut self, session: &Session) {
        self.selected = self.selected(session).map(|m| m.id);
    }

    /// Moves the selection.
    pub(crate) fn go(&mut self, session: &Session, by: Move) {
        match by.rows(self.list.page()) {
            Some(rows) => self.list.move_by(rows),
            None if by == Move::Top => self.list.select(0),
            None => self.list.select(usize::MAX),
        }
        self.remember(session);
    }

    /// Selects a message.
    pub(crate) fn select(&mut self, session: &Session, id: MessageId) {
        if !self.thinking && session.context().get(id).is_some_and(|m| m.kind == Kind::Thinking) {
            self.thinking = true;
            self.settle(session);
        }
        if let Some(row) = session.context().messages().position(|m| m.id == id).and_then(|p| self.row_of(p)) {
            self.list.select(row);
            self.remember(session);
        }
    }

    /// Opens or closes the selected message; its id when it is too long to be opened here.
    pub(crate) fn toggle(&mut self, session: &Session) -> Option<MessageId> {
        let message = self.selected(session)?;
        let long = self.count(message, self.width.max(20)) > LONGEST;
        if long && !self.all_open {
            return Some(message.id);
        }
        if !self.opened.remove(&message.id) {
            self.opened.insert(message.id);
        }
        None
    }

    /// A click on a row of the pane.
    pub(crate) fn click(&mut self, session: &Session, x: u16, y: u16) {
        let row = self.list.item_at(x, y, |row| self.height(session, row));
        if let Some(row) = row {
            self.list.select(row);
            self.remember(session);
        }
    }

    fn is_open(&self, id: MessageId) -> bool {
        self.all_open != self.opened.contains(&id)
    }

    fn body<'a>(&self, message: &'a Message) -> Cow<'a, str> {
        if self.raw { Cow::Owned(item::raw(message)) } else { item::rendered(message) }
    }

    /// Rows of a message's text at a width, counted no further than one beyond the longest.
    fn count(&self, message: &Message, width: u16) -> usize {
        let key = (message.id, width, self.raw);
        if let Some(rows) = self.heights.borrow().get(&key) {
            return *rows;
        }
        let rows = text_rows(&self.body(message), usize::from(width)).take(LONGEST + 1).count();
        self.heights.borrow_mut().insert(key, rows);
        rows
    }

    fn height(&self, session: &Session, row: usize) -> usize {
        let Some(position) = self.position(row) else { return 1 + STREAMED };
        match session.context().nth(position) {
            Some(m) if self.is_open(m.id) => 1 + self.count(m, self.width).min(LONGEST + 1),
            _ => 1,
        }
    }

    /// Draws the pane. `all_open` when it has the whole screen.
    #[allow(clippy::too_many_arguments, reason = "what is drawn, where, and how")]
    pub(crate) fn draw(
        &mut self,
        session: &Session,
        tails: &[Tail],
        area: Rect,
        buffer: &mut Buffer,
        look: &Look,
        focused: bool,
        finder: Option<&Finder>,
        all_open: bool,
    ) {
        self.all_open = all_open;
        let width = area.width.saturating_sub(4);
        if self.width != width {
            self.width = width;
            self.heights.borrow_mut().clear();
        }
        self.tails = tails.len();
        self.list.set_len(self.rows() + tails.len());
        let mut list = std::mem::take(&mut self.list);
        let first_tail = self.rows();
        let tail_height = |row: usize| {
            let tail = row.checked_sub(first_tail).and_then(|n| tails.get(n));
            tail.map_or(1, |t| 1 + last_rows(&t.text, usize::from(width)).len().min(STREAMED))
        };
        let height = |row: usize| if row < first_tail { self.height(session, row) } else { tail_height(row) };
        list.render(area, buffer, &look.theme, height, |item, buffer| {
            let style = if item.selected { look.theme.selection(focused) } else { Style::default() };
            if item.selected && item.skip == 0 {
                buffer.set_style(Rect { height: 1, ..item.area }, style);
            }
            match self.position(item.index).and_then(|p| session.context().nth(p)) {
                Some(message) => self.draw_message(message, item, buffer, look, style, finder),
                None => {
                    if let Some(tail) = item.index.checked_sub(first_tail).and_then(|n| tails.get(n)) {
                        draw_tail(tail, item, buffer, look, style);
                    }
                }
            }
        });
        self.list = list;
    }

    fn draw_message(&self, message: &Message, item: Item, buffer: &mut Buffer, look: &Look, style: Style, finder: Option<&Finder>) {
        let open = self.is_open(message.id);
        let (x, end) = (item.area.left(), item.area.right());
        let mut y = item.area.top();
        let own = look.theme.role(speaker(message.kind));
        let mut skip = item.skip;
        if skip == 0 {
            let marker = if open { look.or("▾", "v") } else { look.or("▸", ">") };
            let tokens = words::thousands(u64::from(message.tokens));
            // m0 and u never change within a run.
            let lock = match message.kind {
                Kind::System | Kind::Task => look.or("🔒 ", "locked "),
                _ => "",
            };
            let dim = look.theme.dim();
            let right = paint::right(buffer, end.saturating_sub(1), y, 16, dim.patch(style), &format!("{lock}{tokens}"));
            let mut at = paint::text(buffer, x, y, 2, dim.patch(style), marker) + 1;
            at = at.max(x + 2);
            let kind = (paint::text(buffer, at, y, 11, dim.patch(style), &item::tag(message)) + 1).max(at + 5);
            let first = paint::text(buffer, kind, y, 7, own.patch(style), item::word(message.kind)).max(kind + 6) + 1;
            let line = item::first_line(message);
            let room = right.saturating_sub(first + 1);
            paint::text(buffer, first, y, room, look.theme.text().patch(style), &line);
            if let Some(finder) = finder {
                mark_found(buffer, look, finder, &line, Rect { x: first, y, width: room, height: 1 });
            }
            y += 1;
        } else {
            skip -= 1;
        }
        if !open {
            return;
        }
        let body = self.body(message);
        let text_style = if message.kind == Kind::Thinking { look.theme.dim().add_modifier(Modifier::ITALIC) } else { look.theme.text() };
        let bar = look.or("│", "|");
        for (n, row) in
            text_rows(&body, usize::from(self.width)).enumerate().skip(skip).take(usize::from(item.area.bottom().saturating_sub(y)))
        {
            paint::text(buffer, x + 1, y, 1, own, bar);
            if n >= LONGEST {
                paint::text(buffer, x + 3, y, self.width, look.theme.dim(), "… more: Enter opens it in the detail pane");
                break;
            }
            // The blank at which a row was broken hangs over its edge.
            let line = body.get(row).unwrap_or("").trim_end();
            paint::text(buffer, x + 3, y, self.width, text_style, line);
            if let Some(finder) = finder {
                mark_found(buffer, look, finder, line, Rect { x: x + 3, y, width: self.width, height: 1 });
            }
            y += 1;
        }
    }
}

/// Whose words.
pub(crate) fn speaker(kind: Kind) -> Speaker {
    match kind {
        Kind::System => Speaker::System,
        Kind::Task | Kind::Notice | Kind::User => Speaker::User,
        Kind::Status => Speaker::Status,
        Kind::Thinking => Speaker::Thinking,
        Kind::Answer | Kind::Call => Speaker::Assistant,
        Kind::Observation => Speaker::Tool,
        Kind::Retrieved => Speaker::Retrieved,
        Kind::Summary => Speaker::Summary,
    }
}

/// The rows of a text at a width, as byte ranges of it; lazy.
fn text_rows(text: &str, width: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split_inclusive('\n').flat_map(move |whole| {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        let from = start;
        start += whole.len();
        wrap::rows(line, 0..line.len(), width.max(1)).map(move |r| from + r.start..from + r.end)
    })
}

/// The last rows of what streams in; only as much of it is looked at as they can take.
fn last_rows(text: &str, width: usize) -> Vec<Range<usize>> {
    let from = text.ceil_char_boundary(text.len().saturating_sub(STREAMED * width.max(1) * 8));
    let slice = text.get(from..).unwrap_or("");
    let rows: Vec<Range<usize>> = text_rows(slice, width).map(|r| from + r.start..from + r.end).collect();
    let skip = rows.len().saturating_sub(STREAMED);
    rows.into_iter().skip(skip).collect()
}

fn draw_tail(tail: &Tail, item: Item, buffer: &mut Buffer, look: &Look, style: Style) {
    let (x, width) = (item.area.left(), item.area.width.saturating_sub(3));
    let mut y = item.area.top();
    let own = look.theme.role(speaker(tail.kind));
    if item.skip == 0 {
        let head = [
            (look.theme.dim().patch(style), format!("{} ", look.or("▾", "v"))),
            (own.patch(style), format!("{} {}", item::word(tail.kind), tail.name)),
            (look.theme.dim().patch(style), " … streaming".to_owned()),
        ];
        paint::parts(buffer, x, y, item.area.width, &head);
        y += 1;
    }
    let rows = last_rows(&tail.text, usize::from(width));
    for row in rows.into_iter().skip(item.skip.saturating_sub(1)) {
        if y >= item.area.bottom() {
            break;
        }
        paint::text(buffer, x + 1, y, 1, own, look.or("┊", ":"));
        paint::text(buffer, x + 3, y, width, look.theme.text(), tail.text.get(row).unwrap_or("").trim_end());
        y += 1;
    }
}

/// Marks what was searched for in a line that is drawn at `area`.
pub(crate) fn mark_found(buffer: &mut Buffer, look: &Look, finder: &Finder, line: &str, area: Rect) {
    for found in finder.find_all(line) {
        let before = paint::width(line.get(..found.start).unwrap_or(""));
        let own = paint::width(line.get(found).unwrap_or(""));
        if before >= area.width {
            break;
        }
        let hit = Rect { x: area.x + before, width: own.min(area.width - before), ..area };
        buffer.set_style(hit.intersection(buffer.area), look.theme.found(false));
    }
}
