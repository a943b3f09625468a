//! The table of commands: a row says all of one, and nothing else does.

use super::super::app::{App, Effect, OptionsRow, Overlay};
use super::super::export;
use super::super::external::{self, Program};
use super::super::folding;
use super::super::line::{self, Edit};
use super::super::pane::palette::Palette;
use super::super::search::Input;
use super::super::{
    actions, diff, entries, figures, folder, mouse, needs, origin, page, pane, problems, reading,
    redaction, two_runs, what_if,
};
use super::{Command, Context, Where};

const PANES: Where = Where(&[Context::Turns, Context::Turn, Context::Prompt]);
const LIST: Where = Where(&[Context::Turns]);
const TEXT: Where = Where(&[Context::Turn, Context::Prompt]);
const SCROLLED: Where = Where(&[Context::Turn, Context::Prompt, Context::Help, Context::Diff]);
const PAGED: Where = Where(&[
    Context::Turns,
    Context::Turn,
    Context::Prompt,
    Context::Help,
    Context::Diff,
]);
const TURNED: Where = Where(&[
    Context::Turns,
    Context::Turn,
    Context::Prompt,
    Context::Diff,
]);
const OPTIONS: Where = Where(&[Context::Options]);
const CHOSEN: Where = Where(&[Context::Palette, Context::Picker]);
const PICKER: Where = Where(&[Context::Picker]);
const LISTED: Where = Where(&[Context::Picker, Context::Needs, Context::Overview]);
const SEARCH: Where = Where(&[Context::Search]);
const FOLDER: Where = Where(&[Context::Folder]);
const NAME: Where = Where(&[Context::Name]);
const LINE: Where = Where(&[
    Context::Palette,
    Context::Search,
    Context::Filter,
    Context::Name,
]);
const FILTER: Where = Where(&[Context::Filter]);
const DIFF: Where = Where(&[Context::Diff]);
const NEEDS: Where = Where(&[Context::Needs]);
const OVERVIEW: Where = Where(&[Context::Overview]);
const SHOWN: Where = Where(&[
    Context::Turns,
    Context::Turn,
    Context::Prompt,
    Context::Overview,
]);
const OVERLAYS: Where = Where(&[
    Context::Diff,
    Context::Needs,
    Context::Overview,
    Context::Help,
    Context::Palette,
    Context::Picker,
    Context::Search,
]);
/// Where `?` is no letter that is typed, and there is something to explain.
const EXPLAINED: Where = Where(&[
    Context::Folder,
    Context::Turns,
    Context::Turn,
    Context::Prompt,
    Context::Options,
    Context::Picker,
    Context::Overview,
    Context::Needs,
    Context::Diff,
]);
const HELPED: Where = Where(&[
    Context::Folder,
    Context::Turns,
    Context::Turn,
    Context::Prompt,
    Context::Options,
]);

/// Does something that has no effect outside.
macro_rules! quietly {
    ($action:expr) => {
        |app: &mut App, count: Option<usize>| {
            #[allow(clippy::redundant_closure_call)]
            ($action)(app, count);
            None
        }
    };
}

/// All commands. Their order is the order of the footer, the help and the key table.
pub static COMMANDS: &[Command] = &[
    // Moving.
    Command::new(
        "next-turn",
        &["J"],
        TURNED,
        "Select the next turn, from any pane",
        quietly!(|app, count| actions::move_turn(app, 1, count)),
    )
    .hint("J K", "turn"),
    Command::new(
        "previous-turn",
        &["K"],
        TURNED,
        "Select the turn before, from any pane",
        quietly!(|app, count| actions::move_turn(app, -1, count)),
    ),
    Command::new(
        "down",
        &["j", "down"],
        LIST,
        "Select the row below",
        quietly!(|app, count| actions::move_turn(app, 1, count)),
    ),
    Command::new(
        "up",
        &["k", "up"],
        LIST,
        "Select the row above",
        quietly!(|app, count| actions::move_turn(app, -1, count)),
    ),
    Command::new(
        "scroll-down",
        &["j", "down"],
        SCROLLED,
        "Scroll down by a row",
        quietly!(|app, count| actions::scroll(app, 1, count)),
    )
    .hint("j k", "scroll"),
    Command::new(
        "scroll-up",
        &["k", "up"],
        SCROLLED,
        "Scroll up by a row",
        quietly!(|app, count| actions::scroll(app, -1, count)),
    ),
    Command::new(
        "half-page-down",
        &["ctrl-d"],
        PAGED,
        "Go down by half a page",
        quietly!(|app, count| actions::halves(app, 1, count)),
    ),
    Command::new(
        "half-page-up",
        &["ctrl-u"],
        PAGED,
        "Go up by half a page",
        quietly!(|app, count| actions::halves(app, -1, count)),
    ),
    Command::new(
        "page-down",
        &["pgdn", "ctrl-f"],
        PAGED,
        "Go down by a page",
        quietly!(|app, count| actions::halves(app, 2, count)),
    ),
    Command::new(
        "page-up",
        &["pgup", "ctrl-b"],
        PAGED,
        "Go up by a page",
        quietly!(|app, count| actions::halves(app, -2, count)),
    ),
    Command::new(
        "first",
        &["g", "home"],
        PAGED,
        "Go to the start; in the list with a count to that turn",
        quietly!(actions::to_start),
    ),
    Command::new(
        "last",
        &["G", "end"],
        PAGED,
        "Go to the end; in the list with a count to that turn",
        quietly!(actions::to_end),
    ),
    Command::new(
        "right",
        &["l", "right"],
        TEXT,
        "Unfold at the cursor, or go inside; scroll to the right where lines aren't wrapped",
        quietly!(|app, count| actions::sideways(app, 8, count)),
    )
    .when(|app| !actions::is_wrapped(app) || folding::steps(app)),
    Command::new(
        "left",
        &["h", "left"],
        TEXT,
        "Fold at the cursor, then what that is in; scroll to the left where lines aren't wrapped",
        quietly!(|app, count| actions::sideways(app, -8, count)),
    )
    .when(|app| !actions::is_wrapped(app) || folding::steps(app)),
    Command::new(
        "next-pane",
        &["tab"],
        PANES,
        "Go to the next pane",
        quietly!(|app: &mut App, _| actions::move_focus(app, 1)),
    )
    .hint("tab", "pane"),
    Command::new(
        "previous-pane",
        &["shift-tab"],
        PANES,
        "Go to the pane before",
        quietly!(|app: &mut App, _| actions::move_focus(app, -1)),
    ),
    Command::new(
        "next-tab",
        &[">"],
        PANES,
        "Turn pane: program, raw, result, tools, memory, input",
        quietly!(|app, count| actions::move_tab(app, 1, count)),
    )
    .when(|app| !app.document().compares()),
    Command::new(
        "previous-tab",
        &["<"],
        PANES,
        "Turn pane: the sub-tab before",
        quietly!(|app, count| actions::move_tab(app, -1, count)),
    )
    .hint("< >", "part")
    .when(|app| !app.document().compares()),
    // The lens.
    Command::new(
        "next-strategy",
        &["s"],
        SHOWN,
        "Show the prompt under the next strategy; 3s under the third",
        quietly!(|app, count| actions::cycle(app, 1, count)),
    )
    .hint("s S", "strategy"),
    Command::new(
        "previous-strategy",
        &["S"],
        SHOWN,
        "Show the prompt under the strategy before",
        quietly!(|app, count| actions::cycle(app, -1, count)),
    ),
    Command::new(
        "recorded",
        &["0"],
        PANES,
        "Show the prompt that was really sent",
        quietly!(|app: &mut App, _| app
            .document_mut()
            .lens_mut()
            .choose(super::super::lens::Shown::Recorded)),
    )
    .when(|app| app.document().lens().has_recorded()),
    Command::new(
        "last-two",
        &["`"],
        PANES,
        "Show what was shown before, and back",
        quietly!(|app: &mut App, _| app.document_mut().lens_mut().back()),
    ),
    Command::new(
        "pick-strategy",
        &["t"],
        PANES,
        "Choose what to show from a list",
        quietly!(|app: &mut App, _| figures::open_picker(app)),
    ),
    Command::new(
        "options",
        &["L"],
        PANES,
        "Go to the options of the strategy",
        quietly!(|app: &mut App, _| app.options = Some(OptionsRow::default())),
    )
    .hint("L", "options")
    .when(|app| app.document().lens().case().is_some()),
    Command::new(
        "summary-style",
        &["x"],
        PANES,
        "Change the style of summaries",
        quietly!(|app: &mut App, _| actions::toggle_style(app)),
    )
    .when(|app| app.document().lens().case().is_some()),
    Command::new(
        "compare",
        &["c"],
        PANES,
        "Put a second prompt beside the first, to compare them, or take it away",
        quietly!(|app: &mut App, _| actions::toggle_compare(app)),
    )
    .hint("c", "compare"),
    Command::new(
        "diff",
        &["d"],
        PANES,
        "Show what differs from the turn before, or the prompt beside it; 3d: 3 back",
        quietly!(diff::open),
    )
    .hint("d", "diff"),
    Command::new(
        "left-out",
        &["v"],
        PANES,
        "Show what was left out in its place, with the reason, or no longer",
        quietly!(|app: &mut App, _| actions::toggle_left_out(app)),
    )
    .hint("v", "left out")
    .when(|app| app.document().lens().case().is_some()),
    Command::new(
        "origin",
        &["o"],
        TEXT,
        "Go from the line at the cursor to what it comes from, and back; 5o: row 5",
        quietly!(|app: &mut App, count| origin::jump(app, count)),
    )
    .hint("o", "origin"),
    Command::new(
        "turn-in-prompt",
        &["o"],
        LIST,
        "Go to where the turn stands in the prompt that follows it, or is missing, with the reason",
        quietly!(|app: &mut App, count| origin::from_list(app, count)),
    ),
    Command::new(
        "needs",
        &["u"],
        PANES,
        "List what the turn needed of earlier ones, and how much of it the prompt shows",
        quietly!(|app: &mut App, _| needs::open(app)),
    )
    .hint("u", "needs"),
    Command::new(
        "overview",
        &["i"],
        PANES,
        "Show the run, a row a turn: tokens, what is cached and lost, problems",
        quietly!(|app: &mut App, _| figures::open_overview(app)),
    )
    .hint("i", "overview"),
    Command::new(
        "before-or-after",
        &["p"],
        PANES,
        "Show the prompt that follows the selected turn, or the one that produced it",
        quietly!(|app: &mut App, _| actions::toggle_side(app)),
    ),
    // Finding.
    Command::new(
        "search",
        &["/"],
        PANES,
        "Search the turns; in the prompt pane, the prompts",
        quietly!(|app: &mut App, _| app.overlay = Some(Overlay::Search(Input::default()))),
    )
    .hint("/", "search"),
    Command::new(
        "next-match",
        &["n"],
        PANES,
        "Go to the next match, across turns",
        quietly!(|app: &mut App, count| actions::go_to_match(app, 1, count)),
    )
    .when(|app| app.document().search.is_some()),
    Command::new(
        "previous-match",
        &["N"],
        PANES,
        "Go to the match before",
        quietly!(|app: &mut App, count| actions::go_to_match(app, -1, count)),
    )
    .when(|app| app.document().search.is_some()),
    Command::new(
        "start-search",
        &["enter"],
        SEARCH,
        "Search for what is typed; for nothing, end the search",
        quietly!(|app: &mut App, _| actions::search(app)),
    )
    .hint("enter", "search"),
    Command::new(
        "toggle-regex",
        &["ctrl-r"],
        SEARCH,
        "Take what is typed as a regular expression, or as words",
        quietly!(|app: &mut App, _| actions::toggle_regex(app)),
    )
    .hint("ctrl-r", "regex"),
    Command::new(
        "next-problem",
        &["e"],
        PANES,
        "Go to the next turn in which something went wrong",
        quietly!(|app: &mut App, _| app.go_to_problem()),
    )
    .hint("e", "problem"),
    Command::new(
        "problems",
        &["E"],
        PANES,
        "List everything that went wrong, and what of the file was not understood",
        quietly!(|app: &mut App, _| {
            app.ask_for_problems();
            app.overlay = Some(Overlay::Problems(0));
        }),
    ),
    Command::new(
        "what-if",
        &["r"],
        PANES,
        "Change this turn and see what follows on recorded answers; keep, export or discard the fork",
        quietly!(|app: &mut App, _| what_if::open(app)),
    ),
    Command::new(
        "fold",
        &["space"],
        TEXT,
        "Fold or unfold the section, item or message at the cursor; 3: the third",
        quietly!(folding::toggle),
    ),
    Command::new(
        "fold-all",
        &["Z"],
        TEXT,
        "Fold everything in the pane, or unfold it",
        quietly!(|app: &mut App, _| folding::toggle_all(app)),
    ),
    Command::new(
        "mark",
        &["m"],
        PANES,
        "Mark this place",
        quietly!(|app: &mut App, _| {
            app.set_mark();
            app.message = Some(format!("marked; {} comes back here", app.key_of("to-mark")));
        }),
    ),
    Command::new(
        "to-mark",
        &["'"],
        PANES,
        "Go to the marked place",
        quietly!(|app: &mut App, _| {
            if !app.go_to_mark() {
                app.message = Some(format!("no place is marked; {} marks one", app.key_of("mark")));
            }
        }),
    ),
    Command::new(
        "previous-place",
        &["ctrl-o"],
        PANES,
        "Go back to where the last jump began",
        quietly!(|app: &mut App, _| {
            if !app.go_back() {
                app.message = Some("there was no jump".to_owned());
            }
        }),
    ),
    // The options row.
    Command::new(
        "next-option",
        &["l", "right", "tab"],
        OPTIONS,
        "Choose the next option",
        quietly!(|app, count| actions::move_option(app, 1, count)),
    )
    .hint("h l", "choose"),
    Command::new(
        "previous-option",
        &["h", "left", "shift-tab"],
        OPTIONS,
        "Choose the option before",
        quietly!(|app, count| actions::move_option(app, -1, count)),
    ),
    Command::new(
        "more",
        &["+", "=", "up", "k"],
        OPTIONS,
        "One more, or the next value",
        quietly!(|app: &mut App, _| actions::change_option(app, 1)),
    )
    .hint("+", "more"),
    Command::new(
        "less",
        &["-", "down", "j"],
        OPTIONS,
        "One less, or the value before",
        quietly!(|app: &mut App, _| actions::change_option(app, -1)),
    )
    .hint("-", "less"),
    Command::new(
        "set-option",
        &["enter"],
        OPTIONS,
        "Set the option to the number typed; without one, to its default",
        quietly!(|app: &mut App, _| actions::set_option(app)),
    )
    .hint("0-9 enter", "set"),
    Command::new(
        "undo-option",
        &["u"],
        OPTIONS,
        "Take back the last change",
        quietly!(|app: &mut App, _| actions::undo_option(app)),
    )
    .hint("u", "undo"),
    Command::new(
        "leave-options",
        &["esc", "L", "q"],
        OPTIONS,
        "Go back to the pane",
        quietly!(|app: &mut App, _| app.options = None),
    )
    .hint("esc", "back"),
    // The palette and the picker.
    Command::new(
        "choose",
        &["enter"],
        CHOSEN,
        "Take the selected entry",
        actions::choose,
    )
    .hint("enter", "take"),
    Command::new(
        "next-entry",
        &["down", "ctrl-n"],
        CHOSEN,
        "Select the entry below",
        quietly!(|app, count| entries::move_by(app, 1, count)),
    )
    .hint("↑ ↓", "select"),
    Command::new(
        "previous-entry",
        &["up", "ctrl-p"],
        CHOSEN,
        "Select the entry above",
        quietly!(|app, count| entries::move_by(app, -1, count)),
    ),
    Command::new(
        "entry-below",
        &["j"],
        PICKER,
        "Select the entry below",
        quietly!(|app, count| entries::move_by(app, 1, count)),
    ),
    Command::new(
        "entry-above",
        &["k"],
        PICKER,
        "Select the entry above",
        quietly!(|app, count| entries::move_by(app, -1, count)),
    ),
    Command::new(
        "entries-down",
        &["ctrl-d", "pgdn"],
        LISTED,
        "Go down by half a page",
        quietly!(|app, count| entries::halves(app, 1, count)),
    ),
    Command::new(
        "entries-up",
        &["ctrl-u", "pgup"],
        LISTED,
        "Go up by half a page",
        quietly!(|app, count| entries::halves(app, -1, count)),
    ),
    Command::new(
        "first-entry",
        &["g", "home"],
        LISTED,
        "Select the first entry, with a count the one of that number",
        quietly!(entries::to_start),
    ),
    Command::new(
        "last-entry",
        &["G", "end"],
        LISTED,
        "Select the last entry, with a count the one of that number",
        quietly!(entries::to_end),
    ),
    Command::new(
        "whole-entry",
        &["space", "w"],
        PICKER,
        "Show the whole of what its row has the beginning of",
        quietly!(|app: &mut App, _| problems::show_whole(app)),
    )
    .hint("space", "whole")
    .when(|app| matches!(app.overlay, Some(Overlay::Problems(_)))),
    // A line that is typed.
    Command::new(
        "erase",
        &["backspace"],
        LINE,
        "Erase the character before the cursor; leave an empty line",
        quietly!(|app: &mut App, _| line::edit(app, Edit::Erase)),
    ),
    Command::new(
        "delete",
        &["delete", "ctrl-d"],
        LINE,
        "Erase the character at the cursor",
        quietly!(|app: &mut App, _| line::edit(app, Edit::Delete)),
    ),
    Command::new(
        "erase-word",
        &["ctrl-w"],
        LINE,
        "Erase the word before the cursor",
        quietly!(|app: &mut App, _| line::edit(app, Edit::EraseWord)),
    ),
    Command::new(
        "erase-before",
        &["ctrl-u"],
        LINE,
        "Erase everything before the cursor",
        quietly!(|app: &mut App, _| line::edit(app, Edit::EraseBefore)),
    ),
    Command::new(
        "cursor-left",
        &["left", "ctrl-b"],
        LINE,
        "Move the cursor to the left",
        quietly!(|app: &mut App, _| line::edit(app, Edit::Left)),
    ),
    Command::new(
        "cursor-right",
        &["right", "ctrl-f"],
        LINE,
        "Move the cursor to the right",
        quietly!(|app: &mut App, _| line::edit(app, Edit::Right)),
    ),
    Command::new(
        "cursor-start",
        &["home", "ctrl-a"],
        LINE,
        "Move the cursor to the start of the line",
        quietly!(|app: &mut App, _| line::edit(app, Edit::Start)),
    ),
    Command::new(
        "cursor-end",
        &["end", "ctrl-e"],
        LINE,
        "Move the cursor to the end of the line",
        quietly!(|app: &mut App, _| line::edit(app, Edit::End)),
    ),
    // A folder.
    Command::new(
        "open-trace",
        &["enter", "l", "right"],
        FOLDER,
        "Open the trace",
        folder::open,
    )
    .hint("enter", "open"),
    Command::new(
        "trace-below",
        &["j", "down", "J"],
        FOLDER,
        "Select the trace below",
        quietly!(|app, count| folder::move_row(app, 1, count)),
    ),
    Command::new(
        "trace-above",
        &["k", "up", "K"],
        FOLDER,
        "Select the trace above",
        quietly!(|app, count| folder::move_row(app, -1, count)),
    ),
    Command::new(
        "traces-down",
        &["ctrl-d"],
        FOLDER,
        "Go down by half a page",
        quietly!(|app, count| folder::move_halves(app, 1, count)),
    ),
    Command::new(
        "traces-up",
        &["ctrl-u"],
        FOLDER,
        "Go up by half a page",
        quietly!(|app, count| folder::move_halves(app, -1, count)),
    ),
    Command::new(
        "traces-page-down",
        &["pgdn", "ctrl-f"],
        FOLDER,
        "Go down by a page",
        quietly!(|app, count| folder::move_halves(app, 2, count)),
    ),
    Command::new(
        "traces-page-up",
        &["pgup", "ctrl-b"],
        FOLDER,
        "Go up by a page",
        quietly!(|app, count| folder::move_halves(app, -2, count)),
    ),
    Command::new(
        "first-trace",
        &["g", "home"],
        FOLDER,
        "Select the first trace, with a count the one of that number",
        quietly!(folder::to_first),
    ),
    Command::new(
        "last-trace",
        &["G", "end"],
        FOLDER,
        "Select the last trace, with a count the one of that number",
        quietly!(folder::to_last),
    ),
    Command::new(
        "filter",
        &["/"],
        FOLDER,
        "Show only traces with these words in name, mission or format",
        quietly!(|app: &mut App, _| folder::start_filter(app)),
    )
    .hint("/", "filter"),
    Command::new(
        "sort",
        &["s"],
        FOLDER,
        "Sort by time, name, turns, errors, tokens, size, time taken",
        quietly!(|app: &mut App, _| folder::change_sort(app, 1)),
    )
    .hint("s S", "sort"),
    Command::new(
        "sort-back",
        &["S"],
        FOLDER,
        "Sort by what comes before",
        quietly!(|app: &mut App, _| folder::change_sort(app, -1)),
    ),
    Command::new(
        "next-bad-trace",
        &["e"],
        FOLDER,
        "Select the next trace with errors or damage",
        quietly!(|app: &mut App, _| folder::next_problem(app)),
    )
    .hint("e", "problem"),
    Command::new(
        "leave-filter",
        &["esc"],
        FOLDER,
        "Stop opening a trace; else take the filter away",
        quietly!(|app: &mut App, _| folder::back(app)),
    ),
    Command::new(
        "keep-filter",
        &["enter", "down"],
        FILTER,
        "Keep the filter and go to the list",
        quietly!(|app: &mut App, _| app.overlay = None),
    )
    .hint("enter", "keep"),
    Command::new(
        "end-filter",
        &["esc"],
        FILTER,
        "Take the filter away",
        quietly!(|app: &mut App, _| folder::end_filter(app)),
    )
    .hint("esc", "all"),
    // Doing.
    Command::new(
        "open",
        &["enter"],
        Where(&[Context::Turns, Context::Turn]),
        "Open a call's run, 2 enter the turn's second one; else what is at the cursor, or the turn",
        quietly!(actions::open),
    ),
    Command::new(
        "back",
        &["esc"],
        PANES,
        "End the search, cancel what-if, leave the whole screen, an opened item, a child run, a long reading, the pane",
        quietly!(|app: &mut App, _| actions::back(app)),
    ),
    Command::new(
        "next-conversation",
        &[")"],
        PANES,
        "Open the next conversation of the file",
        quietly!(|app, count| actions::move_conversation(app, 1, count)),
    )
    .hint(")", "conversation")
    .when(|app| app.conversations.len() > 1),
    Command::new(
        "previous-conversation",
        &["("],
        PANES,
        "Open the conversation before",
        quietly!(|app, count| actions::move_conversation(app, -1, count)),
    )
    .when(|app| app.conversations.len() > 1),
    Command::new(
        "zoom",
        &["z"],
        PANES,
        "Give the pane the whole screen, or share it again",
        quietly!(|app: &mut App, _| app.zoomed = !app.zoomed),
    )
    .hint("z", "zoom"),
    Command::new(
        "wrap",
        &["w"],
        PANES,
        "Wrap long lines, or no longer",
        quietly!(|app: &mut App, _| actions::toggle_wrap(app)),
    ),
    Command::new(
        "redact",
        &["R"],
        Where(&[
            Context::Turns,
            Context::Turn,
            Context::Prompt,
            Context::Folder,
            Context::Picker,
            Context::Overview,
            Context::Needs,
            Context::Diff,
        ]),
        "Hide secrets on the screen and in copies, or show them again",
        quietly!(|app: &mut App, _| redaction::toggle(app)),
    ),
    Command::new(
        "follow",
        &["F"],
        PANES,
        "Keep to the last turn while the file grows, until a key moves the selection",
        quietly!(|app: &mut App, _| actions::toggle_follow(app)),
    )
    .when(|app| app.watch.is_some()),
    Command::new(
        "read-rest",
        &["f"],
        PANES,
        "Read no more of a file that takes long, or read the rest after all",
        quietly!(|app: &mut App, _| reading::toggle(app)),
    )
    .when(reading::has_rest),
    Command::new(
        "leave-reading",
        &["esc", "f"],
        Where(&[Context::Reading]),
        "Read no more, and show what was read",
        quietly!(|app: &mut App, _| reading::leave(app)),
    )
    .hint("esc", "show what was read"),
    Command::new(
        "copy-item",
        &["yy"],
        PANES,
        "Copy what is at the cursor, the part of the turn that is shown, the prompt's message",
        actions::copy_item,
    )
    .hint("yy", "copy"),
    Command::new(
        "copy-pane",
        &["yp"],
        PANES,
        "Copy the whole text of the pane",
        actions::copy_pane,
    ),
    Command::new(
        "copy-prompt-text",
        &["yt"],
        PANES,
        "Copy the prompt as text",
        actions::copy_prompt_text,
    ),
    Command::new(
        "copy-prompt-json",
        &["yj"],
        PANES,
        "Copy the prompt as JSON",
        actions::copy_prompt_json,
    ),
    Command::new(
        "export",
        &["X"],
        PANES,
        "Write the pane, the prompt or the run to a file, without secrets unless they are wanted",
        quietly!(|app: &mut App, _| export::open(app)),
    ),
    Command::new(
        "write-file",
        &["enter"],
        NAME,
        "Write the file of this name; one that is there already stays as it is",
        |app, _| export::accept(app),
    )
    .hint("enter", "write"),
    Command::new(
        "end-naming",
        &["esc"],
        NAME,
        "Go back to the list of what can be written",
        quietly!(|app: &mut App, _| export::stop_naming(app)),
    )
    .hint("esc", "back"),
    Command::new(
        "editor",
        &["V"],
        PANES,
        "Open the whole text of the pane in $VISUAL or $EDITOR, to read it",
        |app, _| external::open_pane(app, Program::Editor),
    ),
    Command::new(
        "pager",
        &["P"],
        PANES,
        "Open the whole text of the pane in $PAGER",
        |app, _| external::open_pane(app, Program::Pager),
    ),
    Command::new(
        "palette",
        &[":"],
        HELPED,
        "Find a command by its name; :12 goes to turn 12",
        quietly!(
            |app: &mut App, _| app.overlay = Some(Overlay::Palette(Palette::new(app.context())))
        ),
    )
    .hint(":", "commands"),
    Command::new(
        "need-source",
        &["enter"],
        NEEDS,
        "Go to where this was: the turn and the item",
        quietly!(|app: &mut App, _| needs::go_to_source(app)),
    )
    .hint("enter", "where it was"),
    Command::new(
        "need-prompt",
        &["o", "v"],
        NEEDS,
        "Go to where this stands in the prompt, or is missing, with the reason",
        quietly!(|app: &mut App, _| needs::go_to_prompt(app)),
    )
    .hint("o", "in the prompt"),
    Command::new(
        "need-below",
        &["j", "down"],
        NEEDS,
        "Select the entry below",
        quietly!(|app, count| entries::move_by(app, 1, count)),
    )
    .hint("j k", "select"),
    Command::new(
        "need-above",
        &["k", "up"],
        NEEDS,
        "Select the entry above",
        quietly!(|app, count| entries::move_by(app, -1, count)),
    ),
    Command::new(
        "overview-turn",
        &["enter"],
        OVERVIEW,
        "Go to the selected turn",
        quietly!(|app: &mut App, _| figures::take_turn(app)),
    )
    .hint("enter", "go"),
    Command::new(
        "two-runs",
        &["f"],
        OVERVIEW,
        "List all that can be told of the two runs that are shown side by side",
        quietly!(|app: &mut App, _| two_runs::open(app)),
    )
    .hint("f", "facts")
    .when(|app| app.document().beside.is_some()),
    Command::new(
        "overview-down",
        &["j", "down", "J"],
        OVERVIEW,
        "Select the turn below",
        quietly!(|app, count| figures::move_turn(app, 1, count)),
    )
    .hint("j k", "select"),
    Command::new(
        "overview-up",
        &["k", "up", "K"],
        OVERVIEW,
        "Select the turn above",
        quietly!(|app, count| figures::move_turn(app, -1, count)),
    ),
    Command::new(
        "diff-next",
        &["n"],
        DIFF,
        "Go to the next change; after a search, to the next match",
        quietly!(|app, count| diff::searching::next(app, 1, count)),
    )
    .hint("n", "next"),
    Command::new(
        "diff-previous",
        &["N"],
        DIFF,
        "Go to the change before; after a search, to the match before",
        quietly!(|app, count| diff::searching::next(app, -1, count)),
    ),
    Command::new(
        "diff-next-change",
        &["]"],
        DIFF,
        "Go to the next change",
        quietly!(|app, count| diff::move_change(app, 1, count)),
    ),
    Command::new(
        "diff-previous-change",
        &["["],
        DIFF,
        "Go to the change before",
        quietly!(|app, count| diff::move_change(app, -1, count)),
    ),
    Command::new(
        "diff-search",
        &["/"],
        DIFF,
        "Search the diff, folded lines too",
        quietly!(|app: &mut App, _| diff::searching::open(app)),
    )
    .hint("/", "search"),
    Command::new(
        "diff-with-next",
        &["s"],
        DIFF,
        "Compare with the next: beside it, turn before, mark, recorded, strategies",
        quietly!(|app, count| diff::cycle(app, 1, count)),
    )
    .hint("s", "against"),
    Command::new(
        "diff-fold",
        &["space"],
        DIFF,
        "Unfold the first unchanged stretch in view, with a count the one of that number, or fold it",
        quietly!(diff::toggle_fold),
    )
    .hint("space", "unfold"),
    Command::new(
        "diff-fold-all",
        &["Z"],
        DIFF,
        "Unfold all unchanged stretches, or fold them",
        quietly!(|app: &mut App, _| diff::toggle_folds(app)),
    )
    .hint("Z", "all"),
    Command::new(
        "diff-with-previous",
        &["S"],
        DIFF,
        "Compare with the one before",
        quietly!(|app, count| diff::cycle(app, -1, count)),
    ),
    Command::new(
        "diff-with-earlier",
        &["d"],
        DIFF,
        "Compare with the prompt of the turn before; 3d with that of three turns before",
        quietly!(diff::earlier),
    ),
    Command::new(
        "diff-with-recorded",
        &["0"],
        DIFF,
        "Compare with the prompt that was really sent",
        quietly!(|app: &mut App, _| diff::recorded(app)),
    ),
    Command::new(
        "diff-with-mark",
        &["'"],
        DIFF,
        "Compare with the prompt of the marked place",
        quietly!(|app: &mut App, _| diff::marked(app)),
    ),
    Command::new(
        "diff-wrap",
        &["w"],
        DIFF,
        "Wrap long lines, or no longer",
        quietly!(|app: &mut App, _| diff::toggle_wrap(app)),
    ),
    Command::new(
        "diff-right",
        &["l", "right"],
        DIFF,
        "Scroll to the right where lines aren't wrapped",
        quietly!(|app, count| diff::sideways(app, 8, count)),
    )
    .when(|app| !diff::is_wrapped(app)),
    Command::new(
        "diff-left",
        &["h", "left"],
        DIFF,
        "Scroll to the left where lines aren't wrapped",
        quietly!(|app, count| diff::sideways(app, -8, count)),
    )
    .when(|app| !diff::is_wrapped(app)),
    Command::new(
        "diff-copy",
        &["yy", "yp"],
        DIFF,
        "Copy the whole diff",
        |app, _| diff::copy(app),
    ),
    Command::new(
        "help",
        &["?"],
        EXPLAINED,
        "List the keys that work here",
        quietly!(|app: &mut App, _| {
            let view = pane::help::view(app);
            page::open(app, "Help", view);
        }),
    )
    .hint("?", "help"),
    Command::new(
        "close",
        &["esc"],
        OVERLAYS,
        "Close this; in a diff, end a search first",
        quietly!(|app: &mut App, _| {
            if !diff::searching::leave(app) {
                page::close(app);
            }
        }),
    )
    .hint("esc", "close"),
    Command::new(
        "close-list",
        &["q"],
        Where(&[
            Context::Help,
            Context::Picker,
            Context::Overview,
            Context::Needs,
            Context::Diff,
        ]),
        "Close this",
        quietly!(|app: &mut App, _| page::close(app)),
    ),
    Command::new(
        "close-help",
        &["?", "enter"],
        Where(&[Context::Help]),
        "Go back to what it lies over",
        quietly!(|app: &mut App, _| page::close(app)),
    ),
    Command::new(
        "wrap-text",
        &["w"],
        Where(&[Context::Help]),
        "Wrap long lines, or no longer",
        quietly!(|app: &mut App, _| page::toggle_wrap(app)),
    ),
    Command::new(
        "mouse",
        &["M"],
        Where(&[
            Context::Turns,
            Context::Turn,
            Context::Prompt,
            Context::Folder,
        ]),
        "Take the mouse for clicks and the wheel, or leave it to the terminal",
        quietly!(|app: &mut App, _| mouse::toggle(app)),
    ),
    Command::new(
        "suspend",
        &["ctrl-z"],
        Where(&Context::ALL),
        "Stop until the shell's fg brings turnscope back",
        |_, _| Some(Effect::Suspend),
    )
    .when(|_| cfg!(unix)),
    Command::new(
        "quit",
        &["q"],
        Where(&[
            Context::Turns,
            Context::Turn,
            Context::Prompt,
            Context::Folder,
            Context::Reading,
        ]),
        "Leave turnscope",
        |_, _| Some(Effect::Quit),
    )
    .hint("q", "quit"),
    Command::new(
        "leave",
        &["ctrl-c"],
        Where(&Context::ALL),
        "Leave turnscope, from anywhere",
        |_, _| Some(Effect::Quit),
    ),
];
