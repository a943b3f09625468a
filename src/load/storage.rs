//! Folders that are one tool's storage and open as one source: opencode's, with `session`, `message`
//! and `part` in it (`formats/gemini-opencode.md`).

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Folders that are read.
const FOLDERS: [&str; 3] = ["session", "message", "part"];

/// Bytes that are read of all files together.
const MAX_BYTES: u64 = 1 << 30;

/// Files that are read.
const MAX_FILES: usize = 500_000;

/// The note where that is not all.
pub(super) const TOO_LARGE: &str = "the storage folder is too large: only a part of it was read";

/// A storage folder.
#[derive(Debug, Default)]
pub(super) struct Folder {
    /// Its files by their paths inside it, in the order of those.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// Whether a part was left out.
    pub too_large: bool,
}

/// Reads a storage folder; none where the folder is none.
///
/// # Errors
/// Where a file or folder can't be read.
pub(super) fn read(path: &Path) -> io::Result<Option<Folder>> {
    let has = |name: &str| path.join(name).is_dir();
    if !has("message") || !has("session") && !has("part") {
        return Ok(None);
    }
    let mut folder = Folder::default();
    let mut left = MAX_BYTES;
    for name in FOLDERS.into_iter().filter(|name| has(name)) {
        let mut names = Vec::new();
        // Files lie one or two levels deep.
        list(path, Path::new(name), 3, &mut names)?;
        names.sort();
        for name in names {
            if folder.files.len() >= MAX_FILES || left == 0 {
                folder.too_large = true;
                break;
            }
            let mut bytes = Vec::new();
            let file = std::fs::File::open(path.join(&name))?;
            file.take(left).read_to_end(&mut bytes)?;
            left = left.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            folder.files.push((name, bytes));
        }
    }
    Ok((!folder.files.is_empty()).then_some(folder))
}

fn list(root: &Path, inside: &Path, deeper: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(root.join(inside))? {
        let entry = entry?;
        let name = inside.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() && deeper > 0 {
            list(root, &name, deeper - 1, found)?;
        } else if kind.is_file() && name.extension().is_some_and(|ext| ext == "json") {
            found.push(name);
        }
    }
    Ok(())
}
