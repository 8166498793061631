//! Columns counted by hand; cuts at every place.

use proptest::prelude::*;

use super::*;

#[test]
fn columns() {
    for (text, columns) in [
        ("", 0),
        ("abc", 3),
        ("한국", 4),
        ("👩‍🔬", 2),
        ("♻️", 2),
        ("é", 1),
        ("e\u{301}", 1),
        ("🇪🇸", 2),
        ("①", 1),
        ("\u{202E}", 8),
        ("\u{1b}", 1),
        ("\t", 8),
    ] {
        assert_eq!(width(text), columns, "{text}");
    }
}

#[test]
fn cutting_at_the_right() {
    for (text, columns, cut) in [
        ("household", 9, "household"),
        ("household", 8, "househo…"),
        ("household", 1, "…"),
        ("household", 0, ""),
        ("", 0, ""),
        ("한국어", 6, "한국어"),
        ("한국어", 5, "한국…"),
        ("한국어", 4, "한…"),
        ("한국어", 2, "…"),
        ("a👩‍🔬b", 3, "a…"),
        ("a👩‍🔬b", 4, "a👩‍🔬b"),
        ("a\u{202E}b", 9, "a…"),
        ("a\u{1b}bc", 3, "a␛…"),
    ] {
        assert_eq!(truncate(text, columns), cut, "{text} {columns}");
    }
}

#[test]
fn cutting_in_the_middle() {
    for (text, columns, cut) in [
        ("src/memory/anchor.rs", 20, "src/memory/anchor.rs"),
        ("src/memory/anchor.rs", 11, "src/m…or.rs"),
        ("abcdef", 2, "a…"),
        ("abcdef", 1, "…"),
        ("abcdef", 0, ""),
        ("한국어한국어", 6, "한…어"),
    ] {
        assert_eq!(truncate_middle(text, columns), cut, "{text} {columns}");
    }
}

#[test]
fn padding() {
    assert_eq!(pad("한", 4), "한  ");
    assert_eq!(pad("한국", 3), "한…");
    assert_eq!(pad("한국어", 4), "한… ");
    assert_eq!(pad_left("7", 3), "  7");
}

#[test]
fn multibyte_text_at_every_offset() {
    for wide in ["語", "🙏", "İ", "ß", "👩‍🔬", "e\u{301}"] {
        for offset in 0..300 {
            let text = format!("{}{}{}", "x".repeat(offset), wide, "y".repeat(300 - offset));
            for columns in [0, 1, 2, offset, offset + 1, offset + 2, 299, 300] {
                for cut in [truncate(&text, columns), truncate_middle(&text, columns)] {
                    assert!(width(&cut) <= columns, "{wide} {offset} {columns}");
                }
                assert_eq!(width(&pad(&text, columns)), columns);
            }
        }
    }
}

#[test]
fn a_long_text_is_cut_at_once() {
    let text = "語".repeat(2_000_000);
    let started = std::time::Instant::now();
    for _ in 0..100 {
        assert_eq!(width(&truncate(&text, 80)), 79);
        assert_eq!(width(&truncate_middle(&text, 80)), 79);
    }
    assert!(started.elapsed().as_millis() < 500, "{:?}", started.elapsed());
}

proptest! {
    #[test]
    fn cuts_fit_and_only_cut_when_they_must(text in "\\PC{0,40}", columns in 0usize..50) {
        let whole = width(&text);
        for cut in [truncate(&text, columns), truncate_middle(&text, columns)] {
            prop_assert!(width(&cut) <= columns);
            if whole <= columns {
                prop_assert_eq!(&cut, &crate::text::sanitize::line(&text));
            } else if columns > 0 {
                prop_assert!(cut.contains(ELLIPSIS));
            }
        }
    }
}
