//! Message: one entry of M, counted once when it is made.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Index;
use crate::text::Text;

/// Position of a message in the order in which a session made them; never reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub u64);

/// Who a message speaks for on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The system prompt.
    System,
    /// The task, σ, notices.
    User,
    /// What the policy produced.
    Assistant,
    /// Results of calls.
    Tool,
}

impl Role {
    /// The heading that stands between messages where a span crosses them.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// What a message is in the loop (Algorithm 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// m0, line 4.
    System,
    /// u, line 4.
    Task,
    /// ContextStatus, line 8.
    Status,
    /// z_t, line 9.
    Thinking,
    /// Text of an answer outside thinking and calls.
    Answer,
    /// c_t, line 9.
    Call,
    /// o_t of another tool, or an error the agent gets to see, line 23.
    Observation,
    /// o_t of ReadExperience, line 17.
    Retrieved,
    /// σ, line 14.
    Summary,
    /// A sentence of the program or its user to the agent (a reminder, a demand to compress).
    Notice,
    /// A later turn of the user, in runs of other agents.
    User,
}

/// The parts of M_work that the gauge tells apart; they sum to the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// σ.
    Summary,
    /// Thinking.
    Thinking,
    /// Calls and other text of answers.
    Calls,
    /// Observations.
    Results,
    /// Blocks read back.
    Reads,
    /// Status lines, notices, later turns of the user.
    Status,
}

impl Part {
    /// All parts, in the order in which the gauge names them.
    pub const ALL: [Self; 6] = [Self::Summary, Self::Thinking, Self::Calls, Self::Results, Self::Reads, Self::Status];

    /// Short name for gauge and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Summary => "σ",
            Self::Thinking => "think",
            Self::Calls => "calls",
            Self::Results => "results",
            Self::Reads => "reads",
            Self::Status => "status",
        }
    }
}

impl Kind {
    /// Role on the wire.
    #[must_use]
    pub fn role(self) -> Role {
        match self {
            Self::System => Role::System,
            Self::Task | Self::Summary | Self::Notice | Self::User | Self::Status => Role::User,
            Self::Thinking | Self::Answer | Self::Call => Role::Assistant,
            Self::Observation | Self::Retrieved => Role::Tool,
        }
    }

    /// Part of the gauge; `None` for m0 and u, which are not in M_work.
    #[must_use]
    pub fn part(self) -> Option<Part> {
        Some(match self {
            Self::System | Self::Task => return None,
            Self::Summary => Part::Summary,
            Self::Thinking => Part::Thinking,
            Self::Answer | Self::Call => Part::Calls,
            Self::Observation => Part::Results,
            Self::Retrieved => Part::Reads,
            Self::Status | Self::Notice | Self::User => Part::Status,
        })
    }
}

/// A tool call as the model wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique within its session; pairs a result with its call.
    pub id: Arc<str>,
    /// As written, before any case folding.
    pub name: Arc<str>,
    /// JSON text as written; echoed to servers byte for byte.
    pub arguments: Text,
}

impl ToolCall {
    /// The text under which a call stands in M: name, space, arguments.
    #[must_use]
    pub fn text(&self) -> Text {
        self.arguments.after(&format!("{} ", self.name))
    }
}

/// What a message belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// Nothing.
    #[default]
    None,
    /// This message is the call.
    Call(Arc<ToolCall>),
    /// The result of the call with this id.
    Answer(Arc<str>),
    /// A block read back: the answered call (none when a human read it), its index, version and part.
    Retrieved {
        /// Id of the call that asked, if one did.
        call: Option<Arc<str>>,
        /// The index read.
        index: Index,
        /// 1-based version of the index.
        version: u32,
        /// 1-based part of a block too large to enter whole.
        part: u32,
    },
}

/// One entry of M.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Order of making.
    pub id: MessageId,
    /// Step t in which it was made; 0 before the first.
    pub step: u32,
    /// What it is.
    pub kind: Kind,
    /// Its exact text, as anchors search it.
    pub text: Text,
    /// Tokens of `text`.
    pub tokens: u32,
    /// The call it is or answers.
    pub link: Link,
}

impl Message {
    /// Id of the call that this message answers.
    #[must_use]
    pub fn answers(&self) -> Option<&Arc<str>> {
        match &self.link {
            Link::Answer(id) => Some(id),
            Link::Retrieved { call, .. } => call.as_ref(),
            Link::None | Link::Call(_) => None,
        }
    }
}
