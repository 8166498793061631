//! The paper's harder household: what of the engine's words reaches the agent.
//!
//! Four changes, each with its own switch. Three are here; the fourth, the cut of σ, belongs to the loop, and
//! only its number is kept here. Everything the agent sees goes through [`Screen`], so that nothing
//! hidden reaches it by another way.

use serde::{Deserialize, Serialize};

use super::engine::{Outcome, World};

/// τ_σ of the harder mode, tokens (§4 of the paper, change 4).
pub const SUMMARY_LIMIT: u32 = 300;

/// What every `look` but the first gets, where it works only once.
pub const LOOK_REFUSED: &str = "You have looked around already, and `look` works only once. If the room is no longer in your context, read it back with ReadExperience.";

/// Changes 1 to 3 of §4 of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Harder {
    /// Change 1: the agent is not told which commands are possible.
    pub hide_admissible: bool,
    /// Change 2: the first observation is the task sentence only.
    pub hide_room: bool,
    /// Change 3: `look` works once; it serves the room listing that was cut.
    pub look_once: bool,
}

impl Harder {
    /// As in the paper.
    pub const ON: Self = Self { hide_admissible: true, hide_room: true, look_once: true };
    /// ALFWorld as it is.
    pub const OFF: Self = Self { hide_admissible: false, hide_room: false, look_once: false };
}

impl Default for Harder {
    fn default() -> Self {
        Self::ON
    }
}

/// Stands between engine and agent.
#[derive(Clone, Debug)]
pub(super) struct Screen {
    rules: Harder,
    /// The room listing of the start.
    room: String,
    looked: bool,
}

impl Screen {
    pub(super) fn new(rules: Harder, world: &World) -> Self {
        Self { rules, room: world.room(), looked: false }
    }

    /// u: the first observation.
    pub(super) fn first(&self, world: &World) -> String {
        let text = if self.rules.hide_room { world.game().task_sentence().to_owned() } else { world.intro() };
        self.with_admissible(text, world)
    }

    /// Runs a command in the engine's form and shows what the agent may see of it.
    pub(super) fn step(&mut self, world: &mut World, command: &str) -> Outcome {
        let mut outcome = match self.look(command) {
            Some(text) => Outcome { text, state_changed: false, score: u32::from(world.won()), done: world.won() },
            None => world.step(command),
        };
        outcome.text = self.with_admissible(outcome.text, world);
        outcome
    }

    /// What `look` shows where the engine's own does not.
    fn look(&mut self, command: &str) -> Option<String> {
        if command.trim() != "look" {
            return None;
        }
        let first = !std::mem::replace(&mut self.looked, true);
        // The engine's own look at the start sees nothing: with the listing cut, the locations could not be learnt at all.
        if first && (self.rules.hide_room || self.rules.look_once) {
            Some(self.room.clone())
        } else {
            self.rules.look_once.then(|| LOOK_REFUSED.to_owned())
        }
    }

    fn with_admissible(&self, text: String, world: &World) -> String {
        if self.rules.hide_admissible { text } else { format!("{text}\n\nPossible now: {}", world.admissible().join(", ")) }
    }
}
