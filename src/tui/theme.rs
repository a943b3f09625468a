//! Colours, as roles: the only place that knows any. The ANSI palette is used, so that light and dark
//! terminals look as their owner wants; dim means secondary.

use ratatui::style::{Color, Modifier, Style};

/// What a piece of the screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// Ordinary text.
    #[default]
    Text,
    /// Secondary text.
    Dim,
    /// A name or title that stands out.
    Title,
    /// The title of the focused pane, the chosen tab.
    Focus,
    /// The selected row.
    Selected,
    /// The selected row of a pane that isn't focused.
    SelectedElsewhere,
    /// Lines between panes.
    Rule,
    /// Success.
    Good,
    /// Failure.
    Bad,
    /// Something to notice.
    Notice,
    /// A key in a hint.
    Key,
    /// Section headers of a prompt.
    Section,
    /// A definition's line.
    Definition,
    /// A tool call.
    Call,
    /// A printed text.
    Print,
    /// A program.
    Program,
    /// Comments in programs.
    Comment,
    /// Strings in programs.
    String,
    /// Numbers, constants and characters in programs.
    Number,
    /// Keywords in programs.
    Keyword,
    /// Special forms in programs.
    Special,
    /// Names of `tool/` and `data/` in programs.
    Namespace,
    /// Calls in programs.
    Function,
    /// What a search found.
    Match,
    /// What was left out of a prompt.
    Ghost,
}

/// How the screen looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // two choices of the user's
pub struct Theme {
    /// The terminal's own 16 colours; without them bold, dim and reverse alone.
    pub color: bool,
    /// Whether our own signs and lines are ASCII.
    pub ascii: bool,
}

impl Theme {
    /// Colours and lines.
    pub const FULL: Self = Self {
        color: true,
        ascii: false,
    };

    /// The style of a role.
    pub fn style(self, role: Role) -> Style {
        let style = Style::new().add_modifier(Self::modifier(role));
        match Self::color(role) {
            Some(color) if self.color => style.fg(color),
            _ => style,
        }
    }

    /// A sign or a part of a line as ASCII; `None` where it stays.
    pub fn ascii(symbol: &str) -> Option<&'static str> {
        Some(match symbol {
            "─" | "━" => "-",
            "│" | "▎" | "┊" => "|",
            "┌" | "┐" | "└" | "┘" | "┴" | "┬" | "├" | "┤" => "+",
            "▸" | "›" | "→" => ">",
            "‹" | "≤" => "<",
            "✓" | "↓" => "v",
            "✗" => "x",
            "·" => ".",
            "…" => "~",
            "↑" => "^",
            _ => return None,
        })
    }

    fn modifier(role: Role) -> Modifier {
        match role {
            Role::Dim | Role::Rule | Role::Comment | Role::Section => Modifier::DIM,
            Role::Ghost => Modifier::DIM.union(Modifier::ITALIC),
            Role::Title | Role::Bad | Role::Notice | Role::Special | Role::Key => Modifier::BOLD,
            Role::Focus => Modifier::BOLD.union(Modifier::REVERSED),
            Role::Selected | Role::Match => Modifier::REVERSED,
            Role::SelectedElsewhere => Modifier::UNDERLINED,
            _ => Modifier::empty(),
        }
    }

    fn color(role: Role) -> Option<Color> {
        match role {
            Role::Good | Role::String | Role::Program => Some(Color::Green),
            Role::Bad => Some(Color::Red),
            Role::Notice | Role::Number | Role::Match => Some(Color::Yellow),
            Role::Key | Role::Section | Role::Definition | Role::Namespace => Some(Color::Cyan),
            Role::Call | Role::Function => Some(Color::Blue),
            Role::Keyword | Role::Special => Some(Color::Magenta),
            _ => None,
        }
    }
}
