//! Numbers and names as the screen says them, in one place, so that a thing is called the same everywhere.

use std::time::Duration;

use crate::session::Author;

/// `6,932`.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// The signed change from one number of tokens to another: `−6,522`, `+1,800`, `0 freed`.
pub(crate) fn change(before: u64, after: u64) -> String {
    match after.cmp(&before) {
        std::cmp::Ordering::Less => format!("−{}", thousands(before - after)),
        std::cmp::Ordering::Equal => "0 freed".into(),
        std::cmp::Ordering::Greater => format!("+{}", thousands(after - before)),
    }
}

/// Who did it.
pub(crate) fn author(author: Author) -> &'static str {
    match author {
        Author::Agent => "the agent",
        Author::Human => "you",
        Author::Fallback => "the fallback rule",
    }
}

/// Whole percent of a limit, as it is: 112 % is 112. Rounded down, and never 100 below the limit.
pub(crate) fn percent(part: u64, of: u64) -> Option<u64> {
    (of > 0).then(|| u64::try_from(u128::from(part) * 100 / u128::from(of)).unwrap_or(u64::MAX))
}

/// `4 s`, `2 min 05 s`.
pub(crate) fn elapsed(time: Duration) -> String {
    let s = time.as_secs();
    if s < 60 { format!("{s} s") } else { format!("{} min {:02} s", s / 60, s % 60) }
}

/// `1 block`, `3 blocks`.
pub(crate) fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {one}s", thousands(n as u64)) }
}

/// A text as part of a file name.
pub(crate) fn file_name(text: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let name: String = text.chars().take(80).map(safe).collect();
    // Neither hidden nor a way out of the folder.
    name.trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1000), "1,000");
        assert_eq!(thousands(1_475_805), "1,475,805");
        assert_eq!(change(8012, 8012), "0 freed");
        assert_eq!(change(1200, 3000), "+1,800");
        assert_eq!(change(6932, 410), "−6,522");
        assert_eq!(percent(2500, 1000), Some(250));
        assert_eq!(percent(7999, 8000), Some(99));
        assert_eq!(percent(u64::MAX, 1), Some(u64::MAX));
        assert_eq!(percent(5, 0), None);
    }

    #[test]
    fn names_of_files_stay_in_their_folder() {
        assert_eq!(file_name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(file_name("..."), "");
        assert_eq!(file_name("a\u{202e}b\u{1b}[2J"), "a_b__2J");
    }
}
