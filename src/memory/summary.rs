//! IndexedSummary: σ = (s, I), Definition 1 of the paper.

use serde::{Deserialize, Serialize};

use super::Index;
use crate::text::tokens::TokenCounter;

/// Heads the σ message, so that neither the model nor a reader takes old notes for new orders.
pub const NOTES_HEADING: &str =
    "[Your own notes from CompressExperience. Earlier messages were archived; read one back with ReadExperience(db_index).]\n\n";

/// I: the pairs (index, description) in the order in which the summary lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IndexMap(pub Vec<(Index, String)>);

impl IndexMap {
    /// Whether the map lists this index.
    #[must_use]
    pub fn contains(&self, index: &Index) -> bool {
        self.0.iter().any(|(i, _)| i == index)
    }
    /// The indices, in order.
    pub fn indices(&self) -> impl Iterator<Item = &Index> {
        self.0.iter().map(|(i, _)| i)
    }
}

/// σ, read from the text that the model wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexedSummary {
    /// s: everything that is not a line of the map.
    pub status: String,
    /// I.
    pub index_map: IndexMap,
}

impl IndexedSummary {
    /// Reads `- index - description` lines, with the bullets, dashes and decorations that models use.
    ///
    /// The plain form counts anywhere. Other separators (`:`, `—`, `→`, a table bar) count where the line stands
    /// under a heading that speaks of an index, where the name is decorated as one (backticks, bold,
    /// brackets), or where `known` says that it is one. Everything else is status. Of an index
    /// listed twice, the later description wins.
    pub fn parse(text: &str, known: impl Fn(&Index) -> bool) -> Self {
        let mut summary = Self::default();
        let mut in_map = false;
        for line in text.lines() {
            if let Some(heading) = heading(line) {
                in_map = heading.contains("index") || heading.contains("indices");
                if in_map {
                    continue;
                }
            } else if let Some((index, description)) = map_line(line, in_map, &known) {
                match summary.index_map.0.iter_mut().find(|(i, _)| *i == index) {
                    Some(entry) => entry.1 = description,
                    None => summary.index_map.0.push((index, description)),
                }
                continue;
            }
            summary.status += line;
            summary.status.push('\n');
        }
        summary.status = summary.status.trim_end().to_owned();
        summary
    }
}

/// The lower-cased text of a line that reads as a heading: `## x`, `**x**`, `x:`.
fn heading(line: &str) -> Option<String> {
    let t = line.trim();
    if strip_bullet(t).0 {
        return None;
    }
    let marked = t.starts_with('#')
        || (t.starts_with("**") && t.trim_end_matches(':').ends_with("**"))
        || (t.ends_with(':') && t.chars().count() <= 60);
    (marked && !t.is_empty()).then(|| t.to_lowercase())
}

fn map_line(line: &str, in_map: bool, known: &impl Fn(&Index) -> bool) -> Option<(Index, String)> {
    let t = line.trim();
    let (bullet, rest) = strip_bullet(t);
    if !bullet && !in_map {
        return None;
    }
    let (name, decorated, rest) = take_name(rest)?;
    let index = Index::new(name).ok()?;
    let after = rest.trim_start();
    let spaced = after.len() < rest.len();
    let separator = ["->", "=>", "- ", "– ", "— ", "−", "–", "—", "→", ":", "|", "-"].into_iter().find(|s| after.starts_with(s));
    let plain = bullet && spaced && after.starts_with("- ");
    let (description, explicit) = match separator {
        Some(s) => (after.get(s.len()..)?, true),
        // `- [ctx_1] a description` without any separator.
        None if decorated && spaced => (after, true),
        None if after.is_empty() => ("", false),
        None => return None,
    };
    let sure = plain || decorated || in_map || known(&index);
    let empty_ok = known(&index) || decorated;
    ((explicit && sure) || (!explicit && empty_ok)).then(|| (index, description.trim().trim_end_matches('|').trim().to_owned()))
}

/// Whether a bullet or number led the text, and what follows it.
fn strip_bullet(t: &str) -> (bool, &str) {
    for b in ["- ", "* ", "+ ", "• ", "· ", "‣ ", "◦ ", "– ", "— ", "| "] {
        if let Some(rest) = t.strip_prefix(b) {
            return (true, rest.trim_start());
        }
    }
    let digits = t.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0
        && digits <= 3
        && let Some(rest) = t.get(digits..).and_then(|r| r.strip_prefix(". ").or_else(|| r.strip_prefix(") ")))
    {
        return (true, rest.trim_start());
    }
    (false, t)
}

/// The name at the start of `t`, whether it was decorated, and what follows it.
fn take_name(t: &str) -> Option<(&str, bool, &str)> {
    for (open, close) in [("**`", "`**"), ("`", "`"), ("**", "**"), ("[", "]"), ("\"", "\""), ("'", "'"), ("<", ">"), ("__", "__")] {
        if let Some(inner) = t.strip_prefix(open)
            && let Some(end) = inner.find(close)
        {
            let name = inner.get(..end)?;
            let rest = inner.get(end + close.len()..)?;
            // `**ctx_1:** text` has its separator inside the decoration.
            let name = name.strip_suffix(':').unwrap_or(name);
            return Some((name, true, rest));
        }
    }
    let end = t.find(|c: char| c.is_whitespace() || matches!(c, ':' | '|' | '→' | '–' | '—')).unwrap_or(t.len());
    Some((t.get(..end)?, false, t.get(end..)?))
}

/// What the limit τ_σ took off a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// Tokens kept.
    pub kept: u32,
    /// Tokens written.
    pub of: u32,
    /// Indices that the full text listed and the kept text does not.
    pub fell_off: Vec<Index>,
}

impl Cut {
    /// Cuts `text` to `limit` tokens on a token boundary; `None` when it fits.
    ///
    /// `known` as in [`IndexedSummary::parse`].
    pub fn apply<'a>(text: &'a str, limit: u32, counter: &dyn TokenCounter, known: impl Fn(&Index) -> bool) -> Option<(&'a str, Self)> {
        let of = counter.count(text);
        if of <= limit {
            return None;
        }
        let kept = text.get(..counter.prefix(text, limit)).unwrap_or("");
        let full = IndexedSummary::parse(text, &known).index_map;
        let left = IndexedSummary::parse(kept, &known).index_map;
        // A name that the cut itself shortened is not the index that was written.
        let fell_off = full.indices().filter(|i| !left.contains(i)).cloned().collect();
        Some((kept, Self { kept: counter.count(kept), of, fell_off }))
    }

    /// The mark that stands behind the kept text.
    #[must_use]
    pub fn mark(&self) -> String {
        format!("\n[cut: {} of {} tokens]", self.kept, self.of)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::text::tokens::Estimate;

    fn parse(text: &str) -> (String, Vec<(String, String)>) {
        let s = IndexedSummary::parse(text, |i| i.as_str().starts_with("known"));
        (s.status, s.index_map.0.into_iter().map(|(i, d)| (i.as_str().to_owned(), d)).collect())
    }
    fn map(text: &str) -> Vec<(String, String)> {
        parse(text).1
    }
    fn one(i: &str, d: &str) -> Vec<(String, String)> {
        vec![(i.to_owned(), d.to_owned())]
    }

    #[test]
    fn the_plain_form_counts_anywhere() {
        let (status, map) = parse("Found the pan.\n- ctx_001 - room layout\nNext: heat it.\n- ctx_002 - tests - all of them");
        assert_eq!(status, "Found the pan.\nNext: heat it.");
        assert_eq!(map, [("ctx_001".into(), "room layout".into()), ("ctx_002".into(), "tests - all of them".into())]);
    }

    #[test]
    fn spellings_of_models() {
        for line in [
            "* ctx_1 - d",
            "• ctx_1 - d",
            "1. ctx_1 - d",
            "12) ctx_1 - d",
            "- `ctx_1` - d",
            "- `ctx_1`: d",
            "- **ctx_1**: d",
            "- **ctx_1:** d",
            "- [ctx_1] d",
            "- [ctx_1] - d",
            "- \"ctx_1\" — d",
            "- **`ctx_1`** – d",
            "  - ctx_1 - d  ",
        ] {
            assert_eq!(map(line), one("ctx_1", "d"), "{line}");
        }
        for line in ["ctx_1: d", "- ctx_1: d", "ctx_1 - d", "- ctx_1 → d", "- ctx_1 | d", "| ctx_1 | d |"] {
            assert_eq!(map(&format!("## Index Map\n{line}")), one("ctx_1", "d"), "{line}");
        }
        assert_eq!(map("- known_3: d"), one("known_3", "d"));
        assert_eq!(map("- known_3"), one("known_3", ""));
    }

    #[test]
    fn status_bullets_stay_status() {
        for line in ["- Verified: the pan is hot", "- open the fridge", "Next: look", "- fridge 1: closed", "plain ctx_1 - d"] {
            assert_eq!(map(line), vec![], "{line}");
            assert_eq!(parse(line).0, line);
        }
        // After the map section, a new heading ends it.
        assert_eq!(map("IndexMap:\n- a_1: x\n\nPlan:\n- Next: go"), one("a_1", "x"));
    }

    #[test]
    fn the_later_of_two_descriptions_wins() {
        assert_eq!(map("- a - one\n- a - two"), one("a", "two"));
    }

    #[test]
    fn a_cut_says_which_indices_fell_off() {
        let text = format!("{}\n- known_1 - first\n- known_2 - second", "word ".repeat(900));
        let (kept, cut) = Cut::apply(&text, 300, &Estimate, |_| false).unwrap();
        assert!(text.starts_with(kept) && cut.kept <= 300 && cut.of > 900);
        assert_eq!(cut.fell_off.iter().map(Index::as_str).collect::<Vec<_>>(), ["known_1", "known_2"]);
        assert_eq!(cut.mark(), format!("\n[cut: {} of {} tokens]", cut.kept, cut.of));
        assert!(Cut::apply("short", 300, &Estimate, |_| false).is_none());
        // A multibyte text is cut between characters.
        let text = "语言🙏".repeat(400);
        let (kept, _) = Cut::apply(&text, 301, &Estimate, |_| false).unwrap();
        assert!(!kept.contains('\u{fffd}') && !kept.is_empty());
    }
}
