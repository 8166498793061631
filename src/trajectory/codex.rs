//! Codex CLI: its rollout files, one record a line, `{timestamp, type, payload}`.
//!
//! `response_item` records are what the model got and said; most `event_msg` records repeat them for the screen.

use std::collections::HashSet;

use super::gathered::Gathered;
use super::head::Head;
use super::importer::Importer;
use super::json::Node;
use super::messages::{self, stand_in};
use super::piece::{Piece, Words};
use super::run::Relation;
use super::runs::{RunId, Runs};
use super::time::millis;
use crate::session::Usage;

/// Kinds of `event_msg` that say again what a `response_item` says.
const REPEATS: &[&str] = &[
    "agent_message",
    "agent_message_delta",
    "agent_reasoning",
    "agent_reasoning_delta",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "context_compacted",
    "item_completed",
    "item_started",
    "token_count",
    "user_message",
];

/// How turns begin that Codex writes itself, in the name of the user.
const PREAMBLES: &[&str] =
    &["<environment_context>", "<user_instructions>", "<permissions", "<collaboration_mode>", "<INSTRUCTIONS>", "# AGENTS.md instructions"];

/// How sure it is that this is a rollout.
pub(super) fn looks(head: &Head<'_>) -> u8 {
    let known = |o: &Node<'_>| {
        let kind = o.text("type").unwrap_or_default();
        let of_it = matches!(&*kind, "session_meta" | "turn_context" | "response_item" | "event_msg" | "compacted");
        of_it && o.get("payload").is_some()
    };
    if head.objects().any(known) { 95 } else { 0 }
}

/// Reads rollouts.
#[derive(Debug, Default)]
pub(super) struct Codex {
    run: Option<RunId>,
    pending: Option<Pending>,
    /// Events before each turn of the user, for turns that are rolled back.
    turns: Vec<usize>,
    model: Option<String>,
    /// Tokens of all requests so far, by its own count: prompt, answer, cached.
    totals: Usage,
    described: bool,
}

#[derive(Debug, Default)]
struct Pending {
    answer: Gathered,
    /// The server has ended it.
    complete: bool,
    /// Events before it, once it has been shown before it was known to be whole.
    shown: Option<usize>,
}

impl Importer for Codex {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        let node = &piece.node;
        let run = *self.run.get_or_insert_with(|| runs.add("main", Relation::Main));
        let time = millis(node.get("timestamp"));
        let kind = node.text("type").unwrap_or_default();
        let Some(payload) = node.get("payload").filter(|p| p.is_object()) else {
            return runs.run(run).unmapped(&kind, piece.whole(), "it has no payload");
        };
        if kind != "response_item" {
            runs.run(run).time(time);
        }
        match &*kind {
            "session_meta" if !self.described => self.describe(piece, payload, run, runs),
            "turn_context" => {
                self.model(payload.text("model").map(Into::into), run, runs);
                runs.run(run).unmapped("turn_context", piece.whole(), "settings of a turn");
            }
            "response_item" => self.item(piece, payload, time, run, runs),
            "event_msg" => self.event(piece, payload, run, runs),
            "compacted" => self.compacted(piece, payload, run, runs),
            _ => {
                runs.run(run).unmapped(if kind.is_empty() { "record" } else { &kind }, piece.whole(), "a kind of record that is not known")
            }
        }
    }

    fn pause(&mut self, runs: &mut Runs) {
        let (Some(run), Some(pending)) = (self.run, &mut self.pending) else { return };
        if pending.shown.is_none() {
            pending.shown = Some(runs.run(run).events());
            pending.answer.write(&mut runs.run(run));
        }
    }

    fn finish(&mut self, runs: &mut Runs) {
        if let Some(run) = self.run {
            self.flush(run, runs);
        }
    }
}

impl Codex {
    fn describe(&mut self, piece: &Piece<'_>, payload: &Node<'_>, run: RunId, runs: &mut Runs) {
        self.described = true;
        let mut pen = runs.run(run);
        if let Some(id) = payload.text("id") {
            pen.session(&id);
        }
        pen.origin(|o| {
            o.version = payload.text("cli_version").map(Into::into);
            o.agent = payload.text("originator").map(Into::into).or_else(|| Some("codex".into()));
        });
        let instructions = payload.at(&["base_instructions", "text"]).or_else(|| payload.get("instructions"));
        if let Some(text) = instructions.filter(|n| n.quoted().is_some()) {
            pen.system(piece.words(text));
        }
        pen.unmapped("session_meta", piece.whole(), "what Codex says of the session");
    }

    fn model(&mut self, model: Option<String>, run: RunId, runs: &mut Runs) {
        let Some(model) = model.filter(|m| self.model.as_ref() != Some(m)) else { return };
        self.flush(run, runs);
        let mut pen = runs.run(run);
        if pen.begun() {
            pen.note(format!("from here on the model is {model}"));
        }
        pen.origin(|o| o.model = Some(model.clone()));
        self.model = Some(model);
    }

    /// What was gathered is an answer.
    fn flush(&mut self, run: RunId, runs: &mut Runs) {
        let Some(pending) = self.pending.take() else { return };
        if pending.shown.is_none() {
            pending.answer.write(&mut runs.run(run));
        }
    }

    /// The answer that the item at hand is a part of.
    fn part(&mut self, time: Option<u64>, run: RunId, runs: &mut Runs) -> &mut Gathered {
        if self.pending.as_ref().is_some_and(|p| p.complete || p.answer.answered()) {
            self.flush(run, runs);
        }
        self.reopen(run, runs);
        let pending = self.pending.get_or_insert_default();
        pending.answer.part(time, runs.span());
        &mut pending.answer
    }

    /// What was shown before it was whole is taken back: it gets more.
    fn reopen(&mut self, run: RunId, runs: &mut Runs) {
        if let Some(events) = self.pending.as_mut().and_then(|p| p.shown.take()) {
            runs.take_back(run, events);
        }
    }

    fn item(&mut self, piece: &Piece<'_>, item: &Node<'_>, time: Option<u64>, run: RunId, runs: &mut Runs) {
        let kind = item.text("type").unwrap_or_default();
        let text = |key: &str| item.text(key).unwrap_or_default();
        let id = || item.text("call_id").or_else(|| item.text("id")).unwrap_or_default();
        match &*kind {
            "message" => {
                let words = messages::content(piece, item.get("content")).words();
                let role = item.text("role").unwrap_or_default();
                match &*role {
                    "assistant" => self.part(time, run, runs).say(words),
                    "user" if !is_preamble(words.now()) => {
                        self.flush(run, runs);
                        self.turns.push(runs.run(run).events());
                        let mut pen = runs.run(run);
                        pen.time(time);
                        pen.user(words);
                    }
                    _ => {
                        self.flush(run, runs);
                        let mut pen = runs.run(run);
                        pen.time(time);
                        pen.system(words);
                    }
                }
            }
            "reasoning" => {
                let list: Vec<Words<'_>> = ["summary", "content"]
                    .iter()
                    .flat_map(|key| item.list(key))
                    .filter_map(|part| part.get("text").filter(|t| t.quoted().is_some()))
                    .map(|text| piece.words(text))
                    .collect();
                let answer = self.part(time, run, runs);
                if list.is_empty() && item.get("encrypted_content").is_some_and(|n| n.quoted().is_some()) {
                    answer.think("[reasoning encrypted by the server]".into());
                } else {
                    answer.think(Words::join(list, "\n"));
                }
            }
            "function_call" => {
                let arguments = item.get("arguments").map_or_else(|| "{}".into(), |n| piece.words(n));
                self.part(time, run, runs).call(&id(), &text("name"), arguments);
            }
            "custom_tool_call" => {
                let input = item.get("input").map_or_else(|| "".into(), |n| piece.words(n));
                self.part(time, run, runs).call(&id(), &text("name"), input);
            }
            _ if kind.ends_with("_call") => {
                // A tool of the server or of an older Codex: what it was asked is in one field.
                let asked = ["action", "arguments", "input", "query"].iter().find_map(|key| item.get(key)).unwrap_or(item);
                let name = kind.trim_end_matches("_call").to_owned();
                self.part(time, run, runs).call(&id(), &name, piece.words(asked));
            }
            _ if kind.ends_with("_output") => self.output(piece, item, &id(), time, run, runs),
            _ => {
                let kind = if kind.is_empty() { "response_item" } else { &kind };
                runs.run(run).unmapped(kind, piece.whole(), "a kind of item that is not known");
            }
        }
    }

    fn output(&mut self, piece: &Piece<'_>, item: &Node<'_>, id: &str, time: Option<u64>, run: RunId, runs: &mut Runs) {
        let output = item.get("output").or_else(|| item.get("content")).or_else(|| item.get("tools"));
        // Older ones wrap the text with whether it went well.
        let inner = output.and_then(|o| o.get("content")).or(output);
        let words = match inner.and_then(|n| n.get("text").is_none().then_some(n)).filter(|n| n.is_object()) {
            Some(object) => piece.raw(object),
            None => messages::result_words(piece, inner),
        };
        let failed = [Some(item), output].into_iter().flatten().any(|n| n.get("success").and_then(Node::bool) == Some(false));
        let span = runs.span();
        match &mut self.pending {
            Some(pending) if pending.answer.calls(id) => {
                pending.answer.result(Some(id), words, failed, time, span);
                self.reopen(run, runs);
            }
            _ => {
                self.flush(run, runs);
                let mut pen = runs.run(run);
                pen.time(time);
                pen.result(Some(id), words, failed);
            }
        }
    }

    fn event(&mut self, piece: &Piece<'_>, event: &Node<'_>, run: RunId, runs: &mut Runs) {
        let kind = event.text("type").unwrap_or_default();
        match &*kind {
            "token_count" => self.counted(event.get("info"), run, runs),
            "turn_aborted" => {
                self.flush(run, runs);
                runs.run(run)
                    .note(format!("the turn was aborted: {}", event.text("reason").unwrap_or_else(|| "no reason is given".into())));
            }
            "error" | "stream_error" => {
                runs.run(run).note(format!("{kind}: {}", event.text("message").unwrap_or_default()));
            }
            "thread_rolled_back" => {
                self.flush(run, runs);
                let turns = event.get("num_turns").and_then(Node::u64).and_then(|n| usize::try_from(n).ok()).unwrap_or(1);
                let kept = self.turns.len().saturating_sub(turns);
                if let Some(events) = self.turns.get(kept).copied() {
                    self.turns.truncate(kept);
                    runs.rewind(run, events);
                    let end = if turns == 1 { "" } else { "s" };
                    runs.run(run).note(format!("the user went back {turns} turn{end}; what was left is a run of its own"));
                }
            }
            _ if REPEATS.contains(&&*kind) => {}
            _ => runs.run(run).unmapped(&format!("event_msg {kind}"), piece.whole(), "an event of the screen"),
        }
    }

    /// The server's figures of the answer that was just given.
    fn counted(&mut self, info: Option<&Node<'_>>, run: RunId, runs: &mut Runs) {
        let Some(info) = info.filter(|n| n.is_object()) else { return };
        if let Some(window) = info.get("model_context_window").and_then(Node::u64) {
            runs.run(run).window(window);
        }
        let totals = messages::usage(info.get("total_token_usage")).unwrap_or_default();
        let more = |now: Option<u64>, before: Option<u64>| now.map(|n| n.saturating_sub(before.unwrap_or(0)));
        let since = Usage {
            prompt: more(totals.prompt, self.totals.prompt),
            completion: more(totals.completion, self.totals.completion),
            cached: more(totals.cached, self.totals.cached),
        };
        if totals != Usage::default() {
            self.totals = totals;
        }
        let usage = messages::usage(info.get("last_token_usage")).unwrap_or(since);
        // After a compaction it counts nothing: that is no figure of a request.
        if usage.prompt.is_none_or(|n| n == 0) {
            return;
        }
        if let Some(pending) = &mut self.pending {
            pending.answer.usage = Some(usage);
            pending.complete = true;
            self.reopen(run, runs);
        }
    }

    /// The context was replaced: what stays of it is what the replacement repeats, the summary is the rest.
    fn compacted(&mut self, piece: &Piece<'_>, payload: &Node<'_>, run: RunId, runs: &mut Runs) {
        self.flush(run, runs);
        let message = payload.get("message").filter(|n| n.quoted().is_some()).map(|n| piece.words(n)).filter(|w| !w.is_blank());
        let replacement: Vec<_> = payload.list("replacement_history").iter().map(|item| replaced(piece, item)).collect();
        let mut pen = runs.run(run);
        // Only what can be the same is read: M may be as large as the file.
        let tokens: HashSet<u32> = replacement.iter().map(|r| pen.tokens(r.words.now())).collect();
        let standing: Vec<_> = pen.messages().filter(|m| tokens.contains(&m.tokens)).map(|m| (m.id, m.text.load().into_owned())).collect();
        let (mut kept, mut fresh, mut from) = (Vec::new(), Vec::new(), 0);
        for item in replacement {
            match standing.iter().skip(from).position(|(_, text)| *text == item.words.now()) {
                Some(n) => {
                    kept.extend(standing.get(from + n).map(|s| s.0));
                    from += n + 1;
                }
                None => fresh.push(item),
            }
        }
        // The summary stands in the replacement, often with a heading; the newest one if several are there.
        let at = match &message {
            Some(message) => fresh.iter().rposition(|r| r.words.now().contains(message.now())),
            None => fresh.iter().rposition(|r| r.encrypted).or_else(|| fresh.len().checked_sub(1)),
        };
        let summary = at.map(|n| fresh.remove(n).words).or(message).unwrap_or_default();
        pen.compacted(summary, kept);
        for item in fresh {
            if item.role == "user" && !is_preamble(item.words.now()) { pen.user(item.words) } else { pen.system(item.words) }
        }
    }
}

/// An item of the history that replaces the context.
struct Replaced<'a> {
    role: String,
    words: Words<'a>,
    encrypted: bool,
}

fn replaced<'a>(piece: &Piece<'a>, item: &Node<'a>) -> Replaced<'a> {
    let encrypted = item.get("encrypted_content").is_some_and(|n| n.quoted().is_some());
    let words = match ["content", "output", "arguments"].iter().find_map(|key| item.get(key)) {
        Some(content) => messages::result_words(piece, Some(content)),
        None if encrypted => format!("[summary encrypted by the server, {} bytes]", item.raw().len()).into(),
        None => stand_in(&item.text("type").unwrap_or_else(|| "item".into()), item).into(),
    };
    Replaced { role: item.text("role").unwrap_or_default().into_owned(), words, encrypted }
}

fn is_preamble(text: &str) -> bool {
    let text = text.trim_start();
    PREAMBLES.iter().any(|p| text.starts_with(p))
}
