//! The scripted expert of the household: a policy that shows how indexed memory is used.
//!
//! It has no state and no access to the world: its answer is a function of the request, that is of M and the tools. What it wants to know
//! after a compression it must have written into σ or an archived block, and read back.

mod belief;
mod compress;
mod goal;
mod notes;
mod plan;
mod search;
mod sentence;
mod writing;

use serde_json::{Value, json};

use self::belief::Belief;
use self::plan::Move;
use super::{Delta, DeltaSink, Policy, PolicyError, Request, Turn};
use crate::env::household::{EXECUTE, FINISH};
use crate::memory::ToolCall;
use crate::memory::tools::{COMPRESS, READ, same_tool};
use futures_util::future::BoxFuture;

/// The expert. Plays all six tasks, in the harder mode and without it, with readable or raw names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expert;

impl Expert {
    /// The value of `kind` in the settings of a run.
    pub const KIND: &'static str = "expert";

    /// The answer to a request: one call, and the thought behind it.
    #[must_use]
    pub fn decide(request: &Request) -> Turn {
        let belief = Belief::of(&request.context);
        let step = plan::next(&belief);
        let compressor = request.tools.iter().find(|t| same_tool(&t.name, COMPRESS));
        let forced = request.force.is_some_and(|f| same_tool(f, COMPRESS));
        let useful = !matches!(step.go, Move::Finish(_)) && belief.failed_compressions < 2 && compress::is_due(&belief);
        if let Some(tool) = compressor.filter(|_| forced || useful) {
            let with_blocks = tool.parameters.pointer("/properties/db_blocks").is_some();
            let arguments = compress::arguments(&request.context, &belief, &step.go.words(), with_blocks);
            return answer(compress::thought(&belief), COMPRESS, &arguments);
        }
        match step.go {
            Move::Act(action) => answer(step.thought, EXECUTE, &json!({ "action": action })),
            Move::Read(index) => answer(step.thought, READ, &json!({ "db_index": index })),
            Move::Finish(success) => answer(step.thought, FINISH, &json!({ "success": success })),
        }
    }
}

impl Move {
    /// What the notes call it.
    fn words(&self) -> String {
        match self {
            Self::Act(action) => action.clone(),
            Self::Read(index) => format!("read block {index}"),
            Self::Finish(_) => "finish".to_owned(),
        }
    }
}

fn answer(thought: String, tool: &str, arguments: &Value) -> Turn {
    let call = ToolCall { id: "".into(), name: tool.into(), arguments: arguments.to_string().into() };
    Turn { thinking: Some(thought), calls: vec![call], ..Turn::default() }
}

impl Policy for Expert {
    fn settings(&self) -> Value {
        json!({ "kind": Self::KIND })
    }
    fn name(&self) -> String {
        "expert".to_owned()
    }
    fn act<'a>(&'a mut self, request: &'a Request, deltas: DeltaSink<'a>) -> BoxFuture<'a, Result<Turn, PolicyError>> {
        let turn = Self::decide(request);
        if let Some(thinking) = &turn.thinking {
            deltas(Delta::Thinking(thinking.clone()));
        }
        for call in &turn.calls {
            deltas(Delta::Call { name: call.name.to_string(), arguments: call.arguments.to_string() });
        }
        Box::pin(std::future::ready(Ok(turn)))
    }
}
