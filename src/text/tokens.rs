//! Token counts: one trait, the embedded vocabularies behind it, and an estimate for when there is none.
//!
//! Whoever creates a message counts it once; totals are kept, never recomputed. The vocabularies
//! take tens of milliseconds to unpack, so they load on first use, which callers arrange to be
//! off the first frame.

use std::path::PathBuf;
use std::sync::Arc;

mod estimate;
#[cfg(feature = "tokenizer-file")]
mod file;

pub use estimate::Estimate;

/// Counts tokens of a text, and finds token boundaries in it.
///
/// Deterministic: the same text gives the same number on every platform.
pub trait TokenCounter: Send + Sync {
    /// What the count is called in journals and on screen, e.g. `o200k`.
    fn name(&self) -> &str;
    /// Whether the numbers are a vocabulary's own; an estimate is shown with `≈`.
    fn exact(&self) -> bool;
    /// Number of tokens in `text`; 0 for the empty text.
    fn count(&self, text: &str) -> u32;
    /// Byte length of the longest prefix of `text` that ends on a token boundary and on a
    /// character boundary and has at most `limit` tokens.
    fn prefix(&self, text: &str, limit: u32) -> usize;
}

/// A shared counter: the agent, the preview and the command line count with the same one.
pub type Counter = Arc<dyn TokenCounter>;

/// Which counter to use; parsed from `--tokenizer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenizerChoice {
    /// OpenAI's o200k vocabulary.
    O200k,
    /// OpenAI's cl100k vocabulary.
    Cl100k,
    /// Script-aware estimate, no vocabulary.
    Estimate,
    /// A Hugging Face `tokenizer.json`.
    File(PathBuf),
}

/// Why a tokenizer cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// The vocabulary was left out when this binary was built.
    #[error("this build has no {0} vocabulary: rebuild with `--features {1}`, or use --tokenizer estimate")]
    NotBuilt(&'static str, &'static str),
    /// A tokenizer file could not be read.
    #[error("cannot read the tokenizer {path}: {why}")]
    File {
        /// The file named by the user.
        path: PathBuf,
        /// What the reader said.
        why: String,
    },
}

impl std::str::FromStr for TokenizerChoice {
    type Err = std::convert::Infallible;
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Ok(match s {
            "o200k" => Self::O200k,
            "cl100k" => Self::Cl100k,
            "estimate" => Self::Estimate,
            path => Self::File(PathBuf::from(path)),
        })
    }
}

impl TokenizerChoice {
    /// The counter. Embedded vocabularies are unpacked at the first count, files are read here.
    ///
    /// # Errors
    /// [`TokenizerError`] when the vocabulary is not in this build or the file cannot be used.
    pub fn load(&self) -> Result<Counter, TokenizerError> {
        match self {
            #[cfg(feature = "o200k")]
            Self::O200k => Ok(Arc::new(Bpe::new("o200k", bpe_openai::o200k_base))),
            #[cfg(not(feature = "o200k"))]
            Self::O200k => Err(TokenizerError::NotBuilt("o200k", "o200k")),
            #[cfg(feature = "cl100k")]
            Self::Cl100k => Ok(Arc::new(Bpe::new("cl100k", bpe_openai::cl100k_base))),
            #[cfg(not(feature = "cl100k"))]
            Self::Cl100k => Err(TokenizerError::NotBuilt("cl100k", "cl100k")),
            Self::Estimate => Ok(Arc::new(Estimate)),
            #[cfg(feature = "tokenizer-file")]
            Self::File(path) => Ok(Arc::new(file::FileTokenizer::open(path)?)),
            #[cfg(not(feature = "tokenizer-file"))]
            Self::File(path) => {
                if path.exists() {
                    Err(TokenizerError::NotBuilt("tokenizer.json", "tokenizer-file"))
                } else {
                    Err(TokenizerError::File { path: path.clone(), why: "no such file, and not one of o200k, cl100k, estimate".into() })
                }
            }
        }
    }

    /// The counter to use by default: o200k where built in, else the estimate.
    #[must_use]
    pub fn preferred() -> Self {
        if cfg!(feature = "o200k") { Self::O200k } else { Self::Estimate }
    }
}

/// A byte-pair vocabulary of `bpe-openai`.
#[cfg(any(feature = "o200k", feature = "cl100k"))]
struct Bpe {
    name: &'static str,
    /// Unpacks the vocabulary at the first call (tens of milliseconds), which is why it is not called before the first count.
    tokenizer: fn() -> &'static bpe_openai::Tokenizer,
}

#[cfg(any(feature = "o200k", feature = "cl100k"))]
impl Bpe {
    fn new(name: &'static str, tokenizer: fn() -> &'static bpe_openai::Tokenizer) -> Self {
        Self { name, tokenizer }
    }
}

#[cfg(any(feature = "o200k", feature = "cl100k"))]
impl TokenCounter for Bpe {
    fn name(&self) -> &str {
        self.name
    }
    fn exact(&self) -> bool {
        true
    }
    fn count(&self, text: &str) -> u32 {
        u32::try_from((self.tokenizer)().count(text)).unwrap_or(u32::MAX)
    }
    fn prefix(&self, text: &str, limit: u32) -> usize {
        // Whole pre-tokens first, so that only the piece in which the limit falls is encoded.
        let tokenizer = (self.tokenizer)();
        let mut left = limit as usize;
        let mut at = 0;
        for piece in tokenizer.split(text) {
            let tokens = tokenizer.bpe.encode_via_backtracking(piece.as_bytes());
            if tokens.len() <= left {
                left -= tokens.len();
                at += piece.len();
                continue;
            }
            let bytes: usize = tokens.iter().take(left).map(|&t| tokenizer.bpe.token_len(t)).sum();
            let mut cut = bytes.min(piece.len());
            while !piece.is_char_boundary(cut) {
                cut -= 1;
            }
            return at + cut;
        }
        text.len()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[cfg(feature = "o200k")]
    #[test]
    fn o200k_agrees_with_published_counts() {
        // As OpenAI's cookbook prints them for tiktoken.
        let c = TokenizerChoice::O200k.load().unwrap();
        assert_eq!(c.count(""), 0);
        assert_eq!(c.count("hello world"), 2);
        assert_eq!(c.count("antidisestablishmentarianism"), 6);
        assert_eq!(c.count("2 + 2 = 4"), 7);
        assert_eq!(c.count("お誕生日おめでとう"), 8);
        assert!(c.exact());
    }

    #[cfg(feature = "o200k")]
    #[test]
    fn prefix_ends_on_token_and_character_boundaries() {
        let c = TokenizerChoice::O200k.load().unwrap();
        for text in ["hello world, this is a test", "语言模型的上下文窗口是有限的", "🙏🙏🙏 and 👩‍🔬 é", "", "\n\n\n\n  x"]
        {
            let total = c.count(text);
            for limit in 0..=total + 1 {
                let n = c.prefix(text, limit);
                assert!(text.is_char_boundary(n));
                assert!(c.count(&text[..n]) <= limit, "{text:?} at {limit}");
                if limit >= total {
                    assert_eq!(n, text.len());
                }
            }
        }
    }

    #[test]
    fn an_unknown_name_says_what_exists() {
        let Err(e) = "nonsense".parse::<TokenizerChoice>().unwrap().load() else { unreachable!("a tokenizer named nonsense") };
        assert!(e.to_string().contains("nonsense"));
    }
}
