//! Why the data directory, or a session in it, cannot be used: each names the path and the way out.

use std::io;
use std::path::{Path, PathBuf};

use super::lock::LockError;
use crate::session::journal::JournalError;

/// The option that names the data directory.
pub const DATA_DIR_OPTION: &str = "--data-dir";
/// The environment variable that does.
pub const DATA_DIR_VARIABLE: &str = "MEMEX_DATA_DIR";

/// Why the data directory, or a session in it, cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// No home directory, and none was named.
    #[error("there is no home directory to keep sessions in ({0}); name a directory with {DATA_DIR_OPTION} DIR or {DATA_DIR_VARIABLE}")]
    NoHome(String),
    /// Something else has the directory's name.
    #[error("{path} is no directory; name another data directory with {DATA_DIR_OPTION} DIR or {DATA_DIR_VARIABLE}")]
    NotADirectory {
        /// Its path.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {doing} {path}: {source}; name another data directory with {DATA_DIR_OPTION} DIR or {DATA_DIR_VARIABLE}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What the user typed is no session id, nor the beginning of one.
    #[error("{0:?} is no session id: one looks like 20261201-031405-a3f9, and its beginning is enough")]
    BadId(String),
    /// No session begins so.
    #[error("no session {given} in {path} (`memex sessions` lists them; {DATA_DIR_OPTION} DIR or {DATA_DIR_VARIABLE} names another place)")]
    NoSuchSession {
        /// What was typed.
        given: String,
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Several sessions begin so.
    #[error("{given} begins {} sessions: {}", matches.len(), matches.join(", "))]
    Ambiguous {
        /// What was typed.
        given: String,
        /// The sessions.
        matches: Vec<String>,
    },
    /// Another program writes to the session.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// The session's journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl DataDirError {
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| {
            if source.kind() == io::ErrorKind::NotADirectory {
                // The file in the way may be a parent.
                let file = path.ancestors().find(|p| p.exists() && !p.is_dir()).unwrap_or(&path).to_owned();
                return Self::NotADirectory { path: file };
            }
            Self::Io { doing, path, source }
        }
    }
}
