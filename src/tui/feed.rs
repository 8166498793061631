//! Feed: a recording on its way from a file to the screen, read on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::trajectory::Loading;

/// Reads a recording: tells what there is so far, and returns when all is read or the flag says stop.
pub type Reading = Box<dyn FnOnce(&AtomicBool, &mut dyn FnMut(Loading)) -> Result<Loading, String> + Send>;

/// What is known of a recording.
#[derive(Debug)]
pub(super) enum News {
    /// What is read of it so far.
    Read(Box<Loading>),
    /// All of it; nothing more comes.
    Whole(Box<Loading>),
    /// It cannot be read, or no further.
    Failed(String),
}

/// The near end of it.
pub(super) struct Feed {
    news: UnboundedReceiver<News>,
    stop: Arc<AtomicBool>,
}

impl Feed {
    /// Starts to read.
    pub(super) fn start(reading: Reading) -> Self {
        let (tell, news) = unbounded_channel();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        tokio::task::spawn_blocking(move || read(reading, &flag, &tell));
        Self { news, stop }
    }

    /// The newest news; `None` when nothing more comes.
    pub(super) async fn next(&mut self) -> Option<News> {
        let mut newest = self.news.recv().await?;
        // What was read before it is part of it; a failure stands for itself.
        while !matches!(newest, News::Failed(_)) {
            match self.news.try_recv() {
                Ok(newer) => newest = newer,
                Err(_) => break,
            }
        }
        Some(newest)
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn read(reading: Reading, stop: &AtomicBool, tell: &UnboundedSender<News>) {
    let result = reading(stop, &mut |loading| drop(tell.send(News::Read(Box::new(loading)))));
    // When nobody listens any more the screen is closed.
    drop(tell.send(match result {
        Ok(loading) => News::Whole(Box::new(loading)),
        Err(why) => News::Failed(why),
    }));
}
