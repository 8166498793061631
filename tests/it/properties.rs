//! Properties that hold for every session: one fold, however it is reached.

use std::sync::Arc;

use memex::agent::draft::{self, Range};
use memex::agent::{Command, HumanAct, Update};
use memex::memory::{Index, MessageId};
use memex::policy::Turn;
use memex::session::{Envelope, RunConfig, Session, Timeline, decode_line, encode_line};
use proptest::prelude::*;
use serde_json::json;

use crate::bench_world::*;

/// What a random session does next.
#[derive(Clone, Debug)]
enum Move {
    Note(String),
    Compress(u8, bool),
    Read(u8),
    Two,
    Nothing,
    Force,
    Undo,
    Redo,
    HumanRead(u8),
    Exclude(u8),
    Demand,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => ".{0,30}".prop_map(Move::Note),
        2 => (0..4u8, any::<bool>()).prop_map(|(i, b)| Move::Compress(i, b)),
        2 => (0..5u8).prop_map(Move::Read),
        1 => Just(Move::Two),
        1 => Just(Move::Nothing),
        1 => Just(Move::Force),
        2 => Just(Move::Undo),
        1 => Just(Move::Redo),
        1 => (0..5u8).prop_map(Move::HumanRead),
        1 => (0..30u8).prop_map(Move::Exclude),
        1 => Just(Move::Demand),
    ];
    prop::collection::vec(one, 1..25)
}

fn answer(m: &Move) -> Option<Turn> {
    Some(match m {
        Move::Note(t) => note(t),
        Move::Compress(i, true) => compress(
            &format!("s\n- i{i} - d"),
            json!([{"db_index": format!("i{i}"), "start_anchor": "noted", "mid_anchor": "as", "end_anchor": "line"}]),
        ),
        Move::Compress(i, false) => {
            compress(&format!("s\n- i{i} - d"), json!([{"db_index": format!("i{i}"), "db_content": "text {{EXTRACT}}"}]))
        }
        Move::Read(i) => read(&format!("i{i}")),
        Move::Two => turn("both", &[("show", json!({"text": ""})), ("note", json!({"text": "two"}))]),
        Move::Nothing => Turn { text: Some("hm".into()), ..Turn::default() },
        _ => return None,
    })
}

async fn play(list: &[Move]) -> Vec<Arc<Envelope>> {
    let config = RunConfig { max_steps: 100, summary_limit: Some(8), ..RunConfig::default() };
    let mut world = World::start(config, list.iter().filter_map(answer).collect(), None);
    world.until(|u| matches!(u, Update::Recorded(_))).await;
    for m in list {
        if answer(m).is_some() {
            world.send(Command::Step);
            world.rests().await;
            continue;
        }
        let session = Session::fold(world.events.iter().map(|e| &**e)).unwrap();
        let act = match m {
            Move::Force => HumanAct::Compress(Box::new(draft::verbatim(&session, Range::All))),
            Move::Undo => HumanAct::Undo,
            Move::Redo => HumanAct::Redo,
            Move::HumanRead(i) => HumanAct::Read { index: Index::new(&format!("i{i}")).unwrap(), part: 1 },
            Move::Exclude(id) => HumanAct::Exclude { message: MessageId(u64::from(*id)) },
            _ => HumanAct::Demand { words: None },
        };
        world.send(Command::Act(act));
        world.until(|u| matches!(u, Update::Recorded(_) | Update::Refused(_))).await;
    }
    world.send(Command::Quit);
    let live = world.task.await.unwrap();
    assert_eq!(Session::fold(world.events.iter().map(|e| &**e)).unwrap(), live);
    world.events
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_fold_is_the_same_however_it_is_reached(list in moves()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let events = runtime.block_on(play(&list));
        // One line is one event, and back.
        for (n, e) in events.iter().enumerate() {
            prop_assert_eq!(&decode_line(&encode_line(e), n as u64), &**e);
        }
        let mut timeline = Timeline::new();
        for e in &events {
            timeline.push(Arc::clone(e));
        }
        prop_assert!(timeline.faults().is_empty());
        let mut session = Session::default();
        for n in 0..=events.len() {
            prop_assert_eq!(&timeline.at(n), &session, "after {} events", n);
            if let Some(e) = events.get(n) {
                session.apply(e).unwrap();
                let w: u64 = session.context().work().iter().map(|m| u64::from(m.tokens)).sum();
                prop_assert_eq!(session.context().working(), w);
                // Exactly one σ, at the head of M_work, and m0 and u untouched.
                let sigma = session.context().messages().filter(|m| m.kind == memex::memory::Kind::Summary).count();
                prop_assert!(sigma <= 1);
                prop_assert_eq!(session.context().head().len(), 2);
                prop_assert_eq!(session.context().head()[0].id, MessageId(0));
            }
        }
        // Every call in M has at most one result, and none is answered that is not there.
        let calls: Vec<_> = session.context().messages().filter_map(|m| match &m.link { memex::memory::Link::Call(c) => Some(c.id.clone()), _ => None }).collect();
        for id in session.context().messages().filter_map(|m| m.answers()) {
            prop_assert_eq!(calls.iter().filter(|c| *c == id).count(), 1);
        }
    }
}

#[tokio::test]
async fn snapshots_of_a_long_session_agree_with_the_fold_from_the_start() {
    let mut answers: Vec<Turn> = (0..900).map(|n| note(&format!("line {n}"))).collect();
    answers.insert(500, compress("s\n- b - x", json!([{"db_index": "b", "db_content": "x"}])));
    answers.push(finish("x"));
    let (events, _) = World::start(RunConfig { max_steps: 2000, ..RunConfig::default() }, answers, None).finish().await;
    let mut timeline = Timeline::new();
    for e in &events {
        timeline.push(Arc::clone(e));
    }
    for n in [0, 1, 255, 256, 257, 1000, 1501, 1502, 1503, 2000, events.len()] {
        assert_eq!(timeline.at(n), Session::fold(events[..n].iter().map(|e| &**e)).unwrap(), "at {n}");
    }
    let entry = timeline.entry_of(1502);
    assert!(timeline.steps()[entry].step == 501, "{:?}", timeline.steps()[entry]);
}

/// Counts what it is asked to count.
struct Counting(std::sync::atomic::AtomicU64);

impl memex::text::tokens::TokenCounter for Counting {
    fn name(&self) -> &str {
        "counting"
    }
    fn exact(&self) -> bool {
        false
    }
    fn count(&self, text: &str) -> u32 {
        self.0.fetch_add(text.len() as u64, std::sync::atomic::Ordering::Relaxed);
        memex::text::tokens::Estimate.count(text)
    }
    fn prefix(&self, text: &str, limit: u32) -> usize {
        memex::text::tokens::Estimate.prefix(text, limit)
    }
}

#[tokio::test]
async fn every_byte_is_tokenised_once() {
    let mut answers = Vec::new();
    for n in 0..200 {
        answers.push(note(&format!("{n}: {}", "some words of a line that is written down; ".repeat(48))));
        if n % 50 == 49 {
            answers.push(compress("s\n- b - d", json!([{"db_index": "b", "start_anchor": format!("noted as line {n}"), "mid_anchor": "[Context", "end_anchor": "threshold"}])));
        }
    }
    answers.push(finish("x"));
    let counter = Arc::new(Counting(0.into()));
    let config = RunConfig { max_steps: 1000, summary_limit: Some(300), ..RunConfig::default() };
    let (events, session) = World::counted(config, answers, counter.clone()).finish().await;
    // What was appended: every message that ever entered M, the schemas, and the blocks of D.
    let mut appended: u64 = session.started().unwrap().tools.iter().map(|t| serde_json::to_string(t).unwrap().len() as u64).sum();
    let mut fold = Session::default();
    let mut newest = None;
    for envelope in &events {
        fold.apply(envelope).unwrap();
        let fresh = fold.context().messages().filter(|m| newest.is_none_or(|n| m.id > n));
        appended += fresh.map(|m| m.text.len() as u64).sum::<u64>();
        newest = fold.context().messages().map(|m| m.id).max().max(newest);
    }
    appended += session.archive().all().flat_map(|(_, v)| v).map(|v| v.block.content.len() as u64).sum::<u64>();
    let counted = counter.0.load(std::sync::atomic::Ordering::Relaxed);
    assert!(session.compressions().len() >= 3, "{}", session.compressions().len());
    assert!(counted as f64 <= 1.05 * appended as f64 && counted >= appended * 9 / 10, "{counted} bytes tokenised, {appended} appended");
}
