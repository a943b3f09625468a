//! A block without its secrets. What was recorded stays at hand: lines are compared and found in
//! other texts by it.

use std::sync::Arc;

use super::{Block, line_starts};
use crate::text::redact::{Redactor, Traced};
use crate::tui::theme::Role;

/// What stands behind a text without secrets.
#[derive(Debug, Clone)]
pub(super) struct Recorded {
    text: Arc<str>,
    traced: Arc<Traced>,
}

impl Block {
    /// The block without secrets; what stands for one has the role of where it begins.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let mut block = self.clone();
        block.head = spans(&self.head, redactor);
        block.item = self.item.as_ref().map(|row| spans(row, redactor));
        let trees = self.trees.iter();
        block.trees = trees.map(|tree| tree.redacted(redactor)).collect();
        let Some(traced) = redactor.traced(&self.text) else {
            return block;
        };
        block.text = traced.text.as_str().into();
        block.starts = line_starts(&block.text);
        for stretch in &mut block.stretches {
            stretch.end = traced.place(stretch.end);
        }
        for range in &mut block.barred {
            *range = traced.place(range.start)..traced.place(range.end);
        }
        for (range, code) in &mut block.code {
            *range = traced.place(range.start)..traced.place(range.end);
            *code = code.with_text(&block.text[range.clone()]);
        }
        for (at, part) in self.parts.all.iter().enumerate() {
            let first = block.line_with(traced.place(self.starts[part.first]));
            block.parts.all[at].first = first;
        }
        block.recorded = Some(Recorded {
            text: Arc::clone(&self.text),
            traced: Arc::new(traced),
        });
        block
    }

    /// The line here that has what a line of the same block with its secrets has.
    pub fn line_of_recorded(&self, block: &Block, line: usize) -> usize {
        let Some(recorded) = &self.recorded else {
            return line;
        };
        match block.line_start(line) {
            Some(byte) => {
                let place = recorded.traced.place(byte);
                let behind = self.starts.partition_point(|start| *start <= place);
                self.head_lines() + behind.saturating_sub(1)
            }
            None => (line + self.starts.len()).saturating_sub(block.starts.len()),
        }
    }

    /// The byte of the text as recorded at which a line begins.
    pub(super) fn recorded_start(&self, index: usize) -> Option<usize> {
        let start = *self.starts.get(index)?;
        let recorded = self.recorded.as_ref();
        Some(recorded.map_or(start, |recorded| recorded.traced.source(start)))
    }

    /// The text as recorded.
    pub(super) fn recorded_text(&self) -> &Arc<str> {
        let recorded = self.recorded.as_ref();
        recorded.map_or(&self.text, |recorded| &recorded.text)
    }
}

/// Texts of a row without secrets, also those of which the parts have several roles.
fn spans(row: &[(String, Role)], redactor: &Redactor) -> Vec<(String, Role)> {
    let whole: String = row.iter().map(|(text, _)| text.as_str()).collect();
    let Some(traced) = redactor.traced(&whole) else {
        return row.to_vec();
    };
    let (mut old, mut at) = (0, 0);
    let parts = row.iter().map(|(text, role)| {
        old += text.len();
        let end = traced.place(old).max(at);
        let start = std::mem::replace(&mut at, end);
        (traced.text[start..end].to_owned(), *role)
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::colours::Code;
    use crate::tui::rows::Stretch;
    use crate::tui::tree::Tree;
    use crate::value::transit;

    fn redactor() -> Redactor {
        Redactor::new([]).expect("rules")
    }

    fn lines(block: &Block) -> Vec<String> {
        let lines = (0..block.lines()).map(|line| block.line(line));
        lines
            .flat_map(|line| line.rows(60, true, 0))
            .map(|row| row.text())
            .collect()
    }

    #[test]
    fn every_part_of_a_block_is_without_secrets() {
        let text = "a\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\nPASSWORD=hunter2 is\nthe end";
        let at = |part: &str| text.find(part).expect("it is there");
        let stretch = |end, role| Stretch { end, role };
        let stretches = vec![
            stretch(at("hunter2") + 3, Role::Call),
            stretch(at(" is"), Role::Bad),
            stretch(text.len(), Role::Print),
        ];
        let value = transit::parse(br#"{"password": "letmein", "to": "ines@example.org"}"#);
        let value = value.expect("JSON").value;
        let block = Block::new(text, stretches)
            .headed(vec![
                ("PASS".to_owned(), Role::Title),
                ("WORD=swordfish".to_owned(), Role::Dim),
            ])
            .with_code(vec![(
                at("PASSWORD")..text.len(),
                Code::new("sh", &text[at("PASSWORD")..]).expect("a known language"),
            )])
            .barred(std::iter::once(at("PASSWORD")..at("the end")).collect())
            .with_trees(vec![Tree::new("ines@example.org", Role::Dim, &value)]);
        let shown = block.redacted(&redactor());
        assert_eq!(
            lines(&shown),
            [
                "PASSWORD=‹password-1›",
                "a",
                "‹private-key-1›",
                " │ PASSWORD=‹password-3› is",
                "the end",
                "  ‹email-1› {\"password\" \"‹password-2›\" \"to\" \"‹email-1›\"}",
            ]
        );
        let row = &shown.line(3).rows(60, true, 0)[0];
        assert_eq!(row.spans[1].1, Role::Call);
        assert_eq!(row.spans.last(), Some(&(" is".to_owned(), Role::Print)));
        let code = [3, 4].map(|line| shown.code_line(line).expect("code"));
        assert_eq!(code[0].code.text(), "PASSWORD=‹password-3› is\nthe end");
        assert_eq!(code.map(|line| line.start), [0, 29]);
        assert!(shown.code_line(1).is_none());
        // Lines are known by what was recorded.
        assert_eq!(shown.raw_line(3), Some("PASSWORD=hunter2 is"));
        assert_eq!(shown.line_start(3), Some(at("PASSWORD")));
        let line = |line| shown.line_of_recorded(&block, line);
        assert_eq!([0, 1, 5, 6, 7].map(line), [0, 1, 3, 4, 5]);
        let folded = block.as_item(vec![("PASSWORD=swordfish".to_owned(), Role::Call)], true);
        assert_eq!(
            lines(&folded.redacted(&redactor())),
            ["PASSWORD=‹password-1›"]
        );
    }
}
