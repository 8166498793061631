//! The detail pane: one block with where it came from, or one message too long to be opened in place.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Move, item};
use crate::memory::{BlockKind, Index, Message, MessageId, Version};
use crate::session::Session;
use crate::text::search::Finder;
use crate::tui::highlight::{Highlighter, Hint};
use crate::tui::look::Look;
use crate::tui::paint;
use crate::tui::widget::document::Document;
use crate::tui::widget::text_view::{Plain, TextView};
use crate::tui::words;

/// Called from another thread when colours have become ready.
#[derive(Clone)]
pub(crate) struct Wake(pub(crate) Arc<dyn Fn() + Send + Sync>);

impl Default for Wake {
    fn default() -> Self {
        Self(Arc::new(|| {}))
    }
}

impl fmt::Debug for Wake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wake")
    }
}

/// What is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Shown {
    /// Nothing yet.
    #[default]
    Nothing,
    /// An index that leads to no block.
    Missing(Index),
    /// A version of a block.
    Block(Index, u32),
    /// A message.
    Message(MessageId),
}

/// Where the reader of the detail stands.
#[derive(Debug, Default)]
pub(crate) struct DetailPane {
    shown: Shown,
    title: String,
    facts: Vec<String>,
    content: Arc<str>,
    view: TextView,
    colours: Option<Highlighter>,
    raw: bool,
    /// Told when colours are ready.
    pub(crate) wake: Wake,
}

impl DetailPane {
    /// The index of the block that is shown.
    pub(crate) fn index(&self) -> Option<&Index> {
        match &self.shown {
            Shown::Block(index, _) | Shown::Missing(index) => Some(index),
            Shown::Nothing | Shown::Message(_) => None,
        }
    }

    /// Name and text of what is shown.
    pub(crate) fn content(&self) -> Option<(String, Arc<str>)> {
        match &self.shown {
            Shown::Nothing | Shown::Missing(_) => None,
            Shown::Block(index, version) => {
                let name = if *version > 1 { format!("{index}@{version}") } else { index.to_string() };
                Some((name, Arc::clone(&self.content)))
            }
            Shown::Message(_) => Some((self.title.clone(), Arc::clone(&self.content))),
        }
    }

    /// Takes another state: what is shown stays, if there is something.
    pub(crate) fn settle(&mut self, session: &Session, selected: Option<&Index>) {
        match self.shown.clone() {
            Shown::Nothing => self.follow(session, selected),
            Shown::Missing(index) => self.follow(session, Some(&index)),
            Shown::Block(index, version) => match version_of(session, &index, version) {
                Some(found) => self.facts = facts(session, found),
                None => self.follow(session, selected),
            },
            Shown::Message(_) => {}
        }
    }

    /// Shows the block of the selected index as ReadExperience would get it.
    pub(crate) fn follow(&mut self, session: &Session, selected: Option<&Index>) {
        let Some(index) = selected else {
            *self = Self { raw: self.raw, wake: self.wake.clone(), view: self.fresh(Document::default()), ..Self::default() };
            return;
        };
        let version = session.archive().read(index).or_else(|| session.archive().versions(index).last());
        match version {
            Some(version) => self.show_version(session, version),
            None => {
                self.shown = Shown::Missing(index.clone());
                self.title = index.to_string();
                self.facts = vec!["σ lists this index, but D has no block under it.".into()];
                self.set_text("".into(), true);
            }
        }
    }

    /// Shows one version of a block.
    pub(crate) fn show_block(&mut self, session: &Session, index: &Index, version: u32) {
        if let Some(version) = version_of(session, index, version) {
            self.show_version(session, version);
        }
    }

    fn show_version(&mut self, session: &Session, version: &Version) {
        let shown = Shown::Block(version.block.index.clone(), version.block.version);
        self.facts = facts(session, version);
        if self.shown == shown {
            return;
        }
        self.shown = shown;
        let versions = session.archive().versions(&version.block.index).len();
        let which = if versions > 1 { format!(" v{} of {versions}", version.block.version) } else { String::new() };
        self.title = format!("{}{which}", version.block.index);
        self.set_text(Arc::clone(&version.block.content), false);
    }

    /// Shows a message.
    pub(crate) fn show_message(&mut self, message: &Message) {
        let shown = Shown::Message(message.id);
        self.title = format!("{} {}", item::tag(message), item::word(message.kind));
        self.facts = vec![format!(
            "message {} · {} tokens · {} bytes",
            message.id.0,
            words::thousands(u64::from(message.tokens)),
            words::thousands(message.text.len() as u64)
        )];
        if self.shown == shown {
            return;
        }
        self.shown = shown;
        let text: Arc<str> = if self.raw { item::raw(message).into() } else { item::rendered(message).into() };
        self.set_text(text, false);
    }

    /// The version `by` away from the one that is shown. False when there is none.
    pub(crate) fn version(&mut self, session: &Session, by: isize) -> bool {
        let Shown::Block(index, version) = self.shown.clone() else { return false };
        let versions = session.archive().versions(&index);
        let at = versions.iter().position(|v| v.block.version == version);
        let Some(next) = at.and_then(|at| at.checked_add_signed(by)).and_then(|at| versions.get(at)) else { return false };
        self.show_version(session, next);
        true
    }

    fn set_text(&mut self, text: Arc<str>, plain: bool) {
        self.content = Arc::clone(&text);
        let document = Document::new(text);
        self.colours = (!plain).then(|| {
            let wake = self.wake.clone();
            Highlighter::new(&document, &hint(&self.facts, document.line(0)), move || (wake.0)())
        });
        self.view = self.fresh(document);
    }

    /// A view from the top that wraps as the one before it did.
    fn fresh(&self, document: Document) -> TextView {
        let mut view = TextView::new(document);
        view.set_wrap(self.view.is_wrapped());
        view
    }

    /// Moves what is seen.
    pub(crate) fn go(&mut self, by: Move) {
        match by.rows(self.view.height()) {
            Some(rows) => self.view.scroll(rows),
            None if by == Move::Top => self.view.top_most(),
            None => self.view.bottom(),
        }
    }

    /// Moves sideways.
    pub(crate) fn sideways(&mut self, columns: isize) {
        self.view.scroll_sideways(columns);
    }

    /// Brings bytes of the text into view.
    pub(crate) fn show_bytes(&mut self, bytes: Range<usize>) {
        self.view.show(bytes);
    }

    /// Wraps or does not; what it does now.
    pub(crate) fn toggle_wrap(&mut self) -> bool {
        let wrap = !self.view.is_wrapped();
        self.view.set_wrap(wrap);
        wrap
    }

    /// Records instead of texts; shown from the next message on.
    pub(crate) fn set_raw(&mut self, raw: bool) {
        self.raw = raw;
        self.view.set_gutter(raw);
    }

    /// Marks what was searched for.
    pub(crate) fn set_search(&mut self, finder: Option<&Finder>) {
        if self.view.search().map(Finder::needle) != finder.map(Finder::needle) {
            self.view.set_search(finder.cloned());
        }
    }

    /// The title of the pane.
    pub(crate) fn title(&self) -> &str {
        if self.title.is_empty() { "Block" } else { &self.title }
    }

    /// Draws the pane.
    pub(crate) fn draw(&mut self, area: Rect, buffer: &mut Buffer, look: &Look) {
        if self.shown == Shown::Nothing {
            let text = "The block of the selected index is shown here as it was archived. Looking never changes the context; reading a block puts it back.";
            paint::wrapped(buffer, Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area }, look.theme.dim(), text);
            return;
        }
        let mut y = area.top();
        for fact in &self.facts {
            // The text itself needs room too.
            if y + 3 >= area.bottom() {
                break;
            }
            let room = Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 3 };
            y = paint::wrapped(buffer, room, look.theme.dim(), fact);
        }
        if y > area.top() && y < area.bottom() {
            let rule = look.or("─", "-").repeat(usize::from(area.width));
            paint::text(buffer, area.x, y, area.width, look.theme.border(false), &rule);
            y += 1;
        }
        let rest = Rect { y, height: area.bottom().saturating_sub(y), x: area.x + 1, width: area.width.saturating_sub(1) };
        match &mut self.colours {
            Some(colours) => self.view.render(rest, buffer, &look.theme, colours),
            None => self.view.render(rest, buffer, &look.theme, &mut Plain),
        }
    }
}

fn version_of<'a>(session: &'a Session, index: &Index, version: u32) -> Option<&'a Version> {
    session.archive().versions(index).iter().find(|v| v.block.version == version)
}

/// What is known of a version: how it came about, from where, how large, how often read.
fn facts(session: &Session, version: &Version) -> Vec<String> {
    let block = &version.block;
    let description = session.index_map().0.iter().find(|(i, _)| *i == block.index).map(|(_, d)| d.clone());
    let kind = match block.kind {
        BlockKind::Anchored => "word for word",
        BlockKind::Authored => "written by the agent",
        BlockKind::Mixed => "written, with an extract",
    };
    let by = session.compressions().iter().find(|c| c.seq == version.seq);
    let mut first =
        format!("{kind} · {} tokens · {} bytes", words::thousands(u64::from(version.tokens)), words::thousands(block.content.len() as u64));
    first += &match version.reads {
        0 => " · never read".to_owned(),
        n => format!(" · {} (last in t{})", words::count(n as usize, "read"), version.last_read.unwrap_or(0)),
    };
    if version.withdrawn {
        first = format!("withdrawn (its compression was undone) · {first}");
    }
    let mut list = vec![first];
    let source = match (version.spans.first(), version.spans.last()) {
        (Some(from), Some(to)) => {
            // Where the message stands is known as long as the compression that took it is.
            let step = by.and_then(|c| c.before.get(from.message)).map_or(String::new(), |m| format!("t{} ", m.step));
            if from.message == to.message {
                format!(
                    "from {step}message {} bytes {}–{}",
                    from.message.0,
                    words::thousands(from.from as u64),
                    words::thousands(from.to as u64)
                )
            } else {
                format!("from {step}messages {}–{}", from.message.0, to.message.0)
            }
        }
        _ => "from the call".into(),
    };
    let author = by.map_or("", |c| words::author(c.event.by));
    list.push(format!("{source} · archived in t{} by {author} · blake3 {}", version.step, block.digest.short()));
    if let Some(description) = description.filter(|d| !d.is_empty()) {
        list.push(format!("σ says: {description}"));
    }
    list
}

/// The language of a text, from a file name in its first line or in what σ says of it.
fn hint(facts: &[String], first: &str) -> Hint {
    const CODE: [&str; 24] = [
        "rs", "py", "js", "ts", "c", "h", "cpp", "java", "go", "rb", "sh", "toml", "yaml", "yml", "json", "md", "html", "css", "sql",
        "xml", "lua", "php", "pl", "hs",
    ];
    let words = |text: &'_ str| -> Option<String> {
        let mut words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '`' | '"' | '\'' | '(' | ')'));
        let file = words.find(|w| w.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && CODE.contains(&ending)));
        file.map(str::to_owned)
    };
    let first: String = first.chars().take(300).collect();
    facts.iter().find(|f| f.starts_with("σ says")).and_then(|f| words(f)).or_else(|| words(&first)).map_or_else(Hint::default, Hint::of)
}
