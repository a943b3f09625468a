//! Folders that hold one tool's runs and open as one source: opencode's storage, with `session`,
//! `message` and `part` in it (`formats/gemini-opencode.md`), and the folder of an OpenHands
//! conversation, with a file an event in `events` (`formats/openhands.md`).

use std::fs::Metadata;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::progress::Progress;
use super::{Report, salvage};
use crate::value::{Value, json};

/// Folders of opencode that are read.
const OPENCODE: [&str; 3] = ["session", "message", "part"];

/// The folder of OpenHands' events, and the file beside it that newer versions write.
pub(super) const EVENTS: &str = "events";
pub(super) const BASE_STATE: &str = "base_state.json";

/// Bytes that are read of all files together.
const MAX_BYTES: u64 = 1 << 30;

/// Files that are read.
const MAX_FILES: usize = 500_000;

/// Names that are looked at to tell whether a folder holds events.
const PROBED_NAMES: usize = 200;

/// The note where that is not all.
pub(super) const TOO_LARGE: &str = "the storage folder is too large: only a part of it was read";

/// A storage folder.
#[derive(Debug, Default)]
pub(super) struct Folder {
    /// Its files by their paths inside it, in the order of those; events by their numbers.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// Whether a part was left out.
    pub too_large: bool,
    /// Files and folders that could not be read.
    pub unread: usize,
}

/// What a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    OpenCode,
    OpenHands,
}

fn kind(path: &Path) -> Option<Kind> {
    let has = |name: &str| path.join(name).is_dir();
    if has("message") && (has("session") || has("part")) {
        return Some(Kind::OpenCode);
    }
    if has(EVENTS) && (path.join(BASE_STATE).is_file() || holds_events(&path.join(EVENTS))) {
        return Some(Kind::OpenHands);
    }
    None
}

/// Whether a folder is opened as one source.
pub fn is_storage(path: &Path) -> bool {
    kind(path).is_some()
}

fn holds_events(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = entries.take(PROBED_NAMES).map(|entry| entry.file_name());
    names.any(|name| event_number(Path::new(&name)).is_some())
}

/// The number of an event in its file's name: `12.json`, `event-00012-ID.json`.
fn event_number(name: &Path) -> Option<u64> {
    let name = name.file_name()?.to_str()?.strip_suffix(".json")?;
    let number = match name.strip_prefix("event-") {
        Some(rest) => rest.split('-').next()?,
        None => name,
    };
    number.parse().ok()
}

/// What the file system tells of a storage folder's files.
pub(super) fn files(path: &Path) -> impl Iterator<Item = Metadata> {
    let names = kind(path).map_or_else(Vec::new, |kind| names(kind, path, &mut 0));
    let path = path.to_owned();
    names
        .into_iter()
        .filter_map(move |name| std::fs::metadata(path.join(name)).ok())
}

/// Reads a storage folder; none where the folder is none.
///
/// # Errors
/// Where nothing in it can be read.
pub(super) fn read(path: &Path, progress: &Progress) -> io::Result<Option<Folder>> {
    let Some(kind) = kind(path) else {
        return Ok(None);
    };
    let mut folder = Folder::default();
    let names = names(kind, path, &mut folder.unread);
    let mut failed = None;
    let mut left = MAX_BYTES;
    for name in names {
        if folder.files.len() >= MAX_FILES || left == 0 {
            folder.too_large = true;
            break;
        }
        if progress.is_left() {
            progress.cut_between();
            break;
        }
        let mut bytes = Vec::new();
        let read = std::fs::File::open(path.join(&name))
            .and_then(|file| file.take(left).read_to_end(&mut bytes));
        if let Err(error) = read {
            folder.unread += 1;
            failed = Some(error);
            continue;
        }
        left = left.saturating_sub(bytes.len() as u64);
        progress.add(bytes.len() as u64);
        folder.files.push((name, bytes));
    }
    match failed {
        Some(error) if folder.files.is_empty() => Err(error),
        _ => Ok((!folder.files.is_empty()).then_some(folder)),
    }
}

/// The record that a file of a folder is. What is missing in it is damage.
pub(super) fn record(path: &Path, bytes: &[u8], report: &mut Report) -> Option<Value> {
    let read = match salvage::read(bytes, json::parse) {
        Ok(read) if read.parsed.value.as_map().is_some() => read,
        _ => {
            report.damage(None, format!("{} holds no record", path.display()));
            return None;
        }
    };
    for wrong in read.wrong {
        if wrong.incomplete {
            report.damage(None, format!("{}: {}", path.display(), wrong.what));
        } else {
            report.note(wrong.what);
        }
    }
    Some(read.parsed.value)
}

/// The files of a storage folder by their paths inside it, in the order in which they are read.
/// Folders that can't be read are counted.
fn names(kind: Kind, path: &Path, unread: &mut usize) -> Vec<PathBuf> {
    let mut names = Vec::new();
    match kind {
        Kind::OpenCode => {
            for name in OPENCODE.into_iter().filter(|name| path.join(name).is_dir()) {
                let before = names.len();
                // Files lie one or two levels deep.
                list(path, Path::new(name), 3, unread, &mut names);
                names[before..].sort();
            }
        }
        Kind::OpenHands => {
            let mut events = Vec::new();
            list(path, Path::new(EVENTS), 0, unread, &mut events);
            let numbered = |name: PathBuf| Some((event_number(&name)?, name));
            let mut events: Vec<(u64, PathBuf)> = events.into_iter().filter_map(numbered).collect();
            events.sort();
            if path.join(BASE_STATE).is_file() {
                names.push(PathBuf::from(BASE_STATE));
            }
            names.extend(events.into_iter().map(|(_, name)| name));
        }
    }
    names
}

/// Adds the JSON files of a folder and of those in it, so many levels deep.
fn list(root: &Path, inside: &Path, deeper: usize, unread: &mut usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(root.join(inside)) else {
        *unread += 1;
        return;
    };
    for entry in entries.flatten() {
        let name = inside.join(entry.file_name());
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && deeper > 0 {
            list(root, &name, deeper - 1, unread, found);
        } else if kind.is_file() && name.extension().is_some_and(|ext| ext == "json") {
            found.push(name);
        }
    }
}

/// What an object is by its keys that is one file of a tool's storage and no trace by itself.
pub(super) fn part_of_one(keys: &[String]) -> Option<&'static str> {
    let has = |name: &str| keys.iter().any(|key| key == name);
    let is_message = has("sessionID") && has("role");
    let is_part = has("sessionID") && has("messageID");
    let is_session = has("projectID") && has("directory");
    (is_message || is_part || is_session)
        .then_some("it is one file of opencode's storage; open the folder 'storage' itself")
}
