//! The last place in each trace, kept in the directory for state. Nothing depends on it: what can't
//! be read is as if nothing were remembered, and what can't be written is forgotten.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folders;

/// Traces whose places are kept, the latest first.
const KEPT: usize = 500;

/// Bytes of the file that are read.
const MAX_BYTES: u64 = 1 << 20;

/// A place in a run, by the words on the screen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[allow(clippy::exhaustive_structs)] // whoever remembers knows all of it
pub struct Place {
    /// The selected row, from 0.
    pub row: usize,
    /// The conversation of the file, from 0.
    pub conversation: usize,
    /// The focused pane.
    pub pane: String,
    /// The part of the turn.
    pub tab: String,
    /// What is shown of the prompt.
    pub shown: String,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    trace: PathBuf,
    place: Place,
}

/// Where the place in one trace is kept.
#[derive(Debug, Clone)]
pub struct Keeper {
    file: PathBuf,
    trace: PathBuf,
}

impl Keeper {
    /// The keeper for a trace; none where the platform names no directory or the trace is gone.
    pub fn new(trace: &Path) -> Option<Self> {
        Self::at(&folders::state_folder()?.join("places.json"), trace)
    }

    fn at(file: &Path, trace: &Path) -> Option<Self> {
        Some(Self {
            file: file.to_owned(),
            trace: fs::canonicalize(trace).ok()?,
        })
    }

    fn all(&self) -> Vec<Kept> {
        let mut text = String::new();
        let read =
            File::open(&self.file).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
        let kept = read.ok().and_then(|_| serde_json::from_str(&text).ok());
        kept.unwrap_or_default()
    }

    /// The place that was remembered.
    pub fn recall(&self) -> Option<Place> {
        let mut all = self.all().into_iter();
        all.find(|kept| kept.trace == self.trace)
            .map(|kept| kept.place)
    }

    /// Remembers a place, in one step: another reader sees the old file or the new one.
    ///
    /// # Errors
    /// Where the file can't be written.
    pub fn remember(&self, place: Place) -> io::Result<()> {
        let mut all = self.all();
        all.retain(|kept| kept.trace != self.trace);
        let trace = self.trace.clone();
        all.insert(0, Kept { trace, place });
        all.truncate(KEPT);
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let new = folder.join(format!("places.{}.new", std::process::id()));
        let written = File::create(&new)
            .and_then(|mut file| file.write_all(&serde_json::to_vec(&all)?))
            .and_then(|()| fs::rename(&new, &self.file));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeper(folder: &Path, trace: usize) -> Keeper {
        let path = folder.join(trace.to_string());
        fs::write(&path, "").expect("written");
        Keeper::at(&folder.join("state/places.json"), &path).expect("a keeper")
    }

    #[test]
    fn the_latest_places_are_kept_and_damage_forgets_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |row| Place {
            row,
            ..Place::default()
        };
        for trace in 0..KEPT + 2 {
            let keeper = keeper(folder.path(), trace);
            assert_eq!(keeper.recall(), None);
            keeper.remember(place(trace)).expect("written");
            assert_eq!(keeper.recall(), Some(place(trace)));
        }
        assert_eq!(keeper(folder.path(), 1).recall(), None, "the oldest go");
        assert_eq!(keeper(folder.path(), 2).recall(), Some(place(2)));
        let file = folder.path().join("state/places.json");
        fs::write(&file, "[{\"trace\":").expect("written");
        assert_eq!(keeper(folder.path(), 2).recall(), None);
        keeper(folder.path(), 2)
            .remember(place(7))
            .expect("written");
        assert_eq!(keeper(folder.path(), 2).recall(), Some(place(7)));
        let files = fs::read_dir(folder.path().join("state")).expect("it");
        assert_eq!(files.count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_directory_that_can_not_be_written_is_an_error_and_no_more() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("state"), "a file").expect("written");
        let keeper = keeper(folder.path(), 1);
        assert!(keeper.remember(Place::default()).is_err());
        assert_eq!(keeper.recall(), None);
    }
}
