//! Opening what a command is to work on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::args::{Picking, Reading};
use super::option_flags::OptionFlags;
use super::{note, redaction};
use crate::agent::infer_definitions;
use crate::error::Error;
use crate::load::{self, Loaded, folder};
use crate::step::Step;

/// A trace that a command is to work on.
pub(super) struct Named {
    pub(super) path: PathBuf,
    /// Whether it was found in a folder that was named, rather than named itself.
    pub(super) found: bool,
}

/// The traces that the arguments name: a folder stands for the traces in it and below, by their
/// paths. What can't be looked at is told in a line each.
///
/// # Errors
/// [`Error::Unreadable`] where there is no trace in a folder.
pub(super) fn expand(files: &[PathBuf]) -> Result<Vec<Named>, Error> {
    let mut all = Vec::new();
    for file in files {
        if !is_folder(file) {
            all.push(Named {
                path: file.clone(),
                found: false,
            });
            continue;
        }
        let (mut entries, unread) = folder::list(file);
        for (path, why) in unread {
            note(&format!("{}: can't be read: {why}", path.display()));
        }
        if entries.is_empty() {
            return Err(no_trace(file));
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        all.extend(entries.into_iter().map(|entry| Named {
            path: entry.path,
            found: true,
        }));
    }
    Ok(all)
}

/// Whether a path names a folder of traces rather than one.
pub(super) fn is_folder(path: &Path) -> bool {
    path.is_dir() && !load::is_storage(path)
}

/// The error for a folder without a trace.
pub(super) fn no_trace(folder: &Path) -> Error {
    Error::Unreadable {
        name: folder.to_string_lossy().into_owned(),
        what: "there is no trace in this folder or below".to_owned(),
    }
}

/// What was made of a trace. One that was only found in a folder and can't be used is left out, and
/// that is told in a line.
pub(super) fn or_left_out<T>(named: &Named, made: Result<T, Error>) -> Result<Option<T>, Error> {
    match made {
        Err(Error::Output(error)) => Err(error.into()),
        Err(error) if named.found => {
            let (name, why) = (named.path.to_string_lossy(), error.to_string());
            let why = why
                .strip_prefix(&*name)
                .map_or(&*why, |why| why.trim_start_matches(": "));
            note(&format!("{name}: left out: {why}"));
            Ok(None)
        }
        made => made.map(Some),
    }
}

/// Traces that are tried for the newest that opens.
const TRIED: usize = 100;

/// The newest trace of a folder and those below it. Which one that is, and what newer was no trace, is
/// told in a line.
///
/// # Errors
/// [`Error::Unreadable`] where there is none.
pub(super) fn newest(folder: &Path) -> Result<PathBuf, Error> {
    if !folder.is_dir() {
        let name = folder.to_string_lossy();
        let what = format!("--last names a folder, and {name} is none");
        return Err(Error::Usage(what));
    }
    let (entries, _) = folder::list(folder);
    let mut entries = entries.into_iter().take(TRIED).enumerate();
    let found = entries.find(|(_, entry)| load::is_trace(&entry.path));
    let (newer, entry) = found.ok_or_else(|| no_trace(folder))?;
    let name = entry.path.to_string_lossy();
    note(&match newer {
        0 => format!("the newest trace is {name}"),
        1 => format!("the newest trace is {name}; a newer file is none"),
        more => format!("the newest trace is {name}; {more} newer files are none"),
    });
    Ok(entry.path)
}

/// Opens a trace. What could not be read is told in a line.
pub(super) fn open(path: &Path, reading: &Reading) -> Result<Loaded, Error> {
    let loaded = open_quietly(path, reading)?;
    if let Some(summary) = loaded.report.summary() {
        let name = path.to_string_lossy();
        note(&format!(
            "{name}: {summary}; 'turnscope check {name}' says where"
        ));
    }
    Ok(loaded)
}

/// Opens a trace, and tells nothing.
pub(super) fn open_quietly(path: &Path, reading: &Reading) -> Result<Loaded, Error> {
    let loaded = load::open(path, load::loader(&reading.format)?)?;
    redaction::learn(&loaded);
    Ok(loaded)
}

/// The conversation that is meant, from 1.
pub(super) fn pick(loaded: &Loaded, path: &Path, picking: &Picking) -> Result<Arc<Step>, Error> {
    let conversations = &loaded.conversations;
    let count = conversations.len();
    if count == 0 {
        return Err(Error::Unreadable {
            name: path.to_string_lossy().into_owned(),
            what: "there is no conversation in it".to_owned(),
        });
    }
    let found = match picking.conversation {
        Some(number) => (number as usize)
            .checked_sub(1)
            .and_then(|index| conversations.get(index)),
        None if count == 1 => conversations.first(),
        None => None,
    };
    found.map(Arc::clone).ok_or_else(|| {
        Error::Usage(match (picking.conversation, count) {
            (Some(number), 1) => format!("there is no conversation {number}; the trace has one"),
            (Some(number), _) => {
                format!("there is no conversation {number}; the trace has 1 to {count}")
            }
            (None, _) => format!(
                "the trace has {count} conversations; --conversation N chooses one from 1 to {count}"
            ),
        })
    })
}

/// The step with what running its programs tells of definitions, if that is asked for. What was found
/// is told in a line.
pub(super) fn inferred(step: Arc<Step>, options: &OptionFlags) -> Arc<Step> {
    if !options.infer {
        return step;
    }
    let inferred = infer_definitions(&step, &AtomicBool::new(false));
    note(&inferred.summary());
    Arc::new(inferred.step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(conversations: usize, conversation: Option<u32>) -> Result<Arc<Step>, String> {
        let mut loaded = crate::demo::load().map_err(|error| error.to_string())?;
        loaded.conversations = (0..conversations)
            .map(|index| {
                let mut step = Step::default();
                step.name = Some(index.to_string().into());
                Arc::new(step)
            })
            .collect();
        let picked = pick(&loaded, Path::new("f"), &Picking { conversation });
        picked.map_err(|error| error.to_string())
    }

    #[test]
    fn one_of_several_conversations_must_be_named() {
        let name = |step: Arc<Step>| step.name.as_deref().map(str::to_owned);
        assert_eq!(picked(1, None).map(name), Ok(Some("0".into())));
        assert_eq!(picked(3, Some(2)).map(name), Ok(Some("1".into())));
        let error = |conversations, number| {
            picked(conversations, number)
                .map(name)
                .expect_err("none is meant")
        };
        assert!(error(3, None).contains("--conversation N chooses one from 1 to 3"));
        assert!(error(3, Some(0)).contains("1 to 3"));
        assert!(error(3, Some(4)).contains("1 to 3"));
        assert!(error(0, None).contains("no conversation"));
    }
}
