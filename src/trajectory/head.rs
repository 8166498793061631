//! Head: the beginning of a file, by which its format is known.

use super::json::Node;
use super::piece::Piece;
use super::records::{Layout, Records};

/// Most records of a file that are looked at to find its format.
const LOOKED_AT: usize = 48;

/// The beginning of a file.
pub struct Head<'a> {
    /// How its records are told apart.
    pub layout: Layout,
    /// The first bytes.
    pub bytes: &'a [u8],
    /// The first records that can be read.
    pub pieces: Vec<Piece<'a>>,
    /// Names of the files in it, where it is an archive.
    pub entries: &'a [String],
}

impl<'a> Head<'a> {
    /// Looks at the first bytes of a file; `whole` when they are all of it.
    #[must_use]
    pub fn new(bytes: &'a [u8], whole: bool, entries: &'a [String]) -> Self {
        let layout = layout(bytes, whole);
        let mut pieces = Vec::new();
        if layout != Layout::Text {
            let mut records = Records::new(bytes, layout);
            while pieces.len() < LOOKED_AT {
                // Reading from memory has no failure.
                let Ok(Some(record)) = records.next(true) else { break };
                let at = usize::try_from(record.place.at).unwrap_or(usize::MAX);
                let here = bytes.get(at..at.saturating_add(record.bytes.len())).unwrap_or(&[]);
                if let Ok(node) = Node::parse(here) {
                    pieces.push(Piece::new(record.place, "", node, here, None));
                }
            }
        }
        Self { layout, bytes, pieces, entries }
    }

    /// The records that are objects, whichever way they stand in the file.
    pub fn objects(&self) -> impl Iterator<Item = &Node<'a>> {
        self.pieces.iter().map(|p| &p.node).filter(|n| n.is_object())
    }

    /// Whether a document has this field.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.field(key).is_some()
    }

    /// A field of a document: for an array in it, its first element.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Node<'a>> {
        self.pieces.iter().find_map(|p| {
            if p.place.key.as_deref() == Some(key) {
                return Some(&p.node);
            }
            let field = if p.is_document() { p.node.get(key)? } else { return None };
            Some(field.items().first().unwrap_or(field))
        })
    }
}

/// How the records of a file that begins like this are told apart.
fn layout(bytes: &[u8], whole: bool) -> Layout {
    let body = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let start = body.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(body.len());
    let body = body.get(start..).unwrap_or(&[]);
    let mut lines = body.split(|b| *b == b'\n').filter(|l| !l.iter().all(u8::is_ascii_whitespace)).take(4);
    let first = lines.next().unwrap_or(&[]);
    let is_object = |line: &[u8]| Node::parse(line).is_ok_and(|n| n.is_object());
    let next: Vec<&[u8]> = lines.collect();
    if is_object(first) {
        // A document on one line may be as large as the file: it is better taken apart.
        return if next.is_empty() && !whole { Layout::Documents } else { Layout::Lines };
    }
    // One line of several may be broken, the first too.
    if first.len() > 1 && !first.starts_with(b"[") && next.iter().take(2).any(|line| line.len() > 2 && is_object(line)) {
        return Layout::Lines;
    }
    if first.starts_with(b"{") || first.starts_with(b"[") { Layout::Documents } else { Layout::Text }
}
