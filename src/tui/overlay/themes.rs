//! The theme picker: what is chosen is shown at once, `Esc` puts the old one back.

use crossterm::event::KeyCode;

use super::Reply;
use crate::tui::keys::Key;

/// The picker.
#[derive(Clone, Debug)]
pub(crate) struct Themes {
    /// Names of the themes.
    pub(crate) names: Vec<String>,
    /// The chosen one.
    pub(crate) selected: usize,
    /// The one from before.
    pub(crate) before: usize,
}

impl Themes {
    /// Answers a key.
    pub(crate) fn key(&mut self, key: Key) -> Reply {
        let last = self.names.len().saturating_sub(1);
        match (key.text(), key.code()) {
            (Some('j' | 'T'), _) | (_, KeyCode::Down) => self.selected = if self.selected >= last { 0 } else { self.selected + 1 },
            (Some('k'), _) | (_, KeyCode::Up) => self.selected = self.selected.checked_sub(1).unwrap_or(last),
            (_, KeyCode::Enter) => return Reply::Close,
            _ => {}
        }
        Reply::Stay
    }
}
