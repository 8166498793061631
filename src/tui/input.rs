//! A line of text under edit: the prompt of search, palette, filters and dialogs.
//!
//! Knows no screen. Cursor and deletion go by grapheme, so that no character is ever halved.

use crossterm::event::KeyCode;
use unicode_segmentation::UnicodeSegmentation;

use super::keys::Key;

/// Longest text that is kept; a paste beyond is cut.
const LONGEST: usize = 256 * 1024;

/// The text and where its cursor stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Input {
    text: String,
    /// Byte offset, on a grapheme boundary.
    cursor: usize,
}

impl Input {
    /// A filled line with the cursor at its end.
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), cursor: text.len() }
    }
    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
    /// What stands before and behind the cursor.
    pub(crate) fn split(&self) -> (&str, &str) {
        self.text.split_at_checked(self.cursor).unwrap_or((&self.text, ""))
    }
    /// Byte offset of the cursor.
    pub(crate) fn cursor(&self) -> usize {
        self.cursor
    }

    /// Inserts at the cursor: one insert, whatever its length. Line ends become spaces: a line stays a line.
    pub(crate) fn insert(&mut self, text: &str) {
        let room = LONGEST.saturating_sub(self.text.len());
        let mut end = room.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let line = text.get(..end).unwrap_or("").replace("\r\n", " ").replace(['\r', '\n'], " ");
        self.text.insert_str(self.cursor, &line);
        self.cursor += line.len();
    }

    /// Puts another text in its place.
    pub(crate) fn set(&mut self, text: &str) {
        *self = Self::new(text);
    }

    /// Edits by a key. False when the key is no edit.
    pub(crate) fn key(&mut self, key: Key) -> bool {
        let (ctrl, alt) = (key.ctrl(), key.alt());
        match key.code() {
            KeyCode::Char('u') if ctrl => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            KeyCode::Char('k') if ctrl => self.text.truncate(self.cursor),
            KeyCode::Char('w') if ctrl => self.delete_to(self.word_start()),
            KeyCode::Char('a') if ctrl => self.cursor = 0,
            KeyCode::Char('e') if ctrl => self.cursor = self.text.len(),
            KeyCode::Char('h') if ctrl => self.delete_to(self.before()),
            KeyCode::Char(c) if !ctrl && !alt => self.insert(c.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace if alt || ctrl => self.delete_to(self.word_start()),
            KeyCode::Backspace => self.delete_to(self.before()),
            KeyCode::Delete => {
                let to = self.after();
                self.text.drain(self.cursor..to);
            }
            KeyCode::Left => self.cursor = self.before(),
            KeyCode::Right => self.cursor = self.after(),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            _ => return false,
        }
        true
    }

    fn delete_to(&mut self, from: usize) {
        self.text.drain(from..self.cursor);
        self.cursor = from;
    }
    fn before(&self) -> usize {
        self.split().0.grapheme_indices(true).next_back().map_or(0, |(i, _)| i)
    }
    fn after(&self) -> usize {
        self.cursor + self.split().1.graphemes(true).next().map_or(0, str::len)
    }
    fn word_start(&self) -> usize {
        let before = self.split().0.trim_end();
        before.char_indices().rev().find(|(_, c)| c.is_whitespace()).map_or(0, |(i, c)| i + c.len_utf8())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn press(input: &mut Input, key: &str) {
        input.key(key.parse().unwrap());
    }

    #[test]
    fn graphemes_are_never_halved() {
        let mut input = Input::default();
        input.insert("a👩\u{200d}🔬e\u{301}");
        press(&mut input, "backspace");
        assert_eq!(input.text(), "a👩\u{200d}🔬");
        press(&mut input, "left");
        press(&mut input, "x");
        assert_eq!(input.split(), ("ax", "👩\u{200d}🔬"));
        press(&mut input, "delete");
        assert_eq!(input.text(), "ax");
    }

    #[test]
    fn a_paste_is_one_insert_and_stays_one_line() {
        let mut input = Input::default();
        input.insert(&"line\r\n".repeat(40_000));
        assert!(!input.text().contains(['\r', '\n']));
        assert_eq!(input.text().len(), "line ".len() * 40_000);
        press(&mut input, "ctrl-w");
        assert_eq!(input.text().len(), "line ".len() * 39_999);
        press(&mut input, "ctrl-u");
        assert_eq!(input.text(), "");
    }
}
