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
        Self { session: session.to_owned(), truth, engine: None, outcome: Outcome::default() }
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
            None => recover::open(&self.session, &mut *self.truth, &mut self.outcome)?,
        };
        Ok(self.engine.insert(store))
    }

    /// An engine is not used again after it failed: its first error is its last state.
    fn close(&mut self) {
        if let Some(store) = self.engine.take() {
            self.outcome.flushes += store.flushes();
        }
    }

    fn error(&self, fault: &Fault) -> StoreError {
        StoreError::engine(&recover::store_dir(&self.session), fault.text())
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

    fn fetch(&mut self, index: &Index, version: u32) -> Result<Option<Block>, StoreError> {
        match self.engine()?.fetch(index, version) {
            Ok(Some(block)) => Ok(Some(block)),
            Ok(None) => self.mend_block(index, version, "nothing"),
            Err(Fault::Block(found)) => self.mend_block(index, version, &found),
            Err(fault) => {
                let error = self.error(&fault);
                self.close();
                match fault {
                    Fault::Damaged(why) => {
                        let dir = recover::store_dir(&self.session).display().to_string();
                        self.outcome
                            .notices
                            .push(format!("the store {dir} failed: expected block {index}@{version}, found {why}; it is opened anew"));
                        Err(error)
                    }
                    _ => Err(error),
                }
            }
        }
    }

    /// The store does not have a block whole: the journal gives it, and the store gets it back.
    fn mend_block(&mut self, index: &Index, version: u32, found: &str) -> Result<Option<Block>, StoreError> {
        let recorded = self.truth.recorded()?;
        let dir = recover::store_dir(&self.session).display().to_string();
        let Some(r) = recorded.into_iter().find(|r| r.index == *index && r.version == version) else {
            if found == "nothing" {
                return Ok(None);
            }
            return Err(StoreError::Engine {
                path: dir,
                why: format!("{index}@{version} is damaged ({found}) and its journal does not record it"),
            });
        };
        let Some(block) = r.block() else {
            return Err(StoreError::BlockDamaged { index: r.index, version, expected: r.digest, found: found.to_owned(), path: dir });
        };
        let engine = self.engine()?;
        let put = engine.write(r.seq, std::slice::from_ref(&block), true).and_then(|_| engine.flush());
        let mended = match put {
            Ok(()) => "it was put there again from the journal".to_owned(),
            Err(fault) => {
                self.close();
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
        match self.engine()?.put(seq, blocks) {
            Ok(()) => return Ok(()),
            Err(fault) => {
                let error = self.error(&fault);
                self.close();
                if matches!(fault, Fault::Refused(_)) {
                    return Err(error);
                }
                let dir = recover::store_dir(&self.session).display().to_string();
                self.outcome
                    .notices
                    .push(format!("the store {dir} failed: expected to put event {seq}, found {}; it is opened anew", fault.text()));
            }
        }
        let again = self.engine()?.put(seq, blocks);
        again.map_err(|fault| {
            let error = self.error(&fault);
            self.close();
            error
        })
    }

    fn get(&mut self, index: &Index, version: u32) -> Result<Option<Block>, StoreError> {
        let open = self.engine.is_some();
        match self.fetch(index, version) {
            // The engine failed and was closed: opening it anew mends what can be mended.
            Err(StoreError::Engine { .. }) if open && self.engine.is_none() => self.fetch(index, version),
            other => other,
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
