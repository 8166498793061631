//! Splits `<think>…</think>` off a content that arrives in pieces.
//!
//! Only at the start of an answer do the tags mean thinking; later they are text that speaks about them.
//! Chat templates that open the tag themselves leave an answer with a closing tag only: then all before
//! it was thinking.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// What a piece turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// More thinking.
    Thinking(String),
    /// More text.
    Text(String),
    /// All that was handed out as text was thinking.
    TextWasThinking,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Nothing but white space yet.
    Start,
    Inside,
    /// In the text; `true` after a block of thinking.
    Text(bool),
}

/// The splitter.
#[derive(Debug)]
pub struct Splitter {
    place: Place,
    /// What may be the start of a tag.
    held: String,
    /// No block of thinking has ended yet.
    blank: bool,
}

impl Default for Splitter {
    fn default() -> Self {
        Self { place: Place::Start, held: String::new(), blank: true }
    }
}

impl Splitter {
    /// Takes more content.
    pub fn push(&mut self, content: &str) -> Vec<Piece> {
        self.held.push_str(content);
        let mut pieces = Vec::new();
        while self.advance(&mut pieces) {}
        pieces
    }

    /// Hands out what was held back at the end of the content.
    pub fn finish(&mut self) -> Vec<Piece> {
        let rest = std::mem::take(&mut self.held);
        let rest = if self.place == Place::Start && !self.blank { rest.trim_start().to_owned() } else { rest };
        let mut pieces = Vec::new();
        push(&mut pieces, if self.place == Place::Inside { Piece::Thinking } else { Piece::Text }, rest);
        pieces
    }

    /// Whether it can go on with what it holds.
    fn advance(&mut self, pieces: &mut Vec<Piece>) -> bool {
        match self.place {
            Place::Start => {
                let trimmed = self.held.trim_start();
                if let Some(rest) = trimmed.strip_prefix(OPEN) {
                    self.held = rest.to_owned();
                    self.place = Place::Inside;
                    true
                } else if OPEN.starts_with(trimmed) {
                    false
                } else {
                    // The line ends behind a closing tag belong to the tag.
                    if !self.blank {
                        self.held = trimmed.to_owned();
                    }
                    self.place = Place::Text(!self.blank);
                    true
                }
            }
            Place::Inside => {
                let (before, closed) = self.until_close();
                push(pieces, Piece::Thinking, before);
                if closed {
                    self.blank = false;
                    self.place = Place::Start;
                }
                closed
            }
            Place::Text(true) => {
                push(pieces, Piece::Text, std::mem::take(&mut self.held));
                false
            }
            Place::Text(false) => {
                let (before, closed) = self.until_close();
                push(pieces, Piece::Text, before);
                if closed {
                    pieces.push(Piece::TextWasThinking);
                    self.blank = false;
                    self.place = Place::Start;
                }
                closed
            }
        }
    }

    /// Takes what stands before the closing tag, or all that cannot be part of one.
    fn until_close(&mut self) -> (String, bool) {
        if let Some((before, after)) = self.held.split_once(CLOSE) {
            let (before, after) = (before.to_owned(), after.to_owned());
            self.held = after;
            return (before, true);
        }
        let keep = (1..CLOSE.len()).rev().find(|&n| CLOSE.get(..n).is_some_and(|start| self.held.ends_with(start))).unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - keep);
        (std::mem::replace(&mut self.held, rest), false)
    }
}

fn push(pieces: &mut Vec<Piece>, kind: fn(String) -> Piece, text: String) {
    if !text.is_empty() {
        pieces.push(kind(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thinking and text, pushed in pieces of `size` characters.
    fn split(content: &str, size: usize) -> (String, String) {
        let (mut thinking, mut text) = (String::new(), String::new());
        let mut splitter = Splitter::default();
        let chars: Vec<char> = content.chars().collect();
        let mut pieces: Vec<Piece> = chars.chunks(size).flat_map(|c| splitter.push(&c.iter().collect::<String>())).collect();
        pieces.extend(splitter.finish());
        for piece in pieces {
            match piece {
                Piece::Thinking(t) => thinking += &t,
                Piece::Text(t) => text += &t,
                Piece::TextWasThinking => thinking += &std::mem::take(&mut text),
            }
        }
        (thinking, text)
    }

    #[test]
    fn however_it_is_cut() {
        for (content, thinking, text) in [
            ("<think>a < b</think>\n\nso", "a < b", "so"),
            ("\n<think>a</think><think>b</think>c", "ab", "c"),
            ("plain <think> text", "", "plain <think> text"),
            ("opened by the template</think>answer", "opened by the template", "answer"),
            ("<think>never closed </thin", "never closed </thin", ""),
            ("<think></think>x </think> y", "", "x </think> y"),
            ("<thin", "", "<thin"),
            ("a </thin", "", "a </thin"),
            ("", "", ""),
        ] {
            for size in 1..=content.len().max(1) {
                assert_eq!(split(content, size), (thinking.to_owned(), text.to_owned()), "{content:?} in pieces of {size}");
            }
        }
    }
}
