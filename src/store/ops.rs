//! What `memex store ls|get|verify|rebuild` does, as plain values. Knows no terminal.
//!
//! All but [`rebuild`] only read: the journal itself, and the engine's files in a copy, since the
//! engine writes when it opens them. They work while another program has the session open.

use std::path::PathBuf;

use super::recover::{self, Copy, Outcome};
use super::session_dir::SessionDir;
use super::truth::{self, Recorded};
use super::{StoreError, files};
use crate::memory::{Block, Index};
use crate::session::journal::Loaded;

/// How a block stands in the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InStore {
    /// There, and its bytes have the recorded hash.
    Sound,
    /// Not there.
    Missing,
    /// There with other bytes, or not whole: what was found.
    Damaged(String),
    /// The store was not looked at, or cannot be opened.
    Unknown,
}

/// One version of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What the journal records, with the content where it can be had.
    pub recorded: Recorded,
    /// How it stands in the engine.
    pub in_store: InStore,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Every version of every index, in the order in which they were written.
    pub rows: Vec<Row>,
    /// Versions that only the store has.
    pub surplus: Vec<(Index, u32)>,
    /// Why the store cannot be looked at, if it cannot.
    pub store_fault: Option<String>,
    /// What is wrong with the journal.
    pub journal_notes: Vec<String>,
    /// Bytes of the engine's files.
    pub store_bytes: u64,
    /// Bytes of all contents.
    pub content_bytes: u64,
}

impl Report {
    /// Whether the journal is whole and the store holds exactly what it records.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.journal_notes.is_empty() && self.blocks_are_sound()
    }

    /// Whether the store holds exactly what the journal records. A session that archived nothing needs no store.
    #[must_use]
    pub fn blocks_are_sound(&self) -> bool {
        let no_store_needed = self.rows.is_empty() && self.store_bytes == 0;
        self.rows.iter().all(|r| r.in_store == InStore::Sound && r.recorded.content.is_ok())
            && self.surplus.is_empty()
            && (self.store_fault.is_none() || no_store_needed)
    }
}

fn load(dir: &SessionDir) -> Result<(Loaded, Vec<Recorded>), StoreError> {
    let loaded = dir.read().map_err(|e| StoreError::Truth(e.to_string()))?;
    let recorded = truth::of_journal(&loaded);
    Ok((loaded, recorded))
}

/// Every version of every index as the journal records it. The store is not looked at.
///
/// # Errors
/// [`StoreError::Truth`] when the journal cannot be read.
pub fn ls(dir: &SessionDir) -> Result<Vec<Row>, StoreError> {
    let (_, recorded) = load(dir)?;
    Ok(recorded.into_iter().map(|recorded| Row { recorded, in_store: InStore::Unknown }).collect())
}

/// Compares a copy of the store with the journal, every byte of every block.
///
/// # Errors
/// [`StoreError::Truth`] when the journal cannot be read.
pub fn verify(dir: &SessionDir) -> Result<Report, StoreError> {
    let (loaded, recorded) = load(dir)?;
    let copy = Copy::of(&dir.store());
    let mut report = Report {
        rows: Vec::with_capacity(recorded.len()),
        surplus: Vec::new(),
        store_fault: copy.as_ref().err().cloned(),
        journal_notes: loaded.notes,
        store_bytes: files::tree_size(&dir.store()),
        content_bytes: recorded.iter().map(|r| r.bytes).sum(),
    };
    if let Ok(copy) = &copy {
        match copy.store.headers() {
            Ok(headers) => {
                let known = |i: &Index, v: u32| recorded.iter().any(|r| r.index == *i && r.version == v);
                report.surplus = headers.into_iter().filter(|(i, v, _)| !known(i, *v)).map(|(i, v, _)| (i, v)).collect();
            }
            Err(fault) => report.store_fault = Some(fault.text().to_owned()),
        }
    }
    for recorded in recorded {
        let in_store = match &copy {
            Err(_) => InStore::Unknown,
            Ok(copy) => match copy.store.fetch(&recorded.index, recorded.version) {
                Ok(Some(block)) if block.digest == recorded.digest => InStore::Sound,
                Ok(Some(block)) => InStore::Damaged(format!("bytes with BLAKE3 {}", block.digest)),
                Ok(None) => InStore::Missing,
                Err(fault) => InStore::Damaged(fault.text().to_owned()),
            },
        };
        report.rows.push(Row { recorded, in_store });
    }
    Ok(report)
}

/// One block by its index, the version that ReadExperience would get, or by `index@version`.
///
/// The journal gives it; where that is damaged, a copy of the store.
///
/// # Errors
/// [`StoreError::Unknown`] when it was never archived, [`StoreError::BlockDamaged`] when neither can give it.
pub fn get(dir: &SessionDir, wanted: &str) -> Result<Block, StoreError> {
    let (_, mut recorded) = load(dir)?;
    let (name, version) = match wanted.rsplit_once('@') {
        Some((name, version)) => {
            let version = version
                .parse::<u32>()
                .map_err(|_| StoreError::Unknown(format!("{version:?} is no version: `INDEX@2` names the second")))?;
            (name, Some(version))
        }
        None => (wanted, None),
    };
    let index = Index::new(name).map_err(|e| StoreError::Unknown(e.to_string()))?;
    let of_index = || recorded.iter().filter(|r| r.index == index);
    let found = match version {
        Some(version) => of_index().find(|r| r.version == version),
        None => of_index().rfind(|r| !r.withdrawn).or_else(|| of_index().next_back()),
    };
    let Some(found) = found.cloned() else {
        let versions: Vec<String> = of_index().map(|r| format!("{index}@{}", r.version)).collect();
        let near = crate::memory::nearest(index.as_str(), recorded.iter().map(|r| &r.index), 3);
        return Err(StoreError::Unknown(if versions.is_empty() {
            let mut near: Vec<&str> = near.iter().map(Index::as_str).collect();
            near.dedup();
            let like = if near.is_empty() { "nothing was archived".into() } else { format!("nearest: {}", near.join(", ")) };
            format!("no block {index} in session {} ({like})", dir.id())
        } else {
            format!("no block {wanted} in session {} (there are {})", dir.id(), versions.join(", "))
        }));
    };
    if let Some(block) = found.block() {
        return Ok(block);
    }
    recorded.retain(|r| r.index == found.index && r.version == found.version);
    recover::rescue_from_copy(&dir.store(), &mut recorded);
    recorded.first().and_then(Recorded::block).ok_or_else(|| StoreError::BlockDamaged {
        index: found.index.clone(),
        version: found.version,
        expected: found.digest,
        found: match Copy::of(&dir.store()) {
            Ok(copy) => recover::describe(&copy.store, &found.index, found.version),
            Err(why) => why,
        },
        path: dir.store().display().to_string(),
    })
}

/// What [`rebuild`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Blocks put.
    pub blocks: usize,
    /// Bytes of their contents.
    pub bytes: u64,
    /// Where the old store is now, if there was one.
    pub set_aside: Option<PathBuf>,
    /// Sentences about blocks that cannot be had.
    pub notices: Vec<String>,
}

/// Makes the store anew from the journal, behind the session's lock. The old one is kept under another name, and
/// gives what the journal cannot. `now` is milliseconds since the Unix epoch.
///
/// # Errors
/// [`StoreError::Locked`] when the session is open; otherwise what the system refused.
pub fn rebuild(dir: &SessionDir, now: u64) -> Result<Rebuilt, StoreError> {
    let _lock = dir.lock(now)?;
    let (_, mut recorded) = load(dir)?;
    if recorded.iter().any(|r| r.content.is_err()) {
        recover::rescue_from_copy(&dir.store(), &mut recorded);
    }
    let half = recover::building(dir.path());
    if half.exists() {
        std::fs::remove_dir_all(&half).map_err(StoreError::io("cannot remove", &half))?;
    }
    let set_aside = recover::set_aside(dir.path(), "store.replaced")?;
    let mut outcome = Outcome::default();
    drop(recover::make(dir.path(), &recorded, &mut outcome)?);
    let have = recorded.iter().filter(|r| r.content.is_ok());
    Ok(Rebuilt { blocks: have.clone().count(), bytes: have.map(|r| r.bytes).sum(), set_aside, notices: outcome.notices })
}
