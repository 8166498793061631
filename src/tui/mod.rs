//! The screen.
//!
//! Invariant: what stands in `theme`, `keys`, `command`, `highlight` and `widget` knows no agent and no session.

pub mod command;
pub mod highlight;
pub mod keys;
pub mod theme;
pub mod widget;
