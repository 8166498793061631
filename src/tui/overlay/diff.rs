//! Two states of M side by side in time: around a compression, or around a step.
//!
//! Around a compression every line that left M says whether a block has it word for word.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::KeyCode;
use similar::{Algorithm, ChangeTag, TextDiff};

use super::Reply;
use crate::memory::anchor::Span;
use crate::memory::{Context, Message};
use crate::session::{Compression, Session};
use crate::tui::keys::Key;
use crate::tui::pane::item;
use crate::tui::words;

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A heading of ours.
    Heading,
    /// In both.
    Same,
    /// Only after.
    Added,
    /// Only before.
    Removed,
    /// Only before, and word for word in a block.
    Archived,
}

impl Fate {
    /// The glyph in front of the line; the state is never told by colour alone.
    pub(crate) fn glyph(self) -> &'static str {
        match self {
            Self::Heading => "",
            Self::Same => "  ",
            Self::Added => "+ ",
            Self::Removed => "- ",
            Self::Archived => "= ",
        }
    }
}

/// One line of the comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// What became of it.
    pub(crate) fate: Fate,
    /// Its text, as it came.
    pub(crate) text: String,
}

/// The comparison.
#[derive(Clone, Debug)]
pub(crate) struct Diff {
    /// What is compared.
    pub(crate) title: String,
    /// All lines.
    pub(crate) rows: Vec<Row>,
    /// First row shown.
    pub(crate) scroll: usize,
}

/// Longest time spent on finding a small difference; beyond, a larger one is shown.
const PATIENCE: Duration = Duration::from_millis(200);

impl Diff {
    /// What a compression took out of M and put in its place.
    pub(crate) fn compression(compression: &Compression) -> Self {
        let event = &compression.event;
        let undone = if compression.undone { ", undone since" } else { "" };
        let title = format!("compression in step {} by {}{undone}", compression.step, words::author(event.by));
        let mut rows = Vec::new();
        let change = words::change(event.tokens_before, event.tokens_after);
        rows.push(heading(format!(
            "working {} → {} ({change})",
            words::thousands(event.tokens_before),
            words::thousands(event.tokens_after)
        )));
        rows.push(heading("+ is new, - left the context, = left the context and stands word for word in a block".into()));
        let spans: Vec<(&str, Span)> = event.blocks.iter().flat_map(|b| b.source.spans.iter().map(|s| (b.index.as_str(), *s))).collect();
        let before = compression.before.summary();
        rows.push(heading(format!("σ summary · {} tokens", words::thousands(u64::from(event.summary_tokens)))));
        lines(before.map_or("", |m| &*m.text), &event.message_text(), &mut rows);
        for message in compression.before.work().iter().filter(|m| before.is_none_or(|b| b.id != m.id)) {
            if event.kept.contains(&message.id) {
                rows.push(heading(format!("{} stays", name(message))));
                continue;
            }
            removed(message, &spans, &mut rows);
        }
        Self { title, rows, scroll: 0 }
    }

    /// What lies between two states of M.
    pub(crate) fn between(title: String, before: &Session, after: &Session) -> Self {
        let mut rows = Vec::new();
        let tokens = |c: &Context| words::thousands(c.working());
        let change = words::change(before.context().working(), after.context().working());
        rows.push(heading(format!("working {} → {} ({change})", tokens(before.context()), tokens(after.context()))));
        let (old, new) = (before.context().work(), after.context().work());
        // What both begin with is the same messages: told in one line.
        let same = old.iter().zip(new).take_while(|(a, b)| Arc::ptr_eq(a, b) || a == b).count();
        if same > 0 {
            rows.push(heading(format!("the first {same} messages of the working context are the same")));
        }
        for message in old.iter().skip(same).filter(|m| !new.iter().any(|n| n == *m)) {
            match new.iter().find(|n| n.id == message.id) {
                Some(other) => {
                    rows.push(heading(name(message)));
                    lines(&message.text, &other.text, &mut rows);
                }
                None => removed(message, &[], &mut rows),
            }
        }
        for message in new.iter().skip(same).filter(|m| !old.iter().any(|o| o.id == m.id)) {
            rows.push(heading(name(message)));
            rows.extend(item::rendered(message).lines().map(|l| Row { fate: Fate::Added, text: l.to_owned() }));
        }
        Self { title, rows, scroll: 0 }
    }

    /// Answers a key.
    pub(crate) fn key(&mut self, key: Key) -> Reply {
        let last = self.rows.len().saturating_sub(1);
        self.scroll = match (key.text(), key.code()) {
            (Some('j'), _) | (_, KeyCode::Down) => self.scroll + 1,
            (Some('k'), _) | (_, KeyCode::Up) => self.scroll.saturating_sub(1),
            (Some(' '), _) | (_, KeyCode::PageDown) => self.scroll + 20,
            (_, KeyCode::PageUp) => self.scroll.saturating_sub(20),
            (Some('g'), _) | (_, KeyCode::Home) => 0,
            (Some('G'), _) | (_, KeyCode::End) => last,
            // To the next heading, and back.
            (Some('n' | ']'), _) => self.heading_from(self.scroll + 1, true),
            (Some('N' | '['), _) => self.heading_from(self.scroll, false),
            (Some('q'), _) | (_, KeyCode::Enter) => return Reply::Close,
            _ => self.scroll,
        }
        .min(last);
        Reply::Stay
    }

    fn heading_from(&self, at: usize, forward: bool) -> usize {
        let is = |i: &usize| self.rows.get(*i).is_some_and(|r| r.fate == Fate::Heading);
        let found = if forward { (at..self.rows.len()).find(is) } else { (0..at).rev().find(is) };
        found.unwrap_or(self.scroll)
    }
}

fn heading(text: String) -> Row {
    Row { fate: Fate::Heading, text }
}

fn name(message: &Message) -> String {
    format!("{} {} · {} tokens", item::tag(message), item::word(message.kind), words::thousands(u64::from(message.tokens)))
}

fn lines(before: &str, after: &str, rows: &mut Vec<Row>) {
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(PATIENCE).diff_lines(before, after);
    rows.extend(diff.iter_all_changes().map(|change| Row {
        fate: match change.tag() {
            ChangeTag::Equal => Fate::Same,
            ChangeTag::Insert => Fate::Added,
            ChangeTag::Delete => Fate::Removed,
        },
        text: change.value().trim_end_matches(['\n', '\r']).to_owned(),
    }));
}

/// The lines of a message that left M.
fn removed(message: &Message, spans: &[(&str, Span)], rows: &mut Vec<Row>) {
    let own: Vec<&(&str, Span)> = spans.iter().filter(|(_, s)| s.message == message.id).collect();
    let mut names: Vec<&str> = own.iter().map(|(n, _)| *n).collect();
    names.sort_unstable();
    names.dedup();
    let whole = own.iter().any(|(_, s)| s.from == 0 && s.to == message.text.len());
    let kept = match (names.is_empty(), whole) {
        (true, _) => String::new(),
        (false, true) => format!(" · word for word in {}", names.join(", ")),
        (false, false) => format!(" · in part in {}", names.join(", ")),
    };
    rows.push(heading(format!("{}{kept}", name(message))));
    let mut at = 0;
    for line in message.text.split_inclusive('\n') {
        let (from, to) = (at, at + line.trim_end_matches(['\n', '\r']).len());
        at += line.len();
        let archived = own.iter().any(|(_, s)| s.from <= from && to <= s.to);
        let text = line.trim_end_matches(['\n', '\r']).to_owned();
        rows.push(Row { fate: if archived { Fate::Archived } else { Fate::Removed }, text });
    }
}
