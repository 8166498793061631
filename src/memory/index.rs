//! Index: the stable name under which a block is archived.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// 1–64 characters of letters, digits, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Index(Arc<str>);

impl<'de> Deserialize<'de> for Index {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Self::new(&text).map_err(serde::de::Error::custom)
    }
}

/// Why a text is not an index.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// Nothing but space.
    #[error("the index is empty: give it 1 to 64 letters, digits, `_` or `-`")]
    Empty,
    /// Over 64 characters.
    #[error("the index has {0} characters, at most 64 are allowed")]
    TooLong(usize),
    /// A character outside the syntax.
    #[error("{0:?} cannot stand in an index: letters, digits, `_` and `-` can")]
    Character(char),
}

impl Index {
    /// Longest index, in characters.
    pub const MAX: usize = 64;

    /// Trims and checks.
    ///
    /// # Errors
    /// [`IndexError`] names what is wrong.
    pub fn new(text: &str) -> Result<Self, IndexError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(IndexError::Empty);
        }
        if let Some(c) = text.chars().find(|c| !(c.is_alphanumeric() || matches!(c, '_' | '-'))) {
            return Err(IndexError::Character(c));
        }
        let n = text.chars().count();
        if n > Self::MAX { Err(IndexError::TooLong(n)) } else { Ok(Self(text.into())) }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Index {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The up to `n` known indices most like `wanted`, most like first.
///
/// Likeness is the Damerau–Levenshtein distance (a swap of neighbours is one error), ties by name.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a Index>, n: usize) -> Vec<Index> {
    let wanted: Vec<char> = wanted.chars().take(Index::MAX * 2).flat_map(char::to_lowercase).collect();
    let mut rated: Vec<(usize, &Index)> =
        known.into_iter().map(|i| (distance(&wanted, &i.as_str().chars().flat_map(char::to_lowercase).collect::<Vec<_>>()), i)).collect();
    rated.sort();
    rated.into_iter().take(n).map(|(_, i)| i.clone()).collect()
}

/// Optimal string alignment distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect(), vec![0; b.len() + 1]];
    for (i, ca) in a.iter().enumerate() {
        let [before, last, row] = &mut rows;
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
        for (j, cb) in b.iter().enumerate() {
            let get = |r: &[usize], k: usize| r.get(k).copied().unwrap_or(usize::MAX / 2);
            let mut best = (get(last, j) + usize::from(ca != cb)).min(get(last, j + 1) + 1).min(get(row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(cb) && b.get(j - 1) == Some(ca);
            if swapped {
                best = best.min(get(before, j - 1) + 1);
            }
            if let Some(cell) = row.get_mut(j + 1) {
                *cell = best;
            }
        }
        rows.rotate_left(1);
    }
    rows[1].last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn syntax() {
        assert_eq!(Index::new("  ctx_001 ").unwrap().as_str(), "ctx_001");
        assert_eq!(Index::new("   "), Err(IndexError::Empty));
        assert_eq!(Index::new("a/b"), Err(IndexError::Character('/')));
        assert_eq!(Index::new("../x"), Err(IndexError::Character('.')));
        assert_eq!(Index::new("a\0b"), Err(IndexError::Character('\0')));
        assert_eq!(Index::new(&"x".repeat(65)), Err(IndexError::TooLong(65)));
        assert!(Index::new(&"x".repeat(64)).is_ok());
        assert!(Index::new("con").is_ok());
        // Two spellings of é stay two keys; a combining accent alone is no letter.
        assert!(Index::new("caf\u{e9}").is_ok());
        assert!(Index::new("cafe\u{301}").is_err());
        assert!(Index::new("a\u{202e}b").is_err());
    }

    #[test]
    fn distances() {
        let d = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(d("", ""), 0);
        assert_eq!(d("abc", ""), 3);
        assert_eq!(d("", "abc"), 3);
        assert_eq!(d("kitten", "sitting"), 3);
        assert_eq!(d("snapshot", "snaphsot"), 1);
        assert_eq!(d("ca", "abc"), 3);
    }

    #[test]
    fn nearest_three() {
        let known: Vec<Index> =
            ["ctx_repo_snapshot_001", "ctx_units_code_002", "ctx_search_001", "zzz"].iter().map(|s| Index::new(s).unwrap()).collect();
        let near = nearest("ctx_repo_snaphot_001", &known, 3);
        assert_eq!(near.len(), 3);
        assert_eq!(near[0].as_str(), "ctx_repo_snapshot_001");
        assert_eq!(nearest("CTX_SEARCH_001", &known, 1)[0].as_str(), "ctx_search_001");
        assert!(nearest("x", &[], 3).is_empty());
    }
}
