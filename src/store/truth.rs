//! Truth: what the journal says that D holds. Stores are compared with it and mended from it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::StoreError;
use crate::memory::{Archive, Block, BlockKind, Digest, Index, Version};
use crate::session::journal::{self, Loaded};
use crate::session::{Event, Session};

/// One version of an index as the journal records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its index.
    pub index: Index,
    /// Its version, from 1.
    pub version: u32,
    /// How it came about.
    pub kind: BlockKind,
    /// Bytes of its content.
    pub bytes: u64,
    /// Tokens of its content.
    pub tokens: u32,
    /// BLAKE3 of its content.
    pub digest: Digest,
    /// Number of the journal event that wrote it.
    pub seq: u64,
    /// Step of that event.
    pub step: u32,
    /// Its compression was undone: kept, but not read by the agent.
    pub withdrawn: bool,
    /// The content; why it cannot be had from the journal, where that is damaged.
    pub content: Result<Arc<str>, String>,
}

impl Recorded {
    /// The block, where the journal can give its content.
    #[must_use]
    pub fn block(&self) -> Option<Block> {
        let content = Arc::clone(self.content.as_ref().ok()?);
        Some(Block { index: self.index.clone(), version: self.version, kind: self.kind, content, digest: self.digest })
    }

    fn of(version: &Version) -> Self {
        let block = &version.block;
        Self {
            index: block.index.clone(),
            version: block.version,
            kind: block.kind,
            bytes: block.content.len() as u64,
            tokens: version.tokens,
            digest: block.digest,
            seq: version.seq,
            step: version.step,
            withdrawn: version.withdrawn,
            content: Ok(Arc::clone(&block.content)),
        }
    }
}

/// Where a store learns what it should hold. Asked at opening and when something is wrong, not in between.
pub trait Truth: Send {
    /// Every version ever recorded, by event number.
    ///
    /// # Errors
    /// [`StoreError::Truth`] when it cannot be read.
    fn recorded(&mut self) -> Result<Vec<Recorded>, StoreError>;
}

impl<F: FnMut() -> Result<Vec<Recorded>, StoreError> + Send> Truth for F {
    fn recorded(&mut self) -> Result<Vec<Recorded>, StoreError> {
        self()
    }
}

/// D as some fold knows it.
impl Truth for Archive {
    fn recorded(&mut self) -> Result<Vec<Recorded>, StoreError> {
        Ok(of_archive(self))
    }
}

fn of_archive(archive: &Archive) -> Vec<Recorded> {
    let mut all: Vec<Recorded> = archive.all().flat_map(|(_, versions)| versions.iter().map(Recorded::of)).collect();
    all.sort_by_key(|r| r.seq);
    all
}

/// The journal file itself, read anew each time.
#[derive(Clone, Debug)]
pub struct JournalTruth(pub PathBuf);

impl Truth for JournalTruth {
    fn recorded(&mut self) -> Result<Vec<Recorded>, StoreError> {
        let loaded = journal::read(&self.0).map_err(|e| StoreError::Truth(e.to_string()))?;
        Ok(of_journal(&loaded))
    }
}

/// What a journal records. An event that does not fit is passed over as a reader of the session
/// would do, but its blocks are listed, without content.
pub(super) fn of_journal(loaded: &Loaded) -> Vec<Recorded> {
    let mut session = Session::default();
    let mut lost: BTreeMap<(Index, u32), Recorded> = BTreeMap::new();
    for envelope in &loaded.events {
        let seq = session.seq();
        let Err(fault) = session.apply(envelope) else { continue };
        let Event::Compressed(compressed) = &envelope.event else { continue };
        for block in &compressed.blocks {
            let recorded = Recorded {
                index: block.index.clone(),
                version: block.version,
                kind: block.kind,
                bytes: block.bytes,
                tokens: block.tokens,
                digest: block.hash,
                seq,
                step: envelope.step,
                withdrawn: false,
                content: Err(fault.what.clone()),
            };
            lost.insert((block.index.clone(), block.version), recorded);
        }
    }
    let mut all = of_archive(session.archive());
    for known in &all {
        lost.remove(&(known.index.clone(), known.version));
    }
    all.extend(lost.into_values());
    all.sort_by(|a, b| (a.seq, &a.index, a.version).cmp(&(b.seq, &b.index, b.version)));
    all
}
