//! The expert's own notes, read back: its σ and its blocks of sights. Written by [`super::writing`].

use super::goal::Treatment;
use super::sentence::Sight;
use crate::memory::{Index, IndexedSummary};

/// Index of the room listing.
pub(super) const ROOM: &str = "room";
/// Indices of the sights, before their number.
pub(super) const PLACES: &str = "places_";
/// Indices of the messages word for word, before their number.
pub(super) const WALK: &str = "walk_";

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

/// Heads the lines of [`super::writing::places`]; a line in front of it would read as a place.
pub(super) const PLACES_HEADING: &str = "What I saw, place by place:";

/// Reads a line of [`super::writing::places`].
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
