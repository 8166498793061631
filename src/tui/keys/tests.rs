//! Names of keys, and the user's changes.
#![allow(clippy::unwrap_used)]

use ratatui::crossterm::event::KeyEvent;

use super::*;

fn key(text: &str) -> Key {
    text.parse().unwrap()
}

fn build(text: &str) -> (Keymap, Vec<String>) {
    let (map, problems) = Keymap::build(&text.parse().unwrap());
    (map, problems.iter().map(ToString::to_string).collect())
}

#[test]
fn names_and_events_meet() {
    for (name, code, modifiers) in [
        ("s", KeyCode::Char('s'), KeyModifiers::NONE),
        ("S", KeyCode::Char('S'), KeyModifiers::SHIFT),
        ("S", KeyCode::Char('S'), KeyModifiers::NONE),
        ("S", KeyCode::Char('s'), KeyModifiers::SHIFT),
        ("ctrl-d", KeyCode::Char('D'), KeyModifiers::CONTROL),
        ("space", KeyCode::Char(' '), KeyModifiers::NONE),
        ("shift-tab", KeyCode::BackTab, KeyModifiers::SHIFT),
        ("shift-tab", KeyCode::BackTab, KeyModifiers::NONE),
        ("ctrl-alt-left", KeyCode::Left, KeyModifiers::CONTROL.union(KeyModifiers::ALT)),
        ("-", KeyCode::Char('-'), KeyModifiers::NONE),
        ("ctrl--", KeyCode::Char('-'), KeyModifiers::CONTROL),
        ("$", KeyCode::Char('$'), KeyModifiers::SHIFT),
        ("f12", KeyCode::F(12), KeyModifiers::NONE),
        ("語", KeyCode::Char('語'), KeyModifiers::NONE),
    ] {
        let pressed = Key::pressed(&KeyEvent::new(code, modifiers)).unwrap();
        assert_eq!(pressed, key(name), "{name}");
        assert_eq!(pressed.to_string(), name);
    }
    for bad in ["", "hyper-x", "spacebar", "f99", "ctrl-"] {
        assert!(bad.parse::<Key>().is_err(), "{bad}");
    }
}

#[test]
fn releases_are_dropped() {
    let event = |kind| KeyEvent::new_with_kind(KeyCode::Char('s'), KeyModifiers::NONE, kind);
    assert_eq!(Key::pressed(&event(KeyEventKind::Release)), None);
    assert_eq!(Key::pressed(&event(KeyEventKind::Repeat)), Some(key("s")));
}

#[test]
fn letters_are_text_while_typing() {
    let map = Keymap::default();
    assert_eq!(map.command(key("q"), false), Some(CommandId::Quit));
    assert_eq!(map.command(key("q"), true), None);
    assert_eq!(map.command(key("ctrl-c"), true), Some(CommandId::Interrupt));
    assert_eq!(map.command(key("esc"), true), Some(CommandId::Back));
    assert_eq!(map.command(key("tab"), true), None);
}

#[test]
fn the_users_keys_replace_and_unbind() {
    let (map, problems) = build("step = ['f10', 'ctrl-s']\nquit = ''");
    assert_eq!(problems, [""; 0]);
    assert_eq!(map.command(key("f10"), false), Some(CommandId::Step));
    assert_eq!(map.command(key("ctrl-s"), false), Some(CommandId::Step));
    assert_eq!(map.command(key("s"), false), None);
    assert_eq!(map.command(key("q"), false), None);
    assert_eq!((map.hint(CommandId::Step).as_str(), map.hint(CommandId::Quit).as_str()), ("f10", ""));
}

#[test]
fn a_key_may_change_hands() {
    let (map, problems) = build("read = 'x'\nexclude-message = 'X'");
    assert_eq!(problems, [""; 0]);
    assert_eq!(map.command(key("x"), false), Some(CommandId::Read));
    assert_eq!(map.command(key("X"), false), Some(CommandId::ExcludeMessage));
}

#[test]
fn conflicts_name_both_commands() {
    let (map, problems) = build("read = 'q'");
    assert_eq!(problems, ["[keys] q is the key of both read and quit; read keeps it"]);
    assert_eq!(map.command(key("q"), false), Some(CommandId::Read));
    let (_, problems) = build("read = 'f5'\nstep = 'f5'");
    assert_eq!(problems, ["[keys] f5 is the key of both step and read; step keeps it"]);
}

#[test]
fn slips_are_told_and_cost_nothing_else() {
    let (map, problems) = build("stp = 'f5'\nquit = 'ctl-q'\nhelp = 7\nundo = ['ctrl-backspace', 'ctl-y']");
    assert_eq!(problems.len(), 4);
    assert!(problems.contains(&"[keys] stp: there is no such command; did you mean step?".to_owned()), "{problems:?}");
    assert!(problems.iter().any(|p| p.starts_with("[keys] quit: “ctl-q” is no key")), "{problems:?}");
    assert!(problems.iter().any(|p| p.starts_with("[keys] help: a key is a text")), "{problems:?}");
    assert_eq!(map.command(key("q"), false), Some(CommandId::Quit));
    assert_eq!(map.hint(CommandId::Undo), "ctrl-backspace");
}

#[test]
fn distances() {
    for (a, b, d) in [("", "", 0), ("step", "stp", 1), ("kitten", "sitting", 3), ("", "ab", 2)] {
        assert_eq!(distance(a, b), d);
    }
}
