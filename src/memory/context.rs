//! Context: M = [m0, u, M_work] with its token totals kept, never recomputed.

use std::sync::Arc;

use super::{Kind, Message, MessageId, Part};

/// Tokens of M_work by part; the fields sum to its total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts([u64; 6]);

impl Parts {
    /// Tokens of one part.
    #[must_use]
    pub fn get(&self, part: Part) -> u64 {
        self.0.get(part as usize).copied().unwrap_or(0)
    }
    /// Sum of all parts.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
    fn slot(&mut self, part: Part) -> Option<&mut u64> {
        self.0.get_mut(part as usize)
    }
}

/// M. The first two messages can be read but not removed (lines 4 and 14 of Algorithm 1).
///
/// Cloning is cheap: messages are shared, and the list is copied only when a shared one changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    head: Option<[Arc<Message>; 2]>,
    work: Arc<Vec<Arc<Message>>>,
    parts: Parts,
    tool_tokens: u64,
}

impl Context {
    /// M ← [m0, u]. `tool_tokens` are the tokens of the tool schemas, part of T but not of W.
    #[must_use]
    pub fn new(system: Arc<Message>, task: Arc<Message>, tool_tokens: u64) -> Self {
        Self { head: Some([system, task]), tool_tokens, ..Self::default() }
    }

    /// m0 and u; empty before the session has started.
    #[must_use]
    pub fn head(&self) -> &[Arc<Message>] {
        self.head.as_ref().map_or(&[], |h| h.as_slice())
    }

    /// M_work, oldest first.
    #[must_use]
    pub fn work(&self) -> &[Arc<Message>] {
        &self.work
    }

    /// All of M in order.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Arc<Message>> {
        self.head().iter().chain(self.work.iter())
    }

    /// Number of messages in M.
    #[must_use]
    pub fn len(&self) -> usize {
        self.head().len() + self.work.len()
    }

    /// Whether M is still empty (before line 4).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The n-th message of M, counted from m0.
    #[must_use]
    pub fn nth(&self, n: usize) -> Option<&Arc<Message>> {
        let head = self.head();
        head.get(n).or_else(|| self.work.get(n.checked_sub(head.len())?))
    }

    /// The message with this id, if it is (still) in M.
    #[must_use]
    pub fn get(&self, id: MessageId) -> Option<&Arc<Message>> {
        // Ids grow along M except where an undo has put earlier ones back; then look one by one.
        match self.work.binary_search_by_key(&id, |m| m.id) {
            Ok(i) => self.work.get(i),
            Err(_) => self.messages().find(|m| m.id == id),
        }
    }

    /// W: tokens of M_work.
    #[must_use]
    pub fn working(&self) -> u64 {
        self.parts.total()
    }

    /// T: tokens of all of M, tool schemas included.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.working() + self.fixed()
    }

    /// Tokens that no compression can free: m0, u and the tool schemas.
    #[must_use]
    pub fn fixed(&self) -> u64 {
        self.tool_tokens + self.head().iter().map(|m| u64::from(m.tokens)).sum::<u64>()
    }

    /// Tokens of the tool schemas.
    #[must_use]
    pub fn tool_tokens(&self) -> u64 {
        self.tool_tokens
    }

    /// W by part.
    #[must_use]
    pub fn parts(&self) -> Parts {
        self.parts
    }

    /// The summary message, when M holds one.
    #[must_use]
    pub fn summary(&self) -> Option<&Arc<Message>> {
        self.work.first().filter(|m| m.kind == Kind::Summary)
    }

    /// `M ← M ⊕ [message]`.
    pub fn push(&mut self, message: Arc<Message>) {
        self.account(&message, true);
        Arc::make_mut(&mut self.work).push(message);
    }

    /// Line 14: M ← [m0, u, σ].
    pub fn rewrite(&mut self, summary: Arc<Message>) {
        self.work = Arc::default();
        self.parts = Parts::default();
        self.push(summary);
    }

    /// Puts `new` in place of the message with the same id; `None` removes it.
    ///
    /// Returns the message that stood there, or `None` (and changes nothing) when M_work has no such message.
    pub fn replace(&mut self, id: MessageId, new: Option<Arc<Message>>) -> Option<Arc<Message>> {
        let at = self.work.iter().position(|m| m.id == id)?;
        let old = self.work.get(at).cloned()?;
        self.account(&old, false);
        let work = Arc::make_mut(&mut self.work);
        match new {
            Some(new) => {
                if let Some(slot) = work.get_mut(at) {
                    *slot = Arc::clone(&new);
                }
                self.account(&new, true);
            }
            None => {
                work.remove(at);
            }
        }
        Some(old)
    }

    /// Drops the first `n` messages of M_work.
    pub fn drop_oldest(&mut self, n: usize) {
        let n = n.min(self.work.len());
        for message in Arc::make_mut(&mut self.work).drain(..n).collect::<Vec<_>>() {
            self.account(&message, false);
        }
    }

    fn account(&mut self, message: &Message, add: bool) {
        let Some(slot) = message.kind.part().and_then(|p| self.parts.slot(p)) else { return };
        let tokens = u64::from(message.tokens);
        *slot = if add { *slot + tokens } else { slot.saturating_sub(tokens) };
    }
}
