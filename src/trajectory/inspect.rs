//! Inspect: evaluation logs, as `.json` or as an archive (`.eval`) with a file for each sample. Each sample is a run.
//!
//! What the samples' `events` say again (requests, calls) is in their messages; of the others each is kept.

use super::head::Head;
use super::importer::Importer;
use super::json::Node;
use super::messages;
use super::piece::Piece;
use super::run::{Pen, Relation};
use super::runs::Runs;
use super::time::millis;
use super::tool::tool;
use crate::session::EndReason;

/// Kinds of events that say again what the messages say, or frame others.
const REPEATS: &[&str] = &["model", "tool", "state", "store", "step", "span_begin", "span_end", "sample_init", "score"];

/// How sure it is that this is such a log.
pub(super) fn looks(head: &Head<'_>) -> u8 {
    if head.entries.iter().any(|e| e == "header.json" || e.starts_with("samples/")) {
        return 95;
    }
    let log = head.field("eval").is_some_and(|e| e.get("task").is_some() && e.get("model").is_some());
    let sample = |o: &Node<'_>| o.get("epoch").is_some() && o.get("messages").is_some() && o.get("target").is_some();
    if log || head.objects().any(sample) { 90 } else { 0 }
}

/// Reads logs.
#[derive(Debug, Default)]
pub(super) struct Inspect {
    task: Option<String>,
    model: Option<String>,
    version: Option<String>,
}

impl Importer for Inspect {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        let node = &piece.node;
        match piece.entry {
            // They repeat the samples, or sum them up.
            "summaries.json" | "reductions.json" => return,
            entry if entry.starts_with("_journal/") => return,
            _ => {}
        }
        if piece.is_document() {
            if node.get("epoch").is_some() && node.get("messages").is_some() {
                return self.sample(piece, runs);
            }
            return piece.parts().iter().for_each(|part| self.record(part, runs));
        }
        match piece.key() {
            "version" => self.version = Some(node.raw_text().into_owned()),
            "eval" => {
                self.task = node.text("task").map(Into::into);
                self.model = node.text("model").map(Into::into);
            }
            "samples" if node.is_object() => self.sample(piece, runs),
            "samples" | "reductions" => {}
            "error" if !node.is_null() => runs.main().unmapped("error", piece.whole(), "what went wrong with the whole log"),
            _ => {}
        }
    }
}

impl Inspect {
    fn sample(&self, piece: &Piece<'_>, runs: &mut Runs) {
        let resolved = resolve(&piece.node);
        match resolved.as_ref().and_then(|bytes| Node::parse(bytes).ok()) {
            // Texts that were put back in do not stand in the file any more.
            Some(node) => self.write(&Piece::new(piece.place.clone(), piece.entry, node.clone(), node.raw(), None), runs),
            None => self.write(piece, runs),
        }
    }

    fn write(&self, piece: &Piece<'_>, runs: &mut Runs) {
        let node = &piece.node;
        let id = node.get("id").map(|n| n.str().unwrap_or_else(|| n.raw_text()).into_owned()).unwrap_or_default();
        let epoch = node.get("epoch").and_then(Node::u64).unwrap_or(1);
        let run = runs.add(format!("sample {id} epoch {epoch}"), Relation::Main);
        let mut pen = runs.run(run);
        if let Some(id) = node.text("uuid") {
            pen.session(&id);
        }
        pen.origin(|o| {
            o.agent = self.task.as_ref().map(|task| format!("inspect task {task}"));
            o.version.clone_from(&self.version);
            o.model = node.at(&["output", "model"]).and_then(Node::str).map(Into::into).or_else(|| self.model.clone());
        });
        let events = node.list("events");
        let request = events.iter().find(|e| e.says("event", "model"));
        for definition in request.map_or(&[][..], |r| r.list("tools")) {
            pen.tool(tool(definition));
        }
        pen.time(millis(events.first().and_then(|e| e.get("timestamp"))));
        for message in node.list("messages") {
            if !messages::write(piece, message, &mut pen) {
                pen.unmapped("message", piece.raw(message), "it is no message of a role that is known");
            }
        }
        for event in events.iter().filter(|e| !e.text("event").is_some_and(|kind| REPEATS.contains(&&*kind))) {
            let kind = event.text("event").unwrap_or_else(|| "event".into());
            pen.time(millis(event.get("timestamp")));
            pen.unmapped(&kind, piece.raw(event), "an event that is no message");
        }
        pen.time(millis(events.last().and_then(|e| e.get("timestamp"))));
        end(node, &mut pen);
    }
}

/// Scores, limits and errors: how the sample ended.
fn end(sample: &Node<'_>, pen: &mut Pen<'_>) {
    let scores: Vec<(String, &Node<'_>)> =
        sample.get("scores").map_or(&[][..], Node::fields).iter().map(|(k, v)| (k.text().into_owned(), v)).collect();
    let single = sample.get("score").filter(|s| s.is_object()).map(|s| ("score".to_owned(), s));
    let scores: Vec<_> = scores.into_iter().chain(single).collect();
    let value = |score: &Node<'_>| score.get("value").map(|v| v.str().unwrap_or_else(|| v.raw_text()).into_owned());
    let success = scores.first().and_then(|(_, score)| value(score)).and_then(|v| match v.as_str() {
        "C" | "true" | "1" | "1.0" => Some(true),
        "I" | "N" | "false" | "0" | "0.0" => Some(false),
        _ => None,
    });
    let mut detail: Vec<String> = scores.iter().filter_map(|(name, score)| Some(format!("{name}: {}", value(score)?))).collect();
    let error = sample.get("error").filter(|e| e.is_object()).and_then(|e| e.text("message"));
    let limit = sample.get("limit").filter(|l| l.is_object()).and_then(|l| l.text("type"));
    let reason = match (&error, limit.as_deref()) {
        (Some(_), _) => EndReason::EnvironmentError,
        (None, Some("context" | "token")) => EndReason::ContextOverflow,
        (None, Some("operator")) => EndReason::Cancelled,
        (None, Some(_)) => EndReason::MaxSteps,
        (None, None) => EndReason::Finished,
    };
    detail.extend(limit.map(|l| format!("limit: {l}")));
    detail.extend(error.map(Into::into));
    let answer = sample.at(&["output", "completion"]).and_then(Node::str).map(Into::into);
    pen.ended(reason, answer, success, (!detail.is_empty()).then(|| detail.join(" · ")));
}

/// The sample with its long texts, which stand apart as `attachment://…`, put back in; none where nothing stands apart.
fn resolve(sample: &Node<'_>) -> Option<Vec<u8>> {
    const MARK: &[u8] = b"\"attachment://";
    let attachments = sample.get("attachments")?;
    let raw = sample.raw();
    let mut out = Vec::new();
    let mut from = 0;
    for at in memchr::memmem::find_iter(raw, MARK) {
        let name = raw.get(at + MARK.len()..)?;
        let end = memchr::memchr(b'"', name)?;
        let hash = String::from_utf8_lossy(name.get(..end)?);
        if let Some(text) = attachments.get(&hash) {
            out.extend_from_slice(raw.get(from..at)?);
            out.extend_from_slice(text.raw());
            from = at + MARK.len() + end + 1;
        }
    }
    (from > 0).then(|| {
        out.extend_from_slice(raw.get(from..).unwrap_or(&[]));
        out
    })
}
