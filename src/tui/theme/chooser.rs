//! Which theme, and how many colours: a pure function of what the environment says.
//!
//! Knows no environment: the values are passed in, by whoever reads settings.

/// How many colours the terminal draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// None: attributes only.
    Mono,
    /// The sixteen that the user's terminal defines.
    Ansi16,
    /// The xterm table of 256.
    Ansi256,
    /// 24 bits.
    TrueColor,
}

/// What the environment says of the terminal: values of variables, as read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terminal {
    /// `NO_COLOR`: set and not empty means no colours (<https://no-color.org>).
    pub no_color: Option<String>,
    /// `TERM`.
    pub term: Option<String>,
    /// `COLORTERM`.
    pub colorterm: Option<String>,
    /// `COLORFGBG`, as `15;0`: some terminals tell their colours by it.
    pub colorfgbg: Option<String>,
}

impl Terminal {
    /// How many colours it draws.
    #[must_use]
    pub fn depth(&self) -> Depth {
        let term = self.term.as_deref().unwrap_or("");
        if self.no_color.as_deref().is_some_and(|value| !value.is_empty()) || term == "dumb" {
            return Depth::Mono;
        }
        if matches!(self.colorterm.as_deref(), Some("truecolor" | "24bit"))
            || term.ends_with("-direct")
            || ["kitty", "alacritty", "ghostty", "wezterm", "foot"].iter().any(|name| term.contains(name))
        {
            return Depth::TrueColor;
        }
        if term.contains("256") { Depth::Ansi256 } else { Depth::Ansi16 }
    }

    /// Whether its background is light, where it says so.
    #[must_use]
    pub fn is_light(&self) -> Option<bool> {
        let background: u8 = self.colorfgbg.as_deref()?.rsplit(';').next()?.parse().ok()?;
        Some(matches!(background, 7 | 9..=15))
    }
}

/// The name of the theme to load, for the wish `wanted` ("auto" or a name).
///
/// Without colours every wish becomes `mono`: other themes tell things by colours that would be gone.
#[must_use]
pub fn choose<'a>(wanted: &'a str, terminal: &Terminal) -> &'a str {
    match (terminal.depth(), wanted) {
        (Depth::Mono, _) => "mono",
        (Depth::Ansi16, "auto" | "") => "ansi16",
        (_, "auto" | "") if terminal.is_light() == Some(true) => "light",
        (_, "auto" | "") => "dark",
        (_, name) => name,
    }
}
