//! OpenHands: lists of actions and observations (until 2025), and the events of its SDK since (`kind`).
//!
//! A condensation forgets some events and may put a summary in their place; what it does not forget stays in M.

use std::collections::{HashMap, HashSet};

use super::gathered::Gathered;
use super::head::Head;
use super::importer::Importer;
use super::json::Node;
use super::messages;
use super::piece::{Piece, Words};
use super::run::Relation;
use super::runs::{RunId, Runs};
use super::time::millis;
use super::tool::tool;
use crate::memory::MessageId;
use crate::session::EndReason;

/// How sure it is that these are such events.
pub(super) fn looks(head: &Head<'_>) -> u8 {
    let event = |o: &Node<'_>| {
        let old = o.get("source").is_some() && o.get("id").is_some() && (o.get("action").is_some() || o.get("observation").is_some());
        let kind = o.text("kind").unwrap_or_default();
        let new = (kind.ends_with("Event") || kind.starts_with("Condensation")) && o.get("source").is_some();
        old || new
    };
    if head.objects().any(event) { 90 } else { 0 }
}

/// Reads events.
#[derive(Debug, Default)]
pub(super) struct OpenHands {
    run: Option<RunId>,
    pending: Option<Pending>,
    /// Messages that came of an event: the first, and the one behind the last.
    made: HashMap<String, (MessageId, MessageId)>,
}

#[derive(Debug, Default)]
struct Pending {
    /// The answer of the server that the actions came of.
    response: Option<String>,
    events: Vec<String>,
    answer: Gathered,
}

impl Importer for OpenHands {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        let node = &piece.node;
        let run = *self.run.get_or_insert_with(|| runs.add("main", Relation::Main));
        if piece.is_document() && (node.get("history").is_some() || node.get("events").is_some() || !node.items().is_empty()) {
            return piece.parts().iter().for_each(|part| self.record(part, runs));
        }
        if !matches!(piece.key(), "" | "history" | "events" | "trajectory") || !node.is_object() {
            return runs.run(run).unmapped(if piece.key().is_empty() { "record" } else { piece.key() }, piece.whole(), "it is no event");
        }
        let id = node.get("id").map(|n| n.str().unwrap_or_else(|| n.raw_text()).into_owned()).unwrap_or_default();
        let event = Event { piece, node, id, time: millis(node.get("timestamp")), run };
        if node.get("kind").is_some() { self.event(&event, runs) } else { self.old(&event, runs) }
    }

    fn pause(&mut self, runs: &mut Runs) {
        self.flush(runs);
    }

    fn finish(&mut self, runs: &mut Runs) {
        self.flush(runs);
    }
}

/// An event at hand.
struct Event<'p, 'a> {
    piece: &'p Piece<'a>,
    node: &'p Node<'a>,
    id: String,
    time: Option<u64>,
    run: RunId,
}

impl<'a> Event<'_, 'a> {
    fn text(&self, path: &[&str]) -> Option<Words<'a>> {
        self.node.at(path).filter(|n| n.quoted().is_some()).map(|n| self.piece.words(n))
    }

    fn unmapped(&self, kind: &str, why: &str, runs: &mut Runs) {
        let mut pen = runs.run(self.run);
        pen.unmapped(kind, self.piece.whole(), why);
    }
}

impl OpenHands {
    fn flush(&mut self, runs: &mut Runs) {
        let (Some(pending), Some(run)) = (self.pending.take(), self.run) else { return };
        let mut pen = runs.run(run);
        let from = pen.next_message();
        pending.answer.write(&mut pen);
        for event in pending.events {
            self.made.insert(event, (from, pen.next_message()));
        }
    }

    /// A turn that is no answer.
    fn turn(&mut self, event: &Event<'_, '_>, words: Words<'_>, system: bool, runs: &mut Runs) {
        self.flush(runs);
        let mut pen = runs.run(event.run);
        pen.time(event.time);
        let from = pen.next_message();
        if system {
            pen.system(words)
        } else {
            pen.user(words)
        }
        let to = pen.next_message();
        self.made.insert(event.id.clone(), (from, to));
    }

    /// The answer that the event is a part of.
    fn answer(&mut self, event: &Event<'_, '_>, response: Option<String>, runs: &mut Runs) -> &mut Gathered {
        if self.pending.as_ref().is_some_and(|p| p.response.is_none() || p.response != response) {
            self.flush(runs);
        }
        let pending = self.pending.get_or_insert_with(|| Pending { response, ..Pending::default() });
        pending.events.push(event.id.clone());
        pending.answer.part(event.time, runs.span());
        &mut pending.answer
    }

    fn result(&mut self, event: &Event<'_, '_>, call: Option<&str>, words: Words<'_>, error: bool, runs: &mut Runs) {
        let span = runs.span();
        if let Some(pending) = &mut self.pending
            && call.is_some_and(|id| pending.answer.calls(id))
        {
            pending.answer.result(call, words, error, event.time, span);
            pending.events.push(event.id.clone());
            return;
        }
        self.flush(runs);
        let mut pen = runs.run(event.run);
        pen.time(event.time);
        let from = pen.next_message();
        pen.result(call, words, error);
        let to = pen.next_message();
        self.made.insert(event.id.clone(), (from, to));
    }

    fn condensed(&mut self, event: &Event<'_, '_>, forgotten: HashSet<String>, summary: Option<Words<'_>>, runs: &mut Runs) {
        self.flush(runs);
        let mut ranges: Vec<_> = forgotten.iter().filter_map(|event| self.made.get(event)).copied().collect();
        ranges.sort_unstable();
        // Ranges of different events do not overlap, but for parts of one answer, which are the same.
        let gone = |id: MessageId| {
            let before = ranges.partition_point(|(from, _)| *from <= id);
            before.checked_sub(1).and_then(|n| ranges.get(n)).is_some_and(|(_, to)| id < *to)
        };
        let mut pen = runs.run(event.run);
        pen.time(event.time);
        let kept = pen.messages().map(|m| m.id).filter(|id| !gone(*id)).collect();
        pen.compacted(summary.unwrap_or_default(), kept);
    }

    fn old(&mut self, event: &Event<'_, '_>, runs: &mut Runs) {
        let node = event.node;
        if let Some(observation) = node.text("observation") {
            let words = event.text(&["content"]).unwrap_or_default();
            return match &*observation {
                "null" | "agent_state_changed" | "recall" => {
                    event.unmapped(&format!("observation {observation}"), "nothing the model sees", runs)
                }
                _ => {
                    let cause = node.get("cause").map(|c| c.raw_text().into_owned());
                    self.result(event, cause.as_deref(), words, observation == "error", runs);
                }
            };
        }
        let action = node.text("action").unwrap_or_default();
        let from_user = node.says("source", "user");
        let argument = |key: &str| event.text(&["args", key]).unwrap_or_default();
        match &*action {
            "system" => self.turn(event, argument("content"), true, runs),
            "message" if from_user => self.turn(event, argument("content"), false, runs),
            "message" => self.answer(event, None, runs).say(argument("content")),
            "condensation" => {
                let number = |key: &str| node.at(&["args", key]).and_then(Node::u64);
                let range = number("forgotten_events_start_id").zip(number("forgotten_events_end_id"));
                let listed = node.at(&["args", "forgotten_event_ids"]).map_or(&[][..], Node::items);
                let mut forgotten: HashSet<String> = listed.iter().map(|n| n.raw_text().into_owned()).collect();
                if let Some((from, to)) = range {
                    let within = |id: &&String| id.parse().is_ok_and(|n: u64| (from..=to).contains(&n));
                    self.flush(runs);
                    forgotten.extend(self.made.keys().filter(within).cloned());
                }
                self.condensed(event, forgotten, event.text(&["args", "summary"]), runs);
            }
            "" | "change_agent_state" | "null" | "recall" | "condensation_request" | "pause" | "resume" | "start" | "stop" => {
                event.unmapped(&format!("action {action}"), "nothing the model sees", runs);
            }
            _ if from_user => event.unmapped(&format!("action {action}"), "an act of the user", runs),
            _ => {
                let metadata = node.get("tool_call_metadata");
                let response = metadata.and_then(|m| m.at(&["model_response", "id"])).and_then(Node::str).map(Into::into);
                let usage = metadata.and_then(|m| messages::usage(m.at(&["model_response", "usage"])));
                let finish =
                    (action == "finish").then(|| ["final_thought", "thought"].iter().find_map(|key| node.at(&["args", key])?.str()));
                let thought = argument("thought");
                let arguments = node.get("args").map_or_else(|| "{}".into(), |a| event.piece.raw(a));
                let id = event.id.clone();
                let answer = self.answer(event, response, runs);
                answer.say(thought);
                answer.call(&id, &action, arguments);
                answer.usage = usage.or(answer.usage);
                if let Some(said) = finish {
                    self.flush(runs);
                    runs.run(event.run).ended(EndReason::Finished, said.map(Into::into), None, None);
                }
            }
        }
    }

    fn event(&mut self, event: &Event<'_, '_>, runs: &mut Runs) {
        let node = event.node;
        let kind = node.text("kind").unwrap_or_default();
        match &*kind {
            "SystemPromptEvent" => {
                for definition in node.list("tools") {
                    runs.run(event.run).tool(tool(definition));
                }
                let words = event.text(&["system_prompt", "text"]).or_else(|| event.text(&["system_prompt"])).unwrap_or_default();
                self.turn(event, words, true, runs);
            }
            "MessageEvent" => {
                let message = node.get("llm_message");
                let words = messages::content(event.piece, message.and_then(|m| m.get("content"))).words();
                if node.says("source", "agent") || message.is_some_and(|m| m.says("role", "assistant")) {
                    let response = node.text("llm_response_id").map(Into::into);
                    let thinking = message.and_then(|m| m.get("reasoning_content")).filter(|n| n.quoted().is_some());
                    let answer = self.answer(event, response, runs);
                    if let Some(thinking) = thinking {
                        answer.think(event.piece.words(thinking));
                    }
                    answer.say(words);
                } else {
                    self.turn(event, words, message.is_some_and(|m| m.says("role", "system")), runs);
                }
            }
            "ActionEvent" => {
                let response = node.text("llm_response_id").map(Into::into);
                let thought = messages::content(event.piece, node.get("thought")).words();
                let call = node.get("tool_call");
                let arguments =
                    call.and_then(|c| c.get("arguments").or_else(|| c.at(&["function", "arguments"]))).or_else(|| node.get("action"));
                let arguments = arguments.map_or_else(|| "{}".into(), |n| event.piece.words(n));
                let id = node.text("tool_call_id").unwrap_or_else(|| event.id.as_str().into());
                let name = node.text("tool_name").unwrap_or_default();
                let answer = self.answer(event, response, runs);
                if let Some(thinking) = event.text(&["reasoning_content"]) {
                    answer.think(thinking);
                }
                answer.say(thought);
                answer.call(&id, &name, arguments);
                if name == "finish" {
                    self.flush(runs);
                    let said = ["message", "final_thought"].iter().find_map(|key| node.at(&["action", key])?.str());
                    runs.run(event.run).ended(EndReason::Finished, said.map(Into::into), None, None);
                }
            }
            "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation" => {
                let seen = node.get("observation");
                let content = seen.and_then(|o| ["content", "output", "text", "result"].iter().find_map(|key| o.get(key)));
                let words = match content {
                    Some(content) => messages::result_words(event.piece, Some(content)),
                    None => ["error", "rejection_reason"]
                        .iter()
                        .find_map(|key| event.text(&[key]))
                        .or_else(|| seen.map(|o| event.piece.words(o)))
                        .unwrap_or_default(),
                };
                let error = kind != "ObservationEvent" || seen.is_some_and(|o| o.flag("is_error"));
                self.result(event, node.text("tool_call_id").as_deref(), words, error, runs);
            }
            "Condensation" => {
                let forgotten = node.list("forgotten_event_ids").iter().filter_map(Node::str).map(Into::into).collect();
                self.condensed(event, forgotten, event.text(&["summary"]), runs);
            }
            _ => event.unmapped(&kind, "nothing the model sees", runs),
        }
    }
}
