//! The damage matrix: whatever happens to the engine's files, the bytes are right or right after a
//! rebuild, and where something was wrong there is a sentence.

use std::fs;
use std::path::{Path, PathBuf};

use memex::memory::Index;
use memex::store::SessionDir;

use super::fixture::{NOW, Writer, check_all, data_in, noise, prose};

/// Twelve compressions; with `reopened`, closed and opened again half-way, so that a snapshot covers the first half.
fn session(root: &Path, reopened: bool) -> SessionDir {
    let mut w = Writer::begin(&data_in(root));
    for n in 0..12u64 {
        if reopened && n == 6 {
            let dir = w.end();
            w = Writer::resume(&dir);
        }
        w.archive(&[(&format!("ctx_{n}"), &prose(n, 3_000 + 9_000 * (n as usize % 3))), ("again", &format!("version {n}"))]).unwrap();
    }
    w.end()
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn file_in(dir: &SessionDir, name: &str) -> PathBuf {
    let all = fs::read_dir(dir.store()).unwrap().map(|e| e.unwrap().path());
    all.filter(|p| p.file_name().unwrap().to_string_lossy().starts_with(name)).max().unwrap()
}

/// Damages a copy of `original` and checks that every block is right afterwards. Returns the sentences.
fn after(original: &SessionDir, tmp: &Path, damage: impl FnOnce(&SessionDir)) -> Vec<String> {
    let copy = tmp.join(original.id());
    if copy.exists() {
        fs::remove_dir_all(&copy).unwrap();
    }
    copy_tree(original.path(), &copy);
    let dir = SessionDir::at(&copy);
    damage(&dir);
    let (n, notices) = check_all(&dir);
    assert_eq!(n, 24);
    // Mended means mended: the next opening has nothing to say, and nothing was thrown away.
    assert_eq!(check_all(&dir), (24, Vec::new()), "after {notices:?}");
    for text in &notices {
        assert!(text.contains(&dir.path().display().to_string()) && text.contains("expected") && text.contains("found"), "{text}");
        if text.contains(" is damaged: ") && dir.store().exists() && !text.contains("no directory of that name") {
            let kept = fs::read_dir(dir.path()).unwrap().filter(|e| {
                let name = e.as_ref().unwrap().file_name();
                name.to_string_lossy().starts_with("store.damaged-")
            });
            assert_eq!(kept.count(), 1, "{text}");
        }
    }
    notices
}

#[test]
fn every_file_flipped_cut_emptied_and_deleted() {
    for reopened in [false, true] {
        let tmp = tempfile::tempdir().unwrap();
        let original = session(tmp.path(), reopened);
        let copies = tmp.path().join("copies");
        assert_eq!(after(&original, &copies, |_| {}), Vec::<String>::new());
        let mut seen = 0;
        for name in ["db", "conf", "snap."] {
            let len = fs::metadata(file_in(&original, name)).unwrap().len();
            // Where data is: the engine's file is longer than what is written to it.
            let bytes = fs::read(file_in(&original, name)).unwrap();
            let used = bytes.iter().rposition(|b| *b != 0).unwrap() as u64 + 1;
            let flips: Vec<u64> = (0..if name == "db" { 16 } else { 6 }).map(|k| (k * 2_654_435_761 % used).min(len - 1)).collect();
            for at in flips {
                let notices = after(&original, &copies, |dir| {
                    let path = file_in(dir, name);
                    let mut bytes = fs::read(&path).unwrap();
                    bytes[at as usize] ^= 0x10;
                    fs::write(&path, bytes).unwrap();
                });
                seen += usize::from(!notices.is_empty());
            }
            for keep in [used / 2, used.saturating_sub(3), 1] {
                let notices = after(&original, &copies, |dir| {
                    fs::OpenOptions::new().write(true).open(file_in(dir, name)).unwrap().set_len(keep).unwrap();
                });
                seen += usize::from(!notices.is_empty());
            }
            let emptied = after(&original, &copies, |dir| fs::write(file_in(dir, name), "").unwrap());
            let deleted = after(&original, &copies, |dir| fs::remove_file(file_in(dir, name)).unwrap());
            if name != "snap." {
                for notices in [emptied, deleted] {
                    assert_eq!(notices.len(), 1, "{name}: {notices:?}");
                    assert!(notices[0].contains(name) && notices[0].contains("24 blocks"), "{}", notices[0]);
                }
            }
        }
        println!("reopened {reopened}: {seen} damages were noticed");
        assert!(seen >= 10, "the damage does not reach the data: {seen}");
    }
}

#[test]
fn damage_in_many_places_of_a_large_store() {
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    for n in 0..24u64 {
        w.archive(&[(&format!("ctx_{n}"), &noise(n, 200_000))]).unwrap();
    }
    let original = w.end();
    // Opened once more, so that a snapshot covers everything and damage shows only where it is read.
    assert_eq!(check_all(&original), (24, Vec::new()));
    for spacing in [100_003, 1_000_003] {
        let notices = after(&original, &tmp.path().join("copies"), |dir| {
            let path = file_in(dir, "db");
            let mut bytes = fs::read(&path).unwrap();
            for at in (spacing / 2..bytes.len()).step_by(spacing) {
                bytes[at] ^= 0x01;
            }
            fs::write(&path, bytes).unwrap();
        });
        println!("{}", notices.join("\n"));
        assert!(!notices.is_empty());
    }
}

#[test]
fn a_missing_store_and_a_file_in_its_place() {
    let tmp = tempfile::tempdir().unwrap();
    let original = session(tmp.path(), false);
    let copies = tmp.path().join("copies");
    let missing = after(&original, &copies, |dir| fs::remove_dir_all(dir.store()).unwrap());
    assert_eq!(missing.len(), 1);
    assert!(missing[0].contains("no directory of that name"), "{}", missing[0]);
    let file = after(&original, &copies, |dir| {
        fs::remove_dir_all(dir.store()).unwrap();
        fs::write(dir.store(), "not a directory").unwrap();
    });
    assert!(file[0].contains("something that is no directory"), "{}", file[0]);
    // A store of another session, sound in itself.
    let other = session(&tmp.path().join("other"), false);
    let mut w = Writer::resume(&other);
    w.archive(&[("only_there", "x")]).unwrap();
    let other = w.end();
    let foreign = after(&original, &copies, |dir| {
        fs::remove_dir_all(dir.store()).unwrap();
        copy_tree(&other.store(), &dir.store());
        let mut w = Writer::resume(dir);
        assert_eq!(w.store.open_blocking().map_err(|e| e.to_string()), Ok(()));
        let notices = w.store.take_notices();
        assert!(notices[0].contains("found 1 blocks that its journal"), "{notices:?}");
        let _ = &mut w;
        drop(w.end());
        fs::remove_dir_all(dir.store()).unwrap();
    });
    assert_eq!(foreign.len(), 1);
}

#[test]
fn an_unfinished_snapshot_is_moved_aside() {
    let tmp = tempfile::tempdir().unwrap();
    let original = session(tmp.path(), true);
    for content in ["", "half a snapshot"] {
        let notices = after(&original, &tmp.path().join("copies"), |dir| {
            fs::write(dir.store().join("snap.0000000000FFFFFF.generating"), content).unwrap();
        });
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains("snap.0000000000FFFFFF.generating"), "{}", notices[0]);
    }
}

#[test]
fn a_store_that_is_behind_gets_the_difference() {
    let tmp = tempfile::tempdir().unwrap();
    let original = session(tmp.path(), false);
    let notices = after(&original, &tmp.path().join("copies"), |dir| {
        // The engine's files as they were five events ago.
        let old = dir.path().join("old");
        copy_tree(&dir.store(), &old);
        let mut w = Writer::resume(dir);
        let undo = w.journal.len();
        for n in 0..5 {
            w.archive(&[("later", &format!("later {n}"))]).unwrap();
        }
        drop(w.end());
        fs::remove_dir_all(dir.store()).unwrap();
        fs::rename(&old, dir.store()).unwrap();
        let (n, notices) = check_all(dir);
        assert_eq!(n, 29);
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains("5 blocks were added (events 13 to 17)"), "{}", notices[0]);
        // A journal that lost its tail: what only the store has is kept.
        fs::OpenOptions::new().write(true).open(dir.journal()).unwrap().set_len(undo).unwrap();
        let (n, notices) = check_all(dir);
        assert_eq!(n, 24);
        assert!(notices[0].contains("found 5 blocks that its journal"), "{notices:?}");
        fs::remove_dir_all(dir.store()).unwrap();
    });
    assert_eq!(notices.len(), 1);
}

#[test]
fn a_block_damaged_while_the_store_is_open_is_taken_from_the_journal() {
    // A chunk is damaged where only our own hash can tell: in the engine itself, under its own checksums.
    let tmp = tempfile::tempdir().unwrap();
    let dir = session(tmp.path(), false);
    let db = sled::Config::new().path(dir.store()).open().unwrap();
    for (damaged, entry) in db.scan_prefix(b"c").enumerate() {
        let (key, value) = entry.unwrap();
        match damaged % 3 {
            0 => drop(db.remove(&key).unwrap()),
            1 => {
                let mut bytes = value.to_vec();
                bytes[0] ^= 1;
                db.insert(key, bytes).unwrap();
            }
            _ => {}
        }
    }
    db.flush().unwrap();
    drop(db);
    let (n, notices) = check_all(&dir);
    assert_eq!(n, 24);
    assert!(notices.len() >= 12 && notices.iter().all(|t| t.contains("put there again from the journal")), "{notices:?}");
    assert_eq!(check_all(&dir), (24, Vec::new()));
}

#[test]
fn a_damaged_journal_is_helped_out_by_the_store() {
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    w.archive(&[("first", "text of the first")]).unwrap();
    w.observe_and_archive("second", "text of the second").unwrap();
    let dir = w.end();
    // The line of the observation from which the second block was extracted.
    let text = fs::read_to_string(dir.journal()).unwrap();
    fs::write(dir.journal(), text.replacen("text of the second", "text of the SECOND", 1)).unwrap();

    let row = memex::store::ops::ls(&dir).unwrap().pop().unwrap();
    assert_eq!(row.recorded.index, Index::new("second").unwrap());
    assert!(row.recorded.content.is_err());
    assert_eq!(&*memex::store::ops::get(&dir, "second").unwrap().content, "text of the second");

    // Also when the store must be made anew, and not when it is lost too.
    let rebuilt = memex::store::ops::rebuild(&dir, NOW).unwrap();
    assert_eq!((rebuilt.blocks, rebuilt.notices.len()), (2, 0));
    assert_eq!(&*memex::store::ops::get(&dir, "second").unwrap().content, "text of the second");
    fs::remove_dir_all(dir.store()).unwrap();
    let error = memex::store::ops::get(&dir, "second").unwrap_err().to_string();
    assert!(error.contains("second@1") && error.contains("expected bytes with BLAKE3"), "{error}");
    let rebuilt = memex::store::ops::rebuild(&dir, NOW).unwrap();
    assert_eq!((rebuilt.blocks, rebuilt.notices.len()), (1, 1));
}
