//! Text before anything else: counting it, and making it safe and measurable.
//!
//! Invariant: knows no memory, no session, no terminal.

mod held;
mod hidden;
pub mod piece;
pub mod sanitize;
pub mod search;
pub mod tokens;
pub mod unescape;
pub mod width;
pub mod wrap;

pub use held::{Form, Text, TextSource};
