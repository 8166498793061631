//! StoreThread: the one thread on which the engine is called, and the handle that others hold.
//!
//! Asynchronous code awaits its answer, other code waits for it; neither ever touches the engine.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use super::journaled::JournaledStore;
use super::lock::SessionLock;
use super::truth::Truth;
use super::{ExperienceStore, StoreError, Vault};
use crate::memory::{Block, Index};
use futures_util::future::BoxFuture;

/// Requests that may wait before the next has to.
const QUEUE: usize = 16;

type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

enum Request {
    Open(Reply<()>),
    Put(u64, Vec<Block>, Reply<()>),
    Get(Index, u32, Reply<Option<Block>>),
    Flushes(Reply<u64>),
}

/// A handle to the store of one session. Dropping it lets the thread finish what was asked and close the store.
#[derive(Debug)]
pub struct StoreThread {
    requests: Option<mpsc::Sender<Request>>,
    notices: Arc<Mutex<Vec<String>>>,
    session: PathBuf,
    thread: Option<JoinHandle<()>>,
}

impl StoreThread {
    /// Starts the thread for a session directory. The store is not opened before the first request.
    ///
    /// `lock` is kept until the store is closed, so that no other program finds it open.
    ///
    /// # Errors
    /// [`StoreError::Io`] when the system gives no thread.
    pub fn start(session: &Path, truth: Box<dyn Truth>, lock: Option<Arc<SessionLock>>) -> Result<Self, StoreError> {
        let (requests, inbox) = mpsc::channel(QUEUE);
        let notices = Arc::new(Mutex::new(Vec::new()));
        let (told, dir) = (Arc::clone(&notices), session.to_owned());
        let thread = std::thread::Builder::new()
            .name("memex-store".into())
            .spawn(move || {
                serve(JournaledStore::new(&dir, truth), inbox, &told);
                drop(lock);
            })
            .map_err(StoreError::io("cannot start the thread of the store", session))?;
        Ok(Self { requests: Some(requests), notices, session: session.to_owned(), thread: Some(thread) })
    }

    fn closed(&self) -> StoreError {
        StoreError::Closed(self.session.display().to_string())
    }

    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let requests = self.requests.as_ref().ok_or_else(|| self.closed())?;
        requests.send(request(reply)).await.map_err(|_| self.closed())?;
        answer.await.map_err(|_| self.closed())?
    }

    fn ask_blocking<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let requests = self.requests.as_ref().ok_or_else(|| self.closed())?;
        requests.blocking_send(request(reply)).map_err(|_| self.closed())?;
        answer.blocking_recv().map_err(|_| self.closed())?
    }

    /// Opens the store now, for instance when a session is resumed and a first frame stands.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be opened; later requests try again.
    pub async fn open(&self) -> Result<(), StoreError> {
        self.ask(Request::Open).await
    }

    /// [`Self::open`] for code that runs no futures; panics inside a runtime, as do the other blocking calls.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_blocking(&self) -> Result<(), StoreError> {
        self.ask_blocking(Request::Open)
    }

    /// [`Vault::put_all`] for code that runs no futures.
    ///
    /// # Errors
    /// As [`Vault::put_all`].
    pub fn put_all_blocking(&self, seq: u64, blocks: Vec<Block>) -> Result<(), StoreError> {
        self.ask_blocking(|reply| Request::Put(seq, blocks, reply))
    }

    /// [`Vault::get`] for code that runs no futures.
    ///
    /// # Errors
    /// As [`Vault::get`].
    pub fn get_blocking(&self, index: &Index, version: u32) -> Result<Option<Block>, StoreError> {
        self.ask_blocking(|reply| Request::Get(index.clone(), version, reply))
    }

    /// Flushes so far; see [`JournaledStore::flushes`].
    ///
    /// # Errors
    /// [`StoreError::Closed`].
    pub fn flushes_blocking(&self) -> Result<u64, StoreError> {
        self.ask_blocking(Request::Flushes)
    }

    /// Sentences about what was mended, since the last time of asking.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets the thread finish and waits until the store is closed and the lock is free.
    pub fn close(mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // The thread catches the engine's panics and has none of its own.
            let _ = thread.join();
        }
    }
}

fn serve(mut store: JournaledStore, mut inbox: mpsc::Receiver<Request>, notices: &Mutex<Vec<String>>) {
    while let Some(request) = inbox.blocking_recv() {
        // Whoever asked may have been cancelled meanwhile; what was asked is done all the same. Its
        // sentences are there before its answer is.
        let tell = |store: &mut JournaledStore| {
            notices.lock().unwrap_or_else(PoisonError::into_inner).extend(store.take_notices());
        };
        match request {
            Request::Open(reply) => {
                let result = store.open();
                tell(&mut store);
                let _ = reply.send(result);
            }
            Request::Put(seq, blocks, reply) => {
                let result = store.put_all(seq, &blocks);
                tell(&mut store);
                let _ = reply.send(result);
            }
            Request::Get(index, version, reply) => {
                let result = store.get(&index, version);
                tell(&mut store);
                let _ = reply.send(result);
            }
            Request::Flushes(reply) => {
                let _ = reply.send(Ok(store.flushes()));
            }
        }
    }
}

impl Vault for StoreThread {
    fn put_all(&mut self, seq: u64, blocks: Vec<Block>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.ask(move |reply| Request::Put(seq, blocks, reply)))
    }

    fn get<'a>(&'a mut self, index: &'a Index, version: u32) -> BoxFuture<'a, Result<Option<Block>, StoreError>> {
        Box::pin(self.ask(move |reply| Request::Get(index.clone(), version, reply)))
    }

    fn notices(&mut self) -> Vec<String> {
        self.take_notices()
    }
}
