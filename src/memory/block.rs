//! How the content of a block is put together from what the model wrote and what was extracted.

use super::anchor::Span;
use super::{Context, Kind, Message};

/// Stands in an authored text where the extract belongs.
pub const EXTRACT: &str = "{{EXTRACT}}";

/// The content of a mixed block: the extract replaces every [`EXTRACT`], or follows after a blank line.
#[must_use]
pub fn combine(authored: &str, extract: &str) -> String {
    if authored.contains(EXTRACT) { authored.replace(EXTRACT, extract) } else { format!("{authored}\n\n{extract}") }
}

/// The verbatim text of spans of M.
///
/// A span that crosses messages holds the role headings that stand between them as the model saw
/// them: a blank line, `[role]`, the text. Parts of one assistant turn, and a status under its
/// observation, are one message on the wire and are joined without a heading.
///
/// `None` when M does not hold a named message or range.
#[must_use]
pub fn join_spans(context: &Context, spans: &[Span]) -> Option<String> {
    let mut text = String::new();
    let mut last: Option<&Message> = None;
    for span in spans {
        let message = context.get(span.message)?;
        if let Some(last) = last {
            text += &joint(last, message);
        }
        text += message.text.get(span.from..span.to)?;
        last = Some(message);
    }
    last.map(|_| text)
}

/// What stands between two neighbouring messages of M.
fn joint(before: &Message, after: &Message) -> String {
    let same_turn = after.kind == Kind::Status
        || (before.step == after.step
            && before.kind.role() == after.kind.role()
            && !matches!(after.kind, Kind::Observation | Kind::Retrieved));
    if same_turn { "\n\n".to_owned() } else { format!("\n\n[{}]\n", after.kind.role().name()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_content() {
        assert_eq!(combine("code:\n{{EXTRACT}}\nend", "x"), "code:\nx\nend");
        assert_eq!(combine("about it", "x"), "about it\n\nx");
        assert_eq!(combine("{{EXTRACT}} and {{EXTRACT}}", "x"), "x and x");
    }
}
