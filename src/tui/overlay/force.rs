//! Forced compression: which way, of what range, and what it would do, before it does it.
//!
//! A preview is planned against M as it is. Whoever opens this sees to it that the agent stands
//! between two steps, so that M is still the same when it is applied.

use crossterm::event::KeyCode;

use super::Reply;
use crate::agent::compress::{self, Kept, Plan};
use crate::agent::draft::{self, Draft, Range};
use crate::agent::{Command, HumanAct};
use crate::memory::{Index, IndexMap, IndexedSummary, MessageId};
use crate::session::{Author, Session};
use crate::text::tokens::TokenCounter;
use crate::tui::effect::{Effect, Purpose};
use crate::tui::input::Input;
use crate::tui::keys::Key;

/// What a compression would do.
#[derive(Clone, Debug)]
pub(crate) struct Preview {
    /// The draft that is applied.
    pub(crate) draft: Draft,
    /// Its plan.
    pub(crate) plan: Plan,
    /// How much it keeps word for word.
    pub(crate) kept: Kept,
    /// I after it.
    pub(crate) map: IndexMap,
    /// Indices in I before and not after.
    pub(crate) dropped: Vec<Index>,
    /// Events in the journal when it was planned.
    pub(crate) seq: u64,
    /// First row shown.
    pub(crate) scroll: usize,
}

/// Where the dialog stands.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// Choosing a way.
    Choose,
    /// Typing words for the agent.
    Words(Input),
    /// The demand, ready to be sent.
    Demand(String),
    /// A compression, ready to be applied.
    Preview(Box<Preview>),
    /// What the user wrote cannot be carried out; it can be edited again.
    Faults {
        /// Each a sentence.
        list: Vec<String>,
        /// As written.
        written: String,
    },
}

/// The dialog.
#[derive(Clone, Debug)]
pub(crate) struct Force {
    /// What is compressed.
    pub(crate) range: Range,
    /// The message that "here" means, and how it is called.
    pub(crate) here: Option<(MessageId, String)>,
    /// Where the dialog stands.
    pub(crate) stage: Stage,
}

impl Force {
    /// A dialog about all of M_work; `here` is the selected message.
    pub(crate) fn new(here: Option<(MessageId, String)>) -> Self {
        Self { range: Range::All, here, stage: Stage::Choose }
    }

    /// Answers a key.
    pub(crate) fn key(&mut self, key: Key, session: &Session, counter: &dyn TokenCounter) -> Reply {
        match &mut self.stage {
            Stage::Choose => self.choose(key, session, counter),
            Stage::Words(input) => match key.code() {
                KeyCode::Enter => {
                    let words = input.text().trim().to_owned();
                    self.stage = Stage::Demand(words);
                    Reply::Stay
                }
                _ => {
                    input.key(key);
                    Reply::Stay
                }
            },
            Stage::Demand(words) => match key.text() {
                Some('y') => {
                    let words = Some(words.clone()).filter(|w| !w.is_empty());
                    Reply::Do(vec![Effect::Tell(Command::Act(HumanAct::Demand { words }))])
                }
                Some('n') => self.back(),
                Some('e') => {
                    self.stage = Stage::Words(Input::new(words));
                    Reply::Stay
                }
                _ => Reply::Stay,
            },
            Stage::Preview(preview) => {
                match (key.text(), key.code()) {
                    (Some('y'), _) => {
                        if preview.seq != session.seq() {
                            let draft = preview.draft.clone();
                            self.preview(draft, session, counter, String::new());
                            return Reply::Say("the context has changed meanwhile: this is the preview of what it is now".into());
                        }
                        return Reply::Do(vec![Effect::Tell(Command::Act(HumanAct::Compress(Box::new(preview.draft.clone()))))]);
                    }
                    (Some('n'), _) => return self.back(),
                    (Some('j'), _) | (_, KeyCode::Down) => preview.scroll += 1,
                    (Some('k'), _) | (_, KeyCode::Up) => preview.scroll = preview.scroll.saturating_sub(1),
                    (Some(' '), _) | (_, KeyCode::PageDown) => preview.scroll += 10,
                    (_, KeyCode::PageUp) => preview.scroll = preview.scroll.saturating_sub(10),
                    _ => {}
                }
                Reply::Stay
            }
            Stage::Faults { written, .. } => match key.text() {
                Some('e') => {
                    Reply::Do(vec![Effect::Edit { text: written.clone(), ending: "json", purpose: Purpose::Compress(self.range) }])
                }
                Some('n') => self.back(),
                _ => Reply::Stay,
            },
        }
    }

    /// A paste.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Stage::Words(input) = &mut self.stage {
            input.insert(text);
        }
    }

    /// One stage back; closes at the first.
    pub(crate) fn back(&mut self) -> Reply {
        if matches!(self.stage, Stage::Choose) {
            return Reply::Close;
        }
        self.stage = Stage::Choose;
        Reply::Stay
    }

    /// Whether letters are text now.
    pub(crate) fn typing(&self) -> bool {
        matches!(self.stage, Stage::Words(_))
    }

    fn choose(&mut self, key: Key, session: &Session, counter: &dyn TokenCounter) -> Reply {
        match key.text() {
            Some('a') => self.stage = Stage::Words(Input::default()),
            Some('v') => self.preview(draft::verbatim(session, self.range), session, counter, String::new()),
            Some('e') => {
                let text = draft::template(session, self.range);
                return Reply::Do(vec![Effect::Edit { text, ending: "json", purpose: Purpose::Compress(self.range) }]);
            }
            Some('*') => self.range = Range::All,
            Some('f') => self.range = self.here.as_ref().map_or(Range::All, |(id, _)| Range::From(*id)),
            Some('u') => self.range = self.here.as_ref().map_or(Range::All, |(id, _)| Range::UpTo(*id)),
            _ => {}
        }
        Reply::Stay
    }

    /// What the user made of the template.
    pub(crate) fn edited(&mut self, text: String, session: &Session, counter: &dyn TokenCounter) {
        match draft::from_template(session, self.range, &text) {
            Ok(draft) => self.preview(draft, session, counter, text),
            Err(list) => self.stage = Stage::Faults { list, written: text },
        }
    }

    fn preview(&mut self, draft: Draft, session: &Session, counter: &dyn TokenCounter, written: String) {
        if draft.blocks.is_empty() {
            let list = vec!["there is nothing to archive in this range".into()];
            self.stage = Stage::Faults { list, written };
            return;
        }
        self.stage = match compress::plan(session, &draft, Author::Human, None, Vec::new(), counter) {
            Ok(plan) => {
                let known = |i: &Index| draft.blocks.iter().any(|b| b.index == *i) || !session.archive().versions(i).is_empty();
                let map = IndexedSummary::parse(&plan.event.summary, known).index_map;
                let dropped = session.index_map().indices().filter(|i| !map.contains(i)).cloned().collect();
                let kept = compress::kept(session, &plan.event);
                Stage::Preview(Box::new(Preview { draft, plan, kept, map, dropped, seq: session.seq(), scroll: 0 }))
            }
            Err(list) => Stage::Faults { list, written },
        };
    }
}

/// Share in whole percent, rounded down; nothing of nothing is all.
pub(crate) fn percent(part: u64, whole: u64) -> u64 {
    part.saturating_mul(100).checked_div(whole).unwrap_or(100)
}
