//! One trace of the list: where it is, and what is known of it.

use std::path::Path;

use super::READ_FOR_FIGURES;
use crate::load::Figures;
use crate::load::folder::Entry;

/// What is known of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// Nothing yet.
    Waiting,
    /// Nothing: it is too large to be read for a list.
    Large,
    /// Its figures.
    Figures(Box<Figures>),
    /// That it can't be opened, and why.
    Failed(String),
}

/// A trace in the list.
#[derive(Debug)]
pub struct Listed {
    /// What the folder tells.
    pub entry: Entry,
    /// Its path in the folder.
    pub name: String,
    /// What its content tells.
    pub known: Known,
    /// What the filter looks at, in lower case.
    pub(super) words: String,
    /// The walk that saw it last.
    pub(super) walk: u64,
}

impl Listed {
    pub(super) fn new(root: &Path, entry: Entry, walk: u64) -> Self {
        let inside = entry.path.strip_prefix(root).unwrap_or(&entry.path);
        let mut listed = Self {
            name: inside.to_string_lossy().into_owned(),
            entry,
            known: Known::Waiting,
            words: String::new(),
            walk,
        };
        listed.forget();
        listed
    }

    /// What is known no longer holds.
    pub(super) fn forget(&mut self) {
        self.known = if self.entry.size > READ_FOR_FIGURES {
            Known::Large
        } else {
            Known::Waiting
        };
        self.set_words();
    }

    pub(super) fn set_words(&mut self) {
        let told = match &self.known {
            Known::Figures(figures) => [
                figures.format,
                figures.name.as_deref().unwrap_or_default(),
                figures.mission.as_deref().unwrap_or_default(),
            ]
            .join(" "),
            Known::Failed(why) => why.clone(),
            Known::Waiting | Known::Large => String::new(),
        };
        self.words = format!("{} {told}", self.name).to_lowercase();
    }

    /// Its figures, once they are known.
    pub fn figures(&self) -> Option<&Figures> {
        match &self.known {
            Known::Figures(figures) => Some(figures),
            _ => None,
        }
    }

    /// Whether something went wrong in it, or with it.
    pub fn has_problem(&self) -> bool {
        match &self.known {
            Known::Figures(figures) => figures.errors > Some(0) || figures.damage.is_some(),
            Known::Failed(_) => true,
            Known::Waiting | Known::Large => false,
        }
    }
}
