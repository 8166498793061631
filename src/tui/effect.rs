//! Effect: what the loop is to do for the app. Data, so that a test reads what a key would do.

use std::sync::Arc;

use crate::agent::Command;
use crate::agent::draft::Range;
use crate::memory::MessageId;
use crate::policy::Turn;

/// Something to be done outside the app's own state.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// Say this to the agent.
    Tell(Command),
    /// Give this answer in the human's place as the policy.
    Answer(Turn),
    /// Put a text on the clipboard of the terminal (OSC 52).
    Copy(Arc<str>),
    /// Write a text to a file of this name in the export folder.
    Export {
        /// File name, safe as one.
        name: String,
        /// Its content.
        text: Arc<str>,
    },
    /// Open `$EDITOR` on a text.
    Edit {
        /// The text.
        text: String,
        /// File ending, for the editor's colours.
        ending: &'static str,
        /// What the result is for.
        purpose: Purpose,
    },
    /// Switch mouse capture.
    Mouse(bool),
    /// Give the terminal back and stop, until the shell continues us.
    Suspend,
    /// Leave.
    Leave,
}

/// What an edited text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It is a compression by hand.
    Compress(Range),
    /// It is a message's new text.
    Rewrite(MessageId),
}
