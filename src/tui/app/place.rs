//! Where in the session the view stands: at its end, or in its past.

use std::sync::Arc;

use crate::session::{Envelope, Session, Timeline};

/// All events, and the fold that is shown of them.
#[derive(Debug, Default)]
pub(crate) struct Place {
    timeline: Timeline,
    /// Number of events shown and their fold; `None` at the end.
    past: Option<(usize, Box<Session>)>,
    mark: Option<usize>,
}

impl Place {
    /// At the end of these events.
    pub(crate) fn new(timeline: Timeline) -> Self {
        Self { timeline, ..Self::default() }
    }
    /// All events.
    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }
    /// All events, to add to. A view of the past stays where it is.
    pub(crate) fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.timeline
    }
    /// Puts other events in their place, mostly the same with more of them: a view of the past stays where it is, or as
    /// near to it as there are events.
    pub(crate) fn replace(&mut self, timeline: Timeline) {
        let old = std::mem::replace(&mut self.timeline, timeline);
        let all = self.timeline.events();
        self.past = self.past.take().filter(|(n, _)| *n < all.len()).map(|(n, shown)| {
            let last = |list: &[Arc<Envelope>]| n.checked_sub(1).and_then(|n| list.get(n).cloned());
            let same = last(old.events()).zip(last(all)).is_some_and(|(a, b)| Arc::ptr_eq(&a, &b));
            (n, if same { shown } else { Box::new(self.timeline.at(n)) })
        });
    }
    /// The fold that is shown.
    pub(crate) fn shown(&self) -> &Session {
        self.past.as_ref().map_or_else(|| self.timeline.tail(), |(_, s)| s)
    }
    /// Number of events that are shown.
    pub(crate) fn events(&self) -> usize {
        self.past.as_ref().map_or(self.timeline.events().len(), |(n, _)| *n)
    }
    /// Whether the view stands in the past.
    pub(crate) fn is_past(&self) -> bool {
        self.past.is_some()
    }
    /// The entry of [`Timeline::steps`] that is shown.
    pub(crate) fn entry(&self) -> usize {
        self.timeline.entry_of(self.events().saturating_sub(1))
    }

    /// Shows the first `n` events. True when that is another view than before.
    pub(crate) fn go(&mut self, n: usize) -> bool {
        let n = n.min(self.timeline.events().len());
        if n == self.events() {
            return false;
        }
        self.past = (n < self.timeline.events().len()).then(|| (n, Box::new(self.timeline.at(n))));
        true
    }
    /// Shows the newest state.
    pub(crate) fn end(&mut self) -> bool {
        self.past.take().is_some()
    }
    /// Shows the state before step 1.
    pub(crate) fn start(&mut self) -> bool {
        self.go(self.timeline.end_of(0))
    }
    /// The end of another step, `by` entries away.
    pub(crate) fn step(&mut self, by: isize) -> bool {
        let entry = self.entry();
        let inside = self.events() < self.timeline.end_of(entry);
        let to = match by {
            // The end of a step that is shown in part is one step forward.
            1.. if inside => entry.saturating_add_signed(by - 1),
            _ => entry.saturating_add_signed(by),
        };
        self.entry_at(to)
    }
    /// The end of this entry of the strip.
    pub(crate) fn entry_at(&mut self, entry: usize) -> bool {
        let last = self.timeline.steps().len().saturating_sub(1);
        self.go(self.timeline.end_of(entry.min(last)))
    }
    /// The end of step `t`, if there is one.
    pub(crate) fn step_at(&mut self, t: u32) -> Option<bool> {
        let entry = self.timeline.steps().iter().position(|s| s.step == t)?;
        Some(self.entry_at(entry))
    }
    /// Right behind the next (or previous) compression; `None` when there is none.
    pub(crate) fn compression(&mut self, forward: bool) -> Option<bool> {
        let at = self.events();
        let ends = self.timeline.tail().compressions().iter().filter_map(|c| usize::try_from(c.seq + 1).ok());
        let to = if forward { ends.filter(|n| *n > at).min() } else { ends.filter(|n| *n < at).max() }?;
        Some(self.go(to))
    }
    /// One event on. False at the end.
    pub(crate) fn forward(&mut self) -> bool {
        self.is_past() && self.go(self.events() + 1)
    }
    /// Remembers this place.
    pub(crate) fn set_mark(&mut self) {
        self.mark = Some(self.events());
    }
    /// Goes to the remembered place; `None` when there is none.
    pub(crate) fn go_to_mark(&mut self) -> Option<bool> {
        let to = self.mark?;
        Some(self.go(to))
    }
}
