//! Server-sent events: bytes to events, by the rules of the WHATWG HTML standard (§9.2.6).
//!
//! Lines are decoded only when whole, so a character that is split between chunks is never damaged.
//!
//! Invariant: knows no JSON and no network.

/// One dispatched event. Its type and id are not kept: chat completions use neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The `data` lines, joined by line feeds.
    pub data: String,
}

/// An event grew beyond the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("one event of the stream is longer than {limit} bytes")]
pub struct TooLarge {
    /// The limit, in bytes.
    pub limit: usize,
}

/// Turns chunks of bytes into events.
#[derive(Debug)]
pub struct Parser {
    line: Vec<u8>,
    data: Option<String>,
    after_cr: bool,
    first_line: bool,
    limit: usize,
}

impl Parser {
    /// A parser that refuses events of more than `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { line: Vec::new(), data: None, after_cr: false, first_line: true, limit }
    }

    /// Takes the next chunk, however it was cut, and returns the events that it completes.
    ///
    /// # Errors
    /// [`TooLarge`] when an event does not end in time; the parser is of no use afterwards.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let mut events = Vec::new();
        let mut rest = chunk;
        while !rest.is_empty() {
            // The LF of a CRLF may come in a later chunk.
            if std::mem::take(&mut self.after_cr)
                && let Some(after) = rest.strip_prefix(b"\n")
            {
                rest = after;
                continue;
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', rest) else {
                self.line.extend_from_slice(rest);
                self.check()?;
                break;
            };
            let (head, tail) = rest.split_at(end);
            self.after_cr = tail.first() == Some(&b'\r');
            rest = tail.get(1..).unwrap_or_default();
            self.line.extend_from_slice(head);
            self.check()?;
            events.extend(self.end_line());
        }
        Ok(events)
    }

    /// What an event without its closing blank line holds when the connection closes.
    ///
    /// The standard drops it. Servers exist that close right after their last line, and a cut event
    /// is told apart from a whole one by its JSON, so it is handed out.
    #[must_use]
    pub fn finish(mut self) -> Option<Event> {
        if !self.line.is_empty() {
            let event = self.end_line();
            debug_assert!(event.is_none(), "only an empty line dispatches");
        }
        self.data.take().map(|data| Event { data })
    }

    fn check(&self) -> Result<(), TooLarge> {
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held > self.limit { Err(TooLarge { limit: self.limit }) } else { Ok(()) }
    }

    fn end_line(&mut self) -> Option<Event> {
        let bytes = std::mem::take(&mut self.line);
        let mut line = bytes.as_slice();
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            return self.data.take().map(|data| Event { data });
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => {
                let (field, value) = line.split_at(colon);
                let value = value.get(1..).unwrap_or_default();
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &[][..]),
        };
        // A comment has an empty field name. `event`, `id`, `retry` and unknown fields change nothing here.
        if field == b"data" {
            let value = String::from_utf8_lossy(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(&value);
                }
                None => self.data = Some(value.into_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn whole(input: &[u8]) -> Vec<String> {
        let mut parser = Parser::new(1000);
        let mut data: Vec<_> = parser.push(input).unwrap().into_iter().map(|e| e.data).collect();
        data.extend(parser.finish().map(|e| e.data));
        data
    }

    #[test]
    fn the_examples_of_the_standard() {
        assert_eq!(whole(b"data: YHOO\ndata: +2\ndata: 10\n\n"), ["YHOO\n+2\n10"]);
        assert_eq!(
            whole(b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"),
            ["first event", "second event", " third event"]
        );
        assert_eq!(whole(b"data\n\ndata\ndata\n\n"), ["", "\n"]);
        assert_eq!(whole(b"data:test\n\ndata: test\n\n"), ["test", "test"]);
    }

    #[test]
    fn line_ends_comments_and_other_fields() {
        assert_eq!(whole(b"data: a\r\n\r\ndata: b\r\rdata: c\n\n"), ["a", "b", "c"]);
        assert_eq!(whole(b": OPENROUTER PROCESSING\n\n:\n\nevent: x\nid: 7\nretry: 3\nnonsense\ndata: a\n\n"), ["a"]);
        assert_eq!(whole("\u{feff}data: a\n\n\u{feff}data: b\n\n".as_bytes()), ["a"]);
    }

    #[test]
    fn the_cut_does_not_matter() {
        let stream = "data: 你好 🌍 é\r\n: comment\r\ndata: two\r\n\r\ndata: {\"a\":\r\ndata: 1}\n\ndata: last\n\n".as_bytes();
        let expected = ["你好 🌍 é\ntwo", "{\"a\":\n1}", "last"];
        assert_eq!(whole(stream), expected);
        for first in 0..stream.len() {
            for second in first..stream.len() {
                let mut parser = Parser::new(1000);
                let mut data = Vec::new();
                for chunk in [&stream[..first], &stream[first..second], &stream[second..]] {
                    data.extend(parser.push(chunk).unwrap().into_iter().map(|e| e.data));
                }
                assert_eq!(data, expected, "cut at {first} and {second}");
            }
        }
    }

    #[test]
    fn a_last_event_without_its_blank_line() {
        assert_eq!(whole(b"data: a\n\ndata: b"), ["a", "b"]);
        assert_eq!(whole(b"data: a\n\ndata: b\n"), ["a", "b"]);
        assert_eq!(whole(b"data: a\n\n: comment"), ["a"]);
    }

    #[test]
    fn the_limit_holds_for_long_lines_and_for_many() {
        assert_eq!(Parser::new(10).push(b"data: 0123456789"), Err(TooLarge { limit: 10 }));
        let mut parser = Parser::new(10);
        assert_eq!(parser.push(b"data: 123\ndata: 456\n"), Err(TooLarge { limit: 10 }));
        let mut parser = Parser::new(10);
        for _ in 0..100 {
            assert_eq!(parser.push(b"data: 123\n\n").unwrap().len(), 1);
        }
    }
}
