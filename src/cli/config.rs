//! `memex config`: every setting and where it came from.

use super::{Exit, out};
use crate::config::Config;

/// Prints the settings.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn config(config: &Config) -> anyhow::Result<Exit> {
    for (name, value, origin) in config.explain() {
        out::line(format!("{name:<22} {value:<40} {origin}").trim_end())?;
    }
    Ok(Exit::Done)
}
