//! The real binary in a pseudo-terminal: keys are sent, the screen is read back. Nothing here sleeps for luck: each
//! wait is for something on the screen and ends with an error after a limit.

#![cfg(unix)]
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

const LIMIT: Duration = Duration::from_secs(30);

struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
    closed: bool,
}

struct Run {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    input: Box<dyn Write + Send>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    termios: String,
    data: tempfile::TempDir,
}

fn at_least_one(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap_or(NonZero::<u16>::MIN)
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

impl Run {
    fn memex(args: &[&str], env: &[(&str, &str)], cols: u16, rows: u16) -> Self {
        let mut words = vec![env!("CARGO_BIN_EXE_memex").to_owned()];
        words.extend(args.iter().map(ToString::to_string));
        Self::start(&words, env, cols, rows)
    }

    fn start(words: &[String], env: &[(&str, &str)], cols: u16, rows: u16) -> Self {
        let pair = native_pty_system().openpty(size(cols, rows)).unwrap();
        let data = tempfile::tempdir().unwrap();
        let mut command = CommandBuilder::new(&words[0]);
        command.args(&words[1..]);
        command.cwd(data.path());
        command.env_clear();
        for (name, value) in [("PATH", "/usr/bin:/bin"), ("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("RUST_BACKTRACE", "0")] {
            command.env(name, value);
        }
        command.env("HOME", data.path());
        command.env("MEMEX_DATA_DIR", data.path().join("data"));
        for (name, value) in env {
            command.env(name, value);
        }
        let termios = format!("{:?}", pair.master.get_termios());
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let input = pair.master.take_writer().unwrap();
        let seen = Arc::new((
            Mutex::new(Seen { parser: vt100::Parser::new(at_least_one(rows), at_least_one(cols), 0), raw: Vec::new(), closed: false }),
            Condvar::new(),
        ));
        let fill = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            loop {
                let n = reader.read(&mut buffer).unwrap_or(0);
                let mut seen = fill.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                seen.parser.process(&buffer[..n]);
                seen.raw.extend_from_slice(&buffer[..n]);
                seen.closed |= n == 0;
                fill.1.notify_all();
                if n == 0 {
                    break;
                }
            }
        });
        Self { child, master: pair.master, input, seen, termios, data }
    }

    fn keys(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    /// Waits until the screen fits, and gives it.
    fn until(&self, what: &str, fits: impl Fn(&str) -> bool) -> String {
        self.until_seen(what, |seen| fits(&seen.parser.screen().contents()))
    }

    fn shows(&self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text))
    }

    fn until_seen(&self, what: &str, fits: impl Fn(&Seen) -> bool) -> String {
        let start = Instant::now();
        let mut seen = self.seen.0.lock().unwrap();
        while !fits(&seen) {
            let left = LIMIT.saturating_sub(start.elapsed());
            assert!(!left.is_zero(), "waited for {what}; the screen is\n{}", seen.parser.screen().contents());
            seen = self.seen.1.wait_timeout(seen, left).unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
        seen.parser.screen().contents()
    }

    fn resize(&self, cols: u16, rows: u16) {
        self.seen.0.lock().unwrap().parser.screen_mut().set_size(at_least_one(rows), at_least_one(cols));
        self.master.resize(size(cols, rows)).unwrap();
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    fn raw(&self) -> Vec<u8> {
        self.seen.0.lock().unwrap().raw.clone()
    }

    /// Waits for the end, and checks that the terminal is as it was.
    fn ends(&mut self) -> ExitStatus {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < LIMIT, "it does not end; the screen is\n{}", self.seen.0.lock().unwrap().parser.screen().contents());
            std::thread::sleep(Duration::from_millis(10));
        };
        self.until_seen("what was written last", |seen| {
            seen.closed || seen.raw.ends_with(b"\x1b[?25h") || !seen.parser.screen().alternate_screen()
        });
        assert_eq!(format!("{:?}", self.master.get_termios()), self.termios, "the terminal's modes are as before");
        let seen = self.seen.0.lock().unwrap();
        let screen = seen.parser.screen();
        assert!(!screen.alternate_screen(), "the main screen is back");
        assert!(!screen.hide_cursor(), "the cursor is shown");
        assert!(!screen.bracketed_paste(), "bracketed paste is off");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "the mouse is the terminal's");
        status
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn demo(env: &[(&str, &str)]) -> Run {
    let run = Run::memex(&["demo", "--speed", "0"], env, 120, 36);
    run.shows("t 0/50");
    run
}

#[test]
fn the_demo_steps_runs_compresses_and_undoes() {
    let mut run = demo(&[]);
    run.shows("lets the agent run");
    run.keys("s");
    run.shows("t 1/50");
    run.keys("s");
    run.shows("t 2/50");
    // A forced compression, seen before it happens, and taken back.
    run.keys("Cv");
    run.shows("nothing has happened yet");
    run.keys("y");
    run.shows("compressed by you");
    let screen = run.shows("step_001");
    assert!(screen.contains("seg 2"), "{screen}");
    run.keys("u");
    run.shows("taken back");
    let screen = run.shows("withdrawn");
    assert!(screen.contains("seg 1"), "{screen}");
    // To the end.
    run.keys(" ");
    run.shows("finished, done");
    run.keys("h");
    run.shows("viewing t ");
    run.keys("q");
    assert!(run.ends().success());
}

#[test]
fn signals_leave_the_terminal_as_it_was() {
    use rustix::process::Signal;
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        let mut run = demo(&[]);
        run.keys("M");
        run.shows("the mouse acts here");
        run.signal(signal);
        run.ends();
    }
}

#[test]
fn a_panic_of_the_screen_is_read_after_it() {
    let mut run = Run::memex(&["demo"], &[("MEMEX_REHEARSE_PANIC", "screen")], 120, 36);
    assert!(!run.ends().success());
    run.shows("rehearsed on the screen's thread");
}

#[test]
fn a_panic_of_a_task_reaches_the_user() {
    let mut run = Run::memex(&["demo"], &[("MEMEX_REHEARSE_PANIC", "task")], 120, 36);
    run.shows("a task of the program failed");
    run.keys("q");
    run.ends();
    run.shows("rehearsed in a task");
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    let data = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_memex")).arg("demo").env("MEMEX_DATA_DIR", data.path()).output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--headless"), "{said}");
    assert!(!output.stdout.contains(&0x1b));
}

#[test]
fn stopped_and_continued_it_comes_back_whole() {
    let words = ["bash", "--norc", "--noprofile", "-i"].map(str::to_owned);
    let mut run = Run::start(&words, &[("PS1", "prompt> ")], 120, 36);
    run.shows("prompt> ");
    run.keys(&format!("{} demo --speed 0\n", env!("CARGO_BIN_EXE_memex")));
    run.shows("t 0/50");
    run.keys("\x1a");
    run.until_seen("the shell", |s| !s.parser.screen().alternate_screen() && s.parser.screen().contents().contains("Stopped"));
    run.resize(100, 30);
    run.keys("fg\n");
    run.until_seen("the screen again", |s| s.parser.screen().alternate_screen() && s.parser.screen().contents().contains("t 0/50"));
    run.keys("s");
    let screen = run.shows("t 1/50");
    assert_eq!(screen.lines().nth(3).map(|l| l.chars().count()), Some(100), "it has the new width:\n{screen}");
    run.keys("q");
    run.until_seen("the shell again", |s| !s.parser.screen().alternate_screen());
    run.keys("exit\n");
    run.ends();
}

#[test]
fn idle_it_writes_nothing() {
    let run = demo(&[]);
    // What follows the first frames (a notice, colours) is over when a second passes without a byte.
    let quiet = |time: Duration| {
        let before = run.raw().len();
        std::thread::sleep(time);
        run.raw().len() == before
    };
    let start = Instant::now();
    while !quiet(Duration::from_secs(1)) {
        assert!(start.elapsed() < LIMIT, "it never comes to rest");
    }
    assert!(quiet(Duration::from_secs(3)), "idle, and bytes were written");
}

#[test]
fn resizes_while_it_runs() {
    let mut run = Run::memex(&["demo", "--speed", "100", "--autoplay"], &[], 120, 36);
    run.shows("memex");
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..200 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        run.resize(1 + (random % 300) as u16, 1 + (random >> 32) as u16 % 100);
    }
    run.resize(20, 5);
    run.shows("memex needs");
    run.resize(120, 36);
    run.shows("finished, done");
    run.keys("q");
    assert!(run.ends().success());
}

#[test]
fn every_escape_on_the_wire_is_ours() {
    let mut run = demo(&[]);
    run.keys("sss");
    // While it takes a step, leaving asks first.
    run.shows("t 3/50");
    run.keys("?");
    run.shows("type to filter");
    run.keys("\x1b");
    run.until("the help to close", |s| !s.contains("type to filter"));
    run.keys("q");
    run.ends();
    let raw = String::from_utf8_lossy(&run.raw()).into_owned();
    for part in raw.split('\x1b').skip(1) {
        // CSI sequences of the screen; no operating system command (titles, clipboard) was asked for.
        assert!(part.starts_with('['), "{:?}", part.chars().take(20).collect::<String>());
    }
    assert_eq!(raw.matches("\x1b[2J").count(), raw.matches("\x1b[2J").count().min(2), "the screen is not cleared for frames");
    assert!(run.data.path().join("data").exists());
}

#[test]
fn without_colours_no_colour_is_sent() {
    let mut run = demo(&[("NO_COLOR", "1")]);
    run.keys("s");
    run.shows("t 1/50");
    run.keys("q");
    run.ends();
    let raw = String::from_utf8_lossy(&run.raw()).into_owned();
    for part in raw.split("\x1b[").skip(1) {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
        if part[end..].starts_with('m') {
            let codes: Vec<u16> = part[..end].split([';', ':']).filter_map(|c| c.parse().ok()).collect();
            let coloured = |c: &u16| matches!(c, 30..=38 | 40..=48 | 90..=97 | 100..=107);
            assert!(!codes.iter().any(coloured), "{:?}", &part[..end]);
        }
    }
}

/// A terminal that closes without a signal, as for a process outside its session, ends the program.
#[test]
fn a_terminal_that_goes_without_a_word_ends_it() {
    use std::os::fd::AsFd;
    let pair =
        portable_pty::native_pty_system().openpty(portable_pty::PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 }).unwrap();
    let name = pair.master.tty_name().unwrap();
    let tty = std::fs::OpenOptions::new().read(true).write(true).open(name).unwrap();
    let clone = || std::process::Stdio::from(tty.as_fd().try_clone_to_owned().unwrap());
    let data = tempfile::tempdir().unwrap();
    // No session of its own and no controlling terminal: nobody sends it a SIGHUP.
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_memex"))
        .env("MEMEX_DATA_DIR", data.path())
        .env("TERM", "xterm-256color")
        .stdin(clone())
        .stdout(clone())
        .stderr(clone())
        .spawn()
        .unwrap();
    let mut screen = pair.master.try_clone_reader().unwrap();
    let mut first = [0; 1];
    std::io::Read::read_exact(&mut screen, &mut first).unwrap();
    drop((screen, tty, pair));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let ended = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if std::time::Instant::now() > deadline {
            break None;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let _ = child.kill();
    assert!(ended.is_some(), "it still runs");
}
