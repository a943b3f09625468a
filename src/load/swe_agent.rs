//! SWE-agent trajectories (`formats/swe-agent.md` A): `trajectory` has a turn an element, `history`
//! the messages. Demonstrations may have the history alone.

mod large;

use std::sync::Arc;

use super::foreign::run::{Answer, Draft, Run};
use super::foreign::{arguments, blocks, document, nothing, unwrapped};
use super::probe::Probe;
use super::{Loader, Records, Report, Source, fields, salvage};
use crate::error::Error;
use crate::step::{Ending, Failure, Field, Memory, Program, Step, ToolCall, Usage};
use crate::value::{Value, json};

/// The loader of SWE-agent trajectories.
#[derive(Debug)]
pub struct SweAgent;

/// Copies of the whole prompt that stand in every element.
const SKIPPED: &[&str] = &["query", "messages"];

impl Loader for SweAgent {
    fn name(&self) -> &'static str {
        "swe-agent"
    }

    fn title(&self) -> &'static str {
        "SWE-agent trajectory"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, programs or calls, observations, durations, state, usage of the run, submission, attempts",
            missing: "usage per turn, which calls failed, tools, inputs",
        }
    }

    fn marks_failed_calls(&self) -> bool {
        false
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let sketch = probe.sketch();
        let first = |name: &str| sketch.get(name).and_then(Value::as_list);
        let history = first("history").and_then(<[Value]>::first);
        let is_message = history.is_some_and(|message| message.get("role").is_some());
        match first("trajectory").or_else(|| first("attempts")) {
            Some([]) => is_message,
            Some(elements) => elements.iter().any(|element| {
                let has = |name: &str| element.get(name).is_some();
                has("action") && has("observation") || has("trajectory")
            }),
            // Chats may have their messages under that name too.
            None => {
                let own = ["message_type", "is_demo", "agent"];
                let is_own = |message: &Value| own.iter().any(|name| message.get(name).is_some());
                let messages = first("history").unwrap_or_default();
                is_message && messages.iter().any(is_own)
            }
        }
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        if let Some(step) = large::read(source, report) {
            return Ok(vec![Arc::new(step)]);
        }
        let parse: salvage::Parse = |text| json::parse_without(text, SKIPPED);
        let value = document(source, report, parse)?;
        let attempts = value.get("attempts").and_then(Value::as_list);
        let attempts = attempts.unwrap_or_default();
        let chosen = chosen(&value, attempts);
        // What was chosen is copied up, with the figures of all.
        let shown = match chosen.and_then(|at| attempts.get(at)) {
            Some(attempt) if value.get("trajectory").is_none() => attempt,
            _ => &value,
        };
        let has = |name: &str| shown.get(name).and_then(Value::as_list).is_some();
        if !has("trajectory") && !has("history") {
            return Err(nothing(
                source,
                "a SWE-agent trajectory holds 'trajectory' or 'history', and this has neither",
            ));
        }
        let mut step = read(shown, report);
        for (at, attempt) in attempts.iter().enumerate() {
            if Some(at) != chosen {
                let mut other = read(attempt, report);
                other.name = Some(format!("attempt {}", at + 1).into());
                step.children.push(Arc::new(other));
            }
        }
        if let Some(at) = chosen {
            report.note(format!(
                "the file has {} attempts; attempt {} is shown, the others as runs beside it",
                attempts.len(),
                at + 1
            ));
        }
        Ok(vec![Arc::new(step)])
    }
}

/// The run of a file, or of one attempt in it.
fn read(value: &Value, report: &mut Report) -> Step {
    let list = |name: &str| value.get(name).and_then(Value::as_list);
    let history = list("history").unwrap_or_default();
    let mut run = Run::new();
    let mut reader = Reader {
        run: &mut run,
        report,
    };
    reader.start(history);
    match list("trajectory").filter(|elements| !elements.is_empty()) {
        Some(elements) => reader.elements(elements, history),
        None => reader.history(history),
    }
    let turns = run.turns.len();
    about(&mut run.step, value, turns, report);
    run.finish()
}

/// Which attempt was chosen of a file that has several: by its number, else by what was submitted;
/// else the last. None where there are no attempts.
fn chosen(value: &Value, attempts: &[Value]) -> Option<usize> {
    let last = attempts.len().checked_sub(1)?;
    let info = value.get("info");
    let told = info.and_then(|info| info.get("best_attempt_idx")?.as_count());
    let told = told.and_then(|at| usize::try_from(at).ok());
    let submission = info.and_then(|info| info.get_some("submission"));
    let is_submitted = |attempt: &Value| {
        let info = attempt.get("info");
        submission.is_some() && info.and_then(|info| info.get("submission")) == submission
    };
    let submitted = || attempts.iter().position(is_submitted);
    Some(
        told.filter(|at| *at <= last)
            .or_else(submitted)
            .unwrap_or(last),
    )
}

/// What the file says of the run as a whole.
fn about(step: &mut Step, value: &Value, turns: usize, report: &mut Report) {
    let info = value.get("info").unwrap_or(&Value::Nil);
    step.name = fields::text(value, "environment");
    if let Some(stats) = info.get_some("model_stats") {
        let usage = Usage {
            input: blocks::count(stats, &["tokens_sent"], report),
            output: blocks::count(stats, &["tokens_received"], report),
            ..Usage::default()
        };
        step.usage = usage;
        step.figures = stats.clone();
        let calls = stats.get("api_calls").and_then(Value::as_count);
        let replies = u64::try_from(turns).ok();
        if (usage.input, usage.output) == (Some(0), Some(0))
            && (calls == Some(0) || calls == replies)
        {
            report.note("a replay: no model was asked");
        }
    }
    let submission = info.get_some("submission").cloned();
    if let Some(status) = info.get_some("exit_status").and_then(Value::as_str) {
        if status.starts_with("submitted (") {
            report.note(format!("the submission was forced: {status}"));
        }
        step.ending = if status.starts_with("submitted") {
            Ending::Return(submission.unwrap_or_default())
        } else {
            let failure = Failure {
                reason: Some(status.into()),
                details: submission.unwrap_or_default(),
                ..Failure::default()
            };
            Ending::Fail(failure)
        };
    }
    let replay = value.get("replay_config").and_then(unwrapped);
    let agent = replay.as_ref().and_then(|config| config.get("agent"));
    let model = agent.and_then(|agent| agent.get("model"));
    step.model = model.and_then(|model| fields::text(model, "name"));
}

fn is_demo(message: &Value) -> bool {
    message.get("is_demo").and_then(Value::as_bool) == Some(true)
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or("")
}

/// Whether a message is the mission, or what came of an action.
fn is_from_outside(message: &Value) -> bool {
    let kind = fields::text(message, "message_type");
    role(message) == "user" && kind.is_none_or(|kind| &*kind == "observation")
}

/// The messages of this run: demonstrations are another's.
fn own(history: &[Value]) -> impl Iterator<Item = &Value> {
    history.iter().filter(|message| !is_demo(message))
}

struct Reader<'a> {
    run: &'a mut Run,
    report: &'a mut Report,
}

impl Reader<'_> {
    /// The system prompt and the mission.
    fn start(&mut self, history: &[Value]) {
        let content = |message: &Value| blocks::text_of(message, "content");
        let system = own(history).find(|message| role(message) == "system");
        self.run.step.system_prompt = system.and_then(content);
        let mission = own(history).find(|message| is_from_outside(message));
        self.run.step.mission = mission.and_then(content);
    }

    /// Turns of a file with a trajectory. Calls stand in the history, in the same order.
    fn elements(&mut self, elements: &[Value], history: &[Value]) {
        let mut replies = own(history).filter(|message| role(message) == "assistant");
        let with_calls = own(history).any(|message| message.get_some("tool_calls").is_some());
        for element in elements {
            // The trajectory may be longer by the final submission.
            let reply = if with_calls { replies.next() } else { None };
            self.element(element, reply.map(calls).unwrap_or_default());
        }
    }

    /// The turn of an element, with the calls that its reply made.
    fn element(&mut self, element: &Value, calls: Vec<ToolCall>) {
        if element.as_map().is_none() {
            let kind = "an element of the trajectory that is no object";
            return self.report.unknown_record(kind, element, None);
        }
        let said = blocks::text_of(element, "response");
        let mut draft = Draft::new(said.or_else(|| blocks::text_of(element, "thought")));
        draft.parts.unmarked = true;
        draft.parts.thinking = Field::recorded(blocks::text_of(element, "reasoning_content"));
        draft.parts.duration_ms = milliseconds(element.get("execution_time"));
        let before = self.run.turns.last();
        let before = before.and_then(|turn| turn.parts.memory.get());
        draft.parts.memory = memory(element.get("state"), before);
        draft.calls = calls;
        let action = fields::text(element, "action").filter(|action| !action.trim().is_empty());
        let observation = element.get_some("observation").map(blocks::text);
        if draft.calls.is_empty() {
            draft.parts.program =
                Field::recorded_or_absent(action.map(|action| Program::new(action, "bash")));
            draft.print(observation.unwrap_or_default());
        } else if let [call] = draft.calls.as_mut_slice() {
            call.result = Field::recorded(observation.map(Value::string));
            call.duration_ms = draft.parts.duration_ms;
        } else {
            draft.print(observation.unwrap_or_default());
        }
        self.run.turn(draft);
    }

    /// Turns of a file with messages alone.
    fn history(&mut self, history: &[Value]) {
        for message in own(history) {
            match role(message) {
                "assistant" => {
                    let mut draft = Draft::new(blocks::text_of(message, "content"));
                    draft.parts.unmarked = true;
                    draft.calls = calls(message);
                    if draft.calls.is_empty() {
                        let action = fields::text(message, "action");
                        let program = action.map(|action| Program::new(action, "bash"));
                        draft.parts.program = Field::recorded_or_absent(program);
                    }
                    self.run.turn(draft);
                }
                "tool" => {
                    let ids = message.get("tool_call_ids").and_then(Value::as_list);
                    let id = ids.and_then(|ids| ids.first()?.as_str());
                    let id = id.or_else(|| message.get("tool_call_id").and_then(Value::as_str));
                    let result = message
                        .get_some("content")
                        .map(|c| Value::string(blocks::text(c)));
                    self.run.answer(
                        id,
                        Answer {
                            result,
                            ..Answer::default()
                        },
                    );
                }
                "user" => {
                    let text = blocks::text_of(message, "content").unwrap_or_else(|| "".into());
                    let is_mission = self.run.step.mission.as_ref() == Some(&text);
                    match self.run.last() {
                        Some(turn) => turn.print(text),
                        None if !is_mission => self.run.injected(text),
                        None => {}
                    }
                }
                "system" => {}
                other => self.report.unknown_record(other, message, None),
            }
        }
    }
}

/// The calls of a message, in OpenAI's shape.
fn calls(message: &Value) -> Vec<ToolCall> {
    let calls = message.get("tool_calls").and_then(Value::as_list);
    let call = |call: &Value| {
        let function = call.get("function").unwrap_or(call);
        let name = fields::text(function, "name").unwrap_or_else(|| "?".into());
        let mut made = ToolCall::new(name, arguments(function.get("arguments")));
        made.id = fields::text(call, "id");
        made.unmarked = true;
        made
    };
    calls.unwrap_or_default().iter().map(call).collect()
}

/// Milliseconds of seconds.
fn milliseconds(seconds: Option<&Value>) -> Option<u64> {
    super::foreign::clock::millis(seconds?).and_then(|ms| u64::try_from(ms).ok())
}

/// The environment's state: a map, or a text that is one. What stays the same is shared with the one
/// before.
fn memory(state: Option<&Value>, before: Option<&Arc<Memory>>) -> Field<Arc<Memory>> {
    let state = state.and_then(unwrapped);
    let entries = state.as_ref().and_then(Value::as_map);
    Field::recorded(entries.map(|entries| fields::memory(entries, before)))
}
