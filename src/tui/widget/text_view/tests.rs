//! What is seen is drawn; what is not seen costs nothing.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use proptest::prelude::*;
use ratatui::buffer::CellWidth as _;

use super::*;
use crate::text::search::Case;

fn view(text: &str) -> TextView {
    TextView::new(Document::new(text.into()))
}

/// The rows of a frame, without trailing blanks.
fn drawn(view: &mut TextView, width: u16, height: u16) -> Vec<String> {
    frame(view, width, height).0
}

fn frame(view: &mut TextView, width: u16, height: u16) -> (Vec<String>, Buffer) {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    view.render(area, &mut buffer, &Theme::default(), &mut Plain);
    let rows = (0..height)
        .map(|y| {
            let mut row = String::new();
            let mut x = 0;
            while x < width {
                let symbol = buffer[(x, y)].symbol();
                row.push_str(symbol);
                x += symbol.cell_width().max(1);
            }
            row.trim_end().to_owned()
        })
        .collect();
    (rows, buffer)
}

fn numbered(lines: usize) -> String {
    (1..=lines).map(|n| format!("line {n}\n")).collect()
}

#[test]
fn lines_numbers_and_a_scrollbar() {
    let mut view = view(&numbered(100));
    view.set_gutter(true);
    assert_eq!(drawn(&mut view, 14, 3), ["  1 line 1   ┃", "  2 line 2   │", "  3 line 3   │"]);
    view.bottom();
    assert_eq!(drawn(&mut view, 14, 3), [" 98 line 98  │", " 99 line 99  │", "100 line 100 ┃"]);
}

#[test]
fn wrapped_rows_are_scrolled_one_by_one() {
    let mut view = view("the quick brown fox\njumps");
    assert_eq!(drawn(&mut view, 11, 2), ["the quick ┃", "brown fox │"]);
    view.scroll(1);
    assert_eq!(view.top(), Place { line: 0, byte: 10 });
    assert_eq!(drawn(&mut view, 11, 2), ["brown fox │", "jumps     ┃"]);
    // No further than the last row at the bottom.
    view.scroll(10);
    assert_eq!(view.top(), Place { line: 0, byte: 10 });
    assert!(view.is_at_bottom());
    view.scroll(-10);
    assert_eq!(view.top(), Place::default());
}

#[test]
fn sideways_without_wrapping_and_never_half_a_wide_character() {
    let mut view = view("0123456789\n한국어한국어\nab\tc\n");
    view.set_wrap(false);
    assert_eq!(drawn(&mut view, 7, 3), ["012345", "한국어", "ab"]);
    view.scroll_sideways(1);
    assert_eq!(drawn(&mut view, 7, 3), ["123456", " 국어", "b"]);
    view.scroll_sideways(2);
    assert_eq!(drawn(&mut view, 7, 3), ["345678", " 어한", "     c"]);
    view.scroll_sideways(1000);
    assert_eq!(drawn(&mut view, 7, 3)[1], "");
    view.scroll_sideways(-1000);
    assert_eq!(drawn(&mut view, 7, 3)[0], "012345");
}

#[test]
fn hidden_characters_are_seen_and_marked() {
    let theme = Theme::default();
    let mut view = view("a\u{1b}[2J\u{202E}\tb\r");
    let (rows, buffer) = frame(&mut view, 40, 1);
    assert_eq!(rows, ["a␛[2J⟨U+202E⟩   b␍"]);
    assert_eq!(buffer[(1, 0)].fg, theme.hidden().fg.unwrap());
    assert_eq!(buffer[(5, 0)].fg, theme.hidden().fg.unwrap());
    assert_eq!(buffer[(0, 0)].fg, theme.text().fg.unwrap());
}

#[test]
fn what_is_read_stays_when_text_is_appended() {
    let mut view = view(&numbered(50));
    drawn(&mut view, 20, 5);
    view.go_to_line(20);
    let before = drawn(&mut view, 20, 5);
    view.set_follow(true);
    view.set_continued((numbered(50) + &"x".repeat(1000)).as_str().into());
    let strip = |rows: &[String]| rows.iter().map(|row| row.trim_end_matches(['┃', '│', ' ']).to_owned()).collect::<Vec<_>>();
    assert_eq!(strip(&drawn(&mut view, 20, 5)), strip(&before));
    view.bottom();
    view.set_continued((numbered(50) + &"x".repeat(1000) + "\nend").as_str().into());
    assert!(drawn(&mut view, 20, 5).last().unwrap().starts_with("end"));
}

#[test]
fn searching_goes_round_and_marks() {
    let theme = Theme::default();
    let mut view = view(&(numbered(100) + "Needle\n" + &numbered(100) + "NEEDLE"));
    drawn(&mut view, 20, 10);
    view.set_search(Some(Finder::new("needle", Case::Smart)));
    assert_eq!(view.find(true), Found::Here);
    let (rows, buffer) = frame(&mut view, 20, 10);
    let y = rows.iter().position(|row| row.starts_with("Needle")).unwrap() as u16;
    assert!(y > 0, "some lines before it are shown");
    assert_eq!(buffer[(0, y)].bg, theme.found(true).bg.unwrap());
    assert_eq!(buffer[(6, y)].bg, Buffer::empty(Rect::new(0, 0, 1, 1))[(0, 0)].bg);
    assert_eq!(view.find(true), Found::Here);
    assert!(view.is_at_bottom());
    assert_eq!(view.find(true), Found::Around);
    assert_eq!(view.find(false), Found::Around);
    assert_eq!(view.find(false), Found::Here);
    view.set_search(Some(Finder::new("nowhere", Case::Smart)));
    assert_eq!(view.find(true), Found::Nowhere);
}

#[test]
fn a_match_far_to_the_right_is_brought_into_view() {
    let mut view = view(&format!("{}needle{}", "x".repeat(5000), "y".repeat(5000)));
    view.set_wrap(false);
    drawn(&mut view, 40, 3);
    view.set_search(Some(Finder::new("needle", Case::Smart)));
    assert_eq!(view.find(true), Found::Here);
    assert!(drawn(&mut view, 40, 3)[0].contains("xneedley"));
    view.set_wrap(true);
    assert!(drawn(&mut view, 40, 3).concat().contains("needle"));
}

#[test]
fn lines_are_selected_as_they_are() {
    let mut view = view("a\nb\tb\nc\u{200B}\nd");
    view.set_gutter(true);
    drawn(&mut view, 30, 4);
    view.select(2);
    view.select_to(1);
    assert_eq!(view.selected_text(), Some("b\tb\nc\u{200B}"));
    assert_eq!(view.selection(), Some(1..=2));
    assert_eq!(view.line_at(5, 3), Some(3));
    assert_eq!(view.line_at(5, 4), None);
    view.select_to(99);
    assert_eq!(view.selected_text(), Some("c\u{200B}\nd"));
}

/// Far more than an optimised build takes: this code is not optimised and the machine is busy. What it must catch is
/// work on all of the text, which takes seconds.
const SOON: Duration = Duration::from_millis(500);

type Act = fn(&mut TextView);

#[test]
fn every_key_is_answered_at_once_in_megabytes() {
    let long = "lorem ipsum dolor sit amet ".repeat(400_000);
    let wide = "語🙏e\u{301} ".repeat(100_000);
    let json = format!("[{}]", "{\"a\":1},".repeat(700_000));
    let many = "0123456789abcdef\n".repeat(620_000);
    let zalgo = format!("a{}", "\u{301}".repeat(500_000));
    for text in [long, wide, json, many, "\n".repeat(10_000_000), zalgo] {
        let mut view = view(&text);
        view.set_gutter(true);
        drawn(&mut view, 100, 40);
        for wrap in [true, false] {
            let actions: [(&str, Act); 9] = [
                ("bottom", TextView::bottom),
                ("page up", |view| view.scroll_pages(-1.0)),
                ("up", |view| view.scroll(-1)),
                ("top", TextView::top_most),
                ("page down", |view| view.scroll_pages(1.0)),
                ("middle", |view| view.go_to_line(view.document().lines() / 2)),
                ("right", |view| view.scroll_sideways(50)),
                ("down", |view| view.scroll(1)),
                ("show", |view| view.show(5_000_000..5_000_003)),
            ];
            view.set_wrap(wrap);
            for (name, act) in actions {
                let started = Instant::now();
                act(&mut view);
                drawn(&mut view, 100, 40);
                // Measuring a line of 10 MB sideways is done once; the rest at once.
                let limit = if !wrap && name == "show" { SOON * 20 } else { SOON };
                assert!(started.elapsed() < limit, "{name} took {:?} on {:?}…", started.elapsed(), &text[..text.floor_char_boundary(10)]);
            }
        }
    }
}

proptest! {
    #[test]
    fn whatever_the_text_and_the_moves_drawing_shows_no_unsafe_cell(
        text in "(\\PC|[\n\t\r\u{1b}\u{200b}\u{202e}]){0,120}",
        moves in prop::collection::vec((0u8..8, -5isize..6), 0..12),
        sizes in prop::collection::vec((0u16..40, 0u16..12), 1..6),
        gutter: bool,
    ) {
        let mut view = view(&text);
        view.set_gutter(gutter);
        view.set_search(Some(Finder::new("a", Case::Ignore)));
        for (turn, (kind, count)) in moves.into_iter().enumerate() {
            match kind {
                0 => view.scroll(count),
                1 => view.scroll_sideways(count),
                2 => view.set_wrap(count > 0),
                3 => { view.find(count > 0); }
                4 => view.go_to_line(count.unsigned_abs()),
                5 => view.select_to(count.unsigned_abs()),
                6 => view.bottom(),
                _ => view.scroll_pages(count as f32),
            }
            let (width, height) = sizes[turn % sizes.len()];
            let area = Rect::new(0, 0, width, height);
            let mut buffer = Buffer::empty(area);
            view.render(area, &mut buffer, &Theme::default(), &mut Plain);
            for cell in buffer.content() {
                let unsafe_cell = cell.symbol().contains(|c: char| c.is_control() || matches!(c, '\u{200b}' | '\u{202e}'));
                prop_assert!(!unsafe_cell);
            }
        }
    }

    #[test]
    fn up_undoes_down(text in "(\\PC|\n){0,200}", width in 3u16..20, steps in 1usize..20) {
        let mut view = view(&text);
        drawn(&mut view, width, 1);
        let mut places = vec![view.top()];
        for _ in 0..steps {
            view.scroll(1);
            places.push(view.top());
        }
        places.dedup();
        for place in places.iter().rev() {
            prop_assert_eq!(view.top(), *place);
            view.scroll(-1);
        }
    }
}
