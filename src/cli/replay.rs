//! `memex replay`: a recorded run in the same screens, ours or another agent's. Reads files, writes nothing.

use super::args::ReplayArgs;
use super::recorded::{self, Recorded};
use super::{Exit, headless, make, out, screen};
use crate::config::{Config, Env};
use crate::session::{Session, report_line};

/// Opens a recorded run.
///
/// # Errors
/// When there is no such file or session, or no run is in it.
pub(super) fn replay(config: &Config, env: &Env, args: &ReplayArgs) -> anyhow::Result<Exit> {
    let recorded = recorded::find(config, &args.session, args.from.as_deref())?;
    if args.show.headless {
        return print(config, recorded, args);
    }
    let pace = make::pace(args.show.speed, 1.0)?;
    screen::replay(config, env, recorded, args, pace)
}

fn print(config: &Config, recorded: Recorded, args: &ReplayArgs) -> anyhow::Result<Exit> {
    let loaded = recorded.load(&make::counter(config)?).map_err(anyhow::Error::msg)?;
    loaded.notes.iter().for_each(|note| out::say(note));
    let chosen = recorded::choose(&loaded.runs, args.run.as_deref())?;
    if loaded.runs.len() > 1 && args.run.is_none() {
        out::say(&format!("run 1 of {}; --run N prints another:", loaded.runs.len()));
        for (n, run) in loaded.runs.iter().enumerate() {
            out::say(&format!("  {} {} ({} steps)", n + 1, run.name, run.steps()));
        }
    }
    let Some(run) = loaded.runs.get(chosen) else { return Ok(Exit::Done) };
    let mut session = Session::default();
    for envelope in run.timeline().events() {
        if let Err(fault) = session.apply(envelope) {
            out::say(&fault.to_string());
        }
        if args.show.json { out::json(&report_line(envelope, &session))? } else { out::line(&headless::describe(envelope))? }
    }
    Ok(Exit::Done)
}
