//! Runs: all trajectories of one file.

use crate::session::{Event, Unknown};
use crate::text::tokens::Counter;

use super::piece::Words;
use super::run::{Pen, Relation, Run, Span};

/// Position of a run among those of its file.
pub type RunId = usize;

/// The run that was asked for by its number, from 1, or its name.
#[must_use]
pub fn find_run(runs: &[Run], wanted: &str) -> Option<RunId> {
    let number = wanted.parse().ok().and_then(|n: usize| n.checked_sub(1)).filter(|n| *n < runs.len());
    number.or_else(|| runs.iter().position(|r| r.name == wanted))
}

/// All trajectories of one file, in the order in which they begin.
pub struct Runs {
    list: Vec<Run>,
    counter: Counter,
    format: &'static str,
    span: Span,
    /// Unreadable records from before the first run.
    waiting: Vec<(Span, Unknown)>,
}

impl Runs {
    /// None yet.
    #[must_use]
    pub fn new(format: &'static str, counter: Counter) -> Self {
        Self { list: Vec::new(), counter, format, span: Span::default(), waiting: Vec::new() }
    }

    /// All of them.
    #[must_use]
    pub fn list(&self) -> &[Run] {
        &self.list
    }

    /// All of them, to be kept.
    #[must_use]
    pub(super) fn into_list(self) -> Vec<Run> {
        self.list.into_iter().map(Run::settled).collect()
    }

    /// The format of the file.
    #[must_use]
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// A new run.
    pub fn add(&mut self, name: impl Into<String>, relation: Relation) -> RunId {
        let id = self.list.len();
        self.list.push(Run::new(name.into(), relation, self.format));
        let span = self.span;
        for (at, unknown) in std::mem::take(&mut self.waiting) {
            self.span = at;
            self.run(id).unknown(unknown);
        }
        self.span = span;
        id
    }

    /// Gives a run another name.
    pub(super) fn rename(&mut self, id: RunId, name: &str) {
        if let Some(run) = self.list.get_mut(id) {
            name.clone_into(&mut run.name);
        }
    }

    /// The pen of a run; of one that is not there, that of the newest.
    pub fn run(&mut self, id: RunId) -> Pen<'_> {
        if self.list.is_empty() {
            self.add("main", Relation::Main);
        }
        let id = id.min(self.list.len() - 1);
        Pen { run: &mut self.list[id], counter: &self.counter, span: self.span }
    }

    /// The pen of the first run, which is made at need.
    pub fn main(&mut self) -> Pen<'_> {
        self.run(0)
    }

    /// The run goes back to its first `events` events; what it was until now becomes a branch beside it.
    ///
    /// So the newest chain is always the run itself.
    pub fn rewind(&mut self, id: RunId, events: usize) -> RunId {
        let Some(run) = self.list.get_mut(id) else { return self.add("", Relation::Main) };
        let cut = run.cut(events);
        let mut left = std::mem::replace(run, cut);
        let n = self.list.len();
        // What branched off behind the cut now hangs on what was left.
        for other in &mut self.list {
            if let Relation::Branch { of, events: shared } = &mut other.relation
                && *of == id
                && *shared > events
            {
                *of = n;
            }
        }
        left.relation = Relation::Branch { of: id, events };
        left.name = format!("{} (left at step {})", left.name, self.list.get(id).map_or(0, Run::steps));
        self.list.push(left);
        n
    }

    /// The run goes back to its first `events` events, and what followed is forgotten, because it will be written again,
    /// with more. What stands outside of M stays.
    pub(super) fn take_back(&mut self, id: RunId, events: usize) {
        let Some(run) = self.list.get_mut(id) else { return };
        let cut = run.cut(events);
        let long = std::mem::replace(run, cut);
        self.keep(id, &long, events);
    }

    /// What was read of a run is forgotten: it is read again from elsewhere. What stands outside of M stays.
    pub(super) fn again(&mut self, id: RunId) {
        let Some(run) = self.list.get_mut(id) else {
            self.run(id);
            return;
        };
        let fresh = Run::new(run.name.clone(), run.relation.clone(), self.format);
        let old = std::mem::replace(run, fresh);
        self.keep(id, &old, 0);
    }

    /// Events of `old` from `events` on that stand outside of M.
    fn keep(&mut self, id: RunId, old: &Run, events: usize) {
        for (envelope, span) in old.after(events) {
            if let Event::Unknown(_) | Event::Note(_) = &envelope.event {
                let mut pen = self.run(id);
                pen.span = span;
                pen.time(Some(envelope.at));
                pen.push(envelope.event.clone());
            }
        }
    }

    /// Where the record at hand stands.
    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// What follows is made of the record at `at`.
    pub(super) fn reading(&mut self, at: u64, len: u64) {
        self.span = Span { at, len };
    }

    /// A record that cannot be read: kept in the newest run.
    pub(super) fn unreadable(&mut self, raw: Words<'_>, why: String) {
        let unknown = Unknown { kind: "unreadable".into(), raw: raw.text(), why };
        if self.list.is_empty() {
            self.waiting.push((self.span, unknown));
        } else {
            self.run(usize::MAX).unknown(unknown);
        }
    }

    /// Ends every run.
    pub(super) fn close(&mut self) {
        if !self.waiting.is_empty() {
            self.main();
        }
        self.span = Span::default();
        for id in 0..self.list.len() {
            self.run(id).close();
        }
    }
}
