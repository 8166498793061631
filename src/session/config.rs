//! The settings of a run, recorded in its first event so that a journal explains itself.

use serde::{Deserialize, Serialize};

/// What happens to memory; the first is the paper's, the others are baselines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryMode {
    /// CompressExperience with blocks, ReadExperience by index.
    #[default]
    Memex,
    /// CompressExperience without blocks, nothing to read.
    Summary,
    /// Messages are archived whole when M is full; ReadExperience takes a query (BM25).
    Rag,
    /// The oldest messages are dropped at the window.
    Truncate,
    /// Nothing is dropped; the window ends the run.
    Full,
}

impl MemoryMode {
    /// All modes with their names.
    pub const ALL: [(Self, &'static str); 5] =
        [(Self::Memex, "memex"), (Self::Summary, "summary"), (Self::Rag, "rag"), (Self::Truncate, "truncate"), (Self::Full, "full")];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(m, _)| *m == self).map_or("", |(_, n)| n)
    }
    /// Whether the agent has CompressExperience.
    #[must_use]
    pub fn compresses(self) -> bool {
        matches!(self, Self::Memex | Self::Summary)
    }
    /// Whether the agent has ReadExperience.
    #[must_use]
    pub fn reads(self) -> bool {
        matches!(self, Self::Memex | Self::Rag)
    }
}

/// Settings of a run. Token figures are counts of the run's own tokenizer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunConfig {
    /// τ: the agent is warned as W nears it, and penalised above it; 0 where a run of another program has none.
    pub threshold: u64,
    /// The model's limit on T; `None` when unknown. Never confused with τ.
    pub window: Option<u64>,
    /// T_max; 0 where a run of another program has none.
    pub max_steps: u32,
    /// τ_σ: tokens at which a summary is cut.
    pub summary_limit: Option<u32>,
    /// B: reads allowed per step.
    pub read_budget: Option<u32>,
    /// L: tokens allowed per block.
    pub block_limit: Option<u32>,
    /// What happens to memory.
    pub mode: MemoryMode,
    /// Force a compression at the window's edge instead of ending the run.
    pub hard_fallback: bool,
    /// Name of the token counter.
    pub tokenizer: String,
    /// Whether its counts are a vocabulary's own.
    pub exact: bool,
    /// What the environment is made from, enough to make it again on resume.
    pub environment: serde_json::Value,
    /// What the policy is made from, without secrets.
    pub policy: serde_json::Value,
}

impl Default for RunConfig {
    /// τ = 8,000 and T_max = 50, as in the paper's household experiments; no other limit.
    fn default() -> Self {
        Self {
            threshold: 8000,
            window: None,
            max_steps: 50,
            summary_limit: None,
            read_budget: None,
            block_limit: None,
            mode: MemoryMode::default(),
            hard_fallback: false,
            tokenizer: "estimate".into(),
            exact: false,
            environment: serde_json::Value::Null,
            policy: serde_json::Value::Null,
        }
    }
}
