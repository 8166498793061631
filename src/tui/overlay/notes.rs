//! Every message so far, newest first: what was said in passing can be read again.

use crossterm::event::KeyCode;

use super::Reply;
use crate::tui::keys::Key;

/// The list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// First row shown.
    pub(crate) scroll: usize,
}

impl Notes {
    /// Answers a key.
    pub(crate) fn key(&mut self, key: Key) -> Reply {
        match (key.text(), key.code()) {
            (Some('j'), _) | (_, KeyCode::Down) => self.scroll += 1,
            (Some('k'), _) | (_, KeyCode::Up) => self.scroll = self.scroll.saturating_sub(1),
            (Some(' '), _) | (_, KeyCode::PageDown) => self.scroll += 10,
            (_, KeyCode::PageUp) => self.scroll = self.scroll.saturating_sub(10),
            (Some('q' | 'w'), _) | (_, KeyCode::Enter) => return Reply::Close,
            _ => {}
        }
        Reply::Stay
    }
}
