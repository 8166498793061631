//! The recording on the screen: the runs of its file, and what is known of how far it is read.

use super::{App, Place};
use crate::session::Event;
use crate::trajectory::{Loading, Relation, Run, find_run};
use crate::tui::theme::Severity;
use crate::tui::words;

/// A file that is looked at.
#[derive(Default)]
pub(crate) struct Recording {
    /// Its runs.
    pub(crate) runs: Vec<Run>,
    /// The one that is shown.
    pub(crate) current: usize,
    /// Bytes read, and bytes of the file.
    pub(crate) progress: (u64, u64),
    /// It is read to its end, and waited for more.
    pub(crate) following: bool,
    /// The run to be shown first, by number or name, until it is there.
    pub(crate) wanted: Option<String>,
    /// Sentences about the file that were said.
    said: usize,
    /// Where the view stood in runs that were left: number of events, where it was not the end.
    places: Vec<Option<usize>>,
}

/// A run in the tree of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    /// Position of the run.
    pub(crate) run: usize,
    /// How many runs stand above it.
    pub(crate) depth: usize,
}

impl Recording {
    /// The runs as a tree: each under the one that it left or was called by.
    pub(crate) fn tree(&self) -> Vec<Branch> {
        let parent = |run: &Run| match run.relation {
            Relation::Main => None,
            Relation::Branch { of, .. } => Some(of),
            Relation::SubAgent { of } => of,
        };
        let mut tree = Vec::with_capacity(self.runs.len());
        let mut todo: Vec<Branch> = Vec::new();
        let under = |above: Option<usize>, depth: usize| {
            let own = move |(n, run): (usize, &Run)| (parent(run) == above && above != Some(n)).then_some(Branch { run: n, depth });
            self.runs.iter().enumerate().rev().filter_map(own).collect::<Vec<_>>()
        };
        todo.extend(under(None, 0));
        while let Some(branch) = todo.pop() {
            todo.extend(under(Some(branch.run), branch.depth + 1));
            tree.push(branch);
        }
        // A file may claim that two runs hang on each other.
        for run in 0..self.runs.len() {
            if !tree.iter().any(|b| b.run == run) {
                tree.push(Branch { run, depth: 0 });
            }
        }
        tree
    }
}

impl App {
    /// Takes what is read of the recording so far; `last` when nothing more comes.
    pub(crate) fn feed(&mut self, loading: Loading, last: bool) {
        let first = self.recording.runs.is_empty();
        self.recording.progress = (loading.read, loading.size);
        self.recording.following = loading.whole && !last;
        let was_loading = std::mem::replace(&mut self.loading, !loading.whole);
        self.recording.runs = loading.runs;
        self.recording.current = self.recording.current.min(self.recording.runs.len().saturating_sub(1));
        let found = self.recording.wanted.as_deref().and_then(|wanted| find_run(&self.recording.runs, wanted));
        if let Some(run) = found {
            self.recording.current = run;
            self.recording.wanted = None;
        }
        let timeline = self.recording.runs.get(self.recording.current).map(|r| r.timeline().clone()).unwrap_or_default();
        if first || found.is_some() {
            self.take(timeline);
        } else {
            self.place.replace(timeline);
            self.moved();
        }
        for note in loading.notes.iter().skip(self.recording.said) {
            self.say(Severity::Warning, note.clone());
        }
        self.recording.said = loading.notes.len();
        if was_loading && loading.whole {
            if let Some(wanted) = self.recording.wanted.take() {
                self.say(Severity::Warning, format!("there is no run {wanted} in the file"));
            }
            self.describe_recording();
        }
    }

    /// What a reader should know of the file at its first sight.
    fn describe_recording(&mut self) {
        let runs = &self.recording.runs;
        let unknown: usize =
            runs.iter().map(|r| r.timeline().events().iter().filter(|e| matches!(e.event, Event::Unknown(_))).count()).sum();
        let unanswered: usize = runs.iter().map(Run::unanswered).sum();
        let strays: usize = runs.iter().map(Run::strays).sum();
        let foreign = runs.first().and_then(|r| r.timeline().tail().started()).and_then(|s| s.origin.as_ref());
        let Some(origin) = foreign else { return };
        let mut parts = vec![format!("read as {}", origin.format)];
        if runs.len() > 1 {
            let key = self.keymap.hint(crate::tui::command::CommandId::Runs);
            parts.push(format!("{} in the file ({key} lists them)", words::count(runs.len(), "run")));
        }
        for (n, what, lacks) in
            [(unknown, "record", "a place in the context"), (unanswered, "call", "a result"), (strays, "result", "its call before it")]
        {
            if n > 0 {
                parts.push(format!("{} without {lacks}", words::count(n, what)));
            }
        }
        self.say(Severity::Info, parts.join(" · "));
    }

    /// Another run of the file.
    pub(crate) fn switch_run(&mut self, to: usize) {
        if to == self.recording.current {
            return;
        }
        let Some(timeline) = self.recording.runs.get(to).map(|r| r.timeline().clone()) else { return };
        let from = self.recording.current;
        let here = self.place.is_past().then(|| self.place.events());
        self.recording.places.resize(self.recording.runs.len().max(from + 1), None);
        self.recording.places[from] = here;
        self.recording.current = to;
        self.place = Place::new(timeline);
        if let Some(events) = self.recording.places.get(to).copied().flatten() {
            self.place.go(events);
        }
        self.search.finder = None;
        self.moved();
        let name = crate::text::sanitize::name(&self.recording.runs[to].name).into_owned();
        self.say(Severity::Info, format!("run {} of {}: {name}", to + 1, self.recording.runs.len()));
    }

    /// The run that stands `by` rows away in the tree.
    pub(crate) fn step_run(&mut self, by: isize) {
        let tree = self.recording.tree();
        if tree.len() < 2 {
            self.say(crate::tui::theme::Severity::Info, "there is only this run");
            return;
        }
        let here = tree.iter().position(|b| b.run == self.recording.current).unwrap_or(0);
        if let Some(to) = here.checked_add_signed(by).and_then(|n| tree.get(n)) {
            self.switch_run(to.run);
        }
    }
}
