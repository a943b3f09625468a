//! The other parts of a turn: result, input; and how the run ended.

use std::fmt::Write as _;
use std::ops::Range;

use super::{Form, calls, heading, nothing};
use crate::compression::Run;
use crate::step::{Conventions, Ending, Field, Input, Step, Turn};
use crate::tui::colours::{Code, languages};
use crate::tui::rows::Block;
use crate::tui::theme::Role;
use crate::tui::tree::Tree;
use crate::value::pretty::{fits_line, pretty};
use crate::value::{Value, type_label};

/// Columns that values are laid out for where no pane shows them: in searches and copies.
pub(super) const COLUMNS: usize = 76;

/// The whole result or error.
pub(super) fn result(turn: &Turn, form: Form) -> Vec<Block> {
    let has_failed = turn.failed();
    let title = if has_failed { "Error" } else { "Result" };
    let note = turn.result().note();
    let Some(value) = turn.result().get() else {
        return vec![nothing(title, note.unwrap_or("none"))];
    };
    let shown = Shown::of(turn.result(), value, form);
    let label = match (note, &shown) {
        (Some(note), _) => Some(note.to_owned()),
        (None, Shown::Tree(_)) => None,
        (None, Shown::Text(_)) => Some(type_label(value).into_owned()),
    };
    vec![match shown {
        Shown::Text(text) => {
            let role = if has_failed {
                Role::Bad
            } else {
                printed(value, &text, Role::Text)
            };
            let code = code(value, &text).filter(|_| !has_failed);
            let block = Block::plain(text, role).with_code(code.into_iter().collect());
            block.headed(heading(title, label.as_deref()))
        }
        Shown::Tree(value) => {
            let tree = Tree::new(title, Role::Title, &value);
            let block = Block::default().with_trees(vec![tree]);
            match label {
                Some(label) => block.headed(heading(title, Some(&label))),
                None => block,
            }
        }
    }]
}

/// The role of a value that is shown as text: a text as it is, or the beginning of it, keeps to the one
/// that it is told to have.
pub(super) fn printed(value: &Value, shown: &str, role: Role) -> Role {
    match value {
        Value::Str(text) if text.starts_with(shown) => role,
        Value::Str(_) => Role::String,
        _ => Role::Value,
    }
}

/// The code that a text is, as it is shown.
pub(super) fn code(value: &Value, shown: &str) -> Option<(Range<usize>, Code)> {
    let language = languages::of_text(None, None, value.as_str()?)?;
    Some((0..shown.len(), Code::new(language, shown)?))
}

/// A value as it is shown: as text where it is small, else as a tree that folds.
pub(super) enum Shown {
    /// Laid out; a text of several lines as it is.
    Text(String),
    /// As a tree.
    Tree(Value),
}

/// Columns and lines up to which a value is shown as text.
const SMALL: usize = COLUMNS * 24;

impl Shown {
    /// A recorded value. A preview and what a writer left of a value are its words, no string of the
    /// program's.
    pub(super) fn of(field: &Field<Value>, value: &Value, form: Form) -> Self {
        match (field, value) {
            (Field::Preview(_) | Field::Cut(_), Value::Str(text)) => Self::Text(text.to_string()),
            _ => Self::told(value, form),
        }
    }

    /// A value of a trace: a text that another tool wrote is no string of a program's.
    pub(super) fn told(value: &Value, form: Form) -> Self {
        match (form.conventions, value) {
            (Conventions::Foreign, Value::Str(text)) if !text.trim().is_empty() => {
                Self::Text(text.to_string())
            }
            _ => Self::value(value, form.columns),
        }
    }

    /// A value of the program's, laid out for so many columns.
    pub(super) fn value(value: &Value, columns: usize) -> Self {
        match value {
            Value::Str(text) if text.contains('\n') => Self::Text(text.to_string()),
            Value::Str(_) => Self::Text(pretty(value, columns)),
            _ if fits_line(value, SMALL) && !is_nested_text(value) => {
                Self::Text(pretty(value, columns))
            }
            _ => Self::Tree(value.clone()),
        }
    }
}

/// Whether a small value holds a text of several lines, which a tree shows line by line.
fn is_nested_text(value: &Value) -> bool {
    match value {
        Value::Str(text) => text.contains('\n'),
        Value::List(items) | Value::Tuple(items) => items.iter().any(is_nested_text),
        Value::Set(items) => items.iter().any(is_nested_text),
        Value::Map(entries) => entries.values().any(is_nested_text),
        _ => false,
    }
}

/// What came in before the turn; for the first, what the run began with.
pub(super) fn input(run: &Run, selected: usize, columns: usize) -> Vec<Block> {
    let step = run.step();
    let mut blocks = Vec::new();
    let arrived = match step.turns().get(selected) {
        Some(turn) => Input::apart(turn.input(), turn.inputs()),
        None => Input::apart(step.pending_input.as_ref(), &step.pending_inputs),
    };
    blocks.extend(arrived.into_iter().map(|input| {
        let head = heading("Input", input.note());
        Block::plain(input.text, Role::Text).headed(head).with_gap()
    }));
    if selected == 0 {
        begin(step, &mut blocks, columns);
    }
    if blocks.is_empty() {
        blocks.push(nothing("Input", "nothing came in before this turn"));
    }
    blocks
}

fn begin(step: &Step, blocks: &mut Vec<Block>, columns: usize) {
    let mut add = |title: &str, text: String| {
        if !text.is_empty() {
            let block = Block::plain(text, Role::Text);
            blocks.push(block.headed(heading(title, None)).with_gap());
        }
    };
    let text =
        |field: &Option<std::sync::Arc<str>>| field.as_deref().unwrap_or_default().to_owned();
    add("Mission", text(&step.mission));
    if step.mission_template != step.mission {
        add("Mission template", text(&step.mission_template));
    }
    add("Signature", text(&step.signature));
    let mut tools = String::new();
    for tool in crate::namespace::tool::sorted(&step.tools) {
        crate::namespace::tool::write_line(&mut tools, tool);
        if let Some(description) = &tool.description {
            let _ = write!(tools, "  ; {description}");
        }
        tools.push('\n');
    }
    add("Tools", tools);
    if !step.data.is_empty() {
        add("Data", pretty(&Value::map(step.data.clone()), columns));
    }
    add("System prompt", text(&step.system_prompt));
    // The requirements say what holds where their own formats are silent.
    if step.conventions == Conventions::Foreign {
        let missing = [
            (step.mission.is_none(), "Mission"),
            (step.tools.is_empty(), "Tools"),
            (step.system_prompt.is_none(), "System prompt"),
        ];
        let missing = missing.iter().filter(|(is_missing, _)| *is_missing);
        blocks.extend(missing.map(|(_, what)| nothing(what, "not recorded")));
    }
}

/// How the run ended, for the row behind the last turn.
pub(super) fn ending(step: &Step, form: Form) -> Vec<Block> {
    let mut blocks = Vec::new();
    match &step.ending {
        Ending::Return(value) => {
            let block = match Shown::told(value, form) {
                Shown::Text(text) => Block::plain(text, Role::Text),
                Shown::Tree(value) => {
                    let tree = Tree::new("Returned", Role::Title, &value);
                    Block::default().with_trees(vec![tree])
                }
            };
            blocks.push(block.headed(heading("The run returned", None)).with_gap());
        }
        Ending::Fail(failure) => {
            let reason = failure.reason.as_deref().unwrap_or("no reason recorded");
            let message = failure.message.as_deref().unwrap_or_default();
            let mut text = format!("{reason}\n{message}");
            if !failure.details.is_nil() {
                let _ = write!(text, "\n{}", pretty(&failure.details, form.columns));
            }
            let block = Block::plain(text.trim_end().to_owned(), Role::Bad);
            blocks.push(
                block
                    .headed(heading("The run failed", failure.op.as_deref()))
                    .with_gap(),
            );
        }
        Ending::Open => {
            blocks.push(nothing("End", "the trace records no result of the run").with_gap());
        }
    }
    if step
        .figures
        .as_map()
        .is_some_and(|figures| !figures.is_empty())
    {
        let block = Block::plain(pretty(&step.figures, form.columns), Role::Dim);
        // Other tools' files hold scores and prices as well.
        let title = match step.conventions {
            Conventions::Foreign => "What the file sums up",
            Conventions::Ptc => "Usage",
        };
        blocks.push(block.headed(heading(title, None)).with_gap());
    }
    blocks.extend(
        step.continued
            .as_deref()
            .map(|file| nothing("The run goes on in", file).with_gap()),
    );
    blocks.extend(calls::unmatched(step, form));
    blocks.extend(calls::loose_children(step));
    blocks
}
