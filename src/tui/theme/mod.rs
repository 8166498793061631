//! How things look. Views ask for what a thing means (`theme.gauge(Level::Over)`), never for a colour.
//!
//! Invariant: the only place of the program that names colours, and it names them for the terminal's capabilities:
//! a theme is written once and brought down to 256, 16 or no colours when it is built. No state may be told by
//! colour alone: whoever draws adds a glyph or a word.

mod chooser;
mod color;
mod file;
mod load;
mod role;

use ratatui::style::Style;

pub use chooser::{Depth, Terminal, choose};
pub use file::Warning;
pub use load::{EMBEDDED, Loaded, embedded_names, load, names};
pub use role::{Change, Level, Mark, Reach, Role, RunState, Severity, Speaker, Syntax};

/// A theme ready to draw with: one style for each [`Role`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    name: String,
    styles: Vec<Style>,
}

impl Default for Theme {
    /// The embedded `dark`, for terminals with true colour.
    fn default() -> Self {
        load("dark", None, Depth::TrueColor).theme
    }
}

impl Theme {
    fn new(name: String, styles: Vec<Style>) -> Self {
        Self { name, styles }
    }

    /// The name it was loaded by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The style of any role; the verbs below read better.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// What stands behind everything: foreground and background of the whole screen.
    #[must_use]
    pub fn screen(&self) -> Style {
        self.style(Role::Background).patch(self.style(Role::Text))
    }

    /// Ordinary text.
    #[must_use]
    pub fn text(&self) -> Style {
        self.style(Role::Text)
    }

    /// Text of less weight.
    #[must_use]
    pub fn dim(&self) -> Style {
        self.style(Role::Dim)
    }

    /// Text of more weight: the number or word a line is about.
    #[must_use]
    pub fn strong(&self) -> Style {
        self.style(Role::Strong)
    }

    /// The frame of a pane.
    #[must_use]
    pub fn border(&self, focused: bool) -> Style {
        self.style(if focused { Role::BorderFocus } else { Role::Border })
    }

    /// The title in the frame of a pane.
    #[must_use]
    pub fn title(&self, focused: bool) -> Style {
        self.style(if focused { Role::TitleFocus } else { Role::Title })
    }

    /// The selected row, laid over its own style.
    #[must_use]
    pub fn selection(&self, focused: bool) -> Style {
        self.style(if focused { Role::Selection } else { Role::SelectionInactive })
    }

    /// The first line of the screen.
    #[must_use]
    pub fn header(&self) -> Style {
        self.style(Role::Header)
    }

    /// The last line of the screen.
    #[must_use]
    pub fn footer(&self) -> Style {
        self.style(Role::Footer)
    }

    /// A key named in the footer or the help.
    #[must_use]
    pub fn key(&self) -> Style {
        self.style(Role::Key)
    }

    /// A pop-up: dialog, palette, help.
    #[must_use]
    pub fn dialog(&self) -> Style {
        self.style(Role::Dialog)
    }

    /// A text field.
    #[must_use]
    pub fn input(&self) -> Style {
        self.style(Role::Input)
    }

    /// The banner that says that what is shown is not the present.
    #[must_use]
    pub fn past(&self) -> Style {
        self.style(Role::Past)
    }

    /// A message to the user.
    #[must_use]
    pub fn notice(&self, severity: Severity) -> Style {
        self.style(severity.into())
    }

    /// A match of the search, laid over the text.
    #[must_use]
    pub fn found(&self, current: bool) -> Style {
        self.style(if current { Role::MatchCurrent } else { Role::Match })
    }

    /// Line numbers.
    #[must_use]
    pub fn gutter(&self) -> Style {
        self.style(Role::Gutter)
    }

    /// The thumb of a scrollbar, or its track.
    #[must_use]
    pub fn scrollbar(&self, thumb: bool) -> Style {
        self.style(if thumb { Role::ScrollbarThumb } else { Role::Scrollbar })
    }

    /// A picture or placeholder that stands for a character that cannot be seen.
    #[must_use]
    pub fn hidden(&self) -> Style {
        self.style(Role::Hidden)
    }

    /// The filled part of a gauge.
    #[must_use]
    pub fn gauge(&self, level: Level) -> Style {
        self.style(level.into())
    }

    /// The empty part of a gauge.
    #[must_use]
    pub fn gauge_track(&self) -> Style {
        self.style(Role::GaugeTrack)
    }

    /// The tick at τ.
    #[must_use]
    pub fn threshold(&self) -> Style {
        self.style(Role::GaugeThreshold)
    }

    /// Whose words these are.
    #[must_use]
    pub fn role(&self, speaker: Speaker) -> Style {
        self.style(speaker.into())
    }

    /// Whether an index can be read.
    #[must_use]
    pub fn index(&self, reach: Reach) -> Style {
        self.style(reach.into())
    }

    /// A mark on the timeline.
    #[must_use]
    pub fn mark(&self, mark: Mark) -> Style {
        self.style(mark.into())
    }

    /// What the run is doing.
    #[must_use]
    pub fn run(&self, state: RunState) -> Style {
        self.style(state.into())
    }

    /// A line of a comparison.
    #[must_use]
    pub fn diff(&self, change: Change) -> Style {
        self.style(change.into())
    }

    /// A token of code.
    #[must_use]
    pub fn syntax(&self, syntax: Syntax) -> Style {
        self.style(syntax.into())
    }
}

#[cfg(test)]
mod tests;
