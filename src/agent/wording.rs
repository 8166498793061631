//! The sentences that the loop itself says to the agent.

use crate::memory::Index;
use crate::memory::tools::ToolSpec;

fn names(tools: &[ToolSpec]) -> String {
    tools.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn list(indices: &[Index]) -> String {
    indices.iter().map(Index::as_str).collect::<Vec<_>>().join(", ")
}

pub(super) fn no_call(tools: &[ToolSpec]) -> String {
    format!("Your answer called no tool, so nothing was done. Every answer must call one of: {}.", names(tools))
}

pub(super) fn cut_at_limit() -> &'static str {
    "Your answer was cut at the token limit before it was complete, so nothing of it was run. Answer again, shorter."
}

pub(super) fn malformed(reason: &str) -> String {
    format!("Your tool call could not be read and was not run: {reason}")
}

pub(super) fn unknown_tool(name: &str, tools: &[ToolSpec]) -> String {
    format!("There is no tool named {name:?}. The tools are: {}.", names(tools))
}

pub(super) fn miss(wanted: &str, nearest: &[Index]) -> String {
    if nearest.is_empty() {
        format!("There is no block under the index {wanted:?}: nothing has been archived yet.")
    } else {
        format!("There is no block under the index {wanted:?}. The nearest indices are: {}.", list(nearest))
    }
}

pub(super) fn read_budget(budget: u32) -> String {
    format!("The read budget of this step ({budget}) is used up. Go on with what you have read, and read more in a later step.")
}

pub(super) fn no_room(index: &str, needed: u64, left: u64) -> String {
    format!("{index} needs {needed} tokens and the window has {left} left. Compress first, then read it.")
}

pub(super) fn no_part(index: &str, part: u32, parts: u32) -> String {
    if parts == 1 {
        format!("{index} has only one part: read {index:?} without #{part}.")
    } else {
        format!("{index} has {parts} parts, there is no part {part}.")
    }
}

pub(super) fn compress_failed(faults: &[String]) -> String {
    format!(
        "CompressExperience was not carried out, and nothing was changed or archived. {} to repair:\n- {}",
        if faults.len() == 1 { "One thing".to_owned() } else { format!("{} things", faults.len()) },
        faults.join("\n- ")
    )
}

pub(super) fn not_run(names: &[String]) -> String {
    format!("\n\n[Not run, because they came after CompressExperience in the same answer: {}]", names.join(", "))
}

pub(super) fn demand(words: Option<&str>) -> String {
    let mut text = "[From the user of this session] Call CompressExperience now, before anything else.".to_owned();
    if let Some(words) = words.map(str::trim).filter(|w| !w.is_empty()) {
        text.push(' ');
        text += words;
    }
    text
}

pub(super) const UNDONE: &str = "This compression was taken back by the user of this session: your context is what it was before. Go on.";
pub(super) const UNDONE_OTHER: &str = "This call was not run.";
pub(super) const EXCLUDED: &str = "[This result was taken out of the context by the user of this session.]";
