//! What belongs to a call: its code and other arguments, and how it ended.

use std::fmt::Write as _;

use super::Form;
use super::parts::{self, Shown};
use crate::step::{Told, ToolCall};
use crate::tui::colours::Code;
use crate::tui::rows::{Block, Stretch};
use crate::tui::theme::Role;
use crate::tui::tree::Tree;
use crate::value::Value;

/// Columns that an item's text is indented by, and those of the sign before it.
const INDENT: usize = 4;

/// How a call ended.
pub(super) enum Outcome<'a> {
    Failed(&'a Value),
    Answered(&'a Value),
    /// Without a result, and what is known of it.
    Open(&'static str),
}

/// A part of a call, laid out.
struct Part {
    sign: &'static str,
    role: Role,
    shown: Shown,
    value: Value,
    is_code: bool,
    /// The code's language, where its name tells.
    language: Option<&'static str>,
}

impl Part {
    fn new(sign: &'static str, role: Role, told: &Told<'_>, form: Form) -> Self {
        let (shown, language) = match told {
            Told::Code(text, language) => (Shown::Text(text.to_string()), *language),
            Told::Text(text) => (Shown::Text(text.to_string()), None),
            Told::Value(value) => (Shown::value(value, form.columns), None),
        };
        Self {
            sign,
            role,
            shown,
            value: told.value().into_owned(),
            is_code: matches!(told, Told::Code(..)),
            language,
        }
    }

    /// A result; a preview is no string of the program's.
    fn of_result(call: &ToolCall, result: &Value, form: Form) -> Self {
        let told = call.told_answer(result, form.conventions);
        let mut part = Self::new("→", Role::Text, &told, form);
        if matches!(told, Told::Value(_)) {
            part.shown = Shown::of(&call.result, result, form);
        }
        part
    }

    fn tree(&self) -> Tree {
        let label = match (self.sign, self.is_code) {
            ("", true) => "code",
            ("", false) => "args",
            (sign, _) => sign,
        };
        Tree::new(label.to_owned(), self.role, &self.value)
    }
}

/// Arguments, then the error or the result. Where one is large they are trees.
pub(super) fn body(call: &ToolCall, outcome: &Outcome<'_>, form: Form) -> Block {
    let form = form.indented(INDENT);
    let args = call.told_args(form.conventions);
    // A result of no call has no arguments.
    let args = args
        .iter()
        .map(|told| Part::new("", Role::Call, told, form));
    let mut parts: Vec<Part> = args.collect();
    let mut note = None;
    match *outcome {
        Outcome::Failed(error) => {
            let told = call.told_answer(error, form.conventions);
            parts.push(Part::new("✗", Role::Bad, &told, form));
            if let Some(result) = call.result.get().filter(|result| !result.is_nil()) {
                parts.push(Part::of_result(call, result, form));
            }
        }
        Outcome::Answered(result) => parts.push(Part::of_result(call, result, form)),
        Outcome::Open(why) => note = Some(why),
    }
    if parts
        .iter()
        .any(|part| matches!(part.shown, Shown::Tree(_)))
    {
        let mut trees: Vec<Tree> = parts.iter().map(Part::tree).collect();
        if let Some(why) = note {
            trees.push(Tree::new(format!("→ {why}"), Role::Notice, &Value::Nil));
        }
        return Block::default().with_trees(trees);
    }
    let mut text = String::new();
    let mut stretches = Vec::new();
    let mut places = Vec::new();
    let mut add = |sign: &str, content: &str, role: Role| {
        let line_end = if text.is_empty() { "" } else { "\n" };
        let space = if sign.is_empty() { "" } else { " " };
        let _ = write!(text, "{line_end}{sign}{space}");
        let end = text.len();
        stretches.push(Stretch {
            end,
            role: Role::Dim,
        });
        // Further lines stand below the first one, behind the sign.
        let line_end = if sign.is_empty() { "\n" } else { "\n  " };
        text.push_str(&content.trim_end_matches('\n').replace('\n', line_end));
        stretches.push(Stretch {
            end: text.len(),
            role,
        });
        end..text.len()
    };
    for part in &parts {
        if let Shown::Text(content) = &part.shown {
            let role = match part.role {
                Role::Bad => Role::Bad,
                role => parts::printed(&part.value, content, role),
            };
            let place = add(part.sign, content, role);
            // What went wrong is seen by its colour.
            if role != Role::Bad {
                places.push((place, part));
            }
        }
    }
    if let Some(why) = note {
        add("→", why, Role::Notice);
    }
    let code = places.into_iter().filter_map(|(place, part)| {
        let shown = &text[place.clone()];
        let named = part.language;
        let named = named.and_then(|language| Code::new(language, shown));
        let found = || parts::code(&part.value, shown).map(|(_, code)| code);
        Some((place, named.or_else(found)?))
    });
    let code = code.collect();
    Block::new(text, stretches).with_code(code)
}
