//! Memex: an agent loop with indexed experience memory, and a debugger for it.
//!
//! The loop is Algorithm 1 of *Memex(RL): Scaling Long-Horizon LLM Agents via Indexed Experience Memory*
//! (arXiv 2603.04257). A session is an append-only journal of events; everything else is a fold over it.
//! `ARCHITECTURE.md` has the map: rooms, the paper's terms in the code, and where each behaviour is.
#![forbid(unsafe_code)]
// Pages of folders speak to readers of the code and name its files, private or not.
#![allow(rustdoc::private_intra_doc_links)]

pub mod agent;
pub mod cli;
pub mod config;
pub mod env;
pub mod memory;
pub mod policy;
pub mod session;
pub mod store;
pub mod text;
pub mod trajectory;
pub mod tui;
