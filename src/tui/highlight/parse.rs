//! Lines into tokens, from the nearest checkpoint on. Knows no thread.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, ScopeStack};

use super::LONGEST_LINE;
use super::language::{self, Hint};
use super::scope::Meanings;
use crate::tui::theme::Syntax;
use crate::tui::widget::document::Document;

/// A coloured part of a line, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) syntax: Syntax,
}

/// Lines between checkpoints.
const STRIDE: usize = 256;
/// Scopes within each other beyond which no code written by people goes. A state costs as much as its depth.
const DEEPEST: usize = 200;
/// All the time one document may take.
const LONGEST: Duration = Duration::from_secs(5);

/// Where parsing stands between two lines.
#[derive(Debug, Clone)]
struct State {
    parse: ParseState,
    scopes: ScopeStack,
}

/// Parses one document, forwards from wherever it was before.
#[derive(Debug)]
pub(super) struct Parser {
    document: Document,
    state: State,
    line: usize,
    checkpoints: BTreeMap<usize, State>,
    meanings: Meanings,
    spent: Duration,
    buffer: String,
}

impl Parser {
    /// A parser for `document`; none where its language is not known.
    pub(super) fn new(document: Document, hint: &Hint) -> Option<Self> {
        let syntax = language::grammar(hint, document.line(0))?;
        let state = State { parse: ParseState::new(syntax), scopes: ScopeStack::new() };
        Some(Self {
            document,
            checkpoints: BTreeMap::from([(0, state.clone())]),
            state,
            line: 0,
            meanings: Meanings::default(),
            spent: Duration::ZERO,
            buffer: String::new(),
        })
    }

    /// Stands at the last known place at or before `line`.
    pub(super) fn seek(&mut self, line: usize) {
        if let Some((&at, state)) = self.checkpoints.range(..=line).next_back()
            && !(at..=line).contains(&self.line)
        {
            (self.line, self.state) = (at, state.clone());
        }
    }

    /// The line that [`Parser::step`] parses next; none at the end.
    pub(super) fn next_line(&self) -> Option<usize> {
        (self.line < self.document.lines()).then_some(self.line)
    }

    /// Parses one line. None: this document is not to be parsed any further.
    pub(super) fn step(&mut self) -> Option<Vec<Token>> {
        let started = Instant::now();
        if self.spent > LONGEST || self.state.scopes.len() > DEEPEST {
            return None;
        }
        let line = self.line;
        let text = self.document.line(line);
        let mut tokens = Vec::new();
        // Such a line is plain, and what follows goes on as if it were not there.
        if text.len() <= LONGEST_LINE && depth(text) <= DEEPEST {
            self.buffer.clear();
            self.buffer.push_str(text);
            self.buffer.push('\n');
            let parsed = self.state.parse.parse_line(&self.buffer, language::grammars()).ok()?;
            let mut at = 0;
            for (next, op) in parsed {
                push(&mut tokens, at, next, text.len(), self.meanings.of(self.state.scopes.as_slice()));
                self.state.scopes.apply(&op).ok()?;
                at = next;
            }
            push(&mut tokens, at, text.len(), text.len(), self.meanings.of(self.state.scopes.as_slice()));
        }
        self.line += 1;
        if self.line.is_multiple_of(STRIDE) {
            self.checkpoints.entry(self.line).or_insert_with(|| self.state.clone());
        }
        self.spent += started.elapsed();
        Some(tokens)
    }
}

/// How deep the brackets of a line go within each other. A grammar's work on a line grows with the square of it, and
/// cannot be interrupted.
fn depth(line: &str) -> usize {
    let step = |(now, most): (usize, usize), byte| match byte {
        b'[' | b'(' | b'{' => (now + 1, most.max(now + 1)),
        b']' | b')' | b'}' => (now.saturating_sub(1), most),
        _ => (now, most),
    };
    line.bytes().fold((0, 0), step).1
}

/// Adds a token, or lengthens the last one where it goes on.
fn push(tokens: &mut Vec<Token>, start: usize, end: usize, len: usize, syntax: Option<Syntax>) {
    // The `\n` that the grammars want is not part of the line.
    let (Some(syntax), true) = (syntax, start < end.min(len)) else { return };
    let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end.min(len))) else { return };
    match tokens.last_mut() {
        Some(last) if last.end == start && last.syntax == syntax => last.end = end,
        _ => tokens.push(Token { start, end, syntax }),
    }
}
