//! Finding text in text without regard to case, with ranges that are valid in the text as it is.
//!
//! Lower-casing a copy and searching in that gives offsets of the copy: `İ` becomes two characters, `ẞ` loses a byte.
//! Here each character is folded where it stands. The fold is lower, upper and again lower case, character by character:
//! `ß` finds `SS`, `σ` finds `ς`, `K` (Kelvin) finds `k`. No normalisation: `é` in two forms is two different texts.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem;

/// Whether case counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    /// Every letter as written.
    Exact,
    /// Case is ignored.
    Ignore,
    /// Ignored unless the needle itself holds an upper-case letter.
    #[default]
    Smart,
}

/// A needle made ready to be looked for.
#[derive(Debug, Clone)]
pub struct Finder {
    needle: String,
    how: How,
}

#[derive(Debug, Clone)]
enum How {
    Nothing,
    Exact(Box<memmem::Finder<'static>>),
    Folded { folded: Vec<char>, heads: Vec<u8>, ascii: Option<Ascii> },
}

/// How a needle of ASCII is looked for in text of ASCII: by its rarest letter.
#[derive(Debug, Clone)]
struct Ascii {
    lower: Vec<u8>,
    rarest: usize,
}

/// Bytes that are looked at together, to know whether they are ASCII.
const BLOCK: usize = 32 * 1024;

impl Finder {
    /// Prepares `needle`. An empty one finds nothing.
    #[must_use]
    pub fn new(needle: &str, case: Case) -> Self {
        let exact = match case {
            Case::Exact => true,
            Case::Ignore => false,
            Case::Smart => needle.chars().any(char::is_uppercase),
        };
        let how = if needle.is_empty() {
            How::Nothing
        } else if exact {
            How::Exact(Box::new(memmem::Finder::new(needle).into_owned()))
        } else {
            let folded: Vec<char> = needle.chars().flat_map(fold).collect();
            let heads = folded.first().map(|&first| heads(first)).unwrap_or_default();
            let ascii = folded.iter().all(char::is_ascii).then(|| Ascii::new(folded.iter().map(|&c| c as u8).collect()));
            How::Folded { folded, heads, ascii }
        };
        Self { needle: needle.to_owned(), how }
    }

    /// The needle as it was given.
    #[must_use]
    pub fn needle(&self) -> &str {
        &self.needle
    }

    /// The first match that starts at byte `from` or after. Its range is valid in `text`.
    #[must_use]
    pub fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let from = text.ceil_char_boundary(from.min(text.len()));
        match &self.how {
            How::Nothing => None,
            How::Exact(finder) => finder.find(&text.as_bytes()[from..]).map(|at| from + at..from + at + self.needle.len()),
            How::Folded { folded, heads, ascii } => {
                let mut from = from;
                while from < text.len() {
                    // Matches that start in the block may reach beyond it.
                    let end = text.ceil_char_boundary((from + BLOCK).min(text.len()));
                    let reach = text.ceil_char_boundary((end + self.longest_match()).min(text.len()));
                    let block = &text[from..reach];
                    let found = match (block.is_ascii(), ascii) {
                        (true, None) => None,
                        (true, Some(ascii)) => ascii.find(block.as_bytes(), end - from),
                        (false, _) => Heads::new(block.as_bytes(), heads)
                            .take_while(|&at| at < end - from)
                            .find_map(|at| matches_at(block, at, folded).map(|end| at..end)),
                    };
                    if let Some(found) = found {
                        return Some(from + found.start..from + found.end);
                    }
                    from = end;
                }
                None
            }
        }
    }

    /// The last match that starts before byte `until`. Looks backwards in pieces: a match nearby is found at once.
    #[must_use]
    pub fn find_last(&self, text: &str, until: usize) -> Option<Range<usize>> {
        let mut end = text.floor_char_boundary(until.min(text.len()));
        while end > 0 {
            let start = text.floor_char_boundary(end.saturating_sub(64 * 1024));
            let window = &text[..text.ceil_char_boundary((end + self.longest_match()).min(text.len()))];
            let mut last = None;
            let mut from = start;
            while let Some(found) = self.find(window, from).filter(|found| found.start < end) {
                from = found.start + window[found.start..].chars().next().map_or(1, char::len_utf8);
                last = Some(found);
            }
            if last.is_some() {
                return last;
            }
            end = start;
        }
        None
    }

    /// Bytes beyond which no match reaches.
    #[must_use]
    pub fn longest_match(&self) -> usize {
        // A character of the fold comes from at most one character of the text, of at most four bytes.
        match &self.how {
            How::Nothing => 0,
            How::Exact(_) => self.needle.len(),
            How::Folded { folded, .. } => folded.len().saturating_mul(4),
        }
    }

    /// All matches that do not overlap, first to last. Lazy.
    pub fn find_all<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.find(text, from)?;
            from = found.end;
            Some(found)
        })
    }
}

impl Ascii {
    fn new(lower: Vec<u8>) -> Self {
        /// From frequent to rare, in prose, code and JSON.
        const FREQUENT: &[u8] = b" etaoinsrhld\"c,umfp:g_wyb.v0k1/-{}[]()='2x";
        let rank = |byte: &u8| FREQUENT.iter().position(|known| known == byte).unwrap_or(FREQUENT.len());
        let rarest = (0..lower.len()).max_by_key(|&at| lower.get(at).map_or(0, rank)).unwrap_or(0);
        Self { lower, rarest }
    }

    /// The first match in `text` that starts before `end`.
    fn find(&self, text: &[u8], end: usize) -> Option<Range<usize>> {
        let &byte = self.lower.get(self.rarest)?;
        let matches = |at: usize| {
            let start = at.checked_sub(self.rarest)?;
            let range = start..start + self.lower.len();
            text.get(range.clone())?.eq_ignore_ascii_case(&self.lower).then_some(range)
        };
        memchr::memchr2_iter(byte, byte.to_ascii_uppercase(), text).find_map(matches).filter(|found| found.start < end)
    }
}

/// Where a match that starts at `at` ends, if one does; never inside a character.
fn matches_at(text: &str, at: usize, folded: &[char]) -> Option<usize> {
    let mut wanted = folded.iter();
    for (offset, c) in text.get(at..)?.char_indices() {
        if wanted.len() == 0 {
            return Some(at + offset);
        }
        if c.is_ascii() {
            if wanted.next() != Some(&c.to_ascii_lowercase()) {
                return None;
            }
            continue;
        }
        for f in fold(c) {
            if wanted.next() != Some(&f) {
                return None;
            }
        }
    }
    (wanted.len() == 0).then_some(text.len())
}

fn fold(c: char) -> impl Iterator<Item = char> {
    let ascii = c.is_ascii().then_some(c.to_ascii_lowercase());
    let other = (!c.is_ascii()).then(|| c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase));
    ascii.into_iter().chain(other.into_iter().flatten())
}

/// First bytes of every character whose fold begins with `first`.
fn heads(first: char) -> Vec<u8> {
    static SOURCES: OnceLock<HashMap<char, Vec<u8>>> = OnceLock::new();
    let sources = SOURCES.get_or_init(|| {
        let mut map: HashMap<char, Vec<u8>> = HashMap::new();
        // Letters with case end in the Adlam block.
        for c in '\u{80}'..='\u{1E943}' {
            if let Some(f) = fold(c).next().filter(|&f| f != c) {
                map.entry(f).or_default().push(head(c));
            }
        }
        map
    });
    let mut heads = vec![head(first), head(first.to_ascii_uppercase())];
    heads.extend(sources.get(&first).into_iter().flatten());
    heads.sort_unstable();
    heads.dedup();
    heads
}

fn head(c: char) -> u8 {
    let mut buffer = [0; 4];
    c.encode_utf8(&mut buffer);
    buffer[0]
}

/// Places where one of some bytes stands, in order: three bytes to a scan, the scans merged.
struct Heads<'a> {
    scans: Vec<Scan<'a>>,
}

struct Scan<'a> {
    next: Option<usize>,
    rest: Box<dyn Iterator<Item = usize> + 'a>,
}

impl<'a> Heads<'a> {
    fn new(text: &'a [u8], heads: &[u8]) -> Self {
        let scan = |bytes: &[u8]| {
            let mut rest: Box<dyn Iterator<Item = usize> + 'a> = match *bytes {
                [a] => Box::new(memchr::memchr_iter(a, text)),
                [a, b] => Box::new(memchr::memchr2_iter(a, b, text)),
                [a, b, c, ..] => Box::new(memchr::memchr3_iter(a, b, c, text)),
                [] => Box::new(std::iter::empty()),
            };
            Scan { next: rest.next(), rest }
        };
        Self { scans: heads.chunks(3).map(scan).collect() }
    }
}

impl Iterator for Heads<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let scan = self.scans.iter_mut().filter(|scan| scan.next.is_some()).min_by_key(|scan| scan.next)?;
        let at = scan.next.take();
        scan.next = scan.rest.next();
        at
    }
}

#[cfg(test)]
mod tests;
