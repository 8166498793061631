//! Settings: the one place where they are read and explained.
//!
//! Four layers, later over earlier: built-in defaults, the config file, environment variables,
//! command-line flags. Every value knows which layer it came from (`memex config` shows it).
//! No other file reads an environment variable.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// The config file.
    File(PathBuf),
    /// An environment variable.
    Env(&'static str),
    /// A command-line flag.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Env(name) => write!(f, "${name}"),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value in force.
    pub value: T,
    /// Its layer.
    pub origin: Origin,
}

/// Why settings cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("config file {path}: {why}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the file system said.
        why: String,
    },
    /// The file is no valid config.
    #[error("config file {path}: {why}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        why: String,
    },
}

/// The config file, `config.toml` in the user's config directory for memex. Every field may be left out.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ConfigFile {
    /// Directory for everything that is written.
    pub data_dir: Option<PathBuf>,
    /// Name of a theme, or `auto`.
    pub theme: Option<String>,
    /// Directory with the user's own themes.
    pub themes_dir: Option<PathBuf>,
    /// Only ASCII on screen.
    pub ascii: Option<bool>,
    /// Capture the mouse from the start.
    pub mouse: Option<bool>,
    /// `o200k`, `cl100k`, `estimate`, or the path of a tokenizer.json.
    pub tokenizer: Option<String>,
    /// Limits of a run.
    pub run: RunSection,
    /// The model server.
    pub openai: OpenAiSection,
    /// Keys: command name to a key or a list of keys.
    pub keys: toml::Table,
}

/// `[run]` of the config file; as the flags of `memex run`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct RunSection {
    /// τ.
    pub threshold: Option<u64>,
    /// The model's window.
    pub window: Option<u64>,
    /// T_max.
    pub max_steps: Option<u32>,
    /// τ_σ.
    pub summary_limit: Option<u32>,
    /// B.
    pub read_budget: Option<u32>,
    /// L.
    pub block_limit: Option<u32>,
}

/// `[openai]` of the config file. A key itself is never in it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct OpenAiSection {
    /// Base URL of the server.
    pub base_url: Option<String>,
    /// Model name.
    pub model: Option<String>,
    /// Name of the environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// File that holds the key.
    pub api_key_file: Option<PathBuf>,
}

/// What the command line says of the general settings.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--data-dir`.
    pub data_dir: Option<PathBuf>,
    /// `--theme`.
    pub theme: Option<String>,
    /// `--ascii`.
    pub ascii: bool,
    /// `--mouse`.
    pub mouse: bool,
    /// `--tokenizer`.
    pub tokenizer: Option<String>,
}

/// What the process environment says; read once, passed as a value.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// Looks a variable up.
    vars: std::collections::BTreeMap<String, String>,
}

impl Env {
    /// The variables of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self { vars: std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect() }
    }
    /// Given variables, for tests.
    #[must_use]
    pub fn of(vars: &[(&str, &str)]) -> Self {
        Self { vars: vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect() }
    }
    /// A variable that is set and not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|v| !v.is_empty())
    }
    fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }
    /// The directory of an XDG base variable, or below HOME; then `memex`.
    fn base(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let base = self.path(variable).filter(|p| p.is_absolute()).or_else(|| Some(self.path("HOME")?.join(below_home)))?;
        Some(base.join("memex"))
    }
}

/// General settings, resolved.
#[derive(Clone, Debug)]
pub struct Config {
    /// The config file that was read, if there was one.
    pub file: Option<PathBuf>,
    /// Directory for everything that is written; `None` when there is no place for it.
    pub data_dir: Option<Setting<PathBuf>>,
    /// Theme name, or `auto`.
    pub theme: Setting<String>,
    /// The user's own themes.
    pub themes_dir: Option<Setting<PathBuf>>,
    /// Only ASCII on screen.
    pub ascii: Setting<bool>,
    /// Capture the mouse from the start.
    pub mouse: Setting<bool>,
    /// Token counter.
    pub tokenizer: Setting<String>,
    /// The model server.
    pub base_url: Setting<String>,
    /// Model name.
    pub model: Option<Setting<String>>,
    /// Environment variable that holds the key.
    pub api_key_env: Setting<String>,
    /// File that holds the key.
    pub api_key_file: Option<Setting<PathBuf>>,
    /// Limits of a run.
    pub run: RunSection,
    /// Key overrides.
    pub keys: toml::Table,
}

impl Config {
    /// Reads all layers.
    ///
    /// # Errors
    /// [`ConfigError`] when a config file that exists, or was named, cannot be read or is wrong.
    pub fn load(flags: &Flags, env: &Env) -> Result<Self, ConfigError> {
        let dir = env.base("XDG_CONFIG_HOME", ".config");
        let named = flags.config.clone().or_else(|| env.path("MEMEX_CONFIG"));
        let path = named.clone().or_else(|| dir.as_ref().map(|d| d.join("config.toml")));
        let (file, content) = match &path {
            Some(path) => match std::fs::read_to_string(path) {
                Ok(text) => (Some(path.clone()), parse(path, &text)?),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound && named.is_none() => (None, ConfigFile::default()),
                Err(e) => return Err(ConfigError::Read { path: path.clone(), why: e.to_string() }),
            },
            None => (None, ConfigFile::default()),
        };
        let from_file = || Origin::File(file.clone().unwrap_or_default());
        let layered = |flag: Option<String>, flag_name, var: &'static str, in_file: &Option<String>, default: Option<&str>| {
            flag.map(|value| Setting { value, origin: Origin::Flag(flag_name) })
                .or_else(|| env.get(var).map(|v| Setting { value: v.to_owned(), origin: Origin::Env(var) }))
                .or_else(|| in_file.clone().map(|value| Setting { value, origin: from_file() }))
                .or_else(|| default.map(|v| Setting { value: v.to_owned(), origin: Origin::Default }))
        };
        let path_setting = |s: Option<Setting<String>>| s.map(|s| Setting { value: PathBuf::from(s.value), origin: s.origin });
        let text = |p: &Option<PathBuf>| p.as_ref().map(|p| p.to_string_lossy().into_owned());
        let default_data = text(&env.base("XDG_DATA_HOME", ".local/share"));
        let default_themes = text(&dir.as_ref().map(|d| d.join("themes")));
        let switch = |flag: bool, name, in_file: Option<bool>| match (flag, in_file) {
            (true, _) => Setting { value: true, origin: Origin::Flag(name) },
            (false, Some(value)) => Setting { value, origin: from_file() },
            (false, None) => Setting { value: false, origin: Origin::Default },
        };
        let some = |s: Option<Setting<String>>| s.unwrap_or(Setting { value: String::new(), origin: Origin::Default });
        Ok(Self {
            data_dir: path_setting(layered(
                text(&flags.data_dir),
                "--data-dir",
                "MEMEX_DATA_DIR",
                &text(&content.data_dir),
                default_data.as_deref(),
            )),
            theme: some(layered(flags.theme.clone(), "--theme", "MEMEX_THEME", &content.theme, Some("auto"))),
            themes_dir: path_setting(layered(None, "", "MEMEX_THEMES_DIR", &text(&content.themes_dir), default_themes.as_deref())),
            ascii: switch(flags.ascii, "--ascii", content.ascii),
            mouse: switch(flags.mouse, "--mouse", content.mouse),
            tokenizer: some(layered(
                flags.tokenizer.clone(),
                "--tokenizer",
                "MEMEX_TOKENIZER",
                &content.tokenizer,
                Some(if cfg!(feature = "o200k") { "o200k" } else { "estimate" }),
            )),
            base_url: some(layered(None, "--base-url", "OPENAI_BASE_URL", &content.openai.base_url, Some("https://api.openai.com/v1"))),
            model: layered(None, "--model", "MEMEX_MODEL", &content.openai.model, None),
            api_key_env: some(layered(None, "--api-key-env", "MEMEX_API_KEY_ENV", &content.openai.api_key_env, Some("OPENAI_API_KEY"))),
            api_key_file: path_setting(layered(None, "--api-key-file", "MEMEX_API_KEY_FILE", &text(&content.openai.api_key_file), None)),
            run: content.run,
            keys: content.keys,
            file,
        })
    }

    /// Name, value and origin of every setting, for `memex config`.
    #[must_use]
    pub fn explain(&self) -> Vec<(&'static str, String, String)> {
        fn row<T: fmt::Debug>(name: &'static str, s: Option<&Setting<T>>, show: impl Fn(&T) -> String) -> (&'static str, String, String) {
            s.map_or_else(|| (name, "(not set)".into(), String::new()), |s| (name, show(&s.value), s.origin.to_string()))
        }
        let path = |p: &PathBuf| p.display().to_string();
        let limit = |name, v: Option<u64>| {
            (
                name,
                v.map_or_else(|| "(not set)".into(), |v| v.to_string()),
                if v.is_some() { self.file.as_ref().map_or(String::new(), path) } else { String::new() },
            )
        };
        vec![
            row("data-dir", self.data_dir.as_ref(), path),
            row("theme", Some(&self.theme), Clone::clone),
            row("themes-dir", self.themes_dir.as_ref(), path),
            row("ascii", Some(&self.ascii), ToString::to_string),
            row("mouse", Some(&self.mouse), ToString::to_string),
            row("tokenizer", Some(&self.tokenizer), Clone::clone),
            row("openai.base-url", Some(&self.base_url), |u| crate::config::without_userinfo(u)),
            row("openai.model", self.model.as_ref(), Clone::clone),
            row("openai.api-key-env", Some(&self.api_key_env), Clone::clone),
            row("openai.api-key-file", self.api_key_file.as_ref(), path),
            limit("run.threshold", self.run.threshold),
            limit("run.window", self.run.window),
            limit("run.max-steps", self.run.max_steps.map(u64::from)),
            limit("run.summary-limit", self.run.summary_limit.map(u64::from)),
            limit("run.read-budget", self.run.read_budget.map(u64::from)),
            limit("run.block-limit", self.run.block_limit.map(u64::from)),
        ]
    }
}

/// A URL without the name and password that may stand in it.
#[must_use]
pub fn without_userinfo(url: &str) -> String {
    match (url.find("://"), url.find('@')) {
        (Some(scheme), Some(at)) if at > scheme && url.get(scheme + 3..at).is_some_and(|u| !u.contains('/')) => {
            format!("{}{}", url.get(..scheme + 3).unwrap_or(""), url.get(at + 1..).unwrap_or(""))
        }
        _ => url.to_owned(),
    }
}

fn parse(path: &Path, text: &str) -> Result<ConfigFile, ConfigError> {
    toml::from_str(text).map_err(|e| ConfigError::Parse { path: path.to_owned(), why: e.to_string() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn later_layers_win_and_say_who_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, "theme = \"light\"\ntokenizer = \"cl100k\"\n[run]\nthreshold = 4000\n").unwrap();
        let home = dir.path().to_str().unwrap();
        let flags = Flags { config: Some(path.clone()), tokenizer: Some("estimate".into()), ..Flags::default() };
        let env = Env::of(&[("HOME", home), ("MEMEX_THEME", "dark"), ("MEMEX_TOKENIZER", "o200k")]);
        let config = Config::load(&flags, &env).unwrap();
        assert_eq!(config.theme, Setting { value: "dark".into(), origin: Origin::Env("MEMEX_THEME") });
        assert_eq!(config.tokenizer, Setting { value: "estimate".into(), origin: Origin::Flag("--tokenizer") });
        assert_eq!(config.run.threshold, Some(4000));
        assert_eq!(config.data_dir.unwrap().value, Path::new(home).join(".local/share/memex"));
        let config = Config::load(&Flags { config: Some(path.clone()), ..Flags::default() }, &Env::default()).unwrap();
        assert_eq!(config.theme.origin, Origin::File(path));
        assert!(config.data_dir.is_none());
    }

    #[test]
    fn a_wrong_file_is_named_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, "theme = \"light\"\ncolour = 3\n").unwrap();
        let flags = Flags { config: Some(path), ..Flags::default() };
        let error = Config::load(&flags, &Env::default()).unwrap_err().to_string();
        assert!(error.contains("c.toml") && error.contains("colour") && error.contains("line 2"), "{error}");
        let flags = Flags { config: Some(dir.path().join("none.toml")), ..Flags::default() };
        assert!(Config::load(&flags, &Env::default()).unwrap_err().to_string().contains("none.toml"));
        assert!(Config::load(&Flags::default(), &Env::of(&[("HOME", "/nonexistent")])).is_ok());
    }

    #[test]
    fn passwords_in_urls_are_not_shown() {
        assert_eq!(without_userinfo("https://me:secret@host/v1"), "https://host/v1");
        assert_eq!(without_userinfo("https://host/v1/a@b"), "https://host/v1/a@b");
    }
}
