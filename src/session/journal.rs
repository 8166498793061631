//! Journal: the append-only file of a session's events; the truth from which all else is derived.
//!
//! JSON lines. The first is a header, every other is one event (see [`super::encode_line`]):
//!
//! ```text
//! {"memex":"journal","version":1,"session":"…","created":1764558000000,"program":"0.1.0"}
//! {"seq":0,"at":1764558000003,"step":0,"type":"started",…}
//! {"seq":1,"at":1764558000004,"step":1,"type":"status","text":"[Context Status: …]",…}
//! ```
//!
//! `jq -c 'select(.type=="compressed")' journal.jsonl` lists the compressions. A line is written
//! whole and synced before anyone acts on it; a cut last line was never acknowledged.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::codec::{decode_line, encode_line};
use super::event::Envelope;

/// The journal version that this program writes.
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Always `journal`.
    pub memex: String,
    /// Format version.
    pub version: u32,
    /// Id of the session.
    pub session: String,
    /// Milliseconds since the Unix epoch.
    #[serde(default)]
    pub created: u64,
    /// Version of the program that wrote it.
    #[serde(default)]
    pub program: String,
}

impl Header {
    /// A header for a new journal.
    #[must_use]
    pub fn new(session: &str, created: u64) -> Self {
        Self { memex: "journal".into(), version: VERSION, session: session.into(), created, program: env!("CARGO_PKG_VERSION").into() }
    }
}

/// Why a journal cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file system said no.
    #[error("journal {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// Not a journal at all.
    #[error("{path} is not a memex journal: {why}")]
    NotAJournal {
        /// The file.
        path: PathBuf,
        /// What was found instead of a header.
        why: String,
    },
}

/// What was read of a journal.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The first line.
    pub header: Header,
    /// Every event in file order; lines that cannot be read are [`super::Event::Unknown`].
    pub events: Vec<Arc<Envelope>>,
    /// Bytes up to and including the last whole line.
    pub whole: u64,
    /// Sentences about what is wrong with the file, for the reader.
    pub notes: Vec<String>,
}

/// Reads the bytes of a journal. Whatever is wrong with them, the whole events are there and the rest is said.
///
/// # Errors
/// [`JournalError::NotAJournal`] when the first line is no header.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Loaded, JournalError> {
    let not = |why: String| JournalError::NotAJournal { path: path.to_owned(), why };
    let body = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let skipped = bytes.len() - body.len();
    if body.is_empty() {
        return Err(not("the file is empty".into()));
    }
    let end = memchr::memchr(b'\n', body);
    let first = body.get(..end.unwrap_or(body.len())).unwrap_or(body);
    let header: Header = serde_json::from_slice(first).map_err(|e| not(format!("its first line is no journal header ({e})")))?;
    if header.memex != "journal" {
        return Err(not(format!("its header says {:?}", header.memex)));
    }
    let mut notes = Vec::new();
    if header.version > VERSION {
        notes.push(format!(
            "this journal has version {}, this program knows version {VERSION}: events it does not know are shown raw",
            header.version
        ));
    }
    let mut loaded = Loaded { header, events: Vec::new(), whole: bytes.len() as u64, notes };
    let Some(end) = end else {
        loaded.notes.push("the journal holds its header and no event".into());
        return Ok(loaded);
    };
    let mut at = end + 1;
    let mut number = 1;
    let mut unreadable = 0usize;
    while at < body.len() {
        number += 1;
        let rest = body.get(at..).unwrap_or(&[]);
        let Some(len) = memchr::memchr(b'\n', rest) else {
            loaded.whole = (skipped + at) as u64;
            loaded
                .notes
                .push(format!("the last line (line {number}, {} bytes) is cut: it was never acknowledged and is left out", rest.len()));
            break;
        };
        let raw = rest.get(..len).unwrap_or(rest);
        at += len + 1;
        let line = String::from_utf8_lossy(raw);
        let line = line.trim_end_matches('\r');
        if line.trim().is_empty() {
            continue;
        }
        let envelope = decode_line(line, loaded.events.len() as u64);
        if let super::Event::Unknown(u) = &envelope.event
            && u.kind == "unreadable"
        {
            unreadable += 1;
            if unreadable <= 20 {
                loaded.notes.push(format!("line {number} is unreadable ({}); it is shown raw", u.why));
            }
        }
        loaded.events.push(Arc::new(envelope));
    }
    if unreadable > 20 {
        loaded.notes.push(format!("{unreadable} lines are unreadable in all"));
    }
    Ok(loaded)
}

/// Reads a journal file.
///
/// # Errors
/// [`JournalError`] names the file and what is wrong.
pub fn read(path: &Path) -> Result<Loaded, JournalError> {
    let bytes = std::fs::read(path).map_err(|source| JournalError::Io { path: path.to_owned(), source })?;
    parse(&bytes, path)
}

/// The writing end. One writer a session, behind its lock.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Bytes of whole, acknowledged lines; a failed append is cut back to here.
    good: u64,
    torn: bool,
    syncs: u64,
}

impl Journal {
    /// Starts a journal in an empty file that the caller made (0600, behind the session's lock).
    ///
    /// # Errors
    /// [`JournalError::Io`] when the header cannot be written and synced.
    pub fn create(file: File, path: &Path, header: &Header) -> Result<Self, JournalError> {
        let mut journal = Self { file, path: path.to_owned(), good: 0, torn: false, syncs: 0 };
        let line = serde_json::to_string(header).unwrap_or_default();
        journal.append_line(&line, true)?;
        Ok(journal)
    }

    /// Goes on with a journal whose whole lines end at byte `whole`; what follows them is cut off.
    ///
    /// # Errors
    /// [`JournalError::Io`] when the file cannot be cut and positioned.
    pub fn open(file: File, path: &Path, whole: u64) -> Result<Self, JournalError> {
        let mut journal = Self { file, path: path.to_owned(), good: whole, torn: true, syncs: 0 };
        journal.repair()?;
        Ok(journal)
    }

    /// Appends one event. When this returns, the line is whole in the file; when `durable`, also on the disk.
    ///
    /// # Errors
    /// [`JournalError::Io`]; nothing of the event counts as written, and the next append first cuts its rest off.
    pub fn append(&mut self, envelope: &Envelope, durable: bool) -> Result<(), JournalError> {
        self.append_line(&encode_line(envelope), durable)
    }

    fn append_line(&mut self, line: &str, durable: bool) -> Result<(), JournalError> {
        self.repair()?;
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        self.torn = true;
        self.file
            .write_all(&bytes)
            .and_then(|()| if durable { self.file.sync_data() } else { Ok(()) })
            .map_err(|source| self.io(source))?;
        self.syncs += u64::from(durable);
        self.torn = false;
        self.good += bytes.len() as u64;
        Ok(())
    }

    /// Cuts off what a failed append left, so that the next line is never fused with it.
    fn repair(&mut self) -> Result<(), JournalError> {
        if self.torn {
            let good = self.good;
            self.file.set_len(good).and_then(|()| self.file.seek(SeekFrom::Start(good))).map_err(|source| self.io(source))?;
            self.torn = false;
        }
        Ok(())
    }

    fn io(&self, source: io::Error) -> JournalError {
        JournalError::Io { path: self.path.clone(), source }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Bytes of acknowledged lines.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.good
    }
    /// Whether nothing is written, which a created journal never is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.good == 0
    }
    /// Number of syncs so far.
    #[must_use]
    pub fn syncs(&self) -> u64 {
        self.syncs
    }
}
