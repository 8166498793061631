//! Household: the rules of ALFWorld's text games, and the paper's harder version of them (§4).
//!
//! [`game`] reads game files, [`engine`] plays them, [`harder`] hides what the paper hides, [`lenient`] forgives spelling,
//! [`builtin`] has games of its own. This file joins them to what the loop calls an [`Environment`].

mod builtin;
mod engine;
mod game;
mod harder;
mod lenient;
mod naming;
mod prompt;

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use builtin::{BUILTINS, Builtin};
pub use engine::{NOTHING_HAPPENS, Outcome, World};
pub use game::{Game, GameError, Task};
pub use harder::{Harder, LOOK_REFUSED, SUMMARY_LIMIT};
pub use lenient::engine_form;
pub use naming::{Names, kind_of};
pub use prompt::{EXECUTE, FINISH};

use futures_util::future::BoxFuture;

use super::{Answer, Environment, EnvironmentError, Reply};
use crate::memory::tools::ToolSpec;
use crate::memory::{Digest, ToolCall};
use harder::Screen;

/// Largest game file that is read, bytes; real ones have about 100,000.
const MAX_FILE: u64 = 16 << 20;

/// What a household is made from; journaled, so that a run can be resumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// `builtin`, `builtin:NAME`, or the path of a `game.tw-pddl` file.
    pub game: String,
    /// Names of things.
    #[serde(default)]
    pub names: Names,
    /// The paper's changes.
    #[serde(default)]
    pub harder: Harder,
    /// Whether other spellings of commands are understood.
    #[serde(default)]
    pub lenient: bool,
    /// Hash of the game's text: a resumed run must find the same game. Filled in by [`Household::open`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

impl Settings {
    /// The harder mode with readable names, strict.
    #[must_use]
    pub fn new(game: impl Into<String>) -> Self {
        Self { game: game.into(), names: Names::default(), harder: Harder::ON, lenient: false, digest: None }
    }
}

/// A household in play.
#[derive(Clone, Debug)]
pub struct Household {
    settings: Settings,
    world: World,
    screen: Screen,
    task: String,
}

impl Household {
    /// The value of `kind` in the settings of a run.
    pub const KIND: &'static str = "household";

    /// Loads the game and stands at its start.
    ///
    /// # Errors
    /// [`EnvironmentError::Setup`] says which game cannot be had and why; also when `settings.digest` names another text.
    pub fn open(settings: Settings) -> Result<Self, EnvironmentError> {
        let setup = |why: String| EnvironmentError::Setup(format!("game {}: {why}", settings.game));
        let (game, digest) = if let Some(name) = settings.game.strip_prefix("builtin") {
            let builtin = match name.strip_prefix(':') {
                Some(name) => Builtin::find(name),
                None if name.is_empty() => BUILTINS.first(),
                None => None,
            };
            let names = || BUILTINS.iter().map(|b| b.name).collect::<Vec<_>>().join(", ");
            let builtin = builtin.ok_or_else(|| setup(format!("there is no such built-in game; there are: {}", names())))?;
            (builtin.load(), Digest::of(builtin.source().as_bytes()))
        } else {
            let text = read(Path::new(&settings.game)).map_err(setup)?;
            (Game::parse(&text), Digest::of(text.as_bytes()))
        };
        let game = game.map_err(|e| setup(e.to_string()))?;
        if settings.digest.is_some_and(|d| d != digest) {
            return Err(setup("it is not the game that the session was played on: its text has changed".into()));
        }
        let world = World::new(Arc::new(game), settings.names);
        let screen = Screen::new(settings.harder, &world);
        let task = screen.first(&world);
        Ok(Self { settings: Settings { digest: Some(digest), ..settings }, world, screen, task })
    }

    /// Makes a household again from what [`Environment::settings`] gave.
    ///
    /// It stands at its start: run the recorded calls again to bring it back to where the session stopped.
    ///
    /// # Errors
    /// [`EnvironmentError::Setup`] as [`Household::open`], and for settings that are not of a household.
    pub fn from_settings(settings: &Value) -> Result<Self, EnvironmentError> {
        let settings = Settings::deserialize(settings).map_err(|e| EnvironmentError::Setup(format!("settings of the household: {e}")))?;
        Self::open(settings)
    }

    /// The world behind the screen.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Runs one action as the agent writes it.
    pub fn act(&mut self, action: &str) -> Reply {
        let form = if self.settings.lenient { engine_form(action) } else { None };
        let outcome = self.screen.step(&mut self.world, form.as_deref().unwrap_or(action));
        let text = match form {
            // The journal keeps what was written; the agent is told how it was taken.
            Some(form) => format!("[read as: {form}]\n{}", outcome.text),
            None => outcome.text,
        };
        Reply { text, state_changed: Some(outcome.state_changed) }
    }
}

fn read(path: &Path) -> Result<String, String> {
    let about = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if !about.is_file() {
        return Err("it is not a file; give the path of a game.tw-pddl, or builtin:NAME".into());
    }
    if about.len() > MAX_FILE {
        return Err(format!("it has {} bytes, more than any game ({MAX_FILE})", about.len()));
    }
    std::fs::read_to_string(path).map_err(|e| e.to_string())
}

impl Environment for Household {
    fn settings(&self) -> Value {
        let mut value = serde_json::to_value(&self.settings).unwrap_or_default();
        if let Some(object) = value.as_object_mut() {
            object.insert("kind".into(), Self::KIND.into());
        }
        value
    }
    fn system_prompt(&self) -> String {
        prompt::system_prompt(self.settings.harder)
    }
    fn task(&self) -> String {
        self.task.clone()
    }
    fn tools(&self) -> Vec<ToolSpec> {
        prompt::tools()
    }
    fn finish_tool(&self) -> &str {
        FINISH
    }
    fn finish(&mut self, arguments: &Value) -> Result<Answer, String> {
        match arguments.get("success") {
            Some(Value::Bool(success)) => Ok(Answer { text: format!("success={success}") }),
            _ => Err("finish needs success, true or false: whether the task is done.".into()),
        }
    }
    fn call<'a>(&'a mut self, call: &'a ToolCall, arguments: &'a Value) -> BoxFuture<'a, Result<Reply, EnvironmentError>> {
        let reply = match arguments.get("action") {
            Some(Value::String(action)) => self.act(action),
            _ => Reply { text: format!("{} needs action, a text such as \"go to drawer 2\".", call.name), state_changed: Some(false) },
        };
        Box::pin(std::future::ready(Ok(reply)))
    }
    fn success(&self) -> Option<bool> {
        Some(self.world.won())
    }
}

#[cfg(test)]
mod tests;
