//! A text at hand, or one that stays in the file it came from until somebody looks at it.
//!
//! Recordings of other agents are far larger than what is ever looked at: of a long text only its place is kept, and it
//! is read again when it is needed.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::unescape::unescape;

/// Where held texts are read from, by position.
pub trait TextSource: Send + Sync {
    /// `len` bytes from byte `at`.
    ///
    /// # Errors
    /// When they are not there any more.
    fn read(&self, at: u64, len: usize) -> io::Result<Vec<u8>>;
    /// The name under which it is spoken of.
    fn name(&self) -> &str;
}

/// How the bytes of a source stand for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// They are its UTF-8; what is not valid is replaced.
    Plain,
    /// They are the inside of a JSON string.
    Json,
}

/// A text. Cloning is cheap.
///
/// As a `str` it is read once and then kept. Where many are looked through in a row, [`Self::load`] reads without keeping.
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    Here(Arc<str>),
    There(Arc<There>),
}

struct There {
    source: Arc<dyn TextSource>,
    at: u64,
    len: usize,
    form: Form,
    /// Of the bytes, so that a file changed since is noticed.
    check: u32,
    /// Stands before the text.
    prefix: Option<Box<str>>,
    kept: OnceLock<Box<str>>,
}

impl There {
    fn load(&self) -> String {
        let mut text = self.prefix.as_deref().unwrap_or("").to_owned();
        match self.source.read(self.at, self.len) {
            Ok(bytes) if check(&bytes) == self.check => match self.form {
                Form::Plain => text += &String::from_utf8_lossy(&bytes),
                Form::Json => text += &unescape(&bytes),
            },
            Ok(_) => text += &format!("[not here: {} has changed since it was read]", self.source.name()),
            Err(error) => text += &format!("[not here: {} cannot be read any more: {error}]", self.source.name()),
        }
        text
    }
}

/// 32 bits of BLAKE3.
fn check(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(blake3::hash(bytes).as_bytes().first_chunk().copied().unwrap_or_default())
}

impl Text {
    /// The text that `bytes`, which stand at byte `at` of the source, stand for; it stays there.
    #[must_use]
    pub fn there(source: Arc<dyn TextSource>, at: u64, bytes: &[u8], form: Form) -> Self {
        let there = There { source, at, len: bytes.len(), form, check: check(bytes), prefix: None, kept: OnceLock::new() };
        Self(Repr::There(Arc::new(there)))
    }

    /// `prefix` followed by this text, which stays where it is.
    #[must_use]
    pub fn after(&self, prefix: &str) -> Self {
        match &self.0 {
            Repr::Here(text) => Self::from(format!("{prefix}{text}")),
            Repr::There(t) => Self(Repr::There(Arc::new(There {
                source: Arc::clone(&t.source),
                at: t.at,
                len: t.len,
                form: t.form,
                check: t.check,
                prefix: Some(format!("{prefix}{}", t.prefix.as_deref().unwrap_or("")).into()),
                kept: OnceLock::new(),
            }))),
        }
    }

    /// The text; one that is not at hand is read and not kept.
    #[must_use]
    pub fn load(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Here(text) => Cow::Borrowed(text),
            Repr::There(t) => t.kept.get().map_or_else(|| Cow::Owned(t.load()), |kept| Cow::Borrowed(&**kept)),
        }
    }

    /// The text, read if it must be, and kept.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Here(text) => text,
            Repr::There(t) => t.kept.get_or_init(|| t.load().into()),
        }
    }

    /// The text as a shared one.
    #[must_use]
    pub fn to_arc(&self) -> Arc<str> {
        match &self.0 {
            Repr::Here(text) => Arc::clone(text),
            Repr::There(_) => Arc::from(&*self.load()),
        }
    }

    fn same_place(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Here(a), Repr::Here(b)) => Arc::ptr_eq(a, b),
            (Repr::There(a), Repr::There(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}
impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}
impl Default for Text {
    fn default() -> Self {
        Self::from("")
    }
}
impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Repr::Here(text.into()))
    }
}
impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Repr::Here(text.into()))
    }
}
impl From<Cow<'_, str>> for Text {
    fn from(text: Cow<'_, str>) -> Self {
        Self(Repr::Here(text.into()))
    }
}
impl From<Arc<str>> for Text {
    fn from(text: Arc<str>) -> Self {
        Self(Repr::Here(text))
    }
}
impl From<&Arc<str>> for Text {
    fn from(text: &Arc<str>) -> Self {
        Self(Repr::Here(Arc::clone(text)))
    }
}
impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.same_place(other) || self.load() == other.load()
    }
}
impl Eq for Text {}
impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.load() == other
    }
}
impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.load() == *other
    }
}
impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.load(), f)
    }
}
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&*self.load(), f)
    }
}
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.load())
    }
}
impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Arc::<str>::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use std::sync::Mutex;

    use super::*;

    struct Bytes(Mutex<Vec<u8>>);

    impl TextSource for Bytes {
        fn read(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
            let bytes = self.0.lock().unwrap();
            let at = usize::try_from(at).unwrap();
            bytes.get(at..at + len).map(<[u8]>::to_vec).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
        }
        fn name(&self) -> &str {
            "run.jsonl"
        }
    }

    fn text(bytes: &[u8], form: Form) -> (Arc<Bytes>, Text) {
        let source = Arc::new(Bytes(Mutex::new([b"...", bytes].concat())));
        let text = Text::there(Arc::clone(&source) as Arc<dyn TextSource>, 3, bytes, form);
        (source, text)
    }

    #[test]
    fn a_text_that_stays_in_its_file_reads_as_one_at_hand() {
        let (_, escaped) = text(br#"a\n\u00e9 \ud83d\ude00"#, Form::Json);
        assert_eq!(escaped, Text::from("a\né 😀"));
        assert_eq!(&*escaped, "a\né 😀");
        let (_, plain) = text(r#"{"x":"\n"}"#.as_bytes(), Form::Plain);
        assert_eq!(plain.after("grep "), *r#"grep {"x":"\n"}"#);
        assert_eq!(serde_json::to_string(&escaped).unwrap(), "\"a\\né 😀\"");
    }

    #[test]
    fn a_file_that_changes_under_it_is_noticed_and_never_shown_as_the_text() {
        let (source, there) = text(b"before", Form::Plain);
        source.0.lock().unwrap()[4] = b'X';
        assert_eq!(there, *"[not here: run.jsonl has changed since it was read]");
        source.0.lock().unwrap().truncate(5);
        assert!(there.load().starts_with("[not here: run.jsonl cannot be read any more"), "{there}");
        // What was once read as a str is kept.
        let (source, there) = text(b"before", Form::Plain);
        assert_eq!(&*there, "before");
        source.0.lock().unwrap().clear();
        assert_eq!(there, *"before");
    }
}
