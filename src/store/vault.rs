//! Vault: how asynchronous code reaches a store without blocking, and hears what it had to mend.

use super::{ExperienceStore, MemoryStore, StoreError};
use crate::memory::{Block, Index};
use futures_util::future::BoxFuture;

/// D as the agent uses it.
pub trait Vault: Send {
    /// Stores all blocks of the compression that journal event `seq` recorded: one batch, one flush.
    ///
    /// # Errors
    /// [`StoreError`]; the journal has the blocks all the same.
    fn put_all(&mut self, seq: u64, blocks: Vec<Block>) -> BoxFuture<'_, Result<(), StoreError>>;

    /// One version of an index, hash checked.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be had whole.
    fn get<'a>(&'a mut self, index: &'a Index, version: u32) -> BoxFuture<'a, Result<Option<Block>, StoreError>>;

    /// Sentences about what was found damaged and how it was mended, since the last time of asking.
    fn notices(&mut self) -> Vec<String>;
}

/// A vault in memory, for tests and for runs that keep nothing.
#[derive(Debug, Default)]
pub struct MemoryVault(MemoryStore);

impl Vault for MemoryVault {
    fn put_all(&mut self, seq: u64, blocks: Vec<Block>) -> BoxFuture<'_, Result<(), StoreError>> {
        let done = self.0.put_all(seq, &blocks);
        Box::pin(async { done })
    }
    fn get<'a>(&'a mut self, index: &'a Index, version: u32) -> BoxFuture<'a, Result<Option<Block>, StoreError>> {
        let found = self.0.get(index, version);
        Box::pin(async { found })
    }
    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }
}
