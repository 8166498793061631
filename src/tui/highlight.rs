//! Colouring code: never in the way of a frame.
//!
//! A thread of its own loads the grammars and parses lines; a frame takes what is ready and draws the rest plain.
//! Only lines near those that are seen are parsed to be drawn; the way there leaves checkpoints behind. What is too
//! large, too wide, too deeply nested or too slow stays plain from there on.
//! Knows texts and roles of the theme, no colours: a change of theme parses nothing again.

mod language;
mod parse;
mod scope;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use ratatui::style::Style;

pub use language::Hint;
use parse::{Parser, Token};

use super::theme::Theme;
use super::widget::document::Document;
use super::widget::text_view::LineStyler;

/// Texts beyond this stay plain. Bytes.
pub const LARGEST_TEXT: usize = 1024 * 1024;
/// Lines beyond this stay plain. Bytes.
pub const LONGEST_LINE: usize = 10_000;

/// Lines around those that are seen which are coloured with them.
const MARGIN: usize = 200;
/// Most lines whose tokens are kept.
const KEPT: usize = 8 * MARGIN;

type Lines = Vec<(usize, Arc<[Token]>)>;

/// Colours of one document. Dropping it ends its thread after the line it is at.
#[derive(Debug)]
pub struct Highlighter {
    lines: BTreeMap<usize, Arc<[Token]>>,
    wanted: Range<usize>,
    worker: Option<Worker>,
}

#[derive(Debug)]
struct Worker {
    wishes: Sender<Range<usize>>,
    ready: Receiver<Lines>,
    stop: Arc<AtomicBool>,
    lines: usize,
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Highlighter {
    /// Starts colouring `document`. `wake` is called from the thread when lines have become ready to be drawn.
    ///
    /// A text that is too large, or whose language cannot be guessed, starts nothing and stays plain.
    #[must_use]
    pub fn new(document: &Document, hint: &Hint, wake: impl Fn() + Send + 'static) -> Self {
        let mut this = Self { lines: BTreeMap::new(), wanted: 0..0, worker: None };
        if document.text().len() > LARGEST_TEXT || hint.is_plain(document.line(0)) {
            return this;
        }
        let (wishes, wished) = mpsc::channel();
        let (give, ready) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let work = {
            let (document, hint, stop) = (document.clone(), hint.clone(), Arc::clone(&stop));
            move || work(&document, &hint, &wished, &stop, |lines| give.send(lines).is_ok().then(&wake).is_some())
        };
        // Where no thread can be had, plain text is the answer.
        if thread::Builder::new().name("highlight".into()).spawn(work).is_ok() {
            this.worker = Some(Worker { wishes, ready, stop, lines: document.lines() });
        }
        this
    }

    /// No colours.
    #[must_use]
    pub fn plain() -> Self {
        Self { lines: BTreeMap::new(), wanted: 0..0, worker: None }
    }

    /// Takes what the thread has made ready. Cheap; part of every frame.
    fn collect(&mut self) {
        let Some(worker) = &self.worker else { return };
        loop {
            match worker.ready.try_recv() {
                Ok(lines) => self.lines.extend(lines),
                Err(mpsc::TryRecvError::Empty) => break,
                Err(mpsc::TryRecvError::Disconnected) => {
                    // It gave up, or all is parsed: what there is stays.
                    self.worker = None;
                    return;
                }
            }
        }
        if self.lines.len() > KEPT {
            let near = self.wanted.start.saturating_sub(MARGIN)..self.wanted.end + MARGIN;
            self.lines.retain(|line, _| near.contains(line));
        }
    }

    /// Asks for the lines around `line` unless they were asked for last.
    fn want(&mut self, line: usize) {
        let Some(worker) = &self.worker else { return };
        if self.wanted.contains(&line) && self.lines.contains_key(&line) {
            return;
        }
        let wanted = line.saturating_sub(MARGIN)..(line + MARGIN).min(worker.lines);
        // Walking down a page asks once.
        if !self.wanted.contains(&line) {
            self.wanted = wanted.clone();
            if worker.wishes.send(wanted).is_err() {
                self.worker = None;
            }
        }
    }
}

impl LineStyler for Highlighter {
    fn styles(&mut self, line: usize, bytes: Range<usize>, theme: &Theme, styles: &mut Vec<(Range<usize>, Style)>) {
        self.collect();
        self.want(line);
        let Some(tokens) = self.lines.get(&line) else { return };
        let first = tokens.partition_point(|token| token.end as usize <= bytes.start);
        let seen = tokens.iter().skip(first).take_while(|token| (token.start as usize) < bytes.end);
        styles.extend(seen.map(|token| (token.start as usize..token.end as usize, theme.syntax(token.syntax))));
    }
}

/// The thread: fulfils the newest wish, until nobody wishes any more.
fn work(document: &Document, hint: &Hint, wishes: &Receiver<Range<usize>>, stop: &AtomicBool, give: impl Fn(Lines) -> bool) {
    let Some(mut parser) = Parser::new(document.clone(), hint) else { return };
    while let Ok(mut wish) = wishes.recv() {
        if let Some(newer) = wishes.try_iter().last() {
            wish = newer;
        }
        let mut batch = Lines::new();
        parser.seek(wish.start);
        while let Some(line) = parser.next_line().filter(|&line| line < wish.end) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let Some(tokens) = parser.step() else {
                give(batch);
                return;
            };
            if wish.contains(&line) {
                batch.push((line, tokens.into()));
            }
            // The page is shown bit by bit, and the first rows of it soon.
            if batch.len() >= 32 && !give(std::mem::take(&mut batch)) {
                return;
            }
            if line % 64 == 0
                && let Some(newer) = wishes.try_iter().last()
            {
                give(std::mem::take(&mut batch));
                parser.seek(newer.start);
                wish = newer;
            }
        }
        if !batch.is_empty() && !give(batch) {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
