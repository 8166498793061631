//! A theme file taken apart: what it inherits, its palette, and a look for each dotted key. Nothing here fails but a
//! file that is no TOML: whatever else is wrong is a [`Warning`], and the rest of the file holds.

use std::collections::BTreeMap;
use std::fmt;

use ratatui::style::{Color, Modifier, Style};
use toml::{Table, Value};

use super::color;
use super::role::Role;
use crate::tui::keys::distance;

/// Something in a theme that could not be used, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The theme in which it stands.
    pub theme: String,
    /// What is wrong, and what was done instead.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "theme {}: {}", self.theme, self.message)
    }
}

/// A theme file, not yet joined with what it inherits.
#[derive(Debug, Default)]
pub(super) struct ThemeFile {
    pub(super) inherits: Option<String>,
    pub(super) palette: BTreeMap<String, String>,
    /// Dotted key → look as written.
    pub(super) looks: BTreeMap<String, Value>,
}

/// Reads a file. The error is a sentence that says where the TOML is broken.
pub(super) fn read(text: &str, warn: &mut dyn FnMut(String)) -> Result<ThemeFile, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(0, |span| text.get(..span.start).unwrap_or(text).matches('\n').count() + 1);
        format!("line {line}: {}", error.message())
    })?;
    let mut file = ThemeFile::default();
    for (key, value) in table {
        match (key.as_str(), value) {
            ("inherits", Value::String(name)) => file.inherits = Some(name),
            ("palette", Value::Table(palette)) => {
                for (name, value) in palette {
                    match value {
                        Value::String(text) => {
                            file.palette.insert(name, text);
                        }
                        _ => warn(format!("palette.{name}: a colour is a text such as \"#5f87af\"")),
                    }
                }
            }
            ("inherits" | "palette", _) => warn(format!("{key}: not what is expected here, left out")),
            (_, value) => flatten(key, value, &mut file.looks),
        }
    }
    for key in file.looks.keys().filter(|key| !is_known(key)) {
        let nearest = Role::ALL.iter().map(|role| role.key()).min_by_key(|known| distance(key, known)).unwrap_or("");
        warn(format!("{key}: there is no such key; did you mean {nearest}?"));
    }
    Ok(file)
}

/// A role's key, or the beginning of one up to a dot: it stands for all below it.
fn is_known(key: &str) -> bool {
    Role::ALL.iter().any(|role| role.key().strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// `[ui.border] focus = "x"`, `"ui.border.focus" = "x"` and `ui.border.focus = "x"` all mean the same.
fn flatten(key: String, value: Value, looks: &mut BTreeMap<String, Value>) {
    match value {
        Value::Table(table) => {
            let (look, below): (Table, Table) = table.into_iter().partition(|(name, _)| LOOK.contains(&name.as_str()));
            if !look.is_empty() {
                looks.insert(key.clone(), Value::Table(look));
            }
            for (name, value) in below {
                flatten(format!("{key}.{name}"), value, looks);
            }
        }
        value => {
            looks.insert(key, value);
        }
    }
}

const LOOK: [&str; 3] = ["fg", "bg", "modifiers"];

/// The style that `look` describes: a colour for the foreground, or `{ fg, bg, modifiers }`.
pub(super) fn style(key: &str, look: &Value, palette: &BTreeMap<String, String>, warn: &mut dyn FnMut(String)) -> Style {
    let mut color = |value: &Value| -> Option<Color> {
        let text = value.as_str();
        let found = text.and_then(|text| color::parse(palette.get(text).map_or(text, String::as_str)));
        if found.is_none() {
            warn(format!("{key}: {value} is neither a colour nor a name of the palette, left out"));
        }
        found
    };
    let Value::Table(table) = look else {
        return color(look).map_or_else(Style::new, |fg| Style::new().fg(fg));
    };
    let mut style = Style::new();
    if let Some(fg) = table.get("fg").and_then(&mut color) {
        style = style.fg(fg);
    }
    if let Some(bg) = table.get("bg").and_then(&mut color) {
        style = style.bg(bg);
    }
    let modifiers = table.get("modifiers").map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    for value in modifiers.unwrap_or_default() {
        match value.as_str().and_then(modifier) {
            Some(modifier) => style = style.add_modifier(modifier),
            None => warn(format!("{key}: {value} is no modifier; there are bold, dim, italic, underlined, reversed, crossed-out")),
        }
    }
    style
}

fn modifier(name: &str) -> Option<Modifier> {
    Some(match name {
        "bold" => Modifier::BOLD,
        "dim" => Modifier::DIM,
        "italic" => Modifier::ITALIC,
        "underlined" => Modifier::UNDERLINED,
        "reversed" => Modifier::REVERSED,
        "crossed-out" => Modifier::CROSSED_OUT,
        _ => return None,
    })
}
