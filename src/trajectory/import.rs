//! The driver: takes records from a reader, one at a time, and has the importer make events of them.

use std::io::{self, Read};
use std::sync::Arc;

use super::formats::Format;
use super::importer::Importer;
use super::json::Node;
use super::piece::Piece;
use super::records::{Layout, Place, Records};
use super::run::Run;
use super::runs::Runs;
use crate::text::TextSource;
use crate::text::tokens::Counter;

/// An import under way.
pub struct Import {
    importer: Box<dyn Importer>,
    runs: Runs,
    text: bool,
}

impl Import {
    /// Nothing read yet.
    #[must_use]
    pub fn new(format: &'static Format, counter: Counter) -> Self {
        Self { importer: (format.importer)(), runs: Runs::new(format.name, counter), text: format.text }
    }

    /// The runs so far.
    #[must_use]
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// Reads one record; `false` when there is none (yet, unless `all`).
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn step<R: Read>(
        &mut self,
        records: &mut Records<R>,
        all: bool,
        entry: &str,
        source: Option<&Arc<dyn TextSource>>,
    ) -> io::Result<bool> {
        let Some(record) = records.next(all)? else { return Ok(false) };
        self.runs.reading(record.place.at, record.bytes.len() as u64);
        let plain = Piece::new(record.place.clone(), entry, Node::plain(record.bytes), record.bytes, source);
        if self.text {
            self.importer.record(&plain, &mut self.runs);
            return Ok(true);
        }
        match Node::parse(record.bytes) {
            // What only lacks its line end is whole.
            Ok(node) => self.importer.record(&plain.with(node), &mut self.runs),
            Err(broken) => {
                let why = record.trouble.map_or_else(|| broken.to_string(), |trouble| format!("{trouble}: {broken}"));
                self.runs.unreadable(plain.whole(), format!("line {}: {why}", record.place.line));
            }
        }
        Ok(true)
    }

    /// Reads a file that is one document, of an archive. `false` when it is none.
    pub fn document(&mut self, bytes: &[u8], entry: &str) -> bool {
        let Ok(node) = Node::parse(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)) else { return false };
        self.runs.reading(0, bytes.len() as u64);
        self.importer.record(&Piece::new(Place::default(), entry, node, bytes, None), &mut self.runs);
        true
    }

    /// The runs, at the end.
    #[must_use]
    pub fn into_runs(self) -> Vec<Run> {
        self.runs.into_list()
    }

    /// Nothing more is there for now.
    pub fn pause(&mut self) {
        self.importer.pause(&mut self.runs);
    }

    /// Nothing more comes.
    pub fn finish(&mut self) {
        self.importer.finish(&mut self.runs);
        self.runs.close();
    }
}

/// Reads all of some bytes: a pure function from bytes to runs.
#[must_use]
pub fn import(bytes: &[u8], format: &'static Format, layout: Layout, counter: Counter) -> Vec<Run> {
    let mut import = Import::new(format, counter);
    let mut records = Records::new(bytes, layout);
    // Reading from memory has no failure.
    while let Ok(true) = import.step(&mut records, true, "", None) {}
    import.finish();
    import.into_runs()
}
