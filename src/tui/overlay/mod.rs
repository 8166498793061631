//! What can lie over the panes. One at a time; `Esc` closes it and nothing else.

pub(crate) mod confirm;
pub(crate) mod diff;
pub(crate) mod force;
pub(crate) mod help;
pub(crate) mod notes;
pub(crate) mod palette;
pub(crate) mod prompt;
pub(crate) mod runs;
pub(crate) mod themes;

use super::command::CommandId;
use super::effect::Effect;

/// What an overlay makes of a key.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Nothing further.
    Stay,
    /// It is done.
    Close,
    /// It is done, and this is to be done.
    Do(Vec<Effect>),
    /// It is done, and this command is to be obeyed.
    Obey(CommandId),
    /// Look for this.
    Find(String),
    /// Show this run of the file.
    Run(usize),
    /// Say this and stay.
    Say(String),
}

/// The overlay that is open.
#[derive(Clone, Debug)]
pub(crate) enum Overlay {
    /// Every command.
    Help(help::Help),
    /// Commands by name.
    Palette(palette::Palette),
    /// A question.
    Confirm(confirm::Confirm),
    /// A forced compression.
    Force(Box<force::Force>),
    /// Two states of M.
    Diff(Box<diff::Diff>),
    /// The themes.
    Themes(themes::Themes),
    /// The search prompt.
    Prompt(prompt::Prompt),
    /// Warnings and messages so far.
    Notes(notes::Notes),
    /// The runs of the file.
    Runs(runs::Runs),
}
