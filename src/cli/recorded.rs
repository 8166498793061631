//! Whatever the user names that holds recorded runs: a session, a file of any known format, a folder of such, a pipe.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::{Usage, find, stdin};
use crate::config::Config;
use crate::store::SessionDir;
use crate::text::tokens::Counter;
use crate::trajectory::{self, FORMATS, Follow, Format, Loading, Run};

/// What was named.
pub(super) enum Recorded {
    /// A file; a session by its journal.
    File(PathBuf, Option<&'static Format>),
    /// A folder of files.
    Folder(PathBuf),
    /// Standard input.
    Pipe(Option<&'static Format>),
}

/// Finds it.
///
/// # Errors
/// When nothing of that name is there, or the format is not known.
pub(super) fn find(config: &Config, named: &str, from: Option<&str>) -> anyhow::Result<Recorded> {
    let from = from.map(format).transpose()?;
    if named == "-" {
        return Ok(Recorded::Pipe(from));
    }
    let path = Path::new(named);
    if path.is_dir() && !SessionDir::at(path).journal().is_file() {
        if from.is_some() {
            return Err(Usage("--from is for one file, not for a folder".into()).into());
        }
        return Ok(Recorded::Folder(path.to_owned()));
    }
    Ok(Recorded::File(find::journal(config, named)?, from))
}

/// The format of a name.
///
/// # Errors
/// When there is none, with those there are.
pub(super) fn format(name: &str) -> anyhow::Result<&'static Format> {
    let known = || FORMATS.iter().map(|f| f.name).collect::<Vec<_>>().join(", ");
    Ok(trajectory::named(name).ok_or_else(|| Usage(format!("there is no format {name}; known are {}", known())))?)
}

impl Recorded {
    /// What it is called on the screen.
    pub(super) fn title(&self) -> String {
        let path = match self {
            Self::Pipe(_) => return "standard input".into(),
            Self::Folder(path) => path,
            Self::File(path, _) => path.parent().filter(|_| path.ends_with("journal.jsonl")).unwrap_or(path),
        };
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Reads all of it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn load(self, counter: &Counter) -> Result<Loading, String> {
        self.watch(counter, false, &AtomicBool::new(false), &mut |_| {})
    }

    /// Reads it and tells what is there so far; waits for more if it is to be followed.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn watch(
        self,
        counter: &Counter,
        follow: bool,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Loading),
    ) -> Result<Loading, String> {
        let say = |error: trajectory::OpenError| error.to_string();
        match self {
            Self::Folder(_) if follow => Err("--follow is for one file or a pipe, not for a folder".into()),
            Self::Folder(path) => trajectory::folder(&path, counter, stop, tell).map_err(say),
            Self::File(path, from) if follow => {
                let file = File::open(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                let opened = trajectory::await_file(&path, &file, from, Follow::On, stop).map_err(say)?;
                opened.map_or_else(|| Ok(Loading::default()), |o| o.watch(counter, Follow::On, stop, tell).map_err(say))
            }
            Self::File(path, from) => trajectory::open(&path, from).and_then(|o| o.watch(counter, Follow::No, stop, tell)).map_err(say),
            Self::Pipe(from) => {
                let spool = stdin::spool().map_err(|e| format!("no file for standard input: {e}"))?;
                let follow = Follow::Until(&spool.done);
                let opened = trajectory::await_file(Path::new("standard input"), &spool.file, from, follow, stop).map_err(say)?;
                let mut loading = match opened {
                    Some(opened) => opened.watch(counter, follow, stop, tell).map_err(say)?,
                    None => Loading::default(),
                };
                loading.notes.extend(spool.trouble.get().cloned());
                Ok(loading)
            }
        }
    }
}

/// The run of a file that was asked for, by its number from 1 or its name; the first when none was.
///
/// # Errors
/// When there is none, with those there are.
pub(super) fn choose(runs: &[Run], wanted: Option<&str>) -> Result<usize, Usage> {
    let Some(wanted) = wanted else { return Ok(0) };
    trajectory::find_run(runs, wanted).ok_or_else(|| {
        let list = runs.iter().enumerate().take(20).map(|(n, r)| format!("{} {}", n + 1, r.name)).collect::<Vec<_>>().join(", ");
        let more = if runs.len() > 20 { ", …" } else { "" };
        Usage(format!("there is no run {wanted}; there are {list}{more}"))
    })
}
