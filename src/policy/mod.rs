//! Policy: π_agent of Algorithm 1, line 9: (z_t, c_t) ← π(M).

pub mod expert;
pub mod human;
pub mod openai;
pub mod raw;
pub mod script;

use std::sync::Arc;

use crate::memory::tools::ToolSpec;
use crate::memory::{Context, ToolCall};
use crate::session::{ActFault, Usage};
use futures_util::future::BoxFuture;

/// What a policy is shown: M and the tools, nothing else.
#[derive(Clone, Debug)]
pub struct Request {
    /// Step t.
    pub step: u32,
    /// M.
    pub context: Context,
    /// The tools offered.
    pub tools: Arc<[ToolSpec]>,
    /// The tool that must be called, where the user demanded one.
    pub force: Option<&'static str>,
}

/// One answer, not yet counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// z_t.
    pub thinking: Option<String>,
    /// Text outside thinking and calls.
    pub text: Option<String>,
    /// The calls as written. An empty id is replaced by the agent.
    pub calls: Vec<ToolCall>,
    /// The raw answer, where the policy speaks raw text.
    pub raw: Option<String>,
    /// Why the server stopped, e.g. `stop`, `tool_calls`, `length`.
    pub finish: Option<String>,
    /// What the server said it cost.
    pub usage: Option<Usage>,
    /// Why the answer as a whole must not be executed.
    pub fault: Option<ActFault>,
}

/// What arrives while an answer is being made. Shown, never journaled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// More thinking.
    Thinking(String),
    /// More text.
    Text(String),
    /// More of the arguments of a call with this name.
    Call {
        /// Name of the tool, as far as known.
        name: String,
        /// More argument text.
        arguments: String,
    },
    /// What is being waited for, e.g. a retry after so many seconds.
    Waiting(String),
    /// What was streamed so far is void: the answer starts again.
    Restart,
}

/// Takes what arrives.
pub type DeltaSink<'a> = &'a mut (dyn FnMut(Delta) + Send);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The server, or the way to it, failed.
    #[error("{0}")]
    Server(String),
    /// The server says that the request is longer than its window.
    #[error("{0}")]
    Overflow(String),
    /// The policy has no more answers (a script has ended).
    #[error("{0}")]
    Exhausted(String),
}

/// π_agent. Dropping the future cancels the request and leaves no trace of it.
pub trait Policy: Send {
    /// What it is made from, enough to make it again, without secrets.
    fn settings(&self) -> serde_json::Value;
    /// Short name for the header.
    fn name(&self) -> String;
    /// Asks for one answer.
    ///
    /// # Errors
    /// [`PolicyError`] when there is none; the run ends with its reason.
    fn act<'a>(&'a mut self, request: &'a Request, deltas: DeltaSink<'a>) -> BoxFuture<'a, Result<Turn, PolicyError>>;
    /// Skips what was consumed by the first `answers` answers of a resumed session (a script moves on; others need nothing).
    fn skip(&mut self, answers: u32) {
        let _ = answers;
    }
}
