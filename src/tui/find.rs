//! Search: what a query means, and where it hits.

use std::ops::Range;

use super::pane::Pane;
use crate::memory::{Index, MessageId};
use crate::session::{Event, Session, Timeline};
use crate::text::search::{Case, Finder};

/// Most hits that are kept.
const MOST: usize = 100_000;

/// Where a query looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// `c:` the messages of the M that is shown.
    Context,
    /// `i:` indices and their descriptions.
    Index,
    /// `a:` the contents of every archived block.
    Archive,
    /// `t:` every event of the session.
    Trajectory,
    /// The text of the detail pane.
    Detail,
}

impl Scope {
    /// Its name in sentences.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Context => "the context",
            Self::Index => "the index map",
            Self::Archive => "the archive",
            Self::Trajectory => "the whole run",
            Self::Detail => "this text",
        }
    }
}

/// A place where the query hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    /// A message of M.
    Message(MessageId),
    /// A row of the index map.
    Index(Index),
    /// Bytes of a block.
    Block(Index, u32, Range<usize>),
    /// An event, by its position.
    Event(usize),
    /// Bytes of the text in the detail pane.
    Text(Range<usize>),
}

/// The scope and the words of a query; without a prefix the pane in focus decides.
pub(crate) fn parse(query: &str, focus: Pane) -> (Scope, &str) {
    let scopes = [("c:", Scope::Context), ("i:", Scope::Index), ("a:", Scope::Archive), ("t:", Scope::Trajectory)];
    for (prefix, scope) in scopes {
        if let Some(rest) = query.strip_prefix(prefix) {
            return (scope, rest.trim_start());
        }
    }
    let scope = match focus {
        Pane::Context => Scope::Context,
        Pane::Index => Scope::Index,
        Pane::Detail => Scope::Detail,
    };
    (scope, query)
}

/// The last search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    /// Queries so far, newest last.
    pub(crate) history: Vec<String>,
    /// The words that are marked on the screen.
    pub(crate) finder: Option<Finder>,
    /// Where they hit.
    pub(crate) hits: Vec<Hit>,
    /// Which hit is shown.
    pub(crate) at: usize,
    /// State of the session for which `hits` hold: events shown, and events in all.
    pub(crate) of: (usize, usize),
}

/// All hits of a query in order.
pub(crate) fn hits(finder: &Finder, scope: Scope, session: &Session, timeline: &Timeline, detail: &str) -> Vec<Hit> {
    let has = |text: &str| finder.find(text, 0).is_some();
    match scope {
        Scope::Context => session.context().messages().filter(|m| has(&m.text.load())).map(|m| Hit::Message(m.id)).take(MOST).collect(),
        Scope::Index => {
            let listed = session.index_map().0.iter().filter(|(i, d)| has(i.as_str()) || has(d)).map(|(i, _)| i);
            let stored = session.archive().all().map(|(i, _)| i).filter(|i| !session.reachable(i) && has(i.as_str()));
            listed.chain(stored).map(|i| Hit::Index(i.clone())).take(MOST).collect()
        }
        Scope::Archive => session
            .archive()
            .all()
            .flat_map(|(_, versions)| versions)
            .flat_map(|v| finder.find_all(&v.block.content).map(|at| Hit::Block(v.block.index.clone(), v.block.version, at)))
            .take(MOST)
            .collect(),
        Scope::Trajectory => {
            let events = timeline.events().iter().enumerate();
            events.filter(|(_, e)| in_event(&e.event, &has)).map(|(n, _)| Hit::Event(n)).take(MOST).collect()
        }
        Scope::Detail => finder.find_all(detail).map(Hit::Text).take(MOST).collect(),
    }
}

fn in_event(event: &Event, has: &impl Fn(&str) -> bool) -> bool {
    let maybe = |text: &Option<crate::text::Text>| text.as_ref().is_some_and(|t| has(&t.load()));
    match event {
        Event::Started(s) => has(&s.system) || has(&s.task),
        Event::Status(s) => has(&s.text),
        Event::Acted(a) => maybe(&a.thinking) || maybe(&a.text) || a.calls.iter().any(|c| has(&c.name) || has(&c.arguments.load())),
        Event::Observed(o) => has(&o.text.load()),
        Event::Compressed(c) => has(&c.summary) || c.blocks.iter().any(|b| has(b.index.as_str())),
        Event::Read(r) => has(r.index.as_str()),
        Event::Malformed(m) => has(&m.text) || has(&m.reason),
        Event::Edited(_) | Event::Undone(_) => false,
        Event::Note(n) => has(&n.text),
        Event::Ended(e) => e.answer.as_deref().is_some_and(has) || e.detail.as_deref().is_some_and(has),
        Event::Unknown(u) => has(&u.raw.load()),
    }
}

/// The case rule of every search here.
pub(crate) fn finder(words: &str) -> Finder {
    Finder::new(words, Case::Smart)
}
