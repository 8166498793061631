//! What a list of sessions shows, from the first and last lines of each journal only.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::files;
use super::session_dir::SessionDir;
use crate::session::journal::Header;
use crate::session::{EndReason, Event, decode_line};

/// Bytes read from each end, at first.
const PART: u64 = 64 * 1024;
/// Longest last line that is looked for.
const LONGEST: u64 = 4 * 1024 * 1024;

/// The last event of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// When, in milliseconds since the Unix epoch.
    pub at: u64,
    /// At which step.
    pub step: u32,
    /// Its type.
    pub kind: String,
    /// Why the run ended, if it has ended.
    pub ended: Option<EndReason>,
}

/// One session of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEntry {
    /// Its id.
    pub id: String,
    /// Its directory.
    pub path: PathBuf,
    /// When it was made, in milliseconds since the Unix epoch.
    pub created: u64,
    /// Bytes of the journal.
    pub journal_bytes: u64,
    /// Bytes of all its files.
    pub bytes: u64,
    /// u, where the first event fits into what is read.
    pub task: Option<String>,
    /// The last event, where there is one.
    pub tail: Option<Tail>,
    /// Why the journal cannot be read, if it cannot.
    pub fault: Option<String>,
}

impl SessionEntry {
    /// Reads the ends of a session's journal.
    pub(super) fn of(dir: &SessionDir) -> Self {
        let mut entry = Self {
            id: dir.id().to_owned(),
            path: dir.path().to_owned(),
            created: 0,
            journal_bytes: 0,
            bytes: files::tree_size(dir.path()),
            task: None,
            tail: None,
            fault: None,
        };
        if let Err(e) = entry.read(dir) {
            entry.fault = Some(e.to_string());
        }
        entry
    }

    fn read(&mut self, dir: &SessionDir) -> io::Result<()> {
        let mut file = File::open(dir.journal())?;
        self.journal_bytes = file.metadata()?.len();
        let mut head = Vec::new();
        (&mut file).take(PART).read_to_end(&mut head)?;
        let mut lines = head.split(|b| *b == b'\n');
        let header: Header = serde_json::from_slice(lines.next().unwrap_or_default())?;
        self.created = header.created;
        // The last piece is a whole line only when a line end follows it.
        let whole = head.iter().filter(|b| **b == b'\n').count();
        if whole >= 2
            && let Some(line) = lines.next()
            && let Event::Started(started) = decode_line(&String::from_utf8_lossy(line), 0).event
        {
            self.task = Some(started.task.to_string());
        }
        self.tail = tail(&mut file, self.journal_bytes)?;
        Ok(())
    }
}

fn tail(file: &mut File, len: u64) -> io::Result<Option<Tail>> {
    let mut part = PART;
    loop {
        let from = len.saturating_sub(part);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(len - from).read_to_end(&mut bytes)?;
        // What follows the last line end was never acknowledged; what stands before the first is no whole line
        // (and where the file is read from its start, it is the header).
        let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
        lines.pop();
        let events = lines.get(1..).unwrap_or(&[]);
        if events.is_empty() && from > 0 && part < LONGEST {
            part *= 4;
            continue;
        }
        return Ok(last(events));
    }
}

/// The last event, and the end that it may stand behind.
fn last(lines: &[&[u8]]) -> Option<Tail> {
    let mut tail: Option<Tail> = None;
    for line in lines.iter().rev() {
        let envelope = decode_line(&String::from_utf8_lossy(line), 0);
        let tail = tail.get_or_insert_with(|| Tail {
            at: envelope.at,
            step: envelope.step,
            kind: envelope.event.type_name().to_owned(),
            ended: None,
        });
        match &envelope.event {
            Event::Ended(ended) => tail.ended = Some(ended.reason),
            // A remark behind the end does not undo it; a resumption does.
            Event::Note(note) if note.kind != crate::session::NoteKind::Resumed => continue,
            _ => {}
        }
        break;
    }
    tail
}
