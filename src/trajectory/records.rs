//! A file as a stream of records: its lines, or the pieces of its documents, each read once and let go.
//!
//! A document of a hundred megabytes is one JSON value; it is taken apart while it is read, so that never more than one
//! piece of it is in memory. What cannot be read is a record too: nothing is passed over in silence.

use std::io::{self, Read};

/// Bytes read at a time.
const CHUNK: usize = 256 * 1024;

/// How the records of a file are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One record a line; lines end at `\n` and nothing else.
    Lines,
    /// One record a line, blank ones too.
    Text,
    /// JSON values one after the other: of an object each field, of an array in it each element; of an array each element.
    Documents,
}

/// Where a record stands in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Number of the document, from 0; of a line, its number among the records.
    pub document: u64,
    /// The field of the document that it is, or is an element of.
    pub key: Option<String>,
    /// Its number in the array that it is an element of, from 0.
    pub item: Option<u64>,
    /// Line on which it starts, from 1.
    pub line: u64,
    /// Byte at which it starts.
    pub at: u64,
}

/// A record.
#[derive(Debug)]
pub struct Record<'a> {
    /// Where it stands.
    pub place: Place,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Why it cannot be told apart from what follows, where that is so.
    pub trouble: Option<&'static str>,
}

/// Reads records.
#[derive(Debug)]
pub struct Records<R> {
    reader: R,
    /// Bytes read at a time.
    chunk: usize,
    layout: Layout,
    buffer: Vec<u8>,
    /// Of the buffer: what is before it has been handed out.
    from: usize,
    /// Byte of the file at which the buffer starts.
    base: u64,
    ended: bool,
    state: State,
    scan: Option<Scan>,
    document: u64,
    item: u64,
    line: u64,
    /// Byte of the file up to which lines are counted.
    counted: u64,
}

/// Where in its documents a reader stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// Before a document.
    Between,
    /// In a document's object, before a key.
    Object,
    /// In an array: of the object's field of this name, or the document itself.
    Array(Option<String>),
}

/// How far the end of a value is looked for already.
#[derive(Clone, Copy, Debug, Default)]
struct Scan {
    at: usize,
    depth: usize,
    string: bool,
}

/// What stands next in the buffer.
enum Found {
    /// A record of these bytes.
    Record(std::ops::Range<usize>, Option<String>, Option<u64>, Option<&'static str>),
    /// Nothing yet; some bytes may have been passed.
    Passed,
    /// The end of it is not in the buffer yet.
    More,
}

impl<R: Read> Records<R> {
    /// Reads from the start of a file.
    pub fn new(reader: R, layout: Layout) -> Self {
        Self {
            reader,
            chunk: CHUNK,
            layout,
            buffer: Vec::new(),
            from: 0,
            base: 0,
            ended: false,
            state: State::Between,
            scan: None,
            document: 0,
            item: 0,
            line: 1,
            counted: 0,
        }
    }

    /// Byte of the file up to which records were handed out.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.base + self.from as u64
    }

    /// The next record. `None` at the end of the file; when it has grown since, the next call goes on.
    ///
    /// What stands at the end of the file without an end of its own is held back, unless `all` is asked for.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn next(&mut self, all: bool) -> io::Result<Option<Record<'_>>> {
        if self.base == 0 && self.from == 0 {
            while self.buffer.len() < 3 && self.fill()? {}
            if self.buffer.starts_with("\u{feff}".as_bytes()) {
                self.from = 3;
            }
        }
        loop {
            let found = match self.layout {
                Layout::Lines | Layout::Text => self.line(),
                Layout::Documents => self.piece(),
            };
            let (range, key, item, trouble) = match found {
                Found::Passed => continue,
                Found::Record(range, key, item, trouble) => (range, key, item, trouble),
                Found::More => {
                    if self.fill()? {
                        continue;
                    }
                    let rest = self.from..self.buffer.len();
                    let blank = self.buffer.get(rest.clone()).unwrap_or(&[]).iter().all(u8::is_ascii_whitespace);
                    if blank || !all {
                        return Ok(None);
                    }
                    self.scan = None;
                    let (key, item) = match (&self.state, self.layout) {
                        (State::Array(key), Layout::Documents) => (key.clone(), Some(self.item)),
                        _ => (None, None),
                    };
                    (rest, key, item, Some("the file ends within it"))
                }
            };
            let at = self.base + range.start as u64;
            let line = self.line_of(at);
            let place = Place { document: self.document, key, item, line, at };
            if self.layout != Layout::Documents {
                self.document += 1;
            }
            self.from = self.from.max(range.end);
            let bytes = self.buffer.get(range).unwrap_or(&[]);
            return Ok(Some(Record { place, bytes, trouble }));
        }
    }

    /// Number of the line that holds a byte of the buffer; bytes are asked for in order.
    fn line_of(&mut self, at: u64) -> u64 {
        let index = |byte: u64| usize::try_from(byte.saturating_sub(self.base)).unwrap_or(usize::MAX).min(self.buffer.len());
        let passed = self.buffer.get(index(self.counted)..index(at)).unwrap_or(&[]);
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.counted = self.counted.max(at);
        self.line
    }

    /// Reads on; whether there was anything.
    fn fill(&mut self) -> io::Result<bool> {
        if self.from > self.chunk {
            self.line_of(self.position());
            self.buffer.drain(..self.from);
            self.base += self.from as u64;
            if let Some(scan) = &mut self.scan {
                scan.at -= self.from;
            }
            self.from = 0;
        }
        // A record of many chunks is read in steps that grow with it.
        let want = self.chunk.max(self.buffer.len() / 2);
        let old = self.buffer.len();
        let read = (&mut self.reader).take(want as u64).read_to_end(&mut self.buffer)?;
        self.ended = read < want;
        Ok(self.buffer.len() > old)
    }

    fn line(&mut self) -> Found {
        let start = self.scan.map_or(self.from, |s| s.at);
        let Some(n) = memchr::memchr(b'\n', self.buffer.get(start..).unwrap_or(&[])) else {
            self.scan = Some(Scan { at: self.buffer.len(), ..Scan::default() });
            return Found::More;
        };
        self.scan = None;
        let mut range = self.from..start + n;
        self.from = start + n + 1;
        while range.end > range.start && self.buffer.get(range.end - 1) == Some(&b'\r') {
            range.end -= 1;
        }
        let blank = self.layout == Layout::Lines && self.buffer.get(range.clone()).unwrap_or(&[]).iter().all(u8::is_ascii_whitespace);
        if blank { Found::Passed } else { Found::Record(range, None, None, None) }
    }

    /// Passes blanks and commas; the byte that stands there.
    fn ahead(&mut self) -> Option<u8> {
        while let Some(b) = self.buffer.get(self.from).copied() {
            if !(b.is_ascii_whitespace() || b == b',' || b == 0x1e) {
                return Some(b);
            }
            self.from += 1;
        }
        None
    }

    fn piece(&mut self) -> Found {
        if self.scan.is_some() {
            return self.value();
        }
        let Some(next) = self.ahead() else { return Found::More };
        match (&self.state, next) {
            (State::Between, b'{') => self.enter(State::Object),
            (State::Between, b'[') => self.enter(State::Array(None)),
            (State::Object, b'}') | (State::Array(None), b']') => {
                self.document += 1;
                self.enter(State::Between)
            }
            (State::Array(Some(_)), b']') => self.enter(State::Object),
            (State::Object, b'"') => self.field(),
            (State::Object, _) | (State::Between | State::Array(_), b'}' | b']' | b':') => self.lost(),
            (State::Between | State::Array(_), _) => self.value(),
        }
    }

    fn enter(&mut self, state: State) -> Found {
        self.from += 1;
        self.item = 0;
        self.state = state;
        Found::Passed
    }

    /// A key and its value, or its value's opening.
    fn field(&mut self) -> Found {
        let rest = self.buffer.get(self.from..).unwrap_or(&[]);
        let mut scan = Scan::default();
        let Some(end) = extent(rest, &mut scan) else { return Found::More };
        let after = rest.get(end..).unwrap_or(&[]);
        let Some(colon) = after.iter().position(|b| !b.is_ascii_whitespace()) else { return Found::More };
        if after.get(colon) != Some(&b':') {
            return self.lost();
        }
        let Some(value) = after.iter().skip(colon + 1).position(|b| !b.is_ascii_whitespace()) else { return Found::More };
        let start = end + colon + 1 + value;
        let key = crate::text::unescape::unescape(rest.get(1..end - 1).unwrap_or(&[])).into_owned();
        if rest.get(start) == Some(&b'[') {
            // The array itself is not a record, but an empty one is: that it is there may mean something.
            let inner = rest.iter().enumerate().skip(start + 1).find(|(_, b)| !b.is_ascii_whitespace());
            match inner {
                None => return Found::More,
                Some((close, b']')) => {
                    let range = self.from + start..self.from + close + 1;
                    self.from = range.end;
                    return Found::Record(range, Some(key), None, None);
                }
                Some(_) => {
                    self.from += start;
                    return self.enter(State::Array(Some(key)));
                }
            }
        }
        let mut scan = Scan { at: start, ..Scan::default() };
        match extent(rest, &mut scan) {
            Some(end) => {
                let range = self.from + start..self.from + end;
                self.from = range.end;
                Found::Record(range, Some(key), None, None)
            }
            None => Found::More,
        }
    }

    fn value(&mut self) -> Found {
        let mut scan = self.scan.unwrap_or(Scan { at: self.from, ..Scan::default() });
        match extent(&self.buffer, &mut scan) {
            Some(end) => {
                self.scan = None;
                let range = self.from..end;
                self.from = end;
                let (key, item) = match &self.state {
                    State::Array(key) => (key.clone(), Some(self.item)),
                    State::Between | State::Object => (None, None),
                };
                self.item += 1;
                if self.state == State::Between {
                    self.document += 1;
                }
                Found::Record(range, key, item, None)
            }
            None => {
                self.scan = Some(scan);
                Found::More
            }
        }
    }

    /// What cannot stand here, up to the end of its line.
    fn lost(&mut self) -> Found {
        let rest = self.buffer.get(self.from..).unwrap_or(&[]);
        let Some(n) = memchr::memchr(b'\n', rest) else {
            return if self.ended { Found::Record(self.from..self.buffer.len(), None, None, Some("it is not JSON")) } else { Found::More };
        };
        let range = self.from..self.from + n;
        self.from += n + 1;
        Found::Record(range, None, None, Some("it is not JSON"))
    }
}

/// The end of the value at `scan.at`; `None` when it is not in these bytes. Resumes where it stopped.
fn extent(bytes: &[u8], scan: &mut Scan) -> Option<usize> {
    loop {
        let rest = bytes.get(scan.at..)?;
        if scan.string {
            let n = memchr::memchr2(b'"', b'\\', rest)?;
            if rest.get(n) == Some(&b'\\') {
                if rest.len() < n + 2 {
                    scan.at += n;
                    return None;
                }
                scan.at += n + 2;
                continue;
            }
            scan.at += n + 1;
            scan.string = false;
            if scan.depth == 0 {
                return Some(scan.at);
            }
            continue;
        }
        let n = rest.iter().position(|b| matches!(b, b'"' | b'{' | b'[' | b'}' | b']' | b',' | b' ' | b'\n' | b'\r' | b'\t'));
        let Some(n) = n else {
            // A number may go on in the next chunk.
            return None;
        };
        let here = scan.at + n;
        match rest.get(n) {
            Some(b'"') => {
                scan.string = true;
                scan.at = here + 1;
            }
            Some(b'{' | b'[') => {
                scan.depth += 1;
                scan.at = here + 1;
            }
            Some(b'}' | b']') if scan.depth > 0 => {
                scan.depth -= 1;
                scan.at = here + 1;
                if scan.depth == 0 {
                    return Some(scan.at);
                }
            }
            // A word or number ends before these.
            Some(_) if scan.depth == 0 => return Some(here),
            _ => scan.at = here + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    type Seen = (Option<String>, Option<u64>, String);

    fn all(bytes: &[u8], layout: Layout, chunk: usize) -> Vec<(Place, String, Option<&'static str>)> {
        let mut records = Records::new(bytes, layout);
        records.chunk = chunk;
        let mut list = Vec::new();
        while let Some(r) = records.next(true).unwrap() {
            list.push((r.place, String::from_utf8_lossy(r.bytes).into_owned(), r.trouble));
        }
        list
    }

    fn pieces(text: &str) -> Vec<Seen> {
        all(text.as_bytes(), Layout::Documents, 3).into_iter().map(|(p, t, _)| (p.key, p.item, t)).collect()
    }

    fn seen(key: Option<&str>, item: Option<u64>, text: &str) -> Seen {
        (key.map(str::to_owned), item, text.to_owned())
    }

    #[test]
    fn lines_end_at_line_feeds_only() {
        let text = "\u{feff}one\r\n\n two\u{2028}still two\n\r\nthree";
        let list = all(text.as_bytes(), Layout::Lines, 2);
        let texts: Vec<_> = list.iter().map(|(p, t, trouble)| (p.line, t.as_str(), *trouble)).collect();
        assert_eq!(texts, [(1, "one", None), (3, " two\u{2028}still two", None), (5, "three", Some("the file ends within it"))]);
        let at = usize::try_from(list.last().unwrap().0.at).unwrap();
        assert_eq!(text.get(at..), Some("three"));
    }

    #[test]
    fn documents_are_taken_apart() {
        let text = "{ \"a\" : 1,\"list\":[ {\"x\":\"]}\\\"\"} ,2,[3] ],\n\"none\":[ ],\"o\":{\"p\":[1]}}\n[true,\"s\"]";
        let expected = [
            seen(Some("a"), None, "1"),
            seen(Some("list"), Some(0), r#"{"x":"]}\""}"#),
            seen(Some("list"), Some(1), "2"),
            seen(Some("list"), Some(2), "[3]"),
            seen(Some("none"), None, "[ ]"),
            seen(Some("o"), None, r#"{"p":[1]}"#),
            seen(None, Some(0), "true"),
            seen(None, Some(1), r#""s""#),
        ];
        assert_eq!(pieces(text), expected);
    }

    #[test]
    fn a_document_that_is_cut_gives_what_is_whole_and_names_the_rest() {
        let text = r#"{"messages":[{"role":"user"},{"role":"assi"#;
        let list = all(text.as_bytes(), Layout::Documents, 4);
        assert_eq!(list.len(), 2);
        assert_eq!(list.first().unwrap().2, None);
        let (place, rest, trouble) = list.last().unwrap();
        assert_eq!(
            (place.key.as_deref(), place.item, rest.as_str(), *trouble),
            (Some("messages"), Some(1), r#"{"role":"assi"#, Some("the file ends within it"))
        );
    }

    #[test]
    fn what_is_no_json_is_passed_on_and_ends() {
        let list = all(b"{\"a\":1, oops\n\"b\":2}\n}\n", Layout::Documents, 4);
        let texts: Vec<_> = list.iter().map(|(_, t, trouble)| (t.as_str(), trouble.is_some())).collect();
        assert_eq!(texts, [("1", false), ("oops", true), ("2", false), ("}", true)]);
    }

    #[test]
    fn a_growing_file_goes_on_where_it_stopped() {
        use std::io::{Seek, SeekFrom, Write};
        let mut file = tempfile::tempfile().unwrap();
        let mut records = Records::new(file.try_clone().unwrap(), Layout::Lines);
        // One position is shared by both handles: written at the end, read from where the reader was.
        let mut add = |text: &str, at: u64| {
            file.seek(SeekFrom::End(0)).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.seek(SeekFrom::Start(at)).unwrap();
        };
        add("one\ntw", 0);
        assert_eq!(records.next(false).unwrap().unwrap().bytes, b"one");
        assert!(records.next(false).unwrap().is_none());
        add("o\n", 6);
        assert_eq!(records.next(false).unwrap().unwrap().bytes, b"two");
        assert!(records.next(false).unwrap().is_none());
        assert_eq!(records.position(), 8);
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            r#"[a-c"\\\]\}\[\{,\n é]{0,6}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-d\"]{1,3}", inner, 0..4).prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    fn taken_apart(document: &Value) -> Vec<(Option<String>, Option<u64>, Value)> {
        let items =
            |key: Option<&String>, list: &[Value]| (0..).zip(list).map(|(n, v)| (key.cloned(), Some(n), v.clone())).collect::<Vec<_>>();
        match document {
            Value::Array(list) => items(None, list),
            Value::Object(map) => map
                .iter()
                .flat_map(|(key, v)| match v {
                    Value::Array(list) if !list.is_empty() => items(Some(key), list),
                    v => vec![(Some(key.clone()), None, v.clone())],
                })
                .collect(),
            other => vec![(None, None, other.clone())],
        }
    }

    proptest! {
        #[test]
        fn pieces_are_those_of_the_parsed_documents(documents in prop::collection::vec(value(), 1..4), chunk in 1usize..40, pretty: bool) {
            let text: String = documents.iter().map(|d| {
                let text = if pretty { serde_json::to_string_pretty(d).unwrap() } else { d.to_string() };
                text + "\n"
            }).collect();
            let pieces = all(text.as_bytes(), Layout::Documents, chunk);
            let ours: Vec<_> = pieces.iter().map(|(p, t, _)| (p.key.clone(), p.item, serde_json::from_str::<Value>(t).unwrap())).collect();
            let theirs: Vec<_> = documents.iter().flat_map(taken_apart).collect();
            prop_assert_eq!(ours, theirs);
            for (place, t, _) in &pieces {
                let at = usize::try_from(place.at).unwrap();
                prop_assert_eq!(text.get(at..at + t.len()), Some(t.as_str()));
                prop_assert_eq!(place.line, 1 + text.get(..at).unwrap().matches('\n').count() as u64);
            }
        }

        #[test]
        fn whatever_the_bytes_it_ends(bytes in prop::collection::vec(prop::sample::select(b"{}[]\",:\\ \n1a".to_vec()), 0..60), chunk in 1usize..9) {
            for layout in [Layout::Lines, Layout::Documents] {
                prop_assert!(all(&bytes, layout, chunk).len() <= bytes.len() + 1);
            }
        }
    }
}
