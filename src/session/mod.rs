//! A session is an append-only journal of events; everything else is a fold over it.
//!
//! Ground state: the [`journal`]. Derived: [`Session`] (the fold after n events) and [`Timeline`]
//! (any n, fast).
//!
//! Invariant: knows no terminal, no network, no clock. The journal's file handle is its only I/O.

mod codec;
mod config;
mod event;
pub mod journal;
mod state;
mod timeline;

pub use codec::{decode_line, encode_line, report_line};
pub use config::{MemoryMode, RunConfig};
pub use event::{
    ActFault, Acted, Author, Change, Compressed, Edited, EndReason, Ended, Envelope, Event, Malformed, Note, NoteKind, Observed,
    ObservedKind, Origin, Read, Settled, Source, Started, StatusShown, StoredBlock, Undone, Unknown, Usage,
};
pub use state::{Compression, Corrupt, Phase, Session, read_text};
pub use timeline::{Mark, StepMark, Timeline};
