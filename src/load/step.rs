//! Step files: one JSON object with everything a run is (requirements 1 and 2), and the older form
//! with a `trace` list of `{turn, program, output, definitions}` [DBG-002 of the second source].

mod large;

use std::sync::Arc;

use super::probe::Probe;
use super::{Loader, Records, Report, Source, fields, salvage};
use crate::error::Error;
use crate::step::{
    Conventions, Definition, Ending, Event, EventKind, Field, Forgotten, Memory, Position, Program,
    Step, Turn, TurnKind, TurnParts,
};
use crate::syntax::response;
use crate::value::{CutValue, Map, Value, transit};

/// The loader of step files.
#[derive(Debug)]
pub struct StepFile;

impl Loader for StepFile {
    fn name(&self) -> &'static str {
        "step"
    }

    fn title(&self) -> &'static str {
        "step JSON"
    }

    fn records(&self) -> Records {
        Records {
            read: "everything: programs, calls, results, prints, memory, tools, data, prompts as sent, usage",
            missing: "what its writer left out",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let turns = probe.has_key("turns") && (probe.has_key("mission") || probe.has_key("tools"));
        let older = probe.has_key("trace") && (probe.has_key("mission") || probe.has_key("return"));
        // A spec of a run that nobody ran yet.
        let spec = probe.has_key("mission") && probe.has_key("max_turns");
        turns || older || spec
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        if let Some(step) = large::read(source, report) {
            return Ok(vec![Arc::new(step)]);
        }
        let read =
            salvage::read(source.bytes(), transit::parse).map_err(|error| Error::NotJson {
                name: source.name().to_owned(),
                why: error.to_string(),
            })?;
        for wrong in read.wrong {
            report.damage(Some(wrong.line), wrong.what);
        }
        if read.parsed.too_deep > 0 {
            report.damage(
                None,
                format!("{} values nested too deep to be read", read.parsed.too_deep),
            );
        }
        let value = read.parsed.value;
        if value.as_map().is_none() {
            return Err(Error::Unreadable {
                name: source.name().to_owned(),
                what: "a step file is a JSON object, and this is not one".to_owned(),
            });
        }
        Ok(vec![Arc::new(step(&value, report))])
    }
}

/// What happened between turns, as [`crate::export::step`] writes it.
fn event(record: &Value) -> Option<Event> {
    let kind = EventKind::from_name(record.get("kind").and_then(Value::as_name)?)?;
    let after = record.get("after").and_then(Value::as_count)?;
    let text = fields::text(record, "text");
    let mut event = Event::new(kind, usize::try_from(after).ok()?, text);
    let place = |value: &Value| usize::try_from(value.as_count()?).ok();
    event.resumes = record.get("resumes").and_then(place);
    event.arrived = record.get("arrived").and_then(place).unwrap_or(0);
    let history = record.get_some("history").and_then(fields::messages);
    event.history = history.unwrap_or_default();
    event.hides = record.get("hides").and_then(Value::as_bool) == Some(true);
    event.forgotten = record.get_some("forgotten").map(|forgotten| {
        let places = |name: &str| {
            let told = forgotten.get(name).and_then(Value::as_list);
            told.unwrap_or_default().iter().filter_map(place).collect()
        };
        Forgotten::new(places("turns"), places("inputs"))
    });
    Some(event)
}

/// A step from its map.
pub(super) fn step(value: &Value, report: &mut Report) -> Step {
    let get = |name: &str| value.get_some(name);
    let told = get("turns")
        .or_else(|| get("trace"))
        .and_then(Value::as_list);
    let mut turns = Turns::default();
    for record in told.unwrap_or_default() {
        let turn = turns.take(record);
        turns.made.extend(turn);
    }
    around(value, turns, report)
}

/// Turns while their records are read.
#[derive(Default)]
struct Turns {
    made: Vec<Turn>,
    /// The last memory that was recorded.
    memory: Option<Arc<Memory>>,
    /// How many records there were.
    read: usize,
    /// Records that hold nothing, by their places.
    empty: Vec<usize>,
    /// Whether the file numbers them in another way.
    differs: bool,
}

impl Turns {
    /// The turn of the next record, which goes behind the others; none where it holds nothing.
    fn take(&mut self, record: &Value) -> Option<Turn> {
        let index = self.read;
        self.read += 1;
        if record.as_map().is_none_or(Map::is_empty) {
            self.empty.push(index);
            return None;
        }
        let before = u32::try_from(self.made.len());
        let number = before.map_or(u32::MAX, |turns| turns.saturating_add(1));
        let told = fields::count(record, &["number", "turn"]);
        self.differs |= told.is_some_and(|told| told != u64::from(number));
        let turn = turn(record, number, Position::index(index), self.memory.as_ref());
        self.memory = turn.memory().get().map(Arc::clone).or(self.memory.take());
        Some(turn)
    }

    /// Gives the turns to their step, and says what was wrong with them.
    fn end(self, step: &mut Step, report: &mut Report) -> Option<Arc<Memory>> {
        for index in self.empty {
            let what = format!("turns[{index}] holds nothing that could be read");
            report.damage(None, what);
        }
        if self.differs {
            report.note("turns are numbered in the order of the file; its own numbers differ");
        }
        for turn in self.made {
            step.push_turn(turn);
        }
        self.memory
    }
}

/// A step from its map and its turns.
fn around(value: &Value, turns: Turns, report: &mut Report) -> Step {
    let get = |name: &str| value.get_some(name);
    let mut step = Step::default();
    step.name = fields::text(value, "name");
    step.mission_template = fields::text(value, "mission_template");
    step.mission = fields::text(value, "mission");
    step.system_prompt = fields::text(value, "system_prompt");
    step.signature = fields::text(value, "signature");
    step.tools = get("tools").map(fields::tools).unwrap_or_default();
    step.data = get("data")
        .and_then(Value::as_map)
        .cloned()
        .unwrap_or_default();
    step.field_descriptions = get("field_descriptions")
        .map(fields::descriptions)
        .unwrap_or_default();
    step.recorded_max_turns = get("max_turns")
        .and_then(Value::as_count)
        .and_then(|count| u32::try_from(count).ok());
    step.usage = get("usage").map(fields::usage).unwrap_or_default();
    step.figures = get("usage").cloned().unwrap_or_default();
    let inputs = get("known").and_then(|known| known.get("inputs"));
    step.inputs_unmarked = inputs.and_then(Value::as_name) == Some("not_recorded");
    step.trace_id = fields::text(value, "trace_id");
    step.parent_trace_id = fields::text(value, "parent_trace_id");
    step.compression = get("compression").cloned();
    step.model = fields::text(value, "model");
    if get("conventions").and_then(Value::as_name) == Some("foreign") {
        step.conventions = Conventions::Foreign;
    }
    step.pending_input = fields::text(value, "pending_input");
    step.pending_inputs = fields::inputs(value, "pending_inputs");
    let after = fields::count(value, &["mission_after"]);
    step.mission_after = after
        .and_then(|after| usize::try_from(after).ok())
        .unwrap_or(0);
    let unmatched = get("unmatched_results").and_then(fields::tool_calls);
    step.unmatched_results = unmatched.unwrap_or_default();
    let events = get("events").and_then(Value::as_list).unwrap_or_default();
    step.events = events.iter().filter_map(event).collect();
    step.continued = fields::text(value, "continued");
    step.elsewhere = fields::text(value, "elsewhere");
    step.started_at = fields::text(value, "started_at");
    step.ended_at = fields::text(value, "ended_at");
    step.ending = match (get("fail").and_then(fields::failure), get("return")) {
        (Some(failure), _) => Ending::Fail(failure),
        (None, Some(answer)) => Ending::Return(answer.clone()),
        (None, None) => Ending::Open,
    };
    let children = get("children").or_else(|| get("child_steps"));
    for child in children.and_then(Value::as_list).unwrap_or_default() {
        if child.as_map().is_some() {
            step.children.push(Arc::new(self::step(child, report)));
        }
    }
    expand_mission(&mut step, report);

    let memory = turns.end(&mut step, report);
    let last = get("memory")
        .and_then(Value::as_map)
        .map(|entries| fields::memory(entries, memory.as_ref()));
    step.memory = fields::with_state(Field::recorded(last), value, "memory");
    step
}

/// A mission is recorded expanded; where only its template is, it is expanded here.
fn expand_mission(step: &mut Step, report: &mut Report) {
    let Some(template) = step
        .mission_template
        .as_deref()
        .filter(|_| step.mission.is_none())
    else {
        return;
    };
    match crate::prompt::mission::expand(template, &step.data) {
        Ok(mission) => step.mission = Some(mission.into()),
        Err(missing) => {
            report.note(missing.to_string());
            step.mission = step.mission_template.clone();
        }
    }
}

fn turn(record: &Value, number: u32, position: Position, before: Option<&Arc<Memory>>) -> Turn {
    let mut parts = TurnParts::default();
    parts.raw_response = Field::recorded(fields::text(record, "raw_response"));
    parts.thinking = Field::recorded(fields::text(record, "thinking"));
    parts.program = program(record, parts.raw_response.get());
    parts.result = Field::recorded(record.get("result").cloned());
    parts.prints = match (record.get_some("prints"), record.get_some("output")) {
        (Some(prints), _) => Field::recorded(fields::prints(prints)),
        (None, Some(Value::Str(output))) => Field::Recorded(vec![Arc::clone(output)]),
        (None, Some(output)) => Field::recorded(fields::prints(output)),
        (None, None) => Field::NotRecorded,
    };
    parts.tool_calls = Field::recorded(record.get_some("tool_calls").and_then(fields::tool_calls));
    let unlisted = record.get_some("unlisted_calls");
    parts.unlisted_calls = unlisted.and_then(fields::tool_calls).unwrap_or_default();
    parts.input = fields::text(record, "input");
    parts.inputs = fields::inputs(record, "inputs");
    let flag = |name: &str| record.get(name).and_then(Value::as_bool) == Some(true);
    parts.copied = flag("copied");
    parts.request_failed = flag("request_failed");
    parts.uncaptured = flag("uncaptured");
    parts.kind = fields::text(record, "type")
        .map_or_else(TurnKind::default, |name| TurnKind::from_name(&name));
    parts.messages = Field::recorded(record.get_some("messages").and_then(fields::messages));
    parts.usage = record
        .get_some("usage")
        .map(fields::usage)
        .unwrap_or_default();
    parts.started_at = fields::text(record, "started_at");
    parts.duration_ms = fields::milliseconds(record, "duration_ms");
    parts.approximate = record.get("approximate").and_then(Value::as_bool) == Some(true);
    parts.position = position;
    let snapshot = record.get_some("memory").and_then(Value::as_map);
    parts.memory = Field::recorded(snapshot.map(|entries| fields::memory(entries, before)));
    definitions(&mut parts, record.get_some("definitions"), before);
    let mut parts = with_states(parts, record);

    let success = record.get("success").or_else(|| record.get("success?"));
    let error = record.get_some("error");
    match (success.and_then(Value::as_bool), error) {
        (Some(true), _) => Turn::success(number, parts),
        (None, None) => {
            parts.unmarked = true;
            Turn::success(number, parts)
        }
        (Some(false), error) | (None, error @ Some(_)) => {
            if let (None | Some(Value::Nil), Some(error)) = (parts.result.get(), error) {
                parts.result = Field::Recorded(error.clone());
            }
            Turn::failure(number, parts)
        }
    }
}

/// Parts of a turn, known as well as the record's `known` says.
fn with_states(parts: TurnParts, record: &Value) -> TurnParts {
    use fields::with_state as known;
    TurnParts {
        raw_response: known(parts.raw_response, record, "raw_response"),
        thinking: known(parts.thinking, record, "thinking"),
        program: known(parts.program, record, "program"),
        result: known(parts.result, record, "result"),
        prints: known(parts.prints, record, "prints"),
        tool_calls: known(parts.tool_calls, record, "tool_calls"),
        memory: known(parts.memory, record, "memory"),
        messages: known(parts.messages, record, "messages"),
        ..parts
    }
}

fn program(record: &Value, response: Option<&Arc<str>>) -> Field<Program> {
    let language = fields::text(record, "language");
    let made = |source: Arc<str>| match &language {
        Some(language) => Program::new(source, Arc::clone(language)),
        None => Program::ptc_lisp(source),
    };
    match record.get("program") {
        Some(Value::Str(source)) => Field::Recorded(made(Arc::clone(source))),
        Some(_) => Field::Absent,
        None => match response {
            Some(response) => {
                Field::recorded_or_absent(response::program(response)).map(|p| made(p.into()))
            }
            None => Field::NotRecorded,
        },
    }
}

/// Definitions are told as `{NAME: {doc, order}}`; the older form has the values themselves, as a
/// map, as a list of `{name, value, doc}`, or their names alone.
fn definitions(parts: &mut TurnParts, told: Option<&Value>, before: Option<&Arc<Memory>>) {
    let Some(told) = told else { return };
    let mut values = Map::default();
    let mut add = |name: &str, record: &Value| {
        let is_record = record.as_map().is_some()
            && (record.get("doc").is_some()
                || record.get("order").is_some()
                || record.get("value").is_some());
        if is_record {
            let order = record.get("order").and_then(Value::as_i64);
            let definition = Definition::new(fields::text(record, "doc"), order);
            parts.definitions.insert(name.into(), definition);
        }
        match record.get("value") {
            Some(value) if is_record => values.insert(Value::string(name), value.clone()),
            _ if is_record => None,
            _ => values.insert(Value::string(name), record.clone()),
        };
    };
    match told {
        Value::Map(entries) => {
            for (key, record) in entries.iter() {
                if let Some(name) = key.as_name() {
                    add(name, record);
                }
            }
        }
        Value::List(items) => {
            let unknown = Value::Cut(Arc::new(CutValue::new("not recorded", "unknown")));
            for item in items.iter() {
                match (item.as_name(), fields::text(item, "name")) {
                    (Some(name), _) => add(name, &unknown),
                    (None, Some(name)) => add(&name, item),
                    (None, None) => {}
                }
            }
        }
        _ => {}
    }
    if parts.memory.get().is_none() && !values.is_empty() {
        // The older form has no snapshots: what was defined before holds until defined anew.
        let mut entries: Map = before
            .into_iter()
            .flat_map(|memory| memory.iter())
            .map(|(name, value)| (Value::Str(Arc::clone(name)), value.clone()))
            .collect();
        entries.extend(values);
        parts.memory = Field::Recorded(fields::memory(&entries, before));
    }
}
