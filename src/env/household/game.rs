//! Reading a game file: from JSON with planning facts to tables that the engine can step over.
//!
//! Knows nothing of play. Input is hostile until read: whatever is missing is named, nothing panics.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Deserialize;

use super::naming::readable;

/// Why a game file cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// Not JSON, or a field is missing or of the wrong type.
    #[error("the game is not a game.tw-pddl file: {0}")]
    Json(#[from] serde_json::Error),
    /// Something the rules need is not in it.
    #[error("the game has no {0}")]
    Missing(&'static str),
    /// The goal is none of the six tasks.
    #[error("the goal of the game is none of the six household tasks: {0}")]
    Goal(String),
    /// A game of the built-in format breaks its own rules.
    #[error("line {line} of the room plan: {why}")]
    Plan {
        /// 1-based line; 0 for the plan as a whole.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

/// The six tasks of ALFWorld.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// Put an object in or on a receptacle.
    Place,
    /// Put two objects of a kind into the same receptacle.
    PlaceTwo,
    /// Clean, then put.
    Clean,
    /// Heat, then put.
    Heat,
    /// Cool, then put.
    Cool,
    /// Hold the object where a lit lamp is.
    Light,
}

impl Task {
    /// ALFWorld's name of the task.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Place => "pick_and_place_simple",
            Self::PlaceTwo => "pick_two_obj_and_place",
            Self::Clean => "pick_clean_then_place_in_recep",
            Self::Heat => "pick_heat_then_place_in_recep",
            Self::Cool => "pick_cool_then_place_in_recep",
            Self::Light => "look_at_obj_in_light",
        }
    }
}

/// What must be reached. Kinds are types of the planning domain, interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    pub(super) task: Task,
    /// Kind of the object.
    pub(super) object: Kind,
    /// Kind of the receptacle, or of the lamp.
    pub(super) place: Kind,
}

/// An interned type name.
pub(super) type Kind = usize;

/// What a receptacle can do to the object held before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Station {
    Sink,
    Microwave,
    Fridge,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Receptacle {
    pub(super) id: String,
    pub(super) readable: String,
    pub(super) kind: Option<Kind>,
    /// `None` for one that cannot be walked to.
    pub(super) location: Option<usize>,
    pub(super) openable: bool,
    pub(super) opened: bool,
    pub(super) station: Option<Station>,
    /// Objects in it at the start, ascending.
    pub(super) contents: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    pub(super) id: String,
    pub(super) readable: String,
    pub(super) kind: Option<Kind>,
    pub(super) pickupable: bool,
    pub(super) cleanable: bool,
    pub(super) heatable: bool,
    pub(super) coolable: bool,
    pub(super) toggleable: bool,
    pub(super) sliceable: bool,
    pub(super) knife: bool,
    pub(super) container: bool,
    /// Objects inside it, ascending; they cannot be reached.
    pub(super) inner: Vec<usize>,
    /// How it is at the start.
    pub(super) condition: Condition,
}

/// What was done to an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) clean: bool,
    pub(super) hot: bool,
    pub(super) cool: bool,
    pub(super) on: bool,
    pub(super) sliced: bool,
}

/// A game: rooms, things, goal, and the sentences that go with them. Immutable; a play starts from it.
#[derive(Clone, Debug)]
pub struct Game {
    /// Ascending by id; the engine lists them in this order.
    pub(super) receptacles: Vec<Receptacle>,
    /// Ascending by id.
    pub(super) objects: Vec<Object>,
    /// (kind of receptacle, kind of object) that go together.
    pub(super) can_contain: HashSet<(Kind, Kind)>,
    /// (object, location), also for what lies in no receptacle.
    pub(super) at: BTreeSet<(usize, usize)>,
    pub(super) start: usize,
    pub(super) goal: Goal,
    pub(super) task: String,
    pub(super) help: String,
    walkthrough: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    pddl_problem: String,
    grammar: String,
    #[serde(default)]
    walkthrough: Vec<String>,
}

impl Game {
    /// Reads a `game.tw-pddl` file.
    ///
    /// # Errors
    /// [`GameError`] names what is missing.
    pub fn parse(json: &str) -> Result<Self, GameError> {
        let file: File = serde_json::from_str(json)?;
        let problem = file.pddl_problem.to_ascii_lowercase();
        let init = problem.find("(:init").ok_or(GameError::Missing("(:init …) facts"))?;
        let goal = problem.find("(:goal").filter(|&g| g > init).ok_or(GameError::Missing("(:goal …)"))?;
        let facts: Vec<Vec<&str>> = groups(problem.get(init..goal).unwrap_or_default());
        let goal = Conditions::read(problem.get(goal..).unwrap_or_default())?;
        let task = task_sentence(&file.grammar).ok_or(GameError::Missing("sentence `Your task is to: …` in its grammar"))?;
        let help = help_text(&file.grammar).ok_or(GameError::Missing("help text in its grammar"))?;
        Self::build(&facts, &goal, task, help, file.walkthrough)
    }

    /// The task sentence, `Your task is to: …`.
    #[must_use]
    pub fn task_sentence(&self) -> &str {
        &self.task
    }

    /// Which of the six tasks it is.
    #[must_use]
    pub fn task(&self) -> Task {
        self.goal.task
    }

    /// The winning commands that came with the game, with readable names; may be empty.
    #[must_use]
    pub fn walkthrough(&self) -> &[String] {
        &self.walkthrough
    }

    pub(super) fn build(
        facts: &[Vec<&str>],
        goal: &Conditions,
        task: String,
        help: String,
        walkthrough: Vec<String>,
    ) -> Result<Self, GameError> {
        let mut kinds = Interned::default();
        let mut places = Interned::default();
        let facts: Vec<(&str, &[&str])> = facts
            .iter()
            .filter_map(|f| f.split_first())
            .filter(|(name, _)| !name.starts_with(':') && !matches!(**name, "total-cost" | "=" | "distance"))
            .map(|(name, arguments)| (*name, arguments))
            .collect();
        let names = readable(facts.iter().flat_map(|(_, arguments)| arguments.iter().copied()));
        let (mut receptacles, mut objects) = (Table::<Receptacle>::default(), Table::<Object>::default());
        // Rows first, in the order of their ids, so that every later fact finds its row.
        for (name, arguments) in &facts {
            match (*name, *arguments) {
                ("receptacletype" | "receptacleatlocation", [r, _]) => receptacles.note(r),
                ("inreceptacle", [o, r]) => {
                    objects.note(o);
                    receptacles.note(r);
                }
                ("objecttype" | "objectatlocation", [o, _]) => objects.note(o),
                ("inreceptacleobject", [inner, outer]) => {
                    objects.note(inner);
                    objects.note(outer);
                }
                _ => {}
            }
        }
        let name_of = |id: &str| names.get(id).cloned().unwrap_or_default();
        receptacles.seal(|id| Receptacle { id: id.into(), readable: name_of(id), ..Receptacle::default() });
        objects.seal(|id| Object { id: id.into(), readable: name_of(id), ..Object::default() });
        let mut start = None;
        let mut can_contain = HashSet::new();
        let mut at = BTreeSet::new();
        for (name, arguments) in &facts {
            match (*name, *arguments) {
                ("atlocation", [_, l]) if start.is_none() => start = Some(places.of(l)),
                ("receptacletype", [r, t]) => receptacles.set(r, |x| {
                    x.kind = Some(kinds.of(t));
                    x.station = match *t {
                        "sinkbasintype" | "sinktype" => Some(Station::Sink),
                        "microwavetype" => Some(Station::Microwave),
                        "fridgetype" => Some(Station::Fridge),
                        _ => None,
                    };
                }),
                ("receptacleatlocation", [r, l]) => receptacles.set(r, |x| x.location = Some(places.of(l))),
                ("objecttype", [o, t]) => objects.set(o, |x| {
                    x.kind = Some(kinds.of(t));
                    x.knife = matches!(*t, "knifetype" | "butterknifetype");
                }),
                ("cancontain", [r, o]) => {
                    can_contain.insert((kinds.of(r), kinds.of(o)));
                }
                ("objectatlocation", [o, l]) => {
                    if let Some(o) = objects.row(o) {
                        at.insert((o, places.of(l)));
                    }
                }
                ("inreceptacle", [o, r]) => {
                    if let Some(o) = objects.row(o) {
                        receptacles.set(r, |x| x.contents.push(o));
                    }
                }
                ("inreceptacleobject", [inner, outer]) => {
                    if let Some(inner) = objects.row(inner) {
                        objects.set(outer, |x| x.inner.push(inner));
                    }
                }
                ("openable", [r]) => receptacles.set(r, |x| x.openable = true),
                ("opened", [r]) => receptacles.set(r, |x| x.opened = true),
                ("pickupable", [o]) => objects.set(o, |x| x.pickupable = true),
                ("cleanable", [o]) => objects.set(o, |x| x.cleanable = true),
                ("heatable", [o]) => objects.set(o, |x| x.heatable = true),
                ("coolable", [o]) => objects.set(o, |x| x.coolable = true),
                ("toggleable", [o]) => objects.set(o, |x| x.toggleable = true),
                ("sliceable", [o]) => objects.set(o, |x| x.sliceable = true),
                ("isreceptacleobject", [o]) => objects.set(o, |x| x.container = true),
                ("isclean", [o]) => objects.set(o, |x| x.condition.clean = true),
                ("ishot", [o]) => objects.set(o, |x| x.condition.hot = true),
                ("iscool", [o]) => objects.set(o, |x| x.condition.cool = true),
                ("istoggled", [o]) => objects.set(o, |x| x.condition.on = true),
                ("issliced", [o]) => objects.set(o, |x| x.condition.sliced = true),
                _ => {}
            }
        }
        let goal = Goal { task: goal.task, object: kinds.of(&goal.object), place: kinds.of(&goal.place) };
        let (mut receptacles, mut objects) = (receptacles.rows, objects.rows);
        if receptacles.iter().all(|r| r.location.is_none()) {
            return Err(GameError::Missing("receptacle with a location"));
        }
        for list in receptacles.iter_mut().map(|r| &mut r.contents).chain(objects.iter_mut().map(|o| &mut o.inner)) {
            list.sort_unstable();
            list.dedup();
        }
        let start = start.ok_or(GameError::Missing("atLocation fact: where the agent starts"))?;
        Ok(Self { receptacles, objects, can_contain, at, start, goal, task, help, walkthrough })
    }
}

/// The goal before its kinds are interned.
pub(super) struct Conditions {
    pub(super) task: Task,
    pub(super) object: String,
    pub(super) place: String,
}

impl Conditions {
    /// Reads a lower-case `(:goal …)`.
    fn read(text: &str) -> Result<Self, GameError> {
        let groups = groups(text);
        let find = |predicate: &str, variable: &str| {
            groups.iter().find_map(|g| match g.as_slice() {
                [p, v, kind] if *p == predicate && *v == variable => Some((*kind).to_owned()),
                _ => None,
            })
        };
        let has = |predicate: &str| groups.iter().any(|g| g.first() == Some(&predicate));
        let object = |variable| find("objecttype", variable);
        let place = find("receptacletype", "?r");
        let found = if has("istoggled") {
            (Task::Light, object("?o"), object("?ot"))
        } else if let Some(first) = object("?o1") {
            (Task::PlaceTwo, Some(first), place)
        } else if has("isclean") {
            (Task::Clean, object("?o"), place)
        } else if has("ishot") {
            (Task::Heat, object("?o"), place)
        } else if has("iscool") {
            (Task::Cool, object("?o"), place)
        } else {
            (Task::Place, object("?o"), place)
        };
        match found {
            (task, Some(object), Some(place)) => Ok(Self { task, object, place }),
            _ => Err(GameError::Goal(text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect())),
        }
    }
}

/// The innermost parenthesised groups of a text, split at white space.
fn groups(text: &str) -> Vec<Vec<&str>> {
    let (mut list, mut open) = (Vec::new(), None);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open = Some(i + 1),
            b')' => {
                let group = open.take().and_then(|from| text.get(from..i)).map(|g| g.split_whitespace().collect::<Vec<_>>());
                list.extend(group.filter(|g| !g.is_empty()));
            }
            _ => {}
        }
    }
    list
}

/// The JSON string in the grammar that holds the task.
fn task_sentence(grammar: &str) -> Option<String> {
    let at = grammar.find("\"Your task is to: ")?;
    let rest = grammar.get(at..)?;
    let end = rest.get(1..)?.find('"')? + 2;
    serde_json::from_str(rest.get(..end)?).ok()
}

fn help_text(grammar: &str) -> Option<String> {
    let (_, action) = grammar.split_once("action help {")?;
    let (_, feedback) = action.split_once("feedback :: \"")?;
    let (text, _) = feedback.split_once("\";")?;
    Some(text.trim_start_matches('\n').to_owned())
}

#[derive(Default)]
struct Interned(HashMap<String, usize>);

impl Interned {
    fn of(&mut self, name: &str) -> usize {
        let next = self.0.len();
        match self.0.get(name) {
            Some(&n) => n,
            None => *self.0.entry(name.to_owned()).or_insert(next),
        }
    }
}

/// Rows by id. Ids are noted first; sealing numbers them in ascending order.
struct Table<T> {
    ids: BTreeMap<String, usize>,
    rows: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { ids: BTreeMap::new(), rows: Vec::new() }
    }
}

impl<T> Table<T> {
    fn note(&mut self, id: &str) {
        if !self.ids.contains_key(id) {
            self.ids.insert(id.to_owned(), 0);
        }
    }
    fn seal(&mut self, row: impl Fn(&str) -> T) {
        for (n, (id, slot)) in self.ids.iter_mut().enumerate() {
            *slot = n;
            self.rows.push(row(id));
        }
    }
    fn row(&self, id: &str) -> Option<usize> {
        self.ids.get(id).copied()
    }
    /// Changes a row, if there is one: facts about what is in no table say nothing that play could show.
    fn set(&mut self, id: &str, change: impl FnOnce(&mut T)) {
        if let Some(row) = self.row(id).and_then(|n| self.rows.get_mut(n)) {
            change(row);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PROBLEM: &str = "(define (:objects x - object) (:init (= (total-cost) 0) (atLocation agent1 loc_bar_1)
        (receptacleType Shelf_bar_1 ShelfType) (receptacleAtLocation Shelf_bar_1 loc_bar_2)
        (objectType Book_bar_1 BookType) (inReceptacle Book_bar_1 Shelf_bar_1) (pickupable Book_bar_1) (distance loc_bar_1 loc_bar_2 3))
        (:goal (and (exists (?r - receptacle) (exists (?o - object) (and (inReceptacle ?o ?r) (objectType ?o BookType) (receptacleType ?r DeskType)))))))";
    const GRAMMAR: &str = "\"task\": [{\"rhs\": \"Your task is to: put a book in desk.\"}] action help { template :: \"help\"; feedback :: \"\nAvailable\n\"; }";

    fn file(problem: &str, grammar: &str) -> String {
        serde_json::json!({"pddl_problem": problem, "grammar": grammar, "solvable": true}).to_string()
    }

    #[test]
    fn a_small_game() {
        let game = Game::parse(&file(PROBLEM, GRAMMAR)).unwrap();
        assert_eq!(game.task_sentence(), "Your task is to: put a book in desk.");
        assert_eq!((game.task(), game.help.as_str()), (Task::Place, "Available\n"));
        assert_eq!((game.receptacles.len(), game.objects.len()), (1, 1));
        assert_eq!((game.receptacles[0].readable.as_str(), game.objects[0].readable.as_str()), ("shelf 1", "book 1"));
        assert_eq!(game.receptacles[0].contents, [0]);
    }

    #[test]
    fn what_is_missing_is_named() {
        for (problem, grammar, said) in [
            ("", GRAMMAR, "(:init"),
            ("(:goal) (:init (a b))", GRAMMAR, "(:goal"),
            (&PROBLEM.replace("?o BookType", "?p BookType"), GRAMMAR, "six household tasks"),
            (&PROBLEM.replace("receptacleAtLocation", "x"), GRAMMAR, "receptacle with a location"),
            (&PROBLEM.replace("(atLocation agent1 loc_bar_1)", ""), GRAMMAR, "where the agent starts"),
            (PROBLEM, "", "task"),
            (PROBLEM, "\"Your task is to: x", "task"),
            (PROBLEM, "\"Your task is to: x\"", "help"),
        ] {
            let error = Game::parse(&file(problem, grammar)).unwrap_err().to_string();
            assert!(error.contains(said), "{error} / {said}");
        }
        for text in ["", "{", "[]", "{\"pddl_problem\": 3}", "{\"grammar\": \"\"}"] {
            assert!(matches!(Game::parse(text), Err(GameError::Json(_))));
        }
    }
}
