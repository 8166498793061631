//! Names of things: the raw identifier, or the readable form `cabinet 3`.
//!
//! The cut of σ at 300 tokens bites only with raw names, so results of the two are never mixed.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

/// Under which names things are shown and called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Names {
    /// The identifiers of the game file, e.g. `cabinet_bar__minus_00_dot_33_bar_…`.
    Raw,
    /// Kind and number, e.g. `cabinet 3`.
    #[default]
    Readable,
}

impl Names {
    /// Its name in settings and flags.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Readable => "readable",
        }
    }
}

/// What a name is of, e.g. `cabinet`: for both forms of names.
#[must_use]
pub fn kind_of(name: &str) -> String {
    if let Some((kind, _)) = name.split_once("_bar_") {
        let basin = if name.contains("basin") { "basin" } else { "" };
        return format!("{kind}{basin}");
    }
    match name.rsplit_once(' ') {
        Some((kind, number)) if number.bytes().all(|b| b.is_ascii_digit()) => kind.to_owned(),
        _ => name.to_owned(),
    }
}

/// Readable names of identifiers: numbered downward in ascending order of the identifiers of a kind.
pub(super) fn readable<'a>(ids: impl Iterator<Item = &'a str>) -> HashMap<&'a str, String> {
    let ids: BTreeSet<&str> = ids.collect();
    let kind = |id: &str| id.contains("_bar_").then(|| kind_of(id));
    let mut left: HashMap<String, usize> = HashMap::new();
    for kind in ids.iter().filter_map(|id| kind(id)) {
        *left.entry(kind).or_default() += 1;
    }
    let mut names = HashMap::new();
    for id in ids {
        let name = match kind(id) {
            Some(kind) => {
                let number = left.get_mut(&kind).map_or(0, |n| std::mem::replace(n, n.saturating_sub(1)));
                format!("{kind} {number}")
            }
            // The engine leaves the number of such an identifier empty.
            None => format!("{id} "),
        };
        names.insert(id, name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_run_downward_and_basins_are_a_kind_of_their_own() {
        let ids = ["sink_bar_2", "sink_bar_1", "sink_bar_1_bar_sinkbasin", "agent1", "sink_bar_3"];
        let names = readable(ids.into_iter());
        assert_eq!(names["sink_bar_1"], "sink 3");
        assert_eq!(names["sink_bar_3"], "sink 1");
        assert_eq!(names["sink_bar_1_bar_sinkbasin"], "sinkbasin 1");
        assert_eq!(names["agent1"], "agent1 ");
    }

    #[test]
    fn kinds_of_both_forms() {
        for (name, kind) in
            [("cabinet 12", "cabinet"), ("mug_bar__plus_1", "mug"), ("sink_bar_1_bar_sinkbasin", "sinkbasin"), ("odd", "odd"), ("", "")]
        {
            assert_eq!(kind_of(name), kind);
        }
    }
}
