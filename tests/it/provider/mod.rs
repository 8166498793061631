//! The OpenAI-compatible policy against a scripted HTTP server on the loopback interface.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, unreachable_pub)]

mod answers;
mod requests;
mod server;
mod talk;
mod troubles;
