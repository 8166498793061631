//! What agents write instead of the engine's commands, and what they mean.
//!
//! Off by default: the engine is strict. Only spelling is forgiven; which objects and places are meant is never guessed.

/// The engine's form of a command, when it differs from what was written.
///
/// Takes off a `> ` prompt, quotes and a final full stop, folds capitals and white space, and turns `put X in/on Y`
/// (also `into`, `onto`, `in/on`) and `place …` into `move X to Y`, `pick up X from Y` into `take X from Y`, `turn on X` into `use X`.
#[must_use]
pub fn engine_form(written: &str) -> Option<String> {
    let mut text = written.trim();
    loop {
        let shorter = text.strip_prefix('>').unwrap_or(text).trim();
        let shorter = shorter.strip_suffix(['.', '!']).unwrap_or(shorter);
        let shorter = shorter.trim_matches(['"', '`']).trim();
        if shorter == text {
            break;
        }
        text = shorter;
    }
    let text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let form = verbs(&text).unwrap_or(text);
    (form != written.trim()).then_some(form)
}

fn verbs(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("put ").or_else(|| text.strip_prefix("place ")).or_else(|| text.strip_prefix("move ")) {
        let between = [" in/on ", " into ", " onto ", " in ", " on ", " to "];
        // The earliest word counts: names hold no spaces but the one before their number.
        let (at, word) = between.iter().filter_map(|w| rest.find(w).map(|at| (at, w))).min_by_key(|(at, w)| (*at, usize::MAX - w.len()))?;
        return Some(format!("move {} to {}", rest.get(..at)?, rest.get(at + word.len()..)?));
    }
    if let Some(rest) = text.strip_prefix("pick up ") {
        return Some(format!("take {rest}"));
    }
    if let Some(rest) = text.strip_prefix("turn on ").or_else(|| text.strip_prefix("toggle ")) {
        return Some(format!("use {rest}"));
    }
    if let Some(rest) = text.strip_prefix("goto ") {
        return Some(format!("go to {rest}"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for (written, form) in [
            ("go to drawer 3.", "go to drawer 3"),
            ("Go To Drawer 3", "go to drawer 3"),
            ("go  to   drawer 3", "go to drawer 3"),
            ("> go to drawer 3", "go to drawer 3"),
            (">go to drawer 3.", "go to drawer 3"),
            ("`look`", "look"),
            ("put apple 1 in/on fridge 1", "move apple 1 to fridge 1"),
            ("put apple 1 in fridge 1", "move apple 1 to fridge 1"),
            ("Put apple 1 onto desk 1.", "move apple 1 to desk 1"),
            ("place apple 1 on desk 1", "move apple 1 to desk 1"),
            ("move apple 1 in desk 1", "move apple 1 to desk 1"),
            ("pick up apple 1 from desk 1", "take apple 1 from desk 1"),
            ("turn on desklamp 1", "use desklamp 1"),
            ("goto desk 1", "go to desk 1"),
        ] {
            assert_eq!(engine_form(written).as_deref(), Some(form), "{written}");
        }
        for same in ["look", "move apple 1 to fridge 1", "go to drawer 3", "", "think: where is it", " look "] {
            assert_eq!(engine_form(same), None, "{same}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        assert_eq!(engine_form("put apple in fridge").as_deref(), Some("move apple to fridge"));
        assert_eq!(engine_form("Think: what now?").as_deref(), Some("think: what now?"));
    }
}
