//! What is replaced in a text, and which place of the new text is which of the old one.

use std::ops::Range;

/// A place in a text and the stand-in for what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edit {
    /// The bytes that give way.
    pub range: Range<usize>,
    /// What stands there then.
    pub stand_in: String,
}

impl Edit {
    /// One that changes nothing.
    pub fn none_at(place: usize) -> Self {
        Self {
            range: place..place,
            stand_in: String::new(),
        }
    }
}

/// A text with edits made, which are in order.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.stand_in);
        at = edit.range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// A text without its secrets that knows where its places come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traced {
    /// The text.
    pub text: String,
    /// For each time that it was looked through, the ranges that gave way and those that took their
    /// places, in order.
    passes: Vec<Vec<(Range<usize>, Range<usize>)>>,
}

impl Traced {
    /// A text in which nothing is replaced yet.
    pub(super) fn new(text: String) -> Self {
        Self {
            text,
            passes: Vec::new(),
        }
    }

    /// Replaces in the text as it is now.
    pub(super) fn apply(&mut self, edits: &[Edit]) {
        let mut pass = Vec::with_capacity(edits.len());
        let (mut old, mut new) = (0, 0);
        for edit in edits {
            new += edit.range.start - old;
            pass.push((edit.range.clone(), new..new + edit.stand_in.len()));
            new += edit.stand_in.len();
            old = edit.range.end;
        }
        self.text = apply(&self.text, edits);
        self.passes.push(pass);
    }

    /// Stand-ins of this text and what each stands for in the old one; the first of those that one
    /// stands for several times.
    pub fn hidden(&self, old: &str) -> Vec<(String, String)> {
        let mut hidden: Vec<(String, String)> = Vec::new();
        for range in super::stand_ins(&self.text) {
            let stand_in = &self.text[range.clone()];
            let source = self.source(range.start)..self.source(range.end);
            let is_known = hidden.iter().any(|(known, _)| known == stand_in);
            if !is_known && old[source.clone()] != *stand_in {
                hidden.push((stand_in.to_owned(), old[source].to_owned()));
            }
        }
        hidden
    }

    /// Where a byte of the old text is in the new one; one that is hidden is where its stand-in ends.
    pub fn place(&self, old: usize) -> usize {
        self.passes.iter().fold(old, |place, pass| {
            let behind = pass.partition_point(|(from, _)| from.start < place);
            match behind.checked_sub(1).and_then(|at| pass.get(at)) {
                Some((from, to)) if place < from.end => to.end,
                Some((from, to)) => place - from.end + to.end,
                None => place,
            }
        })
    }

    /// Where a byte of the new text was in the old one; one of a stand-in where what it hides began.
    pub fn source(&self, new: usize) -> usize {
        self.passes.iter().rev().fold(new, |place, pass| {
            let behind = pass.partition_point(|(_, to)| to.start < place);
            match behind.checked_sub(1).and_then(|at| pass.get(at)) {
                Some((from, to)) if place < to.end => from.start,
                Some((from, to)) => place - to.end + from.end,
                None => place,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_known_both_ways() {
        let edit = |range: Range<usize>, stand_in: &str| Edit {
            range,
            stand_in: stand_in.to_owned(),
        };
        let mut traced = Traced::new("ab SECRET cd KEY.".to_owned());
        traced.apply(&[edit(3..9, "‹s›"), edit(13..16, "‹key›")]);
        assert_eq!(traced.text, "ab ‹s› cd ‹key›.");
        let of = |place: usize| &traced.text[traced.place(place)..];
        assert_eq!(of(0), "ab ‹s› cd ‹key›.");
        assert_eq!(of(3), "‹s› cd ‹key›.");
        assert_eq!(of(5), " cd ‹key›.");
        assert_eq!(of(9), " cd ‹key›.");
        assert_eq!(of(16), ".");
        for shown in ["ab", "‹s›", " cd", "‹key›", "."] {
            let new = traced.text.find(shown).expect("it is there");
            assert_eq!(traced.place(traced.source(new)), new, "{shown}");
        }
        assert_eq!(traced.source("ab ‹".len()), 3);
        traced.apply(&[edit(0..2, "")]);
        assert_eq!(&traced.text[traced.place(10)..], "cd ‹key›.");
        assert_eq!(traced.source(traced.text.len()), 17);
    }
}
