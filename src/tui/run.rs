//! The loop: waits for whatever comes first, hands all that is there to the app, draws once.
//!
//! Nothing is drawn unless something has changed, and nothing ticks unless something moves: an idle screen writes
//! no byte. At most one frame in [`FRAME`]; a key is answered at once.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::EventStream;
use crossterm::execute;
use futures_util::StreamExt;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{Receiver, UnboundedSender};
use tokio::sync::{Notify, oneshot};
use tokio::time::{sleep_until, timeout};

use super::app::{App, HumanLine, Kind};
use super::effect::{Effect, Purpose};
use super::feed::{Feed, News};
use super::hangup::hangup;
use super::input::Input;
use super::look::Look;
use super::options::{Options, Outcome, Source, TuiError};
use super::pane::detail::Wake;
use super::terminal::{self, Screen};
use super::theme::Severity;
use super::{view, words};
use crate::agent::{Command, Update};
use crate::session::{Phase, Timeline};

/// Least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// Time of one picture of the spinner.
const SPIN: Duration = Duration::from_millis(125);
/// How long the first frame waits for the first event.
const PATIENCE: Duration = Duration::from_millis(50);
/// Most updates taken between two frames, so that a flood does not starve the keys.
const BATCH: usize = 4096;

/// Opens the screen and stays until it is left.
///
/// # Errors
/// [`TuiError`] when there is no terminal, when it fails, or when a task of the program panicked.
pub async fn run(options: Options) -> Result<Outcome, TuiError> {
    let start = Instant::now();
    let mut screen = Screen::enter(options.log.as_deref(), options.mouse)?;
    let (mut app, mut wires) = open(options);
    let mut signals = Signals::new().map_err(TuiError::Terminal)?;
    if let Some(updates) = &mut wires.updates
        && let Ok(Some(first)) = timeout(PATIENCE, updates.recv()).await
    {
        app.hear(first);
    }
    let mut shell = Shell { screen: &mut screen, exported: Vec::new(), export_dir: wires.export_dir.clone(), wires: &wires.out };
    let signal = turn(&mut app, &mut shell, &mut wires.updates, &mut wires.feed, &wires.wake, &mut signals, start).await?;
    let exported = std::mem::take(&mut shell.exported);
    if app.live.gone
        && let Some(panic) = terminal::panics().into_iter().next()
    {
        return Err(TuiError::Panicked(panic));
    }
    let ended = match app.place.timeline().tail().phase() {
        Phase::Ended(ended) => Some(ended.clone()),
        _ => None,
    };
    Ok(Outcome { ended, signal, exported })
}

/// Ways out to the agent.
struct Out {
    commands: Option<UnboundedSender<Command>>,
    human: Option<UnboundedSender<crate::policy::Turn>>,
}

/// All that leads in and out.
struct Wires {
    updates: Option<Receiver<Update>>,
    feed: Option<Feed>,
    wake: Arc<Notify>,
    out: Out,
    export_dir: PathBuf,
}

fn open(options: Options) -> (App, Wires) {
    let (look, warnings) = Look::new(&options.theme, options.theme_folder, options.depth, options.ascii);
    let kind = if matches!(options.source, Source::Live { .. }) { Kind::Agent } else { Kind::Recording };
    let counter = options.counter.clone();
    let mut app = App::new(kind, options.title, options.keymap, look, options.counter);
    app.pace = Duration::from_millis(options.pace.max(1));
    app.mouse = options.mouse;
    let wake = Arc::new(Notify::new());
    let waker = Arc::clone(&wake);
    terminal::tell_panics(Arc::clone(&wake));
    app.detail.wake = Wake(Arc::new(move || waker.notify_one()));
    app.human = options.human.as_ref().map(|_| HumanLine { input: Input::default(), focused: true, offered: Default::default() });
    let mut wires =
        Wires { updates: None, feed: None, wake, out: Out { commands: None, human: options.human }, export_dir: options.export_dir };
    match options.source {
        Source::Live { handle, so_far } => {
            let mut timeline = Timeline::new();
            so_far.into_iter().for_each(|event| timeline.push(event));
            app.take(timeline);
            if options.autoplay {
                let _ = handle.commands.send(Command::Run);
            }
            wires.updates = Some(handle.updates);
            wires.out.commands = Some(handle.commands);
        }
        Source::Replay { read, run } => {
            app.loading = true;
            app.playing = options.autoplay;
            app.recording.wanted = run;
            wires.feed = Some(Feed::start(read));
        }
    }
    for text in options.notices.into_iter().chain(warnings) {
        app.say(Severity::Warning, text);
    }
    if kind == Kind::Agent && !options.autoplay && app.notice.is_none() {
        use super::command::CommandId as C;
        let key = |id| app.keymap.hint(id);
        let text = format!("{} lets the agent run · {} takes one step · {} shows every key", key(C::RunPause), key(C::Step), key(C::Help));
        app.say(Severity::Info, text);
    }
    // The vocabulary unpacks at its first count: away from the keys.
    tokio::task::spawn_blocking(move || counter.count("memex"));
    (app, wires)
}

/// What can be waited for besides keys and news.
struct Signals {
    term: Signal,
    interrupt: Signal,
    hangup: Signal,
    quit: Signal,
    stop: Signal,
    gone: Option<oneshot::Receiver<()>>,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
            stop: signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?,
            gone: Some(hangup()),
        })
    }
}

/// Which way a turn of the loop goes.
enum Next {
    Go,
    Leave(Option<i32>),
}

#[allow(clippy::too_many_arguments, reason = "what one loop waits for")]
async fn turn(
    app: &mut App,
    shell: &mut Shell<'_>,
    updates: &mut Option<Receiver<Update>>,
    feed: &mut Option<Feed>,
    wake: &Notify,
    signals: &mut Signals,
    start: Instant,
) -> Result<Option<i32>, TuiError> {
    let mut keys = EventStream::new();
    let mut dirty = true;
    let mut drawn: Option<Instant> = None;
    let mut played = Instant::now();
    let mut panics = 0;
    loop {
        let due = drawn.map_or(start, |at| at + FRAME);
        if dirty && Instant::now() >= due {
            app.now = start.elapsed();
            shell.screen.terminal.draw(|frame| view::draw(app, frame.buffer_mut())).map_err(TuiError::Terminal)?;
            if drawn.is_none() {
                rehearse_panic();
            }
            drawn = Some(Instant::now());
            dirty = false;
        }
        let spin = drawn.unwrap_or(start) + SPIN;
        let play = played + app.pace;
        tokio::select! {
            event = keys.next() => {
                match event {
                    Some(Ok(event)) => dirty |= app.input(event),
                    // The terminal is gone.
                    Some(Err(error)) => return Err(TuiError::Terminal(error)),
                    None => return Ok(None),
                }
                app.now = start.elapsed();
                // Not through the stream: it keeps the first waker it is polled with, and must not keep one that wakes nobody.
                while matches!(crossterm::event::poll(Duration::ZERO), Ok(true)) {
                    let Ok(event) = crossterm::event::read() else { break };
                    dirty |= app.input(event);
                }
                // A key is answered at once.
                if dirty { drawn = None; }
            }
            update = async { match updates { Some(u) => u.recv().await, None => std::future::pending().await } } => {
                app.now = start.elapsed();
                dirty = true;
                match update {
                    Some(update) => app.hear(update),
                    None => { *updates = None; app.lost(); }
                }
                for _ in 0..BATCH {
                    let Some(Ok(update)) = updates.as_mut().map(Receiver::try_recv) else { break };
                    app.hear(update);
                }
            }
            news = async { match feed { Some(f) => f.next().await, None => std::future::pending().await } } => {
                dirty = true;
                match news {
                    Some(News::Read(loading)) => app.feed(*loading, false),
                    Some(News::Whole(loading)) => app.feed(*loading, true),
                    Some(News::Failed(why)) => { app.loading = false; app.say(Severity::Error, why); }
                    None => {
                        *feed = None;
                        if app.loading { app.loading = false; app.say(Severity::Error, "the recording could not be loaded"); }
                    }
                }
            }
            () = wake.notified() => {
                dirty = true;
                for panic in terminal::panics().into_iter().skip(panics) {
                    panics += 1;
                    app.say(Severity::Error, format!("a task of the program failed: {panic}"));
                }
            }
            () = sleep_until(due.into()), if dirty => {}
            () = sleep_until(spin.into()), if app.spins() && !dirty => dirty = true,
            () = sleep_until(play.into()), if app.playing && !app.loading => {
                played = Instant::now();
                app.tick();
                dirty = true;
            }
            _ = signals.term.recv() => return Ok(Some(15)),
            _ = signals.interrupt.recv() => return Ok(Some(2)),
            _ = signals.hangup.recv() => return Ok(Some(1)),
            told = async { match &mut signals.gone { Some(gone) => gone.await, None => std::future::pending().await } } => {
                if told.is_ok() { return Ok(Some(1)) }
                signals.gone = None;
            }
            _ = signals.quit.recv() => return Ok(Some(3)),
            _ = signals.stop.recv() => {
                suspend(shell.screen)?;
                (dirty, drawn) = (true, None);
            }
        }
        for effect in app.take_effects() {
            match shell.carry_out(app, effect, &mut keys)? {
                Next::Go => dirty = true,
                Next::Leave(signal) => return Ok(signal),
            }
        }
    }
}

/// Fails on purpose where a debug build is told to (`MEMEX_REHEARSE_PANIC=screen|task`): tests see what is left of the terminal.
#[allow(clippy::panic, reason = "it is the purpose")]
fn rehearse_panic() {
    if !cfg!(debug_assertions) {
        return;
    }
    match std::env::var("MEMEX_REHEARSE_PANIC").as_deref() {
        Ok("screen") => panic!("rehearsed on the screen's thread"),
        Ok("task") => {
            tokio::spawn(async { panic!("rehearsed in a task") });
        }
        _ => {}
    }
}

/// Carries out effects.
struct Shell<'a> {
    screen: &'a mut Screen,
    wires: &'a Out,
    export_dir: PathBuf,
    exported: Vec<PathBuf>,
}

impl Shell<'_> {
    fn carry_out(&mut self, app: &mut App, effect: Effect, keys: &mut EventStream) -> Result<Next, TuiError> {
        match effect {
            Effect::Tell(command) => {
                let told = self.wires.commands.as_ref().is_some_and(|c| c.send(command).is_ok());
                if !told {
                    app.say(Severity::Warning, "the agent is gone and did not hear that");
                }
            }
            Effect::Answer(turn) => {
                if self.wires.human.as_ref().is_none_or(|h| h.send(turn).is_err()) {
                    app.say(Severity::Warning, "nobody waits for this answer any more");
                }
            }
            Effect::Copy(text) => {
                execute!(io::stdout(), CopyToClipboard::to_clipboard_from(&*text)).map_err(TuiError::Terminal)?;
            }
            Effect::Export { name, text } => match export(&self.export_dir, &name, &text) {
                Ok(path) => {
                    app.say(Severity::Good, format!("written: {} ({} bytes)", path.display(), words::thousands(text.len() as u64)));
                    self.exported.push(path);
                }
                Err(error) => app.say(Severity::Error, format!("cannot write to {}: {error}", self.export_dir.display())),
            },
            Effect::Edit { text, ending, purpose } => self.edit(app, &text, ending, purpose, keys)?,
            Effect::Mouse(on) => self.screen.set_mouse(on)?,
            Effect::Suspend => {
                let_go(keys);
                suspend(self.screen)?;
            }
            Effect::Leave => return Ok(Next::Leave(None)),
        }
        Ok(Next::Go)
    }

    fn edit(&mut self, app: &mut App, text: &str, ending: &str, purpose: Purpose, keys: &mut EventStream) -> Result<(), TuiError> {
        let_go(keys);
        self.screen.leave();
        let result = editor(text, ending);
        self.screen.back()?;
        match result {
            Ok(edited) => app.edited(purpose, edited),
            Err(why) => app.say(Severity::Error, why),
        }
        Ok(())
    }
}

/// The text as the user leaves it in `$VISUAL` or `$EDITOR`; `None` when it is unchanged and so means no.
///
/// The template of a compression is a proposal: it is returned even unchanged.
fn editor(text: &str, ending: &str) -> Result<Option<String>, String> {
    let command = ["VISUAL", "EDITOR"].iter().find_map(|v| std::env::var(v).ok().filter(|c| !c.trim().is_empty()));
    let command = command.unwrap_or_else(|| "vi".into());
    let file = tempfile::Builder::new().prefix("memex-").suffix(&format!(".{ending}")).tempfile();
    let mut file = file.map_err(|e| format!("no file to edit: {e}"))?;
    io::Write::write_all(&mut file, text.as_bytes()).map_err(|e| format!("no file to edit: {e}"))?;
    // As shells and git have it: the variable is a command line, the file its last argument.
    let status = std::process::Command::new("sh").arg("-c").arg(format!("{command} \"$1\"")).arg("sh").arg(file.path()).status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("{command} ended with {status}; nothing was changed")),
        Err(error) => return Err(format!("{command} cannot be started: {error}; set $EDITOR")),
    }
    // Editors replace the file: it is read by its name, not by the handle.
    let edited = std::fs::read_to_string(file.path()).map_err(|e| format!("what {command} left cannot be read: {e}"))?;
    let same = edited == text || edited.strip_suffix('\n') == Some(text);
    if same && ending != "json" {
        return Ok(None);
    }
    // Editors end the last line; the text is not to grow by that.
    let edited = if text.ends_with('\n') { edited } else { edited.strip_suffix('\n').map_or(edited.clone(), str::to_owned) };
    Ok(Some(edited))
}

/// Writes a text under a name that is still free. Whole or not at all, readable by its owner only.
fn export(dir: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    std::fs::create_dir_all(dir)?;
    let name = if name.is_empty() { "block" } else { name };
    for n in 1..10_000u32 {
        let file = if n == 1 { format!("{name}.txt") } else { format!("{name}-{n}.txt") };
        let path = dir.join(file);
        let mut written = tempfile::NamedTempFile::new_in(dir)?;
        io::Write::write_all(&mut written, text.as_bytes())?;
        match written.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.error),
        }
    }
    Err(io::Error::other("every name is taken"))
}

/// Ends the thread that reads keys, which must not take what belongs to the shell or an editor.
///
/// The end of a stream leaves a waking call behind. It is taken here: later it would be found together with the first
/// key, and the reader, woken, forgets that a key was there.
fn let_go(keys: &mut EventStream) {
    *keys = EventStream::new();
    let _ = crossterm::event::poll(Duration::ZERO);
}

/// Gives the terminal back, stops with the job, and takes the terminal again when continued.
fn suspend(screen: &mut Screen) -> Result<(), TuiError> {
    screen.leave();
    // The whole job stops, as the terminal's own Ctrl-Z would have it.
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::STOP);
    screen.back()
}
