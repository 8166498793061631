//! Recovery: opening a store so that it holds what the journal records, whatever is found on disk.
//!
//! | found | done |
//! |---|---|
//! | nothing, and none was made before | made from the journal |
//! | fewer events than the journal | the difference is put |
//! | a snapshot that the engine did not finish (it would refuse to open) | moved aside, opened |
//! | missing, half, emptied, unreadable, short, or with other hashes | moved to `store.damaged-<time>`, made again from the journal |
//! | more than the journal | kept, and said |
//!
//! A store is made in `store.building` and gets its name when it is whole, so a half store is never
//! the work of a kill. Nothing is deleted but what stands under that name.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::guard::Fault;
use super::sled::SledStore;
use super::truth::{Recorded, Truth};
use super::{StoreError, atomic, files};
use crate::memory::{Block, Index};

/// The engine's directory in a session's.
pub(super) fn store_dir(session: &Path) -> PathBuf {
    session.join("store")
}

/// Says that a store was made here once: the engine itself would make an empty one without a word.
pub(super) fn marker(session: &Path) -> PathBuf {
    session.join("store.mark")
}

pub(super) fn building(session: &Path) -> PathBuf {
    session.join("store.building")
}

/// What opening had to do.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Sentences for the user: path, expected, found.
    pub(super) notices: Vec<String>,
    /// Flushes of stores that were made on the way.
    pub(super) flushes: u64,
}

/// Opens the store of a session directory. The caller holds the session's lock, and may know already
/// that what is there is damaged.
pub(super) fn open(session: &Path, truth: &mut dyn Truth, known: Option<&str>, outcome: &mut Outcome) -> Result<SledStore, StoreError> {
    let dir = store_dir(session);
    let half = building(session);
    if half.exists() {
        std::fs::remove_dir_all(&half).map_err(StoreError::io("cannot remove", &half))?;
    }
    let mut recorded = truth.recorded()?;
    match look(session) {
        Found::Nothing => return make(session, &recorded, outcome),
        Found::Broken(what) => return mend(session, &mut recorded, None, &what, outcome),
        Found::Store => {}
    }
    if let Some(what) = known {
        return mend(session, &mut recorded, None, what, outcome);
    }
    move_unfinished_snapshots(session, outcome)?;
    let mut store = match SledStore::start(&dir) {
        Ok(store) => store,
        Err(Fault::Refused(why)) => return Err(StoreError::engine(&dir, why)),
        Err(Fault::Damaged(why) | Fault::Block(why)) => return mend(session, &mut recorded, None, &why, outcome),
    };
    let difference = match compare(&store, &recorded) {
        Ok(Difference { damage: Some(what), .. }) => return mend(session, &mut recorded, Some(store), &what, outcome),
        Ok(difference) => difference,
        Err(fault) => return mend(session, &mut recorded, Some(store), fault.text(), outcome),
    };
    if !difference.behind.is_empty() {
        match catch_up(store, &dir, &difference.behind, outcome) {
            Ok(sound) => store = sound,
            Err(Fault::Refused(why)) => return Err(StoreError::engine(&dir, why)),
            Err(fault) => return mend(session, &mut recorded, None, fault.text(), outcome),
        }
    }
    if difference.surplus > 0 {
        outcome.notices.push(format!(
            "the store {} is ahead of its journal: expected {} blocks, found {} blocks that its journal does not record; they are kept",
            dir.display(),
            recorded.len(),
            difference.surplus
        ));
    }
    tell_lost(&difference.lost, &dir, outcome);
    mark(session)?;
    Ok(store)
}

enum Found {
    Nothing,
    Broken(String),
    Store,
}

/// What is there, before the engine sees it.
fn look(session: &Path) -> Found {
    let dir = store_dir(session);
    match std::fs::symlink_metadata(&dir) {
        Err(_) if marker(session).exists() => return Found::Broken("no directory of that name".into()),
        Err(_) => return Found::Nothing,
        Ok(meta) if !meta.is_dir() => return Found::Broken("something that is no directory".into()),
        Ok(_) => {}
    }
    for name in ["db", "conf"] {
        match std::fs::metadata(dir.join(name)) {
            Err(_) => return Found::Broken(format!("no file {name:?} in it")),
            Ok(meta) if !meta.is_file() => return Found::Broken(format!("{name:?} in it is no file")),
            Ok(meta) if meta.len() == 0 => return Found::Broken(format!("an empty file {name:?} in it")),
            Ok(_) => {}
        }
    }
    Found::Store
}

/// The engine takes a snapshot that it was writing when it was killed for its newest one.
fn move_unfinished_snapshots(session: &Path, outcome: &mut Outcome) -> Result<(), StoreError> {
    let dir = store_dir(session);
    let entries = std::fs::read_dir(&dir).map_err(StoreError::io("cannot read", &dir))?;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            let aside = files::free_name(&session.join(format!("store.{name}")), &files::stamp(files::now()));
            std::fs::rename(entry.path(), &aside).map_err(StoreError::io("cannot rename", &entry.path()))?;
            outcome.notices.push(format!(
                "the store {} was closed in the middle of a snapshot: expected none unfinished, found {name}; it was moved to {}",
                dir.display(),
                aside.display()
            ));
        }
    }
    Ok(())
}

/// How a store differs from what is recorded.
#[derive(Debug, Default)]
struct Difference {
    /// What cannot be put right by adding.
    damage: Option<String>,
    /// Recorded after the newest event that the store has.
    behind: Vec<Recorded>,
    /// In neither store nor journal.
    lost: Vec<Recorded>,
    /// In the store only.
    surplus: usize,
}

fn compare(store: &SledStore, recorded: &[Recorded]) -> Result<Difference, Fault> {
    let mut difference = Difference::default();
    let mut headers: BTreeMap<_, _> = store.headers()?.into_iter().map(|(i, v, h)| ((i, v), h)).collect();
    let (mut short, mut other) = (0usize, Vec::new());
    for r in recorded {
        match headers.remove(&(r.index.clone(), r.version)) {
            Some(header) if header.digest == r.digest => {}
            Some(header) => other.push(format!("{}@{} with BLAKE3 {} instead of {}", r.index, r.version, header.digest, r.digest)),
            None if r.content.is_err() => difference.lost.push(r.clone()),
            None if store.applied().is_none_or(|a| r.seq > a) => difference.behind.push(r.clone()),
            None => short += 1,
        }
    }
    difference.surplus = headers.len();
    difference.damage = if let Some(first) = other.first() {
        Some(format!("{} blocks with other bytes, the first {first}", other.len()))
    } else if short > 0 {
        Some(format!("{short} blocks missing of the {} that it should hold", recorded.len()))
    } else if store.fresh() && !recorded.is_empty() {
        Some("an empty store".into())
    } else {
        None
    };
    Ok(difference)
}

/// Puts what is missing, and looks whether it stays: an engine that lost its tail to damage may lose
/// what is written behind it, too.
fn catch_up(mut store: SledStore, dir: &Path, behind: &[Recorded], outcome: &mut Outcome) -> Result<SledStore, Fault> {
    let had = store.applied().map_or_else(|| "no event".to_owned(), |a| format!("event {a}"));
    put_recorded(&mut store, behind)?;
    outcome.flushes += store.flushes();
    drop(store);
    let store = SledStore::start(dir)?;
    let still = compare(&store, behind)?;
    if !still.behind.is_empty() || still.damage.is_some() {
        return Err(Fault::Damaged(format!("blocks up to {had} only, and it does not keep what is added")));
    }
    if let (Some(first), Some(last)) = (behind.first(), behind.last()) {
        outcome.notices.push(format!(
            "the store {} was behind its journal: expected blocks up to event {}, found them up to {had}; {} blocks were added (events {} to {})",
            dir.display(),
            last.seq,
            behind.len(),
            first.seq,
            last.seq
        ));
    }
    Ok(store)
}

fn tell_lost(lost: &[Recorded], dir: &Path, outcome: &mut Outcome) {
    let Some(first) = lost.first() else { return };
    let why = first.content.as_ref().err().map_or("", String::as_str);
    outcome.notices.push(format!(
        "{} blocks are recorded but neither the store {} nor its journal can give their bytes, the first {}@{} ({why})",
        lost.len(),
        dir.display(),
        first.index,
        first.version
    ));
}

/// Puts what has content, one batch an event, and flushes once. Returns number and bytes of blocks.
fn put_recorded(store: &mut SledStore, recorded: &[Recorded]) -> Result<(usize, u64), Fault> {
    let (mut count, mut bytes) = (0, 0);
    for event in recorded.chunk_by(|a, b| a.seq == b.seq) {
        let blocks: Vec<Block> = event.iter().filter_map(Recorded::block).collect();
        if let Some(first) = event.first()
            && !blocks.is_empty()
        {
            store.write(first.seq, &blocks, false)?;
        }
        count += blocks.len();
        bytes += blocks.iter().map(|b| b.content.len() as u64).sum::<u64>();
    }
    if count > 0 {
        store.flush()?;
    }
    Ok((count, bytes))
}

/// Moves what is there aside and makes the store again.
fn mend(
    session: &Path,
    recorded: &mut [Recorded],
    store: Option<SledStore>,
    found: &str,
    outcome: &mut Outcome,
) -> Result<SledStore, StoreError> {
    let dir = store_dir(session);
    if let Some(store) = &store {
        rescue(store, recorded);
    }
    drop(store);
    let aside = set_aside(session, "store.damaged")?;
    if let Some(aside) = &aside
        && recorded.iter().any(|r| r.content.is_err())
    {
        rescue_from_copy(aside, recorded);
    }
    let made = make(session, recorded, outcome);
    let expected = format!(
        "expected {} blocks up to event {}",
        recorded.len(),
        recorded.last().map_or_else(|| "none".to_owned(), |r| r.seq.to_string())
    );
    let moved = aside.map_or_else(String::new, |a| format!(" It was moved to {}.", a.display()));
    let mended = match &made {
        Ok(_) => {
            let have = recorded.iter().filter(|r| r.content.is_ok());
            format!("{} blocks ({} bytes) were made again from the journal.", have.clone().count(), have.map(|r| r.bytes).sum::<u64>())
        }
        Err(error) => format!("It cannot be made again now: {error}."),
    };
    outcome.notices.push(format!("the store {} is damaged: {expected}, found {found}.{moved} {mended}", dir.display()));
    made
}

/// Renames the store's directory; `None` where there is none.
pub(super) fn set_aside(session: &Path, name: &str) -> Result<Option<PathBuf>, StoreError> {
    let dir = store_dir(session);
    if std::fs::symlink_metadata(&dir).is_err() {
        return Ok(None);
    }
    let aside = files::free_name(&session.join(name), &files::stamp(files::now()));
    std::fs::rename(&dir, &aside).map_err(StoreError::io("cannot rename", &dir))?;
    files::sync_dir(session).map_err(StoreError::io("cannot sync", session))?;
    Ok(Some(aside))
}

/// Takes from a store what the journal cannot give.
pub(super) fn rescue(store: &SledStore, recorded: &mut [Recorded]) {
    for r in recorded.iter_mut().filter(|r| r.content.is_err()) {
        if let Ok(Some(block)) = store.fetch(&r.index, r.version)
            && block.digest == r.digest
        {
            r.content = Ok(block.content);
        }
    }
}

/// The same from a store that must stay as it is.
pub(super) fn rescue_from_copy(dir: &Path, recorded: &mut [Recorded]) {
    if let Ok(copy) = Copy::of(dir) {
        rescue(&copy.store, recorded);
    }
}

/// An opened copy of a store's directory, gone when dropped: opening writes.
pub(super) struct Copy {
    // Dropped in this order.
    pub(super) store: SledStore,
    _dir: tempfile::TempDir,
}

impl Copy {
    /// Copies and opens.
    pub(super) fn of(dir: &Path) -> Result<Self, String> {
        for name in ["db", "conf"] {
            let meta = std::fs::metadata(dir.join(name)).map_err(|e| format!("{}: {e}", dir.join(name).display()))?;
            if meta.len() == 0 {
                return Err(format!("{} is empty", dir.join(name).display()));
            }
        }
        let private = std::fs::Permissions::from_mode(files::DIR_MODE);
        let temp = tempfile::Builder::new()
            .prefix("memex-store-")
            .permissions(private)
            .tempdir()
            .map_err(|e| format!("no place for a copy: {e}"))?;
        for (path, meta) in files::walk(dir).map_err(|e| format!("{}: {e}", dir.display()))? {
            let Ok(relative) = path.strip_prefix(dir) else { continue };
            let to = temp.path().join(relative);
            let copied = if meta.is_dir() {
                files::make_dirs(&to)
            } else if meta.is_file() && path.extension().is_none_or(|e| e != "generating") {
                files::gone_is_fine(std::fs::copy(&path, &to).map(|_| ()))
            } else {
                Ok(())
            };
            copied.map_err(|e| format!("copying {}: {e}", path.display()))?;
        }
        // A copy of a file that cannot be written to cannot be, either.
        files::make_tree_private(temp.path()).map_err(|e| format!("{}: {e}", temp.path().display()))?;
        let store = SledStore::start(temp.path()).map_err(|fault| fault.text().to_owned())?;
        Ok(Self { store, _dir: temp })
    }
}

/// Makes the store of a session that has none.
pub(super) fn make(session: &Path, recorded: &[Recorded], outcome: &mut Outcome) -> Result<SledStore, StoreError> {
    let (dir, half) = (store_dir(session), building(session));
    files::make_dir(&half).map_err(StoreError::io("cannot make", &half))?;
    let filled = (|| {
        let mut store = SledStore::start(&half)?;
        put_recorded(&mut store, recorded)?;
        Ok(store.flushes())
    })();
    match filled {
        Ok(flushes) => outcome.flushes += flushes,
        Err(fault) => {
            let fault: Fault = fault;
            let _ = std::fs::remove_dir_all(&half);
            return Err(StoreError::engine(&dir, fault.text()));
        }
    }
    files::sync_tree(&half).map_err(StoreError::io("cannot sync", &half))?;
    std::fs::rename(&half, &dir).map_err(StoreError::io("cannot rename", &half))?;
    files::sync_dir(session).map_err(StoreError::io("cannot sync", session))?;
    mark(session)?;
    let lost: Vec<Recorded> = recorded.iter().filter(|r| r.content.is_err()).cloned().collect();
    tell_lost(&lost, &dir, outcome);
    // Opening anew makes the engine write a snapshot, which covers all that was put.
    SledStore::start(&dir).map_err(|fault| StoreError::engine(&dir, fault.text()))
}

fn mark(session: &Path) -> Result<(), StoreError> {
    let path = marker(session);
    if path.exists() {
        return Ok(());
    }
    atomic::write_atomic(&path, b"a store was made here; if it is missing, it was lost\n").map_err(StoreError::io("cannot write", &path))
}

/// What a store has in the place of a block.
pub(super) fn describe(store: &SledStore, index: &Index, version: u32) -> String {
    match store.fetch(index, version) {
        Ok(Some(block)) => format!("bytes with BLAKE3 {}", block.digest),
        Ok(None) => "nothing".into(),
        Err(fault) => fault.text().to_owned(),
    }
}
