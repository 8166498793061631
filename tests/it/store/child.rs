//! This test binary as another process: started by a test with a task in the environment.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use memex::store::{DataDir, SessionDir, ops, write_atomic};

use super::fixture::{NOW, Writer, noise, prose};

const TASK: &str = "MEMEX_TEST_CHILD";

/// A command that runs `task` in a process of its own; it reports on stderr.
pub(crate) fn command(task: &str, args: &[&Path]) -> Command {
    wrapped(&[], task, args)
}

/// The same, started by another program, which is given the command line.
pub(crate) fn wrapped(by: &[&str], task: &str, args: &[&Path]) -> Command {
    let exe = std::env::current_exe().unwrap();
    let own = [exe.to_str().unwrap(), "--exact", "store::child::child", "--nocapture", "--test-threads=1"];
    let line: Vec<&str> = by.iter().copied().chain(own).collect();
    let mut command = Command::new(line[0]);
    let args: Vec<&str> = args.iter().map(|p| p.to_str().unwrap()).collect();
    command.args(&line[1..]).env(TASK, format!("{task}\n{}", args.join("\n"))).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Runs to the end; what it reported. A panic in it is one here.
pub(crate) fn finish(child: Child) -> String {
    let out = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{text}");
    text
}

/// Kills with SIGKILL; what it reported.
pub(crate) fn kill(mut child: Child) -> String {
    child.kill().unwrap();
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    child.wait().unwrap();
    text
}

#[test]
fn child() {
    let Ok(task) = std::env::var(TASK) else { return };
    let mut lines = task.lines();
    let name = lines.next().unwrap();
    let path = Path::new(lines.next().unwrap());
    match name {
        "archive for ever" => archive_for_ever(path),
        "journal and die" => {
            let mut w = Writer::resume(&SessionDir::at(path));
            w.archive(&[("before", "stored")]).unwrap();
            w.journal_only(&[("torn_1", "one of two"), ("torn_2", "two of two")]).unwrap();
            std::process::abort();
        }
        "fill" => fill(path),
        "make everything" => make_everything(path),
        "open" => {
            let begun = std::time::Instant::now();
            let error = SessionDir::at(path).open(NOW).unwrap_err();
            eprintln!("after {} ms: {error}", begun.elapsed().as_millis());
            let dir = SessionDir::at(path);
            eprintln!("replays {} events, lists {} blocks", dir.read().unwrap().events.len(), ops::ls(&dir).unwrap().len());
        }
        "work beside" => {
            let mut w = Writer::begin(&DataDir::locate(Some(path)).unwrap());
            for n in 0..20 {
                w.archive(&[("x", &prose(n, 5_000))]).unwrap();
            }
            eprintln!("session {}", w.end().path().display());
        }
        "watch only" => watch_only(path),
        "no home" => eprintln!("{:?}", DataDir::locate(None).map_err(|e| e.to_string())),
        other => panic!("no task {other}"),
    }
}

fn archive_for_ever(path: &Path) {
    let mut w = Writer::resume(&SessionDir::at(path));
    let first = w.session.seq();
    for n in first.. {
        let (a, b) = (format!("a{}", n % 7), format!("b{n}"));
        let seq = w.archive(&[(&a, &prose(n, 2_000)), (&b, "short"), ("large", &noise(n, 9_000))]).unwrap();
        eprintln!("ack {seq}");
    }
}

/// Archives up to a limit of the file size, meets it, and goes on once it is lifted.
fn fill(path: &Path) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let before = getrlimit(Resource::Fsize);
    for text in [noise as fn(u64, usize) -> String, |n, len| format!("{n} {}", "word ".repeat(len / 5))] {
        let mut w = Writer::begin(&DataDir::locate(Some(path)).unwrap());
        eprintln!("session {}", w.dir.path().display());
        setrlimit(Resource::Fsize, Rlimit { current: Some(1_200_000), maximum: before.maximum }).unwrap();
        let mut n = 0;
        let error = loop {
            n += 1;
            match w.archive(&[(&format!("i{n}"), &text(n, 30_000))]) {
                Ok(seq) => eprintln!("ack {} {seq}", w.dir.id()),
                Err(error) => break error,
            }
            assert!(n < 1_000, "the limit does not hold");
        };
        eprintln!("refused: {error}");
        // Still refused, still no panic; what was acknowledged can be read meanwhile.
        for _ in 0..3 {
            assert!(w.archive(&[("more", &text(n, 600_000))]).is_err());
        }
        setrlimit(Resource::Fsize, before).unwrap();
        for n in 0..5 {
            let seq = w.archive(&[("after", &text(n, 30_000))]).unwrap();
            eprintln!("ack {} {seq}", w.dir.id());
        }
        w.end();
    }
}

/// Makes one of every kind of file that the program makes.
fn make_everything(path: &Path) {
    let data = DataDir::locate(Some(path)).unwrap();
    let mut w = Writer::begin(&data);
    w.archive(&[("x", &noise(1, 300_000))]).unwrap();
    data.create_log(NOW).unwrap();
    write_atomic(&path.join("export.json"), b"{}").unwrap();
    assert_eq!(data.exposed(), None, "while the store is open");
    let dir = w.end();
    std::fs::write(dir.store().join("db"), "").unwrap();
    super::fixture::check_all(&dir);
    ops::rebuild(&dir, NOW).unwrap();
    ops::verify(&dir).unwrap();
    assert_eq!(data.exposed(), None, "at the end");
}

/// What works where nothing can be written, and what says why not.
fn watch_only(path: &Path) {
    let data = DataDir::locate(Some(path)).unwrap();
    let create = data.create_session(NOW).unwrap_err().to_string();
    let log = data.create_log(NOW).unwrap_err().to_string();
    for text in [&create, &log] {
        assert!(text.contains(path.to_str().unwrap()) && text.contains("--data-dir") && text.contains("ermission denied"), "{text}");
    }
    let sessions = data.sessions().unwrap();
    let dir = data.find(&sessions[0].id).unwrap();
    let open = dir.clone().open(NOW).unwrap_err().to_string();
    assert!(open.contains(dir.path().to_str().unwrap()) && open.contains("--data-dir"), "{open}");
    assert_eq!(dir.read().unwrap().events.len(), 2);
    assert_eq!(&*ops::get(&dir, "x").unwrap().content, "seen by all");
    let report = ops::verify(&dir).unwrap();
    assert!(report.is_sound(), "{report:?}");
    eprintln!("watched");
}
