//! Kills, full disks and second processes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Command;
use std::time::{Duration, Instant};

use memex::store::SessionDir;

use super::child::{command, finish, kill, wrapped};
use super::fixture::{Writer, check_all, data_in};

#[test]
fn killed_thirty_times_nothing_acknowledged_is_missing() {
    let tmp = tempfile::tempdir().unwrap();
    let data = data_in(tmp.path());
    let (mut acknowledged, mut behind) = (0, 0);
    let mut random = 0x2545_f491_4f6c_dd1du64;
    for round in 0..30u64 {
        let dir = match round % 10 {
            0 => Writer::begin(&data).end(),
            _ => SessionDir::at(&data.sessions_dir().join(data.ids().unwrap().last().unwrap())),
        };
        let mut child = command("archive for ever", &[dir.path()]).spawn().unwrap();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(round);
        // Counted from the first acknowledgement, or (each third time) from the start, to catch the opening too.
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut first = String::new();
        if round % 3 != 0 {
            stderr.read_line(&mut first).unwrap();
        }
        std::thread::sleep(Duration::from_micros((random >> 40) % 60_000));
        child.kill().unwrap();
        let acks: Vec<u64> = std::iter::once(Ok(first))
            .chain(stderr.lines())
            .filter_map(|l| l.unwrap().strip_prefix("ack ").and_then(|n| n.trim().parse().ok()))
            .collect();
        child.wait().unwrap();

        let (versions, notices) = check_all(&dir);
        for text in &notices {
            // What was journaled and not yet put, or a snapshot that was being written; a kill damages nothing.
            let late = text.contains("was behind its journal") && text.contains("3 blocks were added");
            let snapshot = text.contains("was closed in the middle of a snapshot");
            assert!(late || snapshot, "{text}");
            behind += usize::from(late);
        }
        acknowledged += acks.len();
        if let Some(last) = acks.last() {
            // Event 0 is the start; every other has three blocks.
            assert!(versions as u64 >= last * 3, "{versions} versions, event {last} was acknowledged");
        }
    }
    println!("{acknowledged} compressions acknowledged, {behind} kills between journal and store");
    assert!(acknowledged > 30);
}

#[test]
fn killed_between_journal_and_store_the_next_start_has_all_of_it() {
    let tmp = tempfile::tempdir().unwrap();
    let dir = Writer::begin(&data_in(tmp.path())).end();
    let out = command("journal and die", &[dir.path()]).output().unwrap();
    assert!(!out.status.success());
    let (n, notices) = check_all(&dir);
    assert_eq!((n, notices.len()), (3, 1), "{notices:?}");
    assert!(notices[0].contains("2 blocks were added (events 2 to 2)"), "{}", notices[0]);
}

#[test]
fn killed_inside_the_journal_line_the_next_start_has_none_of_it() {
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    w.archive(&[("before", "stored")]).unwrap();
    let whole = w.journal.len();
    w.journal_only(&[("torn_1", "one of two"), ("torn_2", "two of two")]).unwrap();
    let full = w.journal.len();
    let dir = w.end();
    for cut in [whole + 1, (whole + full) / 2, full - 1] {
        fs::OpenOptions::new().write(true).open(dir.journal()).unwrap().set_len(cut).unwrap();
        assert_eq!(check_all(&dir), (1, Vec::new()));
        let mut again = Writer::resume(&dir);
        assert!(!again.session.archive().indices().any(|i| i.as_str().starts_with("torn")));
        again.journal_only(&[("torn_1", "one of two"), ("torn_2", "two of two")]).unwrap();
        drop(again.journal);
        again.store.close();
    }
    assert_eq!(check_all(&dir).0, 3);
}

#[test]
fn a_full_disk_is_an_error_and_no_loss() {
    let tmp = tempfile::tempdir().unwrap();
    let data = data_in(tmp.path());
    let text = finish(wrapped(&["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"], "fill", &[data.root()]).spawn().unwrap());
    let refused: Vec<&str> = text.lines().filter(|l| l.starts_with("refused: ")).collect();
    println!("{}", refused.join("\n"));
    // Once the engine's file met the limit, once the journal.
    assert!(refused.iter().any(|l| l.contains("store ")) && refused.iter().any(|l| l.contains("journal ")), "{refused:?}");
    assert!(refused.iter().all(|l| l.to_lowercase().contains("file too large")), "{refused:?}");
    for id in data.ids().unwrap() {
        let dir = data.find(&id).unwrap();
        let (versions, notices) = check_all(&dir);
        let acks = text.lines().filter(|l| l.starts_with(&format!("ack {id} "))).count();
        assert!(versions >= acks && acks > 5, "{versions} versions, {acks} acknowledged");
        assert!(notices.is_empty(), "{notices:?}");
    }
}

#[test]
fn the_second_process_is_told_and_may_watch() {
    let tmp = tempfile::tempdir().unwrap();
    let mut w = Writer::begin(&data_in(tmp.path()));
    w.archive(&[("x", "seen by both")]).unwrap();
    let begun = Instant::now();
    let text = finish(command("open", &[w.dir.path()]).spawn().unwrap());
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    for part in [&format!("process {}", std::process::id()), w.dir.id(), "memex replay", "replays 2 events, lists 1 blocks"] {
        assert!(text.contains(part), "{text}");
    }
    // The first is not disturbed, and when it is gone the second may have it.
    w.archive(&[("x", "still mine")]).unwrap();
    let dir = w.end();
    Writer::resume(&dir).end();
}

#[test]
fn a_killed_holder_blocks_nobody() {
    let tmp = tempfile::tempdir().unwrap();
    let dir = Writer::begin(&data_in(tmp.path())).end();
    let mut child = command("archive for ever", &[dir.path()]).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut first).unwrap();
    assert!(dir.lock(0).is_err());
    kill(child);
    Writer::resume(&dir).end();
}

#[test]
fn two_processes_work_on_different_sessions() {
    let tmp = tempfile::tempdir().unwrap();
    let data = data_in(tmp.path());
    let spawn = || command("work beside", &[data.root()]).spawn().unwrap();
    let both = [spawn(), spawn()];
    for child in both {
        let text = finish(child);
        let path = text.lines().find_map(|l| l.strip_prefix("session ")).unwrap();
        assert_eq!(check_all(&SessionDir::at(path.as_ref())), (20, Vec::new()));
    }
    assert_eq!(data.ids().unwrap().len(), 2);
}

#[test]
fn this_system_has_a_shell_that_ignores_the_signal() {
    // The test of the full disk means nothing where the signal kills.
    let out = Command::new("sh").args(["-c", "trap '' XFSZ; echo ok"]).output().unwrap();
    assert_eq!(out.stdout, b"ok\n");
}
