//! The terminal screen: what the command line knows, handed to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::sync::mpsc::UnboundedSender;

use super::args::Show;
use super::{Exit, make};
use crate::agent::Handle;
use crate::config::{Config, Env};
use crate::policy::Turn;
use crate::session::{Envelope, journal};
use crate::store::DataDir;
use crate::text::tokens::Counter;
use crate::tui::keys::Keymap;
use crate::tui::theme::{self, Terminal};
use crate::tui::{self, Options, Outcome, Recording, Source};

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
}

/// Shows an agent until the user leaves.
///
/// # Errors
/// What the screen says.
pub(super) fn live(config: &Config, env: &Env, runtime: &Runtime, live: Live) -> anyhow::Result<Exit> {
    let dir = live.data.root().to_owned();
    let _ = &live.id;
    let options = Options {
        source: Source::Live { handle: live.handle, so_far: live.so_far },
        autoplay: live.show.autoplay,
        human: live.human,
        ..options(config, env, dir, live.pace, live.counter)
    };
    Ok(exit(&runtime.block_on(tui::run(options))?))
}

/// Shows a recording.
///
/// # Errors
/// What the screen says.
pub(super) fn replay(config: &Config, env: &Env, path: &Path, show: &Show, pace: u64) -> anyhow::Result<Exit> {
    let runtime = make::runtime()?;
    let data = DataDir::locate(config.data_dir.as_ref().map(|d| d.value.as_path()))?;
    let file = path.to_owned();
    let load = move || {
        let loaded = journal::read(&file).map_err(|e| e.to_string())?;
        Ok(Recording { events: loaded.events, notes: loaded.notes })
    };
    let options = Options {
        source: Source::Replay(Box::new(load)),
        title: path.display().to_string(),
        autoplay: show.autoplay,
        ..options(config, env, data.root().to_owned(), pace, make::counter(config)?)
    };
    Ok(exit(&runtime.block_on(tui::run(options))?))
}

fn options(config: &Config, env: &Env, dir: PathBuf, pace: u64, counter: Counter) -> Options {
    let get = |name: &str| env.get(name).map(str::to_owned);
    let terminal = Terminal { no_color: get("NO_COLOR"), term: get("TERM"), colorterm: get("COLORTERM"), colorfgbg: get("COLORFGBG") };
    let (keymap, problems) = Keymap::build(&config.keys);
    Options {
        source: Source::Replay(Box::new(|| Err(String::new()))),
        title: String::new(),
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
        export_dir: dir.join("exports"),
        log: Some(dir.join("memex.log")),
        human: None,
    }
}

fn exit(outcome: &Outcome) -> Exit {
    let _ = outcome;
    Exit::Done
}
