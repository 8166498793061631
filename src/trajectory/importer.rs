//! Importer: what reads one format.

use super::piece::Piece;
use super::runs::Runs;

/// Reads the records of one format, in the order of the file, into runs. Pure: what it gets is all it knows.
pub trait Importer: Send {
    /// One record.
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs);
    /// Nothing more is there for now: what was held back because more of it might come is written.
    fn pause(&mut self, _runs: &mut Runs) {}
    /// Nothing more comes.
    fn finish(&mut self, _runs: &mut Runs) {}
}
