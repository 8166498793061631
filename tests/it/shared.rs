//! What several tests need.

use std::path::PathBuf;

/// A path in the test data folder (`MEMEX_SHARED`, by default `../shared`), or `None` after one printed line.
#[allow(dead_code)]
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("MEMEX_SHARED").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let full = root.join(path);
    if full.exists() {
        return Some(full);
    }
    println!("skipped: no test data at {} (set MEMEX_SHARED)", full.display());
    None
}
