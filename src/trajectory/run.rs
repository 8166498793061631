//! Run: one trajectory of a file, folded while it is read.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::memory::{MessageId, ToolCall, tools::ToolSpec};
use crate::session::{
    Acted, Author, Compressed, EndReason, Ended, Envelope, Event, MemoryMode, Note, NoteKind, Observed, ObservedKind, Origin, RunConfig,
    Started, StatusShown, StoredBlock, Timeline, Unknown, Usage,
};
use crate::text::Text;
use crate::text::tokens::Counter;

use super::piece::Words;

/// How a run stands to the others of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Relation {
    /// The first, or one beside others.
    #[default]
    Main,
    /// It shares the first `events` events with run number `of`, and was left for what is there.
    Branch {
        /// Position of the other run.
        of: usize,
        /// How many events they share.
        events: usize,
    },
    /// Another agent, called by run number `of`, where that is known.
    SubAgent {
        /// Position of the run that called it.
        of: Option<usize>,
    },
}

/// Where the record that an event was made of stands in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub at: u64,
    /// Bytes.
    pub len: u64,
}

/// A tool call as an importer found it.
#[derive(Clone, Debug, Default)]
pub struct Called<'a> {
    /// Its id; empty where the format has none.
    pub id: &'a str,
    /// The tool.
    pub name: &'a str,
    /// The arguments as written.
    pub arguments: Words<'a>,
}

/// An answer of the model as an importer found it: one step.
#[derive(Clone, Debug, Default)]
pub struct Answer<'a> {
    /// z_t; none if blank.
    pub thinking: Words<'a>,
    /// Text outside thinking and calls; none if blank.
    pub text: Words<'a>,
    /// The calls, in order.
    pub calls: Vec<Called<'a>>,
    /// Why the server stopped.
    pub finish: Option<String>,
    /// What the server said it cost.
    pub usage: Option<Usage>,
}

/// A text with its tokens.
#[derive(Clone, Debug, Default)]
struct Counted {
    text: Text,
    tokens: u32,
}

/// What comes before the first event: gathered until something needs it.
#[derive(Clone, Debug, Default)]
struct Opening {
    session: String,
    system: Vec<String>,
    task: Option<Counted>,
    later: Vec<Counted>,
    tools: Vec<ToolSpec>,
    origin: Origin,
    window: Option<u64>,
}

/// Ids under which the calls of one foreign id stand.
#[derive(Clone, Debug, Default)]
struct Ids {
    made: u32,
    open: Vec<Arc<str>>,
    last: Arc<str>,
}

/// One trajectory of a file.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What it is called in lists.
    pub name: String,
    /// How it stands to the others.
    pub relation: Relation,
    timeline: Timeline,
    /// One for each event.
    spans: Vec<Span>,
    /// Exact requests, where recorded, by position of the answer's event.
    requests: Vec<(usize, Text)>,
    opening: Option<Opening>,
    step: u32,
    at: u64,
    next_message: u64,
    ids: HashMap<Box<str>, Ids>,
    /// Calls without a result, in order.
    open: Vec<Arc<str>>,
    request: Option<Text>,
    /// Names of the tools that were called, each once.
    names: HashSet<Arc<str>>,
    /// Results whose call was not there before them.
    strays: usize,
}

impl Run {
    pub(super) fn new(name: String, relation: Relation, format: &str) -> Self {
        let origin = Origin { format: format.to_owned(), ..Origin::default() };
        let opening = Opening { session: name.clone(), origin, ..Opening::default() };
        Self { name, relation, opening: Some(opening), ..Self::default() }
    }

    /// A run of our own.
    pub(super) fn journal(session: &str, events: Vec<Arc<Envelope>>) -> Self {
        let mut run = Self { name: session.to_owned(), ..Self::default() };
        events.into_iter().for_each(|event| run.record(event));
        run
    }

    /// One event more of a run of our own.
    pub(super) fn record(&mut self, envelope: impl Into<Arc<Envelope>>) {
        let envelope = envelope.into();
        self.step = self.step.max(envelope.step);
        self.timeline.push(envelope);
    }

    /// Its events and their fold.
    #[must_use]
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }
    /// The record that event number `n` was made of.
    #[must_use]
    pub fn span(&self, n: usize) -> Option<Span> {
        self.spans.get(n).copied().filter(|s| s.len > 0)
    }
    /// The request, as recorded, that event number `n` answered.
    #[must_use]
    pub fn request(&self, n: usize) -> Option<&Text> {
        self.requests.iter().find(|(at, _)| *at == n).map(|(_, text)| text)
    }
    /// Steps so far.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.step
    }
    /// Calls for which the file has no result.
    #[must_use]
    pub fn unanswered(&self) -> usize {
        self.open.len()
    }
    /// Results whose call does not stand before them.
    #[must_use]
    pub fn strays(&self) -> usize {
        self.strays
    }

    /// What a screen needs of it, apart from the run that goes on growing.
    #[must_use]
    pub fn shown(&self) -> Self {
        Self {
            name: self.name.clone(),
            relation: self.relation.clone(),
            timeline: self.timeline.clone(),
            spans: self.spans.clone(),
            requests: self.requests.clone(),
            open: self.open.clone(),
            step: self.step,
            at: self.at,
            strays: self.strays,
            ..Self::default()
        }
    }

    /// The run at its end: what only an importer needs is let go.
    pub(super) fn settled(self) -> Self {
        Self { opening: None, ids: HashMap::new(), names: HashSet::new(), ..self }
    }

    /// The run as it was after its first `events` events, to go on from there.
    pub(super) fn cut(&self, events: usize) -> Self {
        let mut run = Self { name: self.name.clone(), relation: self.relation.clone(), ..Self::default() };
        for (envelope, span) in self.timeline.events().iter().zip(&self.spans).take(events) {
            (run.step, run.at) = (envelope.step, envelope.at);
            match &envelope.event {
                Event::Started(_) => run.next_message += 2,
                Event::Acted(acted) => {
                    run.next_message += messages_of(acted);
                    // The foreign ids of these calls are not known any more; their own ids serve in nearly all files.
                    acted.calls.iter().for_each(|call| run.called(&call.id, Arc::clone(&call.id)));
                }
                Event::Observed(o) => {
                    run.next_message += 1;
                    if let Some(id) = &o.call {
                        run.answered(Some(id));
                    }
                }
                Event::Read(read) => {
                    run.next_message += 1;
                    if let Some(id) = &read.call {
                        run.settle_call(id);
                    }
                }
                Event::Compressed(compressed) => {
                    run.next_message += 1;
                    if let Some(id) = &compressed.call {
                        run.settle_call(id);
                    }
                }
                _ => {}
            }
            run.timeline.push(Arc::clone(envelope));
            run.spans.push(*span);
        }
        run.requests = self.requests.iter().filter(|(n, _)| *n < events).cloned().collect();
        if run.timeline.tail().started().is_none() {
            run.opening.clone_from(&self.opening);
            run.opening.get_or_insert_default();
        }
        run
    }

    /// Its events from number `events` on, with the records that they were made of.
    pub(super) fn after(&self, events: usize) -> impl Iterator<Item = (&Arc<Envelope>, Span)> {
        self.timeline.events().iter().zip(self.spans.iter().copied()).skip(events)
    }

    fn name_of(&mut self, tool: &str) -> Arc<str> {
        if let Some(name) = self.names.get(tool) {
            return Arc::clone(name);
        }
        let name: Arc<str> = tool.into();
        self.names.insert(Arc::clone(&name));
        name
    }

    fn called(&mut self, foreign: &str, own: Arc<str>) {
        let ids = self.ids.entry(foreign.into()).or_default();
        ids.made += 1;
        ids.open.push(Arc::clone(&own));
        ids.last = Arc::clone(&own);
        self.open.push(own);
    }

    /// A call has its answer, by its own id.
    pub(super) fn settle_call(&mut self, own: &str) {
        self.open.retain(|id| **id != *own);
        if let Some(ids) = self.ids.values_mut().find(|ids| ids.open.iter().any(|id| **id == *own)) {
            ids.open.retain(|id| **id != *own);
        }
    }

    /// An event that was pushed made a message.
    pub(super) fn made_message(&mut self) {
        self.next_message += 1;
    }

    /// The call that a result answers: the earliest of its id without one, or the last of its id; without an id the
    /// earliest of all without one.
    fn answered(&mut self, foreign: Option<&str>) -> Option<Arc<str>> {
        let own = match foreign {
            Some(id) => {
                let ids = self.ids.get_mut(id)?;
                if ids.open.is_empty() { Arc::clone(&ids.last) } else { ids.open.remove(0) }
            }
            None => {
                let own = self.open.first().cloned()?;
                if let Some(ids) = self.ids.values_mut().find(|ids| ids.open.contains(&own)) {
                    ids.open.retain(|id| *id != own);
                }
                own
            }
        };
        if let Some(n) = self.open.iter().position(|id| *id == own) {
            self.open.remove(n);
        }
        Some(own)
    }
}

fn messages_of(acted: &Acted) -> u64 {
    u64::from(acted.thinking.is_some()) + u64::from(acted.text.is_some()) + acted.calls.len() as u64
}

/// Writes events into a run. Made by [`super::Runs::run`] for the record at hand.
pub struct Pen<'r> {
    pub(super) run: &'r mut Run,
    pub(super) counter: &'r Counter,
    pub(super) span: Span,
}

impl Pen<'_> {
    /// The time of what follows, in milliseconds since the Unix epoch.
    pub fn time(&mut self, at: Option<u64>) {
        self.run.at = at.unwrap_or(self.run.at);
    }

    /// Id of the session in the program that recorded it.
    pub fn session(&mut self, id: &str) {
        self.opening(|o| id.clone_into(&mut o.session));
    }

    /// What recorded the run: `change` gets the fields that are known so far. Nothing once the run has begun.
    pub fn origin(&mut self, change: impl FnOnce(&mut Origin)) {
        self.opening(|o| change(&mut o.origin));
    }

    /// The model's limit on T. Nothing once the run has begun.
    pub fn window(&mut self, tokens: u64) {
        self.opening(|o| o.window = Some(tokens));
    }

    /// A tool that was offered. Nothing once the run has begun.
    pub fn tool(&mut self, tool: ToolSpec) {
        self.opening(|o| o.tools.push(tool));
    }

    fn opening(&mut self, change: impl FnOnce(&mut Opening)) {
        if let Some(opening) = &mut self.run.opening {
            change(opening);
        }
    }

    /// Whether an event that needs m0 and u has been written.
    #[must_use]
    pub fn begun(&self) -> bool {
        self.run.opening.is_none()
    }

    /// Number of events so far.
    #[must_use]
    pub fn events(&self) -> usize {
        self.run.timeline.events().len()
    }

    /// Steps so far.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.run.step
    }

    /// The id that the next message will have; those made by a call of this pen lie between two of these.
    #[must_use]
    pub fn next_message(&self) -> MessageId {
        MessageId(self.run.next_message)
    }

    /// Messages of M as they stand.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Arc<crate::memory::Message>> {
        self.run.timeline.tail().context().messages()
    }

    /// Tokens of a text.
    #[must_use]
    pub fn tokens(&self, text: &str) -> u32 {
        self.counter.count(text)
    }

    fn count(&self, words: Words<'_>) -> Counted {
        let tokens = self.counter.count(words.now());
        Counted { text: words.text(), tokens }
    }

    pub(super) fn push(&mut self, event: Event) {
        let run = &mut *self.run;
        let seq = run.timeline.events().len() as u64;
        run.timeline.push(Arc::new(Envelope { seq, at: run.at, step: run.step, event }));
        run.spans.push(self.span);
    }

    /// m0 and u are what they are now.
    fn begin(&mut self) {
        let Some(opening) = self.run.opening.take() else { return };
        let system: Arc<str> = opening.system.join("\n\n").into();
        let task = opening.task.unwrap_or_default();
        let tools = if opening.tools.is_empty() {
            0
        } else {
            u64::from(self.counter.count(&serde_json::to_string(&opening.tools).unwrap_or_default()))
        };
        let config = RunConfig {
            threshold: 0,
            window: opening.window,
            max_steps: 0,
            mode: MemoryMode::Summary,
            tokenizer: self.counter.name().to_owned(),
            exact: self.counter.exact(),
            ..RunConfig::default()
        };
        self.push(Event::Started(Box::new(Started {
            session: opening.session,
            system_tokens: self.counter.count(&system),
            system,
            task_tokens: task.tokens,
            task: task.text.to_arc(),
            tools: opening.tools.into(),
            tool_tokens: tools,
            config,
            origin: Some(opening.origin),
        })));
        self.run.next_message += 2;
        for turn in opening.later {
            self.observe(None, turn, ObservedKind::User);
        }
    }

    fn observe(&mut self, call: Option<Arc<str>>, counted: Counted, kind: ObservedKind) {
        self.push(Event::Observed(Observed { call, text: counted.text, tokens: counted.tokens, kind, state_changed: None }));
        self.run.next_message += 1;
    }

    /// An instruction of the system: m0 as long as the run has not begun.
    pub fn system(&mut self, words: Words<'_>) {
        if let Some(opening) = &mut self.run.opening {
            opening.system.push(words.now().to_owned());
            return;
        }
        let counted = self.count(words);
        self.observe(None, counted, ObservedKind::System);
    }

    /// A turn of the user: the first is u.
    pub fn user(&mut self, words: Words<'_>) {
        let counted = self.count(words);
        match &mut self.run.opening {
            Some(opening) if opening.task.is_none() => opening.task = Some(counted),
            Some(opening) => opening.later.push(counted),
            None => self.observe(None, counted, ObservedKind::User),
        }
    }

    /// The request that the next answer answers, byte for byte.
    pub fn sent(&mut self, request: Words<'_>) {
        self.run.request = Some(request.text());
    }

    /// An answer of the model: a step. One without thinking, text and calls is a step too.
    pub fn answer(&mut self, answer: Answer<'_>) {
        self.begin();
        self.run.step += 1;
        let context = self.run.timeline.tail().context();
        let (working, total) = (context.working(), context.total());
        self.push(Event::Status(StatusShown { text: Arc::default(), tokens: 0, working, total, threshold: 0 }));
        let mut acted = Acted { finish: answer.finish, usage: answer.usage, ..Acted::default() };
        if !answer.thinking.is_blank() {
            let counted = self.count(answer.thinking);
            (acted.thinking, acted.thinking_tokens) = (Some(counted.text), counted.tokens);
        }
        if !answer.text.is_blank() {
            let counted = self.count(answer.text);
            (acted.text, acted.text_tokens) = (Some(counted.text), counted.tokens);
        }
        for (n, call) in answer.calls.into_iter().enumerate() {
            let foreign = if call.id.is_empty() { format!("call-{}-{}", self.run.step, n + 1) } else { call.id.to_owned() };
            let made = self.run.ids.get(foreign.as_str()).map_or(0, |ids| ids.made);
            // An id that was used before would pair results with the wrong call.
            let id: Arc<str> = if made == 0 { foreign.as_str().into() } else { format!("{foreign}#{}", made + 1).into() };
            self.run.called(&foreign, Arc::clone(&id));
            acted.call_tokens.push(self.counter.count(&format!("{} {}", call.name, call.arguments.now())));
            let name = self.run.name_of(call.name);
            acted.calls.push(ToolCall { id, name, arguments: call.arguments.text() });
        }
        self.run.next_message += messages_of(&acted);
        if let Some(request) = self.run.request.take() {
            let at = self.run.timeline.events().len();
            self.run.requests.push((at, request));
        }
        self.push(Event::Acted(Arc::new(acted)));
    }

    /// The result of a call; without an id, of the earliest call that has none yet.
    pub fn result(&mut self, call: Option<&str>, words: Words<'_>, error: bool) {
        self.begin();
        let counted = self.count(words);
        let id = self.run.answered(call.filter(|id| !id.is_empty()));
        self.run.strays += usize::from(id.is_none());
        let id = id.or_else(|| Some(call.unwrap_or("").into()));
        self.observe(id, counted, if error { ObservedKind::Error } else { ObservedKind::Tool });
    }

    /// The context was replaced by a summary: a compression by the agent, without blocks.
    ///
    /// `kept` are messages of M that stay behind it, in order.
    pub fn compacted(&mut self, summary: Words<'_>, kept: Vec<MessageId>) {
        self.replaced(summary, kept, None, Vec::new());
    }

    /// As [`Self::compacted`], with the call that did it and the blocks that it archived.
    pub(super) fn replaced(&mut self, summary: Words<'_>, kept: Vec<MessageId>, call: Option<Arc<str>>, blocks: Vec<StoredBlock>) {
        self.begin();
        let tail = self.run.timeline.tail();
        let before = tail.context().working();
        let counted = self.count(summary);
        let kept: Vec<MessageId> = {
            let work: HashSet<MessageId> = tail.context().work().iter().map(|m| m.id).collect();
            kept.into_iter().filter(|id| work.contains(id)).collect()
        };
        let stays: u64 = kept.iter().filter_map(|id| tail.context().get(*id)).map(|m| u64::from(m.tokens)).sum();
        if let Some(call) = &call {
            self.run.settle_call(&call.clone());
        }
        self.push(Event::Compressed(Box::new(Compressed {
            by: Author::Agent,
            call,
            blocks,
            heading: Arc::default(),
            summary: counted.text.to_arc(),
            trailer: Arc::default(),
            summary_tokens: counted.tokens,
            cut: None,
            tokens_before: before,
            tokens_after: u64::from(counted.tokens) + stays,
            kept,
            not_run: Vec::new(),
        })));
        self.run.next_message += 1;
    }

    /// Something a reader should know; M is untouched.
    pub fn note(&mut self, text: impl Into<String>) {
        self.push(Event::Note(Note { kind: NoteKind::Info, text: text.into(), max_steps: None }));
    }

    /// A record, or a part of one, that has no place among the events: kept and shown as it is.
    pub fn unmapped(&mut self, kind: &str, raw: Words<'_>, why: &str) {
        self.unknown(Unknown { kind: kind.to_owned(), raw: raw.text(), why: why.to_owned() });
    }

    pub(super) fn unknown(&mut self, unknown: Unknown) {
        self.push(Event::Unknown(Box::new(unknown)));
    }

    /// The end of the run.
    pub fn ended(&mut self, reason: EndReason, answer: Option<String>, success: Option<bool>, detail: Option<String>) {
        self.begin();
        self.push(Event::Ended(Box::new(Ended { reason, answer, success, detail })));
    }

    /// Nothing more comes: what was gathered is a run even if nobody answered.
    pub(super) fn close(&mut self) {
        let gathered = self.run.opening.as_ref().is_some_and(|o| o.task.is_some() || !o.system.is_empty());
        if gathered || self.events() > 0 {
            self.begin();
        }
    }
}
