//! How states look: rows of the screen with the style of each stretch, in every theme; and that no
//! state is told by colour alone.

use ratatui::buffer::Cell;
use turnscope::tui::theme::Role;

use super::*;

const THEMES: [Palette; 3] = [Palette::Dark, Palette::Light, Palette::None];

/// A screen, the keys that lead to a state, and how the rows that show it are known.
type State = (&'static str, fn() -> Screen, fn(&str) -> bool);

/// Every state that a row, a line or a title can be in.
const STATES: [State; 14] = [
    ("a failed turn, selected", || triage("J"), of_turns),
    (
        "the same while the turn has the focus",
        || triage("J tab"),
        of_turns,
    ),
    (
        "titles and tabs, the list has the focus",
        || triage(""),
        is_title,
    ),
    (
        "titles and tabs, the turn has the focus",
        || triage("tab"),
        is_title,
    ),
    (
        "titles and tabs, the prompt has the focus",
        || triage("tab tab"),
        is_title,
    ),
    (
        "a failed turn's error",
        || triage("J"),
        |row| row.contains("Undefined variable"),
    ),
    (
        "what was left out",
        || prints("G 1s v"),
        |row| row.contains('┊'),
    ),
    (
        "lines that the prompt before doesn't have",
        || triage("4J 1s tab tab G"),
        |row| row.contains('▎'),
    ),
    ("what a search found", found, |row| {
        row.contains("by-service")
    }),
    (
        "what a search found, on the row of the cursor",
        found_at_cursor,
        |row| row.contains("call_2"),
    ),
    ("arguments and results of calls", called, |row| {
        [":deep", "if true", "let x", "\"count\""]
            .iter()
            .any(|word| row.contains(word))
    }),
    ("a result of JSON in the program's part", said_json, |row| {
        row.contains("\"ok\"")
    }),
    (
        "an option, chosen, and one that was changed",
        || prints("G 1s L 3 enter l"),
        |row| row.contains("println"),
    ),
    (
        "an overlay with a selected entry",
        || triage("2J 1s t"),
        |row| row.contains("uncompressed "),
    ),
];

fn of_turns(row: &str) -> bool {
    ["▸ 2 ", "  1 ", "  3 "]
        .iter()
        .any(|start| row.starts_with(start))
}

fn is_title(row: &str) -> bool {
    row.starts_with(" Turns")
}

fn screen(file: &str, keys: &str) -> Screen {
    let mut screen = Screen::new(sample(file), 120, 24);
    screen.keys(keys);
    screen
}

fn triage(keys: &str) -> Screen {
    screen("step/log-triage.step.json", keys)
}

fn prints(keys: &str) -> Screen {
    screen("step-corners/many-prints.step.json", keys)
}

fn found() -> Screen {
    let mut screen = triage("");
    search(&mut screen, "by-service");
    screen
}

fn found_at_cursor() -> Screen {
    let mut screen = screen("formats/mini-swe-agent.traj.json", "J tab > > >");
    search(&mut screen, "call_2");
    screen
}

/// Calls with values, with a command and a file's text, and with JSON that has line ends.
fn called() -> Screen {
    let mut screen = Screen::new(
        text(
            r#"{"name":"x","mission":"m","turns":[{"number":1,"success":true,"program":"(f)","tool_calls":[
            {"name":"f","args":{"~:n":1},"result":{"~:deep":[null,"a"]}},
            {"name":"bash","args":{"command":"if true; then\nls 'a b'; fi"},"result":"{\n  \"count\": 2\n}"},
            {"name":"write","args":{"file_path":"a.rs","content":"// why\nlet x = 1;"},"result":null}]}]}"#,
        ),
        120,
        24,
    );
    screen.keys("tab > > >");
    settle(&mut screen);
    screen
}

fn said_json() -> Screen {
    let json = r#"{"name":"x","mission":"m","turns":[{"number":1,"success":true,"program":"(f)","result":"{\"ok\":\n true}"}]}"#;
    let mut screen = Screen::new(text(json), 120, 24);
    settle(&mut screen);
    screen
}

fn in_theme(mut screen: Screen, palette: Palette) -> Screen {
    screen.app.theme = Theme {
        palette,
        ..Theme::FULL
    };
    screen.draw();
    screen
}

/// The style of a cell in words; nothing for ordinary text.
fn words(cell: &Cell) -> String {
    let mut words: Vec<String> = Vec::new();
    for (modifier, word) in [
        (Modifier::BOLD, "bold"),
        (Modifier::DIM, "dim"),
        (Modifier::ITALIC, "italic"),
        (Modifier::UNDERLINED, "underlined"),
        (Modifier::REVERSED, "reversed"),
    ] {
        if cell.modifier.contains(modifier) {
            words.push(word.to_owned());
        }
    }
    for (color, on) in [(cell.fg, ""), (cell.bg, "on ")] {
        if color != Color::Reset {
            words.push(format!("{on}{color}").to_lowercase());
        }
    }
    words.join(" ")
}

/// A row with the style of each stretch before it, as `⟨bold red⟩text`; `⟨⟩` ends a style.
fn styled(buffer: &Buffer, y: u16) -> String {
    let mut out = String::new();
    let mut before = String::new();
    for x in 0..buffer.area.width {
        let cell = &buffer[(x, y)];
        let style = words(cell);
        if style != before {
            let _ = write!(out, "⟨{style}⟩");
            before = style;
        }
        out.push_str(cell.symbol());
    }
    out.trim_end().to_owned()
}

fn row_text(buffer: &Buffer, y: u16) -> String {
    (0..buffer.area.width)
        .map(|x| buffer[(x, y)].symbol())
        .collect()
}

/// The rows in which a state is seen, each written by `write`.
fn rows(state: &State, palette: Palette, write: fn(&Buffer, u16) -> String) -> Vec<String> {
    let screen = in_theme(state.1(), palette);
    let buffer = screen.buffer();
    let rows = (0..buffer.area.height).filter(|y| state.2(&row_text(buffer, *y)));
    // A few tell.
    rows.take(4).map(|y| write(buffer, y)).collect()
}

#[test]
fn every_state_has_its_look_in_every_theme() {
    for palette in THEMES {
        let mut out = String::new();
        for state in &STATES {
            let rows = rows(state, palette, styled);
            assert!(!rows.is_empty(), "{} is not seen", state.0);
            let _ = writeln!(out, "{}\n    {}\n", state.0, rows.join("\n    "));
        }
        insta::assert_snapshot!(format!("style-{palette:?}").to_lowercase(), out);
    }
}

/// Signs and attributes of a row, without its colours.
fn without_colour(buffer: &Buffer, y: u16) -> String {
    let mut out = String::new();
    for x in 0..buffer.area.width {
        let cell = &buffer[(x, y)];
        let _ = write!(out, "{}{:?}", cell.symbol(), cell.modifier);
    }
    out
}

#[test]
fn themes_differ_in_colours_alone() {
    for state in &STATES {
        let plain = rows(state, Palette::None, without_colour);
        for palette in [Palette::Dark, Palette::Light] {
            assert_eq!(rows(state, palette, without_colour), plain, "{}", state.0);
        }
    }
}

#[test]
fn no_state_is_told_by_colour_alone() {
    let none = Theme {
        palette: Palette::None,
        ..Theme::FULL
    };
    // Where these stand no sign of their own does, so that attributes must tell them apart.
    let states = [
        Role::Text,
        Role::Dim,
        Role::Title,
        Role::Focus,
        Role::Selected,
        Role::SelectedElsewhere,
        Role::Match,
        Role::Ghost,
    ];
    for (at, one) in states.iter().enumerate() {
        for other in &states[at + 1..] {
            assert_ne!(
                none.style(*one),
                none.style(*other),
                "{one:?} and {other:?}"
            );
        }
    }
    // A row's style lies over what stands in it: a match must be seen on the selected row too.
    let over = |role| none.style(role).patch(none.style(Role::Selected));
    assert_ne!(over(Role::Match), over(Role::Text));
    assert_ne!(over(Role::Match), over(Role::Title));
    // Failure and what is to be noticed stand out from text that is well.
    for role in [Role::Bad, Role::Notice] {
        assert_ne!(none.style(role), none.style(Role::Text), "{role:?}");
        assert_ne!(none.style(role), none.style(Role::Good), "{role:?}");
    }
}

/// The screen without colours after keys: signs and attributes.
fn plain(keys: &str) -> Vec<(String, Modifier)> {
    let screen = in_theme(triage(keys), Palette::None);
    let cells = screen.buffer().content().iter();
    cells
        .map(|cell| (cell.symbol().to_owned(), cell.modifier))
        .collect()
}

#[test]
fn where_the_focus_and_the_selection_are_is_seen_without_colour() {
    for (one, other) in [
        ("", "tab"),
        ("tab", "tab tab"),
        ("", "J"),
        ("1s", "2s"),
        ("1s L", "1s L l"),
        ("t", "t j"),
        (": o", ": o down"),
        ("1s L 3 enter esc", "1s esc"),
    ] {
        // Told in short: the screens themselves would fill pages.
        assert!(plain(one) != plain(other), "{one:?} and {other:?}");
    }
    let mut screen = in_theme(triage(""), Palette::None);
    let before = screen.buffer().clone();
    search(&mut screen, "by-level");
    screen.keys("tab tab");
    let has_match = |buffer: &Buffer| {
        let match_style = screen.app.theme.style(Role::Match).add_modifier;
        buffer
            .content()
            .iter()
            .any(|cell| cell.modifier.contains(match_style))
    };
    assert!(has_match(screen.buffer()) && !has_match(&before));
}
