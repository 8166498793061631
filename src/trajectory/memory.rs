//! Memory: compressions and reads of a recording whose agent had the paper's tools.
//!
//! Blocks are taken from the call that wrote them; a block whose anchors are not found in M is said and left out.

use std::sync::Arc;

use super::piece::Words;
use super::run::Pen;
use crate::memory::anchor::{Piece, Span, locate};
use crate::memory::tools::{BlockRequest, COMPRESS, READ, decode_compress, decode_read, same_tool};
use crate::memory::{Archive, BlockKind, Context, Digest, Index, Message, Role, ToolCall, combine, join_spans};
use crate::session::{Author, Event, Read, Source, StoredBlock};

impl Pen<'_> {
    /// The newest call of CompressExperience that no result answers.
    fn compressing(&self) -> Option<ToolCall> {
        let session = self.run.timeline().tail();
        let turn = session.turn()?;
        turn.calls.iter().rev().find(|call| same_tool(&call.name, COMPRESS)).cloned()
    }

    /// The context was replaced by what the newest call of CompressExperience wrote.
    pub(super) fn compressed(&mut self, summary: Words<'_>) {
        let Some(call) = self.compressing() else { return self.compacted(summary, Vec::new()) };
        let decoded = serde_json::from_str(&call.arguments.load()).map_err(|e| e.to_string()).and_then(|value| {
            decode_compress(&value, true).map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        });
        let mut blocks = Vec::new();
        match decoded {
            Ok(args) => {
                for (n, request) in args.blocks.iter().enumerate() {
                    match self.block(n, request) {
                        Ok(block) => blocks.push(block),
                        Err(why) => self.note(format!("block {} is not archived: {why}", request.index)),
                    }
                }
            }
            Err(why) => self.note(format!("the blocks of the compression cannot be read: {why}")),
        }
        self.replaced(summary, Vec::new(), Some(call.id), blocks);
    }

    fn block(&self, n: usize, request: &BlockRequest) -> Result<StoredBlock, String> {
        let session = self.run.timeline().tail();
        let spans = match &request.anchors {
            Some(anchors) => {
                let own = |m: &Message| m.step == session.t() && m.kind.role() == Role::Assistant;
                let texts: Vec<_> = session.context().work().iter().filter(|m| !own(m)).collect();
                let pieces: Vec<Piece<'_>> = texts.iter().map(|m| Piece { message: m.id, text: &m.text }).collect();
                locate(&pieces, anchors).map_err(|e| e.to_string())?
            }
            None => Vec::new(),
        };
        let content = content(session.context(), request, &spans).ok_or("it has neither text nor an extract")?;
        let kind = match (&request.content, spans.is_empty()) {
            (Some(_), true) => BlockKind::Authored,
            (Some(_), false) => BlockKind::Mixed,
            (None, _) => BlockKind::Anchored,
        };
        Ok(StoredBlock {
            index: request.index.clone(),
            version: session.archive().next_version(&request.index),
            kind,
            bytes: content.len() as u64,
            tokens: self.tokens(&content),
            hash: Digest::of(content.as_bytes()),
            source: Source { call_block: request.content.is_some().then_some(n), text: None, spans },
        })
    }

    /// The result of a call; of a ReadExperience whose block is in D and the same, a read.
    pub(super) fn result_or_read(&mut self, call: Option<&str>, words: Words<'_>, error: bool) {
        let read = call.and_then(|id| self.run.timeline().tail().call(id)).filter(|c| same_tool(&c.name, READ)).and_then(|call| {
            let value = serde_json::from_str(&call.arguments.load()).ok()?;
            let index = Index::new(&decode_read(&value, "db_index").ok()?.index).ok()?;
            block_read(self.run.timeline().tail().archive(), &call.id, &index, words.now(), self.tokens(words.now()))
        });
        match read {
            Some(read) => self.read(read),
            None => self.result(call, words, error),
        }
    }

    fn read(&mut self, read: Read) {
        if let Some(call) = &read.call {
            self.run.settle_call(&call.clone());
        }
        self.push(Event::Read(Box::new(read)));
        self.run.made_message();
    }
}

fn content(context: &Context, request: &BlockRequest, spans: &[Span]) -> Option<String> {
    let extract = if spans.is_empty() { None } else { join_spans(context, spans) };
    match (&request.content, extract) {
        (Some(text), Some(extract)) => Some(combine(text, &extract)),
        (Some(text), None) => Some(text.clone()),
        (None, extract) => extract,
    }
}

/// The read of a block, where the text has the whole of it.
fn block_read(archive: &Archive, call: &Arc<str>, index: &Index, text: &str, tokens: u32) -> Option<Read> {
    let version = archive.read(index)?;
    let content = &version.block.content;
    let at = text.find(&**content)?;
    let frame = [text.get(..at)?, text.get(at + content.len()..)?];
    Some(Read {
        by: Author::Agent,
        call: Some(Arc::clone(call)),
        index: index.clone(),
        version: version.block.version,
        part: 1,
        ranges: vec![(0, content.len())],
        frame: frame.into_iter().map(Arc::from).collect(),
        tokens,
    })
}
