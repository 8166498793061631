//! A text and where its lines start, found once.

use std::ops::Range;
use std::sync::Arc;

/// A text taken as lines. Cloning it costs a pointer.
///
/// Lines end with `\n`; a last line without one counts, and so does the one empty line of an empty text.
#[derive(Debug, Clone)]
pub struct Document(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    text: Arc<str>,
    starts: Starts,
}

/// Where lines start: half the memory where offsets fit in 32 bits, as they nearly always do.
#[derive(Debug, Clone)]
enum Starts {
    Small(Vec<u32>),
    Large(Vec<usize>),
}

impl Starts {
    fn of(text: &str) -> Self {
        match u32::try_from(text.len()) {
            Ok(_) => Self::Small(vec![0]),
            Err(_) => Self::Large(vec![0]),
        }
        .continued(text, 0)
    }

    /// With the lines that start after byte `from`.
    fn continued(mut self, text: &str, from: usize) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes().get(from..).unwrap_or_default());
        let starts = ends.map(|at| from + at + 1).filter(|&start| start < text.len());
        match &mut self {
            Self::Small(list) => list.extend(starts.map(|start| u32::try_from(start).unwrap_or(u32::MAX))),
            Self::Large(list) => list.extend(starts),
        }
        self
    }

    fn len(&self) -> usize {
        match self {
            Self::Small(list) => list.len(),
            Self::Large(list) => list.len(),
        }
    }

    fn get(&self, line: usize) -> Option<usize> {
        match self {
            Self::Small(list) => list.get(line).map(|&start| start as usize),
            Self::Large(list) => list.get(line).copied(),
        }
    }

    /// How many lines start at `byte` or before.
    fn until(&self, byte: usize) -> usize {
        match self {
            Self::Small(list) => list.partition_point(|&start| start as usize <= byte),
            Self::Large(list) => list.partition_point(|&start| start <= byte),
        }
    }
}

impl Default for Document {
    fn default() -> Self {
        Self::new(Arc::from(""))
    }
}

impl Document {
    /// Finds the lines of `text`: one pass.
    #[must_use]
    pub fn new(text: Arc<str>) -> Self {
        let starts = Starts::of(&text);
        Self(Arc::new(Inner { text, starts }))
    }

    /// The document of `text`; where it only continues this one, only what is new is looked through for lines.
    #[must_use]
    pub fn continued(&self, text: Arc<str>) -> Self {
        let old = &self.0;
        if !text.starts_with(&*old.text) || (u32::try_from(text.len()).is_err() && matches!(old.starts, Starts::Small(_))) {
            return Self::new(text);
        }
        // The old text's last `\n` may only now have a line after it.
        let from = old.text.len().saturating_sub(1);
        let from = if old.text.ends_with('\n') { from } else { old.text.len() };
        let starts = old.starts.clone().continued(&text, from);
        Self(Arc::new(Inner { text, starts }))
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.0.text
    }

    /// How many lines there are, ≥ 1.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.0.starts.len()
    }

    /// The bytes of line `line` (from 0) without its `\n`; empty at the end where there is no such line.
    #[must_use]
    pub fn range(&self, line: usize) -> Range<usize> {
        let len = self.0.text.len();
        let Some(start) = self.0.starts.get(line) else { return len..len };
        let end = self.0.starts.get(line + 1).unwrap_or(len);
        let ended = end > start && self.0.text.as_bytes().get(end - 1) == Some(&b'\n');
        start..end - usize::from(ended)
    }

    /// Line `line` (from 0) without its `\n`.
    #[must_use]
    pub fn line(&self, line: usize) -> &str {
        self.0.text.get(self.range(line)).unwrap_or_default()
    }

    /// The line (from 0) that holds `byte`; a `\n` belongs to the line it ends.
    #[must_use]
    pub fn line_of(&self, byte: usize) -> usize {
        self.0.starts.until(byte).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(document: &Document) -> Vec<&str> {
        (0..document.lines()).map(|line| document.line(line)).collect()
    }

    #[test]
    fn lines_are_as_std_has_them_but_keep_their_carriage_returns() {
        for text in ["", "a", "a\n", "a\nb", "\n", "\n\n", "a\n\nb\n", "語\n🙏\nx"] {
            let document = Document::new(text.into());
            let mut expected: Vec<&str> = text.lines().collect();
            if expected.is_empty() {
                expected.push("");
            }
            assert_eq!(lines(&document), expected, "{text:?}");
        }
        assert_eq!(lines(&Document::new("a\r\nb".into())), ["a\r", "b"]);
        assert_eq!(Document::new("a\nb".into()).line(7), "");
    }

    #[test]
    fn continuing_in_any_pieces_is_the_same_as_starting_over() {
        let text = "one\n\ntwo\nthree\n";
        for cut in 0..=text.len() {
            for second in cut..=text.len() {
                let document = Document::new(text[..cut].into()).continued(text[..second].into()).continued(text.into());
                assert_eq!(lines(&document), ["one", "", "two", "three"], "{cut} {second}");
            }
        }
        assert_eq!(lines(&Document::new("a\nb".into()).continued("x\ny".into())), ["x", "y"]);
    }

    #[test]
    fn bytes_know_their_lines() {
        let document = Document::new("ab\n\nc".into());
        let found: Vec<usize> = (0..=5).map(|byte| document.line_of(byte)).collect();
        assert_eq!(found, [0, 0, 0, 1, 2, 2]);
    }
}
