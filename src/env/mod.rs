//! Environment: OtherTool of Algorithm 1, line 22: what the agent acts on.

pub mod household;

use serde_json::Value;

use crate::memory::ToolCall;
use crate::memory::tools::ToolSpec;
use futures_util::future::BoxFuture;

/// What an environment answers to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The observation o_t as text.
    pub text: String,
    /// Whether the call changed the environment's state; `None` when it cannot tell.
    pub state_changed: Option<bool>,
}

/// What the environment's finish tool was called with: y of Finish(y).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The answer as text.
    pub text: String,
}

/// Why an environment cannot go on. An error that the agent can repair is a [`Reply`], not this.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// It cannot be made.
    #[error("{0}")]
    Setup(String),
    /// It failed in a call.
    #[error("the environment failed: {0}")]
    Failed(String),
    /// On resume, a repeated call gave another answer than the journal has.
    #[error("the environment cannot be brought back to where the session stopped: {call} gave {found:?}, the journal has {expected:?}")]
    Diverged {
        /// The call.
        call: String,
        /// Start of the recorded observation.
        expected: String,
        /// Start of the new one.
        found: String,
    },
}

/// The world of a run. All calls of one run go to one environment, in order.
pub trait Environment: Send {
    /// What it is made from, enough for [`crate::env`] to make it again.
    fn settings(&self) -> Value;
    /// m0: what the agent is, its tools, what memory does.
    fn system_prompt(&self) -> String;
    /// u: the task.
    fn task(&self) -> String;
    /// The tools, the finish tool included, the memory tools not.
    fn tools(&self) -> Vec<ToolSpec>;
    /// Name of the finish tool.
    fn finish_tool(&self) -> &str;
    /// Checks the arguments of the finish tool.
    ///
    /// # Errors
    /// A sentence for the agent when the arguments are not usable.
    fn finish(&mut self, arguments: &Value) -> Result<Answer, String>;
    /// Runs one call of another tool. Dropping the future cancels it. `arguments` is a JSON object.
    ///
    /// # Errors
    /// [`EnvironmentError`] when the world itself is broken; the run ends.
    fn call<'a>(&'a mut self, call: &'a ToolCall, arguments: &'a Value) -> BoxFuture<'a, Result<Reply, EnvironmentError>>;
    /// Whether the task is done, where the environment can tell.
    fn success(&self) -> Option<bool>;
}
