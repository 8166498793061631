//! Recordings of other agents: files of many formats, read into the same events.

pub mod json;
mod records;
