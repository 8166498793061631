//! ContextStatus(M, τ): the deterministic message of line 8 of Algorithm 1.

use serde::{Deserialize, Serialize};

use super::{Context, Index};

/// How far W is from τ. The agent is warned, never forced (soft triggering, §3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// At most 0.8 τ.
    #[default]
    Ok,
    /// Above 0.8 τ.
    Near,
    /// Above τ.
    Over,
}

/// The numbers of the status line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextStatus {
    /// W, tokens of M_work.
    pub working: u64,
    /// T, tokens of all of M, tool schemas included.
    pub total: u64,
    /// τ, tokens.
    pub threshold: u64,
}

impl ContextStatus {
    /// Reads the numbers off M.
    #[must_use]
    pub fn of(context: &Context, threshold: u64) -> Self {
        Self { working: context.working(), total: context.total(), threshold }
    }

    /// Near above 0.8 τ, over above τ; exact in integers.
    #[must_use]
    pub fn level(&self) -> Level {
        if self.working > self.threshold {
            Level::Over
        } else if u128::from(self.working) * 5 > u128::from(self.threshold) * 4 {
            Level::Near
        } else {
            Level::Ok
        }
    }

    /// The text that enters M. `can_compress` is false in the memory modes that have no CompressExperience.
    pub fn render<'a>(&self, stored: impl IntoIterator<Item = &'a Index>, can_compress: bool) -> String {
        let Self { working, total, threshold } = self;
        let mut text = format!("[Context Status: working={working}, total={total}, threshold={threshold}]");
        for (n, index) in stored.into_iter().enumerate() {
            text += if n == 0 { "\nStored indices: " } else { ", " };
            text += index.as_str();
        }
        match self.level() {
            Level::Near if can_compress => {
                text += "\nWarning: the working context is near the threshold. Call CompressExperience soon, before it is exceeded.";
            }
            Level::Over if can_compress => {
                text += "\nWARNING: the working context is over the threshold. Call CompressExperience now.";
            }
            Level::Near | Level::Over => text += "\nWarning: the working context is close to or over the threshold.",
            Level::Ok => {}
        }
        text
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn levels_are_strictly_above_their_limits() {
        let at = |working| ContextStatus { working, total: 0, threshold: 1000 }.level();
        assert_eq!((at(800), at(801), at(1000), at(1001)), (Level::Ok, Level::Near, Level::Near, Level::Over));
        assert_eq!(ContextStatus { working: 1, total: 1, threshold: 0 }.level(), Level::Over);
        assert_eq!(ContextStatus { working: u64::MAX, total: 1, threshold: u64::MAX }.level(), Level::Near);
    }

    #[test]
    fn text() {
        let s = ContextStatus { working: 6932, total: 7887, threshold: 8000 };
        let stored = [Index::new("ctx_001").unwrap(), Index::new("ctx_002").unwrap()];
        let text = s.render(&stored, true);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "[Context Status: working=6932, total=7887, threshold=8000]");
        assert_eq!(lines[1], "Stored indices: ctx_001, ctx_002");
        assert!(lines[2].starts_with("Warning:"));
        let calm = ContextStatus { working: 10, ..s };
        assert_eq!(calm.render([], true), "[Context Status: working=10, total=7887, threshold=8000]");
    }
}
