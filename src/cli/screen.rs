//! The terminal screen: what the command line knows, handed to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::sync::mpsc::UnboundedSender;

use super::args::{ReplayArgs, Show};
use super::recorded::Recorded;
use super::{Exit, make, out};
use crate::agent::Handle;
use crate::config::{Config, Env};
use crate::policy::Turn;
use crate::session::{EndReason, Envelope};
use crate::store::DataDir;
use crate::text::tokens::Counter;
use crate::tui::keys::Keymap;
use crate::tui::theme::{self, Terminal};
use crate::tui::{self, Options, Outcome, Reading, Source};

/// A running agent and what its screen needs.
pub(super) struct Live {
    pub(super) handle: Handle,
    pub(super) so_far: Vec<Arc<Envelope>>,
    pub(super) id: String,
    pub(super) show: Show,
    pub(super) pace: u64,
    pub(super) counter: Counter,
    pub(super) human: Option<UnboundedSender<Turn>>,
    pub(super) data: DataDir,
    pub(super) title: String,
}

/// Shows an agent until the user leaves.
///
/// # Errors
/// What the screen says.
pub(super) fn live(config: &Config, env: &Env, runtime: &Runtime, live: Live) -> anyhow::Result<Exit> {
    // The log is made when there is somewhere to make it; a screen without one still shows everything.
    let log = live.data.create_log(make::now()).ok().map(|(_, path)| path);
    let options = Options {
        autoplay: live.show.autoplay,
        human: live.human,
        log: log.clone(),
        ..options(config, env, Source::Live { handle: live.handle, so_far: live.so_far }, live.title, live.pace, live.counter)
    };
    let outcome = runtime.block_on(tui::run(options))?;
    tell(&outcome, log.as_deref());
    if outcome.ended.as_ref().is_none_or(|e| e.reason != EndReason::Finished) {
        out::say(&format!("session {id} is kept: `memex resume {id}` goes on, `memex replay {id}` shows it", id = live.id));
    } else {
        out::say(&format!("session {id} is kept: `memex replay {id}` shows it", id = live.id));
    }
    Ok(exit(&outcome))
}

/// Shows a recording.
///
/// # Errors
/// What the screen says.
pub(super) fn replay(config: &Config, env: &Env, recorded: Recorded, args: &ReplayArgs, pace: u64) -> anyhow::Result<Exit> {
    let runtime = make::runtime()?;
    let counter = make::counter(config)?;
    let title = format!("replay {}", recorded.title());
    let (follow, run, own) = (args.follow, args.run.clone(), Arc::clone(&counter));
    let read: Reading = Box::new(move |stop, tell| recorded.watch(&own, follow, stop, tell));
    let source = Source::Replay { read, run };
    let options = Options { autoplay: args.show.autoplay, ..options(config, env, source, title, pace, counter) };
    let outcome = runtime.block_on(tui::run(options))?;
    tell(&outcome, None);
    Ok(exit(&outcome))
}

fn options(config: &Config, env: &Env, source: Source, title: String, pace: u64, counter: Counter) -> Options {
    let get = |name: &str| env.get(name).map(str::to_owned);
    let terminal = Terminal { no_color: get("NO_COLOR"), term: get("TERM"), colorterm: get("COLORTERM"), colorfgbg: get("COLORFGBG") };
    let (keymap, problems) = Keymap::build(&config.keys);
    Options {
        source,
        title,
        theme: theme::choose(&config.theme.value, &terminal).to_owned(),
        theme_folder: config.themes_dir.as_ref().map(|d| d.value.clone()),
        depth: terminal.depth(),
        ascii: config.ascii.value,
        mouse: config.mouse.value,
        keymap,
        notices: problems.iter().map(ToString::to_string).collect(),
        pace,
        autoplay: false,
        counter,
        // What is exported lands where the user stands, where they will look for it.
        export_dir: PathBuf::from("."),
        log: None,
        human: None,
    }
}

/// What the user should know after the screen has closed.
fn tell(outcome: &Outcome, log: Option<&Path>) {
    for path in &outcome.exported {
        out::say(&format!("exported {}", path.display()));
    }
    if let Some(path) = log {
        match std::fs::metadata(path) {
            Ok(about) if about.len() > 0 => out::say(&format!("log: {}", path.display())),
            // Nothing was logged: no file is left behind.
            _ => drop(std::fs::remove_file(path)),
        }
    }
}

fn exit(outcome: &Outcome) -> Exit {
    match (outcome.signal, outcome.ended.as_ref().map(|e| e.reason)) {
        (Some(signal), _) => Exit::Signal(signal),
        (None, Some(reason @ (EndReason::ServerError | EndReason::EnvironmentError | EndReason::ContextOverflow))) => Exit::from(reason),
        _ => Exit::Done,
    }
}
