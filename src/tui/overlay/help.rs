//! Every command with its keys, filtered as one types.

use crossterm::event::KeyCode;

use super::Reply;
use crate::tui::command::{COMMANDS, Command};
use crate::tui::input::Input;
use crate::tui::keys::Key;

/// The help.
#[derive(Clone, Debug, Default)]
pub(crate) struct Help {
    /// Shows only commands that hold this.
    pub(crate) filter: Input,
    /// First row shown.
    pub(crate) scroll: usize,
}

impl Help {
    /// Answers a key: text filters, the rest scrolls.
    pub(crate) fn key(&mut self, key: Key) -> Reply {
        match key.code() {
            KeyCode::Enter => return Reply::Close,
            KeyCode::Down => self.scroll += 1,
            KeyCode::Up => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::PageDown => self.scroll += 10,
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(10),
            _ => {
                if self.filter.key(key) {
                    self.scroll = 0;
                }
            }
        }
        Reply::Stay
    }

    /// The commands that fit the filter: every word of it stands in name, help or keys. `keys` gives a command's keys in words.
    pub(crate) fn fitting(&self, keys: impl Fn(&Command) -> String) -> Vec<&'static Command> {
        let words: Vec<String> = self.filter.text().split_whitespace().map(str::to_lowercase).collect();
        let fits = |c: &&Command| {
            let text = format!("{} {} {}", c.name, c.help.to_lowercase(), c.group.title().to_lowercase());
            let keys = keys(c);
            words.iter().all(|w| text.contains(w.as_str()) || keys.split(' ').any(|k| k == w))
        };
        COMMANDS.iter().filter(fits).collect()
    }
}
