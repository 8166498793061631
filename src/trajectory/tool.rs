//! Tools that were offered, in the forms of both servers.

use super::json::Node;
use crate::memory::tools::ToolSpec;

/// A tool of either form.
pub(super) fn tool(node: &Node<'_>) -> ToolSpec {
    let function = node.get("function").filter(|n| n.is_object()).unwrap_or(node);
    let schema = ["parameters", "input_schema", "inputSchema"].iter().find_map(|key| function.get(key));
    let text = |key: &str| function.text(key).unwrap_or_default().into_owned();
    let parameters = schema.and_then(|s| serde_json::from_str(&s.raw_text()).ok()).unwrap_or_default();
    ToolSpec { name: text("name"), description: text("description"), parameters }
}
