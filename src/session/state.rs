//! Session: the state that is the fold of its events. [`Session::apply`] is the only function that changes it.

use std::sync::Arc;

use super::event::{
    Acted, Author, Change, Compressed, Edited, Ended, Envelope, Event, Malformed, NoteKind, Observed, ObservedKind, Read, Started, Undone,
    Usage,
};
use crate::memory::tools::{BlockRequest, decode_compress};
use crate::memory::{
    Archive, Block, Context, Digest, Index, IndexMap, IndexedSummary, Kind, Link, Message, MessageId, Version, combine, join_spans,
};
use crate::text::Text;

/// The program counter: which line of Algorithm 1 comes next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing has happened.
    #[default]
    Unopened,
    /// Line 7: before the status of the next step.
    StepStart,
    /// Line 9: the policy is to be asked.
    AwaitPolicy,
    /// Lines 11–23: call `next` of the answer is to be run.
    Acting {
        /// 0-based.
        next: usize,
    },
    /// Lines 20 and 24.
    Ended(Ended),
}

/// One compression, with what it replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Compression {
    /// Sequence number of its event.
    pub seq: u64,
    /// Its step.
    pub step: u32,
    /// The event.
    pub event: Compressed,
    /// M before, the turn that called included.
    pub before: Context,
    /// I before.
    pub map_before: IndexMap,
    /// I after.
    pub map_after: IndexMap,
    /// It was undone (and not redone).
    pub undone: bool,
}

/// A change of M that can be taken back.
#[derive(Clone, Debug, PartialEq)]
struct Undoable {
    seq: u64,
    compression: bool,
    before: Context,
    map_before: IndexMap,
    after: Context,
    map_after: IndexMap,
    /// Messages from this id on came after the change.
    next_message: u64,
    /// Tokens that the change brought into M_work; an undo takes them out of the count.
    brought: u64,
    /// Messages that the undo itself added, and their tokens; a redo takes them away.
    settled: Vec<MessageId>,
    settled_tokens: u64,
}

/// The state after some number of events.
///
/// Cloning is cheap: texts, messages and lists are shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    started: Option<Arc<Started>>,
    t: u32,
    max_steps: u32,
    seq: u64,
    next_message: u64,
    full: u64,
    context: Context,
    archive: Archive,
    index_map: IndexMap,
    phase: Phase,
    turn: Option<Arc<Acted>>,
    reads: u32,
    reads_this_step: u32,
    compressions: Arc<Vec<Arc<Compression>>>,
    undo: Arc<Vec<Arc<Undoable>>>,
    redo: Arc<Vec<Arc<Undoable>>>,
    usage: Option<(u32, Usage)>,
    demands_compression: bool,
    intervened: bool,
    malformed: u32,
}

/// An event that cannot follow what came before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} ({kind}) does not fit what came before it: {what}")]
pub struct Corrupt {
    /// Its number.
    pub seq: u64,
    /// Its type.
    pub kind: String,
    /// What is wrong.
    pub what: String,
}

/// The text under which a read stands in M.
#[must_use]
pub fn read_text(archive: &Archive, read: &Read) -> Option<String> {
    let version = archive.versions(&read.index).iter().find(|v| v.block.version == read.version)?;
    let mut text = String::new();
    for (n, frame) in read.frame.iter().enumerate() {
        text += frame;
        if let Some(&(from, to)) = read.ranges.get(n) {
            text += version.block.content.get(from..to)?;
        }
    }
    Some(text)
}

impl Session {
    /// Folds events from the start.
    ///
    /// # Errors
    /// [`Corrupt`] names the first event that does not fit.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Envelope>) -> Result<Self, Corrupt> {
        let mut session = Self::default();
        events.into_iter().try_for_each(|envelope| session.apply(envelope))?;
        Ok(session)
    }

    /// Applies one event; on error nothing has changed but the count of events seen.
    ///
    /// # Errors
    /// [`Corrupt`] when the event cannot follow what came before it.
    pub fn apply(&mut self, envelope: &Envelope) -> Result<(), Corrupt> {
        let seq = self.seq;
        self.seq += 1;
        self.step(envelope, seq).map_err(|what| Corrupt { seq: envelope.seq, kind: envelope.event.type_name().to_owned(), what })
    }

    fn step(&mut self, envelope: &Envelope, seq: u64) -> Result<(), String> {
        if self.started.is_none() && !matches!(envelope.event, Event::Started(_) | Event::Note(_) | Event::Unknown(_)) {
            return Err("the session has not started".into());
        }
        match &envelope.event {
            Event::Started(started) => self.start(started),
            Event::Status(status) => {
                self.t = envelope.step;
                self.reads_this_step = 0;
                if !status.text.is_empty() {
                    self.push(Kind::Status, Arc::clone(&status.text), status.tokens, Link::None);
                }
                self.phase = Phase::AwaitPolicy;
                Ok(())
            }
            Event::Acted(acted) => self.act(acted),
            Event::Observed(observed) => self.observe(observed),
            Event::Malformed(malformed) => self.malform(malformed),
            Event::Compressed(compressed) => self.compress(compressed, seq, envelope.step),
            Event::Read(read) => self.read(read, seq),
            Event::Edited(edited) => self.edit(edited, seq),
            Event::Undone(undone) => self.undo(undone),
            Event::Note(note) => {
                if note.kind == NoteKind::Resumed {
                    if let Some(max) = note.max_steps {
                        self.max_steps = max;
                    }
                    if let Phase::Ended(_) = self.phase {
                        self.phase = Phase::StepStart;
                    }
                }
                Ok(())
            }
            Event::Ended(ended) => {
                self.phase = Phase::Ended((**ended).clone());
                Ok(())
            }
            Event::Unknown(_) => Ok(()),
        }
    }

    fn start(&mut self, started: &Started) -> Result<(), String> {
        if self.started.is_some() {
            return Err("it has started already".into());
        }
        let system = self.message(Kind::System, Arc::clone(&started.system), started.system_tokens, Link::None);
        let task = self.message(Kind::Task, Arc::clone(&started.task), started.task_tokens, Link::None);
        self.context = Context::new(system, task, started.tool_tokens);
        self.max_steps = started.config.max_steps;
        self.started = Some(Arc::new(started.clone()));
        self.phase = Phase::StepStart;
        Ok(())
    }

    fn act(&mut self, acted: &Arc<Acted>) -> Result<(), String> {
        if self.phase != Phase::AwaitPolicy {
            return Err("no policy was asked".into());
        }
        if let Some(z) = &acted.thinking {
            self.push(Kind::Thinking, z.clone(), acted.thinking_tokens, Link::None);
        }
        if let Some(text) = &acted.text {
            self.push(Kind::Answer, text.clone(), acted.text_tokens, Link::None);
        }
        for (n, call) in acted.calls.iter().enumerate() {
            let tokens = acted.call_tokens.get(n).copied().unwrap_or(0);
            self.push(Kind::Call, call.text(), tokens, Link::Call(Arc::new(call.clone())));
        }
        if let Some(usage) = acted.usage {
            self.usage = Some((self.t, usage));
        }
        self.demands_compression = false;
        self.turn = Some(Arc::clone(acted));
        self.phase = Phase::Acting { next: 0 };
        Ok(())
    }

    fn observe(&mut self, observed: &Observed) -> Result<(), String> {
        let (kind, link) = match &observed.call {
            Some(id) => (Kind::Observation, Link::Answer(Arc::clone(id))),
            None => (if observed.kind == ObservedKind::User { Kind::User } else { Kind::Notice }, Link::None),
        };
        self.push(kind, observed.text.clone(), observed.tokens, link);
        self.settle(observed.call.as_deref());
        Ok(())
    }

    fn malform(&mut self, malformed: &Malformed) -> Result<(), String> {
        let (kind, link) = match &malformed.call {
            Some(id) => (Kind::Observation, Link::Answer(Arc::clone(id))),
            None => (Kind::Notice, Link::None),
        };
        self.malformed += 1;
        self.push(kind, Arc::clone(&malformed.text), malformed.tokens, link);
        self.settle(malformed.call.as_deref());
        Ok(())
    }

    /// Moves on to the next call of the answer, or to the next step.
    fn settle(&mut self, call: Option<&str>) {
        let Phase::Acting { next } = self.phase else { return };
        let calls = self.turn.as_ref().map_or(0, |t| t.calls.len());
        let answered = call.is_some_and(|id| self.current_call().is_some_and(|c| *c.id == *id));
        self.phase = if answered && next + 1 < calls { Phase::Acting { next: next + 1 } } else { Phase::StepStart };
    }

    fn compress(&mut self, compressed: &Compressed, seq: u64, step: u32) -> Result<(), String> {
        // Everything is derived and checked before anything changes.
        let authored = self.authored(compressed)?;
        let mut versions = Vec::with_capacity(compressed.blocks.len());
        for stored in &compressed.blocks {
            let content = self.content(&authored, stored)?;
            if Digest::of(content.as_bytes()) != stored.hash {
                return Err(format!("the bytes of block {} do not have the recorded hash", stored.index));
            }
            versions.push(Version {
                block: Block { index: stored.index.clone(), version: stored.version, kind: stored.kind, content, digest: stored.hash },
                tokens: stored.tokens,
                seq,
                step,
                spans: stored.source.spans.clone().into(),
                withdrawn: false,
                reads: 0,
                last_read: None,
            });
        }
        let (before, map_before, full_before) = (self.context.clone(), self.index_map.clone(), self.full);
        for version in versions {
            self.archive.write(version);
        }
        let message = self.message(Kind::Summary, compressed.message_text(), compressed.summary_tokens, Link::None);
        self.full += u64::from(message.tokens);
        self.context.rewrite(message);
        for id in &compressed.kept {
            if let Some(message) = before.get(*id) {
                self.context.push(Arc::clone(message));
            }
        }
        let archive = &self.archive;
        self.index_map = IndexedSummary::parse(&compressed.summary, |i| !archive.versions(i).is_empty()).index_map;
        self.remember(seq, true, before.clone(), map_before.clone(), full_before);
        Arc::make_mut(&mut self.compressions).push(Arc::new(Compression {
            seq,
            step,
            event: compressed.clone(),
            before,
            map_before,
            map_after: self.index_map.clone(),
            undone: false,
        }));
        self.intervened |= compressed.by == Author::Human;
        if compressed.by == Author::Agent {
            self.phase = Phase::StepStart;
        }
        Ok(())
    }

    /// The blocks of the call that wrote this compression, where one of its blocks points into it.
    fn authored(&self, compressed: &Compressed) -> Result<Vec<BlockRequest>, String> {
        if compressed.blocks.iter().all(|b| b.source.call_block.is_none()) {
            return Ok(Vec::new());
        }
        let call = compressed.call.as_ref().and_then(|id| self.call(id)).ok_or("the call that wrote its blocks is not there")?;
        let arguments = arguments(&call.arguments).ok_or("the call that wrote its blocks cannot be decoded")?;
        let args = decode_compress(&arguments, true).map_err(|_| "the call that wrote its blocks cannot be decoded")?;
        Ok(args.blocks)
    }

    fn content(&self, authored: &[BlockRequest], stored: &super::StoredBlock) -> Result<Arc<str>, String> {
        let source = &stored.source;
        let authored = match (&source.text, source.call_block) {
            (Some(text), _) => Some(Arc::clone(text)),
            (None, Some(n)) => {
                let block = authored.get(n).ok_or("the call has no such block")?;
                block.content.as_deref().map(Arc::from)
            }
            (None, None) => None,
        };
        let extract = if source.spans.is_empty() {
            None
        } else {
            Some(join_spans(&self.context, &source.spans).ok_or_else(|| format!("the source of block {} is not in M", stored.index))?)
        };
        match (authored, extract) {
            (Some(text), Some(extract)) => Ok(combine(&text, &extract).into()),
            (Some(text), None) => Ok(text),
            (None, Some(extract)) => Ok(extract.into()),
            (None, None) => Err(format!("block {} has no source", stored.index)),
        }
    }

    fn read(&mut self, read: &Read, seq: u64) -> Result<(), String> {
        let text = read_text(&self.archive, read).ok_or_else(|| format!("{} version {} is not in D", read.index, read.version))?;
        let (before, map_before, full_before) = (self.context.clone(), self.index_map.clone(), self.full);
        let link = Link::Retrieved { call: read.call.clone(), index: read.index.clone(), version: read.version, part: read.part };
        self.push(Kind::Retrieved, text, read.tokens, link);
        self.archive.count_read(&read.index, read.version, self.t);
        self.reads += 1;
        if read.by == Author::Human {
            self.intervened = true;
            self.remember(seq, false, before, map_before, full_before);
        } else {
            self.reads_this_step += 1;
            self.settle(read.call.as_deref());
        }
        Ok(())
    }

    fn edit(&mut self, edited: &Edited, seq: u64) -> Result<(), String> {
        let (before, map_before, full_before) = (self.context.clone(), self.index_map.clone(), self.full);
        match &edited.change {
            Change::Rewritten { message, text, tokens } => {
                let old = self.context.get(*message).cloned().ok_or("the message is not in M")?;
                let new = Message { text: text.into(), tokens: *tokens, ..(*old).clone() };
                self.full += u64::from(*tokens);
                self.context.replace(*message, Some(Arc::new(new))).ok_or("the message cannot be changed")?;
            }
            Change::Removed { message } => {
                self.context.replace(*message, None).ok_or("the message is not in M")?;
            }
            Change::Added { text, tokens, demands_compression } => {
                self.push(Kind::Notice, Arc::clone(text), *tokens, Link::None);
                self.demands_compression |= demands_compression;
            }
            Change::Dropped { messages } => self.context.drop_oldest(*messages),
        }
        if edited.by == Author::Human {
            self.intervened = true;
            self.remember(seq, false, before, map_before, full_before);
        }
        Ok(())
    }

    fn remember(&mut self, seq: u64, compression: bool, before: Context, map_before: IndexMap, full_before: u64) {
        let entry = Undoable {
            seq,
            compression,
            before,
            map_before,
            after: self.context.clone(),
            map_after: self.index_map.clone(),
            next_message: self.next_message,
            brought: self.full.saturating_sub(full_before),
            settled: Vec::new(),
            settled_tokens: 0,
        };
        Arc::make_mut(&mut self.undo).push(Arc::new(entry));
        self.redo = Arc::default();
    }

    fn undo(&mut self, undone: &Undone) -> Result<(), String> {
        let from = if undone.redo { &mut self.redo } else { &mut self.undo };
        let top = from.last().filter(|u| u.seq == undone.target).cloned().ok_or("it is not the newest change")?;
        Arc::make_mut(from).pop();
        let mut entry = (*top).clone();
        // M is what it was, and what came after the change still follows it.
        let later: Vec<Arc<Message>> =
            self.context.work().iter().filter(|m| m.id.0 >= entry.next_message && !entry.settled.contains(&m.id)).cloned().collect();
        let (context, map) = if undone.redo { (&entry.after, &entry.map_after) } else { (&entry.before, &entry.map_before) };
        self.context = context.clone();
        self.index_map = map.clone();
        self.full = if undone.redo {
            (self.full + entry.brought).saturating_sub(entry.settled_tokens)
        } else {
            self.full.saturating_sub(entry.brought)
        };
        entry.settled.clear();
        entry.settled_tokens = 0;
        if !undone.redo {
            for s in &undone.settled {
                let message = Message {
                    id: MessageId(self.next_message),
                    step: self.t,
                    kind: Kind::Observation,
                    text: (&s.text).into(),
                    tokens: s.tokens,
                    link: Link::Answer(Arc::clone(&s.call)),
                };
                self.next_message += 1;
                self.full += u64::from(s.tokens);
                entry.settled_tokens += u64::from(s.tokens);
                entry.settled.push(message.id);
                self.context.push(Arc::new(message));
            }
        }
        for message in later {
            self.context.push(message);
        }
        if entry.compression {
            self.archive.withdraw(entry.seq, !undone.redo);
            let list = Arc::make_mut(&mut self.compressions);
            if let Some(c) = list.iter_mut().rev().find(|c| c.seq == entry.seq) {
                Arc::make_mut(c).undone = !undone.redo;
            }
        }
        let to = if undone.redo { &mut self.undo } else { &mut self.redo };
        Arc::make_mut(to).push(Arc::new(entry));
        self.intervened = true;
        Ok(())
    }

    fn message(&mut self, kind: Kind, text: impl Into<Text>, tokens: u32, link: Link) -> Arc<Message> {
        let id = MessageId(self.next_message);
        self.next_message += 1;
        Arc::new(Message { id, step: self.t, kind, text: text.into(), tokens, link })
    }

    fn push(&mut self, kind: Kind, text: impl Into<Text>, tokens: u32, link: Link) {
        let message = self.message(kind, text, tokens, link);
        self.full += u64::from(tokens);
        self.context.push(message);
    }

    /// The first event, once there is one.
    #[must_use]
    pub fn started(&self) -> Option<&Arc<Started>> {
        self.started.as_ref()
    }
    /// t: steps begun.
    #[must_use]
    pub fn t(&self) -> u32 {
        self.t
    }
    /// T_max now; a resume may have raised it.
    #[must_use]
    pub fn max_steps(&self) -> u32 {
        self.max_steps
    }
    /// Number of events applied.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }
    /// M.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }
    /// D.
    #[must_use]
    pub fn archive(&self) -> &Archive {
        &self.archive
    }
    /// I of the present σ.
    #[must_use]
    pub fn index_map(&self) -> &IndexMap {
        &self.index_map
    }
    /// Where Algorithm 1 stands.
    #[must_use]
    pub fn phase(&self) -> &Phase {
        &self.phase
    }
    /// The newest answer of the policy.
    #[must_use]
    pub fn turn(&self) -> Option<&Arc<Acted>> {
        self.turn.as_ref()
    }
    /// The call that is to be run now.
    #[must_use]
    pub fn current_call(&self) -> Option<&crate::memory::ToolCall> {
        let Phase::Acting { next } = self.phase else { return None };
        self.turn.as_ref()?.calls.get(next)
    }
    /// A call of the newest answer by its id.
    #[must_use]
    pub fn call(&self, id: &str) -> Option<&crate::memory::ToolCall> {
        self.turn.as_ref()?.calls.iter().find(|c| *c.id == *id)
    }
    /// Tokens that ever entered M_work: what W would be had nothing been removed. ρ is this over W.
    #[must_use]
    pub fn full(&self) -> u64 {
        self.full
    }
    /// Compressions in order, undone ones too.
    #[must_use]
    pub fn compressions(&self) -> &[Arc<Compression>] {
        &self.compressions
    }
    /// Segment number: 1 plus the compressions in force (§3.3).
    #[must_use]
    pub fn segment(&self) -> usize {
        1 + self.compressions.iter().filter(|c| !c.undone).count()
    }
    /// Blocks read into M so far.
    #[must_use]
    pub fn reads(&self) -> u32 {
        self.reads
    }
    /// Blocks that the agent read in the present step.
    #[must_use]
    pub fn reads_this_step(&self) -> u32 {
        self.reads_this_step
    }
    /// Malformed answers and calls so far.
    #[must_use]
    pub fn malformed(&self) -> u32 {
        self.malformed
    }
    /// What the server last said, and in which step.
    #[must_use]
    pub fn usage(&self) -> Option<(u32, Usage)> {
        self.usage
    }
    /// Whether the user demanded a compression of the next answer.
    #[must_use]
    pub fn demands_compression(&self) -> bool {
        self.demands_compression
    }
    /// Whether a human changed M or D.
    #[must_use]
    pub fn intervened(&self) -> bool {
        self.intervened
    }
    /// Event that the next undo takes back.
    #[must_use]
    pub fn undo_target(&self) -> Option<u64> {
        self.undo.last().map(|u| u.seq)
    }
    /// Event that the next redo puts again.
    #[must_use]
    pub fn redo_target(&self) -> Option<u64> {
        self.redo.last().map(|u| u.seq)
    }
    /// Calls that M would hold without a result if the newest change were undone.
    #[must_use]
    pub fn unsettled_by_undo(&self) -> Vec<Arc<str>> {
        self.undo.last().map_or_else(Vec::new, |u| unanswered(&u.before))
    }
    /// Whether an index that D holds is in I: reachable from σ.
    #[must_use]
    pub fn reachable(&self, index: &Index) -> bool {
        self.index_map.contains(index)
    }
}

/// The arguments of a call: a JSON object, or a JSON string that holds one.
fn arguments(text: &str) -> Option<serde_json::Value> {
    match serde_json::from_str(text).ok()? {
        serde_json::Value::String(inner) => serde_json::from_str(&inner).ok(),
        other => Some(other),
    }
}

/// Ids of calls in M that no message answers, in order.
fn unanswered(context: &Context) -> Vec<Arc<str>> {
    let answered: std::collections::HashSet<&str> = context.work().iter().filter_map(|m| m.answers().map(|a| &**a)).collect();
    context
        .work()
        .iter()
        .filter_map(|m| match &m.link {
            Link::Call(call) if !answered.contains(&*call.id) => Some(Arc::clone(&call.id)),
            _ => None,
        })
        .collect()
}
