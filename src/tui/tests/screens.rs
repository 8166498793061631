//! Frames: what they say, at every size, in every theme, and with text that wants to break them.

use std::sync::Arc;

use proptest::prelude::*;

use super::made::{Made, story};
use super::*;
use crate::agent::RunMode;
use crate::policy::Delta;
use crate::tui::pane::Zoom;

#[test]
fn the_gauge_before_anything_is_known_shows_no_number() {
    let mut app = app(Kind::Agent, &[]);
    let screen = text(&mut app, 120, 36);
    let row = screen.lines().nth(1).unwrap();
    assert_eq!(row, " work  …");
}

#[test]
fn the_gauge_says_what_the_fold_says() {
    let mut app = app(Kind::Agent, &story().events[..]);
    let gauge = |app: &mut App| text(app, 200, 40).lines().skip(1).take(2).map(str::to_owned).collect::<Vec<_>>();
    // After the last step: σ 30, status 10, think 30, call 10, obs 20.
    let rows = gauge(&mut app);
    assert!(rows[0].contains("100 / τ 400  25 %  (σ 30 · think 30 · calls 10 · results 20 · status 10)"), "{}", rows[0]);
    assert!(rows[1].contains("σ 30/300") && rows[1].contains("reads 1"), "{}", rows[1]);
    // The step before its compression is over τ: 40 + 62 + 550 of the steps, 12 + 50 of the read, and the call.
    let over =
        app.place.timeline().events().iter().position(|e| e.step == 6 && matches!(e.event, crate::session::Event::Compressed(_))).unwrap();
    app.place.go(over);
    app.moved();
    let rows = gauge(&mut app);
    let working = app.session().context().working();
    assert!(working > 400);
    assert!(rows[0].contains(&format!("{working} / τ 400  {} % OVER", working * 100 / 400)), "{}", rows[0]);
    assert!(rows[0].contains('▶'), "the bar says that it is over: {}", rows[0]);
}

#[test]
fn two_limits_two_names() {
    let mut made = Made::new(1000, |c| c.window = Some(4000));
    made.step("x", 5000);
    let mut app = app(Kind::Agent, &made.events);
    let screen = text(&mut app, 160, 40);
    // W = 10 + 30 + 10 + 5,000; T adds 100 + 20 + 50.
    assert!(screen.contains("5,050 / τ 1,000  505 % OVER"), "{screen}");
    assert!(screen.contains("window 5,220/4,000 130 % OVER"), "{screen}");
}

#[test]
fn an_estimate_is_marked() {
    let mut made = Made::new(1000, |c| c.exact = false);
    made.step("x", 5);
    let mut app = app(Kind::Agent, &made.events);
    assert!(text(&mut app, 120, 36).contains("≈55 / τ 1,000"));
}

#[test]
fn a_compression_that_frees_nothing_or_grows_says_so() {
    let mut made = Made::new(1000, |_| {});
    made.step("x", 5);
    for (before, after, said) in [(55, 55, "(0 freed)"), (55, 1855, "(+1,800)")] {
        made.compress(&format!("i{after}"), "c", "s", before, after);
        let mut app = app(Kind::Agent, &made.events[..made.events.len() - 1]);
        app.hear(Update::Recorded(Arc::clone(made.events.last().unwrap())));
        let notice = app.notice.clone().unwrap();
        assert!(notice.text.contains(said), "{}", notice.text);
        assert_eq!(notice.severity, crate::tui::theme::Severity::Warning);
    }
}

#[test]
fn the_index_map_tells_reach_by_word_and_glyph() {
    let mut app = app(Kind::Agent, &story().events[..]);
    let screen = text(&mut app, 120, 36);
    assert!(screen.contains("● ctx_key"), "{screen}");
    assert!(screen.contains("○ ctx_shelf") && screen.contains("orphan @seg2"), "{screen}");
    app.place.entry_at(3);
    app.moved();
    let screen = text(&mut app, 120, 36);
    assert!(screen.contains("✗ ctx_gone") && screen.contains("dangling"), "{screen}");
    assert!(screen.contains("◀ viewing t 3 of 7"), "{screen}");
    assert!(screen.contains('╔'), "the past has another frame");
}

#[test]
fn snapshots_in_sizes_and_themes() {
    let made = story();
    for (width, height) in [(120, 30), (80, 24), (60, 15)] {
        let mut app = app(Kind::Agent, &made.events);
        insta::assert_snapshot!(format!("main_{width}x{height}"), text(&mut app, width, height));
    }
    let mut app = app(Kind::Agent, &made.events[..14]);
    app.look.ascii = true;
    let screen = text(&mut app, 120, 30);
    insta::assert_snapshot!("main_ascii", screen);
    press(&mut app, "hd");
    app.look.ascii = false;
    insta::assert_snapshot!("diff_120x30", text(&mut app, 120, 30));
    press(&mut app, "<esc>$<esc>?");
    insta::assert_snapshot!("help_100x30", text(&mut app, 100, 30));
}

#[test]
fn ascii_is_ascii() {
    let mut app = app(Kind::Agent, &story().events[..]);
    app.look.ascii = true;
    for keys in ["", "h", "$<esc>", "?", "<esc>", "T", "<esc>", ":", "<esc>"] {
        press(&mut app, keys);
        app.notice = None;
        let screen = text(&mut app, 120, 36);
        assert!(screen.is_ascii(), "{keys}: {screen}");
    }
}

#[test]
fn every_theme_draws_every_overlay() {
    let mut app = app(Kind::Agent, &story().events[..20]);
    for name in app.look.names() {
        assert!(app.look.load(&name).is_empty(), "{name}");
        for keys in ["", "C", "<esc>", "?", "<esc>", ":", "<esc>", "T", "<esc>", "d", "<esc>", "w", "<esc>", "/x", "<esc>"] {
            press(&mut app, keys);
            frame(&mut app, 120, 36);
        }
    }
}

/// Text that wants to break the screen.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]52;c;aGk=\u{7}\u{9b}2J\r\u{8}\0 \u{202e}\u{2066}\u{200b}\u{feff} 한국 👩\u{200d}🔬 ♻\u{fe0f} e\u{301} 🇪🇸 ① \u{301}\u{301}\ttab";

#[test]
fn hostile_text_leaves_borders_and_cells_alone() {
    let mut made = Made::new(400, |_| {});
    made.step(HOSTILE, 5).compress("한국", HOSTILE, &format!("{HOSTILE}\n- 한국 - {HOSTILE}"), 55, 40).step(HOSTILE, 5);
    let mut app = app(Kind::Agent, &made.events);
    app.title = HOSTILE.into();
    app.hear(Update::Refused(HOSTILE.into()));
    app.hear(Update::Mode(RunMode::Running));
    app.hear(Update::Waiting(Some(HOSTILE.into())));
    app.hear(Update::Delta(Delta::Call { name: HOSTILE.into(), arguments: HOSTILE.into() }));
    for keys in ["", "g<enter>j<enter>j<enter>j<enter>j<enter>", "v", "v+", "+", "_", "_", "d", "<esc>", "w", "<esc>", "3", "z"] {
        press(&mut app, keys);
        for (width, height) in [(120, 36), (80, 24), (61, 15)] {
            let buffer = frame(&mut app, width, height);
            for cell in buffer.content() {
                let bad =
                    |c: char| c.is_control() || matches!(c, '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
                assert!(!cell.symbol().chars().any(bad), "{:?} after {keys:?}", cell.symbol());
            }
            if app.overlay.is_none() {
                // The outer frame stands in the last column on every row between its corners.
                let column: Vec<&str> = (0..height).map(|y| buffer[(width - 1, y)].symbol()).collect();
                let top = column.iter().position(|s| "┐┓".contains(s) && *s != " ").unwrap();
                let bottom = column.iter().rposition(|s| "┘┛".contains(s) && *s != " ").unwrap();
                assert!(column[top + 1..bottom].iter().all(|s| "│┃└┘┌┐┗┛┏┓".contains(s)), "{keys:?} {width}: {column:?}");
            }
        }
    }
}

#[test]
fn a_frame_costs_what_is_seen() {
    let mut made = Made::new(400_000, |_| {});
    for n in 0..5_000 {
        made.step(&format!("observation {n}"), 5);
    }
    let mut app = app(Kind::Agent, &made.events);
    press(&mut app, "gjjj");
    let time = |app: &mut App| {
        let start = std::time::Instant::now();
        for _ in 0..20 {
            frame(app, 120, 36);
        }
        start.elapsed()
    };
    let long = time(&mut app);
    let mut small = super::app(Kind::Agent, &made.events[..80]);
    let short = time(&mut small);
    assert!(long < short * 5 + std::time::Duration::from_millis(50), "{long:?} against {short:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// No size, and no order of sizes and keys, is too odd.
    #[test]
    fn no_size_and_no_key_panics(steps in prop::collection::vec((1u16..200, 1u16..60, 0usize..48, 0u16..220, 0u16..70), 1..40)) {
        let keys = [
            "j", "k", "g", "G", "h", "l", "[", "]", "0", "$", "<enter>", "1", "2", "3", "<tab>", "+", "_", "C", "v", "y", "n", "<esc>",
            "d", "t", "z", "H", "L", "/a<enter>", "n", "N", "?", ":", "T", "w", "x", "u", "U", "r", "J", "K", "<ctrl-d>", "<pageup>", "m", "'",
            "(", ")", "i", "M",
        ];
        let mut app = app(Kind::Agent, &story().events[..20]);
        app.mouse = true;
        for (width, height, key, x, y) in steps {
            press(&mut app, keys[key]);
            frame(&mut app, width, height);
            let kind = crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left);
            let event = crossterm::event::MouseEvent { kind, column: x, row: y, modifiers: crossterm::event::KeyModifiers::NONE };
            app.input(crossterm::event::Event::Mouse(event));
            app.hear(Update::Delta(Delta::Text("more 語 ".into())));
        }
    }
}

#[test]
fn all_small_sizes_and_the_largest() {
    let mut app = app(Kind::Agent, &story().events[..]);
    for zoom in [Zoom::Normal, Zoom::Half, Zoom::Full] {
        app.zoom = zoom;
        for width in 1..70 {
            for height in 1..20 {
                frame(&mut app, width, height);
            }
        }
        for (width, height) in [(500, 150), (1, 50), (500, 1), (80, 200)] {
            frame(&mut app, width, height);
        }
    }
    assert!(text(&mut app, 40, 5).starts_with("memex needs 60×15, this is 40×5"));
}
