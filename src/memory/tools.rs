//! The memory tools as the model sees them, and the decoding of their arguments.
//!
//! Names and argument names are those of the authors' release, so that models trained on it work here.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::anchor::Anchors;
use super::{Index, IndexError};

/// A tool offered to the policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON schema of its arguments.
    pub parameters: Value,
}

impl ToolSpec {
    /// The name of the only required string argument, if the tool has just one: what a bare text can mean.
    #[must_use]
    pub fn single_text_argument(&self) -> Option<&str> {
        let required = self.parameters.get("required")?.as_array()?;
        let [only] = required.as_slice() else { return None };
        let name = only.as_str()?;
        let kind = self.parameters.pointer(&format!("/properties/{name}/type"))?.as_str()?;
        (kind == "string").then_some(name)
    }
}

/// CompressExperience.
pub const COMPRESS: &str = "CompressExperience";
/// ReadExperience.
pub const READ: &str = "ReadExperience";

/// Folds a tool name for comparison: case and underscores do not matter.
#[must_use]
pub fn fold_name(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// Whether two tool names are the same tool.
#[must_use]
pub fn same_tool(a: &str, b: &str) -> bool {
    a == b || fold_name(a) == fold_name(b)
}

/// The schema of CompressExperience; without blocks in the summary-only memory mode.
#[must_use]
pub fn compress_spec(with_blocks: bool) -> ToolSpec {
    let mut properties = json!({
        "summary": {"type": "string", "description": "What you know and plan, short and actionable, then one line `- index - description` for every index you may need again. It replaces your working context."}
    });
    let mut required = json!(["summary"]);
    if with_blocks {
        if let Some(p) = properties.as_object_mut() {
            p.insert("db_blocks".into(), json!({
                "type": "array",
                "description": "The evidence to archive. Each block has db_index and either db_content (your own text) or start_anchor, mid_anchor and end_anchor (exact texts from the conversation that bound a passage, archived verbatim). With both, the passage replaces {{EXTRACT}} in db_content or follows it.",
                "items": {
                    "type": "object",
                    "properties": {
                        "db_index": {"type": "string", "description": "1-64 letters, digits, _ or -"},
                        "db_content": {"type": "string"},
                        "start_anchor": {"type": "string", "description": "Exact text at which the passage begins; must be found only once"},
                        "mid_anchor": {"type": "string", "description": "Exact text inside the passage"},
                        "end_anchor": {"type": "string", "description": "Exact text with which the passage ends"}
                    },
                    "required": ["db_index"]
                }
            }));
        }
        required = json!(["summary", "db_blocks"]);
    }
    ToolSpec {
        name: COMPRESS.into(),
        description: if with_blocks {
            "Replace the working context by a short indexed summary and archive the evidence in full under stable indices. Nothing else of the conversation stays visible except the system prompt and the task."
        } else {
            "Replace the working context by a short summary. Nothing else of the conversation stays visible except the system prompt and the task."
        }
        .into(),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
    }
}

/// The schema of ReadExperience.
#[must_use]
pub fn read_spec() -> ToolSpec {
    ToolSpec {
        name: READ.into(),
        description: "Bring an archived block back into the conversation, exactly as it was archived. A block too large for one reading continues at db_index#2, db_index#3 and so on.".into(),
        parameters: json!({
            "type": "object",
            "properties": {"db_index": {"type": "string", "description": "An index from your summary"}},
            "required": ["db_index"]
        }),
    }
}

/// The schema of ReadExperience in the retrieval baseline, where it takes a query.
#[must_use]
pub fn search_spec() -> ToolSpec {
    ToolSpec {
        name: READ.into(),
        description: "Search the archived messages and bring the best matches back into the conversation.".into(),
        parameters: json!({
            "type": "object",
            "properties": {"query": {"type": "string", "description": "Words to look for"}},
            "required": ["query"]
        }),
    }
}

/// What one block of a call asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockRequest {
    /// Under which index.
    pub index: Index,
    /// Authored text, if any.
    pub content: Option<String>,
    /// Anchors, if any; at least one of the two is there.
    pub anchors: Option<Anchors>,
}

/// Decoded arguments of CompressExperience.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompressArgs {
    /// The indexed summary as written.
    pub summary: String,
    /// The blocks.
    pub blocks: Vec<BlockRequest>,
}

/// One thing wrong with the arguments of a memory tool; an observation for the model, not a failure of the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentFault {
    /// The arguments are no JSON object.
    #[error("the arguments must be a JSON object, not {0}")]
    NotObject(&'static str),
    /// `summary` is missing or blank.
    #[error("summary is missing or blank: say what you know, what you plan, and list the indices")]
    NoSummary,
    /// `summary` is no text.
    #[error("summary must be a string, not {0}")]
    SummaryType(&'static str),
    /// `db_blocks` is missing or empty.
    #[error("db_blocks is missing or empty: archive at least one block, or the evidence is lost")]
    NoBlocks,
    /// `db_blocks` is no array.
    #[error("db_blocks must be an array of objects (or that array as a JSON string), not {0}")]
    BlocksType(String),
    /// One block is no object.
    #[error("block {0} must be an object, not {1}")]
    BlockType(usize, &'static str),
    /// One block has a bad index.
    #[error("block {0}: db_index {1}")]
    BadIndex(usize, IndexOr),
    /// Two blocks of one call have the same index.
    #[error("block {0}: the index {1} is used by an earlier block of this call; give each its own")]
    Twice(usize, Index),
    /// A field is no text.
    #[error("block {0}: {1} must be a string, not {2}")]
    FieldType(usize, &'static str, &'static str),
    /// Neither content nor anchors.
    #[error("block {0} ({1}): give either db_content or all of start_anchor, mid_anchor and end_anchor")]
    NoContent(usize, Index),
    /// Some anchors but not all.
    #[error("block {0} ({1}): {2} is missing; all three anchors are needed")]
    MissingAnchor(usize, Index, &'static str),
    /// `db_index` of a read is missing or no text.
    #[error("db_index must be a string, {0}")]
    ReadIndex(&'static str),
}

/// What is wrong with an index argument.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexOr {
    /// Not given.
    #[error("is missing")]
    Missing,
    /// Not a string.
    #[error("must be a string, not {0}")]
    Type(&'static str),
    /// Not in the syntax.
    #[error("is not usable: {0}")]
    Syntax(IndexError),
}

/// Name of a JSON value's type, for sentences.
#[must_use]
pub fn json_type(v: &Value) -> &'static str {
    match v {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Decodes the arguments of CompressExperience; `with_blocks` is false in the summary-only mode.
///
/// # Errors
/// Every fault of the call, so that it can be repaired in one go.
pub fn decode_compress(arguments: &Value, with_blocks: bool) -> Result<CompressArgs, Vec<ArgumentFault>> {
    let Some(object) = arguments.as_object() else {
        return Err(vec![ArgumentFault::NotObject(json_type(arguments))]);
    };
    let mut faults = Vec::new();
    let summary = match object.get("summary") {
        Some(Value::String(s)) if !s.trim().is_empty() => s.clone(),
        None | Some(Value::Null | Value::String(_)) => {
            faults.push(ArgumentFault::NoSummary);
            String::new()
        }
        Some(other) => {
            faults.push(ArgumentFault::SummaryType(json_type(other)));
            String::new()
        }
    };
    let mut blocks: Vec<BlockRequest> = Vec::new();
    if with_blocks {
        match block_list(object) {
            Ok(list) => {
                for (n, value) in list.iter().enumerate() {
                    match decode_block(n + 1, value) {
                        Ok(block) if blocks.iter().any(|b| b.index == block.index) => faults.push(ArgumentFault::Twice(n + 1, block.index)),
                        Ok(block) => blocks.push(block),
                        Err(fault) => faults.push(fault),
                    }
                }
            }
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(CompressArgs { summary, blocks }) } else { Err(faults) }
}

fn block_list(object: &Map<String, Value>) -> Result<Vec<Value>, ArgumentFault> {
    let list = match object.get("db_blocks") {
        None | Some(Value::Null) => return Err(ArgumentFault::NoBlocks),
        Some(Value::Array(list)) => list.clone(),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Array(list)) => list,
            Ok(other) => return Err(ArgumentFault::BlocksType(json_type(&other).into())),
            Err(e) => return Err(ArgumentFault::BlocksType(format!("a string that is not JSON ({e})"))),
        },
        Some(other) => return Err(ArgumentFault::BlocksType(json_type(other).into())),
    };
    if list.is_empty() { Err(ArgumentFault::NoBlocks) } else { Ok(list) }
}

fn decode_block(n: usize, value: &Value) -> Result<BlockRequest, ArgumentFault> {
    let object = value.as_object().ok_or_else(|| ArgumentFault::BlockType(n, json_type(value)))?;
    let index = match object.get("db_index") {
        None | Some(Value::Null) => return Err(ArgumentFault::BadIndex(n, IndexOr::Missing)),
        Some(Value::String(s)) => Index::new(s).map_err(|e| ArgumentFault::BadIndex(n, IndexOr::Syntax(e)))?,
        Some(other) => return Err(ArgumentFault::BadIndex(n, IndexOr::Type(json_type(other)))),
    };
    let text = |field: &'static str| match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(s)) => Ok(Some(s.clone())),
        Some(other) => Err(ArgumentFault::FieldType(n, field, json_type(other))),
    };
    // Models fill unused fields with "": those count as absent.
    let content = text("db_content")?.filter(|s| !s.is_empty());
    let [start, mid, end] = [text("start_anchor")?, text("mid_anchor")?, text("end_anchor")?];
    let unused = |a: &Option<String>| a.as_ref().is_none_or(String::is_empty);
    let anchors = if content.is_some() && unused(&start) && unused(&mid) && unused(&end) {
        None
    } else {
        match (start, mid, end) {
            (None, None, None) => None,
            (None, ..) => return Err(ArgumentFault::MissingAnchor(n, index, "start_anchor")),
            (_, None, _) => return Err(ArgumentFault::MissingAnchor(n, index, "mid_anchor")),
            (.., None) => return Err(ArgumentFault::MissingAnchor(n, index, "end_anchor")),
            (Some(start), Some(mid), Some(end)) => Some(Anchors { start, mid, end }),
        }
    };
    if content.is_none() && anchors.is_none() {
        return Err(ArgumentFault::NoContent(n, index));
    }
    Ok(BlockRequest { index, content, anchors })
}

/// What a read asks for: the text given as index, and the 1-based part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadArgs {
    /// As written, trimmed, without the part.
    pub index: String,
    /// 1 unless `index#n` was written.
    pub part: u32,
}

/// Decodes the arguments of ReadExperience; `field` is `db_index`, or `query` in the retrieval baseline.
///
/// # Errors
/// One [`ArgumentFault`] when the argument is missing or no text.
pub fn decode_read(arguments: &Value, field: &str) -> Result<ReadArgs, ArgumentFault> {
    let object = arguments.as_object().ok_or_else(|| ArgumentFault::NotObject(json_type(arguments)))?;
    match object.get(field) {
        None | Some(Value::Null) => Err(ArgumentFault::ReadIndex("and it is missing")),
        Some(Value::String(s)) => {
            let s = s.trim();
            let split = s.rsplit_once('#').and_then(|(i, p)| Some((i.trim_end(), p.parse().ok().filter(|&p| p > 0)?)));
            let (index, part) = split.unwrap_or((s, 1));
            Ok(ReadArgs { index: index.to_owned(), part })
        }
        Some(other) => Err(ArgumentFault::ReadIndex(match other {
            Value::Number(_) => "not a number",
            Value::Array(_) => "not a list",
            Value::Bool(_) => "not a boolean",
            _ => "not an object",
        })),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_fold() {
        assert!(same_tool("compress_experience", COMPRESS));
        assert!(same_tool("READEXPERIENCE", READ));
        assert!(!same_tool("Compress", COMPRESS));
    }

    #[test]
    fn the_argument_forms() {
        let args = json!({"summary": "s", "db_blocks": [
            {"db_index": " a ", "db_content": "x"},
            {"db_index": "b", "start_anchor": "1", "mid_anchor": "2", "end_anchor": "3"},
            {"db_index": "c", "db_content": "{{EXTRACT}}", "start_anchor": "1", "mid_anchor": "2", "end_anchor": "3"},
            {"db_index": "d", "db_content": "x", "start_anchor": "", "mid_anchor": "", "end_anchor": ""},
        ]});
        let decoded = decode_compress(&args, true).unwrap();
        let forms: Vec<_> = decoded.blocks.iter().map(|b| (b.index.as_str(), b.content.is_some(), b.anchors.is_some())).collect();
        assert_eq!(forms, [("a", true, false), ("b", false, true), ("c", true, true), ("d", true, false)]);
        // The array as a JSON string means the same.
        let text = json!({"summary": "s", "db_blocks": args["db_blocks"].to_string()});
        assert_eq!(decode_compress(&text, true).unwrap(), decoded);
    }

    #[test]
    fn every_fault_is_named_at_once() {
        let args = json!({"summary": " ", "db_blocks": [
            {"db_index": "a/b", "db_content": "x"}, {"db_content": "x"}, {"db_index": 7, "db_content": "x"}, 5,
            {"db_index": "ok", "db_content": "x"}, {"db_index": "ok", "db_content": "y"}, {"db_index": "none"},
            {"db_index": "half", "start_anchor": "x", "mid_anchor": "y"}, {"db_index": "typed", "db_content": ["x"]},
        ]});
        let faults = decode_compress(&args, true).unwrap_err();
        let text: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(faults.len(), 9, "{text:#?}");
        for (n, part) in [
            "summary is missing",
            "block 1: db_index is not usable",
            "block 2: db_index is missing",
            "block 3: db_index must be a string, not a number",
            "block 4 must be an object",
            "block 6: the index ok is used",
            "block 7 (none): give either",
            "block 8 (half): end_anchor is missing",
            "block 9: db_content must be a string",
        ]
        .iter()
        .enumerate()
        {
            assert!(text[n].contains(part), "{} / {part}", text[n]);
        }
        for bad in [json!({"summary": "s"}), json!({"summary": "s", "db_blocks": []}), json!({"summary": "s", "db_blocks": "[]"})] {
            assert_eq!(decode_compress(&bad, true).unwrap_err(), [ArgumentFault::NoBlocks]);
        }
        assert!(matches!(decode_compress(&json!({"summary": "s", "db_blocks": "[{"}), true).unwrap_err()[0], ArgumentFault::BlocksType(_)));
        assert!(matches!(decode_compress(&json!([1]), true).unwrap_err()[0], ArgumentFault::NotObject("a list")));
        assert!(decode_compress(&json!({"summary": "s"}), false).is_ok());
    }

    #[test]
    fn reads() {
        let read = |v: Value| decode_read(&v, "db_index").map(|r| (r.index, r.part));
        assert_eq!(read(json!({"db_index": " ctx_1 "})).unwrap(), ("ctx_1".into(), 1));
        assert_eq!(read(json!({"db_index": "ctx_1#3"})).unwrap(), ("ctx_1".into(), 3));
        assert_eq!(read(json!({"db_index": "ctx_1#0"})).unwrap(), ("ctx_1#0".into(), 1));
        assert_eq!(read(json!({"db_index": ""})).unwrap(), (String::new(), 1));
        for bad in [json!({}), json!({"db_index": 7}), json!({"db_index": ["a"]}), json!(null)] {
            assert!(read(bad).is_err());
        }
    }

    #[test]
    fn a_bare_text_has_one_meaning_or_none() {
        assert_eq!(read_spec().single_text_argument(), Some("db_index"));
        assert_eq!(compress_spec(true).single_text_argument(), None);
    }
}
