//! What each command does.

use std::time::Duration;

use super::App;
use crate::agent::{Command, RunMode};
use crate::session::{EndReason, Phase};
use crate::tui::command::CommandId;
use crate::tui::effect::Effect;
use crate::tui::overlay::Overlay;
use crate::tui::overlay::confirm::Confirm;
use crate::tui::pane::{Move, Pane, Zoom};
use crate::tui::theme::Severity;

/// A second interrupt within this time leaves.
const TWICE: Duration = Duration::from_secs(2);

impl App {
    /// Obeys a command.
    pub(crate) fn obey(&mut self, command: CommandId) {
        match command {
            CommandId::RunPause => self.run_pause(),
            CommandId::Step => self.step(Command::Step),
            CommandId::StepPhase => self.step(Command::StepPhase),
            CommandId::Continue => self.go_on(),
            CommandId::PreviousStep => self.travel(|p| p.step(-1)),
            CommandId::NextStep => self.travel(|p| p.step(1)),
            CommandId::FirstStep => self.travel(super::Place::start),
            CommandId::LastStep => self.travel(super::Place::end),
            CommandId::PreviousCompression => self.jump_compression(false),
            CommandId::NextCompression => self.jump_compression(true),
            CommandId::SetMark => {
                self.place.set_mark();
                self.say(Severity::Info, format!("t {} is marked", self.session().t()));
            }
            CommandId::JumpToMark => match self.place.go_to_mark() {
                Some(_) => self.moved(),
                None => self.say(Severity::Info, "no step is marked yet"),
            },
            CommandId::Down => self.move_in(self.focus, Move::By(1)),
            CommandId::Up => self.move_in(self.focus, Move::By(-1)),
            CommandId::Top => self.move_in(self.focus, Move::Top),
            CommandId::Bottom => self.move_in(self.focus, Move::Bottom),
            CommandId::HalfPageDown => self.move_in(self.focus, Move::Half(1)),
            CommandId::HalfPageUp => self.move_in(self.focus, Move::Half(-1)),
            CommandId::PageDown => self.move_in(self.focus, Move::Page(1)),
            CommandId::PageUp => self.move_in(self.focus, Move::Page(-1)),
            CommandId::DetailDown => self.move_in(Pane::Detail, Move::By(1)),
            CommandId::DetailUp => self.move_in(Pane::Detail, Move::By(-1)),
            CommandId::FocusContext => self.focus = Pane::Context,
            CommandId::FocusIndexMap => self.focus = Pane::Index,
            CommandId::FocusDetail => self.focus = Pane::Detail,
            CommandId::FocusNext => self.focus = self.focus.beside(1),
            CommandId::FocusPrevious => self.focus = self.focus.beside(-1),
            CommandId::ZoomIn => self.zoom = if self.zoom == Zoom::Normal { Zoom::Half } else { Zoom::Full },
            CommandId::ZoomOut => self.zoom = if self.zoom == Zoom::Full { Zoom::Half } else { Zoom::Normal },
            CommandId::Left => self.detail.sideways(-8),
            CommandId::Right => self.detail.sideways(8),
            CommandId::Open => self.open(),
            CommandId::OlderVersion => self.version(-1),
            CommandId::NewerVersion => self.version(1),
            CommandId::Read => self.ask_read(),
            CommandId::Compress => self.ask_compress(),
            CommandId::Undo => self.undo(false),
            CommandId::Redo => self.undo(true),
            CommandId::EditMessage => self.edit_message(),
            CommandId::ExcludeMessage => self.exclude_message(),
            CommandId::DiffCompression => self.diff(),
            CommandId::ToggleThinking => {
                self.context.thinking = !self.context.thinking;
                self.moved();
                self.say(Severity::Info, if self.context.thinking { "thinking is shown" } else { "thinking is hidden" });
            }
            CommandId::ToggleRaw => {
                self.context.raw = !self.context.raw;
                self.detail.set_raw(self.context.raw);
                self.moved();
                self.say(Severity::Info, if self.context.raw { "raw records" } else { "rendered text" });
            }
            CommandId::ToggleWrap => {
                let wrap = self.detail.toggle_wrap();
                self.say(Severity::Info, if wrap { "long lines are wrapped" } else { "long lines go on to the right" });
            }
            CommandId::NextTheme => self.open_themes(),
            CommandId::ToggleMouse => {
                self.mouse = !self.mouse;
                self.effect(Effect::Mouse(self.mouse));
                let text = if self.mouse {
                    "the mouse acts here; hold shift to select text"
                } else {
                    "the mouse is the terminal's: select and copy"
                };
                self.say(Severity::Info, text);
            }
            CommandId::Search => {
                self.overlay = Some(Overlay::Prompt(crate::tui::overlay::prompt::Prompt::new(self.search.history.clone())))
            }
            CommandId::NextMatch => self.next_hit(1),
            CommandId::PreviousMatch => self.next_hit(-1),
            CommandId::CopySelection => self.copy(false),
            CommandId::CopyBlock => self.copy(true),
            CommandId::ExportBlock => self.export(),
            CommandId::Answer => match &mut self.human {
                Some(line) => line.focused = true,
                None => self.say(Severity::Info, "the policy of this run is not you; --policy human lets you play it"),
            },
            CommandId::Messages => self.overlay = Some(Overlay::Notes(Default::default())),
            CommandId::Runs => {
                let runs = crate::tui::overlay::runs::Runs::new(self.recording.tree(), self.recording.current);
                if runs.tree.is_empty() {
                    self.say(Severity::Info, "there is only this run");
                } else {
                    self.overlay = Some(Overlay::Runs(runs));
                }
            }
            CommandId::PreviousRun => self.step_run(-1),
            CommandId::NextRun => self.step_run(1),
            CommandId::Help => self.overlay = Some(Overlay::Help(Default::default())),
            CommandId::Palette => self.overlay = Some(Overlay::Palette(Default::default())),
            CommandId::Quit => self.quit(),
            // What it closes depends on what is open, which the caller has looked at.
            CommandId::Back => {}
            CommandId::Interrupt => self.interrupt(),
            CommandId::Suspend => self.effect(Effect::Suspend),
        }
    }

    fn run_pause(&mut self) {
        if self.is_recording() {
            if self.playing {
                self.playing = false;
            } else {
                self.play();
            }
        } else if self.running() {
            self.continuing = false;
            self.effect(Effect::Tell(Command::Pause));
        } else {
            self.tell_run(Command::Run);
        }
    }

    fn step(&mut self, command: Command) {
        if self.is_recording() {
            self.playing = false;
            if matches!(command, Command::Step) {
                self.travel(|p| p.step(1));
            } else {
                self.travel(super::Place::forward);
            }
            return;
        }
        // A step is taken where the run is, and looked at.
        self.travel(super::Place::end);
        self.tell_run(command);
    }

    fn go_on(&mut self) {
        if self.is_recording() {
            let from = self.place.events();
            let next = self.place.timeline().events().iter().skip(from).position(|e| super::news::is_memory(&e.event));
            self.playing = false;
            match next {
                Some(n) => self.travel(|p| p.go(from + n + 1)),
                None => self.travel(super::Place::end),
            }
        } else if !self.running() {
            self.travel(super::Place::end);
            self.continuing = true;
            self.tell_run(Command::StepPhase);
        }
    }

    fn tell_run(&mut self, command: Command) {
        if self.live.gone {
            self.continuing = false;
            self.say(Severity::Warning, "the agent is gone; `memex resume` goes on with this session");
        } else if let Phase::Ended(ended) = self.place.timeline().tail().phase()
            && !matches!(ended.reason, EndReason::Cancelled | EndReason::ServerError)
        {
            self.continuing = false;
            let text = format!("the run is over ({}); h and l look at its steps", ended.reason.name());
            self.say(Severity::Info, text);
        } else {
            self.effect(Effect::Tell(command));
        }
    }

    /// Goes to another place in time.
    pub(super) fn travel(&mut self, by: impl FnOnce(&mut super::Place) -> bool) {
        if by(&mut self.place) {
            self.moved();
        }
    }

    fn jump_compression(&mut self, forward: bool) {
        match self.place.compression(forward) {
            Some(_) => self.moved(),
            None => {
                self.say(Severity::Info, if forward { "there is no compression after this" } else { "there is no compression before this" })
            }
        }
    }

    /// Moves within a pane.
    pub(crate) fn move_in(&mut self, pane: Pane, by: Move) {
        let session = self.place.shown();
        match pane {
            Pane::Context => self.context.go(session, by),
            Pane::Index => {
                self.index.go(by);
                self.detail.follow(session, self.index.selected());
            }
            Pane::Detail => self.detail.go(by),
        }
    }

    fn open(&mut self) {
        let session = self.place.shown();
        match self.focus {
            Pane::Context => {
                let long = self.context.toggle(session);
                if let Some(message) = long.and_then(|id| session.context().get(id)) {
                    self.detail.show_message(message);
                    self.focus = Pane::Detail;
                }
            }
            Pane::Index => {
                self.detail.follow(session, self.index.selected());
                self.focus = Pane::Detail;
            }
            Pane::Detail => {}
        }
    }

    fn version(&mut self, by: isize) {
        let session = self.place.shown();
        if !self.detail.version(session, by) {
            self.say(Severity::Info, if by < 0 { "this is the oldest version" } else { "this is the newest version" });
        }
    }

    fn quit(&mut self) {
        if self.is_recording() || !self.running() {
            self.effect(Effect::Leave);
            return;
        }
        self.overlay = Some(Overlay::Confirm(Confirm {
            title: "Leave while the agent runs?".into(),
            lines: vec![
                "The call under way is dropped as if it had not been begun.".into(),
                "All that is recorded stays; `memex resume` goes on from there.".into(),
            ],
            effects: vec![Effect::Leave],
        }));
    }

    fn interrupt(&mut self) {
        let twice = self.interrupted.is_some_and(|at| self.now.saturating_sub(at) <= TWICE);
        if twice {
            self.effect(Effect::Leave);
            return;
        }
        self.interrupted = Some(self.now);
        let busy = self.running() || self.playing;
        self.playing = false;
        self.continuing = false;
        if matches!(self.live.mode, RunMode::Running | RunMode::Pausing) {
            self.effect(Effect::Tell(Command::Interrupt));
        }
        let what = if busy { "interrupted" } else { "nothing to interrupt" };
        self.say(Severity::Info, format!("{what} · once more leaves"));
    }
}
