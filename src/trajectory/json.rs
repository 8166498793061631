//! JSON as files of other programs hold it: read where it stands, whatever is wrong with it.
//!
//! Serde refuses a whole line over half a surrogate pair, `NaN` or a repeated key; a viewer must show the line all the
//! same. A [`Node`] borrows from the bytes it was read from and knows where in them it stands, so that arguments are kept
//! byte for byte and long texts can stay in their file.

use std::borrow::Cow;

use crate::text::unescape::unescape;

/// Deepest nesting that is read; beyond it a record counts as unreadable.
const DEEPEST: u32 = 192;

/// A value with the bytes that it is written in.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    raw: &'a [u8],
    value: Value<'a>,
}

/// The value of a [`Node`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A number as written, `NaN` and `Infinity` among them.
    Number(&'a str),
    /// A string.
    String(Quoted<'a>),
    /// `[…]`.
    Array(Vec<Node<'a>>),
    /// `{…}` in the order of the file, repeated keys too.
    Object(Vec<(Quoted<'a>, Node<'a>)>),
}

/// A string as it is written between its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoted<'a>(&'a [u8]);

impl<'a> Quoted<'a> {
    /// The text that it stands for.
    #[must_use]
    pub fn text(self) -> Cow<'a, str> {
        unescape(self.0)
    }
    /// The bytes between the quotes.
    #[must_use]
    pub fn inside(self) -> &'a [u8] {
        self.0
    }
    fn is(self, key: &str) -> bool {
        self.0 == key.as_bytes() || (self.0.contains(&b'\\') && self.text() == key)
    }
}

/// Where JSON stops being JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub struct Broken {
    /// Byte of the text, from 0.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl<'a> Node<'a> {
    /// Reads one value and nothing but blanks around it.
    ///
    /// # Errors
    /// [`Broken`] says where and why it is not JSON even so.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Broken> {
        let mut reader = Reader { bytes, at: 0 };
        reader.blanks();
        let node = reader.value(0)?;
        reader.blanks();
        if reader.at < bytes.len() { Err(reader.broken("something follows the value")) } else { Ok(node) }
    }

    /// `null` over bytes that are not JSON.
    #[must_use]
    pub fn plain(bytes: &'a [u8]) -> Self {
        Self { raw: bytes, value: Value::Null }
    }

    /// The bytes of the value.
    #[must_use]
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }
    /// The bytes of the value as text.
    #[must_use]
    pub fn raw_text(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.raw)
    }
    /// The value.
    #[must_use]
    pub fn value(&self) -> &Value<'a> {
        &self.value
    }
    /// The value under a key of an object; of a repeated key the last, as most readers have it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Value::Object(fields) = &self.value else { return None };
        fields.iter().rev().find(|(k, _)| k.is(key)).map(|(_, v)| v)
    }
    /// The value at the end of a path of keys.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }
    /// The string, if it is one.
    #[must_use]
    pub fn quoted(&self) -> Option<Quoted<'a>> {
        if let Value::String(s) = self.value { Some(s) } else { None }
    }
    /// The text of a string.
    #[must_use]
    pub fn str(&self) -> Option<Cow<'a, str>> {
        self.quoted().map(Quoted::text)
    }
    /// The text of the string under a key.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.str()
    }
    /// Whether the string under a key is this one.
    #[must_use]
    pub fn says(&self, key: &str, text: &str) -> bool {
        self.get(key).and_then(Node::quoted).is_some_and(|q| q.is(text))
    }
    /// A whole number, also one written as a string or with a fraction of 0.
    #[must_use]
    pub fn u64(&self) -> Option<u64> {
        let text = self.number()?;
        text.parse().ok().or_else(|| {
            let n: f64 = text.parse().ok()?;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "checked")]
            (n >= 0.0 && n < u64::MAX as f64 && n.fract() == 0.0).then_some(n as u64)
        })
    }
    /// A finite number, also one written as a string.
    #[must_use]
    pub fn f64(&self) -> Option<f64> {
        self.number()?.parse().ok().filter(|n: &f64| n.is_finite())
    }
    fn number(&self) -> Option<Cow<'a, str>> {
        match self.value {
            Value::Number(n) => Some(Cow::Borrowed(n)),
            Value::String(s) => Some(Cow::Owned(s.text().trim().to_owned())),
            _ => None,
        }
    }
    /// `true` or `false`.
    #[must_use]
    pub fn bool(&self) -> Option<bool> {
        if let Value::Bool(b) = self.value { Some(b) } else { None }
    }
    /// Whether the value under a key is `true`.
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        self.get(key).and_then(Node::bool) == Some(true)
    }
    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.value == Value::Null
    }
    /// Whether it is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }
    /// The elements of an array; none of anything else.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        if let Value::Array(items) = &self.value { items } else { &[] }
    }
    /// The elements of the array under a key; none if there is none.
    #[must_use]
    pub fn list(&self, key: &str) -> &[Self] {
        self.get(key).map_or(&[], Node::items)
    }
    /// The fields of an object; none of anything else.
    #[must_use]
    pub fn fields(&self) -> &[(Quoted<'a>, Self)] {
        if let Value::Object(fields) = &self.value { fields } else { &[] }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn broken(&self, what: &'static str) -> Broken {
        Broken { at: self.at, what }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: u32) -> Result<Node<'a>, Broken> {
        if depth > DEEPEST {
            return Err(self.broken("nested too deeply"));
        }
        let from = self.at;
        let value = match self.peek() {
            Some(b'"') => Value::String(self.string()?),
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(_) => self.word()?,
            None => return Err(self.broken("the text ends where a value should stand")),
        };
        Ok(Node { raw: self.bytes.get(from..self.at).unwrap_or(&[]), value })
    }

    fn string(&mut self) -> Result<Quoted<'a>, Broken> {
        let from = self.at + 1;
        let mut at = from;
        loop {
            let rest = self.bytes.get(at..).unwrap_or(&[]);
            let Some(n) = memchr::memchr2(b'"', b'\\', rest) else {
                self.at = self.bytes.len();
                return Err(self.broken("the text ends within a string"));
            };
            if rest.get(n) == Some(&b'"') {
                self.at = at + n + 1;
                return Ok(Quoted(self.bytes.get(from..at + n).unwrap_or(&[])));
            }
            at += n + 2;
        }
    }

    fn object(&mut self, depth: u32) -> Result<Value<'a>, Broken> {
        self.at += 1;
        let mut fields = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b'}') => break,
                Some(b'"') => {}
                Some(_) => return Err(self.broken("a key should stand here")),
                None => return Err(self.broken("the text ends within an object")),
            }
            let key = self.string()?;
            self.blanks();
            if self.peek() != Some(b':') {
                return Err(self.broken("a colon should stand here"));
            }
            self.at += 1;
            self.blanks();
            fields.push((key, self.value(depth + 1)?));
            if !self.more(b'}', "a comma or the end of the object should stand here")? {
                break;
            }
        }
        self.at += 1;
        Ok(Value::Object(fields))
    }

    fn array(&mut self, depth: u32) -> Result<Value<'a>, Broken> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blanks();
            if self.peek() == Some(b']') {
                break;
            }
            items.push(self.value(depth + 1)?);
            if !self.more(b']', "a comma or the end of the array should stand here")? {
                break;
            }
        }
        self.at += 1;
        Ok(Value::Array(items))
    }

    /// Whether a comma follows; the closing byte is left standing.
    fn more(&mut self, close: u8, what: &'static str) -> Result<bool, Broken> {
        self.blanks();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(b) if b == close => Ok(false),
            _ => Err(self.broken(what)),
        }
    }

    fn word(&mut self) -> Result<Value<'a>, Broken> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let end = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))).unwrap_or(rest.len());
        let word = std::str::from_utf8(rest.get(..end).unwrap_or(&[])).unwrap_or("");
        let value = match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "NaN" | "Infinity" | "-Infinity" => Value::Number(word),
            _ if word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && word.parse::<f64>().is_ok() => Value::Number(word),
            _ => return Err(self.broken("no value starts like this")),
        };
        self.at += end;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn values_are_found_by_key_and_kept_as_written() {
        let text = r#" {"role":"user","n":"12","x":{"b": [1, 2.0,-3e2],"a":null},"role":"assistant","ok":true} "#;
        let node = Node::parse(text.as_bytes()).unwrap();
        assert_eq!(node.text("role").unwrap(), "assistant");
        assert_eq!(node.get("x").unwrap().raw_text(), r#"{"b": [1, 2.0,-3e2],"a":null}"#);
        assert_eq!(node.get("n").unwrap().u64(), Some(12));
        assert_eq!(node.at(&["x", "b"]).unwrap().items().iter().map(Node::f64).collect::<Vec<_>>(), [Some(1.0), Some(2.0), Some(-300.0)]);
        assert_eq!(node.at(&["x", "b"]).unwrap().items()[1].u64(), Some(2));
        assert!(node.at(&["x", "a"]).unwrap().is_null() && node.flag("ok") && node.get("y").is_none());
    }

    #[test]
    fn what_serde_refuses_is_read() {
        for (text, value) in [(r#"{"v":"a\ud83d"}"#, "a\u{fffd}"), ("{\"v\":\"tab\there\"}", "tab\there"), (r#"{"\u0076":"x"}"#, "x")] {
            assert_eq!(Node::parse(text.as_bytes()).unwrap().text("v").unwrap(), value, "{text}");
        }
        assert_eq!(Node::parse(b"{\"v\":\"\xff\"}").unwrap().text("v").unwrap(), "\u{fffd}");
        let numbers = Node::parse(b"[NaN,Infinity,-Infinity,1e999,]").unwrap();
        assert_eq!(numbers.items().len(), 4);
        assert!(numbers.items().iter().all(|n| n.f64().is_none()));
        assert_eq!(Node::parse("{\"v\":\"a\u{2028}b\"}".as_bytes()).unwrap().text("v").unwrap(), "a\u{2028}b");
    }

    #[test]
    fn what_is_not_json_says_where() {
        let why = |text: &str| Node::parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(why(r#"{"a":1"#), "a comma or the end of the object should stand here at byte 6");
        assert_eq!(why(r#"{"a":"x"#), "the text ends within a string at byte 7");
        assert_eq!(why("{} {}"), "something follows the value at byte 3");
        assert_eq!(why("{a:1}"), "a key should stand here at byte 1");
        assert_eq!(why("nope"), "no value starts like this at byte 0");
        assert_eq!(why(""), "the text ends where a value should stand at byte 0");
        assert!(why(&"[".repeat(100_000)).starts_with("nested too deeply"));
        assert!(why("\"\\").starts_with("the text ends within a string"));
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_serde_wherever_serde_reads(text in r#"[\[\]{},:"\\ntrue0-9.a-e ]{0,24}"#) {
            let ours = Node::parse(text.as_bytes());
            if let Ok(theirs) = serde_json::from_str::<serde_json::Value>(&text) {
                proptest::prop_assert_eq!(as_serde(&ours.unwrap()), theirs);
            }
        }
    }

    fn as_serde(node: &Node<'_>) -> serde_json::Value {
        match node.value() {
            Value::Null => serde_json::Value::Null,
            Value::Bool(b) => (*b).into(),
            Value::Number(n) => serde_json::from_str(n).unwrap(),
            Value::String(s) => s.text().into(),
            Value::Array(items) => items.iter().map(as_serde).collect(),
            Value::Object(fields) => fields.iter().map(|(k, v)| (k.text().into_owned(), as_serde(v))).collect(),
        }
    }
}
