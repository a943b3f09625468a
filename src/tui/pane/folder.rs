//! The list of a folder's traces:
//!
//! ```text
//!  ~/.claude/projects ── sorted by time ───────────── 12 of 191 traces · 1081 turns · 117 errors
//!      age  name            turns  err  tokens    size  took   format       mission
//! ▸  3 min  a/session.jsonl    12    1     52k   12 kB  4.2 s  claude-code  Fix the build
//!  ─────────────────────────────────────────────────────────────────────────────────────────────
//!  what the selected one is called, what is wrong with it
//!  enter open  / filter  s sort  e problem  ? help  q quit
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::text::{self, amounts};
use crate::tui::app::App;
use crate::tui::command::{Context, available};
use crate::tui::folder::{Folder, Known, Listed, Sort};
use crate::tui::theme::Role;
use crate::tui::view::paint;

/// A column: its head, its columns on the screen, and the screen's width from which it is shown.
struct Column {
    head: &'static str,
    sort: Option<Sort>,
    width: usize,
    from: u16,
    cell: fn(&Folder, &Listed) -> Option<String>,
}

/// The columns of figures; the name stands behind the first of them, the words behind the last.
const COLUMNS: [Column; 7] = [
    Column {
        head: "age",
        sort: Some(Sort::Time),
        width: 7,
        from: 40,
        cell: |folder, listed| {
            let ago = folder.now.duration_since(listed.entry.modified?);
            Some(amounts::age(ago.unwrap_or_default().as_secs()))
        },
    },
    Column {
        head: "turns",
        sort: Some(Sort::Turns),
        width: 6,
        from: 0,
        cell: |_, listed| listed.figures().map(|figures| figures.turns.to_string()),
    },
    Column {
        head: "err",
        sort: Some(Sort::Errors),
        width: 4,
        from: 0,
        cell: |_, listed| Some(listed.figures()?.errors?.to_string()),
    },
    Column {
        head: "tokens",
        sort: Some(Sort::Tokens),
        width: 6,
        from: 60,
        cell: |_, listed| Some(amounts::count(listed.figures()?.tokens?)),
    },
    Column {
        head: "size",
        sort: Some(Sort::Size),
        width: 8,
        from: 72,
        cell: |_, listed| Some(amounts::bytes(listed.entry.size)),
    },
    Column {
        head: "took",
        sort: Some(Sort::Took),
        width: 12,
        from: 130,
        cell: |_, listed| Some(amounts::duration(listed.figures()?.duration_ms?)),
    },
    Column {
        head: "format",
        sort: None,
        width: 18,
        from: 100,
        cell: |_, listed| listed.figures().map(|figures| figures.format.to_owned()),
    },
];

/// Columns from which there is room for the mission.
const WIDE: u16 = 90;

type Span = (String, Role);

/// Draws the list with what stands above and below it.
pub fn draw(app: &App, buffer: &mut Buffer) {
    let Some(folder) = &app.folder else {
        return;
    };
    let layout = &app.layout;
    header(app, folder, buffer);
    heads(app, folder, buffer);
    for row in 0..layout.turns.height {
        let index = folder.offset + usize::from(row);
        let Some(listed) = folder.row(index) else {
            if index == 0 {
                let spans = [(format!("  {}", nothing(folder)), Role::Dim)];
                paint(buffer, layout.turns, row, &spans, app.theme);
            }
            break;
        };
        let is_selected = index == folder.selected;
        let spans = cells(app, folder, listed, is_selected);
        paint(buffer, layout.turns, row, &spans, app.theme);
        if is_selected {
            let line = Rect {
                y: layout.turns.y + row,
                height: 1,
                ..layout.turns
            };
            buffer.set_style(line, app.theme.style(Role::Selected));
        }
    }
    let rule = layout.rule;
    for x in rule.left()..rule.right() {
        buffer[(x, rule.y)]
            .set_symbol("─")
            .set_style(app.theme.style(Role::Rule));
    }
    paint(
        buffer,
        layout.options,
        0,
        &about_selected(app, folder),
        app.theme,
    );
}

/// Why the list is empty.
fn nothing(folder: &Folder) -> String {
    if !folder.is_empty() {
        format!(
            "no trace fits '{}'; esc takes the filter away",
            text::clean_line(&folder.filter)
        )
    } else if folder.is_walking() {
        "looking for traces …".to_owned()
    } else {
        "there is no trace in this folder or below".to_owned()
    }
}

fn header(app: &App, folder: &Folder, buffer: &mut Buffer) {
    let area = app.layout.header;
    let columns = usize::from(area.width);
    let (shown, all) = (folder.rows(), folder.len());
    let mut facts = vec![if shown == all {
        amounts::of(all, "trace")
    } else {
        format!("{shown} of {}", amounts::of(all, "trace"))
    }];
    let known = || folder.traces().iter().filter_map(Listed::figures);
    let failed = folder.traces().iter();
    let failed = failed.filter(|listed| matches!(listed.known, Known::Failed(_)));
    let errors: usize = known().filter_map(|figures| figures.errors).sum();
    facts.push(amounts::of(
        known().map(|figures| figures.turns).sum(),
        "turn",
    ));
    facts.push(amounts::of(errors, "error"));
    match failed.count() + folder.unread.len() {
        0 => {}
        count => facts.push(format!("{count} unreadable")),
    }
    let waiting = folder.traces().iter();
    let waiting = waiting
        .filter(|listed| listed.known == Known::Waiting)
        .count();
    if waiting > 0 {
        facts.push(format!("{waiting} to read"));
    }
    let hides = app.redaction.hiding().is_on();
    facts.splice(1..1, hides.then(|| "secrets hidden".to_owned()));
    // The counts come first where there is little room.
    while facts.len() > 1 && text::width(&facts.join(" · ")) + 24 > columns {
        facts.pop();
    }
    let facts = format!(" {} ", facts.join(" · "));
    let room = columns.saturating_sub(text::width(&facts));
    let path = folder.root.to_string_lossy();
    let path = app.redaction.text(&path);
    let title = format!(
        " {} ",
        fit_end(&text::clean_line(&path), room.saturating_sub(2))
    );
    let left = room.saturating_sub(text::width(&title));
    let filter = match &*folder.filter {
        "" => String::new(),
        filter => format!(" · with '{}'", text::clean_line(filter)),
    };
    let mut middle = format!("── by {}{filter} ", folder.sort.title());
    let fill = left.saturating_sub(text::width(&middle));
    middle.extend(std::iter::repeat_n('─', fill));
    let spans = [
        (title, Role::Title),
        (text::fit(&middle, left).into_owned(), Role::Rule),
        (facts, Role::Text),
    ];
    paint(buffer, area, 0, &spans, app.theme);
}

/// The end of a text that is too long, behind a mark: a path's end tells more than its beginning.
fn fit_end(text: &str, columns: usize) -> String {
    if text::width(text) <= columns {
        return text.to_owned();
    }
    let mut start = text.len();
    for (at, _) in text.char_indices().rev() {
        if text::width(&text[at..]) + 1 > columns {
            break;
        }
        start = at;
    }
    let mark = if columns > 0 { "…" } else { "" };
    format!("{mark}{}", &text[start..])
}

/// Columns of the name and of the words behind the figures.
fn flexible(width: u16) -> (usize, usize) {
    let fixed = COLUMNS.iter().filter(|column| width >= column.from);
    let fixed: usize = fixed.map(|column| column.width + 1).sum();
    let rest = usize::from(width).saturating_sub(fixed + 2);
    if width < WIDE {
        return (rest, 0);
    }
    let name = (rest / 2).clamp(20, 60).min(rest);
    (name, rest.saturating_sub(name + 1))
}

/// A row's texts, each in its columns; the name stands behind the first column.
fn line(width: u16, name: &Span, words: &Span, cell: impl Fn(&Column) -> Span) -> Vec<Span> {
    let (for_name, for_words) = flexible(width);
    let mut spans = Vec::new();
    for (at, column) in COLUMNS.iter().enumerate() {
        if width >= column.from {
            let (text, role) = cell(column);
            let text = text::fit(&text, column.width);
            let gap = " ".repeat(column.width - text::width(&text));
            spans.push((
                match column.head {
                    "format" => format!(" {text}{gap}"),
                    _ => format!("{gap}{text} "),
                },
                role,
            ));
        }
        if at == 0 {
            let text = fit_end(&name.0, for_name);
            let gap = " ".repeat(for_name.saturating_sub(text::width(&text)));
            spans.push((format!("{text}{gap}"), name.1));
        }
    }
    if for_words > 0 {
        let words_text = text::headline(&words.0, for_words);
        spans.push((format!(" {words_text}"), words.1));
    }
    spans
}

fn heads(app: &App, folder: &Folder, buffer: &mut Buffer) {
    let sorted = |sort: Option<Sort>| sort == Some(folder.sort);
    let role = |sort| if sorted(sort) { Role::Title } else { Role::Dim };
    let head = |text: &str, sort| (text.to_owned(), role(sort));
    let mut spans = line(
        app.layout.titles.width,
        &head("name", Some(Sort::Name)),
        &head("mission", None),
        |column| head(column.head, column.sort),
    );
    spans.insert(0, ("  ".to_owned(), Role::Text));
    paint(buffer, app.layout.titles, 0, &spans, app.theme);
}

fn cells(app: &App, folder: &Folder, listed: &Listed, is_selected: bool) -> Vec<Span> {
    let (sign, role) = match &listed.known {
        Known::Failed(_) => ("✗", Role::Bad),
        Known::Figures(figures) if figures.damage.is_some() => ("!", Role::Notice),
        _ => (" ", Role::Text),
    };
    let name = app.redaction.text(&listed.name);
    let mut spans = line(
        app.layout.turns.width,
        &(text::clean_line(&name).into_owned(), Role::Text),
        &words(app, listed),
        |column| {
            let is_error =
                column.head == "err" && listed.figures().is_some_and(|f| f.errors > Some(0));
            let text = (column.cell)(folder, listed);
            let role = if is_error { Role::Bad } else { Role::Dim };
            (text.unwrap_or_else(|| "·".to_owned()), role)
        },
    );
    let mark = if is_selected { "▸" } else { " " };
    spans.insert(0, (sign.to_owned(), role));
    spans.insert(0, (mark.to_owned(), Role::Text));
    spans
}

/// What a trace is about, or what is wrong with it.
fn words(app: &App, listed: &Listed) -> Span {
    let (text, role) = match &listed.known {
        Known::Waiting => ("…".to_owned(), Role::Dim),
        Known::Large => (
            "large: its figures are there when it is open".to_owned(),
            Role::Dim,
        ),
        Known::Failed(why) => (why.clone(), Role::Bad),
        Known::Figures(figures) => {
            let mission = figures.mission.as_deref().unwrap_or("no mission recorded");
            let text = match figures.conversations {
                0 => "holds no run".to_owned(),
                1 => mission.to_owned(),
                count => format!("{count} conversations: {mission}"),
            };
            (text, Role::Text)
        }
    };
    let text = app.redaction.text(&text).replace(['\n', '\r'], " ");
    (text::clean_line(&text).into_owned(), role)
}

/// The row below the list: what is being opened, else more on the selected trace.
fn about_selected(app: &App, folder: &Folder) -> Vec<Span> {
    let mut spans = vec![(" ".to_owned(), Role::Text)];
    if let Some(opening) = &folder.opening {
        let name = opening
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let passed = opening.begun.elapsed().as_secs();
        let (name, words) = (text::clean_line(&name), opening.words());
        spans.push((
            format!("opening {name}: {words} · {passed} s  "),
            Role::Notice,
        ));
        return spans;
    }
    let Some(listed) = folder.row(folder.selected) else {
        return spans;
    };
    match &listed.known {
        Known::Figures(figures) => {
            spans.push((figures.format.to_owned(), Role::Dim));
            if let Some(name) = &figures.name {
                let name = text::headline(&app.redaction.text(name), 60);
                spans.push((format!(" · {name}"), Role::Text));
            }
            if let Some(damage) = &figures.damage {
                spans.push((format!(" · {damage}"), Role::Notice));
            }
        }
        Known::Failed(_) => {
            let (why, role) = words(app, listed);
            spans.push((why, role));
        }
        Known::Waiting => spans.push(("not read yet".to_owned(), Role::Dim)),
        Known::Large => spans.push(words(app, listed)),
    }
    spans
}

/// Where the cursor stands: on the selected row.
pub fn cursor(app: &App) -> Option<Position> {
    let folder = app.folder.as_ref()?;
    let row = folder.selected.checked_sub(folder.offset)?;
    let area = app.layout.turns;
    let row = u16::try_from(row).ok().filter(|row| *row < area.height)?;
    Some(Position::new(area.x, area.y + row))
}

/// What is typed to filter the list, in place of the hints; gives where the cursor stands.
pub fn filter_input(app: &App, buffer: &mut Buffer) -> Option<Position> {
    let footer = app.layout.footer;
    let lead = " filter: ";
    let room = usize::from(footer.width).saturating_sub(lead.len());
    let (filter, column) = app.folder.as_ref()?.filter.shown(room);
    let mut spans = vec![(lead.to_owned(), Role::Key), (filter, Role::Title)];
    let typed = lead.len() + column;
    for (key, word) in available(app, Context::Filter).filter_map(|row| row.hint) {
        spans.push((format!("  {key}"), Role::Key));
        spans.push((format!(" {word}"), Role::Dim));
    }
    paint(buffer, footer, 0, &spans, app.theme);
    let x = u16::try_from(typed).unwrap_or(u16::MAX);
    Some(Position::new(footer.x.saturating_add(x), footer.y))
}
