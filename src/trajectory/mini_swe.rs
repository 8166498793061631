//! mini-swe-agent: `.traj.json` files, one document with `messages` and `info`; older ones are the messages alone.
//!
//! Its models write one shell command in a fenced block, which is read as a call of `bash`.

use super::head::Head;
use super::importer::Importer;
use super::inline::{self, Inline};
use super::json::Node;
use super::piece::Piece;
use super::runs::Runs;
use super::swe::Ending;
use super::time::millis;

/// How sure it is that this is such a file.
pub(super) fn looks(head: &Head<'_>) -> u8 {
    let format = head.field("trajectory_format").and_then(Node::str).is_some_and(|f| f.starts_with("mini-swe-agent"));
    let info = head.field("info").is_some_and(|i| i.get("mini_version").is_some() || i.get("exit_status").is_some());
    let command = |n: &Node<'_>| {
        n.says("role", "assistant") && n.text("content").is_some_and(|c| c.contains("```mswea_bash_command") || c.contains("```bash\n"))
    };
    if format || info && head.field("messages").is_some() {
        85
    } else if head.objects().any(command) && head.pieces.iter().all(|p| p.place.item.is_some()) {
        55
    } else {
        0
    }
}

/// Reads such files.
#[derive(Debug, Default)]
pub(super) struct MiniSwe {
    inline: Inline,
    ending: Option<Ending>,
}

impl Importer for MiniSwe {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        if piece.is_document() {
            return piece.parts().iter().for_each(|part| self.record(part, runs));
        }
        let node = &piece.node;
        let mut pen = runs.main();
        match piece.key() {
            "" | "messages" if node.is_object() => {
                let extra = node.get("extra");
                pen.time(millis(node.get("timestamp").or_else(|| extra?.get("timestamp"))));
                if node.says("role", "exit") {
                    self.ending = extra.and_then(Ending::read).or(self.ending.take());
                } else if !self.inline.message(piece, node, &mut pen, inline::fenced) {
                    pen.unmapped("message", piece.whole(), "it is no message of a role that is known");
                }
            }
            "messages" => {}
            "info" => {
                pen.origin(|o| {
                    o.agent = Some("mini-swe-agent".into());
                    o.version = node.text("mini_version").map(Into::into);
                    o.model = node.at(&["config", "model", "model_name"]).and_then(Node::str).map(Into::into);
                });
                self.ending = Ending::read(node);
                pen.unmapped("info", piece.whole(), "figures of the whole run");
            }
            "trajectory_format" => pen.origin(|o| o.version = o.version.take().or_else(|| node.str().map(Into::into))),
            key => pen.unmapped(if key.is_empty() { "record" } else { key }, piece.whole(), "a field of the file that is no message"),
        }
    }

    fn finish(&mut self, runs: &mut Runs) {
        if let Some(ending) = self.ending.take() {
            ending.write(&mut runs.main());
        }
    }
}
