//! Text before anything else: counting it, and making it safe and measurable.
//!
//! Invariant: knows no memory, no session, no terminal.

pub mod tokens;
