//! Where things are written, with which permissions, and what happens where they cannot be.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::child::{command, finish, wrapped};
use super::fixture::{NOW, Writer, data_in};

fn modes(root: &Path) -> Vec<(String, bool, u32)> {
    let mut all = Vec::new();
    let mut next = vec![root.to_owned()];
    while let Some(path) = next.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        all.push((path.display().to_string(), meta.is_dir(), meta.permissions().mode() & 0o7777));
        if meta.is_dir() {
            next.extend(fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
        }
    }
    all
}

#[test]
fn only_the_owner_reads_whatever_the_umask() {
    for umask in ["000", "022", "077"] {
        let tmp = tempfile::tempdir().unwrap();
        let root = tmp.path().join("deep/data");
        let script = format!("umask {umask}; exec \"$@\"");
        finish(wrapped(&["sh", "-c", &script, "sh"], "make everything", &[&root]).spawn().unwrap());
        let all = modes(&tmp.path().join("deep"));
        for (path, is_dir, mode) in &all {
            assert_eq!(*mode, if *is_dir { 0o700 } else { 0o600 }, "{path} under umask {umask}");
        }
        for name in
            ["journal.jsonl", "lock", "store/db", "store/conf", "store.mark", "export.json", ".log", "store.damaged-", "store.replaced-"]
        {
            assert!(all.iter().any(|(path, ..)| path.contains(name)), "{name} was not made");
        }
    }
}

#[test]
fn where_nothing_can_be_written_sessions_can_be_watched() {
    const NOBODY: [&str; 4] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let able = Command::new(NOBODY[0]).args(&NOBODY[1..]).arg("true").status().is_ok_and(|s| s.success());
    let exe = std::env::current_exe().unwrap();
    if !able || !Command::new(NOBODY[0]).args(&NOBODY[1..]).arg(&exe).arg("--list").output().is_ok_and(|o| o.status.success()) {
        println!("skipped: cannot run as another user here (needs root, setpriv, and a build directory that others can read)");
        return;
    }
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    w.archive(&[("x", "seen by all")]).unwrap();
    w.end();
    for (path, is_dir, _) in modes(tmp.path()) {
        fs::set_permissions(path, fs::Permissions::from_mode(if is_dir { 0o555 } else { 0o444 })).unwrap();
    }
    let text = finish(wrapped(&NOBODY, "watch only", &[data_in(tmp.path()).root()]).spawn().unwrap());
    assert!(text.contains("watched"), "{text}");
}

#[test]
fn without_a_home_the_option_is_named() {
    let mut child = command("no home", &[Path::new("/")]);
    child.env_remove("HOME").env_remove("XDG_DATA_HOME");
    let text = finish(child.spawn().unwrap());
    // Where the system's user list has a home, that is taken.
    assert!(text.contains("/memex") || (text.contains("--data-dir") && text.contains("MEMEX_DATA_DIR")), "{text}");
}

#[test]
fn lists_tell_the_ends_of_sessions() {
    use memex::session::{EndReason, Ended, Event, Note, NoteKind};
    let tmp = tempfile::tempdir().unwrap();
    let data = data_in(tmp.path());
    let mut w = Writer::begin(&data);
    // A last line longer than what is read at first.
    w.archive(&[("x", &"long ".repeat(60_000))]).unwrap();
    let id = w.dir.id().to_owned();
    let entry = |n: usize| {
        data.sessions().unwrap().into_iter().find(|e| e.id == id).map(|e| (e.tail.clone().unwrap(), e)).unwrap_or_else(|| panic!("{n}"))
    };
    let (tail, e) = entry(1);
    assert_eq!((tail.kind.as_str(), tail.at, tail.ended), ("compressed", NOW, None));
    assert_eq!((e.created, e.task.as_deref(), e.fault.as_deref()), (NOW, Some("Archive things."), None));
    assert!(e.journal_bytes > 300_000 && e.bytes > e.journal_bytes);

    let ended = Ended { reason: EndReason::MaxSteps, answer: None, success: None, detail: None };
    w.record(Event::Ended(Box::new(ended))).unwrap();
    w.record(Event::Note(Note { kind: NoteKind::Info, text: "a remark".into(), max_steps: None })).unwrap();
    assert_eq!(entry(2).0.ended, Some(EndReason::MaxSteps));
    w.record(Event::Note(Note { kind: NoteKind::Resumed, text: "goes on".into(), max_steps: None })).unwrap();
    assert_eq!(entry(3).0.ended, None);

    // A torn last line is not an event; a journal of nothing is a fault of that session only.
    let dir = w.end();
    fs::write(dir.journal(), [fs::read(dir.journal()).unwrap(), b"{\"seq\":9,\"type\":\"en".to_vec()].concat()).unwrap();
    assert_eq!(entry(4).0.kind, "note");
    let other = Writer::begin(&data).end();
    fs::write(other.journal(), "no journal").unwrap();
    let all = data.sessions().unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(all.iter().filter(|e| e.fault.is_some()).count(), 1);
}
