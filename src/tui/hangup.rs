//! Hangup: the terminal is gone, and no signal said so.
//!
//! A process outside the terminal's session gets no SIGHUP when its terminal closes, and the key reader would go on
//! reading the end of it, over and over. One thread sleeps until the terminal hangs up.

use std::io;

use rustix::event::{PollFd, PollFlags, poll};
use tokio::sync::oneshot;

/// Resolves when standard input hangs up; never while the terminal is there.
pub(super) fn hangup() -> oneshot::Receiver<()> {
    let (told, gone) = oneshot::channel();
    let watch = move || {
        let input = io::stdin();
        // Errors and hangups are always reported; nothing else is asked for.
        let mut watched = [PollFd::new(&input, PollFlags::empty())];
        while matches!(poll(&mut watched, None), Err(rustix::io::Errno::INTR)) {}
        let _ = told.send(());
    };
    // Without the thread a closed terminal is only noticed by its signal.
    let _ = std::thread::Builder::new().name("memex-hangup".into()).spawn(watch);
    gone
}
