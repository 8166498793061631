//! Text before anything else: counting it, and making it safe and measurable.
//!
//! Invariant: knows no memory, no session, no terminal.

mod hidden;
pub mod piece;
pub mod sanitize;
pub mod search;
pub mod tokens;
pub mod width;
pub mod wrap;
