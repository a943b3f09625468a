//! Files that belong to a source: those of runs that it started, which may come later than it does.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Source;
use super::progress::Progress;
use crate::error::Error;

/// Files and folders that are kept in mind.
const KEPT: usize = 10_000;

/// What lies beside a source. Files that are opened through it are a part of the same load.
#[derive(Debug, Clone, Default)]
pub(super) struct Beside {
    progress: Arc<Progress>,
    seen: Arc<Mutex<Vec<PathBuf>>>,
}

impl Beside {
    pub(super) fn new(progress: &Arc<Progress>) -> Self {
        Self {
            progress: Arc::clone(progress),
            seen: Arc::default(),
        }
    }

    /// Opens a file; none where no more is wanted.
    pub(super) fn open(&self, path: &Path) -> Option<Result<Source, Error>> {
        self.look_at(path);
        if self.progress.is_left() {
            self.progress.cut_between();
            return None;
        }
        Some(Source::open_with(path, &self.progress))
    }

    /// Notes a file or folder, whether it is there or not yet.
    pub(super) fn look_at(&self, path: &Path) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() < KEPT {
            seen.push(path.to_owned());
        }
    }

    /// What was looked at so far.
    pub(super) fn seen(&self) -> Vec<PathBuf> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clone()
    }
}
