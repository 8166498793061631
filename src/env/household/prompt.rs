//! m0 of the household, and its tools. The words are ours; the tools' names and arguments are fixed by the wire.

use serde_json::json;

use super::harder::Harder;
use crate::memory::tools::ToolSpec;

/// The tool that acts.
pub const EXECUTE: &str = "execute_action";
/// The tool that ends the run.
pub const FINISH: &str = "finish";

/// The environment's own tools.
pub(super) fn tools() -> Vec<ToolSpec> {
    vec![
        ToolSpec {
            name: EXECUTE.into(),
            description: "Carry out one action in the household and see what comes of it.".into(),
            parameters: json!({
                "type": "object",
                "properties": {"action": {"type": "string", "description": "One action, e.g. go to drawer 2"}},
                "required": ["action"]
            }),
        },
        ToolSpec {
            name: FINISH.into(),
            description: "End the task, when it is done or cannot be done.".into(),
            parameters: json!({
                "type": "object",
                "properties": {"success": {"type": "boolean", "description": "Whether the task is done"}},
                "required": ["success"]
            }),
        },
    ]
}

/// m0.
pub(super) fn system_prompt(harder: Harder) -> String {
    let mut text = String::from(
        "You act in a household, step by step, until the task is done.

Every answer calls a tool. execute_action(action) carries out one action:
- look, inventory, help
- go to R · open R · close R · examine R
- take O from R · move O to R · use O · examine O (while you hold it)
- heat O with R (a microwave) · cool O with R (a fridge) · clean O with R (a sinkbasin)
- slice O with K (a knife that you hold)
R is a place such as `cabinet 3`, O a thing such as `mug 1`, both with their numbers exactly as they were shown. \
You can hold one thing at a time, you reach only what is where you stand, and what is closed must be opened before you see or use what is in it. \
An action that is not possible gets `Nothing happens.`
finish(success) ends the task.",
    );
    if harder.hide_room {
        text += "\n\nYou are not told which places there are: `look` shows them.";
    }
    if harder.look_once {
        text += " `look` works only once in the whole task.";
    }
    text += "

Your context is limited. A status line says how full it is. CompressExperience replaces everything after the task by a short summary that you write, \
and archives what you name under indices of your choice; ReadExperience(db_index) brings an archived block back, word for word. \
Summaries that are too long are cut, so put what you know and plan into the summary, and details into blocks";
    text += if harder.look_once {
        ". Before you compress, archive the list of places and where you saw which things: \
once they are gone from your context, only ReadExperience can bring them back, as you cannot look around again. \
Name every index in the summary, one line each: - index - description."
    } else {
        ": above all where you saw which things. Name every index in the summary, one line each: - index - description."
    };
    text
}
