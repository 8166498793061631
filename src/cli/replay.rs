//! `memex replay`: a recorded session in the same screens. Reads the journal, writes nothing.

use super::args::ReplayArgs;
use super::{Exit, find, headless, make, out, screen};
use crate::config::{Config, Env};
use crate::session::{Session, journal, report_line};

/// Opens a recorded session.
///
/// # Errors
/// When there is no such session, or the file is no journal.
pub(super) fn replay(config: &Config, env: &Env, args: &ReplayArgs) -> anyhow::Result<Exit> {
    let path = find::journal(config, &args.session)?;
    if args.show.headless {
        return print(&path, args.show.json);
    }
    let pace = make::pace(args.show.speed, 1.0)?;
    screen::replay(config, env, &path, &args.show, pace)
}

fn print(path: &std::path::Path, json: bool) -> anyhow::Result<Exit> {
    let loaded = journal::read(path)?;
    for note in &loaded.notes {
        out::say(note);
    }
    let mut session = Session::default();
    for envelope in &loaded.events {
        if let Err(fault) = session.apply(envelope) {
            out::say(&fault.to_string());
        }
        if json { out::json(&report_line(envelope, &session))? } else { out::line(&headless::describe(envelope))? }
    }
    Ok(Exit::Done)
}
