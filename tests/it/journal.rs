//! The journal: nothing acknowledged is lost, nothing is dropped, nothing is made up.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Arc;

use memex::session::journal::{self, Journal};
use memex::session::{Event, RunConfig, Session, Timeline};
use serde_json::json;

use crate::bench_world::*;

async fn recorded(path: &Path) -> Vec<Arc<memex::session::Envelope>> {
    let answers = vec![
        note("alpha 🙏 语"),
        turn("I show.", &[("show", json!({"text": ""}))]),
        compress(
            "s\n- b - x\n- a - y",
            json!([{"db_index": "b", "db_content": "authored"}, {"db_index": "a", "start_anchor": "BEGIN", "mid_anchor": "alpha", "end_anchor": "END"}]),
        ),
        read("a"),
        read("b"),
        finish("done"),
    ];
    World::start(RunConfig::default(), answers, Some(path)).finish().await.0
}

#[tokio::test]
async fn what_was_told_is_what_is_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.jsonl");
    let events = recorded(&path).await;
    let loaded = journal::read(&path).unwrap();
    assert_eq!(loaded.events, events);
    assert!(loaded.notes.is_empty());
    // The read points to its block; its text is not in the file a second time.
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("BEGIN\\nalpha").count(), 1, "{text}");
    // Line by line it is JSON with a type, as documented.
    for line in text.lines().skip(1) {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(v["type"].is_string() && v["seq"].is_u64() && v["step"].is_u64());
    }
}

#[tokio::test]
async fn cut_anywhere_it_opens_to_the_last_whole_event() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.jsonl");
    let events = recorded(&path).await;
    let bytes = std::fs::read(&path).unwrap();
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', &bytes).map(|i| i + 1).collect();
    for cut in ends[0]..=bytes.len() {
        let loaded = journal::parse(&bytes[..cut], &path).unwrap();
        let whole = ends.iter().filter(|&&e| e <= cut).count() - 1;
        assert_eq!(loaded.events, events[..whole], "cut at {cut}");
        assert_eq!(loaded.whole as usize, ends[whole]);
        assert_eq!(loaded.notes.is_empty(), ends.contains(&cut), "cut at {cut}: {:?}", loaded.notes);
        Session::fold(loaded.events.iter().map(|e| &**e)).unwrap();
    }
    // Without a whole header it is no journal, and says so.
    assert!(journal::parse(&bytes[..ends[0] / 2], &path).unwrap_err().to_string().contains("not a memex journal"));
    assert!(journal::parse(b"", &path).unwrap_err().to_string().contains("empty"));
}

#[tokio::test]
async fn a_half_line_is_cut_off_before_the_next_append() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.jsonl");
    let events = recorded(&path).await;
    let whole = std::fs::metadata(&path).unwrap().len();
    std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .map(|mut f| std::io::Write::write_all(&mut f, b"{\"seq\":99,\"ty"))
        .unwrap()
        .unwrap();
    let loaded = journal::read(&path).unwrap();
    assert_eq!((loaded.whole, loaded.events.len()), (whole, events.len()));
    assert!(loaded.notes[0].contains("cut"));
    let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let mut journal = Journal::open(file, &path, loaded.whole).unwrap();
    journal.append(&events[0], true).unwrap();
    let again = journal::read(&path).unwrap();
    assert_eq!(again.events.len(), events.len() + 1);
    assert!(again.notes.is_empty());
}

#[tokio::test]
async fn bad_lines_unknown_events_and_newer_versions_are_kept_and_shown() {
    // V01.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.jsonl");
    let events = recorded(&path).await;
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.insert(3, "this is no JSON".into());
    lines.insert(5, r#"{"seq":4,"at":1,"step":1,"type":"dreamed","of":"sheep"}"#.into());
    lines.insert(6, r#"{"seq":4,"at":1,"step":1,"type":"status","text":7}"#.into());
    lines[0] = lines[0].replace("\"version\":1", "\"version\":2");
    let changed = format!("\u{feff}{}\r\n", lines.join("\r\n"));
    let loaded = journal::parse(changed.as_bytes(), &path).unwrap();
    assert_eq!(loaded.events.len(), events.len() + 3);
    assert!(loaded.notes.iter().any(|n| n.contains("version 2")));
    assert!(loaded.notes.iter().any(|n| n.contains("line 4 is unreadable")));
    let raws: Vec<&str> = loaded
        .events
        .iter()
        .filter_map(|e| match &e.event {
            Event::Unknown(u) => Some(&*u.raw),
            _ => None,
        })
        .collect();
    assert_eq!(raws, [&lines[3], &lines[5], &lines[6]].map(String::as_str));
    let mut timeline = Timeline::new();
    for e in &loaded.events {
        timeline.push(Arc::clone(e));
    }
    assert_eq!(timeline.tail().context(), Session::fold(events.iter().map(|e| &**e)).unwrap().context());
}

#[tokio::test]
async fn an_interrupted_session_goes_on_where_it_stopped() {
    let answers =
        || vec![note("a"), compress("s\n- b - x", json!([{"db_index": "b", "db_content": "x"}])), read("b"), note("c"), finish("done")];
    let whole = World::start(RunConfig::default(), answers(), None).finish().await;
    for cut in 1..whole.0.len() {
        let prefix: Vec<_> = whole.0[..cut].to_vec();
        let session = Session::fold(prefix.iter().map(|e| &**e)).unwrap();
        let acted = prefix.iter().filter(|e| e.event.type_name() == "acted").count();
        let mut env = Notebook::default();
        memex::agent::live::catch_up(&mut env, &prefix).await.unwrap();
        let rest = answers().into_iter().skip(acted).collect();
        let (later, end) = World::with(session, None, rest, memex::agent::live::Beginning::Resume { notes: vec![] }, env).finish().await;
        let all: Vec<_> = prefix.iter().chain(&later).map(|e| e.event.clone()).collect();
        // A read from an empty store is answered from the journal, with a note.
        let without_notes: Vec<_> = all.into_iter().filter(|e| e.type_name() != "note").collect();
        let expected: Vec<_> = whole.0.iter().map(|e| e.event.clone()).collect();
        assert_eq!(without_notes, expected, "resumed after {cut} events");
        assert_eq!(end.context(), whole.1.context());
    }
}

#[tokio::test]
async fn a_world_that_answers_otherwise_is_not_resumed() {
    let whole = World::start(RunConfig::default(), vec![note("a"), finish("x")], None).finish().await;
    let mut env = Notebook { lines: vec!["already there".into()] };
    let error = memex::agent::live::catch_up(&mut env, &whole.0).await.unwrap_err().to_string();
    assert!(error.contains("noted as line 1") && error.contains("noted as line 2"), "{error}");
}
