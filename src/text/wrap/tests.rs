//! Rows as a reader would break them; and rows that tile whatever the text.

use proptest::prelude::*;

use super::*;
use crate::text::width::width as columns;

fn wrapped(text: &str, width: usize) -> Vec<&str> {
    rows(text, 0..text.len(), width).map(|row| &text[row]).collect()
}

#[test]
fn at_words_where_it_can_and_hard_where_it_must() {
    for (text, width, expected) in [
        ("", 5, vec![""]),
        ("abc", 3, vec!["abc"]),
        ("the quick brown fox", 10, vec!["the quick ", "brown fox"]),
        ("the quick brown fox", 9, vec!["the quick ", "brown fox"]),
        ("the quick brown fox", 8, vec!["the ", "quick ", "brown ", "fox"]),
        ("abcdefgh", 3, vec!["abc", "def", "gh"]),
        ("ab cdefgh", 4, vec!["ab ", "cdef", "gh"]),
        ("한국어", 4, vec!["한국", "어"]),
        ("한국어", 3, vec!["한", "국", "어"]),
        ("한", 1, vec!["한"]),
        ("a      b", 3, vec!["a   ", "   ", "b"]),
        ("abc", 0, vec!["a", "b", "c"]),
    ] {
        assert_eq!(wrapped(text, width), expected, "{text:?} {width}");
    }
}

#[test]
fn chunks_tile_a_long_line_of_any_kind() {
    for unit in ["x", "語", "🙏", "e\u{301}", "👩‍🔬", "word ", "🇪🇸", "\u{301}", "\u{1b}[1m"] {
        let text = unit.repeat(200_000 / unit.len());
        let mut at = 0;
        let mut count = 0;
        while at < text.len() {
            let this = chunk(&text, at);
            assert_eq!(this.start, at, "{unit:?}");
            assert!(this.end > at && this.len() <= CHUNK + 1024, "{unit:?} {this:?}");
            for inside in [this.start, this.start + this.len() / 2, this.end - 1] {
                assert_eq!(chunk(&text, inside), this, "{unit:?}");
            }
            at = this.end;
            count += 1;
        }
        assert!(count >= 200_000 / CHUNK, "{unit:?}");
        assert_eq!(chunk(&text, text.len()).end, text.len());
    }
}

#[test]
fn no_cluster_is_cut_at_a_chunk() {
    for unit in ["👩‍🔬", "e\u{301}", "👨‍👩‍👧‍👦"] {
        for shift in 0..40 {
            let text = "x".repeat(shift) + &unit.repeat(3 * CHUNK / unit.len());
            let mut at = 0;
            while at < text.len() {
                at = chunk(&text, at).end;
                assert!(at <= shift || (at - shift).is_multiple_of(unit.len()), "{unit} {shift} {at}");
            }
        }
    }
}

proptest! {
    #[test]
    fn rows_tile_and_fit(text in "\\PC{0,80}", width in 1usize..30) {
        let mut end = 0;
        for row in rows(&text, 0..text.len(), width) {
            prop_assert_eq!(row.start, end);
            end = row.end;
            let shown = &text[row];
            // A blank may hang over the edge; a piece wider than the row stands alone.
            let one = crate::text::piece::pieces(shown, Strictness::Body).count() == 1;
            prop_assert!(one || columns(shown.trim_end_matches(char::is_whitespace)) <= width, "{:?}", shown);
        }
        prop_assert_eq!(end, text.len());
    }
}
