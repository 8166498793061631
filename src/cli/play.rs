//! An agent and its front end, started together and ended together.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::args::Show;
use super::{Exit, headless, make, out, screen};
use crate::agent::live::Agent;
use crate::agent::{Command, Handle};
use crate::config::{Config, Env};
use crate::policy::Turn;
use crate::session::{Envelope, Session};
use crate::store::DataDir;
use crate::text::tokens::Counter;

/// What is played, and how.
pub(super) struct Play {
    pub(super) agent: Agent,
    pub(super) handle: Handle,
    /// Events of an earlier run of the session.
    pub(super) so_far: Vec<Arc<Envelope>>,
    pub(super) id: String,
    pub(super) show: Show,
    pub(super) pace: u64,
    pub(super) counter: Counter,
    pub(super) human: Option<UnboundedSender<Turn>>,
    pub(super) data: DataDir,
    /// Policy and environment, in a few words.
    pub(super) title: String,
}

/// Plays it to the end, or until the user leaves.
///
/// # Errors
/// What the front end says.
pub(super) fn play(config: &Config, env: &Env, play: Play) -> anyhow::Result<Exit> {
    let runtime = make::runtime()?;
    let Play { agent, handle, so_far, id, show, pace, counter, human, data, title } = play;
    let task = runtime.spawn(agent.run());
    let commands = handle.commands.clone();
    let exit = if show.headless {
        let session = Session::fold(so_far.iter().map(|e| &**e)).unwrap_or_default();
        runtime.block_on(headless::drive(handle, session, show.json))
    } else {
        screen::live(config, env, &runtime, screen::Live { handle, so_far, id: id.clone(), show, pace, counter, human, data, title })
    };
    let _ = commands.send(Command::Quit);
    // A panic of the agent must reach the user, and the store must be closed before the lock goes.
    if let Err(panic) = runtime.block_on(task)
        && panic.is_panic()
    {
        out::say(&format!("the agent's task failed; the session is kept: memex resume {id}"));
        return Ok(Exit::Failed);
    }
    exit
}
