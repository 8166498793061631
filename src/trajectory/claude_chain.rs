//! Chains: the tree of a Claude Code session as runs, each in the order of the file.
//!
//! A turn of the user, or an answer with its results, is a *group*. Results of calls made side by side hang on different
//! parts of their answer, so only a record that hangs on an earlier group means that the user went back.

use std::collections::HashMap;

use super::gathered::Gathered;
use super::piece::Words;
use super::run::Relation;
use super::runs::{RunId, Runs};
use crate::memory::MessageId;

/// One chain of records, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chain(usize);

impl Chain {
    /// The run that it is written into.
    pub(super) fn run(self, chains: &Chains) -> RunId {
        chains.list.get(self.0).map_or(0, |line| line.run)
    }
}

/// All chains of a session.
#[derive(Debug, Default)]
pub(super) struct Chains {
    list: Vec<Line>,
    /// Group of each record.
    records: HashMap<Box<str>, usize>,
    /// All groups, in the order of their making.
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Line {
    run: RunId,
    pending: Option<Pending>,
    /// Its newest group.
    newest: Option<usize>,
}

#[derive(Debug)]
struct Pending {
    message: Option<String>,
    answer: Gathered,
    /// Events before it, once it has been shown before it was known to be whole.
    shown: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    chain: usize,
    /// The group before it.
    before: Option<usize>,
    /// Events of the run before it.
    events: usize,
    /// The first message that is its own.
    message: MessageId,
}

impl Chains {
    /// A new chain with a run of its own.
    pub(super) fn begin(&mut self, runs: &mut Runs, name: &str, relation: Relation) -> Chain {
        let run = runs.add(name, relation);
        self.list.push(Line { run, pending: None, newest: None });
        Chain(self.list.len() - 1)
    }

    /// The chain of a record.
    pub(super) fn of(&self, record: &str) -> Option<Chain> {
        let group = self.groups.get(*self.records.get(record)?)?;
        Some(Chain(group.chain))
    }

    /// A record that is no turn: what hangs on it hangs on its parent.
    pub(super) fn alias(&mut self, record: &str, parent: &str) {
        if let Some(group) = self.records.get(parent).copied()
            && !record.is_empty()
        {
            self.records.insert(record.into(), group);
        }
    }

    /// Whether an answer of the chain is being gathered.
    pub(super) fn is_pending(&self, chain: Chain) -> bool {
        self.list.get(chain.0).is_some_and(|line| line.pending.is_some())
    }

    /// A turn: an answer of this message id, or a prompt. Goes back where its parent is an earlier group, and begins a
    /// new group unless it is a part of the answer that is being gathered.
    pub(super) fn attach(&mut self, chain: Chain, record: &str, parent: &str, message: Option<&str>, runs: &mut Runs) {
        let Some(line) = self.list.get(chain.0) else { return };
        let same = line.pending.as_ref().is_some_and(|p| message.is_some() && p.message.as_deref() == message);
        if same {
            return self.place(chain, record, runs);
        }
        self.flush(chain, runs);
        let on = self.records.get(parent).copied();
        let newest = self.list.get(chain.0).and_then(|l| l.newest);
        if let Some(on) = on
            && newest != Some(on)
            && self.groups.get(on).is_some_and(|g| g.chain == chain.0)
        {
            self.go_back(chain, on, runs);
        }
        self.group(chain, record, runs);
        if let (Some(message), Some(line)) = (message, self.list.get_mut(chain.0)) {
            line.pending = Some(Pending { message: Some(message.to_owned()), answer: Gathered::default(), shown: None });
        }
    }

    /// The chain goes on behind group `on`; what stood there becomes a chain and a run of its own.
    fn go_back(&mut self, chain: Chain, on: usize, runs: &mut Runs) {
        let Some(run) = self.list.get(chain.0).map(|l| l.run) else { return };
        let after = self.groups.iter().enumerate().skip(on + 1).find(|(_, g)| g.chain == chain.0);
        let Some((first, events)) = after.map(|(n, g)| (n, g.events)) else { return };
        let left = runs.rewind(run, events);
        let new = self.list.len();
        self.list.push(Line { run: left, pending: None, newest: self.list.get(chain.0).and_then(|l| l.newest) });
        for group in self.groups.iter_mut().skip(first).filter(|g| g.chain == chain.0) {
            group.chain = new;
        }
        if let Some(line) = self.list.get_mut(chain.0) {
            line.newest = Some(on);
        }
    }

    /// A new group begins with this record.
    pub(super) fn group(&mut self, chain: Chain, record: &str, runs: &mut Runs) {
        let Some(line) = self.list.get_mut(chain.0) else { return };
        let pen = runs.run(line.run);
        let group = Group { chain: chain.0, before: line.newest, events: pen.events(), message: pen.next_message() };
        line.newest = Some(self.groups.len());
        self.groups.push(group);
        self.place(chain, record, runs);
    }

    /// The record belongs to the newest group of the chain.
    pub(super) fn place(&mut self, chain: Chain, record: &str, runs: &mut Runs) {
        match self.list.get(chain.0).and_then(|l| l.newest) {
            Some(newest) if !record.is_empty() => {
                self.records.insert(record.into(), newest);
            }
            Some(_) => {}
            None => self.group(chain, record, runs),
        }
    }

    /// The answer that is being gathered, to add to it.
    pub(super) fn answer(&mut self, chain: Chain, runs: &mut Runs) -> &mut Gathered {
        self.reopen(chain, runs);
        // A chain that was not begun here has no number.
        let n = chain.0.min(self.list.len().saturating_sub(1));
        let line = &mut self.list[n];
        &mut line.pending.get_or_insert_with(|| Pending { message: None, answer: Gathered::default(), shown: None }).answer
    }

    /// The result of a call: with the answer that is being gathered if it is one of its calls.
    pub(super) fn result(&mut self, chain: Chain, call: Option<&str>, words: Words<'_>, error: bool, time: Option<u64>, runs: &mut Runs) {
        let span = runs.span();
        let Some(line) = self.list.get(chain.0) else { return };
        let run = line.run;
        if line.pending.as_ref().is_some_and(|p| call.is_some_and(|id| p.answer.calls(id))) {
            return self.answer(chain, runs).result(call, words, error, time, span);
        }
        self.flush(chain, runs);
        let mut pen = runs.run(run);
        pen.time(time);
        pen.result(call, words, error);
    }

    /// What was gathered is an answer.
    pub(super) fn flush(&mut self, chain: Chain, runs: &mut Runs) {
        let Some(line) = self.list.get_mut(chain.0) else { return };
        if let Some(pending) = line.pending.take().filter(|p| p.shown.is_none()) {
            pending.answer.write(&mut runs.run(line.run));
        }
    }

    /// Nothing more comes.
    pub(super) fn flush_all(&mut self, runs: &mut Runs) {
        (0..self.list.len()).for_each(|n| self.flush(Chain(n), runs));
    }

    /// Shows what is being gathered; it may get more.
    pub(super) fn show(&mut self, runs: &mut Runs) {
        for line in &mut self.list {
            if let Some(pending) = line.pending.as_mut().filter(|p| p.shown.is_none()) {
                let mut pen = runs.run(line.run);
                pending.shown = Some(pen.events());
                pending.answer.write(&mut pen);
            }
        }
    }

    /// Takes back what was shown, because it gets more.
    fn reopen(&mut self, chain: Chain, runs: &mut Runs) {
        let Some(line) = self.list.get_mut(chain.0) else { return };
        if let Some(events) = line.pending.as_mut().and_then(|p| p.shown.take()) {
            runs.take_back(line.run, events);
        }
    }

    /// The messages of the groups from one record to another that still stand in M.
    pub(super) fn messages(&self, chain: Chain, head: &str, tail: &str, runs: &mut Runs) -> Vec<MessageId> {
        let group = |record: &str| self.records.get(record).copied();
        let (Some(head), Some(tail)) = (group(head), group(tail)) else { return Vec::new() };
        let Some(from) = self.groups.get(head).map(|g| g.message) else { return Vec::new() };
        let next = self.groups.iter().skip(tail + 1).find(|g| g.chain == chain.0 && g.before == Some(tail)).map(|g| g.message);
        let pen = runs.run(chain.run(self));
        let to = next.unwrap_or(pen.next_message());
        pen.messages().map(|m| m.id).filter(|id| (from..to).contains(id)).collect()
    }
}
