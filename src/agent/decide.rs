//! What happens next. Pure: reads the session, returns an event or something to do, changes nothing.

use std::sync::Arc;

use serde_json::Value;

use super::draft::Draft;
use super::{baseline, compress, read, wording};
use crate::memory::tools::{self, ArgumentFault, ToolSpec, decode_compress, decode_read, same_tool};
use crate::memory::{ContextStatus, Index, Link, ToolCall, Version, nearest};
use crate::policy::{Request, Turn};
use crate::session::{
    ActFault, Acted, Author, EndReason, Ended, Event, Malformed, MemoryMode, Observed, ObservedKind, Phase, Session, StatusShown,
};
use crate::text::Text;
use crate::text::tokens::TokenCounter;

/// The next thing to do.
#[derive(Clone, Debug)]
pub enum Next {
    /// This happened: record it.
    Record(Event),
    /// Line 9: ask the policy.
    Ask(Request),
    /// Line 16: get this version from D, then [`answer_read`].
    Fetch {
        /// The call.
        call: Arc<str>,
        /// Its version in the fold; the store must have the same bytes.
        version: Box<Version>,
        /// 1-based part.
        part: u32,
    },
    /// Line 22: run the call in the environment, then record its observation.
    Call {
        /// The call.
        call: ToolCall,
        /// Its arguments, a JSON object.
        arguments: Value,
    },
    /// Line 18: let the environment check the answer, then end.
    Finish {
        /// The call.
        call: ToolCall,
        /// Its arguments.
        arguments: Value,
    },
    /// The run ends; whether it succeeded is for the environment to say.
    End(EndReason, Option<String>),
    /// Nothing: the run has ended or has not begun.
    Rest,
}

/// What the loop needs to know besides the session.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// Counts what enters M.
    pub counter: &'a dyn TokenCounter,
    /// Name of the environment's finish tool.
    pub finish_tool: &'a str,
}

/// The tools that a run offers: the memory tools of its mode, then the environment's.
#[must_use]
pub fn offered(mode: MemoryMode, environment: Vec<ToolSpec>) -> Vec<ToolSpec> {
    let mut list = Vec::new();
    match mode {
        MemoryMode::Memex => list.extend([tools::compress_spec(true), tools::read_spec()]),
        MemoryMode::Summary => list.push(tools::compress_spec(false)),
        MemoryMode::Rag => list.push(tools::search_spec()),
        MemoryMode::Truncate | MemoryMode::Full => {}
    }
    list.extend(environment);
    list
}

/// Reads off the session what comes next.
#[must_use]
pub fn next(session: &Session, rules: Rules<'_>) -> Next {
    let Some(started) = session.started() else { return Next::Rest };
    match session.phase() {
        Phase::Unopened | Phase::Ended(_) => Next::Rest,
        Phase::StepStart => begin_step(session, rules),
        Phase::AwaitPolicy => Next::Ask(Request {
            step: session.t(),
            context: session.context().clone(),
            tools: Arc::clone(&started.tools),
            force: (session.demands_compression() && started.config.mode.compresses()).then_some(tools::COMPRESS),
        }),
        Phase::Acting { .. } => run_call(session, rules, &started.tools, started.config.mode),
    }
}

/// Lines 7–8 and 24.
fn begin_step(session: &Session, rules: Rules<'_>) -> Next {
    let Some(started) = session.started() else { return Next::Rest };
    let config = &started.config;
    if session.t() >= session.max_steps() {
        return Next::End(EndReason::MaxSteps, None);
    }
    let status = ContextStatus::of(session.context(), config.threshold);
    let stored = if config.mode == MemoryMode::Memex { session.archive().indices().collect() } else { Vec::new() };
    let text = status.render(stored, config.mode.compresses());
    let tokens = rules.counter.count(&text);
    if let Some(event) = baseline::make_room(session, u64::from(tokens), rules.counter) {
        return Next::Record(event);
    }
    if let Some(window) = config.window
        && status.total + u64::from(tokens) > window
    {
        let detail = format!("the context has {} tokens, the window {window}", status.total + u64::from(tokens));
        return Next::End(EndReason::ContextOverflow, Some(detail));
    }
    Next::Record(Event::Status(StatusShown {
        text: text.into(),
        tokens,
        working: status.working,
        total: status.total,
        threshold: status.threshold,
    }))
}

/// Lines 11–23, for one call of the answer.
fn run_call(session: &Session, rules: Rules<'_>, offered: &[ToolSpec], mode: MemoryMode) -> Next {
    let Some(turn) = session.turn() else { return Next::Rest };
    match &turn.fault {
        Some(ActFault::Malformed { reason }) => return Next::Record(malformed(None, reason, rules.counter)),
        Some(ActFault::CutAtLimit) => return Next::Record(observed(None, wording::cut_at_limit(), ObservedKind::Reminder, rules.counter)),
        None => {}
    }
    let Some(call) = session.current_call() else {
        return Next::Record(observed(None, &wording::no_call(offered), ObservedKind::Reminder, rules.counter));
    };
    let id = Some(Arc::clone(&call.id));
    if !offered.iter().any(|t| same_tool(&t.name, &call.name)) {
        return Next::Record(observed(id, &wording::unknown_tool(&call.name, offered), ObservedKind::UnknownTool, rules.counter));
    }
    let arguments = match arguments(&call.arguments) {
        Ok(arguments) => arguments,
        Err(reason) => return Next::Record(malformed(id, &reason, rules.counter)),
    };
    if mode.compresses() && same_tool(&call.name, tools::COMPRESS) {
        return Next::Record(compress_call(session, rules, call, &arguments, mode));
    }
    if mode.reads() && same_tool(&call.name, tools::READ) {
        return read_call(session, rules, call, &arguments, mode);
    }
    let call = call.clone();
    if same_tool(&call.name, rules.finish_tool) { Next::Finish { call, arguments } } else { Next::Call { call, arguments } }
}

/// The arguments of a call: a JSON object, or a JSON string that holds one.
fn arguments(text: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(text).map_err(|e| format!("its arguments are not valid JSON ({e})"))?;
    let value = match value {
        Value::String(inner) => serde_json::from_str(&inner).map_err(|e| format!("its arguments are a string that is not JSON ({e})"))?,
        other => other,
    };
    if value.is_object() { Ok(value) } else { Err(format!("its arguments are {}, not an object", tools::json_type(&value))) }
}

fn compress_call(session: &Session, rules: Rules<'_>, call: &ToolCall, arguments: &Value, mode: MemoryMode) -> Event {
    let id = Arc::clone(&call.id);
    let not_run = session
        .turn()
        .map(|t| t.calls.iter().skip_while(|c| c.id != call.id).skip(1).map(|c| c.name.to_string()).collect())
        .unwrap_or_default();
    let planned = decode_compress(arguments, mode == MemoryMode::Memex)
        .map_err(|faults| faults.iter().map(ArgumentFault::to_string).collect::<Vec<_>>())
        .and_then(|args| compress::plan(session, &Draft::from(args), Author::Agent, Some(Arc::clone(&id)), not_run, rules.counter));
    match planned {
        Ok(plan) => Event::Compressed(Box::new(plan.event)),
        Err(faults) => observed(Some(id), &wording::compress_failed(&faults), ObservedKind::Error, rules.counter),
    }
}

fn read_call(session: &Session, rules: Rules<'_>, call: &ToolCall, arguments: &Value, mode: MemoryMode) -> Next {
    let id = Some(Arc::clone(&call.id));
    let field = if mode == MemoryMode::Rag { "query" } else { "db_index" };
    let say = |text: &str, kind| Next::Record(observed(id.clone(), text, kind, rules.counter));
    let args = match decode_read(arguments, field) {
        Ok(args) => args,
        Err(fault) => return say(&format!("ReadExperience was not carried out: {fault}."), ObservedKind::Error),
    };
    if let Some(budget) = session.started().and_then(|s| s.config.read_budget)
        && session.reads_this_step() >= budget
    {
        return say(&wording::read_budget(budget), ObservedKind::Error);
    }
    let found = if mode == MemoryMode::Rag {
        baseline::search(session.archive(), &args.index)
    } else {
        Index::new(&args.index).ok().and_then(|i| session.archive().read(&i))
    };
    match found {
        Some(version) => Next::Fetch { call: Arc::clone(&call.id), version: Box::new(version.clone()), part: args.part },
        None => say(&wording::miss(&args.index, &nearest(&args.index, session.archive().indices(), 3)), ObservedKind::Miss),
    }
}

/// The event of a read whose block has been fetched and checked.
#[must_use]
pub fn answer_read(session: &Session, rules: Rules<'_>, call: &Arc<str>, version: &Version, part: u32) -> Event {
    match read::plan(session, version, part, Author::Agent, Some(Arc::clone(call)), rules.counter) {
        Ok(read) => Event::Read(Box::new(read)),
        Err(why) => observed(Some(Arc::clone(call)), &why, ObservedKind::Error, rules.counter),
    }
}

/// The event of an answer of the policy, counted once here.
#[must_use]
pub fn answer_acted(session: &Session, turn: Turn, counter: &dyn TokenCounter) -> Event {
    let some = |t: Option<String>| t.filter(|t| !t.is_empty()).map(Arc::<str>::from);
    let count = |t: &Option<Arc<str>>| t.as_ref().map_or(0, |t| counter.count(t));
    let (thinking, text) = (some(turn.thinking), some(turn.text));
    // Nothing of an answer with a fault is run, so none of its calls enters M as a call.
    let mut calls = if turn.fault.is_some() { Vec::new() } else { turn.calls };
    for n in 0..calls.len() {
        // Some servers begin their ids anew with each answer.
        let in_m = |id: &str| session.context().work().iter().any(|m| matches!(&m.link, Link::Call(c) if *c.id == *id));
        let repeated = calls.get(n).is_some_and(|c| c.id.is_empty() || calls.iter().take(n).any(|d| d.id == c.id) || in_m(&c.id));
        let fresh: Arc<str> = format!("call_{}_{}", session.t(), n + 1).into();
        if let Some(call) = calls.get_mut(n)
            && repeated
        {
            call.id = fresh;
        }
    }
    let raw = some(turn.raw);
    // A malformed raw answer stands in M as the text that it is, so that the model sees what it wrote.
    let text = text.or_else(|| if turn.fault.is_some() { raw.clone() } else { None });
    Event::Acted(Arc::new(Acted {
        thinking_tokens: count(&thinking),
        thinking: thinking.map(Text::from),
        text_tokens: count(&text),
        text: text.map(Text::from),
        call_tokens: calls.iter().map(|c| counter.count(&c.text())).collect(),
        calls,
        raw,
        finish: turn.finish,
        usage: turn.usage,
        fault: turn.fault,
    }))
}

/// An observation, counted once here.
#[must_use]
pub fn observed(call: Option<Arc<str>>, text: &str, kind: ObservedKind, counter: &dyn TokenCounter) -> Event {
    Event::Observed(Observed {
        call,
        text: text.into(),
        tokens: counter.count(text),
        kind,
        state_changed: (kind != ObservedKind::Tool).then_some(false),
    })
}

fn malformed(call: Option<Arc<str>>, reason: &str, counter: &dyn TokenCounter) -> Event {
    let text = wording::malformed(reason);
    let tokens = counter.count(&text);
    Event::Malformed(Box::new(Malformed { call, reason: reason.to_owned(), text: text.into(), tokens }))
}

/// The event with which a run ends.
#[must_use]
pub fn ended(reason: EndReason, answer: Option<String>, success: Option<bool>, detail: Option<String>) -> Event {
    Event::Ended(Box::new(Ended { reason, answer, success, detail }))
}
