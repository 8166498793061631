//! What a front end can say to a running agent, and what it hears back.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::draft::Draft;
use crate::memory::{Index, MessageId};
use crate::policy::Delta;
use crate::session::Envelope;

/// A wish of the user.
#[derive(Clone, Debug)]
pub enum Command {
    /// Run to the start of the next step.
    Step,
    /// Run one phase: status, answer, call.
    StepPhase,
    /// Run until something stops it.
    Run,
    /// Stop after the present phase.
    Pause,
    /// Drop the call that is under way, as if it had not been begun, and pause.
    Interrupt,
    /// End the run as cancelled.
    Stop,
    /// Change M or D by hand, at the start of the next step.
    Act(HumanAct),
    /// Milliseconds to wait after each event while running.
    Pace(u64),
    /// Leave; the session can be resumed.
    Quit,
}

/// A change by hand.
#[derive(Clone, Debug)]
pub enum HumanAct {
    /// Compress as drafted and previewed.
    Compress(Box<Draft>),
    /// Tell the agent to compress now, with words of the user's own.
    Demand {
        /// What to say besides.
        words: Option<String>,
    },
    /// Read a block into M as the agent's own read would.
    Read {
        /// Which.
        index: Index,
        /// 1-based part.
        part: u32,
    },
    /// Give a message another text.
    Rewrite {
        /// Which.
        message: MessageId,
        /// Its new text.
        text: String,
    },
    /// Take a message out of M.
    Exclude {
        /// Which.
        message: MessageId,
    },
    /// Take the newest change back.
    Undo,
    /// Put it again.
    Redo,
}

/// Whether the agent runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// Until something stops it.
    Running,
    /// It will pause when the call under way has answered.
    Pausing,
    /// Waiting for a command.
    Paused,
    /// The run is over.
    Ended,
}

/// What a front end hears.
#[derive(Clone, Debug)]
pub enum Update {
    /// An event is in the journal.
    Recorded(Arc<Envelope>),
    /// Part of an answer under way; not recorded.
    Delta(Delta),
    /// Whether the agent runs.
    Mode(RunMode),
    /// What is being waited for, from now on; `None` when nothing is.
    Waiting(Option<String>),
    /// A command could not be obeyed, with the reason.
    Refused(String),
    /// Something the user should know that is no event.
    Trouble(String),
}

/// All that a front end holds of a running agent.
#[derive(Debug)]
pub struct Handle {
    /// Wishes go here.
    pub commands: mpsc::UnboundedSender<Command>,
    /// News comes from here; closed when the agent is gone.
    pub updates: mpsc::Receiver<Update>,
}
