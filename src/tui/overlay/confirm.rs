//! A question with yes and no, and what yes does.

use crossterm::event::KeyCode;

use super::Reply;
use crate::tui::effect::Effect;
use crate::tui::keys::Key;

/// The question.
#[derive(Clone, Debug)]
pub(crate) struct Confirm {
    /// What is asked about.
    pub(crate) title: String,
    /// What yes would do, line by line.
    pub(crate) lines: Vec<String>,
    /// Done on yes.
    pub(crate) effects: Vec<Effect>,
}

impl Confirm {
    /// Answers a key. Enter is no answer: what costs something is never done by a habit.
    pub(crate) fn key(&mut self, key: Key) -> Reply {
        match (key.text(), key.code()) {
            (Some('y'), _) => Reply::Do(std::mem::take(&mut self.effects)),
            (Some('n' | 'q'), _) | (_, KeyCode::Esc) => Reply::Close,
            _ => Reply::Stay,
        }
    }
}
