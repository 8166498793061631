//! The screen: what is known of a run, as panes, and keys that act on it.
//!
//! [`run()`] owns the terminal. Keys and news go into `app`, which answers with effects (data) and is drawn by `view`;
//! both work without a terminal, which is how they are tested.
//!
//! Invariant: what stands in `theme`, `keys`, `command`, `highlight` and `widget` knows no agent and no session.

mod app;
pub mod command;
mod effect;
mod feed;
mod find;
mod hangup;
pub mod highlight;
mod input;
pub mod keys;
mod look;
mod options;
mod overlay;
mod paint;
mod pane;
mod run;
mod terminal;
#[cfg(test)]
mod tests;
pub mod theme;
mod view;
pub mod widget;
mod words;

pub use feed::Reading;
pub use options::{Options, Outcome, Source, TuiError};
pub use run::run;
pub use terminal::require_terminal;
