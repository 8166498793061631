//! SWE-agent: `.traj` files, one document with `trajectory`, `history` and `info`.
//!
//! `history` is what the model saw and is read where it is there; `trajectory` repeats its actions and observations, and is
//! read where there is no history.

use super::head::Head;
use super::importer::Importer;
use super::inline::{Inline, Parts};
use super::json::Node;
use super::messages;
use super::piece::Piece;
use super::run::{Answer, Called, Relation};
use super::runs::{RunId, Runs};
use super::swe::Ending;

/// How sure it is that this is such a file.
pub(super) fn looks(head: &Head<'_>) -> u8 {
    let step = head.field("trajectory").is_some_and(|s| s.get("action").is_some() && s.get("observation").is_some());
    let history = head.field("history").is_some_and(|m| m.get("role").is_some() && m.get("agent").is_some());
    if step || history { 90 } else { 0 }
}

/// Reads such files.
#[derive(Debug, Default)]
pub(super) struct SweAgent {
    /// Agents with their runs.
    agents: Vec<(String, RunId, Inline)>,
    from_history: bool,
    ending: Option<Ending>,
}

impl Importer for SweAgent {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        if piece.is_document() {
            return piece.parts().iter().for_each(|part| self.record(part, runs));
        }
        let node = &piece.node;
        match piece.key() {
            "trajectory" if self.from_history => {}
            "trajectory" if node.is_object() => step(piece, runs),
            "history" if node.is_object() => self.history(piece, runs),
            "history" | "trajectory" => {}
            "info" => {
                self.ending = Ending::read(node);
                runs.main().unmapped("info", piece.whole(), "figures of the whole run");
            }
            "environment" => runs.main().origin(|o| o.agent = node.str().map(|e| format!("SWE-agent ({e})"))),
            key => runs.main().unmapped(key, piece.whole(), "a field of the file that is no message"),
        }
    }

    fn finish(&mut self, runs: &mut Runs) {
        if let Some(ending) = self.ending.take() {
            ending.write(&mut runs.main());
        }
    }
}

impl SweAgent {
    fn history(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        let node = &piece.node;
        if !std::mem::replace(&mut self.from_history, true) {
            // What was read of `trajectory` stands in here again, with what the model saw besides.
            runs.again(0);
        }
        let agent = node.text("agent").unwrap_or_default();
        let n = self.agents.iter().position(|a| a.0 == agent).unwrap_or_else(|| {
            let first = self.agents.is_empty();
            let run = if first { 0 } else { runs.add(agent.clone().into_owned(), Relation::SubAgent { of: Some(0) }) };
            self.agents.push((agent.clone().into_owned(), run, Inline::default()));
            self.agents.len() - 1
        });
        let Some((_, run, inline)) = self.agents.get_mut(n) else { return };
        let mut pen = runs.run(*run);
        if node.flag("is_demo") {
            // A demonstration is part of what the agent is told, not its task.
            return pen.system(messages::content(piece, node.get("content")).words());
        }
        if !inline.message(piece, node, &mut pen, action) {
            pen.unmapped("history", piece.whole(), "it is no message of a role that is known");
        }
    }
}

/// The action of an answer without calls, and the thought before it.
fn action<'a>(piece: &Piece<'a>, node: &Node<'a>) -> Option<Parts<'a>> {
    let action = node.get("action").filter(|a| a.quoted().is_some()).map(|a| piece.words(a)).filter(|w| !w.is_blank())?;
    let said = ["thought", "content"].iter().find_map(|key| node.get(key)).map(|t| piece.words(t)).unwrap_or_default();
    Some(Parts { text: said, tool: "action".into(), arguments: action })
}

/// A step of `trajectory`.
fn step(piece: &Piece<'_>, runs: &mut Runs) {
    let node = &piece.node;
    let words = |key: &str| node.get(key).map(|n| piece.words(n)).unwrap_or_default();
    let mut pen = runs.main();
    let query = node.get("query").or_else(|| node.get("messages"));
    if let Some(query) = query.filter(|q| !q.items().is_empty()) {
        pen.sent(piece.raw(query));
    }
    let text = if words("thought").is_blank() { words("response") } else { words("thought") };
    let action = words("action");
    let calls = if action.is_blank() { Vec::new() } else { vec![Called { id: "", name: "action", arguments: action }] };
    let acts = !calls.is_empty();
    pen.answer(Answer { text, calls, ..Answer::default() });
    let observed = words("observation");
    if acts {
        pen.result(None, observed, false);
    } else if !observed.is_blank() {
        pen.user(observed);
    }
}
