//! Counting with a user's own Hugging Face `tokenizer.json`.

use std::path::Path;

use super::{TokenCounter, TokenizerError};

/// A loaded `tokenizer.json`; special tokens are not added to counts.
pub(super) struct FileTokenizer {
    name: String,
    tokenizer: tokenizers::Tokenizer,
}

impl FileTokenizer {
    /// Reads the file.
    ///
    /// # Errors
    /// [`TokenizerError::File`] when it cannot be read or is not a tokenizer.
    pub(super) fn open(path: &Path) -> Result<Self, TokenizerError> {
        let tokenizer =
            tokenizers::Tokenizer::from_file(path).map_err(|e| TokenizerError::File { path: path.to_owned(), why: e.to_string() })?;
        let name = path.file_name().map_or_else(|| "tokenizer.json".into(), |n| n.to_string_lossy().into_owned());
        Ok(Self { name, tokenizer })
    }
}

impl TokenCounter for FileTokenizer {
    fn name(&self) -> &str {
        &self.name
    }
    fn exact(&self) -> bool {
        true
    }
    fn count(&self, text: &str) -> u32 {
        self.tokenizer.encode_fast(text, false).map_or(0, |e| u32::try_from(e.len()).unwrap_or(u32::MAX))
    }
    fn prefix(&self, text: &str, limit: u32) -> usize {
        let Ok(encoding) = self.tokenizer.encode(text, false) else { return 0 };
        if encoding.len() <= limit as usize {
            return text.len();
        }
        let end = (limit as usize).checked_sub(1).and_then(|i| encoding.get_offsets().get(i)).map_or(0, |o| o.1);
        (0..=end.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
    }
}
