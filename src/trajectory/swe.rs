//! What SWE-agent and mini-swe-agent have in common: how they say that a run has ended.

use super::json::Node;
use super::run::Pen;
use crate::session::EndReason;

/// The end of a run, known before or after the messages.
#[derive(Debug)]
pub(super) struct Ending {
    status: String,
    submission: Option<String>,
}

impl Ending {
    /// Reads `info`; none where it says nothing of an end.
    pub(super) fn read(info: &Node<'_>) -> Option<Self> {
        let status = info.text("exit_status").filter(|s| !s.is_empty())?.into_owned();
        let submission = info.text("submission").filter(|s| !s.is_empty()).map(Into::into);
        Some(Self { status, submission })
    }

    /// Writes it.
    pub(super) fn write(self, pen: &mut Pen<'_>) {
        pen.ended(reason(&self.status), self.submission, None, Some(self.status));
    }
}

fn reason(status: &str) -> EndReason {
    let status = status.to_ascii_lowercase();
    let has = |word: &str| status.contains(word);
    if has("submitted") {
        EndReason::Finished
    } else if has("context") {
        EndReason::ContextOverflow
    } else if has("limit") || has("cost") || has("step") {
        EndReason::MaxSteps
    } else if has("api") || has("ratelimit") || has("authentication") {
        EndReason::ServerError
    } else if has("cancel") || has("interrupt") || has("forfeit") || has("skipped") {
        EndReason::Cancelled
    } else {
        EndReason::EnvironmentError
    }
}
