//! Breaking a cleaned line into rows of a given width.

use std::ops::Range;

use super::clusters;

/// Longer lines are broken at the column, not at words, so that the cost stays even.
const WORD_WRAP_BYTES: usize = 4096;

/// The byte ranges of the rows of a cleaned line, at least one. A break falls after a space where
/// one stands in the row, else at the column. At a width of 0 there is one row.
pub fn wrap(line: &str, columns: usize) -> Vec<Range<usize>> {
    if columns == 0 || line.len() <= columns {
        return std::iter::once(0..line.len()).collect();
    }
    if line.is_ascii() && line.len() > WORD_WRAP_BYTES {
        return (0..line.len())
            .step_by(columns)
            .map(|start| start..(start + columns).min(line.len()))
            .collect();
    }
    let at_words = line.len() <= WORD_WRAP_BYTES;
    let mut rows = Vec::new();
    let (mut start, mut used) = (0, 0);
    // Where the row could be broken after a space, and the columns up to there.
    let mut space: Option<(usize, usize)> = None;
    for (at, cluster, wide) in clusters(line) {
        // Twice at most: what stood behind the space may itself be too long with this cluster.
        while used + wide > columns && at > start {
            let (end, kept) = space.take().filter(|_| at_words).unwrap_or((at, used));
            rows.push(start..end);
            start = end;
            used -= kept;
        }
        used += wide;
        if cluster == " " {
            space = Some((at + 1, used));
        }
    }
    rows.push(start..line.len());
    rows
}

#[cfg(test)]
mod tests {
    use super::super::width;
    use super::*;
    use proptest::prelude::*;

    fn rows(line: &str, columns: usize) -> Vec<&str> {
        wrap(line, columns).into_iter().map(|r| &line[r]).collect()
    }

    #[test]
    fn breaks_at_words_where_there_are_some() {
        assert_eq!(rows("one two three", 8), ["one two ", "three"]);
        assert_eq!(rows("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(rows("日本語", 4), ["日本", "語"]);
        assert_eq!(rows("", 4), [""]);
        assert_eq!(rows("日", 1), ["日"]);
    }

    proptest! {
        #[test]
        fn rows_join_to_the_line_and_fit(line in "[a-c 日é👩\u{200d}]{0,60}", columns in 1usize..20) {
            let parts = rows(&line, columns);
            prop_assert_eq!(parts.concat(), line.clone());
            for part in parts {
                prop_assert!(width(part) <= columns.max(2));
            }
        }
    }
}
