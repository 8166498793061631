//! The expert's own σ: written in lines that it can read again, and that a person can read too.

use super::belief::Belief;
use super::goal::{Goal, Treatment};
use super::sentence::Sight;
use crate::memory::{Index, IndexedSummary};

/// Index of the room listing.
pub(super) const ROOM: &str = "room";
/// Indices of the sights, before their number.
pub(super) const PLACES: &str = "places_";
/// Indices of the messages word for word, before their number.
pub(super) const WALK: &str = "walk_";

/// Longest list of wanted things; the rest is in the blocks.
const WANTED: usize = 3;

/// What σ says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    pub(super) map: Vec<(Index, String)>,
    pub(super) standing: Vec<String>,
    /// `None` when it does not say, `Some(None)` for an empty hand.
    pub(super) holding: Option<Option<String>>,
    pub(super) treated: Vec<(Treatment, String)>,
    pub(super) placed: Vec<(String, String)>,
    pub(super) wanted: Vec<(String, String)>,
    pub(super) lit: Vec<String>,
    pub(super) looked: bool,
    pub(super) useless: Vec<String>,
}

/// Reads σ.
pub(super) fn read(text: &str) -> Notes {
    let mut notes = Notes { map: IndexedSummary::parse(text, |_| false).index_map.0, ..Notes::default() };
    let items = |rest: &str| rest.split("; ").map(str::to_owned).collect::<Vec<_>>();
    let pairs = |rest: &str| {
        let pair = |item: &str| item.split_once(" in ").map(|(a, b)| (a.to_owned(), b.to_owned()));
        rest.split("; ").filter_map(pair).collect::<Vec<_>>()
    };
    for line in text.lines() {
        let Some((key, rest)) = line.split_once(": ") else { continue };
        match key {
            "I stand at" => notes.standing = items(rest),
            "I hold" => notes.holding = Some((rest != "nothing").then(|| rest.to_owned())),
            "Placed" => notes.placed = pairs(rest),
            "Wanted and seen" => notes.wanted = pairs(rest),
            "Switched on" => notes.lit = items(rest),
            "Of no use" => notes.useless = items(rest),
            "I have looked around" => notes.looked = true,
            _ => {
                let how = Treatment::ALL.into_iter().find(|t| key.strip_prefix("Made ") == Some(t.result()));
                notes.treated.extend(how.into_iter().flat_map(|how| items(rest).into_iter().map(move |o| (how, o))));
            }
        }
    }
    notes
}

/// The status lines of σ: what is done, what is at hand, what comes next.
pub(super) fn status(belief: &Belief, next: &str) -> String {
    let mut text = String::new();
    let mut line = |key: &str, value: String| {
        if !value.is_empty() {
            text.push_str(&format!("{key}: {value}\n"));
        }
    };
    line("I hold", belief.holding.clone().unwrap_or_else(|| "nothing".into()));
    line("I stand at", belief.here.iter().cloned().collect::<Vec<_>>().join("; "));
    for how in Treatment::ALL {
        let things: Vec<_> = belief.treated.iter().filter(|(h, _)| *h == how).map(|(_, o)| o.clone()).collect();
        line(&format!("Made {}", how.result()), things.join("; "));
    }
    let pairs = |list: Vec<(String, String)>| list.iter().map(|(a, b)| format!("{a} in {b}")).collect::<Vec<_>>().join("; ");
    line("Placed", pairs(belief.placed.clone().into_iter().collect()));
    line("Wanted and seen", pairs(wanted(belief)));
    line("Switched on", belief.lit.iter().cloned().collect::<Vec<_>>().join("; "));
    line("Of no use", belief.useless.iter().take(WANTED).cloned().collect::<Vec<_>>().join("; "));
    if belief.looked {
        line("I have looked around", "it works only once".into());
    }
    line("Next", next.to_owned());
    text
}

fn wanted(belief: &Belief) -> Vec<(String, String)> {
    let Some(goal) = &belief.goal else { return Vec::new() };
    let mut list = belief.sightings(goal.object());
    list.truncate(WANTED);
    if let Goal::Light { lamp, .. } = goal {
        list.extend(belief.sightings(lamp).into_iter().take(1));
    }
    list.retain(|(thing, _)| !belief.placed.contains_key(thing));
    list
}

/// A block of sights: one line a place.
pub(super) fn places(belief: &Belief) -> String {
    let line = |(place, sight): (&String, &Sight)| match sight {
        Sight::Closed => format!("{place}: closed, not opened"),
        Sight::Holds(things) if things.is_empty() => format!("{place}: nothing"),
        Sight::Holds(things) => format!("{place}: {}", things.join(", ")),
    };
    belief.seen.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Heads the lines of [`places`]; a line in front of it would read as a place.
pub(super) const PLACES_HEADING: &str = "What I saw, place by place:";

/// Reads a line of [`places`].
pub(super) fn place_line(line: &str) -> Option<(String, Sight)> {
    let (place, rest) = line.split_once(": ")?;
    // A place and a number, or a raw name: sentences of other messages are none.
    let is_name = |name: &str| {
        let numbered =
            name.rsplit_once(' ').is_some_and(|(kind, n)| !kind.contains(' ') && n.bytes().all(|b| b.is_ascii_digit()) && !n.is_empty());
        numbered || (name.contains("_bar_") && !name.contains(' '))
    };
    if !is_name(place) {
        return None;
    }
    match rest {
        "closed, not opened" => Some((place.into(), Sight::Closed)),
        "nothing" => Some((place.into(), Sight::Holds(Vec::new()))),
        things => {
            let things: Vec<String> = things.split(", ").map(str::to_owned).collect();
            things.iter().all(|t| is_name(t)).then(|| (place.into(), Sight::Holds(things)))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut belief = Belief { goal: Goal::parse("Your task is to: put two candle in toilet."), looked: true, ..Belief::default() };
        belief.here.extend(["toilet 1".to_owned(), "shelf 1".to_owned()]);
        belief.holding = Some("candle 2".into());
        belief.treated.insert((Treatment::Heat, "mug 1".into()));
        belief.placed.insert("candle 1".into(), "toilet 1".into());
        belief.remembered.insert("candle 3".into(), "drawer 2".into());
        belief.lit.insert("desklamp 1".into());
        belief.useless.insert("drawer 9".into());
        let text = format!("{}- room - all places\n- places_1 - what I saw", status(&belief, "put it on the toilet"));
        let notes = read(&text);
        assert_eq!(notes.standing, ["shelf 1", "toilet 1"]);
        assert_eq!(notes.holding, Some(Some("candle 2".into())));
        assert_eq!(notes.treated, [(Treatment::Heat, "mug 1".into())]);
        assert_eq!(notes.placed, [("candle 1".into(), "toilet 1".into())]);
        assert_eq!(notes.wanted, [("candle 3".into(), "drawer 2".into())]);
        assert_eq!((notes.lit, notes.useless, notes.looked), (vec!["desklamp 1".into()], vec!["drawer 9".into()], true));
        assert_eq!(notes.map.iter().map(|(i, _)| i.as_str()).collect::<Vec<_>>(), ["room", "places_1"]);
        belief.holding = None;
        assert_eq!(read(&status(&belief, "go on")).holding, Some(None));
        assert_eq!(read("Hello.").holding, None);
    }

    #[test]
    fn sights_are_read_again_and_prose_is_not() {
        let mut belief = Belief::default();
        belief.seen.insert("drawer 1".into(), Sight::Closed);
        belief.seen.insert("shelf 2".into(), Sight::Holds(vec!["book 1".into(), "pen 2".into()]));
        belief.seen.insert("toaster 1".into(), Sight::Holds(Vec::new()));
        let text = places(&belief);
        let back: std::collections::BTreeMap<_, _> = text.lines().map(|l| place_line(l).unwrap()).collect();
        assert_eq!(back, belief.seen);
        for prose in [PLACES_HEADING, "Next: go to drawer 1", "I hold: mug 1", "drawer 1: I do not know", "Made hot: mug 1", "no"] {
            assert_eq!(place_line(prose), None, "{prose}");
        }
    }
}
