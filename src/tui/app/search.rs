//! Searching, and going from hit to hit.

use super::App;
use crate::tui::find::{self, Hit, Scope};
use crate::tui::pane::Pane;
use crate::tui::theme::Severity;

impl App {
    /// Looks for a query and goes to its first hit; `#12` goes to step 12.
    pub(super) fn find(&mut self, query: &str) {
        if let Some(t) = query.strip_prefix('#').and_then(|n| n.parse().ok()) {
            match self.place.step_at(t) {
                Some(_) => self.moved(),
                None => self.say(Severity::Info, format!("there is no step {t} yet")),
            }
            return;
        }
        let (scope, words) = find::parse(query, self.focus);
        if words.trim().is_empty() {
            self.search.finder = None;
            return;
        }
        self.search.history.retain(|q| q != query);
        self.search.history.push(query.to_owned());
        self.run_search();
        if self.search.hits.is_empty() {
            self.say(Severity::Warning, format!("{words:?} is not in {}", scope.name()));
        } else {
            self.search.at = self.first_hit(scope);
            self.go_to_hit(scope);
        }
    }

    /// Looks again for the newest query.
    fn run_search(&mut self) -> Option<Scope> {
        let query = self.search.history.last()?.clone();
        let (scope, words) = find::parse(&query, self.focus);
        let finder = find::finder(words);
        let detail = self.detail.content().map(|(_, text)| text).unwrap_or_default();
        self.search.hits = find::hits(&finder, scope, self.place.shown(), self.place.timeline(), &detail);
        self.search.finder = Some(finder);
        self.search.of = (self.place.events(), self.place.timeline().events().len());
        Some(scope)
    }

    /// The first hit at or behind what is selected.
    fn first_hit(&self, scope: Scope) -> usize {
        let session = self.place.shown();
        let at = match scope {
            Scope::Context => self.context.selected(session).map(|m| m.id),
            _ => None,
        };
        let behind = |hit: &Hit| matches!((hit, at), (Hit::Message(id), Some(at)) if *id >= at);
        self.search.hits.iter().position(behind).unwrap_or(0)
    }

    /// Goes on to another hit, around the ends.
    pub(super) fn next_hit(&mut self, by: isize) {
        let of = (self.place.events(), self.place.timeline().events().len());
        // Where the state is another one than was searched, hits are another list; of the whole run only the end grows.
        let scope = match self.search.history.last() {
            None => return self.say(Severity::Info, "nothing was searched for yet"),
            Some(query) => find::parse(query, self.focus).0,
        };
        if self.search.finder.is_none() || (of != self.search.of && scope != Scope::Trajectory) {
            self.run_search();
        }
        let n = self.search.hits.len();
        if n == 0 {
            return self.say(Severity::Info, format!("no hit in {}", scope.name()));
        }
        let at = (self.search.at.min(n - 1) as isize + by).rem_euclid(n as isize);
        self.search.at = at.unsigned_abs();
        self.go_to_hit(scope);
    }

    fn go_to_hit(&mut self, scope: Scope) {
        let Some(hit) = self.search.hits.get(self.search.at).cloned() else { return };
        match hit {
            Hit::Message(id) => {
                self.focus = Pane::Context;
                self.context.select(self.place.shown(), id);
            }
            Hit::Index(index) => {
                self.focus = Pane::Index;
                self.index.select(&index);
                self.detail.follow(self.place.shown(), Some(&index));
            }
            Hit::Block(index, version, range) => {
                self.focus = Pane::Detail;
                self.index.select(&index);
                self.detail.show_block(self.place.shown(), &index, version);
                self.detail.show_bytes(range);
            }
            Hit::Text(range) => self.detail.show_bytes(range),
            Hit::Event(n) => {
                self.travel(|p| p.go(n + 1));
                let last = self.place.shown().context().work().last().map(|m| m.id);
                if let Some(id) = last {
                    self.context.select(self.place.shown(), id);
                }
            }
        }
        let n = self.search.hits.len();
        self.say(Severity::Info, format!("hit {} of {n} in {}", self.search.at + 1, scope.name()));
    }
}
