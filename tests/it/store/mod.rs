//! The store on a real disk: what is acknowledged is there, and damage costs a sentence.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod child;
mod crash;
mod damage;
mod fixture;
mod ops;
mod places;

use self::fixture::{Writer, check_all, data_in, noise, prose, size_of};

#[test]
fn one_flush_for_each_compression() {
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    assert!(!w.dir.store().exists(), "the store is made before it is needed");
    for n in 0..25 {
        let (a, b) = (format!("a{n}"), format!("b{n}"));
        w.archive(&[(&a, &prose(n, 20_000)), (&b, "short"), ("again", &n.to_string())]).unwrap();
    }
    assert_eq!(w.store.flushes_blocking().unwrap(), 25);
    assert_eq!(w.journal.syncs(), 1 + 1 + 25);

    // Reading flushes nothing, and putting an event again neither.
    let index = memex::memory::Index::new("again").unwrap();
    assert_eq!(&*w.store.get_blocking(&index, 25).unwrap().unwrap().content, "24");
    w.put(25).unwrap();
    assert_eq!(w.store.flushes_blocking().unwrap(), 25);
    assert_eq!(w.store.take_notices(), Vec::<String>::new());
    assert_eq!(check_all(&w.end()), (75, Vec::new()));
}

#[test]
fn a_store_opened_ahead_of_use_flushes_once_for_each_compression_too() {
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    w.store.open_blocking().unwrap();
    for n in 0..5 {
        w.archive(&[("x", &n.to_string())]).unwrap();
    }
    assert_eq!(w.store.flushes_blocking().unwrap(), 5);
    assert_eq!(check_all(&w.end()), (5, Vec::new()));
}

/// Journal and store of a session that archives `n` observations, relative to their bytes.
fn disk_per_content(n: usize, text: impl Fn(usize, usize) -> String) -> f64 {
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    let mut content = 0;
    for n in 0..n {
        let observation = text(n, 4_000 + n * 7919 % 40_000);
        content += observation.len() as u64;
        w.observe_and_archive(&format!("ctx_{n}"), &observation).unwrap();
    }
    let dir = w.end();
    let (journal, store) = (size_of(&dir.journal()), size_of(&dir.store()));
    println!("content {content}, journal {journal}, store {store}");
    assert_eq!(std::fs::read_dir(dir.store().join("blobs")).unwrap().count(), 0, "values went to files that are never synced");
    (journal + store) as f64 / content as f64
}

#[test]
fn disk_is_at_most_twice_the_content() {
    // Real text: this crate's own sources, each block another piece of them.
    let mut sources = String::new();
    let mut dirs = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(dir) = dirs.pop() {
        for path in std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                dirs.push(path);
            } else {
                sources += &std::fs::read_to_string(path).unwrap();
            }
        }
    }
    let sources: String = sources.chars().filter(char::is_ascii).collect();
    let piece = |n: usize, len: usize| {
        let from = n * 9973 % (sources.len() - 50_000);
        sources[from..from + len].to_owned()
    };
    let ratio = disk_per_content(300, piece);
    assert!(ratio <= 2.0, "{ratio:.2} times the content");

    // Where nothing can be compressed, the engine's own overhead shows; it stays bounded.
    let ratio = disk_per_content(150, |n, len| noise(n as u64, len));
    assert!(ratio <= 3.0, "{ratio:.2} times the content");
}

#[test]
fn overwriting_does_not_pile_up() {
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    let texts: Vec<String> = (0..20).map(|n| prose(n, 100_000)).collect();
    for _ in 0..5 {
        for (n, text) in texts.iter().enumerate() {
            w.archive(&[(&format!("i{n}"), text)]).unwrap();
        }
    }
    // The same content under a hundred names stands in the store once.
    let store = size_of(&w.dir.store());
    println!("store {store} for {} bytes of different content", 20 * 100_000);
    assert!(store < 2 * 20 * 100_000, "{store}");
    assert_eq!(check_all(&w.end()).0, 100);
}

#[test]
fn futures_reach_the_store_through_its_vault() {
    use memex::memory::{Block, BlockKind, Digest, Index};
    use memex::store::{JournalTruth, StoreThread, Vault};
    let tmp = tempfile::tempdir().unwrap();
    let dir = Writer::begin(&data_in(tmp.path())).end();
    let block = |name: &str, content: &str| Block {
        index: Index::new(name).unwrap(),
        version: 1,
        kind: BlockKind::Anchored,
        content: content.into(),
        digest: Digest::of(content.as_bytes()),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut vault: Box<dyn Vault> = Box::new(StoreThread::start(dir.path(), Box::new(JournalTruth(dir.journal())), None).unwrap());
        let (a, b) = (block("a", "one"), block("b", &prose(1, 50_000)));
        vault.put_all(1, vec![a.clone(), b.clone()]).await.unwrap();
        // A future that nobody waits for any more: what was asked is done all the same, or not at all.
        drop(vault.put_all(2, vec![block("c", "three")]));
        assert_eq!(vault.get(&a.index, 1).await.unwrap(), Some(a));
        assert_eq!(vault.get(&b.index, 1).await.unwrap(), Some(b));
        assert_eq!(vault.get(&Index::new("c").unwrap(), 1).await.unwrap(), None);
        assert_eq!(vault.notices(), Vec::<String>::new());
    });
}

#[test]
#[ignore = "prints figures"]
fn figures() {
    use std::time::Instant;
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    let begun = Instant::now();
    w.store.open_blocking().unwrap();
    println!("first opening {:?}", begun.elapsed());
    let (mut journal, mut store) = (Vec::new(), Vec::new());
    for n in 0..1000 {
        let text = prose(n, 4_000);
        let begun = Instant::now();
        let seq = w.journal_only(&[(&format!("a{n}"), &text), (&format!("b{n}"), &text[..2_000]), ("c", "short")]).unwrap();
        journal.push(begun.elapsed());
        let begun = Instant::now();
        w.put(seq).unwrap();
        store.push(begun.elapsed());
    }
    for (name, mut times) in [("journal", journal), ("store", store)] {
        times.sort();
        println!("{name}: p50 {:?}, p99 {:?}", times[500], times[990]);
    }
    let dir = w.end();
    for _ in 0..3 {
        let begun = Instant::now();
        let w = Writer::resume(&dir);
        let folded = begun.elapsed();
        let begun = Instant::now();
        w.store.open_blocking().unwrap();
        println!("reading the journal {folded:?}, opening with 3000 blocks {:?}", begun.elapsed());
        w.end();
    }
    let begun = Instant::now();
    memex::store::ops::rebuild(&dir, fixture::NOW).unwrap();
    println!("rebuild {:?}", begun.elapsed());
    let begun = Instant::now();
    assert!(memex::store::ops::verify(&dir).unwrap().is_sound());
    println!("verify {:?}", begun.elapsed());
}
