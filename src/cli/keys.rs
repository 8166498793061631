//! `memex keys`: the table of keys, with the user's own in it.

use super::{Exit, out};
use crate::config::Config;
use crate::tui::command::{COMMANDS, Group};
use crate::tui::keys::Keymap;

/// Prints every command with its keys, and what is wrong with the user's keys.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn keys(config: &Config) -> anyhow::Result<Exit> {
    let (keymap, problems) = Keymap::build(&config.keys);
    for group in Group::ALL {
        out::line(group.title())?;
        for command in COMMANDS.iter().filter(|c| c.group == group) {
            let keys: Vec<String> = keymap.keys(command.id).iter().map(ToString::to_string).collect();
            out::line(&format!("  {:<20} {:<22} {}", keys.join(" "), command.name, command.help))?;
        }
    }
    for problem in &problems {
        out::say(&problem.to_string());
    }
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Usage })
}
