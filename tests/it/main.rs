//! Whole behaviours through the public surface. One binary, one link.

mod algorithm1;
mod bench_world;
mod journal;
mod properties;
mod shared;
mod store;
