//! Opening a file: what is in it, and reading it while somebody looks on already.
//!
//! Files are read by position, never mapped: a mapped file that another program cuts short kills the process that looks
//! at it. Long texts stay in the file ([`crate::text::Text`]).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::archive;
use super::formats::{Format, candidates};
use super::head::Head;
use super::import::Import;
use super::records::{Layout, Records};
use super::run::Run;
use crate::session::{decode_line, journal};
use crate::text::TextSource;
use crate::text::tokens::Counter;

/// Bytes that are looked at to find the format.
const HEAD: usize = 1 << 20;
/// A first line may be longer than that; up to here its end is looked for.
const LONGEST_HEAD: usize = 16 << 20;
/// What is there after this many bytes is shown at once; later each time the file has doubled.
const FIRST: u64 = 256 << 10;
/// How often a growing file is looked at.
const TICK: Duration = Duration::from_millis(150);
/// How long a file must stand still before what was held back is shown.
const STILL: Duration = Duration::from_millis(1000);

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
    /// An archive that cannot be read.
    #[error("{path} is an archive that cannot be read: {why}")]
    Archive {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// A file by position.
struct Positioned {
    file: File,
    name: String,
}

impl TextSource for Positioned {
    fn read(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.file.read_exact_at(&mut bytes, at)?;
        Ok(bytes)
    }
    fn name(&self) -> &str {
        &self.name
    }
}

/// What is read of a file so far.
#[derive(Clone, Default)]
pub struct Loading {
    /// Its runs.
    pub runs: Vec<Run>,
    /// Sentences about the file.
    pub notes: Vec<String>,
    /// Bytes read.
    pub read: u64,
    /// Bytes of the file.
    pub size: u64,
    /// All of it is read; when followed, all that is there.
    pub whole: bool,
}

enum Inside {
    Journal,
    Archive(&'static Format),
    Records(&'static Format, Layout),
}

/// A file whose format is known.
pub struct Opened {
    path: PathBuf,
    file: File,
    inside: Inside,
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
pub(super) fn opened(path: &Path, file: File, from: Option<&'static Format>) -> Result<Opened, OpenError> {
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

    /// Reads all of it.
    ///
    /// # Errors
    /// [`OpenError`] when it cannot be read to its end.
    pub fn load(self, counter: &Counter) -> Result<Loading, OpenError> {
        self.watch(counter, false, &AtomicBool::new(false), &mut |_| {})
    }

    /// Reads all of it and tells what is there in growing intervals; then, if it is to be followed, whenever it has grown,
    /// until `stop`. A file that was cut or replaced is read again from its start.
    ///
    /// # Errors
    /// [`OpenError`] when it cannot be read.
    pub fn watch(
        mut self,
        counter: &Counter,
        follow: bool,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Loading),
    ) -> Result<Loading, OpenError> {
        let mut notes = Vec::new();
        loop {
            let round = match &self.inside {
                Inside::Journal => self.journal(follow, stop, tell, &notes),
                Inside::Archive(format) => self.archive(format, counter, &notes),
                Inside::Records(format, layout) => self.records(format, *layout, counter, follow, stop, tell, &notes),
            }?;
            match round {
                Round::Done(loading) => return Ok(loading),
                Round::Again(why, file) => {
                    notes.push(why);
                    // What stands there now may be of another format, or not be written yet.
                    let path = self.path.clone();
                    let file = Arc::new(file);
                    loop {
                        let again = file.try_clone().map_err(|source| OpenError::Io { path: path.clone(), source })?;
                        match opened(&path, again, None) {
                            Ok(opened) => {
                                self = opened;
                                break;
                            }
                            Err(OpenError::Empty(_) | OpenError::Unknown { .. }) if !stop.load(Ordering::Relaxed) => {
                                std::thread::sleep(TICK)
                            }
                            Err(_) if stop.load(Ordering::Relaxed) => return Ok(Loading { notes, whole: true, ..Loading::default() }),
                            Err(error) => return Err(error),
                        }
                    }
                }
            }
        }
    }

    fn io(&self, source: io::Error) -> OpenError {
        OpenError::Io { path: self.path.clone(), source }
    }

    fn reader(&self) -> Result<File, OpenError> {
        let mut file = self.file.try_clone().map_err(|e| self.io(e))?;
        file.seek(SeekFrom::Start(0)).map_err(|e| self.io(e))?;
        Ok(file)
    }

    fn size(&self) -> u64 {
        self.file.metadata().map_or(0, |m| m.len())
    }

    #[allow(clippy::too_many_arguments, reason = "what one round needs")]
    fn records(
        &self,
        format: &'static Format,
        layout: Layout,
        counter: &Counter,
        follow: bool,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Loading),
        notes: &[String],
    ) -> Result<Round, OpenError> {
        let file = self.reader()?;
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned();
        let source: Arc<dyn TextSource> = Arc::new(Positioned { file: file.try_clone().map_err(|e| self.io(e))?, name });
        let mut records = Records::new(file, layout);
        let mut import = Import::new(format, Arc::clone(counter));
        let state = |import: &Import, read: u64, whole: bool| Loading {
            runs: import.runs().list().iter().map(Run::shown).collect(),
            notes: notes.to_vec(),
            read,
            size: self.size(),
            whole,
        };
        let mut due = FIRST;
        while !stop.load(Ordering::Relaxed) && import.step(&mut records, !follow, "", Some(&source)).map_err(|e| self.io(e))? {
            if records.position() >= due {
                tell(state(&import, records.position(), false));
                due = records.position() * 2;
            }
        }
        let mut grown = Instant::now();
        let mut paused = false;
        if follow {
            tell(state(&import, records.position(), true));
        }
        while follow && !stop.load(Ordering::Relaxed) {
            let mut news = false;
            while import.step(&mut records, false, "", Some(&source)).map_err(|e| self.io(e))? {
                news = true;
            }
            if news {
                (grown, paused) = (Instant::now(), false);
                tell(state(&import, records.position(), true));
            } else if !paused && grown.elapsed() >= STILL {
                import.pause();
                paused = true;
                tell(state(&import, records.position(), true));
            }
            if let Some((why, file)) = self.replaced(records.position())? {
                return Ok(Round::Again(why, file));
            }
            std::thread::sleep(TICK);
        }
        import.finish();
        Ok(Round::Done(state(&import, records.position(), true)))
    }

    /// Whether the file was cut short, or another one stands in its place.
    fn replaced(&self, read: u64) -> Result<Option<(String, File)>, OpenError> {
        let own = self.file.metadata().map_err(|e| self.io(e))?;
        if own.len() < read {
            let why = format!("{} was cut from {read} to {} bytes: it is read again from its start", self.path.display(), own.len());
            return Ok(Some((why, self.reader()?)));
        }
        // While a file that was moved away still grows, it is what is followed.
        let Ok(there) = std::fs::metadata(&self.path) else { return Ok(None) };
        if (there.dev(), there.ino()) == (own.dev(), own.ino()) || own.len() > read || there.len() == 0 {
            return Ok(None);
        }
        let Ok(file) = File::open(&self.path) else { return Ok(None) };
        Ok(Some((format!("{} was replaced by another file: that is read now", self.path.display()), file)))
    }

    fn archive(&self, format: &'static Format, counter: &Counter, notes: &[String]) -> Result<Round, OpenError> {
        let mut import = Import::new(format, Arc::clone(counter));
        let mut notes = notes.to_vec();
        let trouble = archive::each(&self.file, &mut |name, bytes| {
            let layout = Head::new(bytes, true, &[]).layout;
            let layout = if layout == Layout::Text { Layout::Lines } else { layout };
            let mut records = Records::new(bytes, layout);
            // Reading from memory has no failure.
            while let Ok(true) = import.step(&mut records, true, name, None) {}
        })
        .map_err(|why| OpenError::Archive { path: self.path.clone(), why })?;
        notes.extend(trouble);
        import.finish();
        let size = self.size();
        let runs = import.runs().list().iter().map(Run::shown).collect();
        Ok(Round::Done(Loading { runs, notes, read: size, size, whole: true }))
    }

    fn journal(&self, follow: bool, stop: &AtomicBool, tell: &mut dyn FnMut(Loading), notes: &[String]) -> Result<Round, OpenError> {
        let mut bytes = Vec::new();
        self.reader()?.read_to_end(&mut bytes).map_err(|e| self.io(e))?;
        let loaded = journal::parse(&bytes, &self.path)?;
        let mut run = Run::journal(&loaded.header.session, loaded.events);
        let mut read = loaded.whole;
        let state =
            |run: &Run, read: u64, notes: Vec<String>| Loading { runs: vec![run.shown()], notes, read, size: self.size(), whole: true };
        let all: Vec<String> = notes.iter().cloned().chain(loaded.notes).collect();
        if follow {
            let mut file = self.reader()?;
            file.seek(SeekFrom::Start(read)).map_err(|e| self.io(e))?;
            let mut records = Records::new(file, Layout::Lines);
            let base = read;
            tell(state(&run, read, all.clone()));
            while !stop.load(Ordering::Relaxed) {
                let mut news = false;
                while let Some(record) = records.next(false).map_err(|e| self.io(e))? {
                    let number = run.timeline().events().len() as u64;
                    run.record(decode_line(&String::from_utf8_lossy(record.bytes), number));
                    news = true;
                }
                read = base + records.position();
                if news {
                    tell(state(&run, read, all.clone()));
                }
                if let Some((why, file)) = self.replaced(read)? {
                    return Ok(Round::Again(why, file));
                }
                std::thread::sleep(TICK);
            }
        }
        Ok(Round::Done(state(&run, read, all)))
    }
}

/// How reading a file came to an end.
enum Round {
    Done(Loading),
    /// It must be read again, from this handle, for this reason.
    Again(String, File),
}
