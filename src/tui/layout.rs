//! Where the panes are, at any size.

use ratatui::layout::Rect;

use super::app::{App, Pane};

/// Columns from which all three panes stand side by side.
const WIDE: u16 = 120;

/// Columns from which the list stands beside one text pane.
const MIDDLE: u16 = 72;

/// Rows from which rules are drawn around the panes.
const TALL: u16 = 20;

/// The places of everything on the screen. A pane without a place has an empty one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Layout {
    /// The whole screen.
    pub screen: Rect,
    /// What run this is.
    pub header: Rect,
    /// The panes' titles.
    pub titles: Rect,
    /// The rule above the options row; empty on small screens.
    pub rule: Rect,
    /// The options row.
    pub options: Rect,
    /// Hints and messages.
    pub footer: Rect,
    /// The list of turns, without its title.
    pub turns: Rect,
    /// The turn, without its title.
    pub turn: Rect,
    /// The prompt, without its title.
    pub prompt: Rect,
    /// Whether panes are tabs, one at a time.
    pub tabbed: bool,
}

impl Layout {
    /// The places on a screen of this size.
    pub fn new(screen: Rect, app: &App) -> Self {
        let mut rest = screen;
        let mut layout = Self {
            screen,
            ..Self::default()
        };
        layout.frame(&mut rest);
        layout.panes(rest, app);
        layout
    }

    /// What stands around the panes. What matters most is placed first, so that a tiny screen keeps it.
    fn frame(&mut self, rest: &mut Rect) {
        self.footer = take_bottom(rest, 1, 3);
        self.header = take_top(rest, 1, 4);
        self.options = take_bottom(rest, 1, 5);
        self.titles = take_top(rest, 1, 3);
        if self.screen.height >= TALL {
            self.rule = take_bottom(rest, 1, 3);
        }
    }

    /// The places where a list has the whole screen: it stands in the place of the turns.
    pub fn list(screen: Rect) -> Self {
        let mut rest = screen;
        let mut layout = Self {
            screen,
            ..Self::default()
        };
        layout.frame(&mut rest);
        layout.turns = rest;
        layout
    }

    fn panes(&mut self, area: Rect, app: &App) {
        let one = |layout: &mut Self, area: Rect| match app.focus {
            Pane::Turns => layout.turns = area,
            Pane::Turn => layout.turn = area,
            Pane::Prompt => layout.prompt = area,
        };
        if app.zoomed || area.width < MIDDLE {
            self.tabbed = true;
            one(self, area);
            return;
        }
        let list = if area.width >= WIDE {
            (area.width / 5).clamp(24, 36)
        } else {
            (area.width / 3).clamp(20, 30)
        };
        let (turns, rest) = split(area, list);
        self.turns = turns;
        if area.width >= WIDE {
            let (turn, prompt) = split(rest, rest.width / 2);
            self.turn = turn;
            self.prompt = prompt;
        } else if app.beside == Pane::Prompt {
            self.prompt = rest;
        } else {
            self.turn = rest;
        }
    }

    /// Whether a pane has a place.
    pub fn shows(&self, pane: Pane) -> bool {
        let area = match pane {
            Pane::Turns => self.turns,
            Pane::Turn => self.turn,
            Pane::Prompt => self.prompt,
        };
        area.width > 0
    }
}

/// A column is left between the two for the line.
fn split(area: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(area.width);
    let left = Rect {
        width: columns,
        ..area
    };
    let taken = (columns + 1).min(area.width);
    let right = Rect {
        x: area.x + taken,
        width: area.width - taken,
        ..area
    };
    (left, right)
}

/// Takes rows from the top where at least `least` rows are there.
fn take_top(rest: &mut Rect, rows: u16, least: u16) -> Rect {
    if rest.height < least {
        return Rect { height: 0, ..*rest };
    }
    let taken = Rect {
        height: rows,
        ..*rest
    };
    rest.y += rows;
    rest.height -= rows;
    taken
}

fn take_bottom(rest: &mut Rect, rows: u16, least: u16) -> Rect {
    if rest.height < least {
        return Rect { height: 0, ..*rest };
    }
    rest.height -= rows;
    Rect {
        y: rest.y + rest.height,
        height: rows,
        ..*rest
    }
}
