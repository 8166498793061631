//! Memex: an agent loop with indexed experience memory, and a debugger for it.
#![forbid(unsafe_code)]

pub mod agent;
pub mod cli;
pub mod config;
pub mod env;
pub mod memory;
pub mod policy;
pub mod session;
pub mod store;
pub mod text;
pub mod tui;
