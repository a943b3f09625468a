//! `aggressive`: names, types and the last print.

use std::fmt::Write as _;
use std::sync::Arc;

use super::left_out::{LeftOut, LeftOutItems, Reason};
use super::single_user_coalesced::one_message_prompt;
use super::{Compression, OptionSpec, Options, Prompt, Run, parts, whole_turn};
use crate::namespace::execution_history::{newest, print_lines};
use crate::namespace::{Content, Origin, PromptMessage, data, tool, user};
use crate::step::{History, history::ItemRef};
use crate::value::{Value, type_label};

/// One user message without headers: mission, tools without descriptions, names with types, tools
/// called with counts, the last print, the last error, indicator.
#[derive(Debug)]
pub struct Aggressive;

impl Compression for Aggressive {
    fn name(&self) -> &'static str {
        "aggressive"
    }

    fn title(&self) -> &'static str {
        "aggressive"
    }

    fn help(&self) -> &'static str {
        "Names, types and counts; the last print alone"
    }

    fn options(&self) -> &'static [OptionSpec] {
        const OPTIONS: &[OptionSpec] = &[OptionSpec::maybe_count(
            "token_budget",
            "budget",
            "Tokens the user message may have; whole pieces go until it fits",
        )];
        OPTIONS
    }

    fn to_messages(&self, run: &Run, history: History<'_>, options: &Options) -> Prompt {
        let draft = Draft::new(history, options);
        let make = |dropped: usize| draft.messages(run, history, options, dropped);
        let tokenizer = options.tokenizer();
        let size = |messages: &[Arc<PromptMessage>]| {
            let user = messages.last();
            user.map_or(0, |user| user.tokens(tokenizer))
        };
        let budget = options.maybe_count("token_budget");
        let fits = |dropped: usize| budget.is_none_or(|budget| size(&make(dropped)) <= budget);
        // Dropping more never makes the message longer, so the least number that fits can be searched.
        let dropped = if fits(0) {
            0
        } else {
            partition_point(draft.pieces(), |count| !fits(count))
        };
        let messages = make(dropped);
        // Counted only where somebody wants to know.
        let over = budget.and_then(|budget| {
            let tokens = size(&messages);
            (tokens > budget).then_some((tokens, budget))
        });
        let mut prompt = one_message_prompt(messages, history, draft.limits());
        if dropped > 0 {
            draft.report_dropped(dropped, &mut prompt);
        }
        if let Some((tokens, budget)) = over {
            let name = tokenizer.name();
            let note = format!("still over the budget: {tokens} tokens ({name}) of {budget}");
            prompt.stats.notes.push(note);
        }
        prompt
    }
}

/// The least count up to `limit` for which `too_few` no longer holds.
fn partition_point(limit: usize, too_few: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, limit);
    while low < high {
        let middle = low + (high - low) / 2;
        if too_few(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// A line of the message: what it stands for, and its text.
#[derive(Debug)]
struct Line {
    origin: Origin,
    /// The tool's later calls, for a line of calls.
    more: Vec<Origin>,
    text: String,
}

impl Line {
    fn new(origin: Origin, text: String) -> Self {
        Self {
            origin,
            more: Vec::new(),
            text,
        }
    }

    fn origins(&self) -> impl Iterator<Item = &Origin> {
        std::iter::once(&self.origin).chain(&self.more)
    }
}

/// The lines of the message before any is dropped.
#[derive(Debug, Default)]
struct Draft {
    tools: Vec<Line>,
    data: Vec<Line>,
    functions: Vec<Line>,
    values: Vec<Line>,
    calls: Vec<Line>,
    /// The print that is shown, if one is.
    print: Option<ItemRef>,
    /// How many calls there are within the limit.
    calls_shown: usize,
}

impl Draft {
    fn new(history: History<'_>, options: &Options) -> Self {
        let step = history.step();
        let mut draft = Self::default();
        for tool in tool::sorted(&step.tools) {
            let mut line = String::new();
            tool::write_line(&mut line, tool);
            let origin = Origin::Tool(tool.name.clone());
            draft.tools.push(Line::new(origin, line));
        }
        for field in data::Data::of(step).fields() {
            let line = format!("data/{} = {}", field.name, field.kind);
            draft.data.push(Line::new(Origin::Data(field.name), line));
        }
        for (name, value) in history.definitions() {
            let origin = user::origin(history, name);
            if let Value::Fn(function) = value {
                let mut line = String::new();
                user::write_head(&mut line, name, function);
                draft.functions.push(Line::new(origin, line));
            } else {
                let line = format!("{name} = {}", type_label(value));
                draft.values.push(Line::new(origin, line));
            }
        }
        draft.count_calls(history, options);
        let newest = newest(history.prints(), options.println_limit());
        draft.print = newest.last().copied();
        draft
    }

    /// A line a tool, in the order of first calls, among the calls within the limit.
    fn count_calls(&mut self, history: History<'_>, options: &Options) {
        let mut counted: Vec<(Arc<str>, Line)> = Vec::new();
        let calls = newest(history.calls(), options.tool_call_limit());
        for &at in calls {
            let Some(turn) = history.turn(at.turn) else {
                continue;
            };
            let name = &turn.tool_calls()[at.index].name;
            let origin = Origin::call(at);
            match counted.iter_mut().find(|(known, _)| known == name) {
                Some((_, line)) => line.more.push(origin),
                None => counted.push((Arc::clone(name), Line::new(origin, String::new()))),
            }
        }
        self.calls_shown = calls.len();
        let lines = counted.into_iter().map(|(name, mut line)| {
            line.text = format!(";   {name} x{}", 1 + line.more.len());
            line
        });
        self.calls = lines.collect();
    }

    /// The limits of calls and prints before anything is dropped.
    fn limits(&self) -> (usize, usize) {
        (self.calls_shown, self.prints())
    }

    fn prints(&self) -> usize {
        usize::from(self.print.is_some())
    }

    /// The lines that a budget drops after the print, in this order.
    fn lines(&self) -> [&[Line]; 5] {
        [
            &self.calls,
            &self.values,
            &self.functions,
            &self.data,
            &self.tools,
        ]
    }

    /// How many pieces a budget may drop.
    fn pieces(&self) -> usize {
        let lines: usize = self.lines().iter().map(|lines| lines.len()).sum();
        self.prints() + lines
    }

    /// Lists what a budget dropped, and takes it off what is shown.
    fn report_dropped(&self, dropped: usize, prompt: &mut Prompt) {
        let lines = dropped - self.prints().min(dropped);
        let lines = self.lines().into_iter().flatten().take(lines);
        let print = self.print.map(Origin::print).into_iter();
        let gone: Vec<Origin> = print
            .chain(lines.flat_map(Line::origins).cloned())
            .collect();
        for origin in &gone {
            match origin {
                Origin::Call { .. } => prompt.stats.calls.shown -= 1,
                Origin::Print { .. } => prompt.stats.prints.shown -= 1,
                _ => {}
            }
        }
        let gone = LeftOutItems::Pieces(gone);
        prompt.left_out.push(LeftOut::new(gone, Reason::OverBudget));
    }

    fn messages(
        &self,
        run: &Run,
        history: History<'_>,
        options: &Options,
        dropped: usize,
    ) -> Vec<Arc<PromptMessage>> {
        let print = self.print.filter(|_| dropped == 0);
        let mut to_drop = dropped.saturating_sub(self.prints());
        let mut rest = |lines: &[Line]| -> usize {
            let gone = to_drop.min(lines.len());
            to_drop -= gone;
            gone
        };
        let calls = &self.calls[rest(&self.calls)..];
        let values = &self.values[rest(&self.values)..];
        let functions = &self.functions[rest(&self.functions)..];
        let data = &self.data[rest(&self.data)..];
        let tools = &self.tools[rest(&self.tools)..];

        let mut content = Content::new();
        parts::mission(&mut content, history.step());
        push_lines(&mut content, tools.iter());
        push_lines(&mut content, data.iter());
        push_lines(&mut content, functions.iter().chain(values));
        if !calls.is_empty() || (self.calls.is_empty() && !history.calls().is_empty()) {
            content.part();
            content.text(Origin::Fixed, ";; Tool calls made:");
            for line in calls {
                push_line(&mut content, line, "\n");
            }
        }
        // A limit of 0 leaves the header alone; a budget drops it with the print.
        if print.is_some() || (self.print.is_none() && !history.prints().is_empty()) {
            content.part();
            content.text(Origin::Fixed, ";; Output:");
            print_lines(&mut content, history, print.as_slice());
        }
        error(&mut content, history, options);
        parts::one_user_message(run, history, content)
    }
}

fn push_lines<'a>(content: &mut Content, lines: impl Iterator<Item = &'a Line>) {
    content.part();
    for (index, line) in lines.enumerate() {
        push_line(content, line, if index == 0 { "" } else { "\n" });
    }
}

fn push_line(content: &mut Content, line: &Line, line_end: &str) {
    content.piece(line.origin.clone(), |out| {
        out.push_str(line_end);
        out.push_str(&line.text);
    });
}

fn error(content: &mut Content, history: History<'_>, options: &Options) {
    if let Some(turn) = history.last().filter(|turn| turn.failed()) {
        content.part();
        content.piece_cut(Origin::Error(turn.number()), |out| {
            let (message, cut) = whole_turn::error_message(&turn, options.result());
            let _ = write!(out, "Error: {message}");
            cut
        });
    }
}
