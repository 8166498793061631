//! What a user can name a session by: its id, the beginning of it, its directory, or its journal file.

use std::path::{Path, PathBuf};

use super::Usage;
use crate::config::Config;
use crate::store::{DataDir, SessionDir};

/// The journal that was named.
///
/// # Errors
/// When nothing of that name is there, with the ways to name one.
pub(super) fn journal(config: &Config, named: &str) -> anyhow::Result<PathBuf> {
    let path = Path::new(named);
    if path.is_dir() {
        let journal = SessionDir::at(path).journal();
        if journal.is_file() {
            return Ok(journal);
        }
        return Err(Usage(format!(
            "{named} is a directory without a journal.jsonl: name a session's directory, its journal file or its id"
        ))
        .into());
    }
    if path.exists() {
        return Ok(path.to_owned());
    }
    if named.contains(['/', '.']) {
        return Err(Usage(format!("there is no file {named}")).into());
    }
    Ok(session(config, named)?.journal())
}

/// The session that was named.
///
/// # Errors
/// As [`journal`].
pub(super) fn session(config: &Config, named: &str) -> anyhow::Result<SessionDir> {
    let path = Path::new(named);
    if path.is_dir() && SessionDir::at(path).journal().is_file() {
        return Ok(SessionDir::at(path));
    }
    if let Some(parent) = path.parent().filter(|p| path.is_file() && SessionDir::at(p).journal() == path) {
        return Ok(SessionDir::at(parent));
    }
    Ok(data(config)?.find(named).map_err(|e| Usage(e.to_string()))?)
}

/// The data directory of the settings; nothing in it is touched.
///
/// # Errors
/// When no place for it is known, with the option that names one.
pub(super) fn data(config: &Config) -> anyhow::Result<DataDir> {
    Ok(DataDir::locate(config.data_dir.as_ref().map(|d| d.value.as_path()))?)
}
