//! A text that stands beside another one: what both have begins at the same height. Where the other
//! one is longer, rows without text are put in until it is through.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Anchor, TextView};
use crate::tui::abreast::{Anchors, Place};
use crate::tui::rows::Row;
use crate::tui::theme::Role;

/// Rows between two shared places that are counted; beyond, the texts part until the next one.
const LONGEST: usize = 2_000;

/// What a text needs to know of the one beside it.
#[derive(Debug)]
pub(super) struct Pads {
    anchors: Arc<Anchors>,
    side: usize,
    /// The other text as it is shown now.
    other: Box<TextView>,
    /// Rows without text, by the shared place before which they stand.
    known: HashMap<usize, usize>,
    /// The states of both texts that this holds for.
    of: [Stamp; 2],
}

/// A state of a text: what was changed in it, and how it is laid out.
type Stamp = (u64, (usize, usize), bool);

impl TextView {
    /// Lays the text out beside another one from now on, which is the side 0 or 1.
    pub fn put_beside(&mut self, other: &Self, anchors: &Arc<Anchors>, side: usize) {
        let of = [self.stamp(), other.stamp()];
        let is_same = |pads: &Pads| pads.of == of && Arc::ptr_eq(&pads.anchors, anchors);
        if self.pads.as_ref().is_some_and(is_same) {
            return;
        }
        let other = Self {
            source: Arc::clone(&other.source),
            made: other.made.clone(),
            folds: other.folds.clone(),
            hiding: other.hiding.clone(),
            size: other.size,
            wrapped: other.wrapped,
            ..Self::default()
        };
        self.pads = Some(Pads {
            anchors: Arc::clone(anchors),
            side,
            other: Box::new(other),
            known: HashMap::new(),
            of,
        });
    }

    /// Lays the text out by itself.
    pub fn put_alone(&mut self) {
        self.pads = None;
    }

    fn stamp(&self) -> Stamp {
        (self.changes, self.size, self.wrapped)
    }

    /// Rows without text behind a line, until the other text is through with what it has there.
    pub(super) fn pad(&mut self, at: Anchor) -> usize {
        let Some(mut pads) = self.pads.take() else {
            return 0;
        };
        // While it is taken out heights are the text's own.
        let pad = self.pad_before(&mut pads, at);
        self.pads = Some(pads);
        pad.unwrap_or(0)
    }

    fn pad_before(&mut self, pads: &mut Pads, at: Anchor) -> Option<usize> {
        let end = match self.line_behind(at) {
            Some(next) => {
                let place = (next.block, self.block(next.block)?.part_from(next.line)?);
                let end = pads.anchors.at(place, pads.side)?;
                pads.other
                    .line_of(pads.anchors.place(end, 1 - pads.side)?)?;
                end
            }
            None => pads.anchors.len(),
        };
        if let Some(pad) = pads.known.get(&end) {
            return Some(*pad);
        }
        let (anchors, side) = (Arc::clone(&pads.anchors), pads.side);
        let start = self.shared(&mut pads.other, &anchors, side, end.checked_sub(1)?)?;
        let rows = self.rows_from(&anchors, side, start..end);
        let pad = pads.other.rows_from(&anchors, 1 - side, start..end);
        let pad = pad.saturating_sub(rows);
        pads.known.insert(end, pad);
        Some(pad)
    }

    /// The last shared place up to one that is seen in both texts.
    fn shared(
        &mut self,
        other: &mut Self,
        anchors: &Anchors,
        side: usize,
        from: usize,
    ) -> Option<usize> {
        (0..=from).rev().find(|at| {
            let here = anchors
                .place(*at, side)
                .and_then(|place| self.line_of(place));
            let there = anchors.place(*at, 1 - side);
            here.is_some() && there.and_then(|place| other.line_of(place)).is_some()
        })
    }

    /// The rows from a shared place to another one, without any that are put in.
    fn rows_from(&mut self, anchors: &Anchors, side: usize, of: std::ops::Range<usize>) -> usize {
        let place = |at| anchors.place(at, side);
        let start = place(of.start).and_then(|place| self.line_of(place));
        let end = place(of.end).and_then(|place| self.line_of(place));
        start.map_or(0, |start| self.rows_between(start, end))
    }

    /// The rows from a line to another one or to the end, as far as they are counted.
    fn rows_between(&mut self, from: Anchor, to: Option<Anchor>) -> usize {
        let (mut at, mut rows) = (Some(from), 0);
        while let Some(line) = at.filter(|line| to.is_none_or(|to| *line < to)) {
            rows += self.own_height(line);
            if rows >= LONGEST {
                return LONGEST;
            }
            at = self.line_behind(line);
        }
        rows
    }

    /// The line behind one.
    fn line_behind(&mut self, at: Anchor) -> Option<Anchor> {
        let mut next = Anchor {
            line: at.line + 1,
            row: 0,
            ..at
        };
        while next.line >= self.block(next.block)?.lines() {
            next = Anchor {
                block: next.block + 1,
                ..Anchor::default()
            };
        }
        Some(next)
    }

    /// The line at which a shared place is seen.
    fn line_of(&mut self, (block, part): Place) -> Option<Anchor> {
        let line = self.block(block)?.part_line(part)?;
        Some(Anchor {
            block,
            line,
            row: 0,
        })
    }

    /// Scrolls to where another text is scrolled to: as far behind the place that both have.
    pub fn follow(&mut self, leader: &mut Self, anchors: &Arc<Anchors>, side: usize) {
        let top = leader.top;
        let lead = 1 - side;
        let part = leader.block(top.block).map(|block| block.part_of(top.line));
        let before = part.and_then(|part| anchors.before((top.block, part), lead));
        let shared = before.and_then(|at| leader.shared(self, anchors, lead, at));
        let Some((at, start)) = shared.zip(shared.and_then(|at| {
            let place = anchors.place(at, lead)?;
            leader.line_of(place)
        })) else {
            return;
        };
        let rows = leader.rows_between(start, Some(Anchor { row: 0, ..top })) + top.row;
        let Some(from) = anchors
            .place(at, side)
            .and_then(|place| self.line_of(place))
        else {
            return;
        };
        let mut next = at + 1;
        while anchors
            .place(next, side)
            .is_some_and(|place| self.line_of(place).is_none())
        {
            next += 1;
        }
        let to = anchors
            .place(next, side)
            .and_then(|place| self.line_of(place));
        let mut last = self.rows_between(from, to);
        if self.pads.is_some() {
            // What is put in behind it belongs to it.
            last = last.max(leader.rows_from(anchors, lead, at..next));
        }
        let rows = rows.min(last.saturating_sub(1));
        self.top = self.away(from, rows.cast_signed());
        self.keep_cursor_row();
    }

    /// A row without text.
    pub(super) fn filler(&self) -> Row {
        let mark = if self.gutter.is_some() { " ~" } else { "~" };
        Row::of(mark, Role::Dim)
    }
}
