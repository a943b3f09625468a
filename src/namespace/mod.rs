//! The sections of a user message: what tools there are, what data came in, what the programs
//! defined, what they called and printed (requirements 5 and 6).
//!
//! Each section appends itself to a [`Content`], piece by piece, and appends nothing where it has no
//! entries. Which sections a prompt has is [`crate::compression`]'s matter.

pub mod content;
pub mod data;
pub mod execution_history;
pub mod tool;
pub mod user;

pub use content::{Content, Origin, Piece, PromptMessage};

/// Grapheme clusters that names are padded to.
pub(crate) const NAME_COLUMNS: usize = 30;
