//! `memex run` and `memex demo`: a new session.

use super::args::{DemoArgs, RunArgs, Show};
use super::play::{Play, play};
use super::{Exit, Usage, find, make, out};
use crate::agent::live::{Agent, Beginning, Parts};
use crate::config::{Config, Env};
use crate::env::household;
use crate::session::Session;
use crate::store::StoreThread;

/// τ of the demo: small enough that the agent has to compress while one watches.
const DEMO_THRESHOLD: u64 = 2000;

/// Runs a policy in an environment.
///
/// # Errors
/// Usage, files, and what the screen says.
pub(super) fn run(config: &Config, env: &Env, args: &RunArgs) -> anyhow::Result<Exit> {
    if args.game == "list" {
        for game in household::BUILTINS {
            out::line(&format!("builtin:{:<16} {:<28} {}", game.name, game.task(), game.about()))?;
        }
        return Ok(Exit::Done);
    }
    start(config, env, args, make::pace(args.show.speed, 0.0)?)
}

/// Plays the built-in game with the scripted expert.
///
/// # Errors
/// As [`run`].
pub(super) fn demo(config: &Config, env: &Env, args: &DemoArgs) -> anyhow::Result<Exit> {
    let game = args.game.as_ref().map_or_else(|| "builtin".to_owned(), |g| format!("builtin:{}", g.strip_prefix("builtin:").unwrap_or(g)));
    let mut full = RunArgs::of_demo(game, args.show.clone());
    full.limits.threshold = Some(DEMO_THRESHOLD);
    // Without a screen nobody watches, so nothing waits.
    let speed = if args.show.headless { 0.0 } else { 1.0 };
    start(config, env, &full, make::pace(args.show.speed, speed)?)
}

fn start(config: &Config, env: &Env, args: &RunArgs, pace: u64) -> anyhow::Result<Exit> {
    let show: &Show = &args.show;
    if show.headless && args.policy == "human" {
        return Err(Usage("a human types in the terminal screen: leave --headless away, or answer with --policy script:-".into()).into());
    }
    if !show.headless {
        // Before a session is made that would only be in the way.
        crate::tui::require_terminal().map_err(|e| Usage(e.to_string()))?;
    }
    let policy_record = make::policy_record(config, env, args)?;
    let answers = make::policy(&policy_record)?;
    let environment = make::environment(&make::environment_record(args)?)?;
    let run_config = make::run_config(config, &args.limits, environment.settings(), answers.policy.settings());
    let counter = make::counter(config)?;
    let data = find::data(config)?;
    let session = data.create_session(make::now())?;
    let vault = StoreThread::start(session.dir.path(), Box::new(session.dir.truth()), Some(session.lock))?;
    let id = session.dir.id().to_owned();
    let title = format!("{} in {}", answers.policy.name(), make::place(&environment.settings()));
    let parts = Parts {
        session: Session::default(),
        journal: Some(session.journal),
        vault: Box::new(vault),
        policy: answers.policy,
        environment,
        counter: counter.clone(),
        clock: make::now,
        pace: if show.headless { 0 } else { pace },
    };
    let (agent, handle) = Agent::new(parts, Beginning::Open { session: id.clone(), config: Box::new(run_config) });
    play(config, env, Play { agent, handle, so_far: Vec::new(), id, show: show.clone(), pace, counter, human: answers.human, data, title })
}
