//! The household as the loop sees it.
#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::json;

use super::*;

fn household(harder: Harder) -> Household {
    Household::open(Settings { harder, ..Settings::new("builtin:two-candles") }).unwrap()
}

#[test]
fn harder_hides_the_room_until_the_one_look() {
    let mut home = household(Harder::ON);
    assert_eq!(home.task(), "Your task is to: put two candle in toilet.");
    // Change 3: the listing is served wherever the agent stands by then.
    assert!(home.act("go to toilet 1").text.starts_with("You arrive at toilet 1. On the toilet 1, you see a spraybottle 2."));
    let look = home.act("look");
    assert!(look.text.starts_with("You are in the middle of a room. Looking quickly around you, you see a "), "{}", look.text);
    assert!(look.text.contains("a cabinet 2, ") && !look.text.contains("Possible now"));
    let again = home.act("look");
    assert_eq!((again.text.as_str(), again.state_changed), (LOOK_REFUSED, Some(false)));
    assert!(LOOK_REFUSED.contains("ReadExperience"));
    assert_eq!(home.act(" look ").text, LOOK_REFUSED);
    // The refusal changed nothing: the agent still stands at the toilet.
    assert_eq!(home.act("take spraybottle 2 from toilet 1").text, "You pick up the spraybottle 2 from the toilet 1.");
}

#[test]
fn each_change_has_its_own_switch() {
    let mut open = household(Harder::OFF);
    assert!(open.task().starts_with("-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room."));
    assert!(open.task().contains("\n\nPossible now: ") && open.task().contains(", go to toilet 1"));
    assert!(open.act("look").text.starts_with("You are in the middle of a room. Looking quickly around you, you see nothing."));
    let arrived = open.act("go to cabinet 2").text;
    assert!(arrived.starts_with("You arrive at cabinet 2. The cabinet 2 is closed.\n\nPossible now: "), "{arrived}");
    assert!(arrived.contains("open cabinet 2") && !arrived.contains("go to cabinet 2"));
    assert!(open.act("look").text.starts_with("You are facing the cabinet 2. Next to it, you see nothing."));
    // The room cut, but look free: the first look still shows it, and later ones are the engine's.
    let mut home = household(Harder { look_once: false, ..Harder::ON });
    assert!(home.act("look").text.contains("a toilet 1"));
    home.act("go to toilet 1");
    assert_eq!(home.act("look").text, "You are facing the toilet 1. Next to it, you see nothing.");
}

#[test]
fn state_changes_are_what_was_carried_out() {
    let mut home = household(Harder::ON);
    for (action, changed) in [
        ("look", false),
        ("help", false),
        ("inventory", false),
        ("go to cabinet 2", false),
        ("take candle 1 from cabinet 2", false),
        ("open cabinet 2", true),
        ("open cabinet 2", false),
        ("examine cabinet 2", false),
        ("take candle 1 from cabinet 2", true),
        ("examine candle 1", false),
        ("move candle 1 to cabinet 2", true),
        ("close cabinet 2", true),
        ("dance", false),
    ] {
        assert_eq!(home.act(action).state_changed, Some(changed), "{action}");
    }
}

#[test]
fn strict_is_the_default_and_lenient_says_how_it_read() {
    let mut strict = household(Harder::ON);
    for odd in ["go to drawer 3.", "Go to drawer 3", "go to  drawer 3", "> go to drawer 3", "put candle 1 in toilet 1"] {
        assert_eq!(strict.act(odd).text, NOTHING_HAPPENS, "{odd}");
    }
    let mut home = Household::open(Settings { lenient: true, ..Settings::new("builtin:two-candles") }).unwrap();
    assert_eq!(
        home.act("> Go to  shelf 1.").text,
        "[read as: go to shelf 1]\nYou arrive at shelf 1. On the shelf 1, you see a candle 3, and a vase 1."
    );
    assert_eq!(home.act("take candle 3 from shelf 1").text, "You pick up the candle 3 from the shelf 1.");
    assert_eq!(home.act("put candle 3 in/on shelf 1").text, "[read as: move candle 3 to shelf 1]\nYou move the candle 3 to the shelf 1.");
    assert!(home.act("Look.").text.starts_with("[read as: look]\nYou are in the middle of a room."));
    assert_eq!(home.act("Look.").text, format!("[read as: look]\n{LOOK_REFUSED}"));
}

#[tokio::test]
async fn it_is_made_again_from_its_settings_and_its_calls() {
    let mut home = household(Harder::ON);
    let calls = ["look", "go to shelf 1", "take candle 3 from shelf 1", "go to toilet 1", "look", "move candle 3 to toilet 1"];
    let run = async |home: &mut Household| {
        let mut texts = Vec::new();
        for action in calls {
            let call = ToolCall { id: "c".into(), name: EXECUTE.into(), arguments: "".into() };
            texts.push(home.call(&call, &json!({"action": action})).await.unwrap().text);
        }
        texts
    };
    let first = run(&mut home).await;
    let mut again = Household::from_settings(&Environment::settings(&home)).unwrap();
    assert_eq!(run(&mut again).await, first);
    assert_eq!(again.world().admissible(), home.world().admissible());
    let mut other = Environment::settings(&home);
    other["digest"] = json!(Digest::of(b"another").to_string());
    assert!(Household::from_settings(&other).unwrap_err().to_string().contains("text has changed"));
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_said_to_the_agent() {
    let mut home = household(Harder::ON);
    let call = ToolCall { id: "c".into(), name: EXECUTE.into(), arguments: "".into() };
    let reply = home.call(&call, &json!({"command": "look"})).await.unwrap();
    assert!(reply.text.contains("needs action") && reply.state_changed == Some(false));
    assert_eq!(home.finish(&json!({"success": true})).unwrap().text, "success=true");
    assert!(home.finish(&json!({"success": "yes"})).is_err() && home.finish(&json!({})).is_err());
    assert_eq!(home.success(), Some(false));
}

#[test]
fn a_game_that_cannot_be_had_says_why() {
    for (game, said) in
        [("builtin:none", "heat-potato"), ("builtinx", "there are"), ("/no/such/game.tw-pddl", "No such file"), ("/", "not a file")]
    {
        let error = Household::open(Settings::new(game)).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains(game), "{error}");
    }
}
