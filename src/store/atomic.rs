//! Writing a file whole or not at all: exports, configuration. Knows nothing of what it writes.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::files;

/// Replaces the file at `path` by `bytes`, readable by its owner only: whoever looks sees the old file or the
/// new one. A link is followed; a device or pipe is written to as it is.
///
/// # Errors
/// What the system said; then the old file is untouched, and nothing is left beside it.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match std::fs::canonicalize(path) {
        Ok(real) => real,
        Err(e) if e.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(e) => return Err(e),
    };
    if std::fs::metadata(&target).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return OpenOptions::new().write(true).open(&target)?.write_all(bytes);
    }
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut temp = tempfile::Builder::new().prefix(".memex-").suffix(".tmp").tempfile_in(parent)?;
    let file: &mut File = temp.as_file_mut();
    file.set_permissions(Permissions::from_mode(files::FILE_MODE))?;
    file.write_all(bytes)?;
    file.sync_all()?;
    temp.persist(&target).map_err(|e| e.error)?;
    files::sync_dir(parent)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn replaces_whole_and_leaves_nothing_beside() {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("export.json");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);

        let link = tmp.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_atomic(&link, b"three").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"three");
        assert!(link.symlink_metadata().unwrap().is_symlink());

        assert!(write_atomic(&tmp.path().join("no/such/dir"), b"x").is_err());
        assert!(write_atomic(tmp.path(), b"x").is_err());
        assert_eq!(std::fs::read_dir(tmp.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_full_device_is_an_error_and_stays_a_device() {
        let full = Path::new("/dev/full");
        if !full.exists() {
            println!("skipped: no /dev/full here");
            return;
        }
        assert_eq!(write_atomic(full, b"x").unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(!full.metadata().unwrap().is_file());
    }
}
