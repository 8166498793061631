//! The table agrees with itself.

use std::collections::HashSet;

use super::*;
use crate::tui::keys::{Key, Keymap};

#[test]
fn every_command_stands_at_its_own_place_and_is_whole() {
    for (place, command) in COMMANDS.iter().enumerate() {
        assert_eq!(command.id as usize, place, "{}", command.name);
        assert_eq!(command.id.command(), command);
        assert_eq!(by_name(command.name), Some(command));
        assert!(command.help.ends_with('.') && !command.short.is_empty(), "{}", command.name);
        assert!(command.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", command.name);
    }
    let names: HashSet<_> = COMMANDS.iter().map(|c| c.name).collect();
    assert_eq!(names.len(), COMMANDS.len());
}

#[test]
fn default_keys_are_spelled_as_keys_print_themselves_and_do_not_conflict() {
    for key in COMMANDS.iter().flat_map(|c| c.keys) {
        assert_eq!(key.parse::<Key>().map(|k| k.to_string()).as_deref(), Ok(*key));
    }
    assert_eq!(Keymap::build(&toml::Table::new()).1, []);
}
