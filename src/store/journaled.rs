//! JournaledStore: the engine with the journal behind it, so that damage costs a sentence and no block.
//! Knows nothing of threads.

use std::path::{Path, PathBuf};

use super::guard::Fault;
use super::recover::{self, Outcome};
use super::sled::SledStore;
use super::truth::Truth;
use super::{ExperienceStore, StoreError};
use crate::memory::{Block, Index};

/// D of one session, in `<session>/store/`. Opens at the first request; the caller holds the session's lock.
pub struct JournaledStore {
    session: PathBuf,
    truth: Box<dyn Truth>,
    engine: Option<SledStore>,
    /// What the engine said when it failed on damage: it is not asked again, the store is made anew.
    damaged: Option<String>,
    outcome: Outcome,
}

impl std::fmt::Debug for JournaledStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JournaledStore").field("session", &self.session).field("open", &self.engine.is_some()).finish_non_exhaustive()
    }
}

impl JournaledStore {
    /// The store of a session directory. Nothing is touched yet.
    #[must_use]
    pub fn new(session: &Path, truth: Box<dyn Truth>) -> Self {
        Self { session: session.to_owned(), truth, engine: None, damaged: None, outcome: Outcome::default() }
    }

    /// Opens and, where needed, mends the store.
    ///
    /// # Errors
    /// [`StoreError`] when the system refuses what is needed; the next request tries again.
    pub fn open(&mut self) -> Result<(), StoreError> {
        self.engine().map(|_| ())
    }

    fn engine(&mut self) -> Result<&mut SledStore, StoreError> {
        let store = match self.engine.take() {
            Some(store) => store,
            None => {
                let store = recover::open(&self.session, &mut *self.truth, self.damaged.as_deref(), &mut self.outcome)?;
                self.damaged = None;
                store
            }
        };
        Ok(self.engine.insert(store))
    }

    fn close(&mut self) {
        if let Some(store) = self.engine.take() {
            self.outcome.flushes += store.flushes();
        }
    }

    /// An engine is not used again after it failed: its first error is its last state.
    fn fail(&mut self, fault: &Fault) -> StoreError {
        self.close();
        if let Fault::Damaged(why) = fault {
            self.damaged = Some(why.clone());
        }
        StoreError::engine(&recover::store_dir(&self.session), fault.text())
    }

    /// Calls the engine, and once more on a store made anew when the first was damaged.
    fn with_engine<T>(&mut self, call: impl Fn(&mut SledStore) -> Result<T, Fault>) -> Result<Result<T, String>, StoreError> {
        let mut again = true;
        loop {
            match call(self.engine()?) {
                Ok(value) => return Ok(Ok(value)),
                Err(Fault::Block(found)) => return Ok(Err(found)),
                Err(fault) => {
                    let error = self.fail(&fault);
                    if !again || matches!(fault, Fault::Refused(_)) {
                        return Err(error);
                    }
                    again = false;
                }
            }
        }
    }

    /// Sentences about what was found and how it was mended, since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.outcome.notices)
    }

    /// Flushes so far, one for every compression that brought blocks (and one for every making of the store from a
    /// journal that has some).
    #[must_use]
    pub fn flushes(&self) -> u64 {
        self.outcome.flushes + self.engine.as_ref().map_or(0, SledStore::flushes)
    }

    /// The store does not have a block whole: the journal gives it, and the store gets it back.
    fn mend_block(&mut self, index: &Index, version: u32, damage: Option<&str>) -> Result<Option<Block>, StoreError> {
        let recorded = self.truth.recorded()?;
        let dir = recover::store_dir(&self.session).display().to_string();
        let Some(r) = recorded.into_iter().find(|r| r.index == *index && r.version == version) else {
            // Where the journal knows nothing of it, there is nothing to be mended with.
            return damage.map_or(Ok(None), |found| {
                let why = format!("{index}@{version} is damaged ({found}) and its journal does not record it");
                Err(StoreError::Engine { path: dir, why })
            });
        };
        let found = damage.unwrap_or("nothing");
        let Some(block) = r.block() else {
            return Err(StoreError::BlockDamaged { index: r.index, version, expected: r.digest, found: found.to_owned(), path: dir });
        };
        let engine = self.engine()?;
        let put = engine.write(r.seq, std::slice::from_ref(&block), true).and_then(|_| engine.flush());
        let mended = match put {
            Ok(()) => "it was put there again from the journal".to_owned(),
            Err(fault) => {
                self.fail(&fault);
                format!("it was taken from the journal; the store could not be mended ({})", fault.text())
            }
        };
        self.outcome.notices.push(format!(
            "block {index}@{version} in the store {dir}: expected {} bytes with BLAKE3 {}, found {found}; {mended}",
            r.bytes, r.digest
        ));
        Ok(Some(block))
    }
}

impl ExperienceStore for JournaledStore {
    fn put_all(&mut self, seq: u64, blocks: &[Block]) -> Result<(), StoreError> {
        let dir = recover::store_dir(&self.session);
        self.with_engine(|engine| engine.put(seq, blocks))?.map_err(|why| StoreError::engine(&dir, why))
    }

    fn get(&mut self, index: &Index, version: u32) -> Result<Option<Block>, StoreError> {
        match self.with_engine(|engine| engine.fetch(index, version))? {
            Ok(Some(block)) => Ok(Some(block)),
            Ok(None) => self.mend_block(index, version, None),
            Err(found) => self.mend_block(index, version, Some(&found)),
        }
    }
}

impl Drop for JournaledStore {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::memory::Archive;

    #[test]
    fn conforms() {
        let tmp = tempfile::tempdir().unwrap();
        let mut store = JournaledStore::new(tmp.path(), Box::new(Archive::default()));
        super::super::conform::suite(&mut store);
        assert_eq!(store.take_notices(), Vec::<String>::new());
    }
}
