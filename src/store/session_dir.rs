//! The directory of one session: its files by name, its id, who may write to it.

use std::fs::OpenOptions;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::data_dir_error::DataDirError;
use super::lock::{Holder, SessionLock};
use super::{JournalTruth, files, recover};
use crate::session::journal::{self, Header, Journal, JournalError, Loaded};

/// Length of an id.
pub(super) const ID_LEN: usize = 20;

/// A new id: the time in UTC, so that ids sort as the sessions began, and four random digits.
#[must_use]
pub fn new_id(now: u64) -> String {
    let random = RandomState::new().build_hasher().finish() & 0xffff;
    format!("{}-{random:04x}", files::stamp(now))
}

/// Whether a text is an id: `20261201-031405-a3f9`.
#[must_use]
pub fn valid_id(text: &str) -> bool {
    text.len() == ID_LEN
        && text.bytes().enumerate().all(|(n, b)| match n {
            8 | 15 => b == b'-',
            16.. => matches!(b, b'0'..=b'9' | b'a'..=b'f'),
            _ => b.is_ascii_digit(),
        })
}

/// Where a session is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDir {
    id: String,
    path: PathBuf,
}

/// A session just made, ready to be written to.
#[derive(Debug)]
pub struct NewSession {
    /// Where it is.
    pub dir: SessionDir,
    /// Its journal, with the header in it.
    pub journal: Journal,
    /// The right to write.
    pub lock: Arc<SessionLock>,
}

/// An older session, ready to be gone on with.
#[derive(Debug)]
pub struct OpenSession {
    /// Where it is.
    pub dir: SessionDir,
    /// What its journal holds.
    pub loaded: Loaded,
    /// Its journal, positioned behind the last whole event.
    pub journal: Journal,
    /// The right to write.
    pub lock: Arc<SessionLock>,
}

impl SessionDir {
    pub(super) fn new(sessions: &Path, id: &str) -> Self {
        Self { id: id.to_owned(), path: sessions.join(id) }
    }

    /// A session by the path of its directory, wherever that is.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        let id = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        Self { id, path: path.to_owned() }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
    /// Its directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// The journal's file.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal.jsonl")
    }
    /// The engine's directory.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        recover::store_dir(&self.path)
    }
    /// What the journal records, for a store to be checked with.
    #[must_use]
    pub fn truth(&self) -> JournalTruth {
        JournalTruth(self.journal())
    }

    /// Reads the journal. Needs no lock and writes nothing.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn read(&self) -> Result<Loaded, JournalError> {
        journal::read(&self.journal())
    }

    /// Takes the right to write to it. Answers within a second. `now` is milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`super::LockError`] names who has it.
    pub fn lock(&self, now: u64) -> Result<SessionLock, super::LockError> {
        SessionLock::take(&self.path.join("lock"), &self.id, now)
    }

    /// Who has it open for writing, if someone has. Writes nothing.
    #[must_use]
    pub fn in_use(&self) -> Option<Holder> {
        SessionLock::held_by(&self.path.join("lock"))
    }

    pub(super) fn begin(self, now: u64) -> Result<NewSession, DataDirError> {
        let lock = Arc::new(self.lock(now)?);
        let path = self.journal();
        let file = files::make_file(&path).map_err(DataDirError::io("make", &path))?;
        let journal = Journal::create(file, &path, &Header::new(&self.id, now))?;
        Ok(NewSession { dir: self, journal, lock })
    }

    /// Opens it for going on: lock first, then the journal, whose torn end is cut off.
    ///
    /// # Errors
    /// [`DataDirError`] when another program has it, or it cannot be read or written.
    pub fn open(self, now: u64) -> Result<OpenSession, DataDirError> {
        let lock = Arc::new(self.lock(now)?);
        let path = self.journal();
        let loaded = journal::read(&path)?;
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(DataDirError::io("write to", &path))?;
        let journal = Journal::open(file, &path, loaded.whole)?;
        Ok(OpenSession { dir: self, loaded, journal, lock })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids() {
        let id = new_id(1_796_094_845_000);
        assert!(valid_id(&id) && id.starts_with("20261201-031405-"), "{id}");
        assert!(valid_id("20261201-031405-a3f9"));
        for bad in
            ["", "20261201-031405-a3fg", "20261201-031405-A3F9", "20261201-031405-a3f9x", "20261201_031405-a3f9", "../61201-031405-a3f9"]
        {
            assert!(!valid_id(bad), "{bad}");
        }
    }
}
