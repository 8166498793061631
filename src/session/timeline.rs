//! Timeline: all events, and the fold after any of them, fast.

use std::sync::Arc;

use super::event::{Author, EndReason, Envelope, Event};
use super::state::{Corrupt, Session};

/// Fewest events between two snapshots.
const SPACING: usize = 256;

/// What happened in a step, for the strip of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A compression by its author, and tokens before and after.
    Compressed(Author, u64, u64),
    /// A read.
    Read(Author),
    /// An error, a miss, or a malformed answer.
    Error,
    /// A change by hand or an undo.
    Human,
    /// The end.
    Ended(EndReason),
}

/// One step on the strip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepMark {
    /// Step t.
    pub step: u32,
    /// Number of events up to and including its status.
    pub begins: usize,
    /// W at its end (so far).
    pub working: u64,
    /// Tokens ever appended, at its end (so far).
    pub full: u64,
    /// What happened in it, in order.
    pub marks: Vec<Mark>,
}

/// All events of a session with snapshots of its fold.
///
/// Snapshots are spaced in proportion to the state's size, so that they cost a constant factor of
/// the events themselves however long the session is.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    events: Vec<Arc<Envelope>>,
    snapshots: Vec<(usize, Session)>,
    tail: Session,
    steps: Vec<StepMark>,
    faults: Vec<(usize, Corrupt)>,
    unknown: usize,
    peak: u64,
}

impl Timeline {
    /// The empty timeline.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an event. One that does not fit is kept and listed in [`Self::faults`].
    pub fn push(&mut self, envelope: Arc<Envelope>) {
        let n = self.events.len();
        if let Err(fault) = self.tail.apply(&envelope) {
            self.faults.push((n, fault));
        }
        self.unknown += usize::from(matches!(envelope.event, Event::Unknown(_)));
        self.mark(&envelope);
        self.events.push(envelope);
        let last = self.snapshots.last().map_or(0, |s| s.0);
        if n + 1 - last >= SPACING.max((self.tail.context().len() + self.tail.archive().len()) / 4) {
            self.snapshots.push((n + 1, self.tail.clone()));
        }
    }

    fn mark(&mut self, envelope: &Envelope) {
        if let Event::Status(_) = envelope.event {
            self.steps.push(StepMark { step: envelope.step, begins: self.events.len() + 1, ..StepMark::default() });
        }
        let (working, full) = (self.tail.context().working(), self.tail.full());
        if self.steps.is_empty() {
            self.steps.push(StepMark::default());
        }
        let Some(step) = self.steps.last_mut() else { return };
        (step.working, step.full) = (working, full);
        self.peak = self.peak.max(working);
        let mark = match &envelope.event {
            Event::Compressed(c) => Mark::Compressed(c.by, c.tokens_before, c.tokens_after),
            Event::Read(r) => Mark::Read(r.by),
            Event::Malformed(_) => Mark::Error,
            Event::Observed(o) if o.kind.is_error() => Mark::Error,
            Event::Edited(_) | Event::Undone(_) => Mark::Human,
            Event::Ended(e) => Mark::Ended(e.reason),
            _ => return,
        };
        step.marks.push(mark);
    }

    /// All events.
    #[must_use]
    pub fn events(&self) -> &[Arc<Envelope>] {
        &self.events
    }
    /// The fold of all events.
    #[must_use]
    pub fn tail(&self) -> &Session {
        &self.tail
    }
    /// One entry a step, the first for what came before step 1.
    #[must_use]
    pub fn steps(&self) -> &[StepMark] {
        &self.steps
    }
    /// The highest W after any event.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.peak
    }
    /// Number of events that are not understood or do not fit: while there are any, what is shown may not be what was.
    #[must_use]
    pub fn oddities(&self) -> usize {
        self.unknown + self.faults.len()
    }
    /// Events that do not fit, with their positions.
    #[must_use]
    pub fn faults(&self) -> &[(usize, Corrupt)] {
        &self.faults
    }

    /// The fold of the first `n` events (all, if there are fewer).
    #[must_use]
    pub fn at(&self, n: usize) -> Session {
        if n >= self.events.len() {
            return self.tail.clone();
        }
        let before = self.snapshots.partition_point(|(at, _)| *at <= n);
        let (from, mut session) = before.checked_sub(1).and_then(|i| self.snapshots.get(i)).cloned().unwrap_or_default();
        for envelope in self.events.get(from..n).unwrap_or(&[]) {
            // Faults are known already.
            let _ = session.apply(envelope);
        }
        session
    }

    /// Number of events up to the end of the n-th entry of [`Self::steps`].
    #[must_use]
    pub fn end_of(&self, entry: usize) -> usize {
        self.steps.get(entry + 1).map_or(self.events.len(), |next| next.begins - 1)
    }

    /// The entry of [`Self::steps`] that holds event number `n` (0-based).
    #[must_use]
    pub fn entry_of(&self, n: usize) -> usize {
        self.steps.partition_point(|s| s.begins <= n + 1).saturating_sub(1)
    }
}
