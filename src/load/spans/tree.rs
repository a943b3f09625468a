//! Runs from spans: the tree is rebuilt, calls of models become turns, and spans of tools are joined
//! to the calls they answer (`formats/otlp-genai.md`).

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::super::foreign::run::{Draft, Run};
use super::super::foreign::{arguments, blocks, unwrapped};
use super::super::{Report, fields};
use super::forest::{Tree, once};
use super::said::{self, Said};
use super::{Kind, Span, Traces};
use crate::step::{Ending, Failure, Field, Message, Position, Role, Step, ToolCall};
use crate::value::Value;

/// The runs of traces, by their identifiers.
pub(super) fn steps(traces: Traces, report: &mut Report) -> Vec<Arc<Step>> {
    let mut steps = Vec::new();
    for (id, spans) in traces {
        match step(spans, report) {
            Some(mut step) => {
                step.trace_id = Some(id);
                steps.push(Arc::new(step));
            }
            None => {
                report.unknown("trace without a span of an agent");
            }
        }
    }
    steps
}

/// The run of a trace's spans; none where nothing in it is of an agent.
pub(super) fn step(spans: Vec<Span>, report: &mut Report) -> Option<Step> {
    let mut spans = once(spans, report);
    if spans.iter().all(|span| span.kind == Kind::Other) {
        return None;
    }
    // The order within one instant is that of the file.
    spans.sort_by_cached_key(|span| (span.start.unwrap_or(i64::MAX), span.order.clone()));
    let tree = Tree::new(&spans);
    let turns = tree.turns();
    let with_models = turns.iter().any(|at| spans[*at].kind == Kind::Llm);
    let mut builder = Builder {
        run: Run::new(),
        texts: HashSet::new(),
        open: HashMap::new(),
        answered: HashSet::new(),
        places: HashMap::new(),
    };
    builder.about(&tree, &turns, with_models);
    for at in &turns {
        builder.turn(*at, &spans[*at], report);
    }
    let nearest = (!with_models).then(|| tree.nearest(&builder.places));
    let start = |at: usize| spans[at].start.unwrap_or(i64::MAX);
    for (at, span) in spans.iter().enumerate() {
        if span.kind != Kind::Tool {
            continue;
        }
        let turn = match &nearest {
            Some(nearest) => nearest[at],
            None => turns
                .partition_point(|turn| start(*turn) <= start(at))
                .checked_sub(1),
        };
        builder.tool(span, turn);
    }
    builder.results(&turns, &spans);
    tree.note_failures(&turns, report);
    builder.run.step.inputs_unmarked = true;
    Some(builder.run.finish())
}

struct Builder {
    run: Run,
    /// Texts of recorded prompts: each stands in every later one.
    texts: HashSet<Arc<str>>,
    /// Calls without a result, by the name of their tool.
    open: HashMap<Arc<str>, VecDeque<(usize, usize)>>,
    /// Calls that a span has answered.
    answered: HashSet<(usize, usize)>,
    /// Turns by their spans.
    places: HashMap<usize, usize>,
}

impl Builder {
    fn about(&mut self, tree: &Tree<'_>, turns: &[usize], with_models: bool) {
        let spans = tree.spans;
        let first = turns.first().map(|at| &spans[*at]);
        let root = tree.root().map(|at| &spans[at]);
        let step = &mut self.run.step;
        if let Some(root) = root {
            step.name = Some(Arc::clone(&root.name));
            if !with_models {
                step.usage = root.usage;
            }
        }
        let person = |span: &Span| {
            let said = said::messages(&span.input);
            let found = said
                .iter()
                .find(|said| said.is_person() && !said.texts.is_empty());
            found.map(|said| said.text().into())
        };
        step.mission = root.and_then(mission).or_else(|| first.and_then(person));
        step.model = spans.iter().find_map(|span| span.model.clone());
        let system = first.and_then(|span| {
            span.system.clone().or_else(|| {
                let said = said::messages(&span.input);
                let system = said
                    .iter()
                    .find(|said| said.role.as_deref() == Some("system"));
                let of_request = || said::system(&span.input);
                system.map(|said| said.text().into()).or_else(of_request)
            })
        });
        // Beside a prompt an agent's span may have the system's.
        let beside = |root: &Span| {
            let input = unwrapped(&root.input)?;
            input.get("prompt").or_else(|| input.get("messages"))?;
            fields::text(&input, "system")
        };
        let system = system.or_else(|| root.and_then(|root| root.system.clone()));
        step.system_prompt = system.or_else(|| root.and_then(beside));
        // Some list the tools among the messages.
        let mut listed = first.map_or_else(Vec::new, |span| said::tools(&span.input));
        let messages = first.map(|span| said::messages(&span.input));
        listed.extend(messages.into_iter().flatten().flat_map(|said| said.tools));
        let mut known = HashSet::new();
        for tool in spans.iter().flat_map(|span| &span.tools).chain(&listed) {
            if known.insert(&tool.name) {
                step.tools.push(tool.clone());
            }
        }
        let ended = root.filter(|root| root.kind != Kind::Llm && !root.output.is_nil());
        // Of a run whose own span is missing a reply tells no more than what became of that, unless it is
        // the only one.
        let is_reply = tree.root().is_some_and(|at| turns.contains(&at)) && turns.len() > 1;
        let failed = root.filter(|_| !is_reply);
        step.ending = match (failed.and_then(|root| root.error.as_ref()), ended) {
            (Some(error), _) => Ending::Fail(Failure {
                message: fields::text_or_printed(error),
                ..Failure::default()
            }),
            (None, Some(root)) => Ending::Return(returned(&root.output)),
            (None, None) => Ending::Open,
        };
    }

    fn turn(&mut self, at: usize, span: &Span, report: &mut Report) {
        let mut draft = Draft::default();
        let captured = !span.output.is_nil();
        if span.kind == Kind::Llm {
            let said = said::output(&span.output);
            if captured {
                draft.parts.raw_response = Field::Recorded(said.text().into());
            } else {
                draft.parts.uncaptured = true;
                report.note("content was not captured: some replies of the model are not recorded");
            }
            let thinking = (!said.thinking.is_empty()).then(|| said.thinking.join("\n").into());
            draft.parts.thinking = Field::recorded(thinking);
            // Some write a call into the content, and again beside it.
            let mut known = HashSet::new();
            let mut calls = said.calls;
            calls.retain(|call| {
                call.id
                    .as_ref()
                    .is_none_or(|id| known.insert(Arc::clone(id)))
            });
            draft.calls = calls;
            draft.parts.usage = span.usage;
            draft.parts.messages = self.prompt(span);
        } else if captured {
            draft.print(blocks::text(&span.output));
        }
        draft.parts.started_at = span.started_at();
        draft.parts.duration_ms = span.duration_ms();
        draft.error.clone_from(&span.error);
        draft.parts.request_failed = draft.error.is_some();
        if let Some(line) = span.line {
            draft.parts.position = Position::line(line);
        }
        let turn = self.run.turns.len();
        self.places.insert(at, turn);
        for (index, call) in draft.calls.iter().enumerate() {
            let open = self.open.entry(Arc::clone(&call.name)).or_default();
            open.push_back((turn, index));
        }
        self.run.turn(draft);
    }

    fn prompt(&mut self, span: &Span) -> Field<Vec<Message>> {
        let mut messages = Vec::new();
        let mut add = |role: Role, text: String| {
            let text: Arc<str> = text.into();
            let known = self.texts.get(&text).map(Arc::clone);
            let text = known.unwrap_or_else(|| {
                self.texts.insert(Arc::clone(&text));
                text
            });
            messages.push(Message::new(role, text));
        };
        if let Some(system) = &span.system {
            add(Role::System, system.to_string());
        }
        for said in said::messages(&span.input) {
            if !said.tools.is_empty() {
                continue;
            }
            let role = said.role.as_deref().and_then(Role::from_name);
            let role = role.unwrap_or(Role::User);
            let is_answer = said.texts.is_empty() && !said.results.is_empty();
            let role = match role {
                Role::User if is_answer => Role::Tool,
                Role::User if said.role.is_none() && !said.calls.is_empty() => Role::Assistant,
                role => role,
            };
            add(role, shown(&said));
        }
        Field::recorded((!span.input.is_nil() && !messages.is_empty()).then_some(messages))
    }

    /// A tool's span: what became of a call, or the call itself where none is told. It belongs to this
    /// turn then.
    fn tool(&mut self, span: &Span, turn: Option<usize>) {
        if let Some((turn, index)) = self.find(span)
            && let Some(call) = self
                .run
                .turns
                .get_mut(turn)
                .and_then(|t| t.calls.get_mut(index))
        {
            answer(call, span);
            return;
        }
        let mut call = ToolCall::new(Arc::clone(&span.name), arguments(Some(&span.input)));
        call.id.clone_from(&span.call);
        answer(&mut call, span);
        let Some(turn) = turn.and_then(|turn| self.run.turns.get_mut(turn)) else {
            self.run.step.unmatched_results.push(call);
            return;
        };
        let told = turn.parts.raw_response.get().is_some();
        if told {
            turn.parts.unlisted_calls.push(call);
        } else {
            turn.calls.push(call);
        }
    }

    /// The call that a tool's span answers: by its identifier, else the oldest open one of its name.
    fn find(&mut self, span: &Span) -> Option<(usize, usize)> {
        let of_id = span.call.as_deref().and_then(|id| self.run.place(id));
        let found = of_id.or_else(|| self.oldest(&span.name)).or_else(|| {
            // Some name the span "running tool: NAME".
            self.oldest(span.name.rsplit([' ', '.', ':']).next()?)
        })?;
        self.answered.insert(found);
        Some(found)
    }

    /// The oldest call of a tool that no span has answered.
    fn oldest(&mut self, name: &str) -> Option<(usize, usize)> {
        let places = self.open.get_mut(name)?;
        while let Some(place) = places.pop_front() {
            if !self.answered.contains(&place) {
                return Some(place);
            }
        }
        None
    }

    /// Results that only the next prompt tells. An identifier may stand for a call in every reply, so
    /// that the last result under it in a prompt answers the last such call before that; a call without
    /// one is known by its name.
    fn results(&mut self, turns: &[usize], spans: &[Span]) {
        let mut made: HashMap<Arc<str>, Vec<(usize, usize)>> = HashMap::new();
        for (turn, at) in turns.iter().enumerate() {
            let mut before: HashMap<Arc<str>, usize> = HashMap::new();
            let said = said::messages(&spans[*at].input);
            let results = said.into_iter().flat_map(|said| said.results);
            for (id, result) in results.collect::<Vec<_>>().into_iter().rev() {
                let Some(calls) = made.get(&id) else { continue };
                let left = before.entry(id).or_insert(calls.len());
                let Some(last) = left.checked_sub(1) else {
                    continue;
                };
                *left = last;
                let (turn, index) = calls[last];
                let calls = self.run.turns.get_mut(turn).map(|turn| &mut turn.calls);
                if let Some(call) = calls.and_then(|calls| calls.get_mut(index))
                    && call.result.get().is_none()
                    && call.error.is_none()
                {
                    call.result = Field::Recorded(result);
                }
            }
            let calls = self.run.turns.get(turn).map(|turn| turn.calls.as_slice());
            for (index, call) in calls.unwrap_or_default().iter().enumerate() {
                let key = call.id.as_ref().unwrap_or(&call.name);
                made.entry(Arc::clone(key)).or_default().push((turn, index));
            }
        }
    }
}

fn answer(call: &mut ToolCall, span: &Span) {
    let result = (!span.output.is_nil()).then(|| said::result(&span.output));
    call.result = Field::recorded(result);
    call.error.clone_from(&span.error);
    call.duration_ms = span.duration_ms();
    call.timestamp = span.started_at();
}

/// A message of a prompt as one text.
fn shown(said: &Said) -> String {
    let mut parts = said.texts.clone();
    for call in &said.calls {
        let args = crate::value::to_clojure(&call.args, crate::value::Limits::ALL).0;
        parts.push(format!("[{} {args}]", call.name));
    }
    parts.extend(said.results.iter().map(|(_, result)| blocks::text(result)));
    parts.join("\n")
}

/// What a run returned: the text of a message, where its output is messages.
fn returned(output: &Value) -> Value {
    let found = unwrapped(output);
    let items = found.as_ref().and_then(Value::as_list).unwrap_or_default();
    let is_message = |item: &Value| item.get("role").is_some() || item.get("parts").is_some();
    let said = items
        .last()
        .filter(|last| is_message(last))
        .map(said::output);
    match said.filter(|said| !said.texts.is_empty()) {
        Some(said) => Value::string(said.text()),
        None => blocks::without_images(output),
    }
}

/// The mission in a root's input: a text, `prompt`, `task`, `new_message`, or the first message of a
/// person.
fn mission(root: &Span) -> Option<Arc<str>> {
    let Some(found) = unwrapped(&root.input) else {
        return root.input.as_str().map(Into::into);
    };
    for name in ["prompt", "task"] {
        if let Some(Value::Str(text)) = found.get(name) {
            return Some(Arc::clone(text));
        }
    }
    if let Some(parts) = found.get("new_message") {
        return Some(said::message(parts).text().into());
    }
    let is_list = found.as_list().is_some();
    if !is_list && found.get("messages").is_none() && found.get("role").is_none() {
        return None;
    }
    let said = said::messages(&found);
    let person = said
        .iter()
        .find(|said| said.is_person() && !said.texts.is_empty());
    person.map(|said| said.text().into())
}
