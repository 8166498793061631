//! Event: a fact of a session, in the past tense. The journal is a list of these and nothing else.
//!
//! Each event holds all that its fold needs, the bytes that entered M among them; large texts
//! stand once: a block points into M or into the call that wrote it, a read points to its block.
//! Line numbers are those of Algorithm 1.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::RunConfig;
use crate::memory::anchor::Span;
use crate::memory::tools::ToolSpec;
use crate::memory::{BlockKind, Cut, Digest, Index, MessageId, ToolCall};
use crate::text::Text;

/// An event with its place in the journal. Time never enters the fold.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// 0-based number in the journal.
    pub seq: u64,
    /// Milliseconds since the Unix epoch.
    pub at: u64,
    /// Step t; 0 before the first.
    pub step: u32,
    /// What happened.
    pub event: Event,
}

/// Who did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The policy.
    Agent,
    /// The user.
    Human,
    /// The program itself, where a run was started with a rule that makes it act.
    Fallback,
}

/// A fact of a session. What is rare stands apart, so that the many are small: recordings have millions.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Lines 4–6.
    Started(Box<Started>),
    /// Line 8.
    Status(StatusShown),
    /// Lines 9–10.
    Acted(Arc<Acted>),
    /// Lines 22–23, and every error the agent gets to see.
    Observed(Observed),
    /// Lines 12–14.
    Compressed(Box<Compressed>),
    /// Lines 16–17.
    Read(Box<Read>),
    /// An answer, or one call of it, that could not be understood.
    Malformed(Box<Malformed>),
    /// M was changed by hand (or by a baseline's rule).
    Edited(Edited),
    /// A compression or change by hand was taken back or put again.
    Undone(Undone),
    /// Something a reader should know; M is untouched.
    Note(Note),
    /// Lines 19–20 and 24.
    Ended(Box<Ended>),
    /// An event of a newer version, or a line that cannot be read: kept and shown raw.
    Unknown(Box<Unknown>),
}

impl Event {
    /// The `type` under which the event stands in journal and reports.
    #[must_use]
    pub fn type_name(&self) -> &str {
        match self {
            Self::Started(_) => "started",
            Self::Status(_) => "status",
            Self::Acted(_) => "acted",
            Self::Observed(_) => "observed",
            Self::Compressed(_) => "compressed",
            Self::Read(_) => "read",
            Self::Malformed(_) => "malformed",
            Self::Edited(_) => "edited",
            Self::Undone(_) => "undone",
            Self::Note(_) => "note",
            Self::Ended(_) => "ended",
            Self::Unknown(u) => &u.kind,
        }
    }
}

/// m0, u, the tools and the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// Id of the session.
    pub session: String,
    /// m0.
    pub system: Arc<str>,
    /// Tokens of m0.
    pub system_tokens: u32,
    /// u.
    pub task: Arc<str>,
    /// Tokens of u.
    pub task_tokens: u32,
    /// The tools offered, memory tools included.
    pub tools: Arc<[ToolSpec]>,
    /// Tokens of their schemas as JSON.
    pub tool_tokens: u64,
    /// The settings.
    pub config: RunConfig,
    /// Where the run comes from, when another program recorded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// What recorded an imported run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The format of the file, as `memex convert` names it.
    pub format: String,
    /// Version of the format or of the program that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// ContextStatus as it was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusShown {
    /// The exact text.
    pub text: Arc<str>,
    /// Its tokens.
    pub tokens: u32,
    /// W before it.
    pub working: u64,
    /// T before it.
    pub total: u64,
    /// τ.
    pub threshold: u64,
}

/// What the server said a request cost. Shown beside our own count, never instead of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    pub prompt: Option<u64>,
    /// Tokens of the answer.
    pub completion: Option<u64>,
    /// Tokens of the request that came from the server's cache.
    pub cached: Option<u64>,
}

/// One answer of the policy: z_t and c_t.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acted {
    /// z_t.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Text>,
    /// Tokens of z_t.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub thinking_tokens: u32,
    /// Text outside thinking and calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
    /// Tokens of that text.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub text_tokens: u32,
    /// The calls, in order.
    pub calls: Vec<ToolCall>,
    /// Tokens of each call.
    pub call_tokens: Vec<u32>,
    /// The whole raw answer, where the policy speaks raw text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Arc<str>>,
    /// Why the server stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// What the server said it cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Set when the answer as a whole is not to be executed; the next event says why to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<ActFault>,
}

/// Why an answer is not executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ActFault {
    /// Its raw text breaks the call format; counts as malformed.
    Malformed {
        /// What is wrong, and where.
        reason: String,
    },
    /// It was cut at the token limit; nothing of it is run.
    CutAtLimit,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// What an observation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservedKind {
    /// The environment's answer.
    #[default]
    Tool,
    /// An error of a call that can be repaired (anchors, arguments, limits).
    Error,
    /// A tool that does not exist.
    UnknownTool,
    /// ReadExperience of an index that is not in D.
    Miss,
    /// An answer without a call: a reminder.
    Reminder,
    /// A call that was not run.
    NotRun,
    /// A later turn of the user, in runs that other programs recorded.
    User,
    /// A later instruction of the system, in runs that other programs recorded.
    System,
}

impl ObservedKind {
    /// Whether it says that something went wrong.
    #[must_use]
    pub fn is_error(self) -> bool {
        match self {
            Self::Error | Self::UnknownTool | Self::Miss | Self::Reminder => true,
            Self::Tool | Self::NotRun | Self::User | Self::System => false,
        }
    }
}

/// o_t.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// The call that it answers; none for a reminder and for turns of user or system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Arc<str>>,
    /// The text as it entered M.
    pub text: Text,
    /// Its tokens.
    pub tokens: u32,
    /// What it is.
    #[serde(default)]
    pub kind: ObservedKind,
    /// Whether the environment changed; `None` where it did not say.
    #[serde(default)]
    pub state_changed: Option<bool>,
}

/// Where the bytes of a block are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The authored text is `db_content` of this 0-based block of the call that compressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_block: Option<usize>,
    /// The authored text itself, where no call holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Arc<str>>,
    /// The extract, as ranges of messages of M before the compression.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
}

/// A block as the journal records it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredBlock {
    /// Its index.
    pub index: Index,
    /// 1-based version of the index; above 1 the compression overwrote it.
    pub version: u32,
    /// How its content came about.
    pub kind: BlockKind,
    /// Bytes of its content.
    pub bytes: u64,
    /// Tokens of its content.
    pub tokens: u32,
    /// BLAKE3 of its content.
    pub hash: Digest,
    /// Where the content is.
    pub source: Source,
}

/// M ← [m0, u, σ].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compressed {
    /// Who compressed.
    pub by: Author,
    /// The call, when the agent did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Arc<str>>,
    /// The blocks archived.
    pub blocks: Vec<StoredBlock>,
    /// Stands before the summary in the σ message.
    pub heading: Arc<str>,
    /// The summary as it entered M, cut to the limit.
    pub summary: Arc<str>,
    /// Stands behind the summary: the mark of a cut, calls not run.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub trailer: Arc<str>,
    /// Tokens of the whole σ message.
    pub summary_tokens: u32,
    /// What the limit took off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// W before.
    pub tokens_before: u64,
    /// W after; may be more than before.
    pub tokens_after: u64,
    /// Messages of M_work that stay behind σ, when only a range was compressed by hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<MessageId>,
    /// Names of calls of the same answer that were not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
}

impl Compressed {
    /// The exact text of the σ message.
    #[must_use]
    pub fn message_text(&self) -> String {
        format!("{}{}{}", self.heading, self.summary, self.trailer)
    }
}

/// A block came back into M.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    /// Who read.
    pub by: Author,
    /// The call, when the agent did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Arc<str>>,
    /// The index.
    pub index: Index,
    /// The version that was newest then.
    pub version: u32,
    /// 1-based part, for blocks too large to enter whole.
    pub part: u32,
    /// Byte ranges of the block that entered M, in order.
    pub ranges: Vec<(usize, usize)>,
    /// Stand around and between the ranges: one more than there are ranges.
    pub frame: Vec<Arc<str>>,
    /// Tokens of the whole message.
    pub tokens: u32,
}

/// An answer that could not be understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Malformed {
    /// The call, when only one call of the answer was bad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Arc<str>>,
    /// What was wrong.
    pub reason: String,
    /// What the agent was told.
    pub text: Arc<str>,
    /// Its tokens.
    pub tokens: u32,
}

/// A change of M by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// Who changed it.
    pub by: Author,
    /// What.
    pub change: Change,
}

/// What an edit did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Change {
    /// A message has another text now.
    Rewritten {
        /// Which.
        message: MessageId,
        /// Its new text.
        text: Arc<str>,
        /// Tokens of the new text.
        tokens: u32,
    },
    /// A message left M.
    Removed {
        /// Which.
        message: MessageId,
    },
    /// A notice to the agent entered M.
    Added {
        /// Its text.
        text: Arc<str>,
        /// Its tokens.
        tokens: u32,
        /// It demands a compression at the next step.
        #[serde(default)]
        demands_compression: bool,
    },
    /// The oldest messages of M_work were dropped at the window.
    Dropped {
        /// How many.
        messages: usize,
    },
}

/// What an undo answered in place of a result that the restored context lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// The call.
    pub call: Arc<str>,
    /// The text.
    pub text: Arc<str>,
    /// Its tokens.
    pub tokens: u32,
}

/// A compression or change was taken back, or put again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// Sequence number of the event taken back (or put again).
    pub target: u64,
    /// Put again.
    #[serde(default)]
    pub redo: bool,
    /// Answers to calls that the restored context holds without a result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<Settled>,
}

/// What a note is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// For the reader.
    #[default]
    Info,
    /// Something is wrong, and was handled.
    Warning,
    /// The session goes on after an end or an interruption.
    Resumed,
}

/// A sentence for the reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What it is about.
    #[serde(default)]
    pub kind: NoteKind,
    /// The sentence.
    pub text: String,
    /// T_max from here on, when a resume raised it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
}

/// The one named reason for which a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The agent called the environment's finish tool.
    Finished,
    /// T_max steps without a finish.
    MaxSteps,
    /// The user stopped it.
    Cancelled,
    /// The model's server failed.
    ServerError,
    /// T is over the window.
    ContextOverflow,
    /// The environment failed.
    EnvironmentError,
}

impl EndReason {
    /// Name in sentences.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::MaxSteps => "max steps reached",
            Self::Cancelled => "cancelled",
            Self::ServerError => "server error",
            Self::ContextOverflow => "context overflow",
            Self::EnvironmentError => "environment error",
        }
    }
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// Why.
    pub reason: EndReason,
    /// y of Finish(y).
    #[serde(default)]
    pub answer: Option<String>,
    /// Whether the task was done, where the environment can tell.
    #[serde(default)]
    pub success: Option<bool>,
    /// A sentence more, for errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A line that this version does not understand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Its `type`, or `unreadable`.
    pub kind: String,
    /// The line as it stands in the file.
    pub raw: Text,
    /// Why it is not understood.
    pub why: String,
}
