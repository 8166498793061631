//! The rules of the household: a play of a [`Game`], command by command.
//!
//! Texts and conditions are the interface of ALFWorld's text engine, word for word. Knows nothing of agents, memory
//! or the harder mode.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::game::{Condition, Game, Object, Receptacle, Station, Task};
use super::naming::Names;

/// What a command that is not possible gets.
pub const NOTHING_HAPPENS: &str = "Nothing happens.";

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The observation.
    pub text: String,
    /// Whether take, move, open, close, use, clean, heat, cool or slice was carried out.
    pub state_changed: bool,
    /// 1 while the goal is met, else 0: it follows the present state and can fall back.
    pub score: u32,
    /// Whether the goal is met. Play may go on.
    pub done: bool,
}

/// A command that is possible in the present state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Look,
    Inventory,
    Help,
    Go(usize),
    Open(usize),
    Close(usize),
    ExamineReceptacle(usize),
    ExamineObject(usize),
    Take(usize, usize),
    Move(usize, usize),
    Clean(usize, usize),
    Heat(usize, usize),
    Cool(usize, usize),
    Use(usize),
    Slice(usize, usize),
}

/// What changes in play.
#[derive(Clone, Debug)]
struct State {
    location: usize,
    held: Option<usize>,
    opened: Vec<bool>,
    /// Per receptacle, ascending. An object can start in two receptacles at once.
    contents: Vec<Vec<usize>>,
    conditions: Vec<Condition>,
    /// (object, location).
    at: BTreeSet<(usize, usize)>,
    /// (object, receptacle) that were taken apart and not put together again: `look` shows them as lying beside.
    parted: BTreeSet<(usize, usize)>,
}

impl State {
    fn of(game: &Game) -> Self {
        Self {
            location: game.start,
            held: None,
            opened: game.receptacles.iter().map(|r| r.opened).collect(),
            contents: game.receptacles.iter().map(|r| r.contents.clone()).collect(),
            conditions: game.objects.iter().map(|o| o.condition).collect(),
            at: game.at.clone(),
            parted: BTreeSet::new(),
        }
    }
}

/// A play of a game.
#[derive(Clone, Debug)]
pub struct World {
    game: Arc<Game>,
    names: Names,
    receptacle_names: HashMap<String, usize>,
    object_names: HashMap<String, usize>,
    state: State,
}

impl World {
    /// A play at its start.
    #[must_use]
    pub fn new(game: Arc<Game>, names: Names) -> Self {
        let receptacle = |(n, r): (usize, &Receptacle)| (pick(names, &r.id, &r.readable).to_owned(), n);
        let object = |(n, o): (usize, &Object)| (pick(names, &o.id, &o.readable).to_owned(), n);
        Self {
            receptacle_names: game.receptacles.iter().enumerate().map(receptacle).collect(),
            object_names: game.objects.iter().enumerate().map(object).collect(),
            state: State::of(&game),
            names,
            game,
        }
    }

    /// Back to the start.
    pub fn reset(&mut self) {
        self.state = State::of(&self.game);
    }

    /// The game that is played.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The room listing of the initial observation, one sentence.
    #[must_use]
    pub fn room(&self) -> String {
        let listed = self.game.receptacles.iter().filter(|r| r.location.is_some());
        let names = listed.map(|r| pick(self.names, &r.id, &r.readable));
        format!("You are in the middle of a room. Looking quickly around you, you see {}.", list(names, "a "))
    }

    /// The initial observation: welcome, room listing, task.
    #[must_use]
    pub fn intro(&self) -> String {
        format!("-= Welcome to TextWorld, ALFRED! =-\n\n{}\n\n{}", self.room(), self.game.task)
    }

    /// Every command that is possible now, sorted.
    #[must_use]
    pub fn admissible(&self) -> Vec<String> {
        let mut commands: Vec<String> = Vec::with_capacity(self.game.receptacles.len() + 16);
        commands.extend(["help", "inventory", "look"].map(str::to_owned));
        for (r, receptacle) in self.game.receptacles.iter().enumerate() {
            let name = self.receptacle_name(r);
            if receptacle.location.is_none() {
                continue;
            }
            if receptacle.location != Some(self.state.location) {
                commands.push(["go to ", name].concat());
                continue;
            }
            commands.push(["examine ", name].concat());
            if receptacle.openable {
                commands.push([if self.is_open(r) { "close " } else { "open " }, name].concat());
            }
            for &o in self.contents(r) {
                if self.can_take(o, r) {
                    commands.push(["take ", self.object_name(o), " from ", name].concat());
                }
                if self.object(o).is_some_and(|o| o.toggleable) {
                    commands.push(["use ", self.object_name(o)].concat());
                }
            }
            let Some(held) = self.state.held else { continue };
            let object = self.object_name(held);
            if self.can_move(held, r) {
                commands.push(["move ", object, " to ", name].concat());
            }
            for (verb, station) in [("clean ", Station::Sink), ("heat ", Station::Microwave), ("cool ", Station::Fridge)] {
                if self.can_treat(held, r, station) {
                    commands.push([verb, object, " with ", name].concat());
                }
            }
        }
        if let Some(held) = self.state.held {
            let knife = self.object_name(held);
            commands.push(["examine ", knife].concat());
            for &(o, _) in self.state.at.iter().filter(|_| self.object(held).is_some_and(|h| h.knife)) {
                if self.can_slice(o, held) {
                    commands.push(["slice ", self.object_name(o), " with ", knife].concat());
                }
            }
        }
        commands.sort_unstable();
        commands.dedup();
        commands
    }

    /// Runs one command, exactly as written but for white space around it.
    pub fn step(&mut self, command: &str) -> Outcome {
        let Some(action) = self.understand(command.trim()) else {
            return self.outcome(NOTHING_HAPPENS.to_owned(), false);
        };
        let text = self.perform(action);
        let passive = matches!(
            action,
            Action::Look | Action::Inventory | Action::Help | Action::Go(_) | Action::ExamineReceptacle(_) | Action::ExamineObject(_)
        );
        self.outcome(text, !passive)
    }

    /// Whether the goal is met now.
    #[must_use]
    pub fn won(&self) -> bool {
        let goal = self.game.goal;
        if goal.task == Task::Light {
            let holds = self.state.held.and_then(|o| self.object(o)).is_some_and(|o| o.kind == Some(goal.object));
            return holds && self.here().any(|r| self.contents(r).iter().any(|&o| self.is_lit(o, goal.place)));
        }
        let needed = if goal.task == Task::PlaceTwo { 2 } else { 1 };
        self.game
            .receptacles
            .iter()
            .zip(&self.state.contents)
            .filter(|(r, _)| r.kind == Some(goal.place))
            .any(|(_, contents)| contents.iter().filter(|&&o| self.counts(o)).take(needed).count() == needed)
    }

    fn outcome(&self, text: String, state_changed: bool) -> Outcome {
        let done = self.won();
        Outcome { text, state_changed, score: u32::from(done), done }
    }

    fn is_lit(&self, o: usize, lamp: usize) -> bool {
        self.object(o).is_some_and(|x| x.kind == Some(lamp) && x.toggleable) && self.condition(o).on
    }

    /// Whether an object in the right receptacle counts for the goal.
    fn counts(&self, o: usize) -> bool {
        let (Some(object), condition, goal) = (self.object(o), self.condition(o), self.game.goal) else { return false };
        object.kind == Some(goal.object)
            && match goal.task {
                Task::Clean => object.cleanable && condition.clean,
                Task::Heat => object.heatable && condition.hot,
                Task::Cool => object.coolable && condition.cool,
                Task::Place | Task::PlaceTwo | Task::Light => true,
            }
    }

    fn understand(&self, command: &str) -> Option<Action> {
        match command {
            "look" => return Some(Action::Look),
            "inventory" => return Some(Action::Inventory),
            "help" => return Some(Action::Help),
            _ => {}
        }
        let verb = command.split(' ').next()?;
        let rest = command.get(verb.len() + 1..)?;
        let object = |name: &str| self.object_names.get(name).copied();
        let here = |name: &str| self.receptacle_names.get(name).copied().filter(|&r| self.is_here(r));
        let openable = |r: &usize| self.receptacle(*r).is_some_and(|x| x.openable);
        let treat = |station: Station| {
            let (o, r) = rest.split_once(" with ")?;
            let (o, r) = (object(o)?, here(r)?);
            (self.state.held == Some(o) && self.can_treat(o, r, station)).then_some((o, r))
        };
        match verb {
            "go" => {
                let r = self.receptacle_names.get(rest.strip_prefix("to ")?).copied()?;
                let location = self.receptacle(r)?.location?;
                (location != self.state.location).then_some(Action::Go(r))
            }
            "open" => here(rest).filter(openable).filter(|&r| !self.is_open(r)).map(Action::Open),
            "close" => here(rest).filter(openable).filter(|&r| self.is_open(r)).map(Action::Close),
            "examine" => {
                let held = || object(rest).filter(|&o| self.state.held == Some(o));
                here(rest).map(Action::ExamineReceptacle).or_else(|| held().map(Action::ExamineObject))
            }
            "take" => {
                let (o, r) = rest.split_once(" from ")?;
                let (o, r) = (object(o)?, here(r)?);
                (self.contents(r).contains(&o) && self.can_take(o, r)).then_some(Action::Take(o, r))
            }
            "move" => {
                let (o, r) = rest.split_once(" to ")?;
                let (o, r) = (object(o)?, here(r)?);
                (self.state.held == Some(o) && self.can_move(o, r)).then_some(Action::Move(o, r))
            }
            "clean" => treat(Station::Sink).map(|(o, r)| Action::Clean(o, r)),
            "heat" => treat(Station::Microwave).map(|(o, r)| Action::Heat(o, r)),
            "cool" => treat(Station::Fridge).map(|(o, r)| Action::Cool(o, r)),
            "use" => {
                let o = object(rest).filter(|&o| self.object(o).is_some_and(|x| x.toggleable))?;
                self.here().any(|r| self.contents(r).contains(&o)).then_some(Action::Use(o))
            }
            "slice" => {
                let (o, knife) = rest.split_once(" with ")?;
                let (o, knife) = (object(o)?, object(knife)?);
                (self.state.held == Some(knife) && self.can_slice(o, knife)).then_some(Action::Slice(o, knife))
            }
            _ => None,
        }
    }

    fn perform(&mut self, action: Action) -> String {
        match action {
            Action::Look => self.look(),
            Action::Inventory => match self.state.held {
                Some(o) => format!("You are carrying: a {}.", self.object_name(o)),
                None => "You are not carrying anything.".to_owned(),
            },
            Action::Help => self.game.help.clone(),
            Action::Go(r) => {
                if let Some(location) = self.receptacle(r).and_then(|r| r.location) {
                    self.state.location = location;
                }
                format!("You arrive at {}. {}", self.receptacle_name(r), self.show(r))
            }
            Action::Open(r) => {
                self.set_open(r, true);
                format!("You open the {}. {}", self.receptacle_name(r), self.show(r))
            }
            Action::Close(r) => {
                self.set_open(r, false);
                format!("You close the {}.", self.receptacle_name(r))
            }
            Action::ExamineReceptacle(r) => self.show(r),
            Action::ExamineObject(o) => self.show_object(o),
            Action::Take(o, r) => {
                if let Some(contents) = self.state.contents.get_mut(r) {
                    contents.retain(|&x| x != o);
                }
                self.state.parted.insert((o, r));
                self.state.at.remove(&(o, self.state.location));
                self.state.held = Some(o);
                format!("You pick up the {} from the {}.", self.object_name(o), self.receptacle_name(r))
            }
            Action::Move(o, r) => {
                if let Some(contents) = self.state.contents.get_mut(r)
                    && let Err(at) = contents.binary_search(&o)
                {
                    contents.insert(at, o);
                }
                self.state.parted.remove(&(o, r));
                self.state.at.insert((o, self.state.location));
                self.state.held = None;
                format!("You move the {} to the {}.", self.object_name(o), self.receptacle_name(r))
            }
            Action::Clean(o, r) => self.treat(o, r, "clean", |c| c.clean = true),
            Action::Heat(o, r) => self.treat(o, r, "heat", |c| (c.hot, c.cool) = (true, false)),
            Action::Cool(o, r) => self.treat(o, r, "cool", |c| (c.cool, c.hot) = (true, false)),
            Action::Use(o) => {
                self.change(o, |c| c.on = true);
                format!("You turn on the {}.", self.object_name(o))
            }
            Action::Slice(o, knife) => {
                self.change(o, |c| c.sliced = true);
                format!("You sliced the {} with the {}.", self.object_name(o), self.object_name(knife))
            }
        }
    }

    fn treat(&mut self, o: usize, r: usize, verb: &str, change: impl FnOnce(&mut Condition)) -> String {
        self.change(o, change);
        format!("You {verb} the {} using the {}.", self.object_name(o), self.receptacle_name(r))
    }

    fn change(&mut self, o: usize, change: impl FnOnce(&mut Condition)) {
        if let Some(condition) = self.state.conditions.get_mut(o) {
            change(condition);
        }
    }

    fn set_open(&mut self, r: usize, open: bool) {
        if let Some(slot) = self.state.opened.get_mut(r) {
            *slot = open;
        }
    }

    /// What a receptacle looks like.
    fn show(&self, r: usize) -> String {
        let name = self.receptacle_name(r);
        let contents = || list(self.contents(r).iter().map(|&o| self.object_name(o)), "a ");
        match self.receptacle(r) {
            Some(x) if x.openable && self.is_open(r) => format!("The {name} is open. In it, you see {}.", contents()),
            Some(x) if x.openable => format!("The {name} is closed."),
            _ => format!("On the {name}, you see {}.", contents()),
        }
    }

    /// What the object in hand looks like. The engine has a sentence for a lamp that is off, but nothing that makes it true.
    fn show_object(&self, o: usize) -> String {
        let name = self.object_name(o);
        let Some(object) = self.object(o) else { return NOTHING_HAPPENS.to_owned() };
        if object.container {
            let inner = list(object.inner.iter().map(|&i| self.object_name(i)), "a ");
            return format!("This is a normal {name}. In it, you see {inner}.");
        }
        let Condition { clean, hot, cool, on, sliced } = self.condition(o);
        match (clean, hot, cool, sliced) {
            (true, true, _, true) => format!("This is a hot and clean sliced {name}."),
            (true, _, true, true) => format!("This is a cool and clean sliced {name}."),
            (true, _, _, true) => format!("This is a clean sliced {name}."),
            (_, true, _, true) => format!("This is a hot sliced {name}."),
            (_, _, true, true) => format!("This is a cool sliced {name}."),
            (true, true, _, _) => format!("This is a hot and clean {name}."),
            (true, _, true, _) => format!("This is a cool and clean {name}."),
            (_, true, _, _) => format!("This is a hot {name}."),
            (true, ..) => format!("This is a clean {name}."),
            (_, _, true, _) => format!("This is a cold {name}."),
            _ if object.toggleable && on => format!("This {name} is on."),
            _ if object.sliceable && sliced => format!("This is a sliced {name}."),
            _ => format!("There's nothing special about {name}."),
        }
    }

    fn look(&self) -> String {
        let here: Vec<usize> = self.here().collect();
        if here.is_empty() {
            return "You are in the middle of a room. Looking quickly around you, you see nothing.".to_owned();
        }
        let beside = self.state.at.iter().filter(|&&(_, l)| l == self.state.location).flat_map(|&(o, _)| {
            let times = here.iter().filter(|&&r| self.state.parted.contains(&(o, r))).count();
            std::iter::repeat_n(self.object_name(o), times)
        });
        let facing = list(here.iter().map(|&r| self.receptacle_name(r)), "");
        format!("You are facing the {facing}. Next to it, you see {}.", list(beside, "a "))
    }

    fn receptacle(&self, r: usize) -> Option<&Receptacle> {
        self.game.receptacles.get(r)
    }
    fn object(&self, o: usize) -> Option<&Object> {
        self.game.objects.get(o)
    }
    fn receptacle_name(&self, r: usize) -> &str {
        self.receptacle(r).map_or("", |x| pick(self.names, &x.id, &x.readable))
    }
    fn object_name(&self, o: usize) -> &str {
        self.object(o).map_or("", |x| pick(self.names, &x.id, &x.readable))
    }
    fn condition(&self, o: usize) -> Condition {
        self.state.conditions.get(o).copied().unwrap_or_default()
    }
    fn contents(&self, r: usize) -> &[usize] {
        self.state.contents.get(r).map_or(&[], Vec::as_slice)
    }
    fn is_open(&self, r: usize) -> bool {
        self.state.opened.get(r).copied().unwrap_or(false)
    }
    fn is_here(&self, r: usize) -> bool {
        self.receptacle(r).is_some_and(|x| x.location == Some(self.state.location))
    }
    fn here(&self) -> impl Iterator<Item = usize> {
        (0..self.game.receptacles.len()).filter(|&r| self.is_here(r))
    }
    /// Whether things can be taken out and put in.
    fn accessible(&self, r: usize) -> bool {
        self.receptacle(r).is_some_and(|x| !x.openable) || self.is_open(r)
    }
    fn can_take(&self, o: usize, r: usize) -> bool {
        self.state.held.is_none() && self.accessible(r) && self.object(o).is_some_and(|x| x.pickupable)
    }
    fn can_move(&self, o: usize, r: usize) -> bool {
        let kinds = (self.receptacle(r).and_then(|x| x.kind), self.object(o).and_then(|x| x.kind));
        let (Some(receptacle), Some(object)) = kinds else { return false };
        self.accessible(r) && self.game.can_contain.contains(&(receptacle, object))
    }
    fn can_treat(&self, o: usize, r: usize, station: Station) -> bool {
        let able = self.object(o).is_some_and(|x| match station {
            Station::Sink => x.cleanable,
            Station::Microwave => x.heatable,
            Station::Fridge => x.coolable,
        });
        able && self.receptacle(r).is_some_and(|x| x.station == Some(station))
    }
    fn can_slice(&self, o: usize, knife: usize) -> bool {
        self.object(knife).is_some_and(|x| x.knife)
            && self.object(o).is_some_and(|x| x.sliceable)
            && self.state.at.contains(&(o, self.state.location))
    }
}

fn pick<'a>(names: Names, raw: &'a str, readable: &'a str) -> &'a str {
    match names {
        Names::Raw => raw,
        Names::Readable => readable,
    }
}

/// `nothing`, `a X`, `a X, and a Y`: the engine's lists.
fn list<'a>(names: impl Iterator<Item = &'a str>, article: &str) -> String {
    let mut names = names.peekable();
    let Some(first) = names.next() else { return "nothing".to_owned() };
    let mut text = [article, first].concat();
    while let Some(name) = names.next() {
        text += if names.peek().is_some() { ", " } else { ", and " };
        text += article;
        text += name;
    }
    text
}
