//! Memex: an agent loop with indexed experience memory, and a debugger for it.
#![forbid(unsafe_code)]

