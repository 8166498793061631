//! A store in memory: for tests, and for runs that keep nothing. Knows no disk.

use std::collections::BTreeMap;

use super::{ExperienceStore, StoreError};
use crate::memory::{Block, Index};

/// D in memory; gone with the process.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(BTreeMap<(Index, u32), Block>);

impl ExperienceStore for MemoryStore {
    fn put_all(&mut self, _seq: u64, blocks: &[Block]) -> Result<(), StoreError> {
        for block in blocks {
            self.0.insert((block.index.clone(), block.version), block.clone());
        }
        Ok(())
    }

    fn get(&mut self, index: &Index, version: u32) -> Result<Option<Block>, StoreError> {
        Ok(self.0.get(&(index.clone(), version)).cloned())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn conforms() {
        super::super::conform::suite(&mut super::MemoryStore::default());
    }
}
