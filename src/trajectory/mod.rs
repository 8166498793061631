//! Recordings of other agents: files of many formats, read into the same events.
//!
//! [`open()`] finds the format by what is in the file ([`formats`]), takes it apart into records ([`Records`]) and has
//! the format's importer write runs ([`Runs`], [`Pen`]). One importer a file; each is a pure function from records to
//! events, and what it has no place for is kept as [`crate::session::Unknown`].

mod archive;
mod atif;
mod claude;
mod claude_chain;
mod codex;
mod folder;
mod formats;
mod gathered;
mod head;
mod import;
mod importer;
mod inline;
mod inspect;
pub mod json;
mod memory;
mod messages;
mod mini_swe;
mod open;
mod openai;
mod openhands;
mod piece;
mod react;
mod records;
mod run;
mod runs;
mod segments;
mod sharegpt;
mod swe;
mod swe_agent;
mod time;
mod tool;
mod watch;

pub use folder::folder;
pub use formats::{FORMATS, Format, candidates, named};
pub use head::Head;
pub use import::{Import, import};
pub use importer::Importer;
pub use open::{OpenError, Opened, open, opened};
pub use piece::{Piece, Words};
pub use records::{Layout, Place, Record, Records};
pub use run::{Answer, Called, Pen, Relation, Run, Span};
pub use runs::{RunId, Runs, find_run};
pub use watch::{Follow, Loading, await_file};
