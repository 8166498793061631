//! What is heard of a run besides its events: whether it runs, what it waits for, what streams in.
//!
//! None of it is recorded; all of it is gone with the run.

use std::time::Duration;

use crate::agent::RunMode;
use crate::policy::Delta;

/// What part of an answer a piece of the stream belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Thinking.
    Thinking,
    /// Text of the answer.
    Text,
    /// Arguments of a call of this tool.
    Call(String),
}

/// A part of the answer under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Streamed {
    /// Which part.
    pub(crate) part: Stream,
    /// Its text so far.
    pub(crate) text: String,
}

/// What is being waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    /// In words.
    pub(crate) what: String,
    /// Since when, on the app's clock.
    pub(crate) since: Duration,
}

/// The run as it is now.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    /// Whether it runs.
    pub(crate) mode: RunMode,
    /// What it waits for.
    pub(crate) waiting: Option<Wait>,
    /// The answer under way.
    pub(crate) stream: Vec<Streamed>,
    /// The agent is gone: its end of the channel is closed.
    pub(crate) gone: bool,
}

impl Default for Live {
    fn default() -> Self {
        Self { mode: RunMode::Paused, waiting: None, stream: Vec::new(), gone: false }
    }
}

impl Live {
    /// Takes a piece of the stream.
    pub(crate) fn stream(&mut self, delta: Delta, now: Duration) {
        let (part, more) = match delta {
            Delta::Thinking(text) => (Stream::Thinking, text),
            Delta::Text(text) => (Stream::Text, text),
            Delta::Call { name, arguments } => (Stream::Call(name), arguments),
            Delta::Waiting(what) => {
                let since = self.waiting.as_ref().map_or(now, |w| w.since);
                self.waiting = Some(Wait { what, since });
                return;
            }
            Delta::Restart => {
                self.stream.clear();
                return;
            }
        };
        match self.stream.last_mut() {
            // A call's name comes with its first piece only.
            Some(last) if last.part == part || matches!((&last.part, &part), (Stream::Call(_), Stream::Call(name)) if name.is_empty()) => {
                last.text += &more;
            }
            _ => self.stream.push(Streamed { part, text: more }),
        }
    }
}
