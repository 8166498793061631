//! Indexed experience memory, §3.2 of the paper: M, D, σ and the two tools that move between them.
//!
//! | paper | here |
//! |---|---|
//! | M = [m0, u, M_work] | [`Context`] |
//! | σ = (s, I) | [`IndexedSummary`], [`IndexMap`] |
//! | D: index ↦ content | [`Archive`], [`Block`] |
//! | ContextStatus(M, τ) | [`ContextStatus`] |
//! | CompressExperience, ReadExperience | [`tools`] |
//!
//! Invariant: pure. No clock, no disk, no network, no terminal.

pub mod anchor;
mod archive;
mod block;
mod context;
mod index;
mod message;
mod status;
mod summary;
pub mod tools;

pub use archive::{Archive, Block, BlockKind, Digest, Version};
pub use block::{EXTRACT, combine, join_spans};
pub use context::{Context, Parts};
pub use index::{Index, IndexError, nearest};
pub use message::{Kind, Link, Message, MessageId, Part, Role, ToolCall};
pub use status::{ContextStatus, Level};
pub use summary::{Cut, IndexMap, IndexedSummary, NOTES_HEADING};
