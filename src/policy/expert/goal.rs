//! What the task sentence asks for.

/// What must be done to the thing before it is put down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Treatment {
    Clean,
    Heat,
    Cool,
}

impl Treatment {
    pub(super) const ALL: [Self; 3] = [Self::Clean, Self::Heat, Self::Cool];

    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Heat => "heat",
            Self::Cool => "cool",
        }
    }
    /// How the thing is afterwards.
    pub(super) fn result(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Heat => "hot",
            Self::Cool => "cool",
        }
    }
    /// The kind of place that does it.
    pub(super) fn station(self) -> &'static str {
        match self {
            Self::Clean => "sinkbasin",
            Self::Heat => "microwave",
            Self::Cool => "fridge",
        }
    }
}

/// The task, in kinds of things and places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Put { object: String, place: String, count: usize, treatment: Option<Treatment> },
    Light { object: String, lamp: String },
}

impl Goal {
    pub(super) fn object(&self) -> &str {
        match self {
            Self::Put { object, .. } | Self::Light { object, .. } => object,
        }
    }

    /// Reads the task message.
    pub(super) fn parse(task: &str) -> Option<Self> {
        let (_, rest) = task.split_once("Your task is to: ")?;
        let sentence = rest.lines().next()?.trim().trim_end_matches('.').to_lowercase();
        let words: Vec<&str> = sentence.split_whitespace().collect();
        if let ["examine", "the", object, "with", "the", lamp] | ["look", "at", object, "under", "the", lamp] = words.as_slice() {
            return Some(Self::Light { object: (*object).into(), lamp: (*lamp).into() });
        }
        let [asked @ .., "in" | "on", place] = words.as_slice() else { return None };
        let (object, count, treatment) = match asked {
            ["put", "two", object] | ["find", "two", object, "and", "put", "them"] => (object, 2, None),
            ["put", "a" | "some", "clean", object] | ["clean", "some", object, "and", "put", "it"] => (object, 1, Some(Treatment::Clean)),
            ["put", "a" | "some", "hot", object] | ["heat", "some", object, "and", "put", "it"] => (object, 1, Some(Treatment::Heat)),
            ["put", "a" | "some", "cool", object] | ["cool", "some", object, "and", "put", "it"] => (object, 1, Some(Treatment::Cool)),
            ["put", "a" | "some", object] => (object, 1, None),
            _ => return None,
        };
        Some(Self::Put { object: (*object).into(), place: (*place).into(), count, treatment })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(object: &str, place: &str, count: usize, treatment: Option<Treatment>) -> Option<Goal> {
        Some(Goal::Put { object: object.into(), place: place.into(), count, treatment })
    }

    #[test]
    fn every_wording_of_the_games() {
        let light = |o: &str, l: &str| Some(Goal::Light { object: o.into(), lamp: l.into() });
        for (text, goal) in [
            ("put a watch in safe.", put("watch", "safe", 1, None)),
            ("put some vase on sidetable.", put("vase", "sidetable", 1, None)),
            ("put two candle in toilet.", put("candle", "toilet", 2, None)),
            ("find two cd and put them in safe.", put("cd", "safe", 2, None)),
            ("clean some bowl and put it in shelf.", put("bowl", "shelf", 1, Some(Treatment::Clean))),
            ("put a clean bowl in shelf.", put("bowl", "shelf", 1, Some(Treatment::Clean))),
            ("heat some egg and put it in countertop.", put("egg", "countertop", 1, Some(Treatment::Heat))),
            ("put a hot egg in countertop.", put("egg", "countertop", 1, Some(Treatment::Heat))),
            ("cool some pan and put it in stoveburner.", put("pan", "stoveburner", 1, Some(Treatment::Cool))),
            ("put a cool pan in stoveburner.", put("pan", "stoveburner", 1, Some(Treatment::Cool))),
            ("examine the book with the desklamp.", light("book", "desklamp")),
            ("look at book under the floorlamp.", light("book", "floorlamp")),
            ("make some coffee.", None),
        ] {
            assert_eq!(Goal::parse(&format!("Your task is to: {text}")), goal, "{text}");
            assert_eq!(Goal::parse(&format!("Welcome\n\nYour task is to: {text}\n\nPossible now: look")), goal, "{text}");
        }
        assert_eq!(Goal::parse("put a watch in safe."), None);
    }
}
