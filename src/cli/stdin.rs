//! Standard input as a file: what comes through a pipe is kept in one that has no name, so that it can be looked at again.

use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The file, and how far it is.
pub(super) struct Spool {
    /// It grows until `done`.
    pub(super) file: File,
    /// Nothing more comes.
    pub(super) done: Arc<AtomicBool>,
    /// Why that is so, where it is not the end of the input.
    pub(super) trouble: Arc<OnceLock<String>>,
}

/// Begins to take standard input.
///
/// # Errors
/// When no file can be made.
pub(super) fn spool() -> io::Result<Spool> {
    let file = tempfile::tempfile()?;
    let mut out = file.try_clone()?;
    let spool = Spool { file, done: Arc::default(), trouble: Arc::default() };
    let (done, trouble) = (Arc::clone(&spool.done), Arc::clone(&spool.trouble));
    // Not joined: a pipe that is never closed must not keep the program.
    std::thread::spawn(move || {
        if let Err(error) = io::copy(&mut io::stdin().lock(), &mut out).and_then(|_| out.flush()) {
            let _ = trouble.set(format!("standard input: {error}"));
        }
        done.store(true, Ordering::Release);
    });
    Ok(spool)
}
