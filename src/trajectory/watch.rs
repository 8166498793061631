//! Watching a file: reading it while somebody looks on already, and as it grows.
//!
//! Files are read by position, never mapped: a mapped file that another program cuts short kills the process that looks
//! at it. Long texts stay in the file ([`crate::text::Text`]).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::archive;
use super::formats::Format;
use super::head::Head;
use super::import::Import;
use super::open::{Inside, OpenError, Opened, opened};
use super::records::{Layout, Records};
use super::run::Run;
use crate::session::{decode_line, journal};
use crate::text::TextSource;
use crate::text::tokens::Counter;

/// What is there after this many bytes is shown at once; later each time the file has doubled.
const FIRST: u64 = 256 << 10;
/// How often a growing file is looked at.
const TICK: Duration = Duration::from_millis(150);
/// How long a file must stand still before what was held back is shown.
const STILL: Duration = Duration::from_millis(1000);

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
#[derive(Clone, Debug, Default)]
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

/// Whether a file is waited for at its end.
#[derive(Clone, Copy)]
pub enum Follow<'a> {
    /// What is there is all.
    No,
    /// More may come, until the watch is stopped.
    On,
    /// More may come until the flag says that its writer is done.
    Until(&'a AtomicBool),
}

impl Follow<'_> {
    fn more(self) -> bool {
        match self {
            Self::No => false,
            Self::On => true,
            Self::Until(done) => !done.load(Ordering::Acquire),
        }
    }
}

/// How a watch goes on and whom it tells.
struct Watch<'a> {
    counter: &'a Counter,
    follow: Follow<'a>,
    stop: &'a AtomicBool,
    tell: &'a mut dyn FnMut(Loading),
    notes: Vec<String>,
}

impl Watch<'_> {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// How reading a file came to an end.
enum Round {
    Done(Loading),
    /// It must be read again, from this handle, for this reason.
    Again(String, File),
}

/// Opens a file that may be being written: waits until enough of it is there to know what it is.
///
/// `None` when stopped before that.
///
/// # Errors
/// [`OpenError`] once nothing more comes.
pub fn await_file(
    path: &Path,
    file: &File,
    from: Option<&'static Format>,
    follow: Follow<'_>,
    stop: &AtomicBool,
) -> Result<Option<Opened>, OpenError> {
    loop {
        // Asked before the look: what was written before it ended is then seen.
        let more = follow.more();
        let again = file.try_clone().map_err(|source| OpenError::Io { path: path.to_owned(), source })?;
        // A first line that is still being written may look like a document.
        if !more || !begins_in_one_line(file) {
            match opened(path, again, from) {
                Err(OpenError::Empty(_) | OpenError::Unknown { .. }) if more => {}
                other => return other.map(Some),
            }
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        std::thread::sleep(TICK);
    }
}

/// Whether what is there of a file so far is one line without its end.
fn begins_in_one_line(file: &File) -> bool {
    let mut bytes = vec![0; 64 << 10];
    let n = file.read_at(&mut bytes, 0).unwrap_or(0);
    n < bytes.len() && memchr::memchr(b'\n', bytes.get(..n).unwrap_or(&[])).is_none()
}

impl Opened {
    /// Reads all of it.
    ///
    /// # Errors
    /// [`OpenError`] when it cannot be read to its end.
    pub fn load(self, counter: &Counter) -> Result<Loading, OpenError> {
        self.watch(counter, Follow::No, &AtomicBool::new(false), &mut |_| {})
    }

    /// Reads all of it and tells what is there in growing intervals; then, if it is to be followed, whenever it has grown,
    /// until `stop`. A file that was cut or replaced is read again from its start.
    ///
    /// # Errors
    /// [`OpenError`] when it cannot be read.
    pub fn watch(
        mut self,
        counter: &Counter,
        follow: Follow<'_>,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Loading),
    ) -> Result<Loading, OpenError> {
        let mut watch = Watch { counter, follow, stop, tell, notes: Vec::new() };
        loop {
            let round = match self.inside {
                Inside::Journal => self.journal(&mut watch),
                Inside::Archive(format) => self.archive(format, &watch),
                Inside::Records(format, layout) => self.records(format, layout, &mut watch),
            }?;
            match round {
                Round::Done(loading) => return Ok(loading),
                Round::Again(why, file) => {
                    watch.notes.push(why);
                    // What stands there now may be of another format, or not be written yet.
                    match await_file(&self.path, &file, None, follow, stop)? {
                        Some(opened) => self = opened,
                        None => return Ok(Loading { notes: watch.notes, whole: true, ..Loading::default() }),
                    }
                }
            }
        }
    }

    fn io(&self, source: io::Error) -> OpenError {
        OpenError::Io { path: self.path.clone(), source }
    }

    fn reader(&self, from: u64) -> Result<File, OpenError> {
        let mut file = self.file.try_clone().map_err(|e| self.io(e))?;
        file.seek(SeekFrom::Start(from)).map_err(|e| self.io(e))?;
        Ok(file)
    }

    fn size(&self) -> u64 {
        self.file.metadata().map_or(0, |m| m.len())
    }

    fn records(&self, format: &'static Format, layout: Layout, watch: &mut Watch<'_>) -> Result<Round, OpenError> {
        let file = self.reader(0)?;
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned();
        let source: Arc<dyn TextSource> = Arc::new(Positioned { file: file.try_clone().map_err(|e| self.io(e))?, name });
        let mut records = Records::new(file, layout);
        let mut import = Import::new(format, Arc::clone(watch.counter));
        let notes = watch.notes.clone();
        let state = |import: &Import, read: u64, whole: bool| Loading {
            runs: import.runs().list().iter().map(Run::shown).collect(),
            notes: notes.clone(),
            read,
            size: self.size(),
            whole,
        };
        let step =
            |import: &mut Import, records: &mut Records<_>, all: bool| import.step(records, all, "", Some(&source)).map_err(|e| self.io(e));
        let mut due = FIRST;
        let mut more = watch.follow.more();
        while !watch.stopped() && step(&mut import, &mut records, !more)? {
            if records.position() >= due {
                (watch.tell)(state(&import, records.position(), false));
                due = records.position() * 2;
            }
        }
        let mut grown = Instant::now();
        let mut paused = false;
        if more {
            (watch.tell)(state(&import, records.position(), true));
        }
        while more && !watch.stopped() {
            // Asked before the look: what was written before the end is then read.
            more = watch.follow.more();
            let mut news = false;
            while step(&mut import, &mut records, !more)? {
                news = true;
            }
            if news {
                (grown, paused) = (Instant::now(), false);
                (watch.tell)(state(&import, records.position(), true));
            } else if !paused && grown.elapsed() >= STILL {
                import.pause();
                paused = true;
                (watch.tell)(state(&import, records.position(), true));
            }
            if let Some((why, file)) = self.replaced(records.position())? {
                return Ok(Round::Again(why, file));
            }
            if more {
                std::thread::sleep(TICK);
            }
        }
        import.finish();
        let (read, size) = (records.position(), self.size());
        Ok(Round::Done(Loading { runs: import.into_runs(), notes, read, size, whole: true }))
    }

    /// Whether the file was cut short, or another one stands in its place.
    fn replaced(&self, read: u64) -> Result<Option<(String, File)>, OpenError> {
        let own = self.file.metadata().map_err(|e| self.io(e))?;
        if own.len() < read {
            let why = format!("{} was cut from {read} to {} bytes: it is read again from its start", self.path.display(), own.len());
            return Ok(Some((why, self.reader(0)?)));
        }
        // While a file that was moved away still grows, it is what is followed.
        let Ok(there) = std::fs::metadata(&self.path) else { return Ok(None) };
        if (there.dev(), there.ino()) == (own.dev(), own.ino()) || own.len() > read || there.len() == 0 {
            return Ok(None);
        }
        let Ok(file) = File::open(&self.path) else { return Ok(None) };
        Ok(Some((format!("{} was replaced by another file: that is read now", self.path.display()), file)))
    }

    fn archive(&self, format: &'static Format, watch: &Watch<'_>) -> Result<Round, OpenError> {
        let mut import = Import::new(format, Arc::clone(watch.counter));
        let mut notes = watch.notes.clone();
        let trouble = archive::each(&self.file, &mut |name, bytes| {
            if import.document(bytes, name) {
                return;
            }
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
        Ok(Round::Done(Loading { runs: import.into_runs(), notes, read: size, size, whole: true }))
    }

    fn journal(&self, watch: &mut Watch<'_>) -> Result<Round, OpenError> {
        let mut bytes = Vec::new();
        self.reader(0)?.read_to_end(&mut bytes).map_err(|e| self.io(e))?;
        let loaded = journal::parse(&bytes, &self.path)?;
        drop(bytes);
        let mut run = Run::journal(&loaded.header.session, loaded.events);
        let base = loaded.whole;
        let notes: Vec<String> = watch.notes.iter().cloned().chain(loaded.notes).collect();
        let state = |run: &Run, read: u64| Loading { runs: vec![run.shown()], notes: notes.clone(), read, size: self.size(), whole: true };
        let mut read = base;
        if watch.follow.more() {
            let mut records = Records::new(self.reader(base)?, Layout::Lines);
            (watch.tell)(state(&run, read));
            while watch.follow.more() && !watch.stopped() {
                let mut news = false;
                while let Some(record) = records.next(false).map_err(|e| self.io(e))? {
                    let number = run.timeline().events().len() as u64;
                    run.record(decode_line(&String::from_utf8_lossy(record.bytes), number));
                    news = true;
                }
                read = base + records.position();
                if news {
                    (watch.tell)(state(&run, read));
                }
                if let Some((why, file)) = self.replaced(read)? {
                    return Ok(Round::Again(why, file));
                }
                std::thread::sleep(TICK);
            }
        }
        Ok(Round::Done(state(&run, read)))
    }
}
