//! Whole behaviours through the public surface. One binary, one link.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails should stop")]

mod algorithm1;
mod bench_world;
mod docs;
mod expert;
mod household;
mod journal;
mod properties;
mod provider;
mod shared;
mod store;
mod tidy;
mod trajectory;
