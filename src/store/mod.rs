//! ExperienceStore: D outside memory, index ↦ content, durable.
//!
//! The journal is the truth and is written first; a store is an index over it and can always be
//! made again from it.

mod vault;

use crate::memory::{Block, Index};

pub use vault::{MemoryVault, Vault};

/// Why a store cannot do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The engine or the file system failed.
    #[error("store {path}: {why}")]
    Engine {
        /// Where the store is.
        path: String,
        /// What it said.
        why: String,
    },
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
