//! The same text laid out for another width: where a line of one is in the other.

use regex::Regex;

use super::Block;

impl Block {
    /// The line here that has what a line of the same block has that is laid out for another width, both
    /// counted with everything unfolded. A line may have become several: of them it is the first in which
    /// the pattern is found.
    pub fn line_like(&self, other: &Self, line: usize, pattern: Option<&Regex>) -> usize {
        let Some(index) = line.checked_sub(other.head_lines()) else {
            return line;
        };
        if self.text == other.text {
            return line;
        }
        let Some(&start) = other.starts.get(index) else {
            // Below the text are the values that fold, row by row.
            return (line + self.starts.len()).saturating_sub(other.starts.len());
        };
        let end = other.starts.get(index + 1).copied();
        let end = end.unwrap_or(other.text.len());
        let [start, end] = [start, end].map(|byte| place(&self.text, said(&other.text[..byte])));
        let found = pattern.and_then(|pattern| pattern.find(&self.text[start..end]));
        let byte = start + found.map_or(0, |found| found.start());
        self.head_lines() + self.line_with(byte)
    }
}

/// Characters that any layout has.
fn said(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// The byte behind which so many of them have been: where the next one begins.
fn place(text: &str, count: usize) -> usize {
    let mut all = text.char_indices().filter(|(_, c)| !c.is_whitespace());
    all.nth(count).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Role;

    fn block(text: &str) -> Block {
        Block::plain(text, Role::Text).headed(vec![("Result".to_owned(), Role::Title)])
    }

    #[test]
    fn a_line_is_found_again_in_another_layout() {
        let wide = block("{:a [1 2 3] :b \"x y\"\n :c (+ 1 2)}");
        let narrow = block("{:a [1 2 3]\n :b \"x y\"\n :c\n (+ 1 2)}");
        let like = |line, pattern: &str| {
            let pattern = Regex::new(pattern).expect("a pattern");
            narrow.line_like(&wide, line, Some(&pattern))
        };
        assert_eq!(like(0, "Result"), 0, "the heading");
        assert_eq!(narrow.line_like(&wide, 1, None), 1);
        assert_eq!(narrow.line_like(&wide, 2, None), 3);
        assert_eq!(like(1, "x y"), 2);
        assert_eq!(like(2, r"\+ 1"), 4);
        assert_eq!(like(2, "not there"), 3);
        // And back.
        assert_eq!(wide.line_like(&narrow, 2, None), 1);
        assert_eq!(wide.line_like(&narrow, 4, None), 2);
        assert_eq!(wide.line_like(&wide, 2, None), 2);
    }
}
