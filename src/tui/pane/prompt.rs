//! The prompt: a block a message, its pieces in the roles of what they come from.

use std::sync::Arc;

use super::ghosts::Ghost;
use crate::compression::Rebuilt;
use crate::namespace::{Origin, Piece, PromptMessage};
use crate::step::Role as Speaker;
use crate::tokens::Tokenizer;
use crate::tui::lens::Content;
use crate::tui::rows::{Block, Stretch};
use crate::tui::text_view::Source;
use crate::tui::theme::Role;

/// The blocks of a prompt, made as they come into view.
#[derive(Debug)]
pub struct PromptSource {
    content: Content,
    ghosts: Vec<Ghost>,
    is_static: bool,
    counting: Option<Counting>,
}

/// How tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counting {
    /// The tokenizer.
    pub tokenizer: Tokenizer,
    /// Whether the recorded model is known to use it; else counts carry a `~`.
    pub is_exact: bool,
}

impl Counting {
    /// A count in words.
    pub fn words(self, tokens: usize) -> String {
        let about = if self.is_exact { "" } else { "~" };
        format!("{about}{tokens} tok")
    }
}

/// Bytes of a message up to which its tokens are counted while it is drawn.
const COUNTED_BYTES: usize = 100_000;

impl PromptSource {
    /// The blocks of this prompt, with what was left out of it; `is_static` says that its system prompt
    /// is not the trace's own.
    pub fn new(
        content: Content,
        ghosts: Vec<Ghost>,
        is_static: bool,
        counting: Option<Counting>,
    ) -> Self {
        Self {
            content,
            ghosts,
            is_static,
            counting,
        }
    }

    /// The tokens of a message in words, once they can be counted.
    fn tokens(&self, content: &str, count: impl FnOnce(Tokenizer) -> usize) -> String {
        match self.counting.filter(|_| content.len() <= COUNTED_BYTES) {
            Some(counting) => format!(" · {}", counting.words(count(counting.tokenizer))),
            None => String::new(),
        }
    }

    /// The tokens of a message by what its pieces are, where they are several things: tools, data,
    /// definitions, calls, prints.
    fn shares(&self, message: &PromptMessage) -> Option<String> {
        let counting = self.counting?;
        if message.content.len() > COUNTED_BYTES {
            return None;
        }
        let mut shares = Vec::new();
        message.add_shares(counting.tokenizer, &mut shares);
        let shares = shares.iter().filter(|(_, tokens)| *tokens > 0);
        let words: Vec<String> = shares
            .map(|(kind, tokens)| format!("{kind} {tokens}"))
            .collect();
        (words.len() > 1).then(|| format!(" = {}", words.join(" + ")))
    }

    fn rendered(&self, index: usize, message: &PromptMessage) -> Block {
        let mut stretches: Vec<Stretch> = message.pieces.iter().map(stretch).collect();
        let mut text = Arc::clone(&message.content);
        // From the last one on, so that the places of the others stay.
        for ghost in self
            .ghosts
            .iter()
            .rev()
            .filter(|ghost| ghost.message == index)
        {
            text = format!("{}{}{}", &text[..ghost.at], ghost.text, &text[ghost.at..]).into();
            stretches = with_ghost(&stretches, ghost.at, ghost.text.len());
        }
        // The shares first: they find the tokens, which are then only counted.
        let shares = self.shares(message);
        let tokens = self.tokens(&message.content, |tokenizer| message.tokens(tokenizer));
        let mut head = head(message.role.name(), &message.content, &tokens);
        head.extend(shares.map(|words| (words, Role::Dim)));
        if self.is_static && message.role == Speaker::System {
            let note = "  turnscope's static prompt: the trace has none";
            head.push((note.to_owned(), Role::Notice));
        }
        Block::new(text, stretches).headed(head)
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
            Content::Rendered(prompt) => {
                let message = prompt.get(index);
                message.map(|message| self.rendered(index, &message))
            }
            Content::Recorded(sent) => sent.messages.get(index).map(|message| {
                let block = Block::plain(Arc::clone(&message.content), Role::Text);
                let count = |tokenizer: Tokenizer| tokenizer.count(&message.content);
                let tokens = self.tokens(&message.content, count);
                let mut head = head(message.role.name(), &message.content, &tokens);
                let rebuilt = sent.rebuilt.as_ref().filter(|_| index == 0);
                let missing = rebuilt.and_then(Rebuilt::missing);
                head.extend(missing.map(|missing| (format!("  {missing}"), Role::Notice)));
                block.headed(head)
            }),
            Content::Missing(why) => Some(Block::plain(why.as_str(), Role::Dim)),
        };
        Arc::new(block.unwrap_or_default().with_gap())
    }
}

/// Stretches of a text into which a ghost of some bytes was put.
fn with_ghost(stretches: &[Stretch], at: usize, bytes: usize) -> Vec<Stretch> {
    let mut out = Vec::with_capacity(stretches.len() + 2);
    let mut placed = false;
    let ghost = [Stretch {
        end: at + bytes,
        role: Role::Ghost,
    }];
    for stretch in stretches {
        let Stretch { end, role } = *stretch;
        if end <= at {
            out.push(*stretch);
            continue;
        }
        if !placed {
            placed = true;
            out.push(Stretch { end: at, role });
            out.extend(ghost);
        }
        out.push(Stretch {
            end: end + bytes,
            role,
        });
    }
    if !placed {
        out.extend(ghost);
    }
    out
}

fn head(role: &str, content: &str, tokens: &str) -> Vec<(String, Role)> {
    vec![
        (format!("[{role}]"), Role::Title),
        (format!(" {}{tokens}", size(content.len())), Role::Dim),
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
