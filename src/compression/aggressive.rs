//! `aggressive`: names, types and the last print.

use std::fmt::Write as _;

use super::prompt::{LeftOut, LeftOutItems, Reason};
use super::single_user_coalesced::one_message_prompt;
use super::{Compression, OptionSpec, Options, Prompt, Run, parts};
use crate::namespace::execution_history::{newest, print_lines};
use crate::namespace::{Content, Origin, PromptMessage, data, tool, user};
use crate::step::History;
use crate::tokens;
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
        let droppable = draft.droppable();
        let size = |messages: &[PromptMessage]| {
            messages
                .last()
                .map_or(0, |user| tokens::estimate(&user.content))
        };
        let budget = options.maybe_count("token_budget");
        let fits = |dropped: usize| budget.is_none_or(|budget| size(&make(dropped)) <= budget);
        // Dropping more never makes the message longer, so the least number that fits can be searched.
        let dropped = if fits(0) {
            0
        } else {
            partition_point(droppable.len(), |count| !fits(count))
        };
        let messages = make(dropped);
        let tokens = size(&messages);
        let prompt_limits = draft.shown_after(dropped);
        let mut prompt = one_message_prompt(messages, history, prompt_limits);
        if dropped > 0 {
            let gone = droppable[..dropped].to_vec();
            prompt
                .left_out
                .push(LeftOut::new(LeftOutItems::Pieces(gone), Reason::OverBudget));
        }
        if let Some(budget) = budget.filter(|budget| tokens > *budget) {
            prompt.stats.notes.push(format!(
                "still over the budget: ~{tokens} tokens (estimate) of {budget}"
            ));
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

/// A line of the message: where it comes from, and its text.
type Line = (Origin, String);

/// The lines of the message before any is dropped.
#[derive(Debug, Default)]
struct Draft {
    tools: Vec<Line>,
    data: Vec<Line>,
    functions: Vec<Line>,
    values: Vec<Line>,
    calls: Vec<Line>,
    /// How many calls the lines of `calls` stand for.
    calls_shown: usize,
    /// 1 where there is a print to show.
    prints: usize,
}

impl Draft {
    fn new(history: History<'_>, options: &Options) -> Self {
        let step = history.step();
        let mut draft = Self::default();
        for tool in tool::sorted(&step.tools) {
            let mut line = String::new();
            tool::write_line(&mut line, tool);
            draft.tools.push((Origin::Tool(tool.name.clone()), line));
        }
        for field in data::Data::of(step).fields() {
            let line = format!("data/{} = {}", field.name, field.kind);
            draft.data.push((Origin::Data(field.name), line));
        }
        for (name, value) in history.definitions() {
            let origin = user::origin(history, name);
            if let Value::Fn(function) = value {
                let mut line = String::new();
                user::write_head(&mut line, name, function);
                draft.functions.push((origin, line));
            } else {
                let line = format!("{name} = {}", type_label(value));
                draft.values.push((origin, line));
            }
        }
        draft.count_calls(history, options);
        draft.prints = history.prints().len().min(options.println_limit()).min(1);
        draft
    }

    /// A line a tool, in the order of first calls, among the calls within the limit.
    fn count_calls(&mut self, history: History<'_>, options: &Options) {
        let mut counted: Vec<(Origin, std::sync::Arc<str>, usize)> = Vec::new();
        let calls = newest(history.calls(), options.tool_call_limit());
        for &at in calls {
            let Some(turn) = history.turn(at.turn) else {
                continue;
            };
            let name = &turn.tool_calls()[at.index].name;
            match counted.iter_mut().find(|(_, known, _)| known == name) {
                Some((_, _, count)) => *count += 1,
                None => counted.push((Origin::call(at), std::sync::Arc::clone(name), 1)),
            }
        }
        self.calls_shown = calls.len();
        self.calls = counted
            .into_iter()
            .map(|(origin, name, count)| (origin, format!(";   {name} x{count}")))
            .collect();
    }

    /// What a budget drops, in this order.
    fn droppable(&self) -> Vec<Origin> {
        let output = std::iter::repeat_n(Origin::Fixed, self.prints);
        let lines = [
            &self.calls,
            &self.values,
            &self.functions,
            &self.data,
            &self.tools,
        ];
        let lines = lines
            .into_iter()
            .flatten()
            .map(|(origin, _)| origin.clone());
        output.chain(lines).collect()
    }

    /// The limits of calls and prints that describe what is left after dropping.
    fn shown_after(&self, dropped: usize) -> (usize, usize) {
        let prints = self.prints.saturating_sub(dropped);
        let calls = dropped.saturating_sub(self.prints).min(self.calls.len());
        let gone: usize = self.calls[..calls]
            .iter()
            .map(|(_, line)| {
                let count = line.rsplit_once(" x").map(|(_, count)| count);
                count
                    .and_then(|count| count.parse::<usize>().ok())
                    .unwrap_or(1)
            })
            .sum();
        (self.calls_shown - gone, prints)
    }

    fn messages(
        &self,
        run: &Run,
        history: History<'_>,
        options: &Options,
        dropped: usize,
    ) -> Vec<PromptMessage> {
        let mut left = dropped;
        let mut rest = |lines: &[Line]| -> usize {
            let gone = left.min(lines.len());
            left -= gone;
            gone
        };
        let output_gone = dropped.min(self.prints);
        let _ = rest(&vec![(Origin::Fixed, String::new()); output_gone]);
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
            for (origin, line) in calls {
                content.piece(origin.clone(), |out| {
                    let _ = write!(out, "\n{line}");
                });
            }
        }
        if output_gone < self.prints || (self.prints == 0 && !history.prints().is_empty()) {
            content.part();
            content.text(Origin::Fixed, ";; Output:");
            print_lines(&mut content, history, newest(history.prints(), self.prints));
        }
        error(&mut content, history, options);
        parts::one_user_message(run, history, content)
    }
}

fn push_lines<'a>(content: &mut Content, lines: impl Iterator<Item = &'a Line>) {
    content.part();
    for (index, (origin, line)) in lines.enumerate() {
        content.piece(origin.clone(), |out| {
            let line_end = if index == 0 { "" } else { "\n" };
            let _ = write!(out, "{line_end}{line}");
        });
    }
}

fn error(content: &mut Content, history: History<'_>, options: &Options) {
    if let Some(turn) = history.last().filter(|turn| turn.failed()) {
        content.part();
        content.piece_cut(Origin::Error(turn.number()), |out| {
            let (message, cut) = parts::error_message(&turn, options.result());
            let _ = write!(out, "Error: {message}");
            cut
        });
    }
}
