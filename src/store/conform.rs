//! What every ExperienceStore must do; each store's own tests run this.
#![allow(clippy::unwrap_used)]

use super::ExperienceStore;
use crate::memory::{Block, BlockKind, Digest, Index};

/// A block as the tests make them.
pub(super) fn block(index: &str, version: u32, content: &str) -> Block {
    Block {
        index: Index::new(index).unwrap(),
        version,
        kind: BlockKind::Authored,
        content: content.into(),
        digest: Digest::of(content.as_bytes()),
    }
}

/// Runs the suite on an empty store.
pub(super) fn suite(store: &mut dyn ExperienceStore) {
    let get = |store: &mut dyn ExperienceStore, i: &str, v| store.get(&Index::new(i).unwrap(), v).unwrap();

    // Nothing is there before it is put, and a miss is no error.
    assert_eq!(get(store, "ctx_001", 1), None);

    // Every kind and size comes back whole.
    let mut blocks = vec![
        block("ctx_001", 1, "first"),
        block("empty", 1, ""),
        block("zero", 1, "a\0b"),
        block("unicode", 1, "日本語 é \u{1f469}\u{200d}\u{1f4bb}"),
        block("edge", 1, &"x".repeat(8192)),
        block("edge2", 1, &"y".repeat(8193)),
        block("large", 1, &(0..200_000).map(|n| format!("{n},")).collect::<String>()),
        block("con", 1, "a name that some file systems refuse"),
    ];
    blocks[1].kind = BlockKind::Anchored;
    blocks[2].kind = BlockKind::Mixed;
    store.put_all(3, &blocks).unwrap();
    for b in &blocks {
        assert_eq!(get(store, b.index.as_str(), 1).as_ref(), Some(b));
    }
    assert_eq!(get(store, "ctx_001", 2), None);

    // A new version stands beside the old one.
    let second = block("ctx_001", 2, "second");
    store.put_all(9, std::slice::from_ref(&second)).unwrap();
    assert_eq!(get(store, "ctx_001", 2), Some(second.clone()));
    assert_eq!(get(store, "ctx_001", 1).as_ref(), blocks.first());

    // The same event twice, and an older one late, change nothing.
    store.put_all(9, std::slice::from_ref(&second)).unwrap();
    store.put_all(3, &blocks).unwrap();
    assert_eq!(get(store, "ctx_001", 2), Some(second));
    assert_eq!(get(store, "large", 1).as_ref(), blocks.get(6));

    // Two names that look alike, or of which one begins the other, are two.
    store
        .put_all(12, &[block("caf\u{e9}", 1, "one"), block("cafe", 1, "two"), block("caf", 1, "three"), block("CAFE", 1, "four")])
        .unwrap();
    for (name, content) in [("caf\u{e9}", "one"), ("cafe", "two"), ("caf", "three"), ("CAFE", "four")] {
        assert_eq!(&*get(store, name, 1).unwrap().content, content);
    }

    // The same content under two names.
    store.put_all(15, &[block("twin_a", 1, "same"), block("twin_b", 1, "same")]).unwrap();
    assert_eq!(get(store, "twin_a", 1).unwrap().content, get(store, "twin_b", 1).unwrap().content);

    // A compression without blocks.
    store.put_all(20, &[]).unwrap();
}
