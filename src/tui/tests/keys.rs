//! What keys do, as effects and as where the view stands.

use std::sync::Arc;

use super::made::{Made, story};
use super::*;
use crate::agent::{Command, HumanAct, RunMode};
use crate::tui::effect::Effect;
use crate::tui::overlay::Overlay;
use crate::tui::pane::Pane;

/// Effects of keys, each as the start of its debug text.
fn told(app: &mut App, keys: &str) -> Vec<String> {
    press(app, keys);
    app.take_effects().iter().map(|e| format!("{e:?}")).collect()
}

fn open_run() -> App {
    let mut made = Made::new(400, |_| {});
    made.step("On shelf 1 you see a lamp.", 60)
        .compress("ctx_shelf", "shelf 1: a lamp", "- ctx_shelf - the shelf", 120, 40)
        .step("A drawer.", 50);
    app(Kind::Agent, &made.events)
}

#[test]
fn running_and_pausing() {
    let mut app = open_run();
    assert_eq!(told(&mut app, " "), ["Tell(Run)"]);
    app.hear(Update::Mode(RunMode::Running));
    assert_eq!(told(&mut app, " "), ["Tell(Pause)"]);
    app.hear(Update::Mode(RunMode::Paused));
    assert_eq!(told(&mut app, "sS"), ["Tell(Step)", "Tell(StepPhase)"]);
    // Esc never leaves; q does, and asks only while it runs.
    assert_eq!(told(&mut app, "<esc><esc>"), Vec::<String>::new());
    assert_eq!(told(&mut app, "q"), ["Leave"]);
    app.hear(Update::Mode(RunMode::Running));
    assert_eq!(told(&mut app, "q"), Vec::<String>::new());
    assert_eq!(told(&mut app, "n"), Vec::<String>::new());
    assert_eq!(told(&mut app, "qy"), ["Leave"]);
}

#[test]
fn a_finished_run_says_so_instead_of_running() {
    let mut app = app(Kind::Agent, &story().events[..]);
    for keys in [" ", "s", "c"] {
        assert_eq!(told(&mut app, keys), Vec::<String>::new());
        assert!(app.notice.as_ref().unwrap().text.contains("the run is over (finished)"), "{keys}");
    }
}

#[test]
fn interrupt_once_and_twice() {
    let mut app = open_run();
    app.hear(Update::Mode(RunMode::Running));
    assert_eq!(told(&mut app, "<ctrl-c>"), ["Tell(Interrupt)"]);
    assert_eq!(told(&mut app, "<ctrl-c>"), ["Leave"]);
    let mut app = open_run();
    app.hear(Update::Mode(RunMode::Running));
    press(&mut app, "<ctrl-c>");
    app.now += std::time::Duration::from_secs(3);
    app.take_effects();
    assert_eq!(told(&mut app, "<ctrl-c>"), ["Tell(Interrupt)"], "much later is not twice");
}

#[test]
fn a_forced_compression_is_previewed_then_applied() {
    let mut app = open_run();
    assert_eq!(told(&mut app, "Cv"), Vec::<String>::new());
    let screen = text(&mut app, 120, 36);
    // W is σ 40 + status 10 + think 30 + call 10 + obs 50.
    assert!(screen.contains("working  140 →"), "{screen}");
    assert!(screen.contains("+ step_003"), "{screen}");
    assert_eq!(told(&mut app, "n<esc>"), Vec::<String>::new());
    assert!(app.overlay.is_none());
    press(&mut app, "Cvy");
    let effects = app.take_effects();
    let [Effect::Tell(Command::Act(HumanAct::Compress(draft)))] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(draft.blocks.len(), 1);
    assert!(draft.summary.contains("- ctx_shelf - the shelf"), "the old map is carried over");
}

#[test]
fn a_demand_carries_the_users_words_and_letters_are_text_there() {
    let mut app = open_run();
    press(&mut app, "Caquit now s<enter>");
    assert!(app.take_effects().is_empty());
    press(&mut app, "y");
    let effects = app.take_effects();
    let [Effect::Tell(Command::Act(HumanAct::Demand { words }))] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(words.as_deref(), Some("quit now s"));
}

#[test]
fn within_a_step_the_step_is_finished_before_the_dialog_opens() {
    let mut made = Made::new(400, |_| {});
    made.step("A lamp.", 60);
    let mut app = app(Kind::Agent, &made.events);
    let mut more = Made::new(400, |_| {});
    more.step("A lamp.", 60).step("x", 1);
    // Status and answer of step 2, without its observation.
    for event in &more.events[4..6] {
        app.hear(Update::Recorded(Arc::clone(event)));
    }
    app.hear(Update::Mode(RunMode::Running));
    assert_eq!(told(&mut app, "C"), ["Tell(Pause)"]);
    app.hear(Update::Mode(RunMode::Paused));
    assert_eq!(told(&mut app, ""), ["Tell(Step)"], "paused within the step: finish it");
    app.hear(Update::Recorded(Arc::clone(&more.events[6])));
    app.hear(Update::Mode(RunMode::Paused));
    assert!(matches!(app.overlay, Some(Overlay::Force(_))));
}

#[test]
fn reading_shows_its_cost_first() {
    let mut app = open_run();
    assert_eq!(told(&mut app, "2r"), Vec::<String>::new());
    let screen = text(&mut app, 120, 36);
    let tokens = crate::text::tokens::TokenCounter::count(&crate::text::tokens::Estimate, "shelf 1: a lamp");
    assert!(screen.contains(&format!("working 140 → {}", 140 + tokens)), "{screen}");
    let effects = told(&mut app, "y");
    assert!(effects[0].contains("Read { index: Index(\"ctx_shelf\"), part: 1 }"), "{effects:?}");
}

#[test]
fn the_past_is_travelled_and_cannot_be_changed() {
    let mut app = app(Kind::Agent, &story().events[..]);
    assert_eq!(app.session().t(), 7);
    press(&mut app, "hh");
    assert_eq!(app.session().t(), 5);
    press(&mut app, "l");
    assert_eq!(app.session().t(), 6);
    press(&mut app, "[");
    assert_eq!(app.session().t(), 3, "the end of step 6 is its compression: the one before it is in step 3");
    assert_eq!(app.session().context().working(), 40);
    press(&mut app, "0");
    assert_eq!(app.session().t(), 0);
    for keys in ["C", "u", "x", "2r"] {
        assert_eq!(told(&mut app, keys), Vec::<String>::new());
        assert!(app.notice.as_ref().unwrap().text.contains("past"), "{keys}");
    }
    press(&mut app, "m$'");
    assert_eq!(app.session().t(), 0);
    press(&mut app, "$");
    assert!(!app.place.is_past());
    press(&mut app, ":4<enter>");
    assert_eq!(app.session().t(), 4);
}

#[test]
fn a_recording_plays_and_refuses_changes() {
    let mut app = app(Kind::Recording, &story().events[..]);
    for keys in ["C", "u", "2r"] {
        assert_eq!(told(&mut app, keys), Vec::<String>::new());
        assert!(app.notice.as_ref().unwrap().text.contains("recording"), "{keys}");
    }
    press(&mut app, " ");
    assert!(app.playing && app.session().t() == 0);
    let mut ticks = 0;
    while app.playing {
        app.tick();
        ticks += 1;
        assert!(ticks < 1000);
    }
    assert!(!app.place.is_past());
    assert_eq!(ticks, app.place.timeline().events().len() - 1, "one event a tick after the first");
    press(&mut app, "0c");
    assert_eq!(app.session().t(), 3, "on to the first event of memory");
}

#[test]
fn searching_in_each_scope() {
    let mut app = app(Kind::Agent, &story().events[..]);
    press(&mut app, "/door<enter>");
    let found = app.context.selected(app.session()).unwrap();
    assert_eq!(&*found.text, "The door opens.");
    press(&mut app, "/i:ctx_key<enter>");
    assert_eq!((app.focus, app.index.selected().unwrap().as_str()), (Pane::Index, "ctx_key"));
    press(&mut app, "/a:LAMP<enter>");
    assert!(app.notice.as_ref().unwrap().text.contains("is not in the archive"), "a capital makes case count");
    press(&mut app, "/a:lamp<enter>");
    assert_eq!(app.detail.content().unwrap().0, "ctx_shelf");
    press(&mut app, "/t:locked<enter>");
    assert_eq!(app.session().t(), 2);
    press(&mut app, "n");
    assert_eq!(app.session().t(), 2, "the only hit is gone to again");
    for needle in ["İ", "ß", "語", "🙏"] {
        press(&mut app, &format!("/{needle}<enter>"));
    }
}

#[test]
fn keys_of_terminals_that_report_releases_act_once() {
    use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
    let mut app = open_run();
    let event = |kind| Event::Key(KeyEvent::new_with_kind(KeyCode::Char('s'), KeyModifiers::NONE, kind));
    assert!(app.input(event(KeyEventKind::Press)));
    assert!(!app.input(event(KeyEventKind::Release)));
    assert_eq!(app.take_effects().len(), 1);
}

#[test]
fn a_paste_is_text_or_nothing() {
    use crossterm::event::Event;
    let mut app = open_run();
    assert!(!app.input(Event::Paste("sssq".into())));
    assert!(app.take_effects().is_empty());
    press(&mut app, "/");
    let long = "line\r\n\u{1b}[201~".repeat(20_000);
    assert!(app.input(Event::Paste(long)));
    let Some(Overlay::Prompt(prompt)) = &app.overlay else { panic!("no submit") };
    assert!(prompt.input.text().len() > 200_000);
    text(&mut app, 80, 24);
}

#[test]
fn the_selection_follows_only_at_the_end() {
    let made = story();
    let mut app = app(Kind::Agent, &made.events[..8]);
    assert_eq!(app.context.selected(app.session()).unwrap().text.as_ref(), made_last(&app));
    press(&mut app, "gj");
    let before = app.context.selected(app.session()).unwrap().id;
    app.hear(Update::Recorded(Arc::clone(&made.events[8])));
    app.hear(Update::Delta(crate::policy::Delta::Thinking("hm".into())));
    text(&mut app, 120, 36);
    assert_eq!(app.context.selected(app.session()).unwrap().id, before);
}

fn made_last(app: &App) -> &str {
    app.session().context().messages().last().map_or("", |m| &m.text)
}

#[test]
fn copy_and_export_what_is_selected() {
    let mut app = open_run();
    press(&mut app, "2");
    let effects = told(&mut app, "YE");
    assert_eq!(effects[0], "Copy(\"shelf 1: a lamp\")");
    assert_eq!(effects[1], "Export { name: \"ctx_shelf\", text: \"shelf 1: a lamp\" }");
}
