//! Inline: chat messages of agents that write their calls into the text of an answer and get results as turns of the user.

use super::json::Node;
use super::messages;
use super::piece::{Piece, Words};
use super::run::{Answer, Called, Pen};

/// Languages of a fenced block that is a command to be run.
const SHELLS: &[&str] = &["bash", "sh", "shell", "mswea_bash_command"];

/// An answer taken apart.
pub(super) struct Parts<'a> {
    /// What stands around the call.
    pub(super) text: Words<'a>,
    /// The tool.
    pub(super) tool: String,
    /// What it is asked.
    pub(super) arguments: Words<'a>,
}

/// Writes such messages; knows whether a call waits for its result.
#[derive(Debug, Default)]
pub(super) struct Inline {
    waits: bool,
}

impl Inline {
    /// Writes a message; `apart` takes an answer apart, where a call is in it. `false` when its role is not known.
    pub(super) fn message<'a>(
        &mut self,
        piece: &Piece<'a>,
        node: &Node<'a>,
        pen: &mut Pen<'_>,
        apart: impl FnOnce(&Piece<'a>, &Node<'a>) -> Option<Parts<'a>>,
    ) -> bool {
        let role = node.text("role").unwrap_or_default();
        let plain = node.list("tool_calls").is_empty();
        match &*role {
            "assistant" | "agent" if plain => {
                let Some(parts) = apart(piece, node) else {
                    self.waits = false;
                    return messages::write(piece, node, pen);
                };
                self.waits = true;
                pen.answer(Answer {
                    text: parts.text,
                    calls: vec![Called { id: "", name: &parts.tool, arguments: parts.arguments }],
                    finish: None,
                    usage: messages::usage(node.get("usage")),
                    ..Answer::default()
                });
                true
            }
            "user" | "human" if std::mem::take(&mut self.waits) => {
                pen.result(None, messages::content(piece, node.get("content")).words(), false);
                true
            }
            _ => {
                self.waits = false;
                messages::write(piece, node, pen)
            }
        }
    }
}

/// The command in a fenced block of a shell's language.
pub(super) fn fenced<'a>(piece: &Piece<'a>, node: &Node<'a>) -> Option<Parts<'a>> {
    let words = node.get("content").filter(|c| c.quoted().is_some()).map(|c| piece.words(c))?;
    let text = words.now();
    let mut from = 0;
    loop {
        let fence = from + text.get(from..)?.find("```")?;
        let rest = text.get(fence + 3..)?;
        let line = rest.find('\n')?;
        let language = rest.get(..line)?.trim();
        let body = rest.get(line + 1..)?;
        let end = body.find("```")?;
        if SHELLS.contains(&language) {
            let before = text.get(..fence)?.trim_end();
            let after = body.get(end + 3..)?.trim();
            let around = if after.is_empty() { before.to_owned() } else { format!("{before}\n\n{after}") };
            let command = body.get(..end)?.trim_end_matches('\n').to_owned();
            return Some(Parts { text: around.into(), tool: "bash".into(), arguments: command.into() });
        }
        from = fence + 3 + line + 1 + end + 3;
    }
}
