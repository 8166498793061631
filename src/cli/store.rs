//! `memex store`: the archived blocks of a session, without opening the session.

use anyhow::Context;
use serde_json::{Value, json};

use super::args::{StoreArgs, StoreCommand};
use super::sessions::size;
use super::{Exit, find, make, out};
use crate::config::Config;
use crate::store::ops::{self, InStore};
use crate::store::{SessionDir, write_atomic};

/// Lists, prints, verifies or rebuilds.
///
/// # Errors
/// When the session or the block is not there, or cannot be had whole.
pub(super) fn store(config: &Config, args: &StoreArgs) -> anyhow::Result<Exit> {
    match &args.what {
        StoreCommand::Ls { session, json } => ls(&find::session(config, session)?, *json),
        StoreCommand::Get { session, index, output } => {
            let block = ops::get(&find::session(config, session)?, index)?;
            match output {
                Some(path) => write_atomic(path, block.content.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?,
                None => out::exact(&block.content)?,
            }
            Ok(Exit::Done)
        }
        StoreCommand::Verify { session, json } => verify(&find::session(config, session)?, *json),
        StoreCommand::Rebuild { session } => rebuild(&find::session(config, session)?),
    }
}

fn value(row: &ops::Row) -> Value {
    let r = &row.recorded;
    json!({
        "index": r.index, "version": r.version, "kind": r.kind, "bytes": r.bytes, "tokens": r.tokens, "hash": r.digest,
        "seq": r.seq, "step": r.step, "withdrawn": r.withdrawn,
    })
}

/// How a block stands in the engine, in words.
fn standing(in_store: &InStore) -> String {
    match in_store {
        InStore::Sound => "sound".into(),
        InStore::Missing => "missing".into(),
        InStore::Damaged(found) => format!("damaged: {found}"),
        InStore::Unknown => "not looked at, the store cannot be opened".into(),
    }
}

fn ls(dir: &SessionDir, json: bool) -> anyhow::Result<Exit> {
    let rows = ops::ls(dir)?;
    if !json {
        if rows.is_empty() {
            out::say(&format!("session {} has archived nothing", dir.id()));
        } else {
            out::line(&format!(
                "{:<32} {:>3}  {:<9} {:>9} {:>7}  {:<12}  {:>5}  store",
                "index", "ver", "kind", "size", "tokens", "hash", "step"
            ))?;
        }
    }
    for row in &rows {
        let r = &row.recorded;
        if json {
            out::json(&value(row).to_string())?;
        } else {
            let withdrawn = if r.withdrawn { " (undone)" } else { "" };
            let line = format!(
                "{:<32} {:>3}  {:<9} {:>9} {:>7}  {:<12}  {:>5}{withdrawn}",
                r.index.as_str(),
                r.version,
                r.kind.name(),
                size(r.bytes),
                r.tokens,
                r.digest.short(),
                r.step
            );
            out::line(&line)?;
        }
    }
    Ok(Exit::Done)
}

fn verify(dir: &SessionDir, json: bool) -> anyhow::Result<Exit> {
    let report = ops::verify(dir)?;
    let sound = report.is_sound();
    if json {
        let rows: Vec<Value> = report
            .rows
            .iter()
            .map(|row| {
                let mut value = value(row);
                value["store"] = standing(&row.in_store).into();
                value
            })
            .collect();
        out::json(
            &json!({
                "session": dir.id(), "sound": sound, "blocks": rows, "surplus": report.surplus, "store_fault": report.store_fault,
                "journal_notes": report.journal_notes, "store_bytes": report.store_bytes, "content_bytes": report.content_bytes,
            })
            .to_string(),
        )?;
    } else {
        for note in &report.journal_notes {
            out::line(&format!("journal: {note}"))?;
        }
        // Without a block there need not be a store.
        if let Some(fault) = report.store_fault.as_ref().filter(|_| !report.rows.is_empty()) {
            out::line(&format!("store: {fault}"))?;
        }
        for row in report.rows.iter().filter(|r| r.in_store != InStore::Sound) {
            out::line(&format!("{} version {}: {}", row.recorded.index, row.recorded.version, standing(&row.in_store)))?;
        }
        for (index, version) in &report.surplus {
            out::line(&format!("{index} version {version}: in the store, not in the journal"))?;
        }
        let verdict = if sound {
            "sound".to_owned()
        } else if report.blocks_are_sound() {
            "all sound, but the journal is not whole: see above".to_owned()
        } else {
            format!("NOT sound: `memex store rebuild {}` makes it again from the journal", dir.id())
        };
        out::line(&format!(
            "{} blocks, {} of content, {} on disk: {verdict}",
            report.rows.len(),
            size(report.content_bytes),
            size(report.store_bytes)
        ))?;
    }
    Ok(if sound { Exit::Done } else { Exit::Failed })
}

fn rebuild(dir: &SessionDir) -> anyhow::Result<Exit> {
    let rebuilt = ops::rebuild(dir, make::now())?;
    for notice in &rebuilt.notices {
        out::line(notice)?;
    }
    out::line(&format!("{} blocks, {}, made again from the journal", rebuilt.blocks, size(rebuilt.bytes)))?;
    if let Some(path) = &rebuilt.set_aside {
        out::line(&format!("the store that was there is in {}", path.display()))?;
    }
    Ok(Exit::Done)
}
