//! The command line: one file a subcommand, each thin.

mod args;
mod config;
mod find;
mod headless;
mod keys;
mod make;
mod out;
mod play;
mod recorded;
mod replay;
mod resume;
mod run;
mod screen;
mod sessions;
mod stdin;
mod store;
mod themes;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::config::{Config, ConfigError, Env};
use crate::session::EndReason;
pub use args::Cli;
use args::Command;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done; a run that finished.
    Done,
    /// 1: something failed that has no number of its own.
    Failed,
    /// 2: the command line or the settings are wrong.
    Usage,
    /// 3: T_max was reached.
    MaxSteps,
    /// 4: the context is over the window.
    ContextOverflow,
    /// 5: the server or the environment failed.
    Broken,
    /// 130: cancelled.
    Cancelled,
    /// 128 and the number of the signal that ended it.
    Signal(i32),
}

impl From<EndReason> for Exit {
    fn from(reason: EndReason) -> Self {
        match reason {
            EndReason::Finished => Self::Done,
            EndReason::MaxSteps => Self::MaxSteps,
            EndReason::ContextOverflow => Self::ContextOverflow,
            EndReason::ServerError | EndReason::EnvironmentError => Self::Broken,
            EndReason::Cancelled => Self::Cancelled,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::MaxSteps => 3,
            Exit::ContextOverflow => 4,
            Exit::Broken => 5,
            Exit::Cancelled => 130,
            Exit::Signal(number) => u8::try_from(number).map_or(1, |n| n.saturating_add(128)),
        })
    }
}

/// The command line is right, but what it asks for cannot be done as asked.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Runs the program with these arguments (the first is its own name).
#[must_use]
pub fn run(args: impl IntoIterator<Item = OsString>, env: &Env) -> Exit {
    quiet_engine();
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; a closed pipe is none either.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Done };
        }
    };
    match dispatch(cli, env) {
        Ok(exit) => exit,
        Err(error) if out::is_broken_pipe(&error) => Exit::Done,
        Err(error) => {
            out::error(&error);
            let usage = error.chain().any(|e| e.is::<Usage>() || e.is::<ConfigError>());
            if usage { Exit::Usage } else { Exit::Failed }
        }
    }
}

/// Panics that the store catches and turns into errors are not printed as well.
fn quiet_engine() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !crate::store::catching() {
            before(info);
        }
    }));
}

fn dispatch(cli: Cli, env: &Env) -> anyhow::Result<Exit> {
    let config = Config::load(&cli.general.flags(), env)?;
    match cli.command().map_err(Usage)? {
        Command::Demo(args) => run::demo(&config, env, &args),
        Command::Run(args) => run::run(&config, env, &args),
        Command::Replay(args) => replay::replay(&config, env, &args),
        Command::Resume(args) => resume::resume(&config, env, &args),
        Command::Sessions(args) => sessions::sessions(&config, &args),
        Command::Store(args) => store::store(&config, &args),
        Command::Themes(args) => themes::themes(&config, &args),
        Command::Keys => keys::keys(&config),
        Command::Config => config::config(&config),
    }
}
