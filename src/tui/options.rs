//! What the screen is given, and what it says when it is left.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::feed::Reading;
use super::keys::Keymap;
use super::theme::Depth;
use crate::agent::Handle;
use crate::policy::Turn;
use crate::session::{Ended, Envelope};
use crate::text::tokens::Counter;

/// Where the events come from.
pub enum Source {
    /// A running agent. Boxed events are what it has resumed from.
    Live {
        /// The agent's front end.
        handle: Handle,
        /// Events of an earlier run of the session.
        so_far: Vec<Arc<Envelope>>,
    },
    /// A recording, read on a thread of its own while it is looked at.
    Replay {
        /// Reads it.
        read: Reading,
        /// The run to be shown first: its number, from 1, or its name.
        run: Option<String>,
    },
}

/// Everything that is set before the screen opens.
pub struct Options {
    /// Where the events come from.
    pub source: Source,
    /// What is run, in a few words; stands in the header.
    pub title: String,
    /// Name of the theme.
    pub theme: String,
    /// Folder of the user's own themes.
    pub theme_folder: Option<PathBuf>,
    /// How many colours the terminal draws.
    pub depth: Depth,
    /// Draw with ASCII only.
    pub ascii: bool,
    /// Capture the mouse from the start.
    pub mouse: bool,
    /// The keys.
    pub keymap: Keymap,
    /// Sentences to be shown at the start: conflicts of keys, what is wrong with settings.
    pub notices: Vec<String>,
    /// Milliseconds between two events of a recording that plays.
    pub pace: u64,
    /// Run, or play, at once.
    pub autoplay: bool,
    /// The run's own token counter. First used after the first frame.
    pub counter: Counter,
    /// Where exported blocks go.
    pub export_dir: PathBuf,
    /// Takes what is written to stderr while the screen is ours.
    pub log: Option<PathBuf>,
    /// Where the answers of a human policy go.
    pub human: Option<UnboundedSender<Turn>>,
}

/// How it was left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The end of the run, if it has ended.
    pub ended: Option<Ended>,
    /// Number of the signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Files that were exported.
    pub exported: Vec<PathBuf>,
}

/// Why there is no screen.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// Nothing to draw on.
    #[error("the screen needs a terminal ({0}); use --headless to run without one")]
    NoTerminal(&'static str),
    /// The terminal failed.
    #[error("the terminal cannot be used: {0}")]
    Terminal(std::io::Error),
    /// A task of the program panicked; the terminal is as it was, the session is on the disk.
    #[error("a task of the program failed: {0}")]
    Panicked(String),
}
