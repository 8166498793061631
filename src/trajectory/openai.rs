//! Chat messages as OpenAI's and Anthropic's servers take them: bare, one a line or in a list; or conversations that have
//! `messages`, one a document or one a line.

use super::head::Head;
use super::importer::Importer;
use super::json::Node;
use super::messages;
use super::piece::Piece;
use super::run::Relation;
use super::runs::{RunId, Runs};
use super::tool::tool;

/// How sure it is that these are such messages.
pub(super) fn looks(head: &Head<'_>) -> u8 {
    if head.objects().any(|o| o.get("message").is_some_and(is_message)) && head.objects().all(|o| o.get("uuid").is_none()) {
        return 20;
    }
    if head.field("messages").is_some_and(|m| m.get("role").is_some()) {
        return 50;
    }
    let bare = head.pieces.iter().filter(|p| p.key().is_empty());
    if bare.clone().any(|p| is_message(&p.node)) {
        return 40;
    }
    if bare.flat_map(|p| p.node.items()).any(|m| m.get("role").is_some()) {
        return 30;
    }
    if head.pieces.iter().any(|p| p.place.item.is_some() && !p.key().is_empty() && is_message(&p.node)) {
        return 35;
    }
    0
}

fn is_message(node: &Node<'_>) -> bool {
    node.get("role").is_some() && (node.get("content").is_some() || node.get("tool_calls").is_some())
}

/// Whether its calls are written in Anthropic's form.
pub(super) fn looks_anthropic(head: &Head<'_>) -> u8 {
    let parts = |m: &Node<'_>| {
        m.list("content").iter().any(|p| p.says("type", "tool_use") || p.says("type", "tool_result") || p.says("type", "thinking"))
    };
    let any = head.objects().any(|o| parts(o) || o.list("messages").iter().any(parts));
    let sure = looks(head);
    if any && sure > 0 { sure + 10 } else { 0 }
}

/// Reads messages.
#[derive(Debug, Default)]
pub(super) struct Messages {
    run: Option<RunId>,
    document: Option<u64>,
    conversations: usize,
    /// Conversations of the document that have names.
    names: Vec<(String, RunId)>,
}

impl Importer for Messages {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        if !piece.is_document() {
            return self.part(piece, runs);
        }
        // Some programs wrap each message in a record of their own.
        let wrapped = piece.node.get("message").filter(|m| is_message(m));
        if piece.node.get("role").is_some() || wrapped.is_some() {
            let run = self.bare(runs);
            return message(piece, wrapped.unwrap_or(&piece.node), run, runs);
        }
        self.conversation(runs);
        piece.parts().iter().for_each(|part| self.part(part, runs));
    }
}

impl Messages {
    /// The run of messages that stand in no conversation.
    fn bare(&mut self, runs: &mut Runs) -> RunId {
        *self.run.get_or_insert_with(|| runs.add("main", Relation::Main))
    }

    fn conversation(&mut self, runs: &mut Runs) -> RunId {
        self.conversations += 1;
        let run = runs.add(format!("conversation {}", self.conversations), Relation::Main);
        self.run = Some(run);
        run
    }

    fn part(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        let fresh = self.document != Some(piece.place.document);
        self.document = Some(piece.place.document);
        if fresh {
            self.names.clear();
        }
        let node = &piece.node;
        if piece.place.key.is_none() {
            // An element of a list: a message, or a conversation of its own.
            if node.get("messages").is_some() || !node.items().is_empty() {
                let run = self.conversation(runs);
                self.elements(piece, run, runs);
            } else {
                let run = self.bare(runs);
                message(piece, node, run, runs);
            }
            return;
        }
        let run = if fresh && self.run.is_some_and(|id| runs.run(id).begun()) || self.run.is_none() {
            self.conversation(runs)
        } else {
            self.bare(runs)
        };
        self.field(piece, run, runs);
    }

    /// A field of a conversation, or an element of the list in it.
    fn field(&mut self, piece: &Piece<'_>, run: RunId, runs: &mut Runs) {
        let node = &piece.node;
        match piece.key() {
            "messages" if node.is_object() => message(piece, node, run, runs),
            "messages" if node.is_null() || node.raw().starts_with(b"[") => {}
            "system" => runs.run(run).system(messages::result_words(piece, Some(node))),
            "tools" if node.is_object() => runs.run(run).tool(tool(node)),
            "model" => runs.run(run).origin(|o| o.model = node.str().map(Into::into)),
            "id" | "session_id" if node.quoted().is_some() => runs.run(run).session(&node.str().unwrap_or_default()),
            // The server's answer to the request that the conversation is.
            "choices" if node.get("message").is_some() => {
                if let Some(answer) = node.get("message") {
                    message(piece, answer, run, runs);
                }
            }
            // A file of conversations by name.
            name if piece.place.item.is_some() && (is_message(node) || node.get("role").is_some()) => {
                let run = self.named(name, run, runs);
                message(piece, node, run, runs);
            }
            key => runs.run(run).unmapped(key, piece.whole(), "a field of the conversation that is no message"),
        }
    }

    /// The run of a conversation that has a name in its document.
    fn named(&mut self, name: &str, run: RunId, runs: &mut Runs) -> RunId {
        if let Some((_, run)) = self.names.iter().find(|(known, _)| known == name) {
            return *run;
        }
        let run = if self.names.is_empty() && !runs.run(run).begun() {
            runs.rename(run, name);
            run
        } else {
            runs.add(name, Relation::Main)
        };
        self.names.push((name.to_owned(), run));
        run
    }

    /// A conversation that is an element of a list.
    fn elements(&mut self, piece: &Piece<'_>, run: RunId, runs: &mut Runs) {
        for part in piece.parts() {
            if part.place.key.is_some() { self.field(&part, run, runs) } else { message(&part, &part.node, run, runs) }
        }
    }
}

fn message<'a>(piece: &Piece<'a>, node: &Node<'a>, run: RunId, runs: &mut Runs) {
    let mut pen = runs.run(run);
    pen.time(super::time::millis(node.get("timestamp").or_else(|| node.get("created_at"))));
    if !messages::write(piece, node, &mut pen) {
        let kind = node.text("role").or_else(|| node.text("type")).unwrap_or_else(|| "record".into());
        pen.unmapped(&kind, piece.whole(), "it is no message of a role that is known");
    }
}
