//! The expert's own notes, written: lines that it can read again ([`super::notes`]), and that a person can read too.

use super::belief::Belief;
use super::goal::{Goal, Treatment};
use super::sentence::Sight;

/// Longest list of wanted things; the rest is in the blocks.
const WANTED: usize = 3;

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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::notes::{PLACES_HEADING, place_line, read};
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
