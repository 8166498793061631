//! ReAct: plain text of `Thought:`, `Action:` and `Observation:`, numbered or not; and its plays in households, where `>`
//! stands before what the agent does.

use super::head::Head;
use super::importer::Importer;
use super::piece::{Piece, Words};
use super::run::{Answer, Called, Relation, Span};
use super::runs::Runs;

/// What a line begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    /// The task, or an observation behind `>`.
    #[default]
    Plain,
    Task,
    Thought,
    Action,
    Input,
    Observation,
    Answer,
    /// A line behind `>`.
    Play,
}

/// How lines begin, in small letters.
const WORDS: &[(&str, Part)] = &[
    ("question", Part::Task),
    ("task", Part::Task),
    ("thought", Part::Thought),
    ("think", Part::Thought),
    ("action input", Part::Input),
    ("action", Part::Action),
    ("act", Part::Action),
    ("observation", Part::Observation),
    ("final answer", Part::Answer),
];

/// How sure it is that this is such text.
pub(super) fn looks(head: &Head<'_>) -> u8 {
    let text = String::from_utf8_lossy(head.bytes);
    let (mut acts, mut observes, mut plays) = (0, 0, 0);
    for line in text.lines().take(2000) {
        match begins(line).0 {
            Part::Action => acts += 1,
            Part::Observation => observes += 1,
            Part::Play => plays += 1,
            _ => {}
        }
    }
    if acts > 0 && observes > 0 {
        80
    } else if plays > 1 {
        60
    } else {
        0
    }
}

/// What a line begins, and what follows the word.
fn begins(line: &str) -> (Part, &str) {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("> ").or_else(|| line.strip_prefix(">")) {
        return (Part::Play, rest);
    }
    for (word, part) in WORDS {
        let Some(rest) = line.get(..word.len()).filter(|w| w.eq_ignore_ascii_case(word)).and_then(|_| line.get(word.len()..)) else {
            continue;
        };
        // `Thought 3:`
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        if let Some(rest) = rest.strip_prefix(':') {
            return (*part, rest.strip_prefix(' ').unwrap_or(rest));
        }
    }
    (Part::Plain, line)
}

/// Reads such text.
#[derive(Debug, Default)]
pub(super) struct React {
    part: Part,
    /// Its lines so far.
    lines: Vec<String>,
    from: Option<Span>,
    thought: Vec<String>,
    tool: Option<String>,
    /// A call waits for its result.
    waits: bool,
    begun: bool,
}

impl Importer for React {
    fn record(&mut self, piece: &Piece<'_>, runs: &mut Runs) {
        if !std::mem::replace(&mut self.begun, true) {
            runs.add("main", Relation::Main);
        }
        let line = piece.node.raw_text();
        let (part, rest) = begins(&line);
        if part == Part::Plain {
            // What follows a line behind `>` is what came of it.
            if self.part == Part::Play {
                self.end(runs);
            }
            self.from.get_or_insert(runs.span());
            self.lines.push(line.into_owned());
            return;
        }
        self.end(runs);
        if self.tool.is_some() && part != Part::Input {
            self.act(None, runs);
        }
        self.part = part;
        self.from = Some(runs.span());
        self.lines.push(rest.to_owned());
    }

    fn finish(&mut self, runs: &mut Runs) {
        self.end(runs);
        if !self.thought.is_empty() || self.tool.is_some() {
            self.act(None, runs);
        }
    }
}

impl React {
    /// A part has ended.
    fn end(&mut self, runs: &mut Runs) {
        let text = std::mem::take(&mut self.lines).join("\n");
        let text = text.trim_end().to_owned();
        let part = std::mem::take(&mut self.part);
        let here = runs.span();
        let mut pen = runs.main();
        pen.span = self.from.take().unwrap_or(here);
        match part {
            Part::Plain | Part::Observation if self.waits => {
                self.waits = false;
                pen.result(None, text.into(), false);
            }
            Part::Plain | Part::Task | Part::Observation => {
                if !text.is_empty() {
                    pen.user(text.into());
                }
            }
            Part::Thought => self.thought.push(text),
            Part::Action => match bracketed(&text) {
                Some((tool, arguments)) => {
                    self.tool = Some(tool.to_owned());
                    self.act(Some(arguments.to_owned()), runs);
                }
                // Its input may follow on a line of its own.
                None => self.tool = Some(text),
            },
            Part::Input => self.act(Some(text), runs),
            Part::Play => match text.split_once("think:") {
                Some((before, thought)) if before.trim().is_empty() => {
                    self.tool = Some("think".into());
                    self.act(Some(thought.trim_start().to_owned()), runs);
                }
                _ => {
                    self.tool = Some("act".into());
                    self.act(Some(text), runs);
                }
            },
            Part::Answer => {
                let thinking = Words::from(std::mem::take(&mut self.thought).join("\n"));
                pen.answer(Answer { thinking, text: text.into(), ..Answer::default() });
            }
        }
    }

    /// An action: a step.
    fn act(&mut self, arguments: Option<String>, runs: &mut Runs) {
        let thinking = Words::from(std::mem::take(&mut self.thought).join("\n"));
        let tool = self.tool.take();
        let (name, arguments) = match (tool, arguments) {
            (Some(tool), Some(arguments)) => (tool, arguments),
            // `Action: go to shelf 1`: the whole of it is what is done.
            (Some(whole), None) => ("action".to_owned(), whole),
            (None, Some(arguments)) => ("action".to_owned(), arguments),
            (None, None) => (String::new(), String::new()),
        };
        let calls = if name.is_empty() { Vec::new() } else { vec![Called { id: "", name: &name, arguments: arguments.into() }] };
        self.waits = !calls.is_empty();
        runs.main().answer(Answer { thinking, calls, ..Answer::default() });
    }
}

/// `Search[the sea]`.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let (tool, rest) = text.split_once('[')?;
    let arguments = rest.trim_end().strip_suffix(']')?;
    (!tool.is_empty() && tool.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some((tool, arguments))
}
