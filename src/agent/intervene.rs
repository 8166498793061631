//! What a human may change, and the event that it becomes. Pure, like [`super::decide`].

use std::sync::Arc;

use super::command::HumanAct;
use super::{compress, read, wording};
use crate::memory::{Kind, Message, MessageId};
use crate::session::{Author, Change, Edited, Event, Phase, Session, Settled, Undone};
use crate::text::tokens::TokenCounter;

/// The event of a change by hand, or a sentence that says why it cannot be.
///
/// # Errors
/// The sentence.
pub(super) fn intervene(session: &Session, act: &HumanAct, counter: &dyn TokenCounter) -> Result<Event, String> {
    if let Phase::Ended(_) = session.phase() {
        return Err("the run has ended: nothing in it changes any more".into());
    }
    let edit = |change| Ok(Event::Edited(Edited { by: Author::Human, change }));
    match act {
        HumanAct::Compress(draft) => {
            if draft.blocks.is_empty() {
                return Err("there is nothing to archive: a forced compression needs at least one block".into());
            }
            let plan = compress::plan(session, draft, Author::Human, None, Vec::new(), counter).map_err(|faults| faults.join("; "))?;
            Ok(Event::Compressed(Box::new(plan.event)))
        }
        HumanAct::Demand { words } => {
            if !session.started().is_some_and(|s| s.config.mode.compresses()) {
                return Err("this run's memory mode has no CompressExperience".into());
            }
            let text = wording::demand(words.as_deref());
            edit(Change::Added { tokens: counter.count(&text), text: text.into(), demands_compression: true })
        }
        HumanAct::Read { index, part } => {
            let version = session.archive().read(index).ok_or_else(|| format!("there is no block {index}"))?;
            read::plan(session, version, *part, Author::Human, None, counter).map(|read| Event::Read(Box::new(read)))
        }
        HumanAct::Rewrite { message, text } => {
            let old = editable(session, *message)?;
            if *old.text == **text {
                return Err("the text is as it was".into());
            }
            edit(Change::Rewritten { message: *message, text: text.as_str().into(), tokens: counter.count(text) })
        }
        HumanAct::Exclude { message } => {
            let old = editable(session, *message)?;
            match old.kind {
                // The call before it must keep a result, or servers refuse the request.
                Kind::Observation | Kind::Retrieved if *old.text == *wording::EXCLUDED => Err("the result is excluded already".into()),
                Kind::Observation | Kind::Retrieved => {
                    edit(Change::Rewritten { message: *message, text: wording::EXCLUDED.into(), tokens: counter.count(wording::EXCLUDED) })
                }
                _ => edit(Change::Removed { message: *message }),
            }
        }
        HumanAct::Undo => {
            let target = session.undo_target().ok_or("there is nothing to undo")?;
            let settled = settle(session, target, counter);
            Ok(Event::Undone(Undone { target, redo: false, settled }))
        }
        HumanAct::Redo => {
            let target = session.redo_target().ok_or("there is nothing to redo")?;
            Ok(Event::Undone(Undone { target, redo: true, settled: Vec::new() }))
        }
    }
}

/// Whether a message of M may be given another text or taken out.
///
/// # Errors
/// A sentence that says why not.
pub fn may_change(session: &Session, id: MessageId) -> Result<(), String> {
    editable(session, id).map(|_| ())
}

fn editable(session: &Session, id: MessageId) -> Result<&Arc<Message>, String> {
    let message = session.context().get(id).ok_or("the message is not in the context any more")?;
    match message.kind {
        Kind::System | Kind::Task => Err("the system prompt and the task never change within a run".into()),
        Kind::Call => Err("a call that was made stays as it was made; force a compression to get rid of it".into()),
        _ => Ok(message),
    }
}

/// Answers to the calls that the restored context holds without a result.
fn settle(session: &Session, target: u64, counter: &dyn TokenCounter) -> Vec<Settled> {
    let own = session.compressions().iter().find(|c| c.seq == target).and_then(|c| c.event.call.clone());
    session
        .unsettled_by_undo()
        .into_iter()
        .map(|call| {
            let text = if own.as_ref() == Some(&call) { wording::UNDONE } else { wording::UNDONE_OTHER };
            Settled { call, text: text.into(), tokens: counter.count(text) }
        })
        .collect()
}
