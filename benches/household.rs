//! Speed of the household engine: `cargo bench --bench household [GAME_FILE]`.
//!
//! One core, random play, each step with its observation and its list of possible commands.
//! Without a file, the first built-in game is played.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a bench that cannot run should stop")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use memex::env::household::{BUILTINS, Game, Names, World};

fn main() {
    // Cargo passes `--bench`.
    let file = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let text = file.as_ref().map(|f| std::fs::read_to_string(f).unwrap_or_else(|e| fail(&format!("{f}: {e}"))));
    let load = || match &text {
        Some(text) => Game::parse(text),
        None => BUILTINS.first().map_or_else(|| fail("no built-in game"), |b| b.load()),
    };
    println!("game: {}", file.as_deref().unwrap_or("builtin"));

    let rounds = 50;
    let start = Instant::now();
    for _ in 0..rounds {
        let game = load().unwrap_or_else(|e| fail(&e.to_string()));
        black_box(World::new(Arc::new(game), Names::Readable).intro());
    }
    println!("load and reset: {:.3} ms", start.elapsed().as_secs_f64() * 1000.0 / f64::from(rounds));

    let game = Arc::new(load().unwrap_or_else(|e| fail(&e.to_string())));
    let mut world = World::new(game, Names::Readable);
    let mut seed = 42_u64;
    let steps = 300_000_u32;
    let start = Instant::now();
    let mut commands = world.admissible();
    for n in 0..steps {
        if n % 50 == 0 {
            world.reset();
            commands = world.admissible();
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(seed >> 33).unwrap_or(0) % commands.len();
        if let Some(command) = commands.get(at) {
            black_box(world.step(command));
        }
        commands = world.admissible();
    }
    println!("steps with observation and commands: {:.0} per second", f64::from(steps) / start.elapsed().as_secs_f64());
}

fn fail(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(1)
}
