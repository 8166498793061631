//! `memex store ls|get|verify|rebuild` as functions.

use std::fs;
use std::time::SystemTime;

use memex::store::ops::{self, InStore};
use memex::store::{SessionDir, StoreError};

use super::fixture::{NOW, Writer, check_all, data_in, prose};

fn state(dir: &SessionDir) -> Vec<(std::path::PathBuf, u64, SystemTime, Vec<u8>)> {
    let mut all = Vec::new();
    let mut dirs = vec![dir.path().to_owned()];
    while let Some(next) = dirs.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            let meta = entry.metadata().unwrap();
            if meta.is_dir() {
                dirs.push(entry.path());
            } else {
                all.push((entry.path(), meta.len(), meta.modified().unwrap(), fs::read(entry.path()).unwrap()));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn looking_changes_nothing() {
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    w.archive(&[("ctx_1", &prose(1, 30_000)), ("ctx_2", "two")]).unwrap();
    w.archive(&[("ctx_2", "two, anew")]).unwrap();
    let dir = w.end();
    let before = state(&dir);

    let rows = ops::ls(&dir).unwrap();
    let seen: Vec<_> = rows.iter().map(|r| (r.recorded.index.as_str(), r.recorded.version, r.recorded.bytes, r.recorded.seq)).collect();
    assert_eq!(seen[1..], [("ctx_2", 1, 3, 1), ("ctx_2", 2, 9, 2)]);
    assert!(rows.iter().all(|r| r.in_store == InStore::Unknown));
    assert_eq!(&*ops::get(&dir, "ctx_2").unwrap().content, "two, anew");
    assert_eq!(&*ops::get(&dir, "ctx_2@1").unwrap().content, "two");
    let report = ops::verify(&dir).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.rows.len(), 3);
    assert_eq!(state(&dir), before);

    for (wanted, part) in [("ctx_3", "nearest: ctx_"), ("ctx_2@7", "ctx_2@1, ctx_2@2"), ("ctx_2@x", "no version"), ("../x", "cannot stand")]
    {
        match ops::get(&dir, wanted) {
            Err(StoreError::Unknown(text)) => assert!(text.contains(part), "{text}"),
            other => panic!("{wanted}: {other:?}"),
        }
    }
}

#[test]
fn verify_names_what_is_wrong_and_rebuild_mends_it() {
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    w.archive(&[("a", "one"), ("b", "two")]).unwrap();
    w.journal_only(&[("c", "three")]).unwrap();
    let dir = w.end();
    let report = ops::verify(&dir).unwrap();
    assert!(!report.is_sound());
    let states: Vec<_> = report.rows.iter().map(|r| (r.recorded.index.as_str(), r.in_store.clone())).collect();
    assert_eq!(states, [("a", InStore::Sound), ("b", InStore::Sound), ("c", InStore::Missing)]);

    fs::write(dir.store().join("db"), "").unwrap();
    let report = ops::verify(&dir).unwrap();
    assert!(report.store_fault.as_ref().unwrap().contains("db is empty") && !report.is_sound(), "{report:?}");

    // Not while someone has the session open.
    let lock = dir.lock(NOW).unwrap();
    assert!(matches!(ops::rebuild(&dir, NOW), Err(StoreError::Locked(_))));
    drop(lock);
    let rebuilt = ops::rebuild(&dir, NOW).unwrap();
    assert_eq!((rebuilt.blocks, rebuilt.bytes), (3, 11));
    assert!(rebuilt.set_aside.unwrap().join("db").is_file());
    assert!(ops::verify(&dir).unwrap().is_sound());
    assert_eq!(check_all(&dir), (3, Vec::new()));
}

#[test]
fn a_session_without_blocks_needs_no_store() {
    let tmp = tempfile::tempdir().unwrap();
    let dir = Writer::begin(&data_in(tmp.path())).end();
    assert!(ops::verify(&dir).unwrap().is_sound());
    assert!(ops::ls(&dir).unwrap().is_empty());
    assert!(matches!(ops::get(&dir, "x"), Err(StoreError::Unknown(_))));
    assert!(!dir.store().exists());
}
