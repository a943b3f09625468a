//! The inspector.
//!
//! `Event → Key → Command → App → Effect`, then [`prepare`](prepare::prepare) for places and texts, then
//! [`view`](view::view). Commands are declared once, in [`command`]; a pane is one file in [`pane`].

mod actions;
pub mod app;
pub mod command;
mod document;
mod event;
pub mod external;
pub mod follow;
pub mod gutter;
pub mod key;
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
use app::{App, Document, Start};
use follow::Watch;
use theme::Theme;

/// Opens the inspector on what was loaded, and follows the file it came from.
///
/// # Errors
/// [`Error::Unreadable`] where there is no conversation, what was asked for and isn't there,
/// [`Error::Terminal`] where there is no terminal.
pub fn inspect(
    name: &str,
    loaded: Loaded,
    start: &Start,
    theme: Theme,
    watch: Option<Watch>,
) -> Result<(), Error> {
    let count = loaded.conversations.len();
    let at = start.conversation.unwrap_or(1);
    let Some(index) = (at as usize).checked_sub(1).filter(|index| *index < count) else {
        let what = match count {
            0 => "holds no run".to_owned(),
            _ => format!("has no conversation {at}; it has 1 to {count}"),
        };
        let name = name.to_owned();
        return Err(Error::Unreadable { name, what });
    };
    let step = Arc::clone(&loaded.conversations[index]);
    let document = Document::new(name, step, loaded.report, start)?;
    let mut app = App::new(document, theme);
    app.conversations = loaded.conversations;
    app.conversation = index;
    app.watch = watch;
    run(&mut app)
}
