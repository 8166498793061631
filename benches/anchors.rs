//! Three unique anchors in 50 MB against three plain searches of the same text, interleaved in one sitting.
//!
//! `cargo bench --bench anchors`. Goal: at most 2 × three `memmem` passes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a bench that cannot run should stop")]

use std::hint::black_box;
use std::time::Instant;

use memchr::memmem;
use memex::memory::MessageId;
use memex::memory::anchor::{Anchors, Piece, locate};

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let mut text = String::new();
    let mut n = 0u64;
    while text.len() < 50 << 20 {
        n += 1;
        text += &format!(
            "2026-04-01T00:00:{:02} INFO worker[{}] compaction finished in {} ms key={:08x}\n",
            n % 60,
            n % 9973,
            n % 7919,
            n.wrapping_mul(2_654_435_761)
        );
    }
    for (at, mark) in [(0.95, "<<the end of it>>"), (0.5, "<<the middle of it>>"), (0.05, "<<the start of it>>")] {
        let place = text.floor_char_boundary((text.len() as f64 * at) as usize);
        text.insert_str(place, mark);
    }
    let anchors = Anchors { start: "<<the start of it>>".into(), mid: "<<the middle of it>>".into(), end: "<<the end of it>>".into() };
    let pieces = [Piece { message: MessageId(0), text: &text }];
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        let clock = Instant::now();
        black_box(locate(black_box(&pieces), &anchors).expect("three unique anchors"));
        ours.push(clock.elapsed().as_secs_f64() * 1e3);
        let clock = Instant::now();
        for a in [&anchors.start, &anchors.mid, &anchors.end] {
            black_box(memmem::find_iter(text.as_bytes(), a.as_bytes()).count());
        }
        plain.push(clock.elapsed().as_secs_f64() * 1e3);
    }
    let (ours, plain) = (median(ours), median(plain));
    println!("{} MB: locate {ours:.2} ms, three memmem passes {plain:.2} ms, ratio {:.2} (goal ≤ 2)", text.len() >> 20, ours / plain);
}
