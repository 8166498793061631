//! The scripted expert in whole runs: real games, harder mode, the real loop.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use memex::agent::draft::{self, Range};
use memex::agent::live::{Agent, Beginning, Parts};
use memex::agent::{Command, Handle, HumanAct, RunMode, Update};
use memex::env::Environment;
use memex::env::household::{BUILTINS, Harder, Household, LOOK_REFUSED, Names, SUMMARY_LIMIT, Settings};
use memex::policy::expert::Expert;
use memex::policy::{Policy, Request};
use memex::session::{Envelope, Event, MemoryMode, ObservedKind, Phase, RunConfig, Session};
use memex::store::MemoryVault;
use memex::text::tokens::{Counter, Estimate, TokenizerChoice};

use crate::household::{games_under, unpack};

/// What a run came to.
#[derive(Debug, Default)]
struct Played {
    won: bool,
    claimed: bool,
    steps: u32,
    compressions: usize,
    anchored: usize,
    reads: usize,
    /// Errors and refusals that the agent was told of.
    faults: Vec<String>,
    longest_summary: u32,
    events: Vec<Arc<Envelope>>,
}

/// A run, ready to go.
fn ready(settings: Settings, config: RunConfig, counter: &Counter) -> (Agent, Handle) {
    let environment = Household::open(settings).unwrap();
    let config = RunConfig { environment: environment.settings(), policy: Expert.settings(), ..config };
    let parts = Parts {
        session: Session::default(),
        journal: None,
        vault: Box::new(MemoryVault::default()),
        policy: Box::new(Expert),
        environment: Box::new(environment),
        counter: Arc::clone(counter),
        clock: || 7,
        pace: 0,
    };
    Agent::new(parts, Beginning::Open { session: "test".into(), config: Box::new(config) })
}

async fn play(settings: Settings, config: RunConfig, counter: &Counter) -> Played {
    let (agent, mut handle) = ready(settings, config, counter);
    let task = tokio::spawn(agent.run());
    handle.commands.send(Command::Run).unwrap();
    let mut played = Played::default();
    played.play_out(&mut handle).await;
    handle.commands.send(Command::Quit).unwrap();
    played.steps = task.await.unwrap().t();
    played
}

impl Played {
    async fn play_out(&mut self, handle: &mut Handle) {
        while let Some(update) = handle.updates.recv().await {
            match update {
                Update::Recorded(envelope) => {
                    self.hear(&envelope);
                    self.events.push(envelope);
                }
                Update::Mode(RunMode::Ended) => break,
                Update::Trouble(why) => panic!("{why}"),
                _ => {}
            }
        }
    }

    fn hear(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::Compressed(c) => {
                self.compressions += 1;
                self.anchored += c.blocks.iter().filter(|b| b.kind == memex::memory::BlockKind::Anchored).count();
                self.longest_summary = self.longest_summary.max(c.summary_tokens);
                if c.cut.is_some() {
                    self.faults.push(format!("cut: {}", c.summary));
                }
            }
            Event::Read(_) => self.reads += 1,
            Event::Malformed(m) => self.faults.push(m.text.to_string()),
            Event::Observed(o) if o.kind != ObservedKind::Tool || &*o.text == LOOK_REFUSED => self.faults.push(o.text.to_string()),
            Event::Ended(e) => {
                self.won = e.success == Some(true);
                self.claimed = e.answer.as_deref() == Some("success=true");
            }
            _ => {}
        }
    }

    fn print(&self) {
        for envelope in &self.events {
            match &envelope.event {
                Event::Status(s) => println!("-- {} {}", envelope.step, s.text),
                Event::Acted(a) => {
                    println!("   {}", a.thinking.as_deref().unwrap_or(""));
                    a.calls.iter().for_each(|c| println!("   > {}", c.text()));
                }
                Event::Observed(o) => println!("   {}", o.text),
                Event::Compressed(c) => println!("   σ: {}\n   {} -> {}", c.summary, c.tokens_before, c.tokens_after),
                Event::Read(r) => println!("   read {} ({} tokens)", r.index, r.tokens),
                Event::Ended(e) => println!("   ended {:?} {:?} {:?}", e.reason, e.answer, e.success),
                _ => {}
            }
        }
    }
}

fn harder() -> RunConfig {
    RunConfig { summary_limit: Some(SUMMARY_LIMIT), ..RunConfig::default() }
}

/// Plays all games under `root`; prints the figures, and gives them back by task.
async fn tournament(root: &Path, names: Names, config: &RunConfig) -> (usize, Vec<Played>) {
    let counter = TokenizerChoice::O200k.load().unwrap();
    let mut all = Vec::new();
    let mut by_task: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for path in games_under(root) {
        let settings = Settings { names, ..Settings::new(path.to_str().unwrap()) };
        let played = play(settings, config.clone(), &counter).await;
        let task = path.strip_prefix(root).unwrap().to_str().unwrap().split('-').next().unwrap().to_owned();
        let entry = by_task.entry(task).or_default();
        *entry = (entry.0 + usize::from(played.won), entry.1 + 1);
        if !played.won {
            println!("lost after {} steps: {}", played.steps, path.strip_prefix(root).unwrap().display());
            if std::env::var_os("EXPERT_VERBOSE").is_some() {
                played.print();
            }
        }
        all.push(played);
    }
    let won = all.iter().filter(|p| p.won).count();
    let with = |f: fn(&Played) -> usize| (all.iter().filter(|p| f(p) > 0).count(), all.iter().map(f).sum::<usize>());
    println!("won {won} of {}; by task {by_task:?}", all.len());
    println!("games with compressions, and their number: {:?}; with reads: {:?}", with(|p| p.compressions), with(|p| p.reads));
    println!("mean steps {:.1}", all.iter().map(|p| f64::from(p.steps)).sum::<f64>() / all.len() as f64);
    (won, all)
}

#[tokio::test]
async fn it_wins_most_seen_games_of_the_harder_household() {
    let Some((_guard, root)) = unpack("alfworld/games-valid.tar.xz", &BTreeSet::new()) else { return };
    let (won, all) = tournament(&root.join("valid_seen"), Names::Readable, &harder()).await;
    assert_eq!(all.len(), 140);
    assert!(won >= 126, "won only {won}");
    assert!(all.iter().map(|p| p.compressions).sum::<usize>() >= 30 && all.iter().map(|p| p.reads).sum::<usize>() >= 30);
    // It never claims what is not so, and never makes a faulty call.
    for played in &all {
        assert!(played.won || !played.claimed);
        assert_eq!(played.faults, Vec::<String>::new());
        assert!(played.steps <= 50);
    }
}

#[tokio::test]
async fn with_raw_names_no_summary_is_cut_and_most_games_are_won() {
    let Some((_guard, root)) = unpack("alfworld/games-valid.tar.xz", &BTreeSet::new()) else { return };
    let (won, all) = tournament(&root.join("valid_unseen"), Names::Raw, &harder()).await;
    assert_eq!(all.len(), 134);
    assert!(won >= 107, "won only {won}");
    assert!(all.iter().all(|p| p.faults.is_empty()));
}

#[tokio::test]
async fn the_demonstration_compresses_and_reads_and_wins() {
    let counter: Counter = Arc::new(Estimate);
    for counter in [counter, TokenizerChoice::O200k.load().unwrap()] {
        let played = play(Settings::new("builtin"), RunConfig { threshold: 2000, ..harder() }, &counter).await;
        if std::env::var_os("EXPERT_VERBOSE").is_some() {
            played.print();
        }
        assert!(played.won && played.claimed, "{:?}", played.faults);
        assert!(played.compressions >= 2 && played.reads >= 2 && played.anchored >= 2, "{} {}", played.compressions, played.reads);
        assert!((20..=45).contains(&played.steps), "{} steps", played.steps);
        assert_eq!(played.faults, Vec::<String>::new());
    }
}

#[tokio::test]
async fn it_wins_every_built_in_game_in_every_setting() {
    let counter: Counter = Arc::new(Estimate);
    for builtin in BUILTINS {
        let game = format!("builtin:{}", builtin.name);
        for (names, harder_rules, threshold, mode) in [
            (Names::Readable, Harder::ON, 8000, MemoryMode::Memex),
            (Names::Readable, Harder::ON, 1200, MemoryMode::Memex),
            (Names::Readable, Harder::OFF, 2000, MemoryMode::Memex),
            (Names::Raw, Harder::ON, 8000, MemoryMode::Memex),
            (Names::Readable, Harder::ON, 8000, MemoryMode::Full),
            (Names::Readable, Harder::ON, 8000, MemoryMode::Summary),
        ] {
            let settings = Settings { names, harder: harder_rules, ..Settings::new(&game) };
            let limit = (mode == MemoryMode::Memex && names == Names::Readable).then_some(SUMMARY_LIMIT);
            let config = RunConfig { threshold, mode, max_steps: 80, summary_limit: limit, ..RunConfig::default() };
            let played = play(settings, config, &counter).await;
            if !played.won {
                played.print();
            }
            assert!(played.won && played.claimed, "{game} {names:?} {threshold} {mode:?}: {:?}", played.faults);
            assert_eq!(played.faults, Vec::<String>::new(), "{game} {names:?} {threshold} {mode:?}");
        }
    }
}

#[tokio::test]
async fn it_finds_its_way_after_the_user_has_compressed_everything() {
    let counter: Counter = Arc::new(Estimate);
    for builtin in BUILTINS {
        for steps in [1, 4, 9, 13] {
            let settings = Settings::new(format!("builtin:{}", builtin.name));
            let (agent, mut handle) = ready(settings, RunConfig { max_steps: 120, ..RunConfig::default() }, &counter);
            let task = tokio::spawn(agent.run());
            let mut played = Played::default();
            for _ in 0..steps {
                handle.commands.send(Command::Step).unwrap();
                loop {
                    match handle.updates.recv().await.unwrap() {
                        Update::Recorded(e) => played.events.push(e),
                        Update::Mode(RunMode::Paused | RunMode::Ended) => break,
                        _ => {}
                    }
                }
            }
            let session = Session::fold(played.events.iter().map(|e| &**e)).unwrap();
            if !matches!(session.phase(), Phase::Ended(_)) {
                let draft = draft::verbatim(&session, Range::All);
                handle.commands.send(Command::Act(HumanAct::Compress(Box::new(draft)))).unwrap();
                handle.commands.send(Command::Run).unwrap();
                played.play_out(&mut handle).await;
                if !played.won {
                    played.print();
                }
                assert!(played.won && played.claimed, "{} after {steps} steps: {:?}", builtin.name, played.faults);
            }
            handle.commands.send(Command::Quit).unwrap();
            task.await.unwrap();
        }
    }
}

#[tokio::test]
async fn its_answer_is_a_function_of_the_context() {
    // Every request of a run, put together again from the journal alone and out of order, gets the same answer.
    let counter: Counter = Arc::new(Estimate);
    let played = play(Settings::new("builtin"), RunConfig { threshold: 2000, ..harder() }, &counter).await;
    let mut answers = 0;
    for n in (0..played.events.len()).rev() {
        let Event::Acted(acted) = &played.events[n].event else { continue };
        let session = Session::fold(played.events[..n].iter().map(|e| &**e)).unwrap();
        let tools = Arc::clone(&session.started().unwrap().tools);
        let turn = Expert::decide(&Request { step: 0, context: session.context().clone(), tools, force: None });
        assert_eq!(turn.thinking.as_deref(), acted.thinking.as_deref());
        assert_eq!(turn.calls[0].text(), acted.calls[0].text());
        answers += 1;
    }
    assert_eq!(answers, played.steps);
}
