//! Claude Code: its session files, one record a line, in a tree by `uuid` and `parentUuid`.
//!
//! Order is that of the file: times run backwards in real ones. Answers come in parts that share `message.id`, with
//! results between them. Where the user went back, the chain that was left becomes a run of its own; so does every
//! sub-agent (`isSidechain`).

use std::collections::{HashMap, HashSet};

use super::claude_chain::{Chain, Chains};
use super::head::Head;
use super::importer::Importer;
use super::json::Node;
use super::messages;
use super::piece::{Piece, Words};
use super::run::Relation;
use super::runs::{RunId, Runs};
use super::time::millis;

/// Kinds of records that are no part of the conversation, and stand between those that are.
const BESIDE: &[&str] = &["progress", "attachment", "system", "file-history-snapshot", "queue-operation"];

/// How sure it is that this is such a session.
pub(super) fn looks(head: &Head<'_>) -> u8 {
    let known = |o: &Node<'_>| {
        let kind = o.text("type").unwrap_or_default();
        let turn = matches!(&*kind, "user" | "assistant") && o.get("message").is_some();
        turn && (o.get("uuid").is_some() || o.get("parentUuid").is_some() || o.get("sessionId").is_some())
            || kind == "system" && o.get("subtype").is_some() && o.get("uuid").is_some()
            || kind == "summary" && o.get("leafUuid").is_some()
            || kind == "file-history-snapshot"
    };
    if head.field("loglines").is_some() || head.objects().any(known) { 95 } else { 0 }
}

/// Reads sessions.
#[derive(Debug, Default)]
pub(super) struct Claude {
    chains: Chains,
    main: Option<Chain>,
    /// Chains of sub-agents, by the id that newer versions give them.
    agents: HashMap<String, Chain>,
    newest_agent: Option<Chain>,
    /// Records with their messages: resumed sessions repeat those that they go on from.
    seen: HashSet<(String, [u8; 32])>,
    /// A boundary whose summary has not come yet, with its chain.
    boundary: Option<(Chain, Boundary)>,
}

#[derive(Debug, Default)]
struct Boundary {
    /// First and last record of what stays behind the summary.
    kept: Option<(String, String)>,
}

impl Importer for Claude {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        match piece.key() {
            "" if piece.is_document() && piece.node.get("loglines").is_some() => {
                piece.parts().iter().for_each(|part| self.record(part, runs));
            }
            "" | "loglines" => self.line(piece, runs),
            key => {
                let run = self.main(runs).run(&self.chains);
                runs.run(run).unmapped(key, piece.whole(), "a field of the session that is no record");
            }
        }
    }

    fn pause(&mut self, runs: &mut Runs) {
        self.chains.show(runs);
    }

    fn finish(&mut self, runs: &mut Runs) {
        self.bound(None, runs);
        self.chains.flush_all(runs);
    }
}

impl Claude {
    fn main(&mut self, runs: &mut Runs) -> Chain {
        *self.main.get_or_insert_with(|| self.chains.begin(runs, "main", Relation::Main))
    }

    /// The chain that a record belongs to.
    fn chain(&mut self, node: &Node<'_>, runs: &mut Runs) -> Chain {
        if !node.flag("isSidechain") {
            let parent = node.text("parentUuid").or_else(|| node.text("logicalParentUuid"));
            let known = parent.and_then(|id| self.chains.of(&id)).filter(|c| !self.agents.values().any(|a| a == c));
            return known.unwrap_or_else(|| self.main(runs));
        }
        let agent = node.text("agentId").map(std::borrow::Cow::into_owned);
        let hangs_on = node.text("parentUuid");
        let parent = hangs_on.as_ref().and_then(|id| self.chains.of(id));
        let known = match (&agent, parent) {
            (Some(id), _) => self.agents.get(id).copied(),
            (None, Some(parent)) => Some(parent).filter(|c| Some(*c) != self.main),
            // One that hangs on nothing begins; one whose parent is not there goes on.
            (None, None) => self.newest_agent.filter(|_| hangs_on.is_some()),
        };
        if let Some(chain) = known {
            return chain;
        }
        let of = self.main.map(|c| c.run(&self.chains));
        let name = agent.as_ref().map_or_else(|| format!("sub-agent {}", self.agents.len() + 1), |id| format!("sub-agent {id}"));
        let chain = self.chains.begin(runs, &name, Relation::SubAgent { of });
        self.newest_agent = Some(chain);
        self.agents.insert(agent.unwrap_or(name), chain);
        chain
    }

    fn line(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        let node = &piece.node;
        let kind = node.text("type").unwrap_or_default();
        if !node.is_object() {
            let run = self.main(runs).run(&self.chains);
            return runs.run(run).unmapped("record", piece.whole(), "it is no object");
        }
        let chain = self.chain(node, runs);
        let run = chain.run(&self.chains);
        let time = millis(node.get("timestamp"));
        // What is gathered has its own times.
        if !self.chains.is_pending(chain) {
            runs.run(run).time(time);
        }
        self.describe(node, run, runs);
        let id = node.text("uuid").unwrap_or_default();
        let parent = node.text("parentUuid").unwrap_or_default();
        let repeated = matches!(&*kind, "user" | "assistant") && !id.is_empty() && {
            let message = node.get("message").map_or(&[][..], Node::raw);
            !self.seen.insert((id.clone().into_owned(), *blake3::hash(message).as_bytes()))
        };
        if repeated {
            return runs.run(run).unmapped(&kind, piece.whole(), "a record of the same uuid stands before it");
        }
        let message = node.get("message").filter(|m| m.get("content").is_some());
        match (&*kind, message) {
            ("assistant", Some(message)) if node.flag("isApiErrorMessage") || message.says("model", "<synthetic>") => {
                self.chains.alias(&id, &parent);
                runs.run(run).unmapped("synthetic answer", piece.whole(), "written by Claude Code itself, not by the model");
            }
            ("assistant", Some(message)) => {
                self.bound(Some(chain), runs);
                self.chains.attach(chain, &id, &parent, message.text("id").as_deref(), runs);
                self.answer(piece, message, chain, time, runs);
            }
            ("user", Some(message)) if node.flag("isCompactSummary") => {
                let words = messages::content(piece, message.get("content")).words();
                self.compacted(chain, words, runs);
                self.chains.group(chain, &id, runs);
            }
            ("user", Some(message)) => self.user(piece, message, (&id, &parent), chain, time, runs),
            ("system", _) if node.says("subtype", "compact_boundary") => {
                self.bound(None, runs);
                self.chains.flush(chain, runs);
                let meta = node.get("compactMetadata");
                let field = |key: &str| meta.and_then(|m| m.text(key)).unwrap_or_else(|| "unknown".into()).into_owned();
                let before = meta.and_then(|m| m.get("preTokens")).and_then(Node::u64);
                let before = before.map_or_else(String::new, |n| format!(", {n} tokens before it by its own count"));
                let mut pen = runs.run(run);
                pen.time(time);
                pen.note(format!("Claude Code compacted the conversation (trigger: {}{before})", field("trigger")));
                let segment = meta.and_then(|m| m.get("preservedSegment"));
                let kept = segment.and_then(|s| Some((s.text("headUuid")?.into_owned(), s.text("tailUuid")?.into_owned())));
                self.boundary = Some((chain, Boundary { kept }));
                self.chains.place(chain, &id, runs);
            }
            ("summary" | "custom-title" | "ai-title" | "agent-name", _) => {
                let title = ["summary", "customTitle", "aiTitle", "title", "agentName", "name"].iter().find_map(|key| node.text(key));
                match title {
                    Some(title) => runs.run(run).note(format!("{kind}: {title}")),
                    None => runs.run(run).unmapped(&kind, piece.whole(), "a title without its text"),
                }
            }
            (beside, _) if BESIDE.contains(&beside) => {
                self.chains.alias(&id, &parent);
                let kind = node.text("subtype").map_or_else(|| kind.to_string(), |subtype| format!("{kind} {subtype}"));
                runs.run(run).unmapped(&kind, piece.whole(), "no turn of the conversation");
            }
            _ => {
                self.chains.alias(&id, &parent);
                runs.run(run).unmapped(if kind.is_empty() { "record" } else { &kind }, piece.whole(), "a kind of record that is not known");
            }
        }
    }

    fn describe(&self, node: &Node<'_>, run: RunId, runs: &mut Runs) {
        let mut pen = runs.run(run);
        if pen.begun() {
            return;
        }
        if let Some(id) = node.text("sessionId") {
            pen.session(&id);
        }
        pen.origin(|o| {
            o.agent = Some("claude-code".into());
            o.version = o.version.take().or_else(|| node.text("version").map(Into::into));
            let model = node.get("message").and_then(|m| m.text("model")).filter(|m| m != "<synthetic>");
            o.model = o.model.take().or_else(|| model.map(Into::into));
        });
    }

    fn answer(&mut self, piece: &Piece<'_>, message: &Node<'_>, chain: Chain, time: Option<u64>, runs: &mut Runs) {
        let parts = messages::content(piece, message.get("content"));
        let calls = messages::Calls::of(piece, message, &parts.uses);
        let span = runs.span();
        let results = parts.results.clone();
        let answer = self.chains.answer(chain, runs);
        answer.part(time, span);
        for thinking in &parts.thinking {
            answer.think(thinking.clone());
        }
        answer.say(parts.words());
        for call in calls.called() {
            answer.call(call.id, call.name, call.arguments);
        }
        for result in &results {
            let words = messages::result_words(piece, result.get("content"));
            answer.result(result.text("tool_use_id").as_deref(), words, result.flag("is_error"), time, span);
        }
        answer.finish = message.text("stop_reason").map(Into::into).or(answer.finish.take());
        answer.usage = messages::usage(message.get("usage")).or(answer.usage);
    }

    fn user(
        &mut self,
        piece: &Piece<'_>,
        message: &Node<'_>,
        (id, parent): (&str, &str),
        chain: Chain,
        time: Option<u64>,
        runs: &mut Runs,
    ) {
        let parts = messages::content(piece, message.get("content"));
        let says = !parts.text.is_empty() || !parts.other.is_empty();
        let results = parts.results.clone();
        self.bound(Some(chain), runs);
        if says || results.is_empty() {
            // A prompt. Results in the same record belong before it.
            if results.is_empty() {
                self.chains.attach(chain, id, parent, None, runs);
            } else {
                self.results(piece, &results, chain, time, runs);
                self.chains.flush(chain, runs);
                self.chains.group(chain, id, runs);
            }
            let mut pen = runs.run(chain.run(&self.chains));
            pen.time(time);
            let words = parts.words();
            // What Claude Code adds in the user's name is no task.
            if piece.node.flag("isMeta") { pen.system(words) } else { pen.user(words) }
        } else {
            self.results(piece, &results, chain, time, runs);
            self.chains.place(chain, id, runs);
        }
    }

    fn results(&mut self, piece: &Piece<'_>, results: &[Node<'_>], chain: Chain, time: Option<u64>, runs: &mut Runs) {
        for result in results {
            let words = messages::result_words(piece, result.get("content"));
            self.chains.result(chain, result.text("tool_use_id").as_deref(), words, result.flag("is_error"), time, runs);
        }
    }

    /// A boundary without a summary: what follows it, or the end, shows that none comes.
    fn bound(&mut self, next: Option<Chain>, runs: &mut Runs) {
        if let Some((chain, _)) = &self.boundary
            && next.is_none_or(|next| next == *chain)
        {
            let chain = *chain;
            self.compacted(chain, Words::default(), runs);
        }
    }

    fn compacted(&mut self, chain: Chain, summary: Words<'_>, runs: &mut Runs) {
        self.chains.flush(chain, runs);
        let boundary = self.boundary.take_if(|(of, _)| *of == chain).map(|(_, b)| b).unwrap_or_default();
        let kept = boundary.kept.map(|(head, tail)| self.chains.messages(chain, &head, &tail, runs)).unwrap_or_default();
        runs.run(chain.run(&self.chains)).compacted(summary, kept);
    }
}
