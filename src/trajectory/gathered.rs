//! Gathered: an answer whose parts stand in several records, and the results that came between them.

use super::piece::Words;
use super::run::{Answer, Called, Pen, Span};
use crate::session::Usage;

/// A result that waits until the answer it belongs to is whole.
#[derive(Debug)]
struct Waiting {
    call: Option<String>,
    words: Words<'static>,
    error: bool,
    time: Option<u64>,
    span: Span,
}

/// A call of an answer that is being gathered.
#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    arguments: Words<'static>,
}

/// The parts of one answer so far.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    thinking: Vec<Words<'static>>,
    text: Vec<Words<'static>>,
    calls: Vec<Call>,
    /// Why the server stopped, as the newest part says.
    pub(super) finish: Option<String>,
    /// What it cost, as the newest part says.
    pub(super) usage: Option<Usage>,
    time: Option<u64>,
    span: Option<Span>,
    results: Vec<Waiting>,
}

impl Gathered {
    /// A part of the answer stands in the record at hand.
    pub(super) fn part(&mut self, time: Option<u64>, span: Span) {
        self.time = self.time.or(time);
        let first = self.span.get_or_insert(span);
        // From the first record to the end of the last.
        first.len = (span.at + span.len).saturating_sub(first.at).max(first.len);
    }

    /// Thinking.
    pub(super) fn think(&mut self, words: Words<'_>) {
        self.thinking.extend((!words.is_blank()).then(|| words.owned()));
    }

    /// Text.
    pub(super) fn say(&mut self, words: Words<'_>) {
        self.text.extend((!words.is_blank()).then(|| words.owned()));
    }

    /// A call.
    pub(super) fn call(&mut self, id: &str, name: &str, arguments: Words<'_>) {
        self.calls.push(Call { id: id.to_owned(), name: name.to_owned(), arguments: arguments.owned() });
    }

    /// The result of a call.
    pub(super) fn result(&mut self, call: Option<&str>, words: Words<'_>, error: bool, time: Option<u64>, span: Span) {
        self.results.push(Waiting { call: call.map(str::to_owned), words: words.owned(), error, time, span });
    }

    /// Whether results came already.
    pub(super) fn answered(&self) -> bool {
        !self.results.is_empty()
    }

    /// Whether one of its calls has this id.
    pub(super) fn calls(&self, id: &str) -> bool {
        self.calls.iter().any(|call| call.id == id)
    }

    /// Writes the answer and its results. Nothing is forgotten: it can be written again into a run that was cut back.
    pub(super) fn write(&self, pen: &mut Pen<'_>) {
        let here = pen.span;
        pen.span = self.span.unwrap_or(here);
        pen.time(self.time);
        pen.answer(Answer {
            thinking: Words::join(self.thinking.clone(), "\n"),
            text: Words::join(self.text.clone(), "\n"),
            calls: self.calls.iter().map(|c| Called { id: &c.id, name: &c.name, arguments: c.arguments.clone() }).collect(),
            finish: self.finish.clone(),
            usage: self.usage,
        });
        for result in &self.results {
            pen.span = result.span;
            pen.time(result.time);
            pen.result(result.call.as_deref(), result.words.clone(), result.error);
        }
        pen.span = here;
    }
}
