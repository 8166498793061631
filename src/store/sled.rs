//! SledStore: D in the embedded engine sled, one database a session. Knows no journal.
//!
//! The engine is the indexed copy, not the truth: it notices damage late, by panic, or not at all,
//! so every read here is checked against the hash in the block's header.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ::sled::{Batch, Db, Mode};

use super::format::{self, Header};
use super::guard::{Fault, guard, guard_with, locked};
use super::{ExperienceStore, StoreError, files};
use crate::memory::{Block, Index};

/// Bytes of pages that the engine keeps in memory.
const CACHE: u64 = 32 * 1024 * 1024;
/// How long a handle that is just being closed is waited for.
const CLOSING: Duration = Duration::from_millis(1500);

/// D in sled. Every call may block on the disk.
#[derive(Debug)]
pub struct SledStore {
    /// `None` only while it is dropped.
    db: Option<Db>,
    /// The engine's flush does not reach through to the device; syncing its file does.
    file: File,
    dir: PathBuf,
    applied: Option<u64>,
    fresh: bool,
    flushes: u64,
}

impl SledStore {
    /// Opens the database in `dir`, or makes one there.
    ///
    /// Opening writes: a database that only is to be looked at is copied first.
    ///
    /// # Errors
    /// [`StoreError::Engine`] when the engine cannot open it.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        Self::start(dir).map_err(|fault| StoreError::engine(dir, fault.text()))
    }

    pub(super) fn start(dir: &Path) -> Result<Self, Fault> {
        let config = || ::sled::Config::new().path(dir).mode(Mode::LowSpace).cache_capacity(CACHE).flush_every_ms(None);
        let begun = Instant::now();
        let db = loop {
            match guard(|| config().open()) {
                Err(fault) if locked(fault.text()) && begun.elapsed() < CLOSING => std::thread::sleep(Duration::from_millis(20)),
                Err(fault) if locked(fault.text()) => {
                    return Err(Fault::Refused("another handle has it open".into()));
                }
                other => break other?,
            }
        };
        let refused = |e: std::io::Error| Fault::Refused(e.to_string());
        files::make_tree_private(dir).map_err(refused)?;
        let file = File::open(dir.join("db")).map_err(refused)?;
        let recovered = guard(|| Ok(db.was_recovered()))?;
        let mut fresh = false;
        let applied = match guard(|| db.get(format::META))? {
            Some(bytes) => format::decode_meta(&bytes).map_err(Fault::Damaged)?,
            None if recovered && !guard(|| Ok(db.is_empty()))? => return Err(Fault::Damaged("no meta record among its keys".into())),
            None => {
                guard(|| db.insert(format::META, format::encode_meta(None)))?;
                fresh = true;
                None
            }
        };
        Ok(Self { db: Some(db), file, dir: dir.to_owned(), applied, fresh, flushes: 0 })
    }

    fn db(&self) -> Result<&Db, Fault> {
        self.db.as_ref().ok_or_else(|| Fault::Refused("it is closed".into()))
    }

    /// The newest event whose blocks are stored.
    #[must_use]
    pub fn applied(&self) -> Option<u64> {
        self.applied
    }

    /// Whether nothing was there when it was opened: it is new, or everything in it is gone.
    pub(super) fn fresh(&self) -> bool {
        self.fresh
    }

    /// Flushes so far: one for every compression that brought blocks.
    #[must_use]
    pub fn flushes(&self) -> u64 {
        self.flushes
    }

    /// The headers of all blocks, in the order of their names.
    pub(super) fn headers(&self) -> Result<Vec<(Index, u32, Header)>, Fault> {
        let db = self.db()?;
        guard_with(|| {
            let mut found = Vec::new();
            for entry in db.scan_prefix(format::HEADERS) {
                let (key, value) = guard(|| entry)?;
                let (index, version) =
                    format::parse_header_key(&key).ok_or_else(|| Fault::Damaged(format!("a key that is none of ours ({key:?})")))?;
                let header = Header::decode(&value).map_err(|why| Fault::Damaged(format!("{index}@{version} has {why}")))?;
                found.push((index, version, header));
            }
            Ok(found)
        })
    }

    /// Puts the blocks of one event in one batch; false when all of them were there already. With
    /// `again`, those that are there are written anew.
    pub(super) fn write(&mut self, seq: u64, blocks: &[Block], again: bool) -> Result<bool, Fault> {
        let db = self.db()?;
        let mut batch = Batch::default();
        let mut news = false;
        for block in blocks {
            let packed = format::pack(&block.content);
            let header = Header::of(block, seq, &packed).encode();
            let key = format::header_key(&block.index, block.version);
            if !again && guard(|| db.get(&key))?.is_some_and(|old| *old == *header) {
                continue;
            }
            for (n, chunk) in packed.chunks().enumerate() {
                batch.insert(format::chunk_key(&block.digest, n as u64), chunk);
            }
            batch.insert(key, header);
            news = true;
        }
        if news {
            let applied = self.applied.max(Some(seq));
            batch.insert(format::META, format::encode_meta(applied));
            guard(|| db.apply_batch(batch))?;
            self.applied = applied;
        }
        Ok(news)
    }

    /// Makes durable what was written.
    pub(super) fn flush(&mut self) -> Result<(), Fault> {
        let db = self.db()?;
        guard(|| db.flush())?;
        self.file.sync_data().map_err(|e| Fault::Refused(format!("syncing failed: {e}")))?;
        self.flushes += 1;
        Ok(())
    }

    /// One compression: one batch, one flush.
    pub(super) fn put(&mut self, seq: u64, blocks: &[Block]) -> Result<(), Fault> {
        if self.write(seq, blocks, false)? { self.flush() } else { Ok(()) }
    }

    /// One block, hash checked.
    pub(super) fn fetch(&self, index: &Index, version: u32) -> Result<Option<Block>, Fault> {
        let db = self.db()?;
        let Some(header) = guard(|| db.get(format::header_key(index, version)))? else { return Ok(None) };
        let header = Header::decode(&header).map_err(Fault::Block)?;
        let mut packed = Vec::new();
        for n in 0..header.chunks() {
            let chunk = guard(|| db.get(format::chunk_key(&header.digest, n)))?;
            let chunk = chunk.ok_or_else(|| Fault::Block(format!("chunk {n} of {} missing", header.chunks())))?;
            packed.extend_from_slice(&chunk);
        }
        let content = format::unpack(&header, packed).map_err(Fault::Block)?;
        Ok(Some(Block { index: index.clone(), version, kind: header.kind, content, digest: header.digest }))
    }

    /// Bytes of its files.
    #[must_use]
    pub fn size(&self) -> u64 {
        files::tree_size(&self.dir)
    }
}

impl Drop for SledStore {
    fn drop(&mut self) {
        let db = self.db.take();
        // What was acknowledged is flushed; a failure in closing costs nothing.
        let _ = guard(move || {
            drop(db);
            Ok(())
        });
        let _ = files::make_tree_private(&self.dir);
    }
}

impl ExperienceStore for SledStore {
    fn put_all(&mut self, seq: u64, blocks: &[Block]) -> Result<(), StoreError> {
        self.put(seq, blocks).map_err(|fault| StoreError::engine(&self.dir, fault.text()))
    }

    fn get(&mut self, index: &Index, version: u32) -> Result<Option<Block>, StoreError> {
        self.fetch(index, version).map_err(|fault| StoreError::engine(&self.dir, format!("{index}@{version}: {}", fault.text())))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::conform::{block, suite};
    use super::*;

    #[test]
    fn conforms() {
        let tmp = tempfile::tempdir().unwrap();
        suite(&mut SledStore::open(&tmp.path().join("store")).unwrap());
    }

    #[test]
    fn what_was_put_is_there_after_opening_anew() {
        let tmp = tempfile::tempdir().unwrap();
        let mut store = SledStore::open(tmp.path()).unwrap();
        assert!(store.fresh());
        store.put_all(4, &[block("a", 1, "one"), block("b", 1, "two")]).unwrap();
        store.put_all(4, &[block("a", 1, "one"), block("b", 1, "two")]).unwrap();
        assert_eq!((store.flushes(), store.applied()), (1, Some(4)));
        drop(store);
        let mut store = SledStore::open(tmp.path()).unwrap();
        assert!(!store.fresh());
        assert_eq!(store.applied(), Some(4));
        assert_eq!(store.get(&Index::new("b").unwrap(), 1).unwrap(), Some(block("b", 1, "two")));
        let names: Vec<String> = store.headers().unwrap().into_iter().map(|(i, v, _)| format!("{i}@{v}")).collect();
        assert_eq!(names, ["a@1", "b@1"]);
    }

    #[test]
    fn an_open_store_refuses_a_second_handle_in_time() {
        let tmp = tempfile::tempdir().unwrap();
        let _first = SledStore::open(tmp.path()).unwrap();
        let begun = Instant::now();
        let error = SledStore::open(tmp.path()).unwrap_err().to_string();
        assert!(begun.elapsed() < Duration::from_secs(2) && error.contains("another handle has it open"), "{error}");
    }
}
