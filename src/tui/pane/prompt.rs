//! The prompt: a block a message, its pieces in the roles of what they come from.

use std::sync::Arc;

use super::ghosts::Ghost;
use crate::compression::Rebuilt;
use crate::namespace::{Origin, Piece, PromptMessage};
use crate::step::Role as Speaker;
use crate::tokens::Tokenizer;
use crate::tui::lens::Content;
use crate::tui::rows::{Block, Stretch};
use crate::tui::sections::{Start, sections};
use crate::tui::text_view::Source;
use crate::tui::theme::Role;

/// The blocks of a prompt, made as they come into view.
#[derive(Debug)]
pub struct PromptSource {
    content: Content,
    ghosts: Arc<[Ghost]>,
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
        ghosts: Arc<[Ghost]>,
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
        let stretches: Vec<Stretch> = message.pieces.iter().map(stretch).collect();
        let ghosts = of_message(&self.ghosts, index);
        let (text, stretches) = match ghosts {
            [] => (Arc::clone(&message.content), stretches),
            ghosts => with_ghosts(&message.content, &stretches, ghosts),
        };
        // The shares first: they find the tokens, which are then only counted.
        let shares = self.shares(message);
        let tokens = self.tokens(&message.content, |tokenizer| message.tokens(tokenizer));
        let mut head = head(message.role.name(), &message.content, &tokens);
        head.extend(shares.map(|words| (words, Role::Dim)));
        if self.is_static && message.role == Speaker::System {
            let note = "  turnscope's static prompt: the trace has none";
            head.push((note.to_owned(), Role::Notice));
        }
        let mut parts = sections_of(message);
        let (mut ghosts, mut before) = (ghosts.iter().peekable(), 0);
        for part in &mut parts {
            while let Some(ghost) = ghosts.next_if(|ghost| ghost.at < part.at) {
                before += ghost.text.len();
            }
            part.at += before;
        }
        Block::new(text, stretches)
            .headed(head)
            .with_parts(&parts, self.counting)
    }
}

impl Source for PromptSource {
    fn blocks(&self) -> usize {
        match &self.content {
            Content::Missing(_) => 1,
            content => content.messages(),
        }
    }

    fn scrolls(&self) -> bool {
        true
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
                let parts = sections(&message.content, &[]);
                block.headed(head).with_parts(&parts, self.counting)
            }),
            Content::Missing(why) => Some(Block::plain(why.as_str(), Role::Dim)),
        };
        Arc::new(block.unwrap_or_default().with_gap())
    }
}

/// What was left out of a message.
fn of_message(ghosts: &[Ghost], message: usize) -> &[Ghost] {
    let from = ghosts.partition_point(|ghost| ghost.message < message);
    let to = ghosts.partition_point(|ghost| ghost.message <= message);
    &ghosts[from..to]
}

/// A message's text with what was left out of it.
pub fn text_with(content: &Content, message: usize, ghosts: &[Ghost]) -> Option<Arc<str>> {
    let (_, text) = content.message(message)?;
    Some(match of_message(ghosts, message) {
        [] => text,
        ghosts => with_ghosts(&text, &[], ghosts).0,
    })
}

/// The sections of a message: those that its text tells of, and those that its pieces do.
pub fn sections_of(message: &PromptMessage) -> Vec<Start> {
    let mut known = Vec::new();
    let (mut last, mut is_headed) = ("", false);
    let mut start = 0;
    for (piece, text) in message.pieces() {
        let at = start + text.len() - text.trim_start_matches('\n').len();
        start = piece.end;
        let kind = match &piece.origin {
            Origin::Fixed => {
                is_headed = text.trim_start().starts_with(';');
                continue;
            }
            Origin::Definition { .. } => "user",
            Origin::Print { .. } => "output",
            origin => origin.kind(),
        };
        let begins_line = at == 0 || message.content.as_bytes()[at - 1] == b'\n';
        if kind != last && !is_headed && begins_line && at < piece.end {
            let kind = kind.into();
            known.push(Start { at, kind });
        }
        (last, is_headed) = (kind, false);
    }
    sections(&message.content, &known)
}

/// A text and its stretches with ghosts put in, which are in the order of their places: one pass,
/// however many they are.
fn with_ghosts(content: &str, stretches: &[Stretch], ghosts: &[Ghost]) -> (Arc<str>, Vec<Stretch>) {
    let bytes: usize = ghosts.iter().map(|ghost| ghost.text.len()).sum();
    let mut text = String::with_capacity(content.len() + bytes);
    let mut out = Vec::with_capacity(stretches.len() + 2 * ghosts.len());
    let mut rest = stretches.iter().peekable();
    let mut done = 0;
    for ghost in ghosts {
        let before = text.len() - done;
        while let Some(Stretch { end, role }) = rest.next_if(|next| next.end <= ghost.at) {
            out.push(Stretch {
                end: end + before,
                role: *role,
            });
        }
        text.push_str(&content[done..ghost.at]);
        let covered = out.last().map_or(0, |last: &Stretch| last.end);
        if let Some(cut) = rest.peek().filter(|_| covered < text.len()) {
            out.push(Stretch {
                end: text.len(),
                role: cut.role,
            });
        }
        done = ghost.at;
        text.push_str(&ghost.text);
        out.push(Stretch {
            end: text.len(),
            role: Role::Ghost,
        });
    }
    let before = text.len() - done;
    text.push_str(&content[done..]);
    out.extend(rest.map(|Stretch { end, role }| Stretch {
        end: end + before,
        role: *role,
    }));
    (text.into(), out)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn ghost(at: usize, text: String) -> Ghost {
        Ghost {
            message: 0,
            at,
            text,
        }
    }

    #[test]
    fn many_ghosts_stand_where_each_alone_would() {
        let content = "é".repeat(20_000);
        let stretches = [(10_000, Role::Call), (40_000, Role::Print)];
        let stretches = stretches.map(|(end, role)| Stretch { end, role });
        let ghosts: Vec<Ghost> = (0..10_000)
            .map(|n| ghost(n / 2 * 8, format!("\n┊ {n}")))
            .collect();
        let (text, out) = with_ghosts(&content, &stretches, &ghosts);
        let mut expected = content.clone();
        for ghost in ghosts.iter().rev() {
            expected.insert_str(ghost.at, &ghost.text);
        }
        assert_eq!(&*text, expected);
        let mut start = 0;
        let mut plain = 0;
        for Stretch { end, role } in out {
            assert!(start <= end, "stretches are in order");
            let part = &text[start..end];
            if role == Role::Ghost {
                assert!(part.starts_with("\n┊ "), "{part:?}");
            } else {
                plain += part.len();
                assert!(part.chars().all(|c| c == 'é'), "{part:?}");
                let is_call = plain <= 10_000;
                assert_eq!(role == Role::Call, is_call, "up to byte {plain}");
            }
            start = end;
        }
        assert_eq!((start, plain), (text.len(), content.len()));
    }
}
