//! The lock of a session: one program at a time writes to it. Readers need none.
//!
//! The system holds the lock and lets it go when the process ends, however it ends; what the file
//! says is for the sentence that the second program shows.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::files;

/// How long a program that is just quitting is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// Who has a session open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// Its name and version.
    pub program: String,
    /// When it opened the session, in milliseconds since the Unix epoch.
    pub since: u64,
}

impl Holder {
    /// This process.
    #[must_use]
    pub fn this(now: u64) -> Self {
        Self { pid: std::process::id(), program: concat!("memex ", env!("CARGO_PKG_VERSION")).to_owned(), since: now }
    }
}

/// Why a session cannot be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another program has it open.
    #[error("session {session} is open in {}; `memex replay {session}` shows what is recorded so far", who(holder.as_ref()))]
    Held {
        /// The session.
        session: String,
        /// Who has it, where that can be read.
        holder: Option<Holder>,
    },
    /// The lock file cannot be used.
    #[error("cannot lock {path}: {source}; a session can only be gone on with where it can be written (--data-dir names the place)")]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn who(holder: Option<&Holder>) -> String {
    holder.map_or_else(
        || "another program".to_owned(),
        |h| {
            let since = i64::try_from(h.since).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()).unwrap_or_default();
            format!("another program (process {}, {}, since {} UTC)", h.pid, h.program, since.strftime("%Y-%m-%d %H:%M:%S"))
        },
    )
}

/// The right to write to a session, until it is dropped.
#[derive(Debug)]
pub struct SessionLock {
    _file: File,
    path: PathBuf,
}

impl SessionLock {
    /// Takes the lock at `path` for `session`. Answers within a second.
    ///
    /// # Errors
    /// [`LockError::Held`] when another program has it.
    pub fn take(path: &Path, session: &str, now: u64) -> Result<Self, LockError> {
        let fail = |source| LockError::Io { path: path.to_owned(), source };
        let mut file = files::open_or_make(path).map_err(fail)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(25)),
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Held { session: session.to_owned(), holder: holder(&mut file) });
                }
                Err(TryLockError::Error(source)) => return Err(fail(source)),
            }
        }
        let line = serde_json::to_string(&Holder::this(now)).unwrap_or_default();
        file.set_len(0).and_then(|()| file.write_all(line.as_bytes())).map_err(fail)?;
        Ok(Self { _file: file, path: path.to_owned() })
    }

    /// Who holds the lock at `path`, if someone does. Writes nothing.
    #[must_use]
    pub fn held_by(path: &Path) -> Option<Holder> {
        let mut file = File::open(path).ok()?;
        // Whoever takes the lock in this moment waits longer than it lasts.
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => holder(&mut file),
            _ => None,
        }
    }

    /// The lock file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(4096).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_second_is_told_who_and_a_stale_file_blocks_nobody() {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("lock");
        std::fs::write(&path, r#"{"pid":1,"program":"memex 0.0.1","since":0}"#).unwrap();
        let lock = SessionLock::take(&path, "20261201-031405-a3f9", 1_796_094_845_000).unwrap();

        let begun = Instant::now();
        let error = SessionLock::take(&path, "20261201-031405-a3f9", 0).unwrap_err().to_string();
        assert!(begun.elapsed() < Duration::from_secs(2));
        let pid = std::process::id().to_string();
        for part in ["20261201-031405-a3f9", &pid, "2026-12-01 03:14:05", "memex replay"] {
            assert!(error.contains(part), "{error}");
        }

        assert_eq!(SessionLock::held_by(&path).map(|h| h.pid), Some(std::process::id()));
        drop(lock);
        assert_eq!(SessionLock::held_by(&path), None);
        assert_eq!(SessionLock::held_by(&tmp.path().join("none")), None);
        SessionLock::take(&path, "s", 0).unwrap();
    }
}
