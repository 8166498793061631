//! Files and directories that only their owner may read, whatever the umask, and that are still
//! there after a power cut. Knows nothing of sessions.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Mode of every directory made.
pub(super) const DIR_MODE: u32 = 0o700;
/// Mode of every file made.
pub(super) const FILE_MODE: u32 = 0o600;

/// Makes one directory, which must not exist.
pub(super) fn make_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(DIR_MODE).create(path)?;
    // The umask may have taken bits away.
    set_mode(path, DIR_MODE)?;
    sync_parent(path)
}

/// Makes a directory and those above it that are missing. Those that exist are left as they are.
pub(super) fn make_dirs(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent()
        && !parent.as_os_str().is_empty()
    {
        make_dirs(parent)?;
    }
    match make_dir(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        other => other,
    }
}

/// Makes one file, which must not exist, for reading and writing.
pub(super) fn make_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(FILE_MODE).open(path)?;
    file.set_permissions(Permissions::from_mode(FILE_MODE))?;
    sync_parent(path)?;
    Ok(file)
}

/// Opens a file for reading and appending, or makes it.
pub(super) fn open_or_make(path: &Path) -> io::Result<File> {
    match OpenOptions::new().read(true).append(true).open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => match make_file(path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => OpenOptions::new().read(true).append(true).open(path),
            Ok(_) => OpenOptions::new().read(true).append(true).open(path),
            Err(e) => Err(e),
        },
        other => other,
    }
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(mode))
}

/// Makes the names in a directory durable.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Makes the name of a file or directory durable.
pub(super) fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_dir(parent),
        _ => sync_dir(Path::new(".")),
    }
}

/// Everything in a directory, itself included, parents first. Links are not followed.
pub(super) fn walk(root: &Path) -> io::Result<Vec<(PathBuf, std::fs::Metadata)>> {
    let mut found = vec![(root.to_owned(), std::fs::symlink_metadata(root)?)];
    let mut next = 0;
    while let Some((path, meta)) = found.get(next).cloned() {
        next += 1;
        if meta.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                let entry = entry?;
                // A file may go away while the tree is walked.
                if let Ok(meta) = std::fs::symlink_metadata(entry.path()) {
                    found.push((entry.path(), meta));
                }
            }
        }
    }
    Ok(found)
}

/// Takes from group and others what they have in a directory that is ours.
pub(super) fn make_tree_private(root: &Path) -> io::Result<()> {
    for (path, meta) in walk(root)? {
        let want = if meta.is_dir() { DIR_MODE } else { FILE_MODE };
        if !meta.is_symlink() && meta.permissions().mode() & 0o777 != want {
            gone_is_fine(set_mode(&path, want))?;
        }
    }
    Ok(())
}

/// The engine deletes old snapshots in the background, between a look at a directory and the next step.
pub(super) fn gone_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Makes everything in a directory durable.
pub(super) fn sync_tree(root: &Path) -> io::Result<()> {
    for (path, meta) in walk(root)? {
        if !meta.is_symlink() {
            gone_is_fine(File::open(path).and_then(|f| f.sync_all()))?;
        }
    }
    Ok(())
}

/// Bytes of the files in a directory; 0 where there is none.
pub(super) fn tree_size(root: &Path) -> u64 {
    walk(root).map_or(0, |all| all.iter().filter(|(_, m)| m.is_file()).map(|(_, m)| m.len()).sum())
}

/// Whether group or others can do anything with it.
pub(super) fn is_wide(meta: &std::fs::Metadata) -> bool {
    !meta.is_symlink() && meta.permissions().mode() & 0o077 != 0
}

/// A path beside `base` whose name goes on with `-<stamp>` and that does not exist yet.
pub(super) fn free_name(base: &Path, stamp: &str) -> PathBuf {
    let name = base.file_name().unwrap_or_default().to_string_lossy();
    let mut path = base.with_file_name(format!("{name}-{stamp}"));
    let mut n = 1;
    while std::fs::symlink_metadata(&path).is_ok() {
        n += 1;
        path = base.with_file_name(format!("{name}-{stamp}-{n}"));
    }
    path
}

/// `20261201-031405`, in UTC so that names sort as the times do.
pub(super) fn stamp(ms: u64) -> String {
    let time = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()).unwrap_or_default();
    time.strftime("%Y%m%d-%H%M%S").to_string()
}

/// Milliseconds since the Unix epoch.
pub(super) fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn modes_and_names() {
        let tmp = tempfile::tempdir().unwrap();
        let deep = tmp.path().join("a/b/c");
        make_dirs(&deep).unwrap();
        make_dirs(&deep).unwrap();
        make_file(&deep.join("f")).unwrap();
        assert!(make_file(&deep.join("f")).is_err());
        for (path, meta) in walk(&tmp.path().join("a")).unwrap() {
            assert!(!is_wide(&meta), "{}", path.display());
        }
        set_mode(&deep.join("f"), 0o644).unwrap();
        assert!(is_wide(&deep.join("f").metadata().unwrap()));
        make_tree_private(&deep).unwrap();
        assert!(!is_wide(&deep.join("f").metadata().unwrap()));

        let base = tmp.path().join("store.damaged");
        let first = free_name(&base, "x");
        assert_eq!(first, tmp.path().join("store.damaged-x"));
        make_dir(&first).unwrap();
        assert_eq!(free_name(&base, "x"), tmp.path().join("store.damaged-x-2"));
    }

    #[test]
    fn stamps_are_utc() {
        // date -u -d 2026-12-01T03:14:05Z +%s
        assert_eq!(stamp(1_796_094_845_999), "20261201-031405");
        assert_eq!(stamp(0), "19700101-000000");
    }
}
