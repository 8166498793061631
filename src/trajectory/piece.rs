//! Piece: one record of a file as an importer gets it, and the words in it.

use std::borrow::Cow;
use std::sync::Arc;

use super::json::{Node, Quoted, Value};
use super::records::Place;
use crate::text::{Form, Text, TextSource};

/// From this many bytes on a text stays in its file.
const LONG: usize = 512;

/// One record: a line, a field of a document, or an element of an array in it.
#[derive(Clone)]
pub struct Piece<'a> {
    /// Where it stands.
    pub place: Place,
    /// The file in an archive in which it stands; empty outside of archives.
    pub entry: &'a str,
    /// It, read as JSON; for formats of plain text `null` over the bytes of its line.
    pub node: Node<'a>,
    /// The bytes that `place.at` speaks of.
    base: &'a [u8],
    source: Option<&'a Arc<dyn TextSource>>,
}

impl<'a> Piece<'a> {
    /// The record that `node` was read from; `base` starts at `place.at` of the source.
    #[must_use]
    pub fn new(place: Place, entry: &'a str, node: Node<'a>, base: &'a [u8], source: Option<&'a Arc<dyn TextSource>>) -> Self {
        Self { place, entry, node, base, source }
    }

    /// The same record, read as `node`.
    pub(super) fn with(self, node: Node<'a>) -> Self {
        Self { node, ..self }
    }

    /// Whether it is a whole document: a line, or a value that stands alone.
    #[must_use]
    pub fn is_document(&self) -> bool {
        self.place.key.is_none() && self.place.item.is_none()
    }

    /// The field of the document that it is, or is an element of; empty where there is none.
    #[must_use]
    pub fn key(&self) -> &str {
        self.place.key.as_deref().unwrap_or("")
    }

    /// What a document is made of, told apart as a file that is one document is: each field, each element of an array.
    #[must_use]
    pub fn parts(&self) -> Vec<Self> {
        let part = |key: Option<String>, item: Option<u64>, node: &Node<'a>| Self {
            place: Place { key, item, ..self.place.clone() },
            node: node.clone(),
            ..self.clone()
        };
        match self.node.value() {
            Value::Object(fields) => fields
                .iter()
                .flat_map(|(key, node)| {
                    let key = key.text().into_owned();
                    match node.value() {
                        Value::Array(items) if !items.is_empty() => {
                            (0..).zip(items).map(|(n, item)| part(Some(key.clone()), Some(n), item)).collect::<Vec<_>>()
                        }
                        _ => vec![part(Some(key), None, node)],
                    }
                })
                .collect(),
            Value::Array(items) => (0..).zip(items).map(|(n, item)| part(None, Some(n), item)).collect(),
            _ => vec![self.clone()],
        }
    }

    /// The text of a string; of anything else the JSON as it is written.
    #[must_use]
    pub fn words(&self, node: &Node<'a>) -> Words<'a> {
        match node.quoted() {
            Some(quoted) => self.quoted(quoted),
            None => self.raw(node),
        }
    }

    fn quoted(&self, quoted: Quoted<'a>) -> Words<'a> {
        self.placed(quoted.text(), quoted.inside(), Form::Json)
    }

    /// JSON as it is written.
    #[must_use]
    pub fn raw(&self, node: &Node<'a>) -> Words<'a> {
        self.placed(node.raw_text(), node.raw(), Form::Plain)
    }

    /// The whole record as it is written.
    #[must_use]
    pub fn whole(&self) -> Words<'a> {
        self.raw(&self.node)
    }

    fn placed(&self, now: Cow<'a, str>, bytes: &'a [u8], form: Form) -> Words<'a> {
        let offset = (bytes.as_ptr() as usize).wrapping_sub(self.base.as_ptr() as usize);
        // Only bytes of this record have a place in the file.
        let inside = self.base.get(offset..).is_some_and(|rest| rest.len() >= bytes.len());
        let held = self
            .source
            .filter(|_| inside && bytes.len() >= LONG)
            .map(|source| Text::there(Arc::clone(source), self.place.at + offset as u64, bytes, form));
        Words { now, held }
    }
}

/// Words of a record: at hand now, to be counted and compared, and as the text that is kept of them.
#[derive(Clone, Debug, Default)]
pub struct Words<'a> {
    now: Cow<'a, str>,
    held: Option<Text>,
}

impl Words<'_> {
    /// The words.
    #[must_use]
    pub fn now(&self) -> &str {
        &self.now
    }
    /// Whether nothing but blanks is in them.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.now.trim().is_empty()
    }
    /// The text that is kept: short ones at hand, long ones in their file.
    #[must_use]
    pub fn text(self) -> Text {
        self.held.unwrap_or_else(|| Text::from(self.now))
    }
    /// The same words, borrowed from nothing.
    #[must_use]
    pub fn owned(self) -> Words<'static> {
        Words { now: Cow::Owned(self.now.into_owned()), held: self.held }
    }
    /// Several as one, with `between` between them; a single one stays where it is.
    #[must_use]
    pub fn join(mut list: Vec<Self>, between: &str) -> Self {
        if list.len() < 2 {
            return list.pop().unwrap_or_default();
        }
        let texts: Vec<&str> = list.iter().map(Self::now).collect();
        Self { now: Cow::Owned(texts.join(between)), held: None }
    }
}

impl<'a> From<&'a str> for Words<'a> {
    fn from(text: &'a str) -> Self {
        Self { now: Cow::Borrowed(text), held: None }
    }
}
impl From<String> for Words<'_> {
    fn from(text: String) -> Self {
        Self { now: Cow::Owned(text), held: None }
    }
}
impl<'a> From<Cow<'a, str>> for Words<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self { now: text, held: None }
    }
}
