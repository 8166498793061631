//! Look: the theme, and the glyphs that stand for things. No state is told by colour alone, so each has a glyph.

use std::path::PathBuf;

use super::theme::{self, Depth, Mark, Reach, RunState, Theme};

/// How the screen looks.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    /// Colours and attributes.
    pub(crate) theme: Theme,
    /// Only ASCII is drawn for what is ours.
    pub(crate) ascii: bool,
    folder: Option<PathBuf>,
    depth: Depth,
}

impl Look {
    /// A look with the theme of this name, or the default one with sentences about why.
    pub(crate) fn new(name: &str, folder: Option<PathBuf>, depth: Depth, ascii: bool) -> (Self, Vec<String>) {
        let loaded = theme::load(name, folder.as_deref(), depth);
        let warnings = loaded.warnings.iter().map(ToString::to_string).collect();
        (Self { theme: loaded.theme, ascii, folder, depth }, warnings)
    }

    /// Takes another theme; sentences about what is wrong with it.
    pub(crate) fn load(&mut self, name: &str) -> Vec<String> {
        let loaded = theme::load(name, self.folder.as_deref(), self.depth);
        self.theme = loaded.theme;
        loaded.warnings.iter().map(ToString::to_string).collect()
    }

    /// Names of the themes there are.
    pub(crate) fn names(&self) -> Vec<String> {
        theme::names(self.folder.as_deref())
    }

    /// One of two spellings.
    pub(crate) fn or<'a>(&self, fine: &'a str, ascii: &'a str) -> &'a str {
        if self.ascii { ascii } else { fine }
    }

    /// Glyph of a run's state.
    pub(crate) fn run(&self, state: RunState) -> &'static str {
        match (state, self.ascii) {
            (RunState::Running, false) => "▶",
            (RunState::Running, true) => ">",
            (RunState::Waiting, false) => "…",
            (RunState::Waiting, true) => "~",
            (RunState::Paused, false) => "⏸",
            (RunState::Paused, true) => "=",
            (RunState::Ended, false) => "■",
            (RunState::Ended, true) => "#",
        }
    }

    /// Glyph of how an index stands.
    pub(crate) fn reach(&self, reach: Reach) -> &'static str {
        match (reach, self.ascii) {
            (Reach::Reachable, false) => "●",
            (Reach::Reachable, true) => "*",
            (Reach::Orphan, false) => "○",
            (Reach::Orphan, true) => "o",
            (Reach::Dangling, false) => "✗",
            (Reach::Dangling, true) => "x",
        }
    }

    /// Glyph of a mark on the timeline.
    pub(crate) fn mark(&self, mark: Mark) -> &'static str {
        match (mark, self.ascii) {
            (Mark::Step | Mark::Current, false) => "●",
            (Mark::Step | Mark::Current, true) => "*",
            (Mark::Compress, false) => "◆",
            (Mark::Compress, true) => "C",
            (Mark::Read, false) => "○",
            (Mark::Read, true) => "o",
            (Mark::Error, false) => "✗",
            (Mark::Error, true) => "x",
            (Mark::End, false) => "■",
            (Mark::End, true) => "#",
        }
    }

    /// A picture that turns, at `frame`.
    pub(crate) fn spinner(&self, frame: usize) -> &'static str {
        const FINE: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
        const PLAIN: [&str; 4] = ["-", "\\", "|", "/"];
        let list: &[&str] = if self.ascii { &PLAIN } else { &FINE };
        list.get(frame % list.len()).copied().unwrap_or(" ")
    }
}
