//! The traces in a folder and in those below it: found by walking, before any of them is read.
//!
//! Links are followed, each folder is entered once, and only plain files count, so a walk ends
//! whatever the folder holds. What a file is, its content tells; here only what can be no trace is
//! left out: a file whose name says nothing and that doesn't begin as JSON does.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::storage;

/// Folders below the first that are entered.
const MAX_DEPTH: usize = 64;

/// Traces that are listed.
const MAX_TRACES: usize = 500_000;

/// Folders of other tools' files, which hold JSON and no trace.
const NOT_ENTERED: [&str; 5] = [
    ".git",
    "node_modules",
    ".venv",
    "__pycache__",
    "site-packages",
];

/// Endings under which traces are written.
const ENDINGS: [&str; 6] = ["json", "jsonl", "ndjson", "traj", "eval", "zst"];

/// The folder of a session's sub-agents, which are opened from the session (`formats/claude-code.md`).
const SUB_AGENTS: &str = "subagents";

/// A file, or a folder that is one tool's storage, that may be a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // what a folder tells of a file
pub struct Entry {
    /// Where it lies: the folder that was asked about, and the path in it.
    pub path: PathBuf,
    /// Its bytes; of a storage folder those of the files in it.
    pub size: u64,
    /// When it was last written to.
    pub modified: Option<SystemTime>,
}

/// What a walk finds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // there is no third
pub enum Found {
    /// A trace, perhaps.
    Trace(Entry),
    /// Something that can't be looked at, and why.
    Unread(PathBuf, String),
}

/// Walks through a folder and hands on what it finds, in no order, until `take` says false.
pub fn walk(root: &Path, take: &mut dyn FnMut(Found) -> bool) {
    let mut walk = Walk {
        entered: HashSet::new(),
        traces: 0,
        take,
    };
    let mut open = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        if !walk.folder(&folder, depth, &mut open) {
            return;
        }
    }
}

/// The traces of a folder, the newest first, and what can't be looked at.
pub fn list(root: &Path) -> (Vec<Entry>, Vec<(PathBuf, String)>) {
    let (mut traces, mut unread) = (Vec::new(), Vec::new());
    walk(root, &mut |found| {
        match found {
            Found::Trace(entry) => traces.push(entry),
            Found::Unread(path, why) => unread.push((path, why)),
        }
        true
    });
    traces.sort_by(|a, b| {
        b.modified
            .cmp(&a.modified)
            .then_with(|| a.path.cmp(&b.path))
    });
    unread.sort();
    (traces, unread)
}

struct Walk<'a> {
    /// Folders by what they really are, so that links lead nowhere twice.
    entered: HashSet<PathBuf>,
    traces: usize,
    take: &'a mut dyn FnMut(Found) -> bool,
}

impl Walk<'_> {
    /// Looks at what a folder holds; false where the walk ends.
    fn folder(&mut self, folder: &Path, depth: usize, open: &mut Vec<(PathBuf, usize)>) -> bool {
        let real = match fs::canonicalize(folder) {
            Ok(real) => real,
            Err(error) => return (self.take)(Found::Unread(folder.to_owned(), error.to_string())),
        };
        if !self.entered.insert(real) {
            return true;
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return (self.take)(Found::Unread(folder.to_owned(), error.to_string())),
        };
        for entry in entries.flatten() {
            let path = entry.path();
            // Of a link that leads nowhere there is nothing to say.
            let Ok(about) = fs::metadata(&path) else {
                continue;
            };
            let goes_on = if about.is_dir() {
                self.inner(path, depth, open)
            } else {
                !about.is_file() || !may_be_trace(&path, &about) || self.trace(path, &about)
            };
            if !goes_on {
                return false;
            }
        }
        true
    }

    fn inner(&mut self, path: PathBuf, depth: usize, open: &mut Vec<(PathBuf, usize)>) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        if depth >= MAX_DEPTH || name.is_some_and(|name| NOT_ENTERED.contains(&name)) {
            return true;
        }
        if storage::is_storage(&path) {
            return self.storage(path);
        }
        let session = path.parent().map(|folder| folder.with_extension("jsonl"));
        let is_of_session =
            name == Some(SUB_AGENTS) && session.is_some_and(|session| session.is_file());
        if !is_of_session {
            open.push((path, depth + 1));
        }
        true
    }

    fn trace(&mut self, path: PathBuf, about: &Metadata) -> bool {
        self.traces += 1;
        (self.take)(Found::Trace(Entry {
            path,
            size: about.len(),
            modified: about.modified().ok(),
        })) && self.traces < MAX_TRACES
    }

    fn storage(&mut self, path: PathBuf) -> bool {
        let (mut size, mut modified) = (0, None);
        for about in storage::files(&path) {
            size += about.len();
            modified = modified.max(about.modified().ok());
        }
        self.traces += 1;
        (self.take)(Found::Trace(Entry {
            path,
            size,
            modified,
        })) && self.traces < MAX_TRACES
    }
}

/// Whether a file may be a trace: by the ending of its name, else by its first bytes.
fn may_be_trace(path: &Path, about: &Metadata) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    // The plain file wins where both are there (`formats/codex.md`).
    if matches!(ending, Some("zst" | "gz")) && path.with_extension("").is_file() {
        return false;
    }
    let is_one = |ending: &str| ENDINGS.contains(&ending.to_ascii_lowercase().as_str());
    if ending == Some("gz") {
        // Much else is packed so.
        let inner = path.file_stem().map(Path::new).and_then(Path::extension);
        return inner.and_then(OsStr::to_str).is_some_and(is_one);
    }
    if ending.is_some_and(is_one) {
        return true;
    }
    if about.len() < 2 {
        return false;
    }
    let mut head = [0; 64];
    let Ok(count) = File::open(path).and_then(|mut file| file.read(&mut head)) else {
        return false;
    };
    let head = head[..count]
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&head[..count]);
    let mut head = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    match head.next() {
        Some(b'{') => matches!(head.next(), Some(b'"' | b'}')),
        Some(b'[') => matches!(head.next(), Some(b'{' | b'[' | b'"' | b']')),
        _ => false,
    }
}
