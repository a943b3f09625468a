//! A line that is typed, as at a shell's prompt: the cursor goes through it, and words are erased. What
//! is searched for, the palette, the filter of a folder and the names of files are such lines.

use std::ops::Deref;

use unicode_segmentation::UnicodeSegmentation as _;

use super::app::{App, Overlay};
use super::{diff, folder};
use crate::text;

/// Bytes that can be typed.
const MOST: usize = 1024;

/// A line and the cursor in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    text: String,
    /// The byte that the cursor stands before.
    at: usize,
}

impl Deref for Line {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl From<String> for Line {
    /// The cursor stands at its end.
    fn from(text: String) -> Self {
        let at = text.len();
        Self { text, at }
    }
}

/// What a key does to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    /// Moves the cursor by a character.
    Left,
    Right,
    /// Moves the cursor to an end.
    Start,
    End,
    /// Erases the character before the cursor, or the one behind it.
    Erase,
    Delete,
    /// Erases the word before the cursor, or everything before it.
    EraseWord,
    EraseBefore,
}

impl Line {
    /// Types a character.
    pub(super) fn push(&mut self, c: char) {
        if self.text.len() < MOST {
            self.text.insert(self.at, c);
            self.at += c.len_utf8();
        }
    }

    /// Where the character before the cursor begins.
    fn before(&self) -> usize {
        let last = self.text[..self.at].graphemes(true).next_back();
        self.at - last.map_or(0, str::len)
    }

    /// Where the character behind the cursor ends.
    fn behind(&self) -> usize {
        let next = self.text[self.at..].graphemes(true).next();
        self.at + next.map_or(0, str::len)
    }

    /// Where the word before the cursor begins, as shells count: what white space parts.
    fn word(&self) -> usize {
        let before = self.text[..self.at].trim_end();
        let space = before.char_indices().rev().find(|(_, c)| c.is_whitespace());
        space.map_or(0, |(at, c)| at + c.len_utf8())
    }

    pub(super) fn edit(&mut self, edit: Edit) {
        let (start, end) = match edit {
            Edit::Left => (self.before(), None),
            Edit::Right => (self.behind(), None),
            Edit::Start => (0, None),
            Edit::End => (self.text.len(), None),
            Edit::Erase => (self.before(), Some(self.at)),
            Edit::Delete => (self.at, Some(self.behind())),
            Edit::EraseWord => (self.word(), Some(self.at)),
            Edit::EraseBefore => (0, Some(self.at)),
        };
        if let Some(end) = end {
            self.text.replace_range(start..end, "");
        }
        self.at = start;
    }

    /// What fits into so many columns, safe to print, and the column of the cursor in it. Where not all
    /// of it fits, what is around the cursor is shown.
    pub(super) fn shown(&self, columns: usize) -> (String, usize) {
        let (before, behind) = self.text.split_at(self.at);
        let before = text::clean_line(before);
        let behind = text::clean_line(behind);
        let mut shown = before.as_ref();
        // The cursor itself takes a column.
        while text::width(shown) >= columns.max(1) {
            let first = shown.graphemes(true).next().map_or(0, str::len);
            shown = &shown[first..];
        }
        let column = text::width(shown);
        let all = format!("{shown}{behind}");
        (text::fit(&all, columns).into_owned(), column)
    }
}

/// The line that is typed now.
fn typed(app: &mut App) -> Option<&mut Line> {
    match &mut app.overlay {
        Some(Overlay::Palette(palette)) => Some(palette.line()),
        Some(Overlay::Search(input)) => Some(&mut input.text),
        Some(Overlay::Diff(diff)) => diff.input_mut().map(|input| &mut input.text),
        Some(Overlay::Export(input)) => input.name.as_mut(),
        Some(Overlay::Filter) => app.folder.as_mut().map(|folder| &mut folder.filter),
        _ => None,
    }
}

/// What depends on the line is made again.
fn follow(app: &mut App) {
    if matches!(app.overlay, Some(Overlay::Filter)) {
        folder::arrange(app);
    }
}

/// Types a character into the line. Whether there is one.
pub(super) fn push(app: &mut App, c: char) -> bool {
    let Some(line) = typed(app) else {
        return false;
    };
    line.push(c);
    follow(app);
    true
}

/// Edits the line that is typed; erasing in an empty one leaves it, but for a file's name.
pub(super) fn edit(app: &mut App, edit: Edit) {
    let Some(line) = typed(app) else {
        return;
    };
    let is_left = line.is_empty() && edit == Edit::Erase;
    line.edit(edit);
    follow(app);
    if is_left && !matches!(app.overlay, Some(Overlay::Export(_))) && !diff::searching::leave(app) {
        app.overlay = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(line: &mut Line, edits: &[Edit]) -> String {
        for edit in edits {
            line.edit(*edit);
        }
        let (before, behind) = line.text.split_at(line.at);
        format!("{before}|{behind}")
    }

    #[test]
    fn the_cursor_goes_by_characters_and_words_are_erased() {
        use Edit::{Delete, End, Erase, EraseBefore, EraseWord, Left, Right, Start};
        let mut line = Line::from("ls  -l e\u{301}👩‍🚀x".to_owned());
        assert_eq!(edited(&mut line, &[Left, Left]), "ls  -l e\u{301}|👩‍🚀x");
        assert_eq!(edited(&mut line, &[Delete, Erase]), "ls  -l |x");
        assert_eq!(edited(&mut line, &[EraseWord]), "ls  |x");
        line.push('é');
        assert_eq!(edited(&mut line, &[Right, Right]), "ls  éx|");
        assert_eq!(edited(&mut line, &[Start, Erase, Left, Right]), "l|s  éx");
        assert_eq!(edited(&mut line, &[EraseBefore]), "|s  éx");
        assert_eq!(edited(&mut line, &[End, Delete, EraseWord, EraseWord]), "|");
        assert_eq!(edited(&mut line, &[EraseWord, EraseBefore, Delete]), "|");
    }

    #[test]
    fn what_is_around_the_cursor_is_shown() {
        let mut line = Line::from("0123456789".to_owned());
        assert_eq!(line.shown(20), ("0123456789".to_owned(), 10));
        assert_eq!(line.shown(5), ("6789".to_owned(), 4));
        line.edit(Edit::Start);
        let (shown, column) = line.shown(5);
        assert_eq!((text::width(&shown), column), (5, 0));
        for columns in 0..3 {
            let (shown, column) = Line::from("字\u{1b}[2J".to_owned()).shown(columns);
            assert!(
                text::width(&shown) <= columns && column <= columns,
                "{shown:?}"
            );
        }
    }
}
