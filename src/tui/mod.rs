//! The inspector.
//!
//! `Event → Key → Command → App → Effect`, then [`prepare`](prepare::prepare) for places and texts, then
//! [`view`](view::view). Commands are declared once, in [`command`]; a pane is one file in [`pane`].

pub mod abreast;
mod actions;
pub mod app;
pub mod beside;
mod cells;
pub mod child;
pub mod colours;
pub mod command;
pub mod content;
pub mod copying;
pub mod diff;
mod document;
mod entries;
mod event;
pub mod export;
pub mod external;
pub mod figures;
pub mod folder;
mod folding;
pub mod follow;
pub mod gutter;
pub mod infer;
mod jumps;
mod kept_folds;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod lens;
pub mod line;
pub mod mouse;
pub mod needs;
pub mod origin;
mod overlay;
pub mod page;
pub mod pane;
pub mod place;
pub mod prepare;
pub mod problems;
pub mod reading;
pub mod redaction;
pub mod rows;
pub mod scout;
pub mod search;
pub mod sections;
mod tally;
mod terminal;
pub mod text_view;
pub mod theme;
mod told_of_file;
mod total;
pub mod tree;
pub mod two_runs;
pub mod view;
pub mod what_if;
mod work;

pub use event::run;
pub use work::MakingFrame;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::load::{self, Loaded, Loader, Report};
use crate::settings::places::Keeper;
use crate::step::Step;
use crate::text::redact::Redactor;
use crate::tokens::Tokenizer;
use app::{App, Document, Start};
use folder::Folder;
use follow::Watch;
use keymap::Keymap;
use reading::{Files, Reading};
use redaction::Redaction;
use scout::Scout;
use theme::Theme;

/// How the inspector is set up, whatever it opens.
#[derive(Debug, Default)]
#[allow(clippy::exhaustive_structs)] // filled in by whoever composes the program
pub struct Setup {
    /// How roles look.
    pub theme: Theme,
    /// The keys of commands.
    pub keymap: Keymap,
    /// Whether to take the mouse.
    pub mouse: bool,
    /// The tokenizer to count with.
    pub tokenizer: Tokenizer,
    /// What there is to tell first.
    pub note: Option<String>,
    /// What hides secrets; none where its patterns can't be used.
    pub redactor: Option<Arc<Redactor>>,
    /// Whether to begin with secrets hidden.
    pub redacted: bool,
    /// Where the last place in the trace is kept.
    pub keeper: Option<Keeper>,
}

/// Opens the inspector on a folder: the list of its traces.
///
/// # Errors
/// [`Error::Terminal`] where there is no terminal.
pub fn browse(
    root: &Path,
    format: Option<&'static dyn Loader>,
    start: &Start,
    setup: Setup,
) -> Result<(), Error> {
    let mut app = nothing(setup.theme)?;
    let scout = Scout::start(root, format);
    app.folder = Some(Folder::new(root, start.clone(), Some(scout)));
    set_up(app, start, setup)
}

/// Shows the state, set up as asked.
fn set_up(mut app: App, start: &Start, setup: Setup) -> Result<(), Error> {
    let keeper = setup.keeper;
    app.keymap = setup.keymap;
    app.mouse = setup.mouse;
    app.redaction = Redaction::new(setup.redactor, setup.redacted);
    app.counts_with = setup.tokenizer;
    app.start = start.for_another();
    app.message = setup.note.or(app.message);
    if let Some(place) = keeper.as_ref().and_then(Keeper::recall) {
        place::go_to(&mut app, place, start);
    }
    run(&mut app)?;
    if let Some((keeper, place)) = keeper.zip(place::of(&app)) {
        // A directory that can't be written costs only the place.
        let _ = keeper.remember(place);
    }
    Ok(())
}

/// Opens the inspector on the bundled demo or another run that is loaded already.
///
/// # Errors
/// [`Error::Unreadable`] where there is no conversation, what was asked for and isn't there,
/// [`Error::Terminal`] where there is no terminal.
pub fn inspect(name: &str, loaded: &Loaded, start: &Start, setup: Setup) -> Result<(), Error> {
    let opened = reading::opened(name, loaded, start)?;
    set_up(opened.app(setup.theme), start, setup)
}

/// How long the first frame waits for all of a file.
const PATIENCE: Duration = Duration::from_millis(100);

/// Opens the inspector on a file, or on two side by side, and follows them. Of what takes a while to
/// be read the beginning is shown first, or else how far it was read.
///
/// # Errors
/// What is wrong with a file, what was asked for and isn't there, [`Error::Terminal`] where there is no
/// terminal.
pub fn open(files: Files, start: &Start, setup: Setup) -> Result<(), Error> {
    // What was asked for by its number need not be in the beginning.
    let by_number = start.turn.or(start.conversation).is_some() || files.second.is_some();
    let format = files.format.map(|loader| loader as &dyn Loader);
    let early = (!by_number).then(|| load::open_beginning(&files.first, format));
    if let Some(loaded) = early.flatten() {
        let name = files.first.to_string_lossy().into_owned();
        let mut opened = reading::opened(&name, &loaded, start)?;
        opened.watch = Some(Watch::reading(files));
        return set_up(opened.app(setup.theme), start, setup);
    }
    let mut reading = Reading::start(files, start);
    if let Some(opened) = reading.wait(PATIENCE) {
        return set_up(opened?.app(setup.theme), start, setup);
    }
    let mut app = nothing(setup.theme)?;
    app.reading = Some(reading);
    set_up(app, start, setup)
}

/// The inspector on a run without turns, which lies under what is shown until a trace is opened.
fn nothing(theme: Theme) -> Result<App, Error> {
    let nothing = Arc::new(Step::default());
    let document = Document::new("", nothing, Report::default(), &Start::default())?;
    Ok(App::new(document, theme))
}

/// The place of the conversation that is asked for, from 1; the first where none is.
fn conversation(name: &str, loaded: &Loaded, asked: Option<u32>) -> Result<usize, Error> {
    let count = loaded.conversations.len();
    let at = asked.unwrap_or(1);
    let index = (at as usize).checked_sub(1).filter(|index| *index < count);
    index.ok_or_else(|| Error::Unreadable {
        name: name.to_owned(),
        what: match count {
            0 => "holds no run".to_owned(),
            _ => format!("has no conversation {at}; it has 1 to {count}"),
        },
    })
}
