//! The task that runs Algorithm 1: it owns the session, obeys commands, records every event.
//!
//! Recording is the only way on, and always in the same order: check against the fold, append to
//! the journal and sync, store the blocks, apply, tell the front end. Until the journal has an
//! event, M and D are as they were; once it has it, the event is true whatever happens next.

use std::collections::VecDeque;
use std::sync::Arc;

use super::command::{Command, Handle, HumanAct, Update};
use super::control::{Control, Fuel, Stopped};
use super::decide::{self, Next, Rules};
use super::intervene::intervene;
use crate::env::Environment;
use crate::memory::tools::ToolSpec;
use crate::memory::{Block, ToolCall, Version};
use crate::policy::{Delta, Policy, PolicyError};
use crate::session::journal::Journal;
use crate::session::{Acted, EndReason, Envelope, Event, Note, NoteKind, Observed, ObservedKind, Phase, RunConfig, Session, Started};
use crate::store::Vault;
use crate::text::tokens::{Counter, TokenCounter};

/// Where events are kept. `None` keeps nothing: a run that only shows.
pub type Record = Option<Journal>;

/// What an agent is made of.
pub struct Parts {
    /// The fold so far; empty for a new run.
    pub session: Session,
    /// The journal, positioned behind the events of `session`.
    pub journal: Record,
    /// D.
    pub vault: Box<dyn Vault>,
    /// π.
    pub policy: Box<dyn Policy>,
    /// The world.
    pub environment: Box<dyn Environment>,
    /// Counts what enters M.
    pub counter: Counter,
    /// Milliseconds since the Unix epoch.
    pub clock: fn() -> u64,
    /// Milliseconds to wait after each event while running.
    pub pace: u64,
}

/// How a run begins.
pub enum Beginning {
    /// Lines 4–6: a new session.
    Open {
        /// Its id.
        session: String,
        /// Its settings.
        config: Box<RunConfig>,
    },
    /// After the events that [`Parts::session`] is the fold of.
    Resume {
        /// Notes to record first.
        notes: Vec<Note>,
    },
}

/// A running agent.
pub struct Agent {
    parts: Parts,
    finish_tool: String,
    control: Control,
    beginning: Option<Beginning>,
    /// Happened, but is not in the journal yet.
    pending: VecDeque<Event>,
}

impl Agent {
    /// An agent and the handle to it.
    #[must_use]
    pub fn new(parts: Parts, beginning: Beginning) -> (Self, Handle) {
        let (control, handle) = Control::new(parts.pace);
        let finish_tool = parts.environment.finish_tool().to_owned();
        (Self { parts, finish_tool, control, beginning: Some(beginning), pending: VecDeque::new() }, handle)
    }

    /// Runs until the front end leaves. The session so far is given back.
    pub async fn run(mut self) -> Session {
        match self.beginning.take() {
            Some(Beginning::Open { session, config }) => {
                let started = open(session, *config, &*self.parts.environment, &*self.parts.counter);
                self.pending.push_back(Event::Started(Box::new(started)));
            }
            Some(Beginning::Resume { notes }) => self.pending.extend(notes.into_iter().map(Event::Note)),
            None => {}
        }
        while !self.control.quit {
            while let Some(command) = self.control.waiting() {
                self.obey(command).await;
            }
            if self.control.quit {
                break;
            }
            if let Some(event) = self.pending.pop_front() {
                if !self.record(event).await {
                    self.wait_for_command().await;
                }
                continue;
            }
            if std::mem::take(&mut self.control.stop) {
                self.end(EndReason::Cancelled, None, None).await;
                continue;
            }
            if *self.parts.session.phase() == Phase::StepStart {
                if let Fuel::Step { beyond } = self.control.fuel
                    && self.parts.session.t() > beyond
                {
                    self.rest().await;
                }
                if let Some(act) = self.control.acts.pop_front() {
                    self.act(&act).await;
                    continue;
                }
            } else if let Phase::Ended(_) = self.parts.session.phase()
                && let Some(act) = self.control.acts.pop_front()
            {
                self.act(&act).await;
                continue;
            }
            if self.control.fuel == Fuel::Empty {
                self.wait_for_command().await;
                continue;
            }
            self.one_line().await;
        }
        self.parts.session
    }

    /// One event of Algorithm 1.
    async fn one_line(&mut self) {
        let rules = Rules { counter: &*self.parts.counter, finish_tool: &self.finish_tool };
        let next = decide::next(&self.parts.session, rules);
        let outcome = match next {
            Next::Record(event) => Ok(Some(event)),
            Next::Ask(request) => self.ask(request).await,
            Next::Fetch { call, version, part } => self.fetch(call, *version, part).await,
            Next::Call { call, arguments } => self.call(call, arguments).await,
            Next::Finish { call, arguments } => Ok(Some(self.finish(&call, &arguments))),
            Next::End(reason, detail) => Ok(Some(decide::ended(reason, None, self.parts.environment.success(), detail))),
            Next::Rest => Ok(None),
        };
        match outcome {
            Ok(Some(event)) => {
                let ended = matches!(event, Event::Ended(_));
                if self.record(event).await {
                    if ended || self.control.fuel == Fuel::Phase {
                        self.rest().await;
                    } else if self.control.fuel == Fuel::Endless {
                        self.dawdle().await;
                    }
                }
            }
            Ok(None) => self.rest().await,
            Err(Stopped::Interrupted) => self.rest().await,
            Err(Stopped::Quit) => self.control.quit = true,
        }
    }

    /// Line 9.
    async fn ask(&mut self, request: crate::policy::Request) -> Result<Option<Event>, Stopped> {
        let what = format!("answer of {}", self.parts.policy.name());
        self.control.tell(Update::Waiting(Some(what))).await;
        let updates = self.control.updates.clone();
        // A slow screen loses part of the stream, never of the answer.
        let mut sink = move |delta: Delta| {
            let _ = updates.try_send(Update::Delta(delta));
        };
        let answer = {
            let future = self.parts.policy.act(&request, &mut sink);
            self.control.watch(future).await
        };
        self.control.tell(Update::Waiting(None)).await;
        Ok(Some(match answer? {
            Ok(turn) => decide::answer_acted(&self.parts.session, turn, &*self.parts.counter),
            Err(error) => {
                let reason = match error {
                    PolicyError::Server(_) | PolicyError::Exhausted(_) => EndReason::ServerError,
                    PolicyError::Overflow(_) => EndReason::ContextOverflow,
                };
                decide::ended(reason, None, self.parts.environment.success(), Some(error.to_string()))
            }
        }))
    }

    /// Line 22.
    async fn call(&mut self, call: ToolCall, arguments: serde_json::Value) -> Result<Option<Event>, Stopped> {
        self.control.tell(Update::Waiting(Some(format!("result of {}", call.name)))).await;
        let reply = {
            let future = self.parts.environment.call(&call, &arguments);
            self.control.watch(future).await
        };
        self.control.tell(Update::Waiting(None)).await;
        Ok(Some(match reply? {
            Ok(reply) => Event::Observed(Observed {
                call: Some(call.id),
                tokens: self.parts.counter.count(&reply.text),
                text: reply.text.into(),
                kind: ObservedKind::Tool,
                state_changed: reply.state_changed,
            }),
            Err(error) => decide::ended(EndReason::EnvironmentError, None, None, Some(error.to_string())),
        }))
    }

    /// Line 16: from the store, checked against the fold.
    async fn fetch(&mut self, call: Arc<str>, version: Version, part: u32) -> Result<Option<Event>, Stopped> {
        let found = self.parts.vault.get(&version.block.index, version.block.version).await;
        let sound = matches!(&found, Ok(Some(block)) if block.digest == version.block.digest && block.content == version.block.content);
        if !sound {
            let index = &version.block.index;
            let what = match found {
                Err(error) => format!("the store cannot give {index} ({error})"),
                Ok(Some(_)) => format!("the store has other bytes for {index}"),
                Ok(None) => format!("the store does not have {index}"),
            };
            let text = format!("{what}; the block was taken from the journal");
            self.pending.push_back(note(NoteKind::Warning, text));
        }
        self.hear_vault();
        let rules = Rules { counter: &*self.parts.counter, finish_tool: &self.finish_tool };
        Ok(Some(decide::answer_read(&self.parts.session, rules, &call, &version, part)))
    }

    /// Lines 18–20.
    fn finish(&mut self, call: &ToolCall, arguments: &serde_json::Value) -> Event {
        match self.parts.environment.finish(arguments) {
            Ok(answer) => decide::ended(EndReason::Finished, Some(answer.text), self.parts.environment.success(), None),
            Err(why) => decide::observed(Some(Arc::clone(&call.id)), &why, ObservedKind::Error, &*self.parts.counter),
        }
    }

    async fn act(&mut self, act: &HumanAct) {
        match intervene(&self.parts.session, act, &*self.parts.counter) {
            Ok(event) => {
                self.record(event).await;
            }
            Err(why) => self.control.tell(Update::Refused(why)).await,
        }
    }

    async fn end(&mut self, reason: EndReason, answer: Option<String>, detail: Option<String>) {
        if !matches!(self.parts.session.phase(), Phase::Ended(_) | Phase::Unopened) {
            let event = decide::ended(reason, answer, self.parts.environment.success(), detail);
            self.record(event).await;
        }
        self.rest().await;
    }

    /// Journal, store, fold, tell. False when the journal could not take the event: it stays pending and the run pauses.
    async fn record(&mut self, event: Event) -> bool {
        let step = self.parts.session.t() + u32::from(matches!(event, Event::Status(_)));
        let envelope = Envelope { seq: self.parts.session.seq(), at: (self.parts.clock)(), step, event };
        let compresses = matches!(envelope.event, Event::Compressed(_));
        // A compression is folded on the side first: what does not fold is never journaled.
        let mut after = compresses.then(|| self.parts.session.clone());
        if let Some(after) = &mut after
            && let Err(fault) = after.apply(&envelope)
        {
            self.trouble(fault.to_string()).await;
            return false;
        }
        // A status is derived from M: losing it with the power costs nothing, so it is synced with the answer to it.
        let durable = !matches!(envelope.event, Event::Status(_));
        if let Some(journal) = &mut self.parts.journal
            && let Err(error) = journal.append(&envelope, durable)
        {
            self.pending.push_front(envelope.event);
            self.trouble(format!("nothing is lost, but the run cannot go on until this is mended: {error}")).await;
            return false;
        }
        match after {
            Some(after) => {
                let blocks = blocks_of(&after, envelope.seq);
                self.parts.session = after;
                if !blocks.is_empty()
                    && let Err(error) = self.parts.vault.put_all(envelope.seq, blocks).await
                {
                    let text =
                        format!("the journal has the blocks, the store does not ({error}); it is mended from the journal when next opened");
                    self.pending.push_back(note(NoteKind::Warning, text));
                }
                self.hear_vault();
            }
            None => {
                if let Err(fault) = self.parts.session.apply(&envelope) {
                    self.trouble(fault.to_string()).await;
                    return false;
                }
            }
        }
        self.control.tell(Update::Recorded(Arc::new(envelope))).await;
        true
    }

    fn hear_vault(&mut self) {
        for text in self.parts.vault.notices() {
            self.pending.push_back(note(NoteKind::Warning, text));
        }
    }

    async fn trouble(&mut self, text: String) {
        self.control.tell(Update::Trouble(text)).await;
        self.rest().await;
    }

    async fn rest(&mut self) {
        let ended = matches!(self.parts.session.phase(), Phase::Ended(_));
        self.control.rest(ended).await;
    }

    async fn wait_for_command(&mut self) {
        if let Some(command) = self.control.next().await {
            self.obey(command).await;
        }
    }

    /// Waits the pace out, or until a command comes.
    async fn dawdle(&mut self) {
        if let Some(command) = self.control.next_within_pace().await {
            self.obey(command).await;
        }
    }

    /// Obeys between events.
    async fn obey(&mut self, command: Command) {
        let resumable =
            matches!(self.parts.session.phase(), Phase::Ended(e) if matches!(e.reason, EndReason::Cancelled | EndReason::ServerError));
        if resumable && matches!(command, Command::Run | Command::Step | Command::StepPhase) {
            self.pending.push_back(note(NoteKind::Resumed, "gone on with after its end".into()));
        }
        if let Phase::Ended(end) = self.parts.session.phase()
            && !resumable
            && matches!(command, Command::Run | Command::Step | Command::StepPhase)
        {
            let why = format!("the run has ended ({}): there is nothing more to run", end.reason.name());
            self.control.tell(Update::Refused(why)).await;
            self.rest().await;
            return;
        }
        match command {
            Command::Step => {
                let beyond = self.parts.session.t().saturating_sub(u32::from(self.inside_step()));
                self.control.one_more_step(beyond).await;
            }
            Command::StepPhase => self.control.go(Fuel::Phase).await,
            Command::Run => self.control.go(Fuel::Endless).await,
            Command::Pause | Command::Interrupt => self.rest().await,
            Command::Stop => self.control.stop = true,
            Command::Act(act) => self.control.acts.push_back(act),
            Command::Pace(pace) => self.control.pace = pace,
            Command::Quit => self.control.quit = true,
        }
        if !self.control.acts.is_empty() && self.inside_step() && self.control.fuel == Fuel::Empty {
            self.control.tell(Update::Refused(format!("waits for the end of step {}", self.parts.session.t()))).await;
        }
    }

    fn inside_step(&self) -> bool {
        matches!(self.parts.session.phase(), Phase::AwaitPolicy | Phase::Acting { .. })
    }
}

/// Lines 4–6: m0, u and the tools, counted here and never again.
fn open(session: String, config: RunConfig, environment: &dyn Environment, counter: &dyn TokenCounter) -> Started {
    let (system, task) = (environment.system_prompt(), environment.task());
    let tools = decide::offered(config.mode, environment.tools());
    let schema_tokens = |t: &ToolSpec| u64::from(counter.count(&serde_json::to_string(t).unwrap_or_default()));
    Started {
        origin: None,
        session,
        system_tokens: counter.count(&system),
        system: system.into(),
        task_tokens: counter.count(&task),
        task: task.into(),
        tool_tokens: tools.iter().map(schema_tokens).sum(),
        tools: tools.into(),
        config: RunConfig { tokenizer: counter.name().to_owned(), exact: counter.exact(), ..config },
    }
}

fn note(kind: NoteKind, text: String) -> Event {
    Event::Note(Note { kind, text, max_steps: None })
}

/// The blocks that event `seq` archived.
fn blocks_of(session: &Session, seq: u64) -> Vec<Block> {
    session.archive().all().flat_map(|(_, versions)| versions).filter(|v| v.seq == seq).map(|v| v.block.clone()).collect()
}

/// Brings an environment to where a recorded session stopped, by running its calls again and comparing the answers.
///
/// # Errors
/// [`crate::env::EnvironmentError::Diverged`] names the first call that answers otherwise.
pub async fn catch_up(environment: &mut dyn Environment, events: &[Arc<Envelope>]) -> Result<(), crate::env::EnvironmentError> {
    let mut turn: Option<&Arc<Acted>> = None;
    for envelope in events {
        match &envelope.event {
            Event::Acted(acted) => turn = Some(acted),
            Event::Observed(Observed { call: Some(id), kind: ObservedKind::Tool, text, .. }) => {
                let Some(call) = turn.and_then(|t| t.calls.iter().find(|c| c.id == *id)) else { continue };
                let Ok(arguments) = serde_json::from_str::<serde_json::Value>(&call.arguments) else { continue };
                let arguments = match arguments {
                    serde_json::Value::String(inner) => serde_json::from_str(&inner).unwrap_or_default(),
                    other => other,
                };
                let reply = environment.call(call, &arguments).await?;
                if *reply.text != **text {
                    let start = |t: &str| t.chars().take(80).collect();
                    return Err(crate::env::EnvironmentError::Diverged {
                        call: call.text().to_string(),
                        expected: start(text),
                        found: start(&reply.text),
                    });
                }
            }
            _ => {}
        }
    }
    Ok(())
}
