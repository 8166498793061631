//! Keys: their names, and the map from key to command with the user's changes in it.
//!
//! Knows the command table and crossterm's events, no settings file: the caller hands over the `[keys]` table.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::command::{self, COMMANDS, CommandId, Scope};

/// One key with its modifiers, in a form in which equal presses are equal.
///
/// Printed and parsed as `s`, `S`, `ctrl-d`, `alt-enter`, `shift-tab`, `space`, `pagedown`, `f1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// A key name that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is no key: write a character, or a name such as space, enter, esc, tab, left, pagedown, f1, after ctrl-, alt- or shift-")]
pub struct BadKey(String);

const NAMED: &[(&str, KeyCode)] = &[
    ("space", KeyCode::Char(' ')),
    ("enter", KeyCode::Enter),
    ("return", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("escape", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("insert", KeyCode::Insert),
    ("delete", KeyCode::Delete),
    ("del", KeyCode::Delete),
];

impl Key {
    /// The key of a press or a repeat; none for a release, which some terminals also report.
    #[must_use]
    pub fn pressed(event: &KeyEvent) -> Option<Self> {
        (event.kind != KeyEventKind::Release).then(|| Self::new(event.code, event.modifiers))
    }

    /// Terminals differ in how they report shift: it is part of a character, and makes `BackTab` of a tab.
    fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let mut modifiers = modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match code {
            KeyCode::BackTab => {
                modifiers |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => KeyCode::Char(c.to_ascii_lowercase()),
            KeyCode::Char(c) => {
                let shifted = modifiers.contains(KeyModifiers::SHIFT) && c.is_ascii_lowercase();
                modifiers -= KeyModifiers::SHIFT;
                KeyCode::Char(if shifted { c.to_ascii_uppercase() } else { c })
            }
            other => other,
        };
        Self { code, modifiers }
    }

    /// The character that this key types into a text field, if it does.
    #[must_use]
    pub fn text(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => Some(c),
            _ => None,
        }
    }

    /// Whether control is held.
    #[must_use]
    pub fn ctrl(self) -> bool {
        self.modifiers.contains(KeyModifiers::CONTROL)
    }

    /// Whether alt is held.
    #[must_use]
    pub fn alt(self) -> bool {
        self.modifiers.contains(KeyModifiers::ALT)
    }

    /// crossterm's code, for keys that are no command.
    #[must_use]
    pub fn code(self) -> KeyCode {
        self.code
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, name) in [(KeyModifiers::CONTROL, "ctrl-"), (KeyModifiers::ALT, "alt-"), (KeyModifiers::SHIFT, "shift-")] {
            if self.modifiers.contains(modifier) {
                f.write_str(name)?;
            }
        }
        match (self.code, NAMED.iter().find(|(_, code)| *code == self.code)) {
            (_, Some((name, _))) => f.write_str(name),
            (KeyCode::Char(c), None) => write!(f, "{c}"),
            (KeyCode::F(n), None) => write!(f, "f{n}"),
            (other, None) => write!(f, "{other}"),
        }
    }
}

impl FromStr for Key {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let bad = || BadKey(text.to_owned());
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text.trim();
        // A trailing hyphen is the key itself, as in "ctrl--".
        while let Some((prefix, tail)) = rest.split_once('-').filter(|(prefix, tail)| !prefix.is_empty() && !tail.is_empty()) {
            modifiers |= match prefix.to_ascii_lowercase().as_str() {
                "ctrl" | "control" | "c" => KeyModifiers::CONTROL,
                "alt" | "meta" | "a" => KeyModifiers::ALT,
                "shift" => KeyModifiers::SHIFT,
                _ => return Err(bad()),
            };
            rest = tail;
        }
        let mut characters = rest.chars();
        let code = match (characters.next(), characters.next()) {
            (Some(c), None) if !c.is_control() => KeyCode::Char(c),
            _ => {
                let name = rest.to_ascii_lowercase();
                let function = name.strip_prefix('f').and_then(|n| n.parse().ok()).filter(|n| (1..=24).contains(n));
                match (NAMED.iter().find(|(known, _)| *known == name), function) {
                    (Some((_, code)), _) => *code,
                    (None, Some(n)) => KeyCode::F(n),
                    (None, None) => return Err(bad()),
                }
            }
        };
        Ok(Self::new(code, modifiers))
    }
}

/// Something wrong with the user's keys. The map is usable all the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyProblem {
    /// A name that no command has.
    #[error("[keys] {name}: there is no such command; did you mean {nearest}?")]
    UnknownCommand {
        /// As written.
        name: String,
        /// The command whose name is most like it.
        nearest: &'static str,
    },
    /// A key name that cannot be read.
    #[error("[keys] {command}: {problem}")]
    BadKey {
        /// Whose key it should be.
        command: &'static str,
        /// What is wrong.
        problem: BadKey,
    },
    /// Neither a text nor a list of texts.
    #[error("[keys] {0}: a key is a text such as \"ctrl-d\", or a list of such")]
    BadValue(String),
    /// One key, two commands. The first keeps it.
    #[error("[keys] {key} is the key of both {first} and {second}; {first} keeps it")]
    Conflict {
        /// The key.
        key: Key,
        /// The command that keeps it.
        first: &'static str,
        /// The command that does not get it.
        second: &'static str,
    },
}

/// Which key does what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    commands: HashMap<Key, CommandId>,
    /// In the order of the table.
    keys: Vec<Vec<Key>>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::build(&toml::Table::new()).0
    }
}

impl Keymap {
    /// The defaults, changed by the user's `[keys]` table: `step = "s"`, `step = ["s", "f10"]`, `step = ""` for none.
    ///
    /// What the user wrote for a command replaces its defaults. A key that the user gives to one command is taken
    /// from the other command whose default it is only if that one is given other keys too; otherwise it is a
    /// conflict, as two wishes for one key are.
    #[must_use]
    pub fn build(user: &toml::Table) -> (Self, Vec<KeyProblem>) {
        let mut problems = Vec::new();
        let mut keys: Vec<Option<Vec<Key>>> = vec![None; COMMANDS.len()];
        for (name, value) in user {
            let Some(command) = command::by_name(name) else {
                problems.push(KeyProblem::UnknownCommand { name: name.clone(), nearest: nearest(name) });
                continue;
            };
            let Some(texts) = texts(value) else {
                problems.push(KeyProblem::BadValue(name.clone()));
                continue;
            };
            let mut own = Vec::new();
            let mut sound = true;
            for text in texts.into_iter().filter(|text| !text.is_empty()) {
                match text.parse() {
                    Ok(key) => own.push(key),
                    Err(problem) => {
                        sound = false;
                        problems.push(KeyProblem::BadKey { command: command.name, problem });
                    }
                }
            }
            // A command whose every key is a slip keeps its defaults rather than losing them.
            if sound || !own.is_empty() {
                keys[command.id as usize] = Some(own);
            }
        }
        let chosen: Vec<bool> = keys.iter().map(Option::is_some).collect();
        let keys = keys
            .into_iter()
            .zip(COMMANDS)
            .map(|(own, command)| own.unwrap_or_else(|| command.keys.iter().filter_map(|key| key.parse().ok()).collect()));
        let mut map = Self { commands: HashMap::new(), keys: keys.collect() };
        // The user's own first: what they wrote wins over a default.
        let order = COMMANDS.iter().filter(|c| chosen[c.id as usize]).chain(COMMANDS.iter().filter(|c| !chosen[c.id as usize]));
        for command in order {
            let mut kept = Vec::new();
            for key in std::mem::take(&mut map.keys[command.id as usize]) {
                match map.commands.get(&key) {
                    None => {
                        map.commands.insert(key, command.id);
                        kept.push(key);
                    }
                    Some(first) if *first == command.id => {}
                    Some(first) => {
                        problems.push(KeyProblem::Conflict { key, first: first.command().name, second: command.name });
                    }
                }
            }
            map.keys[command.id as usize] = kept;
        }
        (map, problems)
    }

    /// What `key` does. While a text field has the focus only commands that hold always are found.
    #[must_use]
    pub fn command(&self, key: Key, typing: bool) -> Option<CommandId> {
        let id = *self.commands.get(&key)?;
        (!typing || (id.command().scope == Scope::Always && key.text().is_none())).then_some(id)
    }

    /// The keys of a command, best first.
    #[must_use]
    pub fn keys(&self, id: CommandId) -> &[Key] {
        self.keys.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// The first key of a command as a hint, `space`; empty where it has none.
    #[must_use]
    pub fn hint(&self, id: CommandId) -> String {
        self.keys(id).first().map(Key::to_string).unwrap_or_default()
    }
}

fn texts(value: &toml::Value) -> Option<Vec<&str>> {
    match value {
        toml::Value::String(text) => Some(vec![text]),
        toml::Value::Array(list) => list.iter().map(toml::Value::as_str).collect(),
        _ => None,
    }
}

/// The command whose name is most like `name`.
fn nearest(name: &str) -> &'static str {
    COMMANDS.iter().min_by_key(|command| distance(name, command.name)).map_or("", |command| command.name)
}

/// Edit distance (Levenshtein), in characters.
pub(super) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let best = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests;
