//! What the documents say is what the program does.

use std::path::{Path, PathBuf};

use memex::tui::command::COMMANDS;
use memex::tui::keys::Keymap;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// The README's row of a command.
fn row(keymap: &Keymap, command: &memex::tui::command::Command) -> String {
    let keys: Vec<String> = keymap.keys(command.id).iter().map(|k| format!("`{k}`").replace('|', "\\|")).collect();
    format!("| {} | {} | {} |", keys.join(" "), command.name, command.help)
}

#[test]
fn the_readme_has_every_command_with_its_keys() {
    let (keymap, problems) = Keymap::build(&toml::Table::new());
    assert!(problems.is_empty());
    let rows: Vec<String> = COMMANDS.iter().map(|c| row(&keymap, c)).collect();
    let readme = read("README.md");
    let missing: Vec<&String> = rows.iter().filter(|r| !readme.contains(r.as_str())).collect();
    assert!(missing.is_empty(), "the README lacks:\n{}", missing.iter().map(|r| r.as_str()).collect::<Vec<_>>().join("\n"));
}

#[test]
fn paths_that_the_documents_name_exist() {
    for document in ["ARCHITECTURE.md", "README.md"] {
        for part in read(document).split('`') {
            let path = part.trim();
            let named =
                (path.starts_with("src/") || path.starts_with("tests/") || path.starts_with("themes/")) && !path.contains([' ', '*', '…']);
            if named {
                assert!(Path::new(&root().join(path)).exists(), "{document} names {path}");
            }
        }
    }
}

#[test]
fn every_module_of_the_paper_table_exists() {
    let text = read("ARCHITECTURE.md");
    for room in ["text", "memory", "session", "store", "env", "policy", "agent", "config", "tui", "cli"] {
        assert!(text.contains(&format!("| `{room}` |")), "ARCHITECTURE.md lacks the room {room}");
        let (folder, file) = (root().join("src").join(room), root().join("src").join(format!("{room}.rs")));
        assert!(folder.is_dir() || file.is_file(), "{room}");
    }
}
