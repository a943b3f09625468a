//! The prompt: a block a message, its pieces in the roles of what they come from.

use std::sync::Arc;

use crate::namespace::{Origin, Piece};
use crate::tui::lens::Content;
use crate::tui::rows::{Block, Stretch};
use crate::tui::text_view::Source;
use crate::tui::theme::Role;

/// The blocks of a prompt, made as they come into view.
#[derive(Debug)]
pub struct PromptSource {
    content: Content,
}

impl PromptSource {
    /// The blocks of this prompt.
    pub fn new(content: Content) -> Self {
        Self { content }
    }
}

impl Source for PromptSource {
    fn blocks(&self) -> usize {
        match &self.content {
            Content::Missing(_) => 1,
            content => content.messages(),
        }
    }

    fn block(&self, index: usize) -> Arc<Block> {
        let block = match &self.content {
            Content::Rendered(prompt) => prompt.get(index).map(|message| {
                let stretches = message.pieces.iter().map(stretch).collect();
                let block = Block::new(Arc::clone(&message.content), stretches);
                block.headed(head(message.role.name(), &message.content))
            }),
            Content::Recorded(messages) => messages.get(index).map(|message| {
                let block = Block::plain(Arc::clone(&message.content), Role::Text);
                block.headed(head(message.role.name(), &message.content))
            }),
            Content::Missing(why) => Some(Block::plain(why.as_str(), Role::Dim)),
        };
        Arc::new(block.unwrap_or_default().with_gap())
    }
}

fn head(role: &str, content: &str) -> Vec<(String, Role)> {
    vec![
        (format!("[{role}]"), Role::Title),
        (format!(" {}", size(content.len())), Role::Dim),
    ]
}

/// A number of bytes in words.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

fn stretch(piece: &Piece) -> Stretch {
    let role = match &piece.origin {
        Origin::Fixed => Role::Section,
        Origin::System => Role::Dim,
        Origin::Definition { .. } => Role::Definition,
        Origin::Call { .. } => Role::Call,
        Origin::Print { .. } => Role::Print,
        Origin::Error(_) => Role::Bad,
        Origin::Program(_) => Role::Program,
        Origin::Indicator => Role::Notice,
        _ => Role::Text,
    };
    Stretch {
        end: piece.end,
        role,
    }
}
