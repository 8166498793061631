//! What a user can do to memory, and with what is on the screen: each is asked, previewed or refused with a sentence.

use std::sync::Arc;

use super::{App, Kind, Wanted};
use crate::agent::{Command, HumanAct, RunMode, may_change, plan_read};
use crate::session::{Author, EndReason, Phase};
use crate::tui::effect::{Effect, Purpose};
use crate::tui::overlay::Overlay;
use crate::tui::overlay::confirm::Confirm;
use crate::tui::overlay::diff::Diff;
use crate::tui::overlay::themes::Themes;
use crate::tui::pane::Pane;
use crate::tui::theme::Severity;
use crate::tui::words;

impl App {
    /// Whether memory can be changed from here; says why where it cannot.
    fn can_act(&mut self) -> bool {
        let why = if self.kind == Kind::Recording {
            "this is a recording: nothing in it changes. `memex resume` goes on with a session"
        } else if self.place.is_past() {
            "you are looking at the past, which does not change: go back to the live step first"
        } else if self.live.gone {
            "the agent is gone; `memex resume` goes on with this session"
        } else if let Phase::Ended(end) = self.session().phase() {
            match end.reason {
                EndReason::Finished | EndReason::ContextOverflow => "the run has ended: nothing in it changes any more",
                EndReason::MaxSteps => "the run has ended; `memex resume ID --max-steps N` goes on with it",
                _ => "the run has ended; step or run it to go on first",
            }
        } else {
            return true;
        };
        self.say(Severity::Warning, why);
        false
    }

    fn act(&mut self, act: HumanAct) {
        self.effect(Effect::Tell(Command::Act(act)));
    }

    /// `C`. Between two steps at once; else the step is finished first, so that what is previewed is what is applied.
    pub(super) fn ask_compress(&mut self) {
        if !self.can_act() {
            return;
        }
        if !self.session().started().is_some_and(|s| s.config.mode.compresses()) {
            self.say(Severity::Warning, "this run's memory mode has no CompressExperience");
            return;
        }
        if !self.running() && !self.inside_step() {
            self.open_force();
            return;
        }
        self.continuing = false;
        self.wanted = Some(Wanted::Compress);
        // A pause ends the phase under way; the step is finished from there.
        let command = if self.live.mode == RunMode::Paused { Command::Step } else { Command::Pause };
        self.effect(Effect::Tell(command));
        self.say(Severity::Info, format!("step {} is finished first, then the compression is asked about", self.session().t()));
    }

    /// `r`: what it would cost, before it is done.
    pub(super) fn ask_read(&mut self) {
        if !self.can_act() {
            return;
        }
        let session = self.place.shown();
        let selected = match self.focus {
            Pane::Context => self.context.selected(session).and_then(|m| match &m.link {
                crate::memory::Link::Retrieved { index, .. } => Some(index.clone()),
                _ => None,
            }),
            Pane::Index => None,
            Pane::Detail => self.detail.index().cloned(),
        };
        let Some(index) = selected.or_else(|| self.index.selected().cloned()) else {
            self.say(Severity::Info, "nothing is archived yet, so there is nothing to read");
            return;
        };
        let Some(version) = session.archive().read(&index) else {
            self.say(Severity::Warning, format!("there is no block {index} in D: nothing to read"));
            return;
        };
        match plan_read(session, version, 1, Author::Human, None, &*self.counter) {
            Err(why) => self.say(Severity::Warning, why),
            Ok(read) => {
                let working = session.context().working();
                let after = working + u64::from(read.tokens);
                let threshold = session.started().map_or(0, |s| s.config.threshold);
                let mut lines = vec![
                    format!(
                        "{} v{} · {} · {} tokens",
                        index,
                        read.version,
                        version.block.kind.name(),
                        words::thousands(u64::from(version.tokens))
                    ),
                    format!("enters the context: +{} tokens", words::thousands(u64::from(read.tokens))),
                    format!("working {} → {} of τ {}", words::thousands(working), words::thousands(after), words::thousands(threshold)),
                ];
                if after > threshold {
                    lines.push(format!("! over τ by {}: the agent is warned, and penalised", words::thousands(after - threshold)));
                }
                if u64::from(read.tokens) < u64::from(version.tokens) {
                    lines.push("the block is too large for the window: its head and tail enter".into());
                }
                if self.inside_step() {
                    lines.push("it waits for the end of this step".into());
                }
                let effects = vec![Effect::Tell(Command::Act(HumanAct::Read { index, part: 1 }))];
                self.overlay = Some(Overlay::Confirm(Confirm { title: "ReadExperience".into(), lines, effects }));
            }
        }
    }

    pub(super) fn undo(&mut self, redo: bool) {
        if !self.can_act() {
            return;
        }
        let session = self.session();
        match (redo, session.undo_target(), session.redo_target()) {
            (false, None, _) => self.say(Severity::Info, "there is nothing to undo"),
            (true, _, None) => self.say(Severity::Info, "there is nothing to do again"),
            (false, ..) => self.act(HumanAct::Undo),
            (true, ..) => self.act(HumanAct::Redo),
        }
    }

    pub(super) fn edit_message(&mut self) {
        if !self.can_act() {
            return;
        }
        let Some(message) = self.context.selected(self.place.shown()).cloned() else { return };
        // What cannot be changed is refused before anyone has written anything.
        if let Err(why) = may_change(self.session(), message.id) {
            self.say(Severity::Warning, why);
            return;
        }
        let effect = Effect::Edit { text: message.text.to_string(), ending: "txt", purpose: Purpose::Rewrite(message.id) };
        self.effect(effect);
    }

    pub(super) fn exclude_message(&mut self) {
        if !self.can_act() {
            return;
        }
        if let Some(message) = self.context.selected(self.place.shown()).map(|m| m.id) {
            self.act(HumanAct::Exclude { message });
        }
    }

    /// What came back from the editor; `None` when it was left without a change or failed.
    pub(crate) fn edited(&mut self, purpose: Purpose, text: Option<String>) {
        match (purpose, text) {
            (Purpose::Compress(_), Some(text)) => {
                if let Some(Overlay::Force(force)) = &mut self.overlay {
                    force.edited(text, self.place.shown(), &*self.counter);
                }
            }
            (Purpose::Rewrite(message), Some(text)) => self.act(HumanAct::Rewrite { message, text }),
            (_, None) => self.say(Severity::Info, "nothing was changed"),
        }
    }

    /// `d`: around the newest compression that is shown; again, against the step before.
    pub(super) fn diff(&mut self) {
        let around = matches!(&self.overlay, Some(Overlay::Diff(d)) if d.title.starts_with("compression"));
        let session = self.place.shown();
        let compression = session.compressions().last().filter(|_| !around);
        let diff = match compression {
            Some(compression) => Diff::compression(compression),
            None => {
                let entry = self.place.entry();
                let Some(previous) = entry.checked_sub(1) else {
                    self.say(Severity::Info, "there is no step before this one");
                    return;
                };
                let before = self.place.timeline().at(self.place.timeline().end_of(previous));
                Diff::between(format!("t {} against t {}", before.t(), session.t()), &before, session)
            }
        };
        self.overlay = Some(Overlay::Diff(Box::new(diff)));
    }

    pub(super) fn open_themes(&mut self) {
        let names = self.look.names();
        let selected = names.iter().position(|n| n == self.look.theme.name()).unwrap_or(0);
        self.overlay = Some(Overlay::Themes(Themes { names, selected, before: selected }));
    }

    /// Shows the theme that is chosen in the picker.
    pub(super) fn theme_shown(&mut self) {
        let Some(Overlay::Themes(themes)) = &self.overlay else { return };
        let Some(name) = themes.names.get(themes.selected).filter(|n| *n != self.look.theme.name()).cloned() else { return };
        let warnings = self.look.load(&name);
        for warning in warnings {
            self.say(Severity::Warning, warning);
        }
    }

    /// The text under the user's eyes, and a name for it.
    fn selection(&self, block: bool) -> Option<(String, Arc<str>)> {
        let session = self.place.shown();
        let of_index = || {
            let index = self.index.selected()?;
            let version = session.archive().versions(index).last()?;
            Some((index.to_string(), Arc::clone(&version.block.content)))
        };
        match self.focus {
            Pane::Context if !block => {
                let message = self.context.selected(session)?;
                let name = format!("t{}_{}_{}", message.step, crate::tui::pane::item::word(message.kind), message.id.0);
                Some((name, if self.context.raw { crate::tui::pane::item::raw(message).into() } else { message.text.to_arc() }))
            }
            _ => self.detail.content().or_else(of_index),
        }
    }

    pub(super) fn copy(&mut self, block: bool) {
        match self.selection(block) {
            Some((name, text)) => {
                let size = words::thousands(text.len() as u64);
                self.effect(Effect::Copy(text));
                self.say(
                    Severity::Good,
                    format!("{name}: {size} bytes went to the terminal's clipboard (OSC 52; not every terminal takes it, E writes a file)"),
                );
            }
            None => self.say(Severity::Info, "there is nothing to copy here"),
        }
    }

    pub(super) fn export(&mut self) {
        match self.selection(false) {
            Some((name, text)) => self.effect(Effect::Export { name: words::file_name(&name), text }),
            None => self.say(Severity::Info, "there is nothing to export here"),
        }
    }
}
