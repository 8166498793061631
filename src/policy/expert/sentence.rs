//! Reading the household's observations.

use super::goal::Treatment;

/// What a look at a place showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    Closed,
    Holds(Vec<String>),
}

/// An observation, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sentence {
    Room(Vec<String>),
    Arrived(String, Sight),
    Opened(String, Sight),
    Shown(String, Sight),
    Shut(String),
    Took { object: String, from: String },
    Moved { object: String, to: String },
    Treated { object: String, how: Treatment, at: String },
    Lit(String),
    Carrying(Option<String>),
    Nothing,
}

impl Sentence {
    /// Reads one line; `None` for anything that is not the household's.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        if line == "Nothing happens." {
            return Some(Self::Nothing);
        }
        if let Some(rest) = line.strip_prefix("You are in the middle of a room. Looking quickly around you, you see ") {
            return Some(Self::Room(names(rest.strip_suffix('.')?)));
        }
        if let Some(rest) = line.strip_prefix("You arrive at ") {
            let (place, rest) = rest.split_once(". ")?;
            return Some(Self::Arrived(place.into(), sight(rest)?.1));
        }
        if let Some(rest) = line.strip_prefix("You open the ") {
            let (place, rest) = rest.split_once(". ")?;
            return Some(Self::Opened(place.into(), sight(rest)?.1));
        }
        if let Some((place, sight)) = sight(line) {
            return Some(Self::Shown(place, sight));
        }
        let rest = line.strip_prefix("You ")?.strip_suffix('.')?;
        if let Some(place) = rest.strip_prefix("close the ") {
            return Some(Self::Shut(place.into()));
        }
        if let Some((object, from)) = rest.strip_prefix("pick up the ").and_then(|r| r.split_once(" from the ")) {
            return Some(Self::Took { object: object.into(), from: from.into() });
        }
        if let Some((object, to)) = rest.strip_prefix("move the ").and_then(|r| r.split_once(" to the ")) {
            return Some(Self::Moved { object: object.into(), to: to.into() });
        }
        if let Some(lamp) = rest.strip_prefix("turn on the ") {
            return Some(Self::Lit(lamp.into()));
        }
        if rest == "are not carrying anything" {
            return Some(Self::Carrying(None));
        }
        if let Some(object) = rest.strip_prefix("are carrying: a ") {
            return Some(Self::Carrying(Some(object.into())));
        }
        Treatment::ALL.into_iter().find_map(|how| {
            let (object, at) = rest.strip_prefix(how.verb())?.strip_prefix(" the ")?.split_once(" using the ")?;
            Some(Self::Treated { object: object.into(), how, at: at.into() })
        })
    }
}

fn sight(text: &str) -> Option<(String, Sight)> {
    if let Some(rest) = text.strip_prefix("On the ") {
        let (place, list) = rest.split_once(", you see ")?;
        return Some((place.into(), Sight::Holds(names(list.strip_suffix('.')?))));
    }
    let rest = text.strip_prefix("The ")?;
    if let Some(place) = rest.strip_suffix(" is closed.") {
        return Some((place.into(), Sight::Closed));
    }
    let (place, list) = rest.split_once(" is open. In it, you see ")?;
    Some((place.into(), Sight::Holds(names(list.strip_suffix('.')?))))
}

/// `a X, a Y, and a Z`; `nothing` is none.
fn names(list: &str) -> Vec<String> {
    let name = |item: &str| item.strip_prefix("and ").unwrap_or(item).strip_prefix("a ").map(str::to_owned);
    list.split(", ").filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_the_engine() {
        let holds = |names: &[&str]| Sight::Holds(names.iter().map(|n| (*n).to_owned()).collect());
        for (text, sentence) in [
            (
                "You arrive at shelf 1. On the shelf 1, you see a book 1, and a pen 2.",
                Sentence::Arrived("shelf 1".into(), holds(&["book 1", "pen 2"])),
            ),
            ("You arrive at safe 1. The safe 1 is closed.", Sentence::Arrived("safe 1".into(), Sight::Closed)),
            ("You open the safe 1. The safe 1 is open. In it, you see nothing.", Sentence::Opened("safe 1".into(), holds(&[]))),
            ("On the desk 1, you see a cd 1, a pen 1, and a mug 2.", Sentence::Shown("desk 1".into(), holds(&["cd 1", "pen 1", "mug 2"]))),
            ("You pick up the mug 2 from the desk 1.", Sentence::Took { object: "mug 2".into(), from: "desk 1".into() }),
            ("You move the mug 2 to the desk 1.", Sentence::Moved { object: "mug 2".into(), to: "desk 1".into() }),
            (
                "You heat the mug 2 using the microwave 1.",
                Sentence::Treated { object: "mug 2".into(), how: Treatment::Heat, at: "microwave 1".into() },
            ),
            ("You turn on the desklamp 1.", Sentence::Lit("desklamp 1".into())),
            ("You are carrying: a mug 2.", Sentence::Carrying(Some("mug 2".into()))),
            ("You are not carrying anything.", Sentence::Carrying(None)),
            ("Nothing happens.", Sentence::Nothing),
        ] {
            assert_eq!(Sentence::parse(text), Some(sentence), "{text}");
        }
        let room = "You are in the middle of a room. Looking quickly around you, you see a bed 1, and a desk 1.";
        assert_eq!(Sentence::parse(room), Some(Sentence::Room(vec!["bed 1".into(), "desk 1".into()])));
        for other in ["", "You", "You are facing the bed 1. Next to it, you see nothing.", "The end", "On the way"] {
            assert_eq!(Sentence::parse(other), None, "{other}");
        }
    }
}
