//! The run, a row a turn: the recorded usage, tokens under each strategy, what is cached and lost, what
//! went wrong, and a bar. Only the rows in view are made.

use ratatui::layout::Rect;

use crate::text;
use crate::tui::app::App;
use crate::tui::figures::{Cell, Figures};
use crate::tui::lens::{Lens, Shown};
use crate::tui::pane::turns::sign;
use crate::tui::rows::Row;
use crate::tui::theme::Role;
use crate::tui::two_runs;

/// Columns of a figure, the space before it included.
const WIDE: usize = 10;

/// Columns of the bar at most.
const BAR: usize = 20;

/// Columns of the table, as far as there is room.
struct Columns {
    digits: usize,
    /// The recorded tokens of all prompts, where they are shown.
    recorded: Option<u64>,
    /// As many of them as were read from the provider's cache, where they are shown.
    read: Option<u64>,
    others: Vec<Shown>,
    bar: usize,
}

impl Columns {
    /// What is shown comes first, then its cached tokens, losses and problems, the recorded tokens, those
    /// read from the provider's cache, the bar, and the other entries.
    fn new(app: &App, columns: usize) -> Self {
        let document = app.document();
        let lens = document.lens();
        let turns = lens.run().step().turns().len();
        let digits = turns.to_string().len().max(2);
        let taken = digits + 5 + 3 * WIDE + 8;
        let mut room = columns.saturating_sub(taken);
        let known = lens.run().timeline().usage();
        let recorded = known.input.filter(|_| room >= WIDE);
        room -= recorded.map_or(0, |_| WIDE);
        let read = known.cache_read.filter(|_| room >= WIDE);
        room -= read.map_or(0, |_| WIDE);
        let bar = if room >= 9 { (room - 1).min(BAR) } else { 0 };
        room = room.saturating_sub(bar + 1);
        let others = lens.entries().into_iter();
        let others = others.filter(|shown| *shown != lens.shown);
        Self {
            digits,
            recorded,
            read,
            others: others.take(room / WIDE).collect(),
            bar,
        }
    }
}

/// The figure of a prompt; dots while it is looked for, a dash where there is none.
fn figure(figures: Option<&Figures>, cell: Option<Cell>, of: impl Fn(Cell) -> String) -> String {
    match cell {
        Some(cell) => of(cell),
        None if figures.is_some_and(Figures::is_running) => "…".to_owned(),
        None => "–".to_owned(),
    }
}

fn right(word: &str) -> String {
    format!("{:>WIDE$}", text::fit(word, WIDE - 1))
}

/// `lost of needed`; a dash where nothing was needed.
pub fn lost(lost: usize, needed: usize) -> String {
    match needed {
        0 => "–".to_owned(),
        _ => format!("{lost} of {needed}"),
    }
}

/// The mark of counts that are not the model's own.
pub fn about(lens: &Lens, app: &App) -> &'static str {
    let tokenizer = app.tokenizer.unwrap_or_default();
    if tokenizer.is_exact_for(lens.run().step().model.as_deref()) {
        ""
    } else {
        "~"
    }
}

/// The heading, the sums and the rows in view; and the place of the selected one among them.
pub fn rows(app: &App, selected: usize, area: Rect) -> (Vec<Row>, usize) {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let columns = Columns::new(app, width);
    // Of two runs it is told first in what they differ.
    let mut rows = two_runs::differences(app, width, height / 3);
    let before = rows.len();
    let turns = app.document().lens().run().step().turns().len();
    rows.extend([heads(app, &columns), sums(app, &columns)]);
    let room = height.saturating_sub(rows.len()).max(1);
    // The selected row stands in the middle, as far as there are rows on both sides.
    let first = selected
        .saturating_sub(room / 2)
        .min(turns.saturating_sub(room));
    let last = (first + room).min(turns);
    let most = app.document().figures.as_ref();
    let most = most.map_or(0, |figures| {
        figures.most_tokens(app.document().lens().shown)
    });
    rows.extend((first..last).map(|at| turn(app, &columns, at, at == selected, most)));
    (rows, before + 2 + selected.saturating_sub(first))
}

fn heads(app: &App, columns: &Columns) -> Row {
    let lens = app.document().lens();
    let mut line = format!("{:>1$}  ", "turn", columns.digits + 3);
    if columns.recorded.is_some() {
        line.push_str(&right("usage"));
    }
    line.push_str(&right(lens.title_of_run(lens.shown)));
    line.push_str(&right("cached"));
    if columns.read.is_some() {
        line.push_str(&right("read"));
    }
    line.push_str(&right("lost"));
    line.push_str(" problems");
    for other in &columns.others {
        line.push_str(&right(lens.title_of_run(*other)));
    }
    Row {
        spans: vec![(line, Role::Title)],
    }
}

fn sums(app: &App, columns: &Columns) -> Row {
    let document = app.document();
    let (lens, figures) = (document.lens(), document.figures.as_ref());
    let sum = |shown| figures.and_then(|figures| figures.sum(shown));
    let about = about(lens, app);
    let words = |shown: Shown| match sum(shown) {
        Some(sum) => format!("{about}{}", sum.tokens),
        None => figure(figures, None, |_| String::new()),
    };
    let mut line = format!("{:>1$}  ", "all", columns.digits + 3);
    if let Some(input) = columns.recorded {
        line.push_str(&right(&input.to_string()));
    }
    line.push_str(&right(&words(lens.shown)));
    let shown = sum(lens.shown);
    let cached = shown.map_or_else(
        || figure(figures, None, |_| String::new()),
        |sum| format!("{:.1} %", sum.cached_share * 100.0),
    );
    line.push_str(&right(&cached));
    if let Some(read) = columns.read {
        line.push_str(&right(&read.to_string()));
    }
    let losses = shown.map_or_else(
        || figure(figures, None, |_| String::new()),
        |sum| lost(sum.lost, sum.needed),
    );
    line.push_str(&right(&losses));
    let problems = document.problems.as_ref();
    let count = match problems {
        Some(problems) if !problems.is_running() => problems.found.len().to_string(),
        _ => "…".to_owned(),
    };
    line.push_str(&right(&count)[1..]);
    for other in &columns.others {
        line.push_str(&right(&words(*other)));
    }
    Row {
        spans: vec![(line, Role::Dim)],
    }
}

fn turn(app: &App, columns: &Columns, at: usize, is_selected: bool, most: usize) -> Row {
    let document = app.document();
    let (lens, figures) = (document.lens(), document.figures.as_ref());
    let n = crate::namespace::content::turn_number(at);
    let about = about(lens, app);
    let cell = |shown| figures.and_then(|figures| figures.cell(shown, n));
    let tokens = |shown| {
        figure(figures, cell(shown), |cell| {
            format!("{about}{}", cell.tokens)
        })
    };
    let shown = cell(lens.shown);
    let mark = if is_selected { "▸" } else { " " };
    let plain = if is_selected {
        Role::Selected
    } else {
        Role::Text
    };
    let turn = lens.run().step().turns().get(at);
    let (sign, role) = turn.map_or((' ', Role::Text), |turn| sign(turn.outcome()));
    let mut spans = vec![
        (format!("{mark}{n:>0$} ", columns.digits + 1), plain),
        (format!("{sign}  "), role),
    ];
    let mut line = String::new();
    if columns.recorded.is_some() {
        let input = turn.and_then(|turn| turn.usage().input);
        line.push_str(&right(
            &input.map_or_else(|| "–".to_owned(), |input| input.to_string()),
        ));
    }
    line.push_str(&right(&tokens(lens.shown)));
    line.push_str(&right(&figure(figures, shown, |cell| {
        format!("{about}{}", cell.cached)
    })));
    if columns.read.is_some() {
        let read = turn.and_then(|turn| turn.usage().cache_read);
        line.push_str(&right(
            &read.map_or_else(|| "–".to_owned(), |read| read.to_string()),
        ));
    }
    spans.push((line, plain));
    let losses = figure(figures, shown, |cell| lost(cell.lost, cell.needed));
    let is_lost = shown.is_some_and(|cell| cell.lost > 0);
    spans.push((right(&losses), if is_lost { Role::Notice } else { plain }));
    let problems = document.problems.as_ref().map_or(0, |problems| {
        let here = problems.found.iter().filter(|found| found.row == Some(at));
        here.count()
    });
    let problems = if problems > 0 {
        problems.to_string()
    } else {
        String::new()
    };
    spans.push((format!("{problems:>9}"), Role::Bad));
    let others: String = columns
        .others
        .iter()
        .map(|other| right(&tokens(*other)))
        .collect();
    spans.push((others, Role::Dim));
    if columns.bar > 0 && most > 0 {
        spans.push((format!(" {}", bar(shown, most, columns.bar)), Role::Call));
    }
    Row { spans }
}

/// A prompt's tokens as a bar: what is cached in another sign than what is fresh.
fn bar(cell: Option<Cell>, most: usize, columns: usize) -> String {
    let Some(cell) = cell else {
        return String::new();
    };
    let long = |tokens: usize| (tokens * columns).div_ceil(most).min(columns);
    let (all, cached) = (long(cell.tokens), long(cell.cached));
    let mut bar = "▒".repeat(cached.min(all));
    bar.extend(std::iter::repeat_n('█', all.saturating_sub(cached)));
    bar
}
