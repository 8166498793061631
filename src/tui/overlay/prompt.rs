//! The search prompt, with the queries of before.

use crossterm::event::KeyCode;

use super::Reply;
use crate::tui::input::Input;
use crate::tui::keys::Key;

/// The prompt.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prompt {
    /// What is typed.
    pub(crate) input: Input,
    /// Earlier queries, newest last.
    pub(crate) history: Vec<String>,
    /// How far back the input was taken from.
    back: usize,
}

impl Prompt {
    /// An empty prompt that remembers.
    pub(crate) fn new(history: Vec<String>) -> Self {
        Self { history, ..Self::default() }
    }

    /// Answers a key.
    pub(crate) fn key(&mut self, key: Key) -> Reply {
        match key.code() {
            KeyCode::Enter => return Reply::Find(self.input.text().to_owned()),
            KeyCode::Up => self.recall(self.back + 1),
            KeyCode::Down => self.recall(self.back.saturating_sub(1)),
            KeyCode::Backspace if self.input.text().is_empty() => return Reply::Close,
            _ => {
                self.input.key(key);
            }
        }
        Reply::Stay
    }

    fn recall(&mut self, back: usize) {
        if back == 0 {
            self.back = 0;
            self.input.set("");
        } else if let Some(text) = self.history.len().checked_sub(back).and_then(|i| self.history.get(i)) {
            self.back = back;
            let text = text.clone();
            self.input.set(&text);
        }
    }
}
