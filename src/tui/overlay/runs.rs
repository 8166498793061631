//! The runs of the file as a tree: branches under what they left, sub-agents under what called them.

use crossterm::event::KeyCode;

use super::Reply;
use crate::tui::app::Branch;
use crate::tui::keys::Key;

/// The list.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    /// The runs in the order of the tree.
    pub(crate) tree: Vec<Branch>,
    /// The chosen row.
    pub(crate) selected: usize,
}

impl Runs {
    /// The tree with the run that is shown chosen.
    pub(crate) fn new(tree: Vec<Branch>, current: usize) -> Self {
        let selected = tree.iter().position(|b| b.run == current).unwrap_or(0);
        Self { tree, selected }
    }

    /// Answers a key.
    pub(crate) fn key(&mut self, key: Key) -> Reply {
        let last = self.tree.len().saturating_sub(1);
        match (key.text(), key.code()) {
            (Some('j'), _) | (_, KeyCode::Down) => self.selected = (self.selected + 1).min(last),
            (Some('k'), _) | (_, KeyCode::Up) => self.selected = self.selected.saturating_sub(1),
            (Some(' '), _) | (_, KeyCode::PageDown) => self.selected = (self.selected + 10).min(last),
            (_, KeyCode::PageUp) => self.selected = self.selected.saturating_sub(10),
            (Some('g'), _) | (_, KeyCode::Home) => self.selected = 0,
            (Some('G'), _) | (_, KeyCode::End) => self.selected = last,
            (_, KeyCode::Enter) => return self.tree.get(self.selected).map_or(Reply::Close, |b| Reply::Run(b.run)),
            (Some('q'), _) => return Reply::Close,
            _ => {}
        }
        Reply::Stay
    }
}
