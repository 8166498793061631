//! Guard: the one way in which the engine is called. Its panics become errors.

use std::any::Any;
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why an engine call failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// One block's bytes are missing or are not those that its header names; the engine itself works.
    Block(String),
    /// The system refused space, permission or the engine's file; what is stored is as sound as before.
    Refused(String),
    /// The engine's files are damaged, or it panicked.
    Damaged(String),
}

impl Fault {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Block(why) | Self::Refused(why) | Self::Damaged(why) => why,
        }
    }
}

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread is about to be caught and turned into an error.
///
/// A panic hook asks this: such a panic is no end of the program, so the terminal stays as it is
/// and nothing is printed.
#[must_use]
pub fn catching() -> bool {
    CATCHING.with(Cell::get)
}

/// Calls the engine.
pub(super) fn guard<T>(call: impl FnOnce() -> Result<T, sled::Error>) -> Result<T, Fault> {
    guard_with(|| call().map_err(|error| classify(&error)))
}

/// The same for calls that can fail in other ways too.
pub(super) fn guard_with<T>(call: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    let before = CATCHING.with(|c| c.replace(true));
    // After a fault the handle is dropped and never used again, so no broken state is seen.
    let result = catch_unwind(AssertUnwindSafe(call));
    CATCHING.with(|c| c.set(before));
    result.unwrap_or_else(|panic| {
        let why = format!("a state in which the engine panics ({})", message(&*panic));
        Err(if short_of_space(&why) { Fault::Refused(why) } else { Fault::Damaged(why) })
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// The engine reports some failures of the system as text only.
fn short_of_space(why: &str) -> bool {
    ["StorageFull", "FileTooLarge", "QuotaExceeded", "No space left", "File too large"].iter().any(|s| why.contains(s))
}

fn classify(error: &sled::Error) -> Fault {
    match error {
        // Behind the first one, the engine's own errors repeat it as debug output.
        sled::Error::Io(io) if refused(io) && !locked(&io.to_string()) && io.raw_os_error().is_none() => {
            Fault::Refused(io.kind().to_string())
        }
        sled::Error::Io(io) if refused(io) => Fault::Refused(io.to_string()),
        sled::Error::Io(io) => Fault::Damaged(format!("a file that cannot be read or written ({io})")),
        sled::Error::Corruption { at: Some(at), .. } => Fault::Damaged(format!("a damaged record (at {at:?})")),
        sled::Error::Corruption { at: None, .. } => Fault::Damaged("a damaged file".into()),
        other => Fault::Damaged(other.to_string()),
    }
}

/// Whether the system, not the file, is the cause.
fn refused(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    const TOO_MANY_FILES: [i32; 2] = [23, 24];
    matches!(
        error.kind(),
        K::StorageFull | K::FileTooLarge | K::QuotaExceeded | K::PermissionDenied | K::ReadOnlyFilesystem | K::WouldBlock | K::OutOfMemory
    ) || error.raw_os_error().is_some_and(|n| TOO_MANY_FILES.contains(&n))
        || locked(&error.to_string())
}

/// Whether the engine said that another handle has its file.
pub(super) fn locked(why: &str) -> bool {
    why.contains("could not acquire lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_faults_and_are_known_while_they_happen() {
        assert!(!catching());
        let fault = guard::<()>(|| {
            assert!(catching());
            std::panic::resume_unwind(Box::new("tried to serialize Uninitialized"))
        });
        assert_eq!(fault, Err(Fault::Damaged("a state in which the engine panics (tried to serialize Uninitialized)".into())));
        assert!(!catching());
    }

    #[test]
    fn a_full_disk_is_no_damage() {
        let full = || Err::<(), _>(sled::Error::Io(io::ErrorKind::StorageFull.into()));
        assert!(matches!(guard(full), Err(Fault::Refused(_))));
        let short = || Err::<(), _>(sled::Error::Io(io::ErrorKind::UnexpectedEof.into()));
        assert!(matches!(guard(short), Err(Fault::Damaged(_))));
        let bad = || Err::<(), _>(sled::Error::Corruption { at: None, bt: () });
        assert!(matches!(guard(bad), Err(Fault::Damaged(_))));
    }
}
