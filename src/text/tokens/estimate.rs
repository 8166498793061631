//! A token estimate that does not fail on CJK, base64 or minified code.
//!
//! Characters divided by four undercounts Chinese four to six times and base64 by half; here each
//! run of one script is charged its own price. Always marked `≈` by whoever shows it.

use super::TokenCounter;

/// Script-aware estimate; see the module page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimate;

/// Cost in sixtieths of a token, so that the sum is exact in integers on every platform.
const TOKEN: u64 = 60;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Space,
    Newline,
    Punctuation,
    Wide,
    Other,
}

fn class(c: char) -> Class {
    match c {
        '\n' | '\r' => Class::Newline,
        ' ' | '\t' => Class::Space,
        '0'..='9' => Class::Digit,
        'a'..='z' | 'A'..='Z' => Class::Letter,
        c if c.is_ascii() => Class::Punctuation,
        // CJK, kana, hangul, full-width forms.
        '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' => Class::Wide,
        c if (c as u32) > 0xFFFF => Class::Wide,
        _ => Class::Other,
    }
}

impl Estimate {
    /// Byte length covered, and cost, of the first run of one class in `text`.
    fn run(text: &str) -> Option<(usize, u64)> {
        let first = class(text.chars().next()?);
        let end = text.char_indices().find(|&(_, c)| class(c) != first).map_or(text.len(), |(i, _)| i);
        let run = text.get(..end)?;
        let n = run.chars().count() as u64;
        let cost = match first {
            // A short word is one token; long runs without a break (base64, identifiers) split about every three letters.
            Class::Letter if n <= 7 => TOKEN,
            Class::Letter => TOKEN * n.div_ceil(4).max(2),
            Class::Digit => TOKEN * n.div_ceil(3),
            // One space belongs to the next word; longer runs are one token each 16.
            Class::Space if n == 1 => 0,
            Class::Space => TOKEN * n.div_ceil(16),
            Class::Newline => TOKEN * n.div_ceil(4),
            Class::Punctuation => TOKEN * n.div_ceil(2),
            Class::Wide => TOKEN * n + n * 6,
            Class::Other => TOKEN * n.div_ceil(2),
        };
        Some((end, cost))
    }
}

impl TokenCounter for Estimate {
    fn name(&self) -> &str {
        "estimate"
    }
    fn exact(&self) -> bool {
        false
    }
    fn count(&self, text: &str) -> u32 {
        let (mut rest, mut cost) = (text, 0);
        while let Some((end, c)) = Self::run(rest) {
            cost += c;
            rest = rest.get(end..).unwrap_or("");
        }
        u32::try_from(cost.div_ceil(TOKEN)).unwrap_or(u32::MAX)
    }
    fn prefix(&self, text: &str, limit: u32) -> usize {
        // Runs are indivisible here except where one alone is over the limit.
        let (mut at, mut cost) = (0, 0);
        let budget = u64::from(limit) * TOKEN;
        while let Some((end, c)) = text.get(at..).and_then(Self::run) {
            if cost + c > budget {
                let run = text.get(at..at + end).unwrap_or("");
                let mut fit = 0;
                for (i, ch) in run.char_indices() {
                    let next = i + ch.len_utf8();
                    let price = run.get(..next).and_then(Self::run).map_or(0, |r| r.1);
                    if cost + price > budget {
                        break;
                    }
                    fit = next;
                    if next > 4096 {
                        break;
                    }
                }
                return at + fit;
            }
            cost += c;
            at += end;
        }
        text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_a_quarter_per_character_gets_wrong() {
        let c = Estimate;
        assert_eq!(c.count(""), 0);
        assert!(c.count(&"语".repeat(2000)) >= 2000);
        assert!(c.count(&"aGVsbG8gd29ybGQ".repeat(134)) >= 2000 / 4);
        assert_eq!(c.count(&"\n".repeat(500)), 125);
        assert_eq!(c.count("hello world"), 2);
    }

    #[test]
    fn a_prefix_is_never_over_its_limit() {
        let c = Estimate;
        let text = "hello 语言模型 12345 aGVsbG8gd29ybGQhISE= 🙏🙏\n\n\nend";
        for limit in 0..40 {
            let n = c.prefix(text, limit);
            assert!(text.is_char_boundary(n));
            assert!(c.count(&text[..n]) <= limit);
        }
    }
}
