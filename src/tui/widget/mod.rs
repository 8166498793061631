//! Pieces of screen whose cost depends on the rows that are seen, never on what lies behind them.
//!
//! Invariant: know text and theme; no agent, no session, no keys.

pub mod document;
pub mod list;
mod paint;
mod rows;
pub mod scrollbar;
pub mod text_view;
