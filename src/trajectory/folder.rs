//! A folder of recordings: every file in it that can be read, its runs beside those of the others.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::open::{OpenError, open};
use super::run::Relation;
use super::watch::{Follow, Loading};
use crate::text::tokens::Counter;

/// Deepest folder within the folder.
const DEEPEST: usize = 4;
/// Most files that are opened: each keeps a handle for its long texts.
const MOST: usize = 400;

/// Reads every recording in a folder and the folders in it, in the order of their names. What is no recording is said.
///
/// # Errors
/// [`OpenError`] when the folder cannot be read or nothing in it is a recording.
pub fn folder(path: &Path, counter: &Counter, stop: &AtomicBool, tell: &mut dyn FnMut(Loading)) -> Result<Loading, OpenError> {
    let mut files = Vec::new();
    list(path, 0, &mut files).map_err(|source| OpenError::Io { path: path.to_owned(), source })?;
    files.sort();
    let mut all = Loading { size: files.iter().map(|f| f.1).sum(), ..Loading::default() };
    let mut unknown = Vec::new();
    let found = files.len();
    for (file, size) in files.into_iter().take(MOST) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let name = file.strip_prefix(path).unwrap_or(&file).display().to_string();
        match open(&file, None).and_then(|opened| opened.watch(counter, Follow::No, stop, &mut |_| {})) {
            Ok(loading) => add(&mut all, loading, &name),
            Err(OpenError::Unknown { .. } | OpenError::Empty(_)) => unknown.push(name),
            Err(error) => all.notes.push(error.to_string()),
        }
        all.read += size;
        if !all.runs.is_empty() {
            tell(all.clone());
        }
    }
    if found > MOST {
        all.notes.push(format!("{} holds {found} files: the first {MOST} by name are read", path.display()));
    }
    if !unknown.is_empty() {
        let first = unknown.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = if unknown.len() > 5 { ", …" } else { "" };
        all.notes.push(format!("{} of no known format: {first}{more}", files_are(unknown.len())));
    }
    if all.runs.is_empty() {
        return Err(OpenError::Nothing { path: path.to_owned(), files: found });
    }
    all.read = all.size;
    all.whole = true;
    Ok(all)
}

fn files_are(n: usize) -> String {
    if n == 1 { "1 file is".into() } else { format!("{n} files are") }
}

/// The files in a folder, with their bytes. Hidden ones are left out, links are not followed out of curiosity.
fn list(folder: &Path, depth: usize, files: &mut Vec<(PathBuf, u64)>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if about.is_file() {
            files.push((entry.path(), about.len()));
        } else if about.is_dir() && depth < DEEPEST {
            list(&entry.path(), depth + 1, files)?;
        }
    }
    Ok(())
}

/// The runs of one more file, named after it.
fn add(all: &mut Loading, loading: Loading, name: &str) {
    let before = all.runs.len();
    let several = loading.runs.len() > 1;
    for mut run in loading.runs {
        run.name = if several { format!("{name}: {}", run.name) } else { name.to_owned() };
        match &mut run.relation {
            Relation::Main | Relation::SubAgent { of: None } => {}
            Relation::Branch { of, .. } | Relation::SubAgent { of: Some(of) } => *of += before,
        }
        all.runs.push(run);
    }
    all.notes.extend(loading.notes);
}
