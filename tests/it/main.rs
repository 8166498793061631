//! Whole behaviours through the public surface. One binary, one link.

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
