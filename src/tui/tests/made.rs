//! Sessions made by hand, event by event.

use std::sync::Arc;

use crate::memory::{BlockKind, Digest, Index, ToolCall};
use crate::session::{
    Acted, Author, Compressed, EndReason, Ended, Envelope, Event, Observed, ObservedKind, Read, RunConfig, Source, Started, StatusShown,
    StoredBlock,
};
use crate::text::tokens::{Estimate, TokenCounter};

/// Makes events that follow each other.
#[derive(Default)]
pub(super) struct Made {
    pub(super) events: Vec<Arc<Envelope>>,
    step: u32,
}

impl Made {
    /// A session with this τ.
    pub(super) fn new(threshold: u64, set: impl FnOnce(&mut RunConfig)) -> Self {
        let mut config = RunConfig { threshold, exact: true, ..RunConfig::default() };
        set(&mut config);
        let mut made = Self::default();
        made.push(Event::Started(Box::new(Started {
            origin: None,
            session: "made".into(),
            system: "You act in a room.".into(),
            system_tokens: 100,
            task: "Find the key.".into(),
            task_tokens: 20,
            tools: Arc::from([crate::memory::tools::compress_spec(true), crate::memory::tools::read_spec()]),
            tool_tokens: 50,
            config,
        })));
        made
    }

    pub(super) fn push(&mut self, event: Event) -> &mut Self {
        let seq = self.events.len() as u64;
        self.events.push(Arc::new(Envelope { seq, at: 0, step: self.step, event }));
        self
    }

    fn status(&mut self) {
        self.step += 1;
        self.push(Event::Status(StatusShown {
            text: "[Context Status: working=1, total=2, threshold=3]".into(),
            tokens: 10,
            working: 1,
            total: 2,
            threshold: 3,
        }));
    }

    fn act(&mut self, name: &str, arguments: String, tokens: u32) -> Arc<str> {
        let id: Arc<str> = format!("c{}", self.step).into();
        let call = ToolCall { id: Arc::clone(&id), name: name.into(), arguments: arguments.into() };
        self.push(Event::Acted(Arc::new(Acted {
            thinking: Some("I wonder.".into()),
            thinking_tokens: 30,
            calls: vec![call],
            call_tokens: vec![tokens],
            ..Acted::default()
        })));
        id
    }

    /// A step that looks at something and sees `seen`.
    pub(super) fn step(&mut self, seen: &str, tokens: u32) -> &mut Self {
        self.status();
        let id = self.act("look_at", serde_json::json!({"what": "shelf 1"}).to_string(), 10);
        self.push(Event::Observed(Observed {
            call: Some(id),
            text: seen.into(),
            tokens,
            kind: ObservedKind::Tool,
            state_changed: Some(false),
        }))
    }

    /// A step that compresses, with one authored block of `index` and this summary.
    pub(super) fn compress(&mut self, index: &str, content: &str, summary: &str, before: u64, after: u32) -> &mut Self {
        self.status();
        let arguments = serde_json::json!({"summary": summary, "db_blocks": [{"db_index": index, "db_content": content}]});
        let id = self.act("CompressExperience", arguments.to_string(), 40);
        let block = StoredBlock {
            index: Index::new(index).unwrap(),
            version: 1,
            kind: BlockKind::Authored,
            bytes: content.len() as u64,
            tokens: Estimate.count(content),
            hash: Digest::of(content.as_bytes()),
            source: Source { call_block: Some(0), ..Source::default() },
        };
        self.push(Event::Compressed(Box::new(compressed(Author::Agent, Some(id), vec![block], summary, before, after))))
    }

    /// A step that reads the whole of `index`.
    pub(super) fn read(&mut self, index: &str, len: usize, tokens: u32) -> &mut Self {
        self.status();
        let id = self.act("ReadExperience", serde_json::json!({"db_index": index}).to_string(), 10);
        self.push(Event::Read(Box::new(Read {
            by: Author::Agent,
            call: Some(id),
            index: Index::new(index).unwrap(),
            version: 1,
            part: 1,
            ranges: vec![(0, len)],
            frame: vec!["".into(), "".into()],
            tokens,
        })))
    }

    pub(super) fn end(&mut self) -> &mut Self {
        self.push(Event::Ended(Box::new(Ended { reason: EndReason::Finished, answer: None, success: Some(true), detail: None })))
    }
}

fn compressed(by: Author, call: Option<Arc<str>>, blocks: Vec<StoredBlock>, summary: &str, before: u64, after: u32) -> Compressed {
    Compressed {
        by,
        call,
        blocks,
        heading: crate::memory::NOTES_HEADING.into(),
        summary: summary.into(),
        trailer: "".into(),
        summary_tokens: after,
        cut: None,
        tokens_before: before,
        tokens_after: u64::from(after),
        kept: vec![],
        not_run: vec![],
    }
}

/// The session that most tests look at: two steps, a compression, a read, an orphan and a dangling index, an end.
pub(super) fn story() -> Made {
    let mut made = Made::new(400, |c| c.summary_limit = Some(300));
    made.step("On shelf 1 you see a lamp.\nNothing else.", 60)
        .step("The drawer is locked.", 50)
        .compress(
            "ctx_shelf",
            "shelf 1: a lamp",
            "No key yet.\n- ctx_shelf - what is on the shelf\n- ctx_gone - nothing is under this",
            300,
            40,
        )
        .read("ctx_shelf", 15, 12)
        .step("You find the key under the mat.", 500)
        .compress("ctx_key", "key: under the mat", "I have the key.\n- ctx_key - where the key was", 640, 30)
        .step("The door opens.", 20);
    made.end();
    made
}
