//! A line as it is drawn: cleaned, in roles, broken into rows.

use std::ops::Range;

use regex::Regex;

use super::Stretch;
use crate::text::{self, rows::wrap};
use crate::tui::colours::lisp;
use crate::tui::theme::Role;

/// A cleaned line in roles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// What stands before each of its rows.
    lead: String,
    text: String,
    stretches: Vec<Stretch>,
    is_cut: bool,
    /// Bytes of our own before the text, which no search looks at.
    sign: usize,
}

impl Line {
    /// A line of which every row begins with a text of our own: an indent, a bar.
    pub fn led(lead: String) -> Self {
        Self {
            lead,
            ..Self::default()
        }
    }

    /// Puts columns before each of its rows.
    pub fn indent(&mut self, columns: usize) {
        self.lead.insert_str(0, &" ".repeat(columns));
    }

    /// Its first bytes are a sign of ours, which no search looks at.
    pub fn sign(&mut self, bytes: usize) {
        self.sign = bytes.min(self.text.len());
    }

    /// What doesn't fit a row is cut off, not put on further ones.
    pub fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Appends a text of a trace, cleaned.
    pub fn push(&mut self, raw: &str, role: Role) {
        if role != Role::Value {
            self.push_piece(raw, role);
            return;
        }
        let mut at = 0;
        for token in lisp(raw) {
            self.push_piece(&raw[at..token.end], token.role);
            at = token.end;
        }
    }

    fn push_piece(&mut self, raw: &str, role: Role) {
        if raw.contains('\t') {
            // Tab stops count from the line's start.
            let column = text::width(&self.text) % text::TAB_WIDTH;
            let padded = format!("{}{raw}", " ".repeat(column));
            let cleaned = text::clean_line(&padded);
            self.text.push_str(&cleaned[column..]);
        } else {
            self.text.push_str(&text::clean_line(raw));
        }
        self.stretches.push(Stretch {
            end: self.text.len(),
            role,
        });
    }

    /// The cleaned text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether all of it is in a role.
    pub fn is(&self, role: Role) -> bool {
        self.stretches.iter().all(|stretch| stretch.role == role)
    }

    /// Where a pattern is found in it.
    fn matches<'a>(&'a self, pattern: &'a Regex) -> impl Iterator<Item = Range<usize>> + 'a {
        let found = pattern.find_iter(&self.text[self.sign..]);
        let ranges = found.map(|found| self.sign + found.start()..self.sign + found.end());
        ranges.filter(|range| !range.is_empty())
    }

    /// The row in which a pattern is found first, and its column there; not wrapped there is one row.
    pub fn place_of(
        &self,
        pattern: &Regex,
        columns: usize,
        wrapped: bool,
    ) -> Option<(usize, usize)> {
        let first = self.matches(pattern).next()?;
        let column = |from: usize| text::width(&self.text[from..first.start]);
        if !wrapped || self.is_cut {
            return Some((0, column(0)));
        }
        let rows = self.wrapped(columns);
        let row = rows.partition_point(|row| row.end <= first.start);
        Some((row, column(rows.get(row)?.start)))
    }

    /// Gives what matches a role of its own.
    pub fn mark(&mut self, pattern: &Regex) {
        let found: Vec<Range<usize>> = self.matches(pattern).collect();
        if found.is_empty() {
            return;
        }
        let mut marked = Vec::with_capacity(self.stretches.len() + 2 * found.len());
        let mut ranges = found.into_iter().peekable();
        let mut at = 0;
        for stretch in &self.stretches {
            while at < stretch.end {
                while ranges.next_if(|range| range.end <= at).is_some() {}
                let (end, role) = match ranges.peek() {
                    Some(range) if range.start <= at => (range.end.min(stretch.end), Role::Match),
                    Some(range) => (range.start.min(stretch.end), stretch.role),
                    None => (stretch.end, stretch.role),
                };
                marked.push(Stretch { end, role });
                at = end;
            }
        }
        self.stretches = marked;
    }

    /// How many rows it takes.
    pub fn height(&self, columns: usize, wrapped: bool) -> usize {
        if wrapped && !self.is_cut {
            self.wrapped(columns).len()
        } else {
            1
        }
    }

    /// Columns for its own text; what is too narrow for the lead has none of it.
    fn room(&self, columns: usize) -> usize {
        let lead = text::width(&self.lead);
        if lead * 2 > columns {
            columns
        } else {
            columns - lead
        }
    }

    /// Columns by which further rows are indented, to stand behind the sign of the first one.
    fn hang(&self, columns: usize) -> usize {
        let sign = text::width(&self.text[..self.sign]);
        let has_room = sign * 2 <= self.room(columns) && self.sign < self.text.len();
        if has_room { sign } else { 0 }
    }

    /// What of the text stands in each row.
    fn wrapped(&self, columns: usize) -> Vec<Range<usize>> {
        let (room, hang) = (self.room(columns), self.hang(columns));
        if hang == 0 {
            return wrap(&self.text, room);
        }
        let mut rows = wrap(&self.text[self.sign..], room - hang);
        for row in &mut rows {
            *row = row.start + self.sign..row.end + self.sign;
        }
        if let Some(first) = rows.first_mut() {
            first.start = 0;
        }
        rows
    }

    /// Its rows. Not wrapped it is one row that begins `skip` columns in.
    pub fn rows(&self, columns: usize, wrapped: bool, skip: usize) -> Vec<Row> {
        let room = self.room(columns);
        let mut rows: Vec<Row> = match (wrapped, self.is_cut) {
            (true, true) => vec![self.fitted(room)],
            (true, false) => {
                let ranges = self.wrapped(columns).into_iter();
                let hang = " ".repeat(self.hang(columns));
                let mut rows: Vec<Row> = ranges.map(|range| self.part(range)).collect();
                for row in rows.iter_mut().skip(1).filter(|_| !hang.is_empty()) {
                    row.spans.insert(0, (hang.clone(), Role::Text));
                }
                rows
            }
            (false, _) => {
                // What is right of the pane isn't looked at: a line may be long.
                let start = column_start(&self.text, skip);
                let end = start + column_start(&self.text[start..], columns);
                vec![self.part(start..end)]
            }
        };
        if !self.lead.is_empty() && room < columns {
            for row in &mut rows {
                row.spans.insert(0, (self.lead.clone(), Role::Dim));
            }
        }
        rows
    }

    /// The line as one row that says with its last column that it was cut.
    fn fitted(&self, columns: usize) -> Row {
        let fitted = text::fit(&self.text, columns);
        if fitted.len() == self.text.len() {
            return self.part(0..self.text.len());
        }
        let kept = fitted.len().saturating_sub('…'.len_utf8());
        let mut row = self.part(0..kept);
        row.spans.push(("…".to_owned(), Role::Dim));
        row
    }

    fn part(&self, range: Range<usize>) -> Row {
        let mut row = Row::default();
        let first = self.stretches.partition_point(|s| s.end <= range.start);
        let mut at = range.start;
        for stretch in &self.stretches[first..] {
            if at >= range.end {
                break;
            }
            let upto = stretch.end.min(range.end);
            row.spans
                .push((self.text[at..upto].to_owned(), stretch.role));
            at = upto;
        }
        row
    }
}

/// The byte at which a column starts, or the text's end.
fn column_start(text: &str, column: usize) -> usize {
    if column == 0 {
        return 0;
    }
    // No more is looked at than has to be: a line may be long.
    match text.as_bytes().get(..=column) {
        Some(up_to) if up_to.is_ascii() => return column,
        None if text.is_ascii() => return text.len(),
        _ => {}
    }
    let mut used = 0;
    for (at, _, wide) in text::clusters(text) {
        if used >= column {
            return at;
        }
        used += wide;
    }
    text.len()
}

/// A row as it is drawn: cleaned texts with their roles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// The texts, left to right.
    pub spans: Vec<(String, Role)>,
}

impl Row {
    /// A row of one text, cleaned.
    pub fn of(raw: &str, role: Role) -> Self {
        Self {
            spans: vec![(text::clean_line(raw).into_owned(), role)],
        }
    }

    /// The text of all spans.
    pub fn text(&self) -> String {
        self.spans.iter().map(|(text, _)| text.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_marked_across_roles() {
        let mut line = Line::default();
        line.push("ab", Role::Call);
        line.push("cdab", Role::Text);
        line.mark(&Regex::new("bc|b$").expect("a pattern"));
        let spans = &line.rows(10, true, 0)[0].spans;
        let roles: Vec<(&str, Role)> = spans.iter().map(|(t, r)| (t.as_str(), *r)).collect();
        assert_eq!(
            roles,
            [
                ("a", Role::Call),
                ("b", Role::Match),
                ("c", Role::Match),
                ("da", Role::Text),
                ("b", Role::Match)
            ]
        );
    }

    #[test]
    fn further_rows_stand_behind_the_sign_and_no_search_looks_at_it() {
        let mut line = Line::default();
        line.push("- a- bc", Role::Text);
        line.sign(2);
        let rows = line.rows(5, true, 0);
        let texts: Vec<String> = rows.iter().map(Row::text).collect();
        assert_eq!(texts, ["- a- ", "  bc"]);
        assert_eq!(line.height(5, true), 2);
        // Too narrow for that.
        assert_eq!(line.rows(3, true, 0).len(), 3);
        let pattern = Regex::new("^a|- b").expect("a pattern");
        assert_eq!(line.place_of(&pattern, 5, true), Some((0, 2)));
        assert_eq!(
            line.place_of(&Regex::new("c").expect("c"), 5, true),
            Some((1, 1))
        );
        line.mark(&pattern);
        assert_eq!(
            line.rows(80, true, 0)[0].spans[1],
            ("a".to_owned(), Role::Match)
        );
    }

    #[test]
    fn a_line_that_is_not_wrapped_is_looked_at_where_it_is_seen() {
        let mut line = Line::default();
        line.push(&"0123456789".repeat(1000), Role::Text);
        assert_eq!(line.rows(4, false, 5008)[0].text(), "8901");
        let mut line = Line::default();
        line.push("a日本語", Role::Text);
        assert_eq!(line.rows(3, false, 1)[0].text(), "日本");
        assert_eq!(line.rows(0, false, 1)[0].text(), "");
        assert_eq!(line.rows(9, false, 99)[0].text(), "");
    }

    #[test]
    fn tabs_stop_where_they_would_in_the_whole_line() {
        let mut line = Line::default();
        line.push("abc", Role::Text);
        line.push("\tx", Role::Bad);
        assert_eq!(line.text(), "abc x");
    }

    #[test]
    fn a_cut_line_and_a_led_one_keep_to_their_columns() {
        let mut line = Line::led("  │ ".to_owned());
        line.push("ab cd ef", Role::Text);
        let texts = |line: &Line, columns| -> Vec<String> {
            line.rows(columns, true, 0).iter().map(Row::text).collect()
        };
        assert_eq!(texts(&line, 9), ["  │ ab ", "  │ cd ef"]);
        // There is no room for the lead.
        assert_eq!(texts(&line, 7), ["ab cd ", "ef"]);
        line.cut();
        assert_eq!(texts(&line, 9), ["  │ ab c…"]);
        assert_eq!(line.height(9, true), 1);
    }
}
