//! App: what is known and where its user stands. Keys and news go in, effects come out; no terminal, no clock.
//!
//! What is shown is read off the fold of the events at each frame; the app itself keeps only what the
//! events do not say: the place in time, focus, selection, what is open.

mod acts;
mod keys;
mod live;
mod mouse;
mod news;
mod obey;
mod place;
mod recording;
mod search;

use std::collections::VecDeque;
use std::time::Duration;

use super::effect::Effect;
use super::find::Search;
use super::input::Input;
use super::keys::Keymap;
use super::look::Look;
use super::overlay::Overlay;
use super::pane::context::ContextPane;
use super::pane::detail::DetailPane;
use super::pane::index::IndexPane;
use super::pane::{Pane, Zoom};
use super::theme::Severity;
use crate::agent::RunMode;
use crate::session::{Phase, Session};
use crate::text::tokens::Counter;
pub(crate) use live::{Live, Stream, Streamed};
pub(crate) use mouse::Zones;
pub(crate) use place::Place;
pub(crate) use recording::{Branch, Recording};

/// Most messages to the user that are kept to be read again.
const KEPT_NOTES: usize = 1000;

/// Where the events come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A running agent, which obeys.
    Agent,
    /// A recording, which can only be looked at.
    Recording,
}

/// A message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    /// How much it matters.
    pub(crate) severity: Severity,
    /// The sentence.
    pub(crate) text: String,
    /// Step in which it was said.
    pub(crate) step: u32,
}

/// Something the user wants that must wait until the agent stands between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The dialog of a forced compression.
    Compress,
}

/// The line in which a human plays the policy.
#[derive(Clone, Debug)]
pub(crate) struct HumanLine {
    /// What is typed.
    pub(crate) input: Input,
    /// Whether keys go there.
    pub(crate) focused: bool,
    /// What the last `Tab` offered, and which of it was taken.
    pub(crate) offered: (Vec<String>, usize),
}

/// The state of the screen.
pub(crate) struct App {
    /// All events, and which of them are shown.
    pub(crate) place: Place,
    /// The run as it is now.
    pub(crate) live: Live,
    /// Where the events come from.
    pub(crate) kind: Kind,
    /// The file that is looked at, where it is one.
    pub(crate) recording: Recording,
    /// Events are still being loaded.
    pub(crate) loading: bool,
    /// What is being run, in a few words.
    pub(crate) title: String,
    /// The pane with the focus.
    pub(crate) focus: Pane,
    /// How much room it has.
    pub(crate) zoom: Zoom,
    /// M.
    pub(crate) context: ContextPane,
    /// I beside D.
    pub(crate) index: IndexPane,
    /// One block or message.
    pub(crate) detail: DetailPane,
    /// What lies over the panes.
    pub(crate) overlay: Option<Overlay>,
    /// The last search.
    pub(crate) search: Search,
    /// The newest message, until it is read.
    pub(crate) notice: Option<Notice>,
    /// Messages so far, newest last.
    pub(crate) notes: VecDeque<Notice>,
    /// What waits for the end of the step.
    pub(crate) wanted: Option<Wanted>,
    /// Going on phase by phase to the next event of memory.
    pub(crate) continuing: bool,
    /// A recording plays.
    pub(crate) playing: bool,
    /// Time between two events of a recording that plays, or of a run that is told to keep a pace.
    pub(crate) pace: Duration,
    /// Keys.
    pub(crate) keymap: Keymap,
    /// Theme and glyphs.
    pub(crate) look: Look,
    /// Whether the mouse acts here.
    pub(crate) mouse: bool,
    /// The run's own token counter, for previews.
    pub(crate) counter: Counter,
    /// Time since the program started, as of the newest key or news.
    pub(crate) now: Duration,
    /// Where a human plays the policy.
    pub(crate) human: Option<HumanLine>,
    /// Where things were drawn last, for the mouse and for pages.
    pub(crate) zones: Zones,
    /// When the run was interrupted last.
    interrupted: Option<Duration>,
    effects: Vec<Effect>,
}

impl App {
    /// An app without events.
    pub(crate) fn new(kind: Kind, title: String, keymap: Keymap, look: Look, counter: Counter) -> Self {
        Self {
            place: Place::default(),
            live: Live::default(),
            kind,
            recording: Recording::default(),
            loading: false,
            title,
            focus: Pane::default(),
            zoom: Zoom::default(),
            context: ContextPane::new(),
            index: IndexPane::default(),
            detail: DetailPane::default(),
            overlay: None,
            search: Search::default(),
            notice: None,
            notes: VecDeque::new(),
            wanted: None,
            continuing: false,
            playing: false,
            pace: Duration::from_millis(250),
            keymap,
            look,
            mouse: false,
            counter,
            now: Duration::ZERO,
            human: None,
            zones: Zones::default(),
            interrupted: None,
            effects: Vec::new(),
        }
    }

    /// The fold that is shown.
    pub(crate) fn session(&self) -> &Session {
        self.place.shown()
    }

    /// Whether the run goes on by itself now.
    pub(crate) fn running(&self) -> bool {
        self.continuing || matches!(self.live.mode, RunMode::Running | RunMode::Pausing)
    }

    /// Whether something on the screen moves while nothing happens.
    pub(crate) fn spins(&self) -> bool {
        (self.live.waiting.is_some() && self.running() && !self.asked()) || self.loading
    }

    /// Whether the human is asked for the next answer, and looks at the step in which it is asked.
    pub(crate) fn asked(&self) -> bool {
        let tail = self.place.timeline().tail();
        self.human.is_some() && !self.place.is_past() && self.running() && *tail.phase() == Phase::AwaitPolicy
    }

    /// Whether letters are text now.
    pub(crate) fn typing(&self) -> bool {
        match &self.overlay {
            Some(Overlay::Help(_) | Overlay::Palette(_) | Overlay::Prompt(_)) => true,
            Some(Overlay::Force(force)) => force.typing(),
            Some(_) => false,
            None => self.asked() && self.human.as_ref().is_some_and(|h| h.focused),
        }
    }

    /// Says something to the user.
    pub(crate) fn say(&mut self, severity: Severity, text: impl Into<String>) {
        let notice = Notice { severity, text: text.into(), step: self.place.timeline().tail().t() };
        if self.notes.len() >= KEPT_NOTES {
            self.notes.pop_front();
        }
        // The same sentence again is no news to read twice.
        if self.notes.back() != Some(&notice) {
            self.notes.push_back(notice.clone());
        }
        self.notice = Some(notice);
    }

    /// What is to be done, in order; asked once after each key or news.
    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Settles the panes after another state is shown.
    pub(crate) fn moved(&mut self) {
        let session = self.place.shown();
        self.context.settle(session);
        self.index.settle(session);
        self.detail.settle(session, self.index.selected());
    }
}
