//! Control: the commands of a front end, and waiting for anything while they are obeyed.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::mpsc;

use super::command::{Command, Handle, HumanAct, RunMode, Update};
use futures_util::future::BoxFuture;

/// How long the agent may still run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fuel {
    Empty,
    /// One event more.
    Phase,
    /// Until t is above `beyond` and the step is over.
    Step {
        beyond: u32,
    },
    Endless,
}

/// Why an effect gave nothing; it was dropped, and the session is as it was.
pub(super) enum Stopped {
    Interrupted,
    Quit,
}

/// The agent's end of a [`Handle`].
pub(super) struct Control {
    commands: mpsc::UnboundedReceiver<Command>,
    pub(super) updates: mpsc::Sender<Update>,
    pub(super) fuel: Fuel,
    pub(super) acts: VecDeque<HumanAct>,
    pub(super) pace: u64,
    pub(super) stop: bool,
    pub(super) quit: bool,
}

impl Control {
    pub(super) fn new(pace: u64) -> (Self, Handle) {
        let (command_tx, commands) = mpsc::unbounded_channel();
        let (updates, update_rx) = mpsc::channel(1024);
        let control = Self { commands, updates, fuel: Fuel::Empty, acts: VecDeque::new(), pace, stop: false, quit: false };
        (control, Handle { commands: command_tx, updates: update_rx })
    }

    /// A command that is there already.
    pub(super) fn waiting(&mut self) -> Option<Command> {
        self.commands.try_recv().ok()
    }

    /// The next command; quits when there can be none.
    pub(super) async fn next(&mut self) -> Option<Command> {
        let command = self.commands.recv().await;
        self.quit |= command.is_none();
        command
    }

    /// The next command, if one comes before the pace is over.
    pub(super) async fn next_within_pace(&mut self) -> Option<Command> {
        if self.pace == 0 {
            return None;
        }
        let pace = Duration::from_millis(self.pace);
        tokio::time::timeout(pace, self.next()).await.ok().flatten()
    }

    pub(super) async fn tell(&mut self, update: Update) {
        if self.updates.send(update).await.is_err() {
            self.quit = true;
        }
    }

    pub(super) async fn go(&mut self, fuel: Fuel) {
        self.fuel = fuel;
        self.tell(Update::Mode(RunMode::Running)).await;
    }

    /// One step beyond step `beyond`, or one more than those that were asked for already.
    pub(super) async fn one_more_step(&mut self, beyond: u32) {
        let beyond = match self.fuel {
            Fuel::Step { beyond } => beyond + 1,
            _ => beyond,
        };
        self.go(Fuel::Step { beyond }).await;
    }

    pub(super) async fn rest(&mut self, ended: bool) {
        self.fuel = Fuel::Empty;
        self.tell(Update::Mode(if ended { RunMode::Ended } else { RunMode::Paused })).await;
    }

    /// Awaits an effect while obeying commands.
    pub(super) async fn watch<T>(&mut self, mut effect: BoxFuture<'_, T>) -> Result<T, Stopped> {
        loop {
            let command = tokio::select! {
                biased;
                command = self.commands.recv() => command,
                value = &mut effect => return Ok(value),
            };
            match command {
                None | Some(Command::Quit) => return Err(Stopped::Quit),
                Some(Command::Interrupt) => return Err(Stopped::Interrupted),
                Some(Command::Stop) => {
                    self.stop = true;
                    return Err(Stopped::Interrupted);
                }
                Some(Command::Pause) => {
                    self.fuel = Fuel::Phase;
                    self.tell(Update::Mode(RunMode::Pausing)).await;
                }
                Some(Command::Run) => self.go(Fuel::Endless).await,
                Some(Command::Act(act)) => {
                    self.acts.push_back(act);
                    self.tell(Update::Refused("waits for the end of this step".into())).await;
                }
                Some(Command::Pace(pace)) => self.pace = pace,
                Some(Command::Step) if matches!(self.fuel, Fuel::Step { .. }) => self.one_more_step(0).await,
                // What is under way is the phase that was asked for.
                Some(Command::Step | Command::StepPhase) => {}
            }
            if self.quit {
                return Err(Stopped::Quit);
            }
        }
    }
}
