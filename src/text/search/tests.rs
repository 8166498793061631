//! Ranges are ranges of the text as it is, whatever folding does to its length.

use proptest::prelude::*;

use super::*;

fn all(text: &str, needle: &str) -> Vec<String> {
    Finder::new(needle, Case::Ignore).find_all(text).map(|range| text[range].to_owned()).collect()
}

#[test]
fn letters_that_change_length() {
    for (text, needle, found) in [
        ("İstanbul istanbul ISTANBUL", "istanbul", vec!["istanbul", "ISTANBUL"]),
        ("İstanbul", "i̇stanbul", vec!["İstanbul"]),
        ("straße STRASSE Straẞe", "strasse", vec!["straße", "STRASSE", "Straẞe"]),
        ("ss ß ẞ", "ß", vec!["ss", "ß", "ẞ"]),
        ("ß", "s", vec![]),
        ("Σίσυφος ΣΊΣΥΦΟΣ", "σίσυφος", vec!["Σίσυφος", "ΣΊΣΥΦΟΣ"]),
        ("\u{212A}elvin", "kelvin", vec!["\u{212A}elvin"]),
        ("語語", "語", vec!["語", "語"]),
        ("🙏a🙏", "🙏A", vec!["🙏a"]),
        ("aaa", "aa", vec!["aa"]),
        ("abc", "", vec![]),
        ("", "a", vec![]),
        ("ﬁn FIN", "fin", vec!["ﬁn", "FIN"]),
    ] {
        assert_eq!(all(text, needle), found, "{needle} in {text}");
    }
}

#[test]
fn case() {
    let find = |needle, case| Finder::new(needle, case).find("ctx CTX", 1);
    assert_eq!(find("ctx", Case::Smart), Some(4..7));
    assert_eq!(find("CTX", Case::Smart), Some(4..7));
    assert_eq!(find("ctx", Case::Exact), None);
    assert_eq!(Finder::new("Ctx", Case::Smart).find("ctx CTX", 0), None);
}

#[test]
fn every_offset() {
    for needle in ["語", "🙏", "İ", "ß"] {
        let finder = Finder::new(needle, Case::Ignore);
        for offset in 0..300 {
            let text = format!("{}{needle}{}", "é".repeat(offset), "語🙏".repeat(10));
            let at = offset * 2;
            for from in [0, at, at.saturating_sub(1)] {
                assert_eq!(finder.find(&text, from), Some(at..at + needle.len()), "{needle} {offset} {from}");
            }
            assert!(finder.find(&text, at + 1).is_none_or(|found| found.start > at));
            assert!(finder.find(&text, text.len() + 5).is_none());
        }
    }
}

#[test]
fn backwards_over_windows() {
    let text = format!("needle{}needle{}", "x".repeat(200_000), "y".repeat(70_000));
    let finder = Finder::new("needle", Case::Ignore);
    assert_eq!(finder.find_last(&text, text.len()), Some(200_006..200_012));
    assert_eq!(finder.find_last(&text, 200_006), Some(0..6));
    assert_eq!(finder.find_last(&text, 200_007), Some(200_006..200_012));
    assert_eq!(finder.find_last(&text, 0), None);
    // Across the border of two windows.
    let text = format!("{}needle{}", "x".repeat(65_533), "y".repeat(65_536));
    assert_eq!(finder.find_last(&text, text.len()), Some(65_533..65_539));
}

proptest! {
    #[test]
    fn agrees_with_the_plain_way_on_ascii(text in "[abAB ]{0,60}", needle in "[abAB]{1,3}") {
        let plain: Vec<_> = text.to_ascii_lowercase().match_indices(&needle.to_ascii_lowercase()).map(|(at, _)| at).collect();
        let ours: Vec<_> = Finder::new(&needle, Case::Ignore).find_all(&text).map(|range| range.start).collect();
        prop_assert_eq!(ours, plain);
    }

    #[test]
    fn ranges_are_valid_and_reach_no_further_than_said(text in "\\PC{0,30}", needle in "\\PC{1,3}") {
        let finder = Finder::new(&needle, Case::Ignore);
        for range in finder.find_all(&text) {
            prop_assert!(text.get(range.clone()).is_some());
            prop_assert!(range.len() <= finder.longest_match());
        }
        let embedded = format!("{text}{needle}{text}");
        prop_assert!(finder.find(&embedded, 0).is_some());
    }
}
