//! The panes, one file each: what they show, and how a row of them is drawn.

pub mod diff;
pub mod export;
pub mod folder;
pub mod ghosts;
pub mod help;
pub mod options;
pub mod overview;
pub mod palette;
pub mod picker;
pub mod problems;
pub mod prompt;
pub mod reading;
pub mod turn;
pub mod turns;
pub mod what_if;
