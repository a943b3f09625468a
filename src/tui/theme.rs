//! Colours, as roles: the only place that knows any. The ANSI palette is used, so that light and dark
//! terminals look as their owner wants; dim means secondary.

use ratatui::style::{Color, Modifier, Style};

use crate::settings::Palette;

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
    /// A printed value: what it is made of has the roles of programs.
    Value,
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
    /// A line that only the first of two texts has.
    Gone,
    /// Words of it that the second one's line doesn't have.
    GoneWord,
    /// A line that only the second of two texts has.
    Come,
    /// Words of it that the first one's line doesn't have.
    ComeWord,
}

/// How the screen looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // two choices of the user's
pub struct Theme {
    /// Which of the terminal's own 16 colours; without them bold, dim and reverse alone.
    pub palette: Palette,
    /// Whether our own signs and lines are ASCII.
    pub ascii: bool,
}

impl Default for Theme {
    fn default() -> Self {
        Self::FULL
    }
}

impl Theme {
    /// Colours and lines.
    pub const FULL: Self = Self {
        palette: Palette::Dark,
        ascii: false,
    };

    /// The style of a role.
    pub fn style(self, role: Role) -> Style {
        let style = Style::new().add_modifier(Self::modifier(role));
        let color = match self.palette {
            Palette::Dark => Self::on_dark(role),
            Palette::Light => Self::on_light(role),
            Palette::None => None,
        };
        color.map_or(style, |color| style.fg(color))
    }

    /// A sign or a part of a line as ASCII; `None` where it stays.
    pub fn ascii(symbol: &str) -> Option<&'static str> {
        Some(match symbol {
            "─" | "━" => "-",
            "│" | "▎" | "┊" => "|",
            "┌" | "┐" | "└" | "┘" | "┴" | "┬" | "├" | "┤" => "+",
            "▸" | "›" | "→" => ">",
            "‹" | "≤" => "<",
            "✓" | "↓" | "▾" => "v",
            "✗" => "x",
            "·" => ".",
            "≠" => "!",
            "◆" => "*",
            "…" | "≈" | "⋯" => "~",
            "↑" => "^",
            "█" => "#",
            "▒" => "=",
            _ => return None,
        })
    }

    fn modifier(role: Role) -> Modifier {
        match role {
            Role::Dim | Role::Rule | Role::Comment | Role::Section => Modifier::DIM,
            Role::Ghost => Modifier::DIM.union(Modifier::ITALIC),
            Role::Title | Role::Bad | Role::Notice | Role::Special | Role::Key => Modifier::BOLD,
            Role::Focus => Modifier::BOLD.union(Modifier::REVERSED),
            Role::Selected => Modifier::REVERSED,
            // Seen on the selected row too, which reverses all of it.
            Role::Match => Modifier::REVERSED.union(Modifier::UNDERLINED),
            Role::SelectedElsewhere => Modifier::UNDERLINED,
            Role::GoneWord | Role::ComeWord => Modifier::BOLD.union(Modifier::UNDERLINED),
            _ => Modifier::empty(),
        }
    }

    fn on_dark(role: Role) -> Option<Color> {
        match role {
            Role::Good | Role::String | Role::Program | Role::Come | Role::ComeWord => {
                Some(Color::Green)
            }
            Role::Bad | Role::Gone | Role::GoneWord => Some(Color::Red),
            Role::Notice | Role::Number | Role::Match => Some(Color::Yellow),
            Role::Key | Role::Section | Role::Definition | Role::Namespace => Some(Color::Cyan),
            Role::Call | Role::Function => Some(Color::Blue),
            Role::Keyword | Role::Special => Some(Color::Magenta),
            _ => None,
        }
    }

    /// Yellow and cyan are hardly seen on a light ground: what has them elsewhere is magenta and blue.
    fn on_light(role: Role) -> Option<Color> {
        match Self::on_dark(role) {
            Some(Color::Yellow) => Some(Color::Magenta),
            Some(Color::Cyan) => Some(Color::Blue),
            other => other,
        }
    }
}
