//! ExperienceStore: D outside memory, index ↦ content, durable; and the directory where sessions live.
//!
//! The journal is the truth and is written first; a store is an index over it and can always be
//! made again from it.
//!
//! ```text
//! agent ──Vault──► StoreThread ──► JournaledStore ──► SledStore   <session>/store/
//!                  (own thread)    (asks the journal   (one batch, one flush
//!                                   when they differ)   per compression)
//! ```
//!
//! | question | file |
//! |---|---|
//! | how a block is laid out in the engine | `format.rs` |
//! | what the engine does when it fails | `guard.rs`, `sled.rs` |
//! | what happens at opening, and to a damaged store | `recover.rs` |
//! | what the journal says should be there | `truth.rs` |
//! | who calls from where | `thread.rs`, `vault.rs` |
//! | directories, permissions, locks, session ids | `data_dir.rs`, `session_dir.rs`, `lock.rs`, `files.rs` |
//! | `memex store ls`, `get`, `verify`, `rebuild` | `ops.rs` |
//!
//! Invariant: knows no model, no environment and no terminal. Sled is called from here only, always
//! under `guard`, never from a thread that draws or runs futures.

mod atomic;
#[cfg(test)]
mod conform;
mod data_dir;
mod data_dir_error;
mod files;
mod format;
mod guard;
mod journaled;
mod listing;
mod lock;
mod memory;
pub mod ops;
mod recover;
mod session_dir;
mod sled;
mod thread;
mod truth;
mod vault;

use std::io;
use std::path::{Path, PathBuf};

use crate::memory::{Block, Digest, Index};

pub use atomic::write_atomic;
pub use data_dir::DataDir;
pub use data_dir_error::{DATA_DIR_OPTION, DATA_DIR_VARIABLE, DataDirError};
pub use guard::catching;
pub use journaled::JournaledStore;
pub use listing::{SessionEntry, Tail};
pub use lock::{Holder, LockError, SessionLock};
pub use memory::MemoryStore;
pub use session_dir::{NewSession, OpenSession, SessionDir, new_id, valid_id};
pub use sled::SledStore;
pub use thread::StoreThread;
pub use truth::{JournalTruth, Recorded, Truth};
pub use vault::{MemoryVault, Vault};

/// Why a store cannot do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The engine failed, or the system refused it what it needs.
    #[error("store {path}: {why}")]
    Engine {
        /// Where the store is.
        path: String,
        /// What it said.
        why: String,
    },
    /// A block is recorded, and neither store nor journal can give its bytes.
    #[error(
        "block {index}@{version} in {path} is damaged: expected bytes with BLAKE3 {expected}, found {found}; the journal cannot give them either"
    )]
    BlockDamaged {
        /// Its index.
        index: Index,
        /// Its version.
        version: u32,
        /// Hash of its right bytes.
        expected: Digest,
        /// What is there instead.
        found: String,
        /// Where the store is.
        path: String,
    },
    /// A file or directory of the store cannot be read, made, renamed or synced.
    #[error("{doing} {path}: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The journal, from which the store is checked and mended, cannot be read.
    #[error("the store cannot be checked against its journal: {0}")]
    Truth(String),
    /// The index, or that version of it, was never archived.
    #[error("{0}")]
    Unknown(String),
    /// The session is in use.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// The store's thread has ended.
    #[error("the store of {0} is closed")]
    Closed(String),
}

impl StoreError {
    fn engine(path: &Path, why: impl Into<String>) -> Self {
        Self::Engine { path: path.display().to_string(), why: why.into() }
    }
    fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}

/// D. One per session. Calls block: they run on the store's own thread, never on a screen's.
pub trait ExperienceStore: Send {
    /// Stores all blocks of one compression: atomic, and durable when it returns. `seq` is the number of the
    /// journal event that holds them; putting the same event twice changes nothing.
    ///
    /// # Errors
    /// [`StoreError`]; then none of the blocks is stored.
    fn put_all(&mut self, seq: u64, blocks: &[Block]) -> Result<(), StoreError>;

    /// One version of an index, its hash checked; `None` when it was never stored.
    ///
    /// # Errors
    /// [`StoreError`] when it is there and cannot be had whole.
    fn get(&mut self, index: &Index, version: u32) -> Result<Option<Block>, StoreError>;
}
