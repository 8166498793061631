//! The data directory: where sessions and logs are kept. Knows no session's content.
//!
//! ```text
//! <data dir>/                      0700, as all directories; files are 0600
//!   sessions/20261201-031405-a3f9/
//!     journal.jsonl                the session
//!     store/  store.mark           its blocks in the engine; can be made again from the journal
//!     lock                         who writes to it
//!   logs/
//! ```
//!
//! Nothing is made before something is to be written, so that watching works where nothing can be.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::data_dir_error::DataDirError;
use super::session_dir::{self, NewSession, SessionDir};
use super::{files, listing};

/// Where everything is kept that the program writes by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDir {
    root: PathBuf,
}

impl DataDir {
    /// The directory `given` by option or environment, else `memex` in the user's data directory. Nothing is
    /// touched.
    ///
    /// # Errors
    /// [`DataDirError::NoHome`] when none is given and there is no home.
    pub fn locate(given: Option<&Path>) -> Result<Self, DataDirError> {
        if let Some(root) = given.filter(|p| !p.as_os_str().is_empty()) {
            return Ok(Self { root: root.to_owned() });
        }
        let base = etcetera::choose_base_strategy().map_err(|e| DataDirError::NoHome(e.to_string()))?;
        let root = base.data_dir().join("memex");
        if root.is_absolute() { Ok(Self { root }) } else { Err(DataDirError::NoHome(format!("{} is relative", root.display()))) }
    }

    /// Its path.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the sessions are.
    #[must_use]
    pub fn sessions_dir(&self) -> PathBuf {
        self.root.join("sessions")
    }

    fn make(&self, path: &Path) -> Result<(), DataDirError> {
        if let Some(file) = path.ancestors().find(|p| p.exists()).filter(|p| !p.is_dir()) {
            return Err(DataDirError::NotADirectory { path: file.to_owned() });
        }
        files::make_dirs(path).map_err(DataDirError::io("make", path))
    }

    /// Makes a session and takes its lock. `now` is milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`DataDirError`] names the path and the way out.
    pub fn create_session(&self, now: u64) -> Result<NewSession, DataDirError> {
        let sessions = self.sessions_dir();
        self.make(&sessions)?;
        loop {
            let dir = SessionDir::new(&sessions, &session_dir::new_id(now));
            match files::make_dir(dir.path()) {
                Ok(()) => return dir.begin(now),
                // Another program took the same name in the same second.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(DataDirError::io("make", dir.path())(e)),
            }
        }
    }

    /// Makes a log file for this process.
    ///
    /// # Errors
    /// [`DataDirError`] names the path and the way out.
    pub fn create_log(&self, now: u64) -> Result<(File, PathBuf), DataDirError> {
        let logs = self.root.join("logs");
        self.make(&logs)?;
        let path = files::free_name(&logs.join("memex"), &format!("{}-{}.log", files::stamp(now), std::process::id()));
        let file = files::make_file(&path).map_err(DataDirError::io("make", &path))?;
        Ok((file, path))
    }

    /// Ids of all sessions, oldest first. An absent directory has none.
    ///
    /// # Errors
    /// [`DataDirError`] when the directory cannot be read.
    pub fn ids(&self) -> Result<Vec<String>, DataDirError> {
        let sessions = self.sessions_dir();
        let entries = match std::fs::read_dir(&sessions) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(DataDirError::io("read", &sessions)(e)),
        };
        let mut ids: Vec<String> = entries
            .filter_map(Result::ok)
            .filter_map(|e| e.file_name().into_string().ok())
            .filter(|name| session_dir::valid_id(name) && SessionDir::new(&sessions, name).journal().is_file())
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// All sessions, oldest first, with what can be told without reading them whole.
    ///
    /// # Errors
    /// [`DataDirError`] when the directory cannot be read.
    pub fn sessions(&self) -> Result<Vec<listing::SessionEntry>, DataDirError> {
        let sessions = self.sessions_dir();
        Ok(self.ids()?.iter().map(|id| listing::SessionEntry::of(&SessionDir::new(&sessions, id))).collect())
    }

    /// The session whose id is, or begins with, what the user typed. It never leaves the directory.
    ///
    /// # Errors
    /// [`DataDirError::BadId`], [`DataDirError::NoSuchSession`], [`DataDirError::Ambiguous`].
    pub fn find(&self, typed: &str) -> Result<SessionDir, DataDirError> {
        let given = typed.trim();
        if given.is_empty() || given.len() > session_dir::ID_LEN || !given.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-') {
            return Err(DataDirError::BadId(given.chars().take(80).collect()));
        }
        let given = given.to_ascii_lowercase();
        let mut matches: Vec<String> = self.ids()?.into_iter().filter(|id| id.starts_with(&given)).collect();
        match (matches.pop(), matches.is_empty()) {
            (Some(id), true) => Ok(SessionDir::new(&self.sessions_dir(), &id)),
            (None, _) => Err(DataDirError::NoSuchSession { given, path: self.sessions_dir() }),
            (Some(last), false) => {
                matches.push(last);
                Err(DataDirError::Ambiguous { given, matches })
            }
        }
    }

    /// A sentence when others can read what is kept here; permissions that the user set are not changed.
    #[must_use]
    pub fn exposed(&self) -> Option<String> {
        let all = files::walk(&self.root).ok()?;
        let wide: Vec<_> = all.iter().filter(|(_, meta)| files::is_wide(meta)).collect();
        let (first, _) = wide.first()?;
        Some(format!(
            "others can read {} of the files and directories in {}, the first {}; `chmod -R go-rwx {}` ends that",
            wide.len(),
            self.root.display(),
            first.display(),
            self.root.display()
        ))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn nothing_is_made_by_looking() {
        let tmp = tempfile::tempdir().unwrap();
        let data = DataDir::locate(Some(&tmp.path().join("no/such"))).unwrap();
        assert!(data.sessions().unwrap().is_empty());
        assert!(matches!(data.find("2026"), Err(DataDirError::NoSuchSession { .. })));
        assert_eq!(data.exposed(), None);
        assert_eq!(std::fs::read_dir(tmp.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_typed_id_finds_one_session_or_says_why_not() {
        let tmp = tempfile::tempdir().unwrap();
        let data = DataDir::locate(Some(tmp.path())).unwrap();
        let a = data.create_session(1_796_094_845_000).unwrap().dir.id().to_owned();
        let b = data.create_session(1_796_094_846_000).unwrap().dir.id().to_owned();
        assert!(a.starts_with("20261201-031405-") && b.starts_with("20261201-031406-"), "{a} {b}");
        assert_eq!(data.ids().unwrap(), [a.clone(), b.clone()]);
        assert_eq!(data.find(&a).unwrap().id(), a);
        assert_eq!(data.find(" 20261201-031406 ").unwrap().id(), b);
        let ambiguous = data.find("20261201").unwrap_err().to_string();
        assert!(ambiguous.contains(&a) && ambiguous.contains(&b), "{ambiguous}");
        assert!(matches!(data.find("2027"), Err(DataDirError::NoSuchSession { .. })));
        for bad in ["", "  ", "..", "../x", "/etc/passwd", "20261201-031405-a3f9/../x", "a\0b", "con", &"2".repeat(300)] {
            assert!(matches!(data.find(bad), Err(DataDirError::BadId(_))), "{bad:?}");
        }
        // What lies there but is no session is not listed.
        std::fs::create_dir(data.sessions_dir().join("20261201-031407-0000")).unwrap();
        std::fs::write(data.sessions_dir().join("notes.txt"), "x").unwrap();
        assert_eq!(data.ids().unwrap().len(), 2);
    }

    #[test]
    fn a_file_in_the_way_is_named_with_the_option() {
        let tmp = tempfile::tempdir().unwrap();
        let file = tmp.path().join("file");
        std::fs::write(&file, "x").unwrap();
        for root in [file.clone(), file.join("below")] {
            let data = DataDir::locate(Some(&root)).unwrap();
            for text in [data.create_session(0).unwrap_err().to_string(), data.create_log(0).unwrap_err().to_string()] {
                assert!(
                    text.contains(&file.display().to_string()) && text.contains("--data-dir") && text.contains("MEMEX_DATA_DIR"),
                    "{text}"
                );
            }
        }
        let data = DataDir::locate(Some(&file)).unwrap();
        assert!(matches!(data.sessions(), Err(DataDirError::NotADirectory { .. })));
    }

    #[test]
    fn wide_directories_are_reported_and_left() {
        let tmp = tempfile::tempdir().unwrap();
        let data = DataDir::locate(Some(&tmp.path().join("d"))).unwrap();
        data.create_session(0).unwrap();
        data.create_log(0).unwrap();
        assert_eq!(data.exposed(), None);
        std::fs::set_permissions(data.root(), std::fs::Permissions::from_mode(0o755)).unwrap();
        data.create_session(0).unwrap();
        let text = data.exposed().unwrap();
        assert!(text.contains(&format!("others can read 1 of the files and directories in {}", data.root().display())), "{text}");
        assert_eq!(data.root().metadata().unwrap().permissions().mode() & 0o777, 0o755);
    }
}
