//! `memex sessions`: what was recorded.

use serde_json::json;

use super::args::SessionsArgs;
use super::{Exit, find, out};
use crate::config::Config;
use crate::store::{SessionDir, SessionEntry};

/// Lists the sessions, newest first.
///
/// # Errors
/// When the data directory cannot be read.
pub(super) fn sessions(config: &Config, args: &SessionsArgs) -> anyhow::Result<Exit> {
    let data = find::data(config)?;
    let mut list = data.sessions()?;
    list.reverse();
    if args.json {
        for entry in &list {
            let tail = entry.tail.as_ref();
            out::json(
                &json!({
                    "session": entry.id, "path": entry.path, "created": entry.created, "task": entry.task,
                    "step": tail.map(|t| t.step), "last": tail.map(|t| t.at), "ended": tail.and_then(|t| t.ended),
                    "open": SessionDir::at(&entry.path).in_use().is_some(), "bytes": entry.bytes, "journal_bytes": entry.journal_bytes, "fault": entry.fault,
                })
                .to_string(),
            )?;
        }
        return Ok(Exit::Done);
    }
    if list.is_empty() {
        out::say(&format!("no sessions in {} yet: `memex` records one", data.root().display()));
    } else {
        out::line(&format!("{:<20}  {:<16}  {:>5}  {:<18}  {:>9}  task", "session", "began", "steps", "state", "size"))?;
    }
    for entry in &list {
        out::line(&row(entry))?;
    }
    if let Some(warning) = data.exposed() {
        out::say(&warning);
    }
    Ok(Exit::Done)
}

fn row(entry: &SessionEntry) -> String {
    let step = entry.tail.as_ref().map_or_else(String::new, |t| t.step.to_string());
    let state = match (&entry.fault, entry.tail.as_ref().and_then(|t| t.ended)) {
        (Some(_), _) => "unreadable",
        (None, Some(reason)) => reason.name(),
        (None, None) if SessionDir::at(&entry.path).in_use().is_some() => "open",
        (None, None) => "interrupted",
    };
    let task = entry.fault.as_deref().or(entry.task.as_deref()).unwrap_or("").lines().last().unwrap_or("");
    format!("{:<20}  {:<16}  {step:>5}  {state:<18}  {:>9}  {task}", entry.id, local(entry.created), size(entry.bytes))
}

/// A moment in the user's own time, to the minute.
fn local(at: u64) -> String {
    let moment = i64::try_from(at).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    moment.map_or_else(|| "?".into(), |t| t.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string())
}

/// Bytes as people read them.
#[must_use]
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let name = UNITS.get(unit).unwrap_or(&"");
    if unit == 0 { format!("{bytes} {name}") } else { format!("{value:.1} {name}") }
}
