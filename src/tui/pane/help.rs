//! The help: the commands that work here and now, with their keys.

use std::sync::Arc;

use crate::tui::app::App;
use crate::tui::command::available;
use crate::tui::rows::Block;
use crate::tui::text_view::TextView;
use crate::tui::theme::Role;

/// Columns that keys get.
const KEY_COLUMNS: usize = 18;

/// The help for the context the state is in.
pub fn view(app: &App) -> TextView {
    let context = app.context();
    let mut blocks = vec![
        Block::heading(vec![
            ("Keys in the ".to_owned(), Role::Dim),
            (context.title().to_owned(), Role::Title),
        ])
        .with_gap(),
    ];
    for command in available(app, context) {
        let keys = format!("{:<KEY_COLUMNS$}", app.keymap.names(command).join(" "));
        blocks.push(Block::heading(vec![
            (keys, Role::Key),
            (" ".to_owned(), Role::Text),
            (command.help.to_owned(), Role::Text),
        ]));
    }
    let note = "A number typed before a key repeats it: 5J. ctrl-c leaves from anywhere.";
    blocks.push(Block::heading(vec![(String::new(), Role::Dim)]));
    blocks.push(Block::heading(vec![(note.to_owned(), Role::Dim)]));
    let mut view = TextView::default();
    let blocks: Vec<Arc<Block>> = blocks.into_iter().map(Arc::new).collect();
    view.show(Arc::new(blocks));
    view
}
