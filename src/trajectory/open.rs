//! Opening a file: what is in it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::archive;
use super::formats::{Format, candidates};
use super::head::Head;
use super::records::Layout;
use crate::session::journal;

/// Bytes that are looked at to find the format.
const HEAD: usize = 1 << 20;
/// A first line may be longer than that; up to here its end is looked for.
const LONGEST_HEAD: usize = 16 << 20;

/// Why a file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// Nothing is in it.
    #[error("{0} is empty")]
    Empty(PathBuf),
    /// No format fits.
    #[error("{path} is of no format that this program knows: {why}. Known are: {known}; --from FORMAT reads it as one of them")]
    Unknown {
        /// The file.
        path: PathBuf,
        /// How it begins.
        why: String,
        /// The names.
        known: String,
    },
    /// A journal that is none.
    #[error(transparent)]
    Journal(#[from] journal::JournalError),
    /// A folder without a recording.
    #[error("{path} holds no recording of a known format ({files} files were looked at)")]
    Nothing {
        /// The folder.
        path: PathBuf,
        /// How many files are in it.
        files: usize,
    },
    /// An archive that cannot be read.
    #[error("{path} is an archive that cannot be read: {why}")]
    Archive {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// What a file is, inside.
#[derive(Clone, Copy)]
pub(super) enum Inside {
    Journal,
    Archive(&'static Format),
    Records(&'static Format, Layout),
}

/// A file whose format is known.
pub struct Opened {
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) inside: Inside,
}

/// Finds out what a file is; `from` spares the guess.
///
/// # Errors
/// [`OpenError`] names the file, how it begins, and the formats there are.
pub fn open(path: &Path, from: Option<&'static Format>) -> Result<Opened, OpenError> {
    let file = File::open(path).map_err(|source| OpenError::Io { path: path.to_owned(), source })?;
    opened(path, file, from)
}

/// As [`open`], of a file that has been opened already; `path` is what it is called.
///
/// # Errors
/// As [`open`].
pub fn opened(path: &Path, file: File, from: Option<&'static Format>) -> Result<Opened, OpenError> {
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    if file.metadata().map_err(io)?.is_dir() {
        return Err(io(io::ErrorKind::IsADirectory.into()));
    }
    let (bytes, whole) = head(&file).map_err(io)?;
    if bytes.iter().all(u8::is_ascii_whitespace) && whole {
        return Err(OpenError::Empty(path.to_owned()));
    }
    let unknown = |why: String| {
        let known = super::FORMATS.iter().map(|f| f.name).collect::<Vec<_>>().join(", ");
        OpenError::Unknown { path: path.to_owned(), why, known }
    };
    let zip = bytes.starts_with(b"PK\x03\x04");
    let entries = if zip { archive::names(&file).map_err(|why| OpenError::Archive { path: path.to_owned(), why })? } else { Vec::new() };
    let inside = if zip {
        let head = Head::new(b"{}", true, &entries);
        let format = from.or_else(|| candidates(&head).first().map(|c| c.0));
        Inside::Archive(format.ok_or_else(|| unknown(format!("it is an archive of {}", start(entries.join(", ").as_bytes()))))?)
    } else if from.is_none() && is_journal(&bytes) {
        Inside::Journal
    } else {
        let head = Head::new(&bytes, whole, &entries);
        let format = from.or_else(|| candidates(&head).first().map(|c| c.0));
        let format = format.ok_or_else(|| unknown(format!("it begins {}", start(&bytes))))?;
        Inside::Records(
            format,
            if format.text {
                Layout::Text
            } else if head.layout == Layout::Text {
                Layout::Lines
            } else {
                head.layout
            },
        )
    };
    Ok(Opened { path: path.to_owned(), file, inside })
}

fn is_journal(bytes: &[u8]) -> bool {
    let body = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let line = body.split(|b| *b == b'\n').next().unwrap_or(&[]);
    super::json::Node::parse(line).is_ok_and(|n| n.says("memex", "journal"))
}

fn start(bytes: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(bytes.get(..200).unwrap_or(bytes)).chars().take(60).collect();
    format!("{text:?}")
}

/// The first bytes, and whether they are all.
fn head(file: &File) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    loop {
        let want = HEAD.max(bytes.len());
        let old = bytes.len();
        bytes.resize(old + want, 0);
        let mut filled = old;
        while filled < bytes.len() {
            match file.read_at(bytes.get_mut(filled..).unwrap_or(&mut []), filled as u64)? {
                0 => break,
                n => filled += n,
            }
        }
        let whole = filled < bytes.len();
        bytes.truncate(filled);
        if whole || bytes.len() >= LONGEST_HEAD || memchr::memchr(b'\n', bytes.get(old..).unwrap_or(&[])).is_some() {
            return Ok((bytes, whole));
        }
    }
}

impl Opened {
    /// The name of the format.
    #[must_use]
    pub fn format(&self) -> &'static str {
        match &self.inside {
            Inside::Journal => "journal",
            Inside::Archive(f) | Inside::Records(f, _) => f.name,
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}
