//! Where things are likely to lie.

use crate::env::household::kind_of;

const LIKELY: &str = include_str!("likely_places.txt");

/// What a place of a kind that is never named for a thing is worth, per thousand; and one that has a use of its own.
const HARDLY: f64 = 0.5;
const NEVER: f64 = 0.02;

/// How many things of kind `object` a place of kind `place` holds, per thousand.
fn chance(object: &str, place: &str) -> f64 {
    let row = LIKELY.lines().find_map(|l| l.strip_prefix(object)?.strip_prefix(": "));
    let entry = row.and_then(|row| row.split(", ").find_map(|e| e.strip_prefix(place)?.strip_prefix(' ')));
    let special = matches!(place, "stoveburner" | "toaster" | "coffeemachine" | "toiletpaperhanger" | "towelholder" | "handtowelholder");
    entry.and_then(|n| n.parse().ok()).unwrap_or(if special { NEVER } else { HARDLY })
}

/// Whether places of this kind are mostly closed; whether this one is shows only there.
pub(super) fn mostly_closed(kind: &str) -> bool {
    matches!(kind, "cabinet" | "drawer" | "fridge" | "microwave" | "safe")
}

/// How promising it is to look for `object` in `place`, at a cost of `steps`.
pub(super) fn promise(object: &str, place: &str, steps: u32) -> f64 {
    chance(object, &kind_of(place)) / f64::from(steps.max(1))
}

/// The number at the end of a name, for an order that a person would take.
pub(super) fn number(name: &str) -> u32 {
    name.rsplit_once(' ').and_then(|(_, n)| n.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likely_places_come_first() {
        assert!(promise("potato", "fridge 1", 2) > promise("potato", "cabinet 3", 2));
        assert!(promise("candle", "toilet 1", 1) > promise("candle", "toilet 1", 2));
        // A prefix of a kind is not that kind: `pen` and `pencil`, `bowl` and `bowling`.
        assert!(chance("pen", "desk") > 0.0 && chance("penc", "desk") == HARDLY);
        assert_eq!(chance("potato", "fri"), HARDLY);
        for line in LIKELY.lines().filter(|l| !l.starts_with('#')) {
            let (_, row) = line.split_once(": ").unwrap_or_default();
            assert!(
                !row.is_empty() && row.split(", ").all(|e| e.rsplit_once(' ').is_some_and(|(_, n)| n.parse::<u32>().is_ok())),
                "{line}"
            );
        }
    }
}
