//! smolagents memory dumps (`formats/smolagents.md`): a list of steps, or the result of a run that
//! holds one. Code agents answer with a program, others with calls.

use std::collections::HashSet;
use std::sync::Arc;

use super::foreign::run::{Draft, Run};
use super::foreign::{arguments, blocks, clock, document, nothing};
use super::probe::Probe;
use super::{Loader, Records, Report, Source, fields};
use crate::error::Error;
use crate::step::{Ending, Failure, Field, Message, Program, Role, Step, ToolCall, Usage};
use crate::value::{Value, json};

/// The loader of smolagents memory dumps.
#[derive(Debug)]
pub struct Smolagents;

impl Loader for Smolagents {
    fn name(&self) -> &'static str {
        "smolagents"
    }

    fn title(&self) -> &'static str {
        "smolagents memory dump"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, programs or calls, prints, results, errors, durations, usage",
            missing: "tools; which of several results is whose; children",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let sketch = probe.sketch();
        let steps = match sketch {
            Value::List(items) => items.as_slice(),
            other if other.get("output").is_some() && other.get("state").is_some() => {
                steps_of(other).unwrap_or_default()
            }
            _ => return false,
        };
        let has = |step: &Value, name: &str| step.get(name).is_some() && step.get("type").is_none();
        let acts = |step: &Value| {
            has(step, "step_number")
                && (has(step, "timing") || has(step, "start_time"))
                && (has(step, "code_action")
                    || has(step, "tool_calls")
                    || has(step, "model_output"))
        };
        let starts = |step: &Value| has(step, "task") && has(step, "task_images");
        steps.iter().any(acts) || steps.first().is_some_and(starts)
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        let value = document(source, report, json::parse)?;
        let steps = value.as_list().or_else(|| steps_of(&value));
        let Some(steps) = steps else {
            return Err(nothing(
                source,
                "a smolagents dump is a list of steps or holds 'steps', and this has none",
            ));
        };
        let mut reader = Reader {
            run: Run::new(),
            texts: HashSet::new(),
            planning: None,
            steps: 0,
            renumbered: false,
            report,
        };
        for step in steps {
            reader.step(step);
        }
        let Reader {
            mut run,
            planning,
            report,
            ..
        } = reader;
        if let Some(spent) = planning {
            let count = |count: Option<u64>| {
                count.map_or_else(|| "not recorded".to_owned(), |count| count.to_string())
            };
            report.note(format!(
                "plans between turns used tokens that no turn has: {} in, {} out",
                count(spent.input),
                count(spent.output)
            ));
        }
        if value.as_map().is_some() {
            if let Some(usage) = value.get_some("token_usage") {
                run.step.usage = blocks::usage(usage, report);
            }
            run.step.ending = match value.get("state").and_then(Value::as_str) {
                Some("success") => Ending::Return(value.get("output").cloned().unwrap_or_default()),
                Some(state) => {
                    let failure = Failure {
                        reason: Some(state.into()),
                        ..Failure::default()
                    };
                    Ending::Fail(failure)
                }
                None => run.step.ending,
            };
        }
        Ok(vec![Arc::new(run.finish())])
    }
}

/// The steps of a run's result, which older versions call messages.
fn steps_of(value: &Value) -> Option<&[Value]> {
    let steps = value.get("steps").or_else(|| value.get("messages"));
    steps.and_then(Value::as_list)
}

struct Reader<'a> {
    run: Run,
    /// Texts of recorded prompts: each stands in every later one.
    texts: HashSet<Arc<str>>,
    /// What plans cost, which are written between turns.
    planning: Option<Usage>,
    /// Steps so far.
    steps: u64,
    /// Whether a step was told of whose number is not its place.
    renumbered: bool,
    report: &'a mut Report,
}

impl Reader<'_> {
    fn step(&mut self, step: &Value) {
        let has = |name: &str| step.get(name).is_some();
        if has("step_number") || (has("model_output") && has("timing")) {
            self.action(step);
        } else if has("system_prompt") {
            self.run.step.system_prompt = blocks::text_of(step, "system_prompt");
        } else if has("task") {
            let task = blocks::text_of(step, "task").unwrap_or_else(|| "".into());
            self.run.said(task);
            self.pictures(step, "task_images", "the task came with pictures");
        } else if let Some(plan) = step.get_some("plan") {
            // Written by the model between two numbered steps, and seen by it in the next.
            let plan = format!("[plan]\n{}", blocks::text(plan));
            self.run.injected(plan.into());
            let message = step.get_some("model_output_message").unwrap_or(&Value::Nil);
            let told = step.get_some("token_usage");
            if let Some(told) = told.or_else(|| message.get_some("token_usage")) {
                let spent = self.planning.unwrap_or_default();
                self.planning = Some(spent.plus(blocks::usage(told, self.report)));
            }
        } else if has("output") {
            self.run.step.ending = Ending::Return(step.get("output").cloned().unwrap_or_default());
        } else {
            let keys = step.as_map().and_then(|keys| keys.keys().next()?.as_name());
            self.report
                .unknown_record(keys.unwrap_or("element without keys"), step, None);
        }
    }

    /// Notes pictures, of which dumps hold at best the bytes.
    fn pictures(&mut self, step: &Value, name: &str, told: &str) {
        let is_any = |value: &Value| value.as_list().is_none_or(|list| !list.is_empty());
        if step.get_some(name).is_some_and(is_any) {
            self.report.note(format!("{told}, which are not shown"));
        }
    }

    fn action(&mut self, step: &Value) {
        self.steps += 1;
        let number = fields::count(step, &["step_number"]).filter(|number| *number != self.steps);
        // The first tells it all: those behind it mostly differ by as much.
        if let Some(number) = number.filter(|_| !std::mem::replace(&mut self.renumbered, true)) {
            self.report.note(format!(
                "turns are numbered by their order: turn {} is step {number} of the file",
                self.steps
            ));
        }
        self.pictures(step, "observations_images", "some steps observed pictures");
        let said = step
            .get_some("model_output")
            .map(|output| blocks::text(output).into());
        let mut draft = Draft::new(said);
        let message = step.get_some("model_output_message").unwrap_or(&Value::Nil);
        let reply = message.get_some("reasoning_content");
        draft.parts.thinking = Field::recorded(reply.map(|text| blocks::text(text).into()));
        // Older versions write the times into the step itself.
        let timing = step.get_some("timing").unwrap_or(step);
        draft.parts.started_at = clock::stamp(timing, "start_time");
        let duration = timing.get("duration").and_then(clock::millis);
        draft.parts.duration_ms = duration.and_then(|ms| u64::try_from(ms).ok());
        let usage = step
            .get_some("token_usage")
            .or_else(|| message.get_some("token_usage"));
        if let Some(usage) = usage {
            draft.parts.usage = blocks::usage(usage, self.report);
        }
        self.prompt(step, &mut draft);
        let code = step.get_some("code_action").map(blocks::text);
        let code = code.or_else(|| ran(step));
        let error = step.get_some("error");
        if code.is_none() {
            let calls = |value: &Value| value.get("tool_calls")?.as_list().map(<[Value]>::to_vec);
            // After a tool's error the call stands with the reply alone.
            let listed = calls(step).filter(|calls| !calls.is_empty());
            let calls = listed.or_else(|| calls(message)).unwrap_or_default();
            draft.calls = calls.iter().map(call).collect();
        }
        draft.parts.program = match code {
            Some(code) => Field::Recorded(Program::new(code, "python")),
            None => Field::Absent,
        };
        let observed = step.get_some("observations").map(blocks::text);
        match (draft.calls.as_mut_slice(), observed) {
            ([call], Some(text)) => call.result = Field::Recorded(Value::string(text)),
            // Results of several calls are joined and can't be told apart.
            (_, Some(text)) => draft.print(logs(&text)),
            _ => {}
        }
        let value = step.get_some("action_output").map(blocks::without_images);
        let is_final = step.get("is_final_answer").and_then(Value::as_bool) == Some(true);
        if is_final {
            // A call of `final_answer` may tell its value by its result alone.
            let observed = || step.get_some("observations").map(blocks::text);
            let answer = value.clone().or_else(|| observed().map(Value::string));
            self.run.step.ending = Ending::Return(answer.unwrap_or_default());
        }
        draft.parts.result = Field::recorded(value);
        draft.error = error.cloned();
        if let (Some(error), [call]) = (error, draft.calls.as_mut_slice())
            && fields::text(error, "type").as_deref() == Some("AgentToolExecutionError")
        {
            call.error = Some(error.get("message").unwrap_or(error).clone());
        }
        if draft.error.is_some() {
            draft.parts.result = Field::NotRecorded;
        }
        self.run.turn(draft);
    }

    /// The prompt, which full dumps have in every step.
    fn prompt(&mut self, step: &Value, draft: &mut Draft) {
        let Some(items) = step.get("model_input_messages").and_then(Value::as_list) else {
            return;
        };
        let mut messages = blocks::messages(items);
        for message in &mut messages {
            match self.texts.get(&message.content) {
                Some(known) => message.content = Arc::clone(known),
                None => {
                    self.texts.insert(Arc::clone(&message.content));
                }
            }
        }
        if self.run.step.system_prompt.is_none() {
            let is_system = |message: &&Message| message.role == Role::System;
            let system = messages.iter().find(is_system);
            self.run.step.system_prompt = system.map(|message| Arc::clone(&message.content));
        }
        draft.parts.messages = Field::Recorded(messages);
    }
}

/// The code that a step ran, where only its one call has it, as in older versions.
fn ran(step: &Value) -> Option<String> {
    if step.get("code_action").is_some() {
        return None;
    }
    let [call] = step.get("tool_calls")?.as_list()? else {
        return None;
    };
    let function = call.get("function").unwrap_or(call);
    let is_code = function.get("name").and_then(Value::as_str) == Some("python_interpreter");
    let code = function.get("arguments").and_then(Value::as_str);
    code.filter(|_| is_code).map(str::to_owned)
}

fn call(call: &Value) -> ToolCall {
    let function = call.get("function").unwrap_or(call);
    let name = fields::text(function, "name").unwrap_or_else(|| "?".into());
    let mut made = ToolCall::new(name, arguments(function.get("arguments")));
    made.id = fields::text(call, "id");
    made
}

/// What a program printed, without the frame around it and the value at the end.
fn logs(observed: &str) -> String {
    let Some(inside) = observed.strip_prefix("Execution logs:\n") else {
        return observed.to_owned();
    };
    let end = inside.rfind("Last output from code snippet:\n");
    inside[..end.unwrap_or(inside.len())]
        .trim_end_matches('\n')
        .to_owned()
}
