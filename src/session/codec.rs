//! One event, one line: the JSON form of events in journals and reports.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::{Envelope, Event, Unknown};
use super::state::Session;

#[derive(Deserialize)]
struct Head {
    seq: u64,
    #[serde(default)]
    at: u64,
    #[serde(default)]
    step: u32,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Serialize)]
struct Line<'a, T: Serialize> {
    seq: u64,
    at: u64,
    step: u32,
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(flatten)]
    event: &'a T,
}

/// The line of an event, without its line end. Unknown events come out as they came in.
#[must_use]
pub fn encode_line(envelope: &Envelope) -> String {
    fn line<T: Serialize>(e: &Envelope, event: &T) -> String {
        let line = Line { seq: e.seq, at: e.at, step: e.step, kind: e.event.type_name(), event };
        // Serialising plain structs with string keys has no failure.
        serde_json::to_string(&line).unwrap_or_default()
    }
    match &envelope.event {
        Event::Started(x) => line(envelope, x),
        Event::Status(x) => line(envelope, x),
        Event::Acted(x) => line(envelope, x),
        Event::Observed(x) => line(envelope, x),
        Event::Compressed(x) => line(envelope, x),
        Event::Read(x) => line(envelope, x),
        Event::Malformed(x) => line(envelope, x),
        Event::Edited(x) => line(envelope, x),
        Event::Undone(x) => line(envelope, x),
        Event::Note(x) => line(envelope, x),
        Event::Ended(x) => line(envelope, x),
        Event::Unknown(x) => x.raw.to_string(),
    }
}

/// Reads one line. Never fails: what is not understood is kept as [`Event::Unknown`] under `expected` as its number.
#[must_use]
pub fn decode_line(line: &str, expected: u64) -> Envelope {
    fn typed<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, String> {
        serde_json::from_str(line).map_err(|e| e.to_string())
    }
    let unknown = |kind: String, why: String| Event::Unknown(Box::new(Unknown { kind, raw: line.into(), why }));
    let head: Head = match serde_json::from_str(line) {
        Ok(head) => head,
        Err(e) => {
            let event = unknown("unreadable".into(), e.to_string());
            return Envelope { seq: expected, at: 0, step: 0, event };
        }
    };
    let event = match head.kind.as_str() {
        "started" => typed(line).map(Event::Started),
        "status" => typed(line).map(Event::Status),
        "acted" => typed(line).map(Event::Acted),
        "observed" => typed(line).map(Event::Observed),
        "compressed" => typed(line).map(Event::Compressed),
        "read" => typed(line).map(Event::Read),
        "malformed" => typed(line).map(Event::Malformed),
        "edited" => typed(line).map(Event::Edited),
        "undone" => typed(line).map(Event::Undone),
        "note" => typed(line).map(Event::Note),
        "ended" => typed(line).map(Event::Ended),
        other => Err(format!("this version knows no event of type {other:?}")),
    };
    let event = event.unwrap_or_else(|why| unknown(head.kind.clone(), why));
    Envelope { seq: head.seq, at: head.at, step: head.step, event }
}

/// The line of an event for a reader of reports: as in the journal, with the texts that the journal only points to.
///
/// `after` is the fold with this event applied.
#[must_use]
pub fn report_line(envelope: &Envelope, after: &Session) -> String {
    let line = encode_line(envelope);
    let Event::Read(read) = &envelope.event else { return line };
    let Ok(Value::Object(mut object)) = serde_json::from_str(&line) else { return line };
    let text = super::state::read_text(after.archive(), read).unwrap_or_default();
    object.insert("text".into(), Value::String(text));
    Value::Object(object).to_string()
}
