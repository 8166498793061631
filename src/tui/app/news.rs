//! What the app makes of news: from the agent, from a recording, from the loop.

use std::sync::Arc;

use super::{App, Kind, Wanted};
use crate::agent::{Command, RunMode, Update};
use crate::session::{Author, Change, Envelope, Event, NoteKind, Phase, Timeline};
use crate::tui::effect::Effect;
use crate::tui::overlay::Overlay;
use crate::tui::overlay::force::Force;
use crate::tui::theme::Severity;
use crate::tui::words;

impl App {
    /// Hears an update of the agent.
    pub(crate) fn hear(&mut self, update: Update) {
        match update {
            Update::Recorded(envelope) => self.record(envelope),
            Update::Delta(delta) => self.live.stream(delta, self.now),
            Update::Mode(mode) => self.mode(mode),
            Update::Waiting(what) => {
                self.live.waiting = what.map(|what| super::live::Wait { what, since: self.now });
                if self.live.waiting.is_none() {
                    // What was streamed and not recorded was dropped: an interrupted call leaves no trace.
                    self.live.stream.clear();
                }
            }
            Update::Refused(why) => self.say(Severity::Warning, why),
            Update::Trouble(what) => self.say(Severity::Error, what),
        }
    }

    /// The agent's end of the channel is closed.
    pub(crate) fn lost(&mut self) {
        self.live.gone = true;
        self.live.waiting = None;
        self.continuing = false;
        self.say(Severity::Error, "the agent is gone; what is recorded can still be looked at");
    }

    /// Takes the events so far. A recording that plays starts at its beginning, any other at its end.
    pub(crate) fn take(&mut self, timeline: Timeline) {
        let faults = timeline.faults().len();
        self.place = super::Place::new(timeline);
        if self.playing {
            self.place.start();
        }
        if faults > 0 {
            let text = format!("{faults} of the events cannot follow what came before them; they are left out of the context");
            self.say(Severity::Warning, text);
        }
        self.moved();
    }

    fn mode(&mut self, mode: RunMode) {
        self.live.mode = mode;
        if matches!(mode, RunMode::Ended) {
            self.continuing = false;
        }
        if mode != RunMode::Paused {
            return;
        }
        let between = !self.inside_step();
        if let Some(Wanted::Compress) = self.wanted {
            if between {
                self.wanted = None;
                self.open_force();
            } else {
                self.effect(Effect::Tell(Command::Step));
            }
        } else if self.continuing {
            self.effect(Effect::Tell(Command::StepPhase));
        }
    }

    /// Whether the agent stands within a step, where M is about to change.
    pub(crate) fn inside_step(&self) -> bool {
        matches!(self.place.timeline().tail().phase(), Phase::AwaitPolicy | Phase::Acting { .. })
    }

    /// Opens the dialog of a forced compression.
    pub(super) fn open_force(&mut self) {
        let here = self.context.selected(self.place.shown()).map(|m| {
            let name = format!("{} {}", crate::tui::pane::item::tag(m), crate::tui::pane::item::word(m.kind));
            (m.id, name)
        });
        self.overlay = Some(Overlay::Force(Box::new(Force::new(here))));
    }

    fn record(&mut self, envelope: Arc<Envelope>) {
        if matches!(envelope.event, Event::Acted(_)) {
            self.live.stream.clear();
        }
        let faults = self.place.timeline().faults().len();
        self.place.timeline_mut().push(Arc::clone(&envelope));
        if let Some((_, fault)) = self.place.timeline().faults().get(faults) {
            let text = fault.to_string();
            self.say(Severity::Error, text);
        }
        self.announce(&envelope.event);
        if self.continuing && is_memory(&envelope.event) {
            self.continuing = false;
        }
        if !self.place.is_past() {
            self.moved();
        }
    }

    /// Says what an event means, where it is more than one more row.
    fn announce(&mut self, event: &Event) {
        let undo = self.keymap.hint(crate::tui::command::CommandId::Undo);
        match event {
            Event::Compressed(c) => {
                let (before, after) = (c.tokens_before, c.tokens_after);
                let severity = if after < before { Severity::Good } else { Severity::Warning };
                let undo = if c.by == Author::Human { format!(" · {undo} takes it back") } else { String::new() };
                let cut = c.cut.as_ref().map_or(String::new(), |cut| {
                    let lost = match cut.fell_off.len() {
                        0 => String::new(),
                        n => format!(", {} stored, not in the summary", words::count(n, "index")),
                    };
                    format!(" · σ cut: {} of {} tokens{lost}", cut.kept, cut.of)
                });
                let text = format!(
                    "compressed by {}: {} → {} ({}) · {}{cut}{undo}",
                    words::author(c.by),
                    words::thousands(before),
                    words::thousands(after),
                    words::change(before, after),
                    words::count(c.blocks.len(), "block"),
                );
                self.say(severity, text);
            }
            Event::Read(r) if r.by == Author::Human => {
                self.say(
                    Severity::Good,
                    format!("{} entered the context: +{} · {undo} takes it back", r.index, words::thousands(u64::from(r.tokens))),
                );
            }
            Event::Edited(e) if e.by == Author::Human => {
                let what = match &e.change {
                    Change::Rewritten { .. } => "the message has another text",
                    Change::Removed { .. } => "the message left the context",
                    Change::Added { demands_compression: true, .. } => "the agent is told to compress at its next step",
                    Change::Added { .. } => "a notice to the agent entered the context",
                    Change::Dropped { .. } => "the oldest messages left the context",
                };
                self.say(Severity::Good, format!("{what} · {undo} takes it back"))
            }
            Event::Undone(u) => self.say(
                Severity::Good,
                if u.redo { "done again" } else { "taken back: what was there before stands again, and what came later stays" },
            ),
            Event::Note(n) => {
                self.say(if n.kind == NoteKind::Warning { Severity::Warning } else { Severity::Info }, n.text.clone());
            }
            Event::Ended(e) => {
                let detail = e.detail.as_ref().or(e.answer.as_ref()).filter(|d| !d.is_empty()).map_or(String::new(), |d| format!(": {d}"));
                let (severity, won) = match (e.reason, e.success) {
                    (crate::session::EndReason::Finished, Some(false)) => (Severity::Warning, ", task not done"),
                    (crate::session::EndReason::Finished, Some(true)) => (Severity::Good, ", task done"),
                    (crate::session::EndReason::Finished, None) => (Severity::Good, ""),
                    _ => (Severity::Error, ""),
                };
                self.say(severity, format!("the run ended: {}{won}{detail}", e.reason.name()));
            }
            Event::Unknown(u) => self.say(Severity::Warning, format!("an event that is not understood is kept as it is: {}", u.why)),
            _ => {}
        }
    }

    /// The next event of a recording that plays. The loop calls it at the pace.
    pub(crate) fn tick(&mut self) {
        if self.playing && (!self.place.forward() || !self.place.is_past()) && !self.loading {
            self.playing = false;
        }
        self.moved();
    }

    /// Starts a recording from its beginning, or goes on where it stands.
    pub(super) fn play(&mut self) {
        if !self.place.is_past() {
            self.place.start();
        }
        self.playing = true;
        self.moved();
    }

    /// Whether the recording can go on by itself.
    pub(crate) fn is_recording(&self) -> bool {
        self.kind == Kind::Recording
    }
}

/// What `continue` stops at: compressions, reads, errors, changes by hand, and the end.
pub(super) fn is_memory(event: &Event) -> bool {
    match event {
        Event::Compressed(_) | Event::Read(_) | Event::Malformed(_) | Event::Edited(_) | Event::Undone(_) | Event::Ended(_) => true,
        Event::Observed(o) => o.kind.is_error(),
        _ => false,
    }
}
