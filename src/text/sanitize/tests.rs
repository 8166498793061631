//! Right values are from the Unicode names and UTS #51, written by hand.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::text::hidden;
use crate::text::width::width;

#[test]
fn clean_text_is_borrowed() {
    for text in ["", "plain ASCII ~", "한국", "é e\u{301}", "👩‍🔬 ♻️ 🇪🇸 ① 1️⃣", "עברית"] {
        assert!(matches!(line(text), Cow::Borrowed(same) if same == text), "{text}");
    }
    assert!(matches!(terminal("two\nlines\tand a tab"), Cow::Borrowed(_)));
}

#[test]
fn escape_sequences_become_pictures() {
    for (raw, shown) in [
        ("\u{1b}[2J", "␛[2J"),
        ("\u{1b}]52;c;aGk=\u{7}", "␛]52;c;aGk=␇"),
        ("\u{1b}]0;x\u{7}", "␛]0;x␇"),
        ("\u{9b}2J", "⟨U+009B⟩2J"),
        ("a\rb", "a␍b"),
        ("a\u{8}b\0\u{7f}", "a␈b␀␡"),
    ] {
        for safe in [name(raw), line(raw), terminal(raw)] {
            assert_eq!(safe, shown);
        }
    }
    assert_eq!(terminal("a\r\nb\n"), "a␍\nb\n");
    assert_eq!(line("a\nb"), "a␊b");
}

#[test]
fn hidden_and_reordering_characters_are_spelled_out() {
    let hidden = ('\u{200B}'..='\u{200F}')
        .chain('\u{202A}'..='\u{202E}')
        .chain('\u{2066}'..='\u{2069}')
        .chain(['\u{FEFF}', '\u{AD}', '\u{61C}', '\u{2060}', '\u{34F}', '\u{115F}', '\u{3164}', '\u{FFA0}', '\u{2028}'])
        .chain(['\u{E0041}', '\u{E0100}', '\u{FE00}', '\u{FE0F}', '\u{FFF9}', '\u{FFFE}', '\u{10FFFF}', '\u{180E}']);
    for c in hidden {
        let spelled = format!("a⟨U+{:04X}⟩b", c as u32);
        let raw = format!("a{c}b");
        assert_eq!(name(&raw), spelled);
        assert_eq!(line(&raw), spelled);
        assert_eq!(terminal(&raw), spelled);
    }
}

#[test]
fn emoji_sequences_stay_and_their_parts_elsewhere_do_not() {
    for (raw, shown) in [
        ("👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"),
        ("❤️‍🔥", "❤️‍🔥"),
        ("👩🏽‍🚀", "👩🏽‍🚀"),
        ("🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}", "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"),
        ("🏴\u{E0061}\u{E007F}", "🏴⟨U+E0061⟩⟨U+E007F⟩"),
        ("👩\u{200D}", "👩⟨U+200D⟩"),
        ("👩\u{200D}a", "👩⟨U+200D⟩a"),
        ("a\u{200D}👩", "a⟨U+200D⟩👩"),
        ("x\u{FE0F}", "x⟨U+FE0F⟩"),
        ("語\u{E0100}", "語⟨U+E0100⟩"),
    ] {
        assert_eq!(name(raw), shown);
        assert_eq!(line(raw), shown);
    }
    // A selector that changes nothing that is seen is kept in running text and told in a name.
    assert_eq!(line("⚡\u{FE0F}"), "⚡\u{FE0F}");
    assert_eq!(name("⚡\u{FE0F}"), "⚡⟨U+FE0F⟩");
}

#[test]
fn marks_need_a_base_and_are_not_stacked_for_ever() {
    assert_eq!(line("\u{301}a"), "⟨U+0301⟩a");
    assert_eq!(line("a\u{1b}\u{301}"), "a␛⟨U+0301⟩");
    let tower = format!("a{}b", "\u{301}".repeat(1000));
    let shown = line(&tower);
    assert!(shown.starts_with("a\u{301}") && shown.ends_with("⟨U+0301⟩b"));
    assert_eq!(shown.matches('\u{301}').count(), 8);
    assert_eq!(shown.matches("⟨U+0301⟩").count(), 992);
}

#[test]
fn tabs_reach_the_next_stop_in_lines_and_are_told_in_names() {
    assert_eq!(line("\ta"), "        a");
    assert_eq!(line("1234567\ta\tb"), "1234567 a       b");
    assert_eq!(line("語\ta"), "語      a");
    assert_eq!(name("a\tb"), "a␉b");
}

#[test]
fn names_that_differ_look_different() {
    let mut seen = HashMap::new();
    let parts = [
        "a",
        " ",
        "\t",
        "\u{A0}",
        "\u{2003}",
        "\u{3000}",
        "\u{2800}",
        "\u{200B}",
        "\u{200D}",
        "\u{202E}",
        "\u{FEFF}",
        "\u{1b}",
        "␛",
        "␉",
        "⟨U+200B⟩",
        "⟨",
        "U+200B⟩",
        "⚡",
        "⚡\u{FE0F}",
        "\u{FE0E}",
        "\u{301}",
    ];
    for a in parts {
        for b in parts {
            for c in parts {
                let raw = [a, b, c].concat();
                let shown = name(&raw).into_owned();
                let other = seen.insert(shown.clone(), raw.clone());
                assert!(other.as_ref().is_none_or(|other| *other == raw), "{other:?} and {raw:?} both look like {shown:?}");
            }
        }
    }
}

fn is_safe(text: &str, keeps: &[char]) -> bool {
    // Joiners, selectors and tags are judged by the tables above: within a sequence they are safe.
    let sequence = |c| matches!(c, '\u{200D}' | '\u{FE0E}' | '\u{FE0F}' | '\u{E0061}'..='\u{E007F}');
    text.chars().all(|c| keeps.contains(&c) || sequence(c) || !(c.is_control() || hidden::is_hidden(c)))
}

/// Characters from everywhere, the troublesome ones often.
fn any_text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        '\u{200D}',
        '\u{FE0F}',
        '\u{FE0E}',
        '\u{301}',
        '\u{202E}',
        '\u{1b}',
        '\t',
        '\r',
        '\n',
        '👩',
        '🔬',
        '❤',
        '🇪',
        '🇸',
        '🏴',
        '\u{E0067}',
        '\u{E007F}',
        '1',
        '\u{20E3}',
        '語',
        'क',
        '\u{94D}',
        '\u{1100}',
        '\u{1161}',
        'ﾊ',
        '\u{FF9F}',
        '\u{600}',
        'ß',
        'İ',
        '🏽',
        ' ',
        'a',
    ]);
    prop::collection::vec(prop_oneof![odd, any::<char>()], 0..40).prop_map(String::from_iter)
}

proptest! {
    #[test]
    fn nothing_unsafe_comes_out(text in any_text()) {
        prop_assert!(is_safe(&name(&text), &[]));
        prop_assert!(is_safe(&line(&text), &[]));
        prop_assert!(is_safe(&terminal(&text), &['\n', '\t']));
    }

    #[test]
    fn showing_twice_changes_nothing(text in any_text()) {
        let once = line(&text).into_owned();
        prop_assert_eq!(&line(&once), &once);
        let once = terminal(&text).into_owned();
        prop_assert_eq!(&terminal(&once), &once);
    }

    #[test]
    fn pieces_tile_the_line_and_their_widths_sum_up(text in any_text()) {
        let mut end = 0;
        let mut columns = 0;
        for piece in pieces(&text, Strictness::Body) {
            prop_assert_eq!(piece.start, end);
            prop_assert!(piece.end > piece.start && piece.width > 0);
            end = piece.end;
            columns += piece.width;
        }
        prop_assert_eq!(end, text.len());
        prop_assert_eq!(columns, width(&line(&text)));
    }
}

#[test]
fn the_fast_path_agrees_with_the_rules() {
    use unicode_segmentation::UnicodeSegmentation as _;
    // Every character is drawn as wide as its rules say, alone and beside itself, ASCII and a letter.
    for c in ('\u{A0}'..='\u{FFFF}').filter(|c| !hidden::is_hidden(*c)) {
        for text in [format!("{c}"), format!("{c}{c}"), format!("{c}a"), format!("{c}é"), format!("{c}語")] {
            if text.graphemes(true).all(|cluster| crate::text::piece::cluster_width(cluster) > 0) {
                let ours: Vec<_> = pieces(&text, Strictness::Body).map(|piece| (&text[piece.range()], piece.width)).collect();
                let rules: Vec<_> = text.graphemes(true).map(|cluster| (cluster, crate::text::piece::cluster_width(cluster))).collect();
                assert_eq!(ours, rules, "U+{:04X}", c as u32);
            }
        }
    }
}
