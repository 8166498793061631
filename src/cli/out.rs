//! What is printed: safe for the terminal, and quiet when the reader has gone.

use std::io::{self, Write};

use crate::text::sanitize;

/// Whether an error is only that nobody reads any more.
pub(super) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|e| e.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe))
}

/// `error: a: b: c` on standard error.
pub(super) fn error(error: &anyhow::Error) {
    say(&format!("error: {error:#}"));
}

/// A sentence on standard error.
pub(super) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", sanitize::terminal(text));
}

/// A line on standard output, made safe for a terminal.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn line(text: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", sanitize::terminal(text))
}

/// A line of JSON on standard output. What a terminal could act on or would hide is escaped, which changes no value.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn json(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut from = 0;
    for (at, c) in line.char_indices().filter(|(_, c)| sanitize::is_unsafe(*c)) {
        out.write_all(line.get(from..at).unwrap_or("").as_bytes())?;
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            write!(out, "\\u{unit:04x}")?;
        }
        from = at + c.len_utf8();
    }
    out.write_all(line.get(from..).unwrap_or("").as_bytes())?;
    out.write_all(b"\n")
}

/// A text as it is: to a file or pipe byte for byte, to a terminal made safe.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn exact(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if std::io::IsTerminal::is_terminal(&io::stdout()) {
        writeln!(out, "{}", sanitize::terminal(text))
    } else {
        out.write_all(text.as_bytes())?;
        out.flush()
    }
}
