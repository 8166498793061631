//! Commands by name, with the few letters one remembers of it.

use crossterm::event::KeyCode;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::Reply;
use crate::tui::command::{COMMANDS, Command};
use crate::tui::input::Input;
use crate::tui::keys::Key;

/// The palette.
#[derive(Clone, Debug, Default)]
pub(crate) struct Palette {
    /// What is typed.
    pub(crate) input: Input,
    /// Which of the fitting commands is chosen.
    pub(crate) selected: usize,
}

impl Palette {
    /// Answers a key.
    pub(crate) fn key(&mut self, key: Key) -> Reply {
        match key.code() {
            KeyCode::Enter => {
                // `:12` goes to step 12, as every debugger has it.
                let text = self.input.text().trim();
                if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
                    return Reply::Find(format!("#{text}"));
                }
                return self.fitting().get(self.selected).map_or(Reply::Close, |c| Reply::Obey(c.id));
            }
            KeyCode::Down | KeyCode::Tab => self.selected = (self.selected + 1).min(self.fitting().len().saturating_sub(1)),
            KeyCode::Up => self.selected = self.selected.saturating_sub(1),
            _ => {
                if self.input.key(key) {
                    self.selected = 0;
                }
            }
        }
        Reply::Stay
    }

    /// The commands that fit, best first; all in the table's order when nothing is typed.
    pub(crate) fn fitting(&self) -> Vec<&'static Command> {
        let text = self.input.text().trim();
        if text.is_empty() {
            return COMMANDS.iter().collect();
        }
        let mut matcher = Matcher::new(Config::DEFAULT);
        let pattern = Pattern::parse(text, CaseMatching::Ignore, Normalization::Smart);
        let mut buffer = Vec::new();
        let mut rate = |text: &str| pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher);
        // A hit in the name weighs more than the same hit in the sentence.
        let mut rated: Vec<(u32, &Command)> = COMMANDS
            .iter()
            .filter_map(|c| {
                let name = rate(c.name).map(|s| s * 4);
                Some((name.max(rate(c.help))?, c))
            })
            .collect();
        rated.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        rated.into_iter().map(|(_, c)| c).collect()
    }
}
