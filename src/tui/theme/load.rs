//! From a name to a theme: the embedded ones, the user's folder, inheritance. Always ends with a usable theme.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ratatui::style::Style;
use toml::Value;

use super::Theme;
use super::chooser::Depth;
use super::color;
use super::file::{self, Warning};
use super::role::Role;

/// The themes that are part of the program: name and text.
pub const EMBEDDED: &[(&str, &str)] = &[
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    ("high-contrast", include_str!("../../../themes/high-contrast.toml")),
    ("colour-blind", include_str!("../../../themes/colour-blind.toml")),
    ("ansi16", include_str!("../../../themes/ansi16.toml")),
    ("mono", include_str!("../../../themes/mono.toml")),
];

/// Largest theme file that is read, in bytes.
const LARGEST: u64 = 256 * 1024;

/// A theme, and all that was wrong on the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Always usable; the default where the wanted one is not.
    pub theme: Theme,
    /// Sentences for the user.
    pub warnings: Vec<Warning>,
}

/// Names of the embedded themes.
pub fn embedded_names() -> impl Iterator<Item = &'static str> {
    EMBEDDED.iter().map(|(name, _)| *name)
}

/// Names of all themes: the embedded ones, then those that stand only in the user's folder, sorted.
#[must_use]
pub fn names(folder: Option<&Path>) -> Vec<String> {
    let mut own: Vec<String> = folder
        .and_then(|folder| fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            (path.extension()? == "toml" && embedded_names().all(|known| known != name)).then_some(name)
        })
        .collect();
    own.sort();
    embedded_names().map(str::to_owned).chain(own).collect()
}

/// The theme `name`, from the user's `folder` or embedded, for a terminal of `depth`.
///
/// A file in the folder goes before an embedded theme of the same name, and may inherit from it. A theme that cannot
/// be read at all is replaced by the default, with a warning that says why.
#[must_use]
pub fn load(name: &str, folder: Option<&Path>, depth: Depth) -> Loaded {
    let mut warnings = Vec::new();
    let mut joined = Joined::default();
    let fallback = if depth == Depth::Mono { "mono" } else { "dark" };
    let mut loaded = name;
    if let Err(message) = join(name, folder, &mut Vec::new(), &mut joined, &mut warnings) {
        warnings.push(Warning { theme: name.to_owned(), message: format!("{message}; using {fallback} instead") });
        loaded = fallback;
        joined = Joined::default();
        // Embedded themes are checked by a test: they load.
        let _ = join(fallback, None, &mut Vec::new(), &mut joined, &mut warnings);
    }
    let mut warn = |message| warnings.push(Warning { theme: loaded.to_owned(), message });
    // Each look is read once, so that a wrong one is told once however many roles fall back on it.
    let looks: BTreeMap<&str, Style> =
        joined.looks.iter().map(|(key, look)| (key.as_str(), file::style(key, look, &joined.palette, &mut warn))).collect();
    let background = find(&looks, Role::Background.key()).bg;
    let styles = Role::ALL.iter().map(|role| lowered(find(&looks, role.key()), background, depth)).collect();
    Loaded { theme: Theme::new(loaded.to_owned(), styles), warnings }
}

/// A theme file with all it inherits.
#[derive(Default)]
struct Joined {
    palette: BTreeMap<String, String>,
    looks: BTreeMap<String, Value>,
}

/// Lays the theme `name` over its ancestors. `above`: the names on the way here, each with whether it was the user's.
fn join(
    name: &str,
    folder: Option<&Path>,
    above: &mut Vec<(String, bool)>,
    into: &mut Joined,
    warnings: &mut Vec<Warning>,
) -> Result<(), String> {
    // A user's "dark" that inherits "dark" means the embedded one.
    let again = above.contains(&(name.to_owned(), true));
    let circle = above.contains(&(name.to_owned(), false)) || (again && embedded_names().all(|known| known != name));
    if circle {
        let chain: Vec<_> = above.iter().map(|(name, _)| name.as_str()).chain([name]).collect();
        return Err(format!("it inherits itself: {}", chain.join(" → ")));
    }
    let (text, users) = source(name, folder.filter(|_| !again))?;
    above.push((name.to_owned(), users));
    let mut warn = |message| warnings.push(Warning { theme: name.to_owned(), message });
    let file = file::read(&text, &mut warn)?;
    if let Some(parent) = &file.inherits {
        join(parent, folder, above, into, warnings)?;
    }
    into.palette.extend(file.palette);
    into.looks.extend(file.looks);
    Ok(())
}

/// The text of a theme, and whether it came from the user's folder.
fn source(name: &str, folder: Option<&Path>) -> Result<(String, bool), String> {
    // A name is no path: nothing outside the folder is read.
    let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    if let Some(path) = folder.filter(|_| plain).map(|folder| folder.join(format!("{name}.toml")))
        && let Ok(meta) = fs::metadata(&path)
    {
        if !meta.is_file() || meta.len() > LARGEST {
            return Err(format!("{} is not a file of at most {} kB", path.display(), LARGEST / 1024));
        }
        return match fs::read_to_string(&path) {
            Ok(text) => Ok((text, true)),
            Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
        };
    }
    match EMBEDDED.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => Ok(((*text).to_owned(), false)),
        None => Err(format!("there is no theme “{name}”; there are {}", names(folder).join(", "))),
    }
}

/// The look of `key`, or of what stands before its last dot.
fn find(looks: &BTreeMap<&str, Style>, key: &str) -> Style {
    let mut key = key;
    loop {
        if let Some(style) = looks.get(key) {
            return *style;
        }
        match key.rsplit_once('.') {
            Some((before, _)) => key = before,
            None => return Style::new(),
        }
    }
}

/// `style` for a terminal of `depth`, still readable on its own background or the screen's.
fn lowered(mut style: Style, background: Option<ratatui::style::Color>, depth: Depth) -> Style {
    if depth == Depth::Mono {
        style.fg = None;
        style.bg = None;
        return style;
    }
    style.bg = style.bg.map(|bg| color::lower(bg, depth));
    style.fg = style.fg.map(|fg| color::lower(fg, depth));
    if depth != Depth::TrueColor
        && let (Some(fg), Some(bg)) = (style.fg, style.bg.or(background.map(|bg| color::lower(bg, depth))))
    {
        style.fg = Some(color::readable(fg, bg));
    }
    style
}

/// Keys of the roles for which an embedded theme, with all it inherits, says nothing.
#[cfg(test)]
pub(super) fn undefined(name: &str) -> Vec<&'static str> {
    let mut joined = Joined::default();
    let _ = join(name, None, &mut Vec::new(), &mut joined, &mut Vec::new());
    let says = |key: &str| {
        let mut below = Some(key);
        while let Some(key) = below {
            if joined.looks.contains_key(key) {
                return true;
            }
            below = key.rsplit_once('.').map(|(before, _)| before);
        }
        false
    };
    Role::ALL.iter().map(|role| role.key()).filter(|key| !says(key)).collect()
}
