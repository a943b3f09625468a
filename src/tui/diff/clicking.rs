//! A click into the differences: it unfolds the stretch whose heading is there, or goes to the change.

use super::{App, DiffView, Jump, shown};

/// Does what a click means on a row of the view, from 0.
pub(in crate::tui) fn click(app: &mut App, row: usize) {
    if let Some(diff) = shown(app).filter(|diff| diff.typed.is_none()) {
        diff.click(row);
    }
}

impl DiffView {
    fn click(&mut self, row: usize) {
        let Some((line, ..)) = self.view.line_at(row) else {
            return;
        };
        let Some(mut text) = self.text.clone() else {
            return;
        };
        if text.is_heading(line) {
            if text.toggle(line, 1).is_some() {
                self.show_again(text, self.view.top_block());
            }
            return;
        }
        let mut changes = text.changes().enumerate();
        if let Some((change, lines)) = changes.find(|(_, lines)| lines.contains(&line)) {
            let top = self.view.top();
            self.jumped = Some(Jump {
                change: Some(change),
                line: lines.start.max(top.block),
                top,
            });
        }
    }
}
