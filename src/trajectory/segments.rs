//! Segments: the training data of Memex(RL), one segment a line. What a run saw between two compressions is a segment;
//! those of one run follow each other and begin with the same m0 and u.

use super::head::Head;
use super::importer::Importer;
use super::json::Node;
use super::messages;
use super::piece::Piece;
use super::run::Relation;
use super::runs::{RunId, Runs};

/// How sure it is that these are segments.
pub(super) fn looks(head: &Head<'_>) -> u8 {
    let segment = |o: &Node<'_>| o.get("segment_type").is_some() && o.get("messages").is_some();
    let field = head.field("segment_type").is_some() && head.field("messages").is_some();
    if field || head.objects().any(segment) { 90 } else { 0 }
}

/// Reads segments.
#[derive(Debug, Default)]
pub(super) struct Segments {
    run: Option<RunId>,
    /// m0 and u of the run, by which its next segment is known.
    opening: Vec<String>,
    /// Fields of a document that is read in pieces.
    document: Option<(u64, Vec<Vec<u8>>)>,
    count: usize,
}

impl Importer for Segments {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        if piece.key().is_empty() && piece.node.get("messages").is_some() {
            return self.segment(piece, runs);
        }
        // A document of its own, in pieces: its messages are one segment.
        let node = &piece.node;
        if self.document.as_ref().map(|d| d.0) != Some(piece.place.document) {
            self.finish(runs);
            self.document = Some((piece.place.document, Vec::new()));
        }
        if piece.key() == "messages" && node.is_object() {
            if let Some((_, list)) = &mut self.document {
                list.push(node.raw().to_vec());
            }
            return;
        }
        let run = self.run.unwrap_or(0);
        runs.run(run).unmapped(if piece.key().is_empty() { "record" } else { piece.key() }, piece.whole(), "a field that is no message");
    }

    fn finish(&mut self, runs: &mut Runs) {
        if let Some((_, list)) = self.document.take().filter(|(_, list)| !list.is_empty()) {
            let text = [&b"{\"messages\":["[..], &list.join(&b','), &b"]}"[..]].concat();
            if let Ok(node) = Node::parse(&text) {
                let place = super::records::Place::default();
                self.segment(&Piece::new(place, "", node, &text, None), runs);
            }
        }
    }
}

impl Segments {
    fn segment(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        let node = &piece.node;
        let list = node.list("messages");
        let text = |m: &Node<'_>| messages::content(piece, m.get("content")).words().now().to_owned();
        let opening: Vec<String> = list.iter().take_while(|m| m.says("role", "system")).map(text).collect();
        let u = list.get(opening.len()).filter(|m| m.says("role", "user")).map(text);
        let opening: Vec<String> = opening.into_iter().chain(u).collect();
        let follows = self.run.is_some() && !opening.is_empty() && opening == self.opening;
        let run = match self.run {
            Some(run) if follows => run,
            _ => {
                self.count += 1;
                runs.add(format!("run {}", self.count), Relation::Main)
            }
        };
        self.run = Some(run);
        let mut rest = list.iter();
        let mut pen = runs.run(run);
        if follows {
            rest = list.get(opening.len()..).unwrap_or(&[]).iter();
            // σ stands behind u; where the segment has nothing, neither had M.
            let summary = rest.clone().next().filter(|m| !m.says("role", "tool")).filter(|m| m.list("tool_calls").is_empty());
            if summary.is_some() {
                rest.next();
            }
            pen.compressed(summary.map(|m| messages::content(piece, m.get("content")).words()).unwrap_or_default());
        }
        for message in rest {
            if message.says("role", "tool") {
                let words = messages::content(piece, message.get("content")).words();
                pen.result_or_read(message.text("tool_call_id").as_deref(), words, false);
            } else if !messages::write(piece, message, &mut pen) {
                pen.unmapped("message", piece.raw(message), "it is no message of a role that is known");
            }
        }
        let kind = node.text("segment_type").unwrap_or_else(|| "segment".into()).into_owned();
        let at = node.get("compressed_at_step").and_then(Node::u64).map_or_else(String::new, |t| format!(", compressed at step {t}"));
        pen.note(format!("end of a segment ({kind}{at})"));
        for (key, field) in node.fields() {
            let key = key.text();
            if !matches!(&*key, "messages" | "segment_type" | "num_messages" | "compressed_at_step") {
                pen.unmapped(&key, piece.raw(field), "a field of the segment that is no message");
            }
        }
        self.opening = opening;
    }
}
