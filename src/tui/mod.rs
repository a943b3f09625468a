//! The inspector.
//!
//! `Event → Key → Command → App → Effect`, then [`prepare`](prepare::prepare) for places and texts, then
//! [`view`](view::view). Commands are declared once, in [`command`]; a pane is one file in [`pane`].

mod actions;
pub mod app;
pub mod beside;
pub mod command;
mod document;
mod event;
pub mod external;
pub mod follow;
pub mod gutter;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod lens;
mod overlay;
pub mod pane;
pub mod prepare;
pub mod problems;
pub mod rows;
pub mod search;
mod terminal;
pub mod text_view;
pub mod theme;
pub mod view;

pub use event::run;

use std::sync::Arc;

use crate::error::Error;
use crate::load::Loaded;
use crate::tokens::Tokenizer;
use app::{App, Document, Start};
use follow::Watch;
use keymap::Keymap;
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
}

/// Opens the inspector on what was loaded, and follows the file it came from.
///
/// # Errors
/// [`Error::Unreadable`] where there is no conversation, what was asked for and isn't there,
/// [`Error::Terminal`] where there is no terminal.
pub fn inspect(
    name: &str,
    loaded: Loaded,
    start: &Start,
    setup: Setup,
    watch: Option<Watch>,
) -> Result<(), Error> {
    let index = conversation(name, &loaded, start.conversation)?;
    let step = Arc::clone(&loaded.conversations[index]);
    let document = Document::new(name, step, loaded.report, start)?;
    let mut app = App::new(document, setup.theme);
    app.keymap = setup.keymap;
    app.counts_with = setup.tokenizer;
    app.start = start.for_another();
    app.message = setup.note.or(app.message);
    app.conversations = loaded.conversations;
    app.conversation = index;
    app.watch = watch;
    run(&mut app)
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
