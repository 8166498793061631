//! Sessions as the tests of the store write them, through the public surface only.

use std::path::Path;
use std::sync::Arc;

use memex::memory::anchor::Span;
use memex::memory::{BlockKind, Digest, Index, MessageId};
use memex::session::journal::Journal;
use memex::session::{Author, Compressed, Envelope, Event, Observed, ObservedKind, RunConfig, Session, Source, Started, StoredBlock};
use memex::store::{DataDir, SessionDir, SessionLock, StoreError, StoreThread};

/// Milliseconds since the epoch of 2026-12-01 03:14:05 UTC.
pub(crate) const NOW: u64 = 1_796_094_845_000;

/// A session that is being written: journal first, then the store.
pub(crate) struct Writer {
    pub(crate) dir: SessionDir,
    pub(crate) journal: Journal,
    pub(crate) session: Session,
    pub(crate) store: StoreThread,
    pub(crate) lock: Arc<SessionLock>,
}

impl Writer {
    /// A new session.
    pub(crate) fn begin(data: &DataDir) -> Self {
        let new = data.create_session(NOW).unwrap();
        let store = StoreThread::start(new.dir.path(), Box::new(new.dir.truth()), Some(Arc::clone(&new.lock))).unwrap();
        let mut writer = Self { dir: new.dir, journal: new.journal, session: Session::default(), store, lock: new.lock };
        let started = Started {
            origin: None,
            session: writer.dir.id().to_owned(),
            system: "You are a test.".into(),
            system_tokens: 5,
            task: "Archive things.".into(),
            task_tokens: 4,
            tools: Arc::from([]),
            tool_tokens: 0,
            config: RunConfig::default(),
        };
        writer.record(Event::Started(Box::new(started))).unwrap();
        writer
    }

    /// The session in `dir`, gone on with.
    pub(crate) fn resume(dir: &SessionDir) -> Self {
        let open = dir.clone().open(NOW).unwrap();
        let store = StoreThread::start(open.dir.path(), Box::new(open.dir.truth()), Some(Arc::clone(&open.lock))).unwrap();
        let session = Session::fold(open.loaded.events.iter().map(|e| &**e)).unwrap();
        Self { dir: open.dir, journal: open.journal, session, store, lock: open.lock }
    }

    /// Journals and folds an event; its number.
    pub(crate) fn record(&mut self, event: Event) -> Result<u64, String> {
        let seq = self.session.seq();
        let envelope = Envelope { seq, at: NOW, step: 0, event };
        let mut after = self.session.clone();
        after.apply(&envelope).map_err(|e| e.to_string())?;
        self.journal.append(&envelope, true).map_err(|e| e.to_string())?;
        self.session = after;
        Ok(seq)
    }

    fn stored(&self, index: &str, content: &str, kind: BlockKind, source: Source) -> StoredBlock {
        let index = Index::new(index).unwrap();
        let version = self.session.archive().next_version(&index);
        StoredBlock { index, version, kind, bytes: content.len() as u64, tokens: 1, hash: Digest::of(content.as_bytes()), source }
    }

    fn compressed(blocks: Vec<StoredBlock>) -> Event {
        Event::Compressed(Box::new(Compressed {
            by: Author::Human,
            call: None,
            blocks,
            heading: "[notes]\n".into(),
            summary: "nothing to say".into(),
            trailer: "".into(),
            summary_tokens: 5,
            cut: None,
            tokens_before: 0,
            tokens_after: 0,
            kept: Vec::new(),
            not_run: Vec::new(),
        }))
    }

    /// Journals a compression with authored blocks, and puts nothing into the store.
    pub(crate) fn journal_only(&mut self, blocks: &[(&str, &str)]) -> Result<u64, String> {
        let blocks = blocks
            .iter()
            .map(|(index, content)| {
                let source = Source { text: Some((*content).into()), ..Source::default() };
                self.stored(index, content, BlockKind::Authored, source)
            })
            .collect();
        self.record(Self::compressed(blocks))
    }

    /// Puts the blocks of event `seq` into the store.
    pub(crate) fn put(&self, seq: u64) -> Result<(), StoreError> {
        let archive = self.session.archive();
        let blocks = archive.all().flat_map(|(_, v)| v).filter(|v| v.seq == seq).map(|v| v.block.clone()).collect();
        self.store.put_all_blocking(seq, blocks)
    }

    /// One compression, whole.
    pub(crate) fn archive(&mut self, blocks: &[(&str, &str)]) -> Result<u64, String> {
        let seq = self.journal_only(blocks)?;
        self.put(seq).map_err(|e| e.to_string())?;
        Ok(seq)
    }

    /// Lets an observation enter M and archives it verbatim, as an agent does.
    pub(crate) fn observe_and_archive(&mut self, index: &str, text: &str) -> Result<u64, String> {
        self.record(Event::Observed(Observed {
            call: None,
            text: text.into(),
            tokens: 1,
            kind: ObservedKind::Reminder,
            state_changed: None,
        }))?;
        let message: MessageId = self.session.context().work().last().unwrap().id;
        let source = Source { spans: vec![Span { message, from: 0, to: text.len() }], ..Source::default() };
        let block = self.stored(index, text, BlockKind::Anchored, source);
        let seq = self.record(Self::compressed(vec![block]))?;
        self.put(seq).map_err(|e| e.to_string())?;
        Ok(seq)
    }

    /// Closes store and journal and lets go of the lock; where the session is.
    pub(crate) fn end(self) -> SessionDir {
        let Self { dir, journal, store, lock, .. } = self;
        store.close();
        drop((journal, lock));
        dir
    }
}

/// Opens the store of a session anew and compares every version that the journal has with it.
/// Returns the number of versions and the sentences.
pub(crate) fn check_all(dir: &SessionDir) -> (usize, Vec<String>) {
    let loaded = dir.read().unwrap();
    let session = Session::fold(loaded.events.iter().map(|e| &**e)).unwrap();
    let lock = dir.lock(NOW).unwrap();
    let store = StoreThread::start(dir.path(), Box::new(dir.truth()), Some(Arc::new(lock))).unwrap();
    let mut n = 0;
    for version in session.archive().all().flat_map(|(_, v)| v) {
        let block = store.get_blocking(&version.block.index, version.block.version).unwrap();
        assert_eq!(block.as_ref(), Some(&version.block), "{}@{}", version.block.index, version.block.version);
        n += 1;
    }
    store.open_blocking().unwrap();
    let notices = store.take_notices();
    store.close();
    (n, notices)
}

/// Text that compresses about as source code does.
pub(crate) fn prose(seed: u64, bytes: usize) -> String {
    const WORDS: [&str; 24] = [
        "let",
        "self",
        "match",
        "index",
        "summary",
        "return",
        "the",
        "drawer",
        "apple",
        "cabinet",
        "fn",
        "context",
        "0x1f",
        "error",
        "Some(",
        "None",
        "->",
        "=>",
        "{",
        "}",
        "step",
        "observation",
        "from",
        "test",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let r = (state >> 33) as usize;
        if r.is_multiple_of(5) {
            text += &format!("{:x}", r & 0xffff);
        } else {
            text += WORDS[r % WORDS.len()];
        }
        text.push(if r.is_multiple_of(11) { '\n' } else { ' ' });
    }
    text
}

/// Text in which nothing repeats.
pub(crate) fn noise(seed: u64, bytes: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..bytes)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[(state >> 58) as usize])
        })
        .collect()
}

/// A data directory in `tmp`.
pub(crate) fn data_in(tmp: &Path) -> DataDir {
    DataDir::locate(Some(&tmp.join("data"))).unwrap()
}

/// Bytes of the files below `path`.
pub(crate) fn size_of(path: &Path) -> u64 {
    let meta = path.symlink_metadata().unwrap();
    if !meta.is_dir() {
        return meta.len();
    }
    std::fs::read_dir(path).unwrap().map(|e| size_of(&e.unwrap().path())).sum()
}
