//! One message of M as the context pane shows it: tag, first line, and the text when it is opened.

use std::borrow::Cow;

use serde_json::Value;

use crate::memory::tools::{COMPRESS, READ, same_tool};
use crate::memory::{Kind, Link, Message};

/// `m0`, `u`, `σ`, `t12`.
pub(crate) fn tag(message: &Message) -> String {
    match message.kind {
        Kind::System => "m0".into(),
        Kind::Task => "u".into(),
        Kind::Summary => "σ".into(),
        _ => format!("t{}", message.step),
    }
}

/// The one word for what it is.
pub(crate) fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::System => "system",
        Kind::Task => "task",
        Kind::Status => "status",
        Kind::Thinking => "think",
        Kind::Answer => "say",
        Kind::Call => "call",
        Kind::Observation => "obs",
        Kind::Retrieved => "read",
        Kind::Summary => "summary",
        Kind::Notice => "notice",
        Kind::User => "user",
    }
}

/// Its text for reading: calls with their arguments laid out, all else as it stands.
pub(crate) fn rendered(message: &Message) -> Cow<'_, str> {
    let Link::Call(call) = &message.link else { return Cow::Borrowed(&message.text) };
    let Ok(Value::Object(arguments)) = serde_json::from_str::<Value>(&call.arguments) else { return Cow::Borrowed(&message.text) };
    let mut text = call.name.to_string();
    for (name, value) in &arguments {
        text.push('\n');
        text += name;
        text += ": ";
        match value {
            Value::String(s) if s.contains('\n') => {
                text.push('\n');
                text += s;
            }
            Value::String(s) => text += s,
            Value::Array(list) if list.iter().all(Value::is_object) => {
                for entry in list {
                    text += "\n- ";
                    text += &serde_json::to_string_pretty(entry).unwrap_or_default();
                }
            }
            other => text += &other.to_string(),
        }
    }
    Cow::Owned(text)
}

/// Its record: what it is, with its exact text as JSON.
pub(crate) fn raw(message: &Message) -> String {
    let mut record = serde_json::json!({
        "id": message.id.0,
        "step": message.step,
        "kind": message.kind,
        "role": message.kind.role(),
        "tokens": message.tokens,
        "text": &*message.text,
    });
    let link = match &message.link {
        Link::None => None,
        Link::Call(call) => Some(("call", serde_json::json!({"id": &*call.id, "name": &*call.name, "arguments": &*call.arguments}))),
        Link::Answer(id) => Some(("answers", Value::from(&**id))),
        Link::Retrieved { call, index, version, part } => {
            Some(("retrieved", serde_json::json!({"call": call.as_deref(), "index": index, "version": version, "part": part})))
        }
    };
    if let (Some((name, value)), Some(object)) = (link, record.as_object_mut()) {
        object.insert(name.into(), value);
    }
    serde_json::to_string_pretty(&record).unwrap_or_default()
}

/// What stands beside its tag when it is closed.
pub(crate) fn first_line(message: &Message) -> Cow<'_, str> {
    match &message.link {
        Link::Call(call) => {
            let arguments = serde_json::from_str::<Value>(&call.arguments).ok();
            let object = arguments.as_ref().and_then(Value::as_object);
            // Only as much of long arguments as a line can show.
            let short = |v: &Value| match v {
                Value::String(s) => s.lines().next().unwrap_or("").chars().take(200).collect::<String>(),
                other => other.to_string().chars().take(200).collect(),
            };
            let memory = same_tool(&call.name, COMPRESS) || same_tool(&call.name, READ);
            let list = match object {
                // What is done says more than the name of the one tool that does it.
                Some(o) if o.len() == 1 && !memory && o.values().all(Value::is_string) => {
                    let what = o.values().next().map(short).unwrap_or_default();
                    return Cow::Owned(format!("{what} ({})", call.name));
                }
                Some(o) if o.len() == 1 => o.values().next().map(short).unwrap_or_default(),
                Some(o) => o.iter().map(|(k, v)| format!("{k}={}", short(v))).collect::<Vec<_>>().join(" "),
                None => call.arguments.chars().take(200).collect(),
            };
            Cow::Owned(format!("{} {list}", call.name))
        }
        Link::Retrieved { index, version, part, .. } => {
            let part = if *part > 1 { format!("#{part}") } else { String::new() };
            let version = if *version > 1 { format!(" v{version}") } else { String::new() };
            Cow::Owned(format!("{index}{part}{version}"))
        }
        _ if message.kind == Kind::Status => {
            let line = message.text.lines().next().unwrap_or("");
            let warned = if message.text.contains("\nW") { " !" } else { "" };
            Cow::Owned(format!("{}{warned}", line.trim_start_matches("[Context Status: ").trim_end_matches(']')))
        }
        _ => Cow::Borrowed(body(message).lines().find(|l| !l.trim().is_empty()).unwrap_or("")),
    }
}

/// Its text without the heading that every σ has.
fn body(message: &Message) -> &str {
    let heading = crate::memory::NOTES_HEADING;
    message.text.strip_prefix(heading).unwrap_or(&message.text)
}
