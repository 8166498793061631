//! The next move: what to do with what is believed, and the thought behind it.

use super::belief::Belief;
use super::goal::{Goal, Treatment};
use super::notes::{PLACES, ROOM};
use super::search::{mostly_closed, number, promise};
use super::sentence::Sight;
use crate::env::household::kind_of;
use crate::memory::Index;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Act(String),
    Read(Index),
    Finish(bool),
}

/// A move and why.
pub(super) struct Step {
    pub(super) go: Move,
    pub(super) thought: String,
}

fn act(command: String, thought: String) -> Step {
    Step { go: Move::Act(command), thought }
}
fn finish(success: bool, thought: impl Into<String>) -> Step {
    Step { go: Move::Finish(success), thought: thought.into() }
}

/// Decides.
pub(super) fn next(belief: &Belief) -> Step {
    let Some(goal) = &belief.goal else {
        return finish(false, "I cannot make out what the task asks for, so I end here.");
    };
    if !belief.hand_known {
        return act("inventory".into(), "My notes do not say what I am carrying. I check my hands before I plan anything.".into());
    }
    match goal {
        Goal::Put { object, place, count, treatment } => put(belief, object, place, *count, *treatment),
        Goal::Light { object, lamp } => light(belief, object, lamp),
    }
}

fn put(b: &Belief, object: &str, place: &str, count: usize, treatment: Option<Treatment>) -> Step {
    let ready = |thing: &str| treatment.is_none_or(|how| b.treated.contains(&(how, thing.to_owned())));
    // Things that lie where they should, by place.
    let there: Vec<(String, String)> = b.sightings(object).into_iter().filter(|(thing, at)| kind_of(at) == place && ready(thing)).collect();
    let at = |spot: &String| there.iter().filter(|(_, p)| p == spot).count();
    let best = there.iter().map(|(_, p)| p).max_by_key(|p| at(p)).cloned();
    if let Some(spot) = &best
        && at(spot) >= count
    {
        return finish(true, format!("{} in {spot}, as the task asks. I am done.", list(&there, spot)));
    }
    if let Some(held) = &b.holding {
        if kind_of(held) != object {
            return put_aside(b, held, object);
        }
        return match treatment.filter(|_| !ready(held)) {
            Some(how) => treat(b, held, how),
            None => deliver(b, held, place, best.as_ref().filter(|_| count > 1)),
        };
    }
    let candidates: Vec<(String, String)> = b
        .sightings(object)
        .into_iter()
        .filter(|(thing, p)| best.as_ref() != Some(p) || !ready(thing))
        .filter(|(thing, p)| !b.refused.contains(&format!("take {thing} from {p}")) && !b.useless.contains(p))
        .collect();
    match candidates.iter().find(|(_, p)| b.here.contains(p)).or(candidates.first()) {
        Some((thing, spot)) => fetch(b, thing, spot),
        None => search(b, object),
    }
}

fn light(b: &Belief, object: &str, lamp: &str) -> Step {
    let lamps = b.sightings(lamp);
    if b.holding.as_deref().is_some_and(|h| kind_of(h) == object) {
        if let Some((lit, spot)) = lamps.iter().find(|(l, p)| b.lit.contains(l) && b.here.contains(p)) {
            return finish(true, format!("{lit} shines on {spot} and I hold the {object} under it. That is what was asked."));
        }
        let usable = |(l, p): &&(String, String)| !b.refused.contains(&format!("use {l}")) && !b.useless.contains(p);
        return match lamps.iter().find(|(_, p)| b.here.contains(p)).filter(usable).or_else(|| lamps.iter().find(usable)) {
            Some((l, spot)) if b.here.contains(spot) => {
                act(format!("use {l}"), format!("I stand at {spot} with the {object} in my hand; now I switch on {l}."))
            }
            Some((l, spot)) => go(b, spot, format!("I have the {object}. I remember {l} at {spot}, so I take it there.")),
            None => search(b, lamp),
        };
    }
    if let Some(held) = &b.holding {
        return put_aside(b, held, object);
    }
    let things = b.sightings(object);
    let candidate = things.iter().filter(|(t, p)| !b.refused.contains(&format!("take {t} from {p}")) && !b.useless.contains(p));
    match candidate.min_by_key(|(_, p)| !b.here.contains(p)) {
        Some((thing, spot)) => fetch(b, thing, spot),
        None => search(b, object),
    }
}

fn list(there: &[(String, String)], spot: &str) -> String {
    let names: Vec<&str> = there.iter().filter(|(_, p)| p == spot).map(|(t, _)| t.as_str()).collect();
    format!("{} {}", names.join(" and "), if names.len() == 1 { "is" } else { "are" })
}

/// Takes a thing whose place is known.
fn fetch(b: &Belief, thing: &str, spot: &str) -> Step {
    if !b.here.contains(spot) {
        return go(b, spot, format!("{thing} is what I need, and it lies in {spot}. I go and get it."));
    }
    if b.seen.get(spot) == Some(&Sight::Closed) && !b.refused.contains(&format!("open {spot}")) {
        return act(format!("open {spot}"), format!("{thing} is inside {spot}, which is closed. I open it."));
    }
    act(format!("take {thing} from {spot}"), format!("There is {thing}, right here in {spot}. I take it."))
}

fn treat(b: &Belief, held: &str, how: Treatment) -> Step {
    let station = how.station();
    let command = |spot: &String| format!("{} {held} with {spot}", how.verb());
    let usable = |spot: &&String| kind_of(spot) == station && !b.useless.contains(*spot) && !b.refused.contains(&command(spot));
    if let Some(spot) = b.here.iter().find(usable) {
        return act(command(spot), format!("I hold {held} and stand at {spot}: this is the place to {} it.", how.verb()));
    }
    if let Some(spot) = b.places().into_iter().find(usable) {
        return go(b, spot, format!("I hold {held}. It has to be {} first, and {spot} does that.", how.result()));
    }
    let what = format!("I hold {held} and must {} it, but which {station} there is I cannot see in my context any more.", how.verb());
    learn_room(b, &what).unwrap_or_else(|| guess(b, station))
}

/// Puts the thing in hand where it belongs. `spot` is the place that has the first of two.
fn deliver(b: &Belief, held: &str, kind: &str, spot: Option<&String>) -> Step {
    let takes = |p: &&String| kind_of(p) == kind && !b.useless.contains(*p);
    // Here before elsewhere, open before closed, seen before unseen.
    let effort = |p: &String| match b.seen.get(p) {
        _ if b.here.contains(p) => 0,
        Some(Sight::Holds(_)) => 1,
        None if !mostly_closed(kind) => 2,
        Some(Sight::Closed) => 3,
        None => 4,
    };
    let target = spot.filter(takes).or_else(|| b.places().into_iter().filter(takes).min_by_key(|p| (effort(p), number(p))));
    let Some(target) = target else {
        let what = format!("{held} is ready to be put away. The task says {kind}, and I no longer see which {kind}s there are.");
        return learn_room(b, &what).unwrap_or_else(|| guess(b, kind));
    };
    if !b.here.contains(target) {
        return go(b, target, format!("{held} is ready; it belongs in {target}."));
    }
    match b.seen.get(target) {
        Some(Sight::Closed) => act(format!("open {target}"), format!("{target} is closed. I open it, to put {held} in.")),
        None if !b.refused.contains(&format!("examine {target}")) => {
            act(format!("examine {target}"), format!("I stand at {target} and do not remember whether it is open. I check."))
        }
        _ => act(format!("move {held} to {target}"), format!("I stand at {target}: {held} goes in here.")),
    }
}

/// Frees the hand of a thing that is not wanted.
fn put_aside(b: &Belief, held: &str, wanted: &str) -> Step {
    let here = b.here.iter().find(|p| b.seen.get(*p) != Some(&Sight::Closed) && !b.useless.contains(*p));
    let spot = here.or_else(|| b.places().into_iter().find(|p| !mostly_closed(&kind_of(p)) && !b.useless.contains(*p)));
    let why = format!("I carry {held}, but I need my hand free for {}. I put it aside.", article(wanted));
    match spot {
        Some(spot) if b.here.contains(spot) => act(format!("move {held} to {spot}"), why),
        Some(spot) => go(b, spot, why),
        None => learn_room(b, &why).unwrap_or_else(|| finish(false, format!("I cannot put {held} down anywhere, so I cannot go on."))),
    }
}

/// Looks for a thing where it is most likely, cheap places first.
fn search(b: &Belief, object: &str) -> Step {
    if b.room.is_none()
        && let Some(step) = learn_room(b, &format!("I have to find {} and have no list of places before me.", article(object)))
    {
        return step;
    }
    if let Some(index) = unread(b, |i| i.starts_with(PLACES)) {
        let thought = format!(
            "I do not want to search for {} where I have been already. What I saw where is in block {index}; I read it back.",
            article(object)
        );
        return Step { go: Move::Read(index), thought };
    }
    let steps = |place: &String| match b.seen.get(place) {
        Some(Sight::Holds(_)) => None,
        _ if b.useless.contains(place) => None,
        Some(Sight::Closed) if b.refused.contains(&format!("open {place}")) => None,
        Some(Sight::Closed) => Some(1 + u32::from(!b.here.contains(place))),
        None => Some(1 + u32::from(mostly_closed(&kind_of(place)))),
    };
    let rated = b.places().into_iter().filter_map(|p| Some((p, promise(object, p, steps(p)?))));
    // Of places that promise the same, one kind after the other, by number, as a person would go.
    let order = |p: &String| (kind_of(p), number(p));
    let best = rated.max_by(|(p, a), (q, b)| a.total_cmp(b).then_with(|| order(q).cmp(&order(p))));
    match best {
        Some((place, _)) if b.here.contains(place) && b.seen.get(place) == Some(&Sight::Closed) => {
            act(format!("open {place}"), format!("{place} is closed. There could be {} inside, so I open it.", article(object)))
        }
        Some((place, _)) => {
            let searched = b.seen.values().filter(|s| matches!(s, Sight::Holds(_))).count();
            go(b, place, thought_of_search(object, place, searched))
        }
        None => match unread(b, |_| true) {
            Some(index) => {
                let thought = format!("I have searched every place I know of. Perhaps block {index} knows more.");
                Step { go: Move::Read(index), thought }
            }
            None => finish(false, format!("I have searched every place and found no {object}. I give up.")),
        },
    }
}

fn thought_of_search(object: &str, place: &str, searched: usize) -> String {
    let kind = kind_of(place);
    let (an_object, a_kind) = (article(object), article(&kind));
    match (searched, promise(object, place, 1)) {
        (0, 100.0..) => format!("Where would {an_object} be? {a_kind} is the first place I think of, so I start at {place}."),
        (0, _) => format!("Nothing here is an obvious place for {an_object}. I have to start somewhere: {place}."),
        (_, 100.0..) => format!("No {object} so far. {a_kind} often holds one; {place} is next."),
        (n, 10.0..) => format!("No {object} in {n} places. The best guesses are used up; {place} is still possible."),
        (n, _) => format!("{n} places and no {object}. It must be somewhere unusual, so I go through the rest: {place}."),
    }
    .replacen(". a ", ". A ", 1)
    .replacen(". an ", ". An ", 1)
    .replacen("? a ", "? A ", 1)
    .replacen("? an ", "? An ", 1)
}

/// With its indefinite article.
fn article(noun: &str) -> String {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { format!("an {noun}") } else { format!("a {noun}") }
}

/// Goes to a place, or, where going is refused because the agent stands there already, examines it.
fn go(b: &Belief, place: &str, thought: String) -> Step {
    let command = format!("go to {place}");
    if b.refused.contains(&command) {
        return act(format!("examine {place}"), format!("I could not go to {place}; perhaps I stand there already. I examine it."));
    }
    act(command, thought)
}

/// Gets the room listing into M: by the one `look`, or by reading it back.
fn learn_room(b: &Belief, what: &str) -> Option<Step> {
    if b.room.is_some() {
        return None;
    }
    if !b.looked && !b.has_summary {
        let thought = format!("I do not know this room yet. {what} I look around; that works only once, so I must keep what I see.");
        return Some(act("look".into(), thought));
    }
    let told_of_look = |i: &str| b.map.iter().any(|(j, about)| j.as_str() == i && about.contains("look"));
    let index = unread(b, |i| i == ROOM).or_else(|| unread(b, told_of_look)).or_else(|| unread(b, |_| true))?;
    let thought = if index.as_str() == ROOM {
        format!("{what} Looking around works only once, but I archived the listing: I read block {index} back.")
    } else {
        format!("{what} I do not see a block with the listing by name. Block {index} may have it; I read it.")
    };
    Some(Step { go: Move::Read(index), thought })
}

/// The newest stored block of this sort that the map still names (or, without a map, that is stored) and that is not in M.
fn unread(b: &Belief, sort: impl Fn(&str) -> bool) -> Option<Index> {
    let fresh = |i: &&Index| sort(i.as_str()) && !b.read.contains(*i) && !b.asked.contains(i.as_str());
    if !b.has_summary {
        return None;
    }
    let mapped = b.map.iter().map(|(i, _)| i).rev().find(fresh);
    let unmapped = || if b.map.is_empty() { b.stored.iter().find(fresh) } else { None };
    mapped.or_else(unmapped).cloned()
}

/// Without any listing: the numbers that such places usually have.
fn guess(b: &Belief, kind: &str) -> Step {
    let place = (1..=3).map(|n| format!("{kind} {n}")).find(|p| !b.useless.contains(p) && !b.here.contains(p));
    match place {
        Some(place) => go(b, &place, format!("I have no list of places left to consult. There is usually a {place}; I try it.")),
        None => finish(false, format!("There is no {kind} that I can reach, so the task cannot be done.")),
    }
}
