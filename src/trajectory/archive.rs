//! Archives: zip files of JSON, one file of it in memory at a time.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use zip::ZipArchive;

/// Most bytes that one file of an archive may unpack to: far more than any recording, far less than a bomb.
const LARGEST: u64 = 4 << 30;

fn archive(file: &File) -> Result<ZipArchive<File>, String> {
    let mut file = file.try_clone().map_err(|e| e.to_string())?;
    file.seek(SeekFrom::Start(0)).map_err(|e| e.to_string())?;
    ZipArchive::new(file).map_err(|e| e.to_string())
}

/// The names of the files in it.
///
/// # Errors
/// When its directory cannot be read.
pub(super) fn names(file: &File) -> Result<Vec<String>, String> {
    archive(file)?.file_names().map(|name| name.map(|n| n.into_owned()).map_err(|e| e.to_string())).collect()
}

/// Hands out each JSON file in it, by name; what cannot be unpacked is passed over and said.
///
/// # Errors
/// When its directory cannot be read.
pub(super) fn each(file: &File, take: &mut dyn FnMut(&str, &[u8])) -> Result<Vec<String>, String> {
    let mut archive = archive(file)?;
    let mut names = names(file)?;
    names.retain(|n| n.ends_with(".json") || n.ends_with(".jsonl"));
    // The header may be written last, but says what the others are about.
    // Shorter names first, so that 10 stands behind 9.
    names.sort_by_key(|n| (n.contains('/'), n.len(), n.clone()));
    let mut troubles = Vec::new();
    for name in names {
        let mut bytes = Vec::new();
        let unpacked = archive
            .by_name(&name)
            .map_err(|e| e.to_string())
            .and_then(|entry| entry.take(LARGEST).read_to_end(&mut bytes).map_err(|e| e.to_string()));
        match unpacked {
            Ok(_) => take(&name, &bytes),
            Err(why) => troubles.push(format!("{name} in the archive cannot be unpacked: {why}")),
        }
    }
    Ok(troubles)
}
