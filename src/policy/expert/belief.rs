//! What the expert believes: a fold over M and nothing else.
//!
//! Newer messages of M win over older ones, and all of them over blocks read back, which tell of earlier times.

use std::collections::{BTreeMap, BTreeSet};

use super::goal::{Goal, Treatment};
use super::notes::{self, Notes};
use super::sentence::{Sentence, Sight};
use crate::env::household::{EXECUTE, LOOK_REFUSED, kind_of};
use crate::memory::tools::{COMPRESS, READ, same_tool};
use crate::memory::{Context, Index, Kind, Link, Message, ToolCall};

#[derive(Clone, Debug, Default)]
pub(super) struct Belief {
    pub(super) goal: Option<Goal>,
    /// Every place, once the room listing is in M.
    pub(super) room: Option<Vec<String>>,
    /// The listing stands in u or a message outside M_work: no compression can remove it.
    pub(super) room_is_fixed: bool,
    pub(super) looked: bool,
    pub(super) seen: BTreeMap<String, Sight>,
    /// Where the agent stands: all places known to be within reach.
    pub(super) here: BTreeSet<String>,
    pub(super) holding: Option<String>,
    pub(super) hand_known: bool,
    pub(super) treated: BTreeSet<(Treatment, String)>,
    /// Thing and the place it was put.
    pub(super) placed: BTreeMap<String, String>,
    pub(super) lit: BTreeSet<String>,
    /// Wanted things that the notes remember, and where.
    pub(super) remembered: BTreeMap<String, String>,
    /// Commands refused since the agent last got somewhere.
    pub(super) refused: BTreeSet<String>,
    /// Places that cannot be reached at all, or that do not take the thing.
    pub(super) useless: BTreeSet<String>,
    /// σ's map.
    pub(super) map: Vec<(Index, String)>,
    pub(super) has_summary: bool,
    /// Blocks in M.
    pub(super) read: BTreeSet<Index>,
    /// Reads asked for, whatever came of them.
    pub(super) asked: BTreeSet<String>,
    /// Stored indices, from the newest status.
    pub(super) stored: Vec<Index>,
    pub(super) working: u64,
    pub(super) threshold: u64,
    /// Actions since σ, or since the start.
    pub(super) acts: usize,
    /// Compressions that failed since σ.
    pub(super) failed_compressions: usize,
    /// The newest observation.
    pub(super) last: Option<Sentence>,
}

impl Belief {
    pub(super) fn of(context: &Context) -> Self {
        let mut belief = Self { hand_known: true, ..Self::default() };
        for message in context.head().iter().filter(|m| m.kind == Kind::Task) {
            belief.goal = Goal::parse(&message.text);
            for room in message.text.lines().filter_map(Sentence::parse) {
                if let Sentence::Room(places) = room {
                    belief.room = Some(places);
                    belief.room_is_fixed = true;
                }
            }
        }
        let mut calls: BTreeMap<&str, &ToolCall> = BTreeMap::new();
        let mut old = BTreeMap::new();
        for message in context.work() {
            match (&message.kind, &message.link) {
                (Kind::Call, Link::Call(call)) => {
                    calls.insert(&call.id, call);
                    if same_tool(&call.name, READ) {
                        belief.asked.extend(argument(call, "db_index").or_else(|| argument(call, "query")));
                    }
                }
                (Kind::Status, _) => belief.status(&message.text),
                (Kind::Summary, _) => belief.summary(&message.text),
                (Kind::Retrieved, link) => {
                    if let Link::Retrieved { index, .. } = link {
                        belief.read.insert(index.clone());
                    }
                    belief.retrieved(&message.text, &mut old);
                }
                (Kind::Observation, _) => belief.observed(message, &calls),
                _ => {}
            }
        }
        for (place, sight) in old {
            belief.seen.entry(place).or_insert(sight);
        }
        belief.forget_what_moved();
        belief
    }

    /// Wanted things that are not in the hand, with the places where they lie; known ones of M before remembered ones.
    pub(super) fn sightings(&self, kind: &str) -> Vec<(String, String)> {
        let in_view = self.seen.iter().flat_map(|(place, sight)| {
            let things = match sight {
                Sight::Holds(things) => things.as_slice(),
                Sight::Closed => &[],
            };
            things.iter().map(move |t| (t.clone(), place.clone()))
        });
        let mut list: Vec<_> = in_view.filter(|(t, _)| kind_of(t) == kind).collect();
        for (thing, place) in self.remembered.iter().chain(&self.placed) {
            if kind_of(thing) == kind && !list.iter().any(|(t, _)| t == thing) {
                list.push((thing.clone(), place.clone()));
            }
        }
        list.retain(|(thing, _)| self.holding.as_ref() != Some(thing));
        list
    }

    /// Every place that the agent has heard of.
    pub(super) fn places(&self) -> BTreeSet<&String> {
        self.room.iter().flatten().chain(self.seen.keys()).chain(&self.here).chain(self.placed.values()).collect()
    }

    fn status(&mut self, text: &str) {
        let number = |key: &str| {
            let rest = text.split_once(key)?.1;
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        self.working = number("working=").unwrap_or(self.working);
        self.threshold = number("threshold=").unwrap_or(self.threshold);
        let stored = text.lines().find_map(|l| l.strip_prefix("Stored indices: "));
        self.stored = stored.into_iter().flat_map(|s| s.split(", ")).filter_map(|i| Index::new(i).ok()).collect();
    }

    fn summary(&mut self, text: &str) {
        let Notes { map, standing, holding, treated, placed, wanted, lit, looked, useless } = notes::read(text);
        self.has_summary = true;
        // Blocks of another's making: the user compressed since these lines were written, and they may be out of date.
        let own = |i: &str| i == notes::ROOM || i.starts_with(notes::PLACES) || i.starts_with(notes::WALK);
        let current = map.iter().all(|(i, _)| own(i.as_str()));
        self.map = map;
        if current {
            self.here.extend(standing);
        }
        self.hand_known = current && holding.is_some();
        self.holding = holding.flatten();
        self.treated.extend(treated);
        self.placed.extend(placed);
        self.remembered.extend(wanted);
        self.lit.extend(lit);
        self.useless.extend(useless);
        self.looked |= looked;
        // A summary without blocks has the sights in itself.
        let mut sights = BTreeMap::new();
        self.retrieved(text, &mut sights);
        self.seen.extend(sights);
    }

    /// A block: the listing, notes of places, or old messages word for word.
    fn retrieved(&mut self, text: &str, old: &mut BTreeMap<String, Sight>) {
        for line in text.lines() {
            match Sentence::parse(line) {
                Some(Sentence::Room(places)) if !places.is_empty() => self.room = self.room.take().or(Some(places)),
                Some(sentence) => apply(&sentence, old),
                None => old.extend(notes::place_line(line)),
            }
        }
    }

    fn observed(&mut self, message: &Message, calls: &BTreeMap<&str, &ToolCall>) {
        let call = message.answers().and_then(|id| calls.get(&**id)).copied();
        if call.is_some_and(|c| same_tool(&c.name, COMPRESS)) {
            self.failed_compressions += 1;
            return;
        }
        let Some(action) = call.filter(|c| same_tool(&c.name, EXECUTE)).and_then(|c| argument(c, "action")) else { return };
        self.acts += 1;
        if action.trim() == "look" {
            self.looked = true;
        }
        let sentence = message.text.lines().filter(|l| !l.starts_with("[read as: ")).find_map(Sentence::parse);
        match &sentence {
            None => {
                if message.text.contains(LOOK_REFUSED) {
                    self.looked = true;
                }
            }
            Some(Sentence::Nothing) => self.refuse(&action),
            Some(Sentence::Room(places)) => {
                if !places.is_empty() {
                    self.room = Some(places.clone());
                }
            }
            Some(sentence) => self.witness(sentence),
        }
        self.last = sentence;
    }

    fn refuse(&mut self, action: &str) {
        self.refused.insert(action.to_owned());
        // Going to where one stands is refused too; only a place that cannot be examined either is out of reach.
        if let Some(place) = action.strip_prefix("examine ")
            && self.refused.contains(&format!("go to {place}"))
        {
            self.useless.insert(place.to_owned());
        }
        if let Some((_, place)) = action.strip_prefix("move ").and_then(|r| r.split_once(" to ")) {
            self.useless.insert(place.to_owned());
        }
        // What was believed to lie there does not.
        if let Some((thing, place)) = action.strip_prefix("take ").and_then(|r| r.split_once(" from ")) {
            self.remembered.remove(thing);
            if let Some(Sight::Holds(things)) = self.seen.get_mut(place) {
                things.retain(|t| t != thing);
            }
        }
    }

    fn witness(&mut self, sentence: &Sentence) {
        apply(sentence, &mut self.seen);
        match sentence {
            Sentence::Arrived(place, _) => {
                self.here = BTreeSet::from([place.clone()]);
                self.refused.clear();
            }
            Sentence::Opened(place, _) | Sentence::Shown(place, _) | Sentence::Shut(place) => {
                self.here.insert(place.clone());
            }
            Sentence::Took { object, from } => {
                self.here.insert(from.clone());
                self.hold(Some(object.clone()));
                self.placed.remove(object);
                self.remembered.remove(object);
            }
            Sentence::Moved { object, to } => {
                self.here.insert(to.clone());
                self.hold(None);
                self.placed.insert(object.clone(), to.clone());
            }
            Sentence::Treated { object, how, at } => {
                self.here.insert(at.clone());
                let undone = match how {
                    Treatment::Heat => Some(Treatment::Cool),
                    Treatment::Cool => Some(Treatment::Heat),
                    Treatment::Clean => None,
                };
                if let Some(undone) = undone {
                    self.treated.remove(&(undone, object.clone()));
                }
                self.treated.insert((*how, object.clone()));
            }
            Sentence::Lit(lamp) => {
                self.lit.insert(lamp.clone());
            }
            Sentence::Carrying(object) => self.hold(object.clone()),
            Sentence::Room(_) | Sentence::Nothing => {}
        }
    }

    fn hold(&mut self, object: Option<String>) {
        self.holding = object;
        self.hand_known = true;
    }

    /// Old sights show things where they no longer are.
    fn forget_what_moved(&mut self) {
        for (place, sight) in &mut self.seen {
            if let Sight::Holds(things) = sight {
                things.retain(|t| self.holding.as_ref() != Some(t) && self.placed.get(t).is_none_or(|p| p == place));
            }
        }
    }
}

/// What a sentence changes in the sights.
fn apply(sentence: &Sentence, sights: &mut BTreeMap<String, Sight>) {
    match sentence {
        Sentence::Arrived(place, sight) | Sentence::Opened(place, sight) | Sentence::Shown(place, sight) => {
            sights.insert(place.clone(), sight.clone());
        }
        Sentence::Shut(place) => {
            sights.insert(place.clone(), Sight::Closed);
        }
        Sentence::Took { object, from } => {
            if let Some(Sight::Holds(things)) = sights.get_mut(from) {
                things.retain(|t| t != object);
            }
        }
        Sentence::Moved { object, to } => {
            if let Some(Sight::Holds(things)) = sights.get_mut(to) {
                things.push(object.clone());
            }
        }
        _ => {}
    }
}

/// A text argument of a call.
fn argument(call: &ToolCall, name: &str) -> Option<String> {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
    arguments.get(name)?.as_str().map(str::to_owned)
}
