//! A message under construction: its text, and for every byte of it where it comes from.

use std::fmt;
use std::sync::Arc;

use crate::step::{Role, history::ItemRef};
use crate::tokens::{self, Begin, Lines, Memo, Tokenizer};

/// What a piece of a prompt comes from (requirements 7). Turns are numbered from 1, items from 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The system prompt.
    System,
    /// The mission.
    Mission,
    /// A tool's line.
    Tool(Arc<str>),
    /// An input field's line.
    Data(Arc<str>),
    /// A definition's line, and the turn that made the present value.
    Definition {
        /// Its name.
        name: Arc<str>,
        /// The turn; `None` where no turn is known to have made it.
        turn: Option<u32>,
    },
    /// A tool call.
    Call {
        /// The turn that made it.
        turn: u32,
        /// Its place among the turn's calls.
        index: usize,
    },
    /// A printed text.
    Print {
        /// The turn that printed it.
        turn: u32,
        /// Its place among the turn's prints.
        index: usize,
    },
    /// The error of a failed turn.
    Error(u32),
    /// A turn's program, or its response where it has none.
    Program(u32),
    /// A turn's result, or its calls' results where it has none of its own.
    Result(u32),
    /// Text that arrived before a turn.
    Input(u32),
    /// The turns left.
    Indicator,
    /// Section headers and notes.
    Fixed,
    /// A message as it was recorded, whose pieces nobody knows.
    Recorded,
}

impl Origin {
    /// The origin of a call.
    pub fn call(at: ItemRef) -> Self {
        Self::Call {
            turn: turn_number(at.turn),
            index: at.index,
        }
    }

    /// The origin of a print.
    pub fn print(at: ItemRef) -> Self {
        Self::Print {
            turn: turn_number(at.turn),
            index: at.index,
        }
    }

    /// The kind's name, by which shares are summed.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Mission => "mission",
            Self::Tool(_) => "tool",
            Self::Data(_) => "data",
            Self::Definition { .. } => "definition",
            Self::Call { .. } => "call",
            Self::Print { .. } => "print",
            Self::Error(_) => "error",
            Self::Program(_) => "program",
            Self::Result(_) => "result",
            Self::Input(_) => "input",
            Self::Indicator => "indicator",
            Self::Fixed => "fixed",
            Self::Recorded => "recorded",
        }
    }

    /// The turn that the piece comes from, if it comes from one.
    pub fn turn(&self) -> Option<u32> {
        match self {
            Self::Definition { turn, .. } => *turn,
            Self::Call { turn, .. }
            | Self::Print { turn, .. }
            | Self::Error(turn)
            | Self::Program(turn)
            | Self::Result(turn)
            | Self::Input(turn) => Some(*turn),
            _ => None,
        }
    }
}

/// The kind, with the name or the turn: `definition total`, `print 2`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match (self, self.turn()) {
            (Self::Tool(name) | Self::Data(name) | Self::Definition { name, .. }, _) => {
                write!(f, " {name}")
            }
            (_, Some(turn)) => write!(f, " {turn}"),
            _ => Ok(()),
        }
    }
}

/// The number of the turn at an index.
pub fn turn_number(index: usize) -> u32 {
    u32::try_from(index).map_or(u32::MAX, |index| index.saturating_add(1))
}

/// A stretch of a message's content with one origin. A piece begins where the one before it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// The byte behind its last one.
    pub end: usize,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether a limit cut something inside it.
    pub cut: bool,
}

/// A message of a prompt: pieces that joined are its content.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// The whole text.
    pub content: Arc<str>,
    /// Its pieces, in order and without gaps.
    pub pieces: Vec<Piece>,
    tokens: Arc<Memo>,
}

impl PromptMessage {
    /// A message of which no piece is known apart: one that was recorded.
    pub fn whole(role: Role, content: Arc<str>, origin: Origin) -> Self {
        let piece = Piece {
            end: content.len(),
            origin,
            cut: false,
        };
        Self {
            role,
            content,
            pieces: vec![piece],
            tokens: Arc::default(),
        }
    }

    /// The tokens of the content. They are counted once.
    pub fn tokens(&self, tokenizer: Tokenizer) -> usize {
        self.tokens.count(tokenizer, &self.content)
    }

    /// The same, for a content that has most lines in common with others that were counted so.
    pub(crate) fn tokens_by(&self, lines: &mut Lines) -> usize {
        self.tokens.count_by(lines, &self.content)
    }

    /// The token ids of the content; none for [`Tokenizer::Estimate`].
    pub fn token_ids(&self, tokenizer: Tokenizer) -> Arc<[u32]> {
        self.tokens.ids(tokenizer, &self.content)
    }

    /// The tokens of each piece: a token counts for the piece its last byte is in.
    pub fn piece_tokens(&self, tokenizer: Tokenizer) -> Vec<usize> {
        let ends = self.pieces.iter().map(|piece| piece.end);
        tokens::shares(tokenizer, &self.content, &self.tokens, ends)
    }

    /// Tokens by kind of piece, in the order in which kinds first appear, added to those of other
    /// messages. A recorded message is all of one kind, its role.
    pub fn add_shares(&self, tokenizer: Tokenizer, shares: &mut Vec<(&'static str, usize)>) {
        let tokens = self.piece_tokens(tokenizer);
        for (piece, tokens) in self.pieces.iter().zip(tokens) {
            let kind = match piece.origin {
                Origin::Recorded => self.role.name(),
                ref origin => origin.kind(),
            };
            match shares.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, sum)) => *sum += tokens,
                None => shares.push((kind, tokens)),
            }
        }
    }

    /// The pieces with their texts.
    pub fn pieces(&self) -> impl Iterator<Item = (&Piece, &str)> {
        let mut start = 0;
        self.pieces.iter().map(move |piece| {
            let text = &self.content[start..piece.end];
            start = piece.end;
            (piece, text)
        })
    }
}

/// Builds a message piece by piece. What separates parts belongs to the piece it introduces.
#[derive(Debug, Clone, Default)]
pub struct Content {
    text: String,
    pieces: Vec<Piece>,
    new_part: bool,
    /// The text of the message that this continues, with what is known of it.
    begin: Option<Begin>,
}

impl Content {
    /// An empty message.
    pub fn new() -> Self {
        Self::default()
    }

    /// Continues a finished message.
    pub fn continuing(message: &PromptMessage) -> Self {
        Self {
            text: message.content.to_string(),
            pieces: message.pieces.clone(),
            new_part: false,
            begin: Some(Begin {
                text: Arc::clone(&message.content),
                memo: Arc::clone(&message.tokens),
            }),
        }
    }

    /// What follows is a new part: a blank line comes before it, unless it is the first.
    pub fn part(&mut self) {
        self.new_part = true;
    }

    /// Appends a piece. `write` appends its text and says whether a limit cut something in it.
    pub fn piece_cut(&mut self, origin: Origin, write: impl FnOnce(&mut String) -> bool) {
        if std::mem::take(&mut self.new_part) && !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        let cut = write(&mut self.text);
        self.pieces.push(Piece {
            end: self.text.len(),
            origin,
            cut,
        });
    }

    /// Appends a piece.
    pub fn piece(&mut self, origin: Origin, write: impl FnOnce(&mut String)) {
        self.piece_cut(origin, |out| {
            write(out);
            false
        });
    }

    /// Appends a piece of a given text.
    pub fn text(&mut self, origin: Origin, text: &str) {
        self.piece(origin, |out| out.push_str(text));
    }

    /// Whether nothing was appended.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The text so far.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The finished message.
    pub fn finish(self, role: Role) -> PromptMessage {
        let begin = self.begin.map(Memo::continuing);
        PromptMessage {
            role,
            content: self.text.into(),
            pieces: self.pieces,
            tokens: Arc::new(begin.unwrap_or_default()),
        }
    }
}
