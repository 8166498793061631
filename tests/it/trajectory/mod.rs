//! Recordings of other agents: every format, its samples, and what breaks readers.

mod claude;
mod codex;
mod samples;

use std::path::Path;

use memex::session::{Event, ObservedKind};
use memex::text::tokens::{Counter, TokenizerChoice};
use memex::trajectory::{Layout, Run, import, named, open};

/// What is in a run, as another program can count it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) steps: u32,
    pub(crate) thoughts: usize,
    pub(crate) calls: usize,
    /// Results of calls, errors among them.
    pub(crate) results: usize,
    /// Turns of the user, u among them.
    pub(crate) turns: usize,
    pub(crate) compressions: usize,
    pub(crate) unmapped: usize,
}

pub(crate) fn tally(run: &Run) -> Tally {
    let mut tally = Tally { steps: run.steps(), ..Tally::default() };
    assert!(run.timeline().faults().is_empty(), "{:?}", run.timeline().faults());
    for envelope in run.timeline().events() {
        match &envelope.event {
            Event::Started(s) => tally.turns += usize::from(!s.task.is_empty()),
            Event::Acted(a) => {
                tally.thoughts += usize::from(a.thinking.is_some());
                tally.calls += a.calls.len();
            }
            Event::Observed(o) => match o.kind {
                ObservedKind::User => tally.turns += 1,
                ObservedKind::Tool | ObservedKind::Error => tally.results += 1,
                _ => {}
            },
            Event::Compressed(_) => tally.compressions += 1,
            Event::Unknown(_) => tally.unmapped += 1,
            _ => {}
        }
    }
    tally
}

pub(crate) fn counter() -> Counter {
    TokenizerChoice::preferred().load().unwrap()
}

/// The runs of a file, and the format it was found to be of.
pub(crate) fn load(path: &Path) -> (Vec<Run>, &'static str) {
    let opened = open(path, None).unwrap();
    let format = opened.format();
    (opened.load(&counter()).unwrap().runs, format)
}

/// The runs of lines of a format.
pub(crate) fn lines(format: &str, lines: &[serde_json::Value]) -> Vec<Run> {
    let text: String = lines.iter().map(|l| format!("{l}\n")).collect();
    import(text.as_bytes(), named(format).unwrap(), Layout::Lines, counter())
}

/// The texts of M at the end of a run.
pub(crate) fn context(run: &Run) -> Vec<String> {
    run.timeline().tail().context().messages().map(|m| m.text.load().into_owned()).collect()
}
