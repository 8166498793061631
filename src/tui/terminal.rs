//! The terminal while it is ours, and giving it back as it was, whatever happens.
//!
//! Raw mode, alternate screen, bracketed paste, mouse (only when wanted), and fd 2: what a library
//! or a log writes to stderr goes to a file while the screen is ours.
//!
//! Knows nothing of what is drawn.

use std::fs::File;
use std::io::{self, IsTerminal, Stdout, Write};
use std::mem::ManuallyDrop;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use tokio::sync::Notify;

use super::TuiError;
use crate::text::sanitize;

/// What must be put back. Present while the screen is ours.
#[derive(Debug)]
struct Ours {
    mouse: bool,
    stderr: Option<OwnedFd>,
    thread: ThreadId,
}

static OURS: Mutex<Option<Ours>> = Mutex::new(None);
/// Panics of other threads while the screen was ours, to be printed when it is not.
static CAUGHT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Told of each of them.
static TOLD: Mutex<Option<Arc<Notify>>> = Mutex::new(None);

/// Whom to wake when another thread panics.
pub(super) fn tell_panics(notify: Arc<Notify>) {
    *locked(&TOLD) = Some(notify);
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The screen. Dropping it gives the terminal back.
pub(super) struct Screen {
    /// Where frames go. Never dropped: its own `Drop` prints to a standard error that may be gone with the terminal,
    /// and all that it restores is restored here.
    pub(super) terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
    log: Option<PathBuf>,
    mouse: bool,
}

/// Whether there is a terminal to draw on; asked before anything is made that only a screen would use.
///
/// # Errors
/// [`TuiError::NoTerminal`] says what is missing.
pub fn require_terminal() -> Result<(), TuiError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(TuiError::NoTerminal("stdin and stdout are not both a terminal"));
    }
    if std::env::var_os("TERM").is_some_and(|t| t == "dumb") {
        return Err(TuiError::NoTerminal("TERM=dumb has no cursor to place"));
    }
    Ok(())
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// [`TuiError::NoTerminal`] where there is none to take.
    pub(super) fn enter(log: Option<&Path>, mouse: bool) -> Result<Self, TuiError> {
        require_terminal()?;
        hook();
        take(log, mouse)?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()));
        let terminal = terminal.inspect_err(|_| give_back()).map_err(TuiError::Terminal)?;
        Ok(Self { terminal: ManuallyDrop::new(terminal), log: log.map(Path::to_owned), mouse })
    }

    /// Gives the terminal back for a while: an editor, a stop.
    pub(super) fn leave(&mut self) {
        give_back();
    }

    /// Takes it again; the next frame is drawn whole.
    ///
    /// # Errors
    /// [`TuiError::Terminal`] when the terminal is gone.
    pub(super) fn back(&mut self) -> Result<(), TuiError> {
        take(self.log.as_deref(), self.mouse)?;
        // The alternate screen is blank when it is entered, and so is a new terminal's idea of it. (Clearing the old one
        // would ask the terminal for its cursor, which not every one answers.)
        self.terminal = ManuallyDrop::new(Terminal::new(CrosstermBackend::new(io::stdout())).map_err(TuiError::Terminal)?);
        Ok(())
    }

    /// Switches mouse capture.
    ///
    /// # Errors
    /// [`TuiError::Terminal`] when the terminal is gone.
    pub(super) fn set_mouse(&mut self, on: bool) -> Result<(), TuiError> {
        self.mouse = on;
        if let Some(ours) = locked(&OURS).as_mut() {
            ours.mouse = on;
        }
        let mut out = io::stdout();
        if on { execute!(out, EnableMouseCapture) } else { execute!(out, DisableMouseCapture) }.map_err(TuiError::Terminal)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
        for text in std::mem::take(&mut *locked(&CAUGHT)) {
            let _ = writeln!(io::stderr(), "{}", sanitize::terminal(&text));
        }
    }
}

/// Panics caught on other threads so far.
pub(super) fn panics() -> Vec<String> {
    locked(&CAUGHT).clone()
}

fn take(log: Option<&Path>, mouse: bool) -> Result<(), TuiError> {
    enable_raw_mode().map_err(TuiError::Terminal)?;
    *locked(&OURS) = Some(Ours { mouse, stderr: redirect(log), thread: std::thread::current().id() });
    let mut out = io::stdout();
    let entered = execute!(out, EnterAlternateScreen, EnableBracketedPaste)
        .and_then(|()| if mouse { execute!(out, EnableMouseCapture) } else { Ok(()) });
    entered.inspect_err(|_| give_back()).map_err(TuiError::Terminal)
}

/// Puts everything back. Does nothing when the terminal is not ours; never fails, the terminal may be gone.
fn give_back() {
    let Some(ours) = locked(&OURS).take() else { return };
    let mut out = io::stdout();
    if ours.mouse {
        let _ = execute!(out, DisableMouseCapture);
    }
    let _ = execute!(out, DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
    if let Some(stderr) = ours.stderr {
        let _ = rustix::stdio::dup2_stderr(stderr);
    }
}

/// Points fd 2 at the log (or nowhere) where it would paint over the screen; what it was, to put back.
fn redirect(log: Option<&Path>) -> Option<OwnedFd> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let saved = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 3).ok()?;
    let log = log.and_then(|path| open_log(path).ok());
    let file = log.or_else(|| File::options().write(true).open("/dev/null").ok())?;
    rustix::stdio::dup2_stderr(&file).ok()?;
    Some(saved)
}

fn open_log(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().append(true).create(true).mode(0o600).open(path)
}

/// On the screen's own thread: terminal first, then the panic as ever. On others: kept, logged, and
/// printed when the screen is gone.
fn hook() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // The engine's, on its way to being an error.
            if crate::store::catching() {
                return;
            }
            let other = locked(&OURS).as_ref().is_some_and(|o| o.thread != std::thread::current().id());
            if other {
                let name = std::thread::current().name().unwrap_or("unnamed").to_owned();
                let text = format!("thread '{name}' {info}");
                // Standard error is the log while the screen is ours.
                eprintln!("{text}");
                locked(&CAUGHT).push(text);
                if let Some(notify) = &*locked(&TOLD) {
                    notify.notify_one();
                }
            } else {
                give_back();
                before(info);
            }
        }));
    });
}
