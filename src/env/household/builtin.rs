//! Built-in games: room plans in a small text form, made for this program.
//!
//! A plan names every receptacle with what is in it; what kinds of things can do (be heated, hold others) is
//! known here once for all plans. They play by exactly the rules of real game files.

use super::game::{Conditions, Game, GameError, Task};

/// A built-in game.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// What `builtin:NAME` calls it.
    pub name: &'static str,
    plan: &'static str,
}

macro_rules! builtins {
    ($($name:literal),* $(,)?) => {
        &[$(Builtin { name: $name, plan: include_str!(concat!("games/", $name, ".txt")) }),*]
    };
}

/// All built-in games; the first is the one that `builtin` alone means, and the demonstration.
pub const BUILTINS: &[Builtin] =
    builtins!["heat-potato", "cool-wine", "clean-ladle", "warm-mug", "two-candles", "two-remotes", "watch-in-safe", "book-by-lamp",];

/// Help text of the built-in games.
const HELP: &str = "Commands: look; inventory; go to R; open R; close R; take O from R; move O to R; examine R or O; \
use O; heat O with R; clean O with R; cool O with R; slice O with K. R is a place, O a thing, K a knife, each with its number.\n";

impl Builtin {
    /// The game with this name; `None` when there is none.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        BUILTINS.iter().find(|b| b.name == name)
    }

    /// One line on what makes it worth playing.
    #[must_use]
    pub fn about(&self) -> &'static str {
        self.field("about").unwrap_or_default()
    }

    /// The task sentence, without `Your task is to: `.
    #[must_use]
    pub fn task(&self) -> &'static str {
        self.field("task").unwrap_or_default()
    }

    fn field(&self, key: &str) -> Option<&'static str> {
        self.plan.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(':')).map(str::trim)
    }

    /// The text it is made from: its identity.
    #[must_use]
    pub fn source(&self) -> &'static str {
        self.plan
    }

    /// Reads its plan.
    ///
    /// # Errors
    /// [`GameError::Plan`] where the plan breaks its own rules.
    pub fn load(&self) -> Result<Game, GameError> {
        parse(self.plan)
    }
}

/// Reads a room plan.
///
/// Lines: `about: …`, `task: …`, `goal: TASK OBJECT PLACE`, `> COMMAND` (a walkthrough), and
/// `PLACE N [closed|open]: OBJECT N, OBJECT N` with numbers that run from 1; `#` starts a remark.
fn parse(plan: &str) -> Result<Game, GameError> {
    let fail = |line: usize, why: &str| GameError::Plan { line, why: why.to_owned() };
    let (mut goal, mut task, mut walkthrough) = (None, None, Vec::new());
    let mut facts: Vec<String> = vec!["atlocation agent1 loc_bar_start".to_owned()];
    for (n, line) in plan.lines().enumerate().map(|(n, l)| (n + 1, l.trim())) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(command) = line.strip_prefix("> ") {
            walkthrough.push(command.to_owned());
            continue;
        }
        let (key, value) = line.split_once(':').ok_or_else(|| fail(n, "a colon is missing"))?;
        let value = value.trim();
        match key {
            "about" => {}
            "task" => task = Some(format!("Your task is to: {value}")),
            "goal" => goal = Some(conditions(value).ok_or_else(|| fail(n, "a goal is `TASK OBJECT PLACE`"))?),
            place => {
                let (place, openable, opened) = match (place.strip_suffix(" closed"), place.strip_suffix(" open")) {
                    (Some(p), _) => (p, true, false),
                    (_, Some(p)) => (p, true, true),
                    _ => (place, false, false),
                };
                let r = id(place).ok_or_else(|| fail(n, "a place is a kind and a number"))?;
                let kind = super::naming::kind_of(place);
                let location = format!("loc_bar_{r}");
                facts.push(format!("receptacletype {r} {kind}type"));
                facts.push(format!("receptacleatlocation {r} {location}"));
                facts.extend(openable.then(|| format!("openable {r}")));
                facts.extend(opened.then(|| format!("opened {r}")));
                for object in value.split(',').map(str::trim).filter(|o| !o.is_empty()) {
                    let o = id(object).ok_or_else(|| fail(n, "a thing is a kind and a number"))?;
                    let kind = super::naming::kind_of(object);
                    facts.push(format!("objecttype {o} {kind}type"));
                    facts.push(format!("inreceptacle {o} {r}"));
                    facts.push(format!("objectatlocation {o} {location}"));
                    facts.extend(abilities(&kind).iter().map(|a| format!("{a} {o}")));
                    if kind_is(&kind, COLD_STORED) && place.starts_with("fridge") {
                        facts.push(format!("iscool {o}"));
                    }
                }
            }
        }
    }
    let kinds = |predicate: &str| {
        let mut kinds: Vec<String> =
            facts.iter().filter(|f| f.starts_with(predicate)).filter_map(|f| f.rsplit(' ').next()).map(str::to_owned).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    };
    let (places, things) = (kinds("receptacletype"), kinds("objecttype"));
    for place in &places {
        let held = things.iter().filter(|thing| holds(place.trim_end_matches("type"), thing.trim_end_matches("type")));
        facts.extend(held.map(|thing| format!("cancontain {place} {thing}")).collect::<Vec<_>>());
    }
    let goal = goal.ok_or_else(|| fail(0, "there is no goal"))?;
    let task = task.ok_or_else(|| fail(0, "there is no task"))?;
    let facts: Vec<Vec<&str>> = facts.iter().map(|f| f.split(' ').collect()).collect();
    Game::build(&facts, &goal, task, HELP.to_owned(), walkthrough)
}

fn conditions(text: &str) -> Option<Conditions> {
    let [task, object, place] = text.split_whitespace().collect::<Vec<_>>().try_into().ok()?;
    let task = match task {
        "place" => Task::Place,
        "two" => Task::PlaceTwo,
        "clean" => Task::Clean,
        "heat" => Task::Heat,
        "cool" => Task::Cool,
        "light" => Task::Light,
        _ => return None,
    };
    Some(Conditions { task, object: format!("{object}type"), place: format!("{place}type") })
}

/// An identifier in the manner of real ones, made so that the readable name of it is `name` again.
fn id(name: &str) -> Option<String> {
    let (kind, number) = name.rsplit_once(' ')?;
    let number: u32 = number.parse().ok().filter(|n| (1..=99).contains(n))?;
    // Real identifiers are coordinates; the engine numbers a kind downward in their order.
    let (x, y, z) = (99 - number, number * 37 % 100, number * 61 % 100);
    let basin = kind.strip_suffix("basin");
    let tail = basin.map(|_| format!("_bar_{kind}")).unwrap_or_default();
    Some(format!("{}_bar__plus_{x:02}_dot_{y:02}_bar__plus_00_dot_{z:02}_bar__minus_01_dot_{y:02}{tail}", basin.unwrap_or(kind)))
}

fn kind_is(kind: &str, list: &str) -> bool {
    list.split(' ').any(|k| k == kind)
}

const FIXED: &str = "desklamp floorlamp window painting television houseplant mirror";
const COLD_STORED: &str = "apple bread egg lettuce potato tomato mug cup plate bowl pan pot winebottle";
const WASHED: &str =
    "apple bowl butterknife cloth cup dishsponge egg fork kettle knife ladle lettuce mug pan plate pot potato soapbar spatula spoon tomato";
const HEATED: &str = "apple bread cup egg mug plate potato tomato";
const CUT: &str = "apple bread egg lettuce potato tomato";
const HOLLOW: &str = "bowl box cup mug pan plate pot";

fn abilities(kind: &str) -> Vec<&'static str> {
    let lamp = matches!(kind, "desklamp" | "floorlamp");
    [
        (!kind_is(kind, FIXED), "pickupable"),
        (kind_is(kind, WASHED), "cleanable"),
        (kind_is(kind, HEATED), "heatable"),
        (kind_is(kind, COLD_STORED), "coolable"),
        (kind_is(kind, CUT), "sliceable"),
        (kind_is(kind, HOLLOW), "isreceptacleobject"),
        (lamp, "toggleable"),
    ]
    .into_iter()
    .filter_map(|(is, name)| is.then_some(name))
    .collect()
}

/// Whether a kind of place takes a kind of thing. Surfaces and cupboards take everything; the rest has its use.
fn holds(place: &str, thing: &str) -> bool {
    match place {
        "microwave" => kind_is(thing, HEATED) || thing == "bowl",
        "fridge" => kind_is(thing, COLD_STORED),
        "coffeemachine" => thing == "mug",
        "stoveburner" => kind_is(thing, "pan pot kettle"),
        "toaster" | "tvstand" => false,
        "toiletpaperhanger" => thing == "toiletpaper",
        "towelholder" => thing == "towel",
        "handtowelholder" => thing == "handtowel",
        "sinkbasin" => kind_is(thing, WASHED),
        "bathtubbasin" => kind_is(thing, "cloth handtowel soapbar dishsponge"),
        "laundryhamper" => thing == "cloth",
        "bed" => kind_is(thing, "book cellphone laptop pillow teddybear baseballbat basketball"),
        "sofa" | "armchair" | "ottoman" => kind_is(thing, "book box cellphone creditcard keychain laptop newspaper pillow remotecontrol"),
        "safe" => kind_is(thing, "cd cellphone creditcard keychain statue vase watch"),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;
    use crate::env::household::engine::World;
    use crate::env::household::naming::Names;

    #[test]
    fn each_is_won_by_its_walkthrough_and_not_before() {
        for builtin in BUILTINS {
            let game = builtin.load().unwrap_or_else(|e| panic!("{}: {e}", builtin.name));
            assert!(!game.walkthrough().is_empty() && !builtin.about().is_empty() && !builtin.task().is_empty());
            let commands = game.walkthrough().to_vec();
            let mut world = World::new(Arc::new(game), Names::Readable);
            for (n, command) in commands.iter().enumerate() {
                let outcome = world.step(command);
                assert_ne!(outcome.text, "Nothing happens.", "{}: {command}", builtin.name);
                assert_eq!(outcome.done, n + 1 == commands.len(), "{}: {command}", builtin.name);
            }
        }
    }

    #[test]
    fn names_are_those_of_the_plan() {
        for builtin in BUILTINS {
            let world = World::new(Arc::new(builtin.load().unwrap()), Names::Readable);
            let room = world.room();
            let places = builtin.source().lines().filter(|l| !l.starts_with(['#', '>', ' ']));
            let mut count = 0;
            for line in places {
                let Some((place, _)) = line.split_once(':').filter(|(p, _)| !matches!(*p, "about" | "task" | "goal")) else { continue };
                let place = place.trim_end_matches(" closed").trim_end_matches(" open");
                assert!(room.contains(&format!("a {place},")) || room.ends_with(&format!("a {place}.")), "{}: {place}", builtin.name);
                count += 1;
            }
            assert_eq!(room.matches(" a ").count(), count + 1, "{}: a place twice, or a gap in the numbers", builtin.name);
            assert!((15..=30).contains(&count), "{}: {count} places", builtin.name);
        }
    }

    #[test]
    fn all_six_tasks_are_there_and_the_sentence_says_which() {
        let mut tasks = HashSet::new();
        for builtin in BUILTINS {
            let game = builtin.load().unwrap();
            tasks.insert(game.task());
            assert_eq!(game.task_sentence(), format!("Your task is to: {}", builtin.task()));
        }
        assert_eq!(tasks.len(), 6);
        assert_eq!(BUILTINS[0].name, "heat-potato");
        assert!(Builtin::find("two-candles").is_some() && Builtin::find("no").is_none());
    }

    #[test]
    fn a_broken_plan_names_its_line() {
        for (plan, said) in [
            ("task: x.\ngoal: heat potato", "line 2"),
            ("task: x.\nshelf: book 1", "line 2"),
            ("shelf 1: book", "line 1"),
            ("shelf 1", "line 1"),
            ("task: x.\nshelf 1: book 1", "no goal"),
            ("goal: heat a b\nshelf 1: book 1", "no task"),
        ] {
            let error = parse(plan).unwrap_err().to_string();
            assert!(error.contains(said), "{error} / {said}");
        }
    }
}
