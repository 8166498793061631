//! Algorithm 1 of the paper, line by line, and the task that runs it.
//!
//! ```text
//!  3  Execute(u, T_max, τ)                    live::Agent::run
//!  4  M ← [m0, u]   5  D ← ∅                  Event::Started
//!  7  for t = 1 to T_max                      decide::next, Phase::StepStart
//!  8    M ← M ⊕ ContextStatus(M, τ)           decide::next, Event::Status
//!  9    (z_t, c_t) ← π(M)                     Next::Ask → Policy::act
//! 10    M ← M ⊕ [z_t, c_t]                    Event::Acted
//! 11    CompressExperience                    compress::plan
//! 12–13   D[index] ← content                  journal, then ExperienceStore::put_all
//! 14      M ← [m0, u, σ]                      Event::Compressed
//! 15    ReadExperience                        decide::next → Next::Fetch
//! 16–17   M ← M ⊕ D[index]                    read::plan, Event::Read
//! 18–20 Finish(y)                             Next::Finish, Event::Ended
//! 21–23 other tools                           Next::Call → Environment::call, Event::Observed
//! 24  return MaxStepReached                   Event::Ended
//! ```
//!
//! [`decide`] is pure: it reads the fold and says what comes next. [`live`] does it: journal, store,
//! fold, then tell. Because `next` is derived from the fold alone, resume and replay need no code of
//! their own.
//!
//! Invariant: knows no terminal.

mod baseline;
mod command;
pub mod compress;
mod control;
pub mod decide;
pub mod draft;
mod intervene;
pub mod live;
mod read;
mod wording;

pub use command::{Command, Handle, HumanAct, RunMode, Update};
pub use intervene::may_change;
pub use read::plan as plan_read;
