//! `memex themes`: what themes there are, and what is wrong with the user's own.

use super::args::ThemesArgs;
use super::{Exit, out};
use crate::config::Config;
use crate::tui::theme::{self, Depth};

/// Lists the themes; with `--check`, loads each and says what is wrong.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn themes(config: &Config, args: &ThemesArgs) -> anyhow::Result<Exit> {
    let folder = config.themes_dir.as_ref().map(|d| d.value.as_path());
    let mut sound = true;
    for name in theme::names(folder) {
        let own = theme::embedded_names().all(|known| known != name);
        out::line(&if own { format!("{name}  (your own)") } else { name.clone() })?;
        if args.check {
            for warning in theme::load(&name, folder, Depth::TrueColor).warnings {
                sound = false;
                out::say(&warning.to_string());
            }
        }
    }
    Ok(if sound { Exit::Done } else { Exit::Usage })
}
