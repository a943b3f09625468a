//! What is folded of a text: what a person chose, block by block or for all of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::redaction::Hiding;
use super::super::rows::Block;
use super::super::tree::Tree;
use super::{Anchor, TextView};

/// Blocks up to which their values are opened or folded with all others.
const WITH_VALUES: usize = 64;

/// What was chosen; blocks that are not in it are as they come.
#[derive(Debug, Clone, Default)]
pub struct Folds {
    blocks: HashMap<usize, bool>,
    trees: HashMap<usize, Vec<Tree>>,
    /// Parts of blocks that are folded, by their keys.
    parts: HashMap<usize, HashSet<Arc<str>>>,
    /// For all other blocks.
    all: Option<bool>,
}

impl Folds {
    /// Whether nothing was chosen.
    pub fn is_empty(&self) -> bool {
        let Self {
            blocks,
            trees,
            parts,
            all,
        } = self;
        blocks.is_empty() && trees.is_empty() && parts.is_empty() && all.is_none()
    }

    /// Which values are open is no longer known.
    pub fn forget_values(&mut self) {
        self.trees.clear();
    }

    /// A block, folded as was chosen.
    pub(super) fn applied(&self, index: usize, mut block: Arc<Block>) -> Arc<Block> {
        let all = self.all.filter(|_| block.can_fold());
        let chosen = self.blocks.get(&index).copied().or(all);
        if let Some(chosen) = chosen.filter(|chosen| *chosen != block.is_folded()) {
            Arc::make_mut(&mut block).set_folded(chosen);
        }
        if let Some(trees) = self.trees.get(&index) {
            Arc::make_mut(&mut block).set_trees(trees.clone());
        }
        if let Some(parts) = self.parts.get(&index) {
            Arc::make_mut(&mut block).fold_parts(|key| parts.contains(key));
        }
        block
    }

    /// Keeps how a block is folded.
    pub(super) fn keep(&mut self, index: usize, block: &Block) {
        self.blocks.insert(index, block.is_folded());
        if !block.trees().is_empty() {
            self.trees.insert(index, block.trees().to_vec());
        }
        let folded: HashSet<Arc<str>> = block.folded_parts().map(Arc::clone).collect();
        if folded.is_empty() {
            self.parts.remove(&index);
        } else {
            self.parts.insert(index, folded);
        }
    }
}

impl TextView {
    /// Hides secrets from now on, or shows them. Which values were opened is not kept: they are
    /// others then. Whether that is a change.
    pub fn hide(&mut self, hiding: &Hiding) -> bool {
        let changes = self.hiding != *hiding;
        if changes {
            self.hiding.clone_from(hiding);
            self.folds.forget_values();
            self.changed();
        }
        changes
    }

    /// What is folded of the text; it is as it comes then.
    pub fn take_folds(&mut self) -> Folds {
        self.changed();
        std::mem::take(&mut self.folds)
    }

    /// Folds the text as it was left.
    pub fn set_folds(&mut self, folds: Folds) {
        self.changed();
        self.folds = folds;
        self.clamp();
    }

    /// As [`TextView::go_to`], for a line of the block as recorded.
    pub fn go_to_recorded(&mut self, index: usize, line: usize) {
        let shown = self.block(index).filter(|_| self.hiding.is_on());
        let line = shown.map_or(line, |shown| {
            shown.line_of_recorded(&self.source.block(index), line)
        });
        self.go_to(index, line);
    }

    /// Folds what is at the cursor, or the block on top of the text, or the one that people count as
    /// this; or unfolds it. On a line of a part that is the part, on the heading the block.
    pub fn toggle_fold(&mut self, number: Option<usize>) {
        let at = match (number, self.cursor_place()) {
            (Some(number), _) => Anchor {
                block: self.source.numbered(number),
                ..Anchor::default()
            },
            (None, Some(at)) => at,
            (None, None) => Anchor {
                line: 0,
                row: 0,
                ..self.top
            },
        };
        let line = self.change(at.block, |block| {
            let inside = block.on_tree(at.line, Tree::toggle);
            let inside = inside.or_else(|| block.on_part(at.line, |is_folded| !is_folded));
            inside.unwrap_or_else(|| {
                block.set_folded(!block.is_folded());
                0
            })
        });
        self.settle(at.block, line);
    }

    /// Unfolds what is at the cursor, or goes on into it.
    pub fn unfold(&mut self) {
        let Some(at) = self.cursor_place() else {
            return;
        };
        let opened = self.change(at.block, |block| {
            let mut opened = block.is_folded();
            if opened {
                block.set_folded(false);
            } else if let Some(is_folded) = block.is_part_folded(at.line) {
                block.on_part(at.line, |_| false);
                opened = is_folded;
            } else {
                block.on_tree(at.line, |tree, row| {
                    opened = tree.unfold(row);
                    row
                });
            }
            opened
        });
        if opened == Some(false) {
            self.move_cursor(1);
        }
    }

    /// Folds what is open at the cursor, or goes to what it is a part of.
    pub fn fold(&mut self) {
        let Some(at) = self.cursor_place() else {
            return;
        };
        let line = self.change(at.block, |block| {
            if block.is_part_folded(at.line) == Some(false) {
                return block.on_part(at.line, |_| true).unwrap_or(0);
            }
            if !block.has_items() {
                block.set_folded(true);
                return 0;
            }
            let rows = block.lines();
            let up = block.on_tree(at.line, Tree::fold);
            if let Some(line) = up.filter(|line| *line != at.line || block.lines() != rows) {
                return line;
            }
            if block.is_item() {
                block.set_folded(true);
            }
            if block.can_fold() { 0 } else { at.line }
        });
        self.settle(at.block, line);
    }

    /// Folds the item that the cursor is in, if a person unfolded it. Whether there is one.
    pub fn fold_item(&mut self) -> bool {
        let Some(at) = self.cursor_place() else {
            return false;
        };
        let is_open = self.folds.blocks.get(&at.block) == Some(&false);
        if !is_open || !self.block(at.block).is_some_and(|block| block.is_item()) {
            return false;
        }
        let line = self.change(at.block, |block| {
            block.set_folded(true);
            0
        });
        self.settle(at.block, line);
        true
    }

    /// Folds everything, or unfolds it; what is done is what changes the block in view. Whether
    /// everything is open then.
    pub fn toggle_all(&mut self) -> bool {
        let at = self.cursor_place().unwrap_or(self.top);
        let is_folded = match self.folds.all {
            Some(all) => all,
            None => self.block(at.block).is_some_and(|block| block.is_folded()),
        };
        let folds = !is_folded;
        self.changed();
        self.folds = Folds {
            all: Some(folds),
            ..Folds::default()
        };
        for index in 0..self.source.blocks().min(WITH_VALUES) {
            let Some(block) = self.block(index).filter(|block| !block.trees().is_empty()) else {
                continue;
            };
            let mut trees = block.trees().to_vec();
            for tree in &mut trees {
                if folds {
                    tree.fold_all();
                } else {
                    tree.unfold_all();
                }
            }
            self.folds.trees.insert(index, trees);
        }
        self.changed();
        self.settle(at.block, Some(0));
        !folds
    }

    /// Goes to the line of a block at which something was folded.
    fn settle(&mut self, block: usize, line: Option<usize>) {
        let at = Anchor {
            block,
            line: line.unwrap_or(0),
            row: 0,
        };
        if self.top.block == block && self.top > at {
            self.top = at;
        }
        self.clamp();
        self.put_cursor(at);
    }
}
