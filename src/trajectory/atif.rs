//! ATIF: the Agent Trajectory Interchange Format, 1.x: one document a trajectory, its steps by user, system and agent.
//!
//! Steps that are copied from an earlier file (`is_copied_context`) are the context with which this one begins: the first
//! turn of the user is u, the rest stands in σ.

use super::head::Head;
use super::importer::Importer;
use super::json::Node;
use super::messages;
use super::piece::{Piece, Words};
use super::run::{Answer, Called, Pen, Relation};
use super::runs::{RunId, Runs};
use super::time::millis;
use super::tool::tool;

/// The newest version of the format that is known.
const NEWEST: (u64, u64) = (1, 7);

/// How sure it is that this is a trajectory of this format.
pub(super) fn looks(head: &Head<'_>) -> u8 {
    if head.field("schema_version").and_then(Node::str).is_some_and(|v| v.starts_with("ATIF")) {
        return 95;
    }
    if head.field("steps").is_some_and(|s| s.get("step_id").is_some() && s.get("source").is_some()) { 85 } else { 0 }
}

/// Reads trajectories.
#[derive(Debug, Default)]
pub(super) struct Atif {
    document: Option<u64>,
    current: Option<Trajectory>,
}

/// One trajectory.
#[derive(Debug)]
struct Trajectory {
    run: RunId,
    /// Copied turns behind u, to be written as σ.
    copied: Vec<String>,
    /// u is there.
    task: bool,
}

impl Importer for Atif {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        if piece.is_document() {
            return piece.parts().iter().for_each(|part| self.record(part, runs));
        }
        let fresh = self.document.replace(piece.place.document) != Some(piece.place.document);
        if fresh {
            self.finish(runs);
        }
        let current = self.current.get_or_insert_with(|| Trajectory::new(runs.add("main", Relation::Main)));
        current.field(piece, runs);
    }

    fn finish(&mut self, runs: &mut Runs) {
        if let Some(mut current) = self.current.take() {
            current.carry(runs);
        }
    }
}

impl Trajectory {
    fn new(run: RunId) -> Self {
        Self { run, copied: Vec::new(), task: false }
    }

    fn field(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        let node = &piece.node;
        let mut pen = runs.run(self.run);
        match piece.key() {
            "steps" if node.is_object() => self.step(piece, runs),
            "steps" => {}
            "schema_version" => {
                let version = node.str().unwrap_or_default().into_owned();
                if newer(&version) {
                    pen.note(format!("{version} is newer than what this program knows (ATIF-v{}.{})", NEWEST.0, NEWEST.1));
                }
                pen.origin(|o| o.version = Some(version));
            }
            "session_id" | "trajectory_id" if node.quoted().is_some() => pen.session(&node.str().unwrap_or_default()),
            "agent" if node.is_object() => {
                pen.origin(|o| {
                    let version = node.text("version").map(|v| format!(" {v}")).unwrap_or_default();
                    o.agent = node.text("name").map(|name| format!("{name}{version}"));
                    o.model = node.text("model_name").map(Into::into);
                });
                for definition in node.list("tool_definitions") {
                    pen.tool(tool(definition));
                }
                if node.get("extra").is_some() {
                    pen.unmapped("agent", piece.whole(), "what the agent says of itself");
                }
            }
            "continued_trajectory_ref" if node.quoted().is_some() => {
                let file = node.str().unwrap_or_default();
                pen.note(format!("the run goes on in {file}"));
            }
            "subagent_trajectories" if node.get("steps").is_some() => {
                let name = node.text("session_id").or_else(|| node.text("trajectory_id")).unwrap_or_else(|| "sub-agent".into());
                let mut inner = Self::new(runs.add(name, Relation::SubAgent { of: Some(self.run) }));
                piece.parts().iter().for_each(|part| inner.field(part, runs));
                inner.carry(runs);
            }
            key => {
                let key = if key.is_empty() { "record" } else { key };
                pen.unmapped(key, piece.whole(), "a field of the trajectory that is no step");
            }
        }
    }

    /// What was copied behind u becomes σ.
    fn carry(&mut self, runs: &mut Runs) {
        if !self.copied.is_empty() {
            let carried = std::mem::take(&mut self.copied).join("\n\n");
            runs.run(self.run).compacted(carried.into(), Vec::new());
        }
    }

    fn step(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        let node = &piece.node;
        let words = messages::content(piece, node.get("message")).words();
        let source = node.text("source").unwrap_or_default();
        let copied = node.flag("is_copied_context");
        runs.run(self.run).time(millis(node.get("timestamp")));
        if copied && (self.task || source != "user") && source != "system" {
            self.copied.push(copied_step(&source, words.now(), piece, node));
            return;
        }
        if !copied {
            self.carry(runs);
        }
        let mut pen = runs.run(self.run);
        match &*source {
            "user" => {
                self.task = true;
                pen.user(words);
                results(piece, node, false, &mut pen);
            }
            "system" if is_compaction(node, words.now()) => {
                let observed = observation(piece, node);
                let summary = if observed.is_blank() { words } else { observed };
                pen.compacted(summary, Vec::new());
                references(node, &mut pen);
            }
            "system" => {
                pen.system(words);
                results(piece, node, false, &mut pen);
            }
            "agent" => {
                let calls: Vec<(String, String, Words<'_>)> = node
                    .list("tool_calls")
                    .iter()
                    .map(|call| {
                        let text = |key: &str| call.text(key).unwrap_or_default().into_owned();
                        (text("tool_call_id"), text("function_name"), call.get("arguments").map_or_else(|| "{}".into(), |a| piece.words(a)))
                    })
                    .collect();
                let thinking = node.get("reasoning_content").filter(|n| n.quoted().is_some()).map(|n| piece.words(n)).unwrap_or_default();
                pen.answer(Answer {
                    thinking,
                    text: words,
                    calls: calls.iter().map(|(id, name, arguments)| Called { id, name, arguments: arguments.clone() }).collect(),
                    finish: None,
                    usage: messages::usage(node.get("metrics")),
                });
                results(piece, node, !calls.is_empty(), &mut pen);
            }
            _ => pen.unmapped("step", piece.whole(), "its source is not known"),
        }
    }
}

fn newer(version: &str) -> bool {
    let mut numbers = version.rsplit('v').next().unwrap_or("").split('.').map_while(|n| n.parse::<u64>().ok());
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    (major, minor) > NEWEST
}

/// By the convention of the format, or as Terminus says it.
fn is_compaction(step: &Node<'_>, message: &str) -> bool {
    step.at(&["extra", "context_management"]).is_some_and(|c| c.says("type", "compaction"))
        || message.starts_with("Performed context summarization")
}

fn copied_step(source: &str, text: &str, piece: &Piece<'_>, node: &Node<'_>) -> String {
    let mut parts = vec![format!("{source}: {text}")];
    for call in node.list("tool_calls") {
        let arguments = call.get("arguments").map(Node::raw_text).unwrap_or_default();
        parts.push(format!("call {}: {arguments}", call.text("function_name").unwrap_or_default()));
    }
    let observed = observation(piece, node);
    if !observed.is_blank() {
        parts.push(format!("result: {}", observed.now()));
    }
    parts.join("\n")
}

/// All that was observed in a step, as one text.
fn observation<'a>(piece: &Piece<'a>, step: &Node<'a>) -> Words<'a> {
    let list = step.at(&["observation", "results"]).map_or(&[][..], Node::items);
    let texts = list.iter().map(|r| messages::result_words(piece, r.get("content"))).filter(|w| !w.is_blank()).collect();
    Words::join(texts, "\n")
}

fn results(piece: &Piece<'_>, step: &Node<'_>, calls: bool, pen: &mut Pen<'_>) {
    for result in step.at(&["observation", "results"]).map_or(&[][..], Node::items) {
        if let Some(content) = result.get("content").filter(|c| !c.is_null()) {
            let words = messages::result_words(piece, Some(content));
            let id = result.text("source_call_id");
            // Agents without calls get what came of their text as a turn of the user.
            if calls || id.is_some() { pen.result(id.as_deref(), words, false) } else { pen.user(words) }
        }
    }
    references(step, pen);
}

/// Sub-agents that have files of their own.
fn references(step: &Node<'_>, pen: &mut Pen<'_>) {
    for result in step.at(&["observation", "results"]).map_or(&[][..], Node::items) {
        let list = result.get("subagent_trajectory_ref");
        for reference in list.map_or(&[][..], |l| if l.is_object() { std::slice::from_ref(l) } else { l.items() }) {
            let of = ["trajectory_path", "session_id", "trajectory_id"].iter().find_map(|key| reference.text(key));
            pen.note(format!("a sub-agent has a file of its own: {}", of.unwrap_or_else(|| "not named".into())));
        }
    }
}
