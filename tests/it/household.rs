//! The household against the real engine: every recorded line of play.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use memex::env::household::{Game, GameError, Names, World};
use serde::Deserialize;

use crate::shared::shared;

#[derive(Deserialize)]
struct Line {
    game: String,
    step: u32,
    command: Option<String>,
    observation: String,
    score: u32,
    done: bool,
    admissible: Vec<String>,
}

/// Unpacks games of the test data into a folder that goes with the returned guard; all of an archive when `games` is empty.
pub(crate) fn unpack(archive: &str, games: &BTreeSet<&str>) -> Option<(tempfile::TempDir, PathBuf)> {
    let archive = shared(archive)?;
    let folder = tempfile::tempdir().unwrap();
    let members = games.iter().map(|g| format!("json_2.1.1/{g}"));
    let status = Command::new("tar").arg("xJf").arg(&archive).arg("-C").arg(folder.path()).args(members).status();
    if !status.as_ref().is_ok_and(std::process::ExitStatus::success) {
        println!("skipped: tar cannot unpack {} ({status:?})", archive.display());
        return None;
    }
    let root = folder.path().join("json_2.1.1");
    Some((folder, root))
}

/// All game files under a folder, in name order.
pub(crate) fn games_under(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

#[test]
fn every_recorded_line_is_played_the_same() {
    let Some(path) = shared("alfworld/transcripts.jsonl.gz") else { return };
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let lines: Vec<Line> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let mut archives: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in &lines {
        let archive = if line.game.starts_with("train/") { "alfworld/games-train.tar.xz" } else { "alfworld/games-valid.tar.xz" };
        archives.entry(archive).or_default().insert(&line.game);
    }
    let mut games: BTreeMap<&str, Arc<Game>> = BTreeMap::new();
    for (archive, names) in &archives {
        let Some((_guard, root)) = unpack(archive, names) else { return };
        for name in names {
            games.insert(name, Arc::new(Game::parse(&std::fs::read_to_string(root.join(name)).unwrap()).unwrap()));
        }
    }
    let mut world: Option<World> = None;
    for (n, line) in lines.iter().enumerate() {
        let at = format!("line {} ({} step {}: {:?})", n + 1, line.game, line.step, line.command);
        if line.step == 0 {
            let fresh = World::new(Arc::clone(&games[&*line.game]), Names::Readable);
            assert_eq!(fresh.intro(), line.observation, "{at}");
            world = Some(fresh);
        } else {
            let outcome = world.as_mut().unwrap().step(line.command.as_ref().unwrap());
            assert_eq!((outcome.text.as_str(), outcome.score, outcome.done), (line.observation.as_str(), line.score, line.done), "{at}");
        }
        assert_eq!(world.as_ref().unwrap().admissible(), line.admissible, "{at}");
    }
    assert_eq!(lines.len(), 2282);
}

#[test]
fn every_stored_walkthrough_of_the_valid_games_wins() {
    let Some((_guard, root)) = unpack("alfworld/games-valid.tar.xz", &BTreeSet::new()) else { return };
    let games = games_under(&root);
    assert_eq!(games.len(), 474);
    for path in games {
        let game = Game::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let commands = game.walkthrough().to_vec();
        let task = game.task();
        assert!(path.to_string_lossy().contains(task.name()), "{path:?}");
        let mut world = World::new(Arc::new(game), Names::Readable);
        for command in &commands {
            world.step(command);
        }
        assert!(world.won(), "{}", path.display());
        // The same play with raw names, through the list of what is possible.
        assert!(World::new(Arc::new(world.game().clone()), Names::Raw).admissible().iter().any(|c| c.contains("_bar_")));
    }
}

#[test]
fn a_damaged_game_is_an_error_and_never_a_panic() {
    let Some((_guard, root)) = unpack("alfworld/games-valid.tar.xz", &BTreeSet::new()) else { return };
    let path = games_under(&root).remove(0);
    let text = std::fs::read_to_string(path).unwrap();
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for round in 0..150 {
        let mut bytes = text.as_bytes().to_vec();
        if round % 3 == 0 {
            bytes.truncate(random(bytes.len()));
        }
        for _ in 0..20 {
            let at = random(bytes.len().max(1));
            if let Some(byte) = bytes.get_mut(at) {
                *byte = b"() _\"x"[random(6)];
            }
        }
        match Game::parse(&String::from_utf8_lossy(&bytes)) {
            Ok(game) => {
                let mut world = World::new(Arc::new(game), Names::Readable);
                for _ in 0..30 {
                    let commands = world.admissible();
                    let outcome = world.step(&commands[random(commands.len())]);
                    assert!(!outcome.text.is_empty());
                }
            }
            Err(GameError::Json(_) | GameError::Missing(_) | GameError::Goal(_) | GameError::Plan { .. }) => {}
        }
    }
}
