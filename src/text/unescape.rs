//! The inside of a JSON string as a text, whatever is wrong with it.

use std::borrow::Cow;

/// The text that the inside of a JSON string stands for.
///
/// Half of a surrogate pair becomes U+FFFD, as does a byte that is not UTF-8; an escape that JSON does not know stands for
/// itself. Readers that refuse such a string lose a whole line over one character.
#[must_use]
pub fn unescape(inside: &[u8]) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', inside) else { return String::from_utf8_lossy(inside) };
    let mut text: Vec<u8> = Vec::with_capacity(inside.len());
    let mut rest = inside;
    let mut next = Some(first);
    while let Some(at) = next {
        let (before, after) = rest.split_at(at);
        text.extend_from_slice(before);
        let (escaped, used) = escape(after);
        match escaped {
            Some(c) => text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => text.extend_from_slice(after.get(..used).unwrap_or(after)),
        }
        rest = after.get(used..).unwrap_or(&[]);
        next = memchr::memchr(b'\\', rest);
    }
    text.extend_from_slice(rest);
    Cow::Owned(String::from_utf8(text).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
}

/// The character of the escape at the start of `bytes`, and its length; `None` when it is none.
fn escape(bytes: &[u8]) -> (Option<char>, usize) {
    let c = match bytes.get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(bytes),
        Some(_) => return (None, 2),
        None => return (None, 1),
    };
    (Some(c), 2)
}

fn unicode(bytes: &[u8]) -> (Option<char>, usize) {
    let Some(first) = hex(bytes.get(2..6)) else { return (None, 2) };
    if let Some(c) = char::from_u32(first) {
        return (Some(c), 6);
    }
    let low = bytes.get(6..8).filter(|b| *b == b"\\u").and_then(|_| hex(bytes.get(8..12))).filter(|l| (0xDC00..0xE000).contains(l));
    match low {
        Some(low) if first < 0xDC00 => {
            let code = 0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00);
            (Some(char::from_u32(code).unwrap_or('\u{fffd}')), 12)
        }
        _ => (Some('\u{fffd}'), 6),
    }
}

fn hex(digits: Option<&[u8]>) -> Option<u32> {
    let digits = digits?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_what_json_says() {
        assert_eq!(unescape(br#"a\"b\\c\/d\b\f\n\r\t"#), "a\"b\\c/d\u{8}\u{c}\n\r\t");
        assert_eq!(unescape(br"\u00e9\u4e2d\ud83d\ude00\u0000"), "é中😀\0");
        assert!(matches!(unescape(b"plain \xe4\xb8\xad"), Cow::Borrowed("plain 中")));
    }

    #[test]
    fn what_is_broken_stays_readable() {
        assert_eq!(unescape(br"a\ud83dz"), "a\u{fffd}z");
        assert_eq!(unescape(br"a\ude00z"), "a\u{fffd}z");
        assert_eq!(unescape(br"\ud83d\ud83d\ude00"), "\u{fffd}😀");
        assert_eq!(unescape(br"\ud83d\n"), "\u{fffd}\n");
        assert_eq!(unescape(br"\x41 \u12 \uzzzz"), r"\x41 \u12 \uzzzz");
        assert_eq!(unescape(b"end\\"), "end\\");
        assert_eq!(unescape(b"\xff\\n\xfe"), "\u{fffd}\n\u{fffd}");
    }
}
