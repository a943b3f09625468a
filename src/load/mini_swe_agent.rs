//! mini-swe-agent trajectories (`formats/swe-agent.md` B): messages of one run, in three dialects.
//!
//! In the text dialect a reply holds one fenced command, which is its program; in the others the
//! reply makes calls. Version 1 is a bare list of messages in the text dialect.

mod large;

use std::sync::Arc;

use super::foreign::run::{Answer, Draft, Run};
use super::foreign::{arguments, blocks, clock, document, nothing};
use super::probe::Probe;
use super::{Loader, Records, Report, Source, fields};
use crate::calendar;
use crate::error::Error;
use crate::step::{Ending, Failure, Field, Program, Step, ToolCall};
use crate::value::{Value, json};

/// The loader of mini-swe-agent trajectories.
#[derive(Debug)]
pub struct MiniSweAgent;

/// How a text names the block that holds the command; the second is older.
const FENCES: [&str; 2] = ["```mswea_bash_command\n", "```bash\n"];

/// How observations of version 1 begin.
const OBSERVATION: &str = "<returncode>";

impl Loader for MiniSweAgent {
    fn name(&self) -> &'static str {
        "mini-swe-agent"
    }

    fn title(&self) -> &'static str {
        "mini-swe-agent trajectory"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, programs or calls, results, exit codes, usage, submission",
            missing: "tools, memory; a person's inputs",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let sketch = probe.sketch();
        if let Some(messages) = sketch.as_list() {
            return is_version_1(messages);
        }
        let Some(format) = sketch.get("trajectory_format").and_then(Value::as_str) else {
            let messages = sketch.get("messages").and_then(Value::as_list);
            // The mark may stand behind more messages than are looked at.
            let is_marked = probe.has_key("trajectory_format");
            return messages.is_some_and(|messages| is_marked || is_version_1(messages));
        };
        format.starts_with("mini-swe-agent")
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        if let Some(step) = large::read(source, report) {
            return Ok(vec![Arc::new(step)]);
        }
        let value = document(source, report, json::parse)?;
        let messages = match &value {
            Value::List(items) => Some(items.as_slice()),
            other => other
                .get("messages")
                .map(|found| found.as_list().unwrap_or_default()),
        };
        let Some(messages) = messages else {
            return Err(nothing(
                source,
                "a mini-swe-agent trajectory holds 'messages', and this has none",
            ));
        };
        let mut run = Run::new();
        let mut reader = Reader::new(&mut run, report);
        let (messages, submission) = match messages.split_last() {
            Some((last, before)) if is_submission(&value, last) => (before, Some(last)),
            _ => (messages, None),
        };
        for message in messages {
            reader.message(message);
        }
        if let Some(message) = submission {
            reader.submission(message);
        }
        about(&mut run.step, value.get("info").unwrap_or(&Value::Nil));
        Ok(vec![Arc::new(run.finish())])
    }
}

/// Known by replies with exactly one fenced block, and by observations that begin with
/// `<returncode>` where the fence is an ordinary one.
fn is_version_1(messages: &[Value]) -> bool {
    let texts = |role: &'static str| {
        let of_role = messages
            .iter()
            .filter(move |message| message.get("role").and_then(Value::as_str) == Some(role));
        of_role.filter_map(|message| message.get("content").and_then(Value::as_str))
    };
    let own = texts("assistant").any(|text| text.contains(FENCES[0].trim_end()));
    let bash = texts("assistant").any(|text| text.matches(FENCES[1]).count() == 1);
    own || (bash && texts("user").any(|text| text.starts_with(OBSERVATION)))
}

/// Whether the last message of a document of version 1 is what was submitted.
fn is_submission(document: &Value, message: &Value) -> bool {
    let content = message.get("content").and_then(Value::as_str);
    document.get("trajectory_format").is_none()
        && message.get("role").and_then(Value::as_str) == Some("user")
        && message.get("extra").is_none()
        && content.is_some_and(|content| !content.starts_with(OBSERVATION))
}

/// What the file says of the run as a whole.
fn about(step: &mut Step, info: &Value) {
    let config = info.get("config").unwrap_or(&Value::Nil);
    step.model = config
        .get("model")
        .and_then(|model| fields::text(model, "model_name"));
    step.figures = info.get("model_stats").cloned().unwrap_or_default();
    let limit = config
        .get("agent")
        .and_then(|agent| agent.get("step_limit"));
    step.recorded_max_turns = limit
        .and_then(Value::as_count)
        .filter(|limit| *limit > 0)
        .and_then(|limit| u32::try_from(limit).ok());
    let submission = info.get_some("submission").cloned();
    match info.get_some("exit_status").and_then(Value::as_str) {
        Some("Submitted") => step.ending = Ending::Return(submission.unwrap_or_default()),
        Some(status) => {
            let failure = Failure {
                reason: Some(status.into()),
                message: blocks::text_of(info, "traceback"),
                details: submission.unwrap_or_default(),
                ..Failure::default()
            };
            step.ending = Ending::Fail(failure);
        }
        None => {}
    }
}

struct Reader<'a> {
    run: &'a mut Run,
    report: &'a mut Report,
}

impl<'a> Reader<'a> {
    fn new(run: &'a mut Run, report: &'a mut Report) -> Self {
        Self { run, report }
    }

    fn message(&mut self, message: &Value) {
        let role = message.get("role").and_then(Value::as_str);
        let kind = message.get("object").or_else(|| message.get("type"));
        match (role, kind.and_then(Value::as_str)) {
            (Some("system"), _) => {
                self.run.step.system_prompt = blocks::text_of(message, "content");
            }
            (Some("assistant"), _) => self.reply(message),
            (None, Some("response")) => self.response(message),
            (Some("user" | "exit"), _) => self.observation(message),
            (Some("tool"), _) | (None, Some("function_call_output")) => self.result(message),
            (role, kind) => {
                let kind = role.or(kind).unwrap_or("message without a role");
                self.report.unknown_record(kind, message, None);
            }
        }
    }

    /// A reply of the text or the toolcall dialect.
    fn reply(&mut self, message: &Value) {
        let text = blocks::text(message.get("content").unwrap_or(&Value::Nil));
        let mut draft = self.draft(message, text.as_str().into());
        draft.parts.thinking = Field::recorded(blocks::text_of(message, "reasoning_content"));
        let calls = message.get("tool_calls").and_then(Value::as_list);
        for call in calls.unwrap_or_default() {
            let function = call.get("function").unwrap_or(call);
            draft.calls.push(made(call, function, "id"));
        }
        if draft.calls.is_empty() {
            draft.parts.program = Field::recorded_or_absent(
                command(message, &text).map(|command| Program::new(command, "bash")),
            );
        }
        self.run.turn(draft);
    }

    /// A reply of the responses dialect.
    fn response(&mut self, message: &Value) {
        let output = message.get("output").and_then(Value::as_list);
        let (mut said, mut thought, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        for item in output.unwrap_or_default() {
            match item.get("type").and_then(Value::as_str) {
                Some("function_call") => calls.push(made(item, item, "call_id")),
                Some("reasoning") => {
                    thought
                        .extend(blocks::text_of(item, "summary").filter(|text| !text.is_empty()));
                }
                Some("message") => said.extend(blocks::text_of(item, "content")),
                other => {
                    let kind = other.unwrap_or("output without a type");
                    self.report.unknown_record(kind, item, None);
                }
            }
        }
        let mut draft = self.draft(message, said.join("\n").into());
        draft.calls = calls;
        draft.parts.thinking =
            Field::recorded((!thought.is_empty()).then(|| thought.join("\n").into()));
        self.run.turn(draft);
    }

    /// The submission, the result of the last turn.
    fn submission(&mut self, message: &Value) {
        let text = blocks::text(message.get("content").unwrap_or(&Value::Nil));
        let Some(draft) = self.run.last() else {
            self.run.said(text.into());
            return;
        };
        draft.parts.result = Field::Recorded(Value::string(text.as_str()));
        self.run.step.ending = Ending::Return(Value::string(text));
    }

    fn draft(&mut self, message: &Value, text: Arc<str>) -> Draft {
        let mut draft = Draft::new(Some(text));
        let extra = message.get("extra").unwrap_or(&Value::Nil);
        let raw = extra.get_some("response").unwrap_or(message);
        if let Some(usage) = raw.get_some("usage") {
            draft.parts.usage = blocks::usage(usage, self.report);
        }
        draft.parts.started_at = clock::stamp(extra, "timestamp");
        // A turn's mark is that of its command, once it ran; where there are calls, they have it.
        draft.parts.unmarked = true;
        draft
    }

    /// A user message: the mission, an observation, or the submission at the end.
    fn observation(&mut self, message: &Value) {
        let text = blocks::text(message.get("content").unwrap_or(&Value::Nil));
        let extra = message.get("extra").unwrap_or(&Value::Nil);
        let Some(draft) = self.run.last() else {
            self.run.said(text.into());
            return;
        };
        if extra.get("exit_status").is_some() {
            // Why the last command failed is not replaced by what was submitted all the same.
            if draft.calls.is_empty() && draft.error.is_none() {
                draft.parts.result = Field::recorded(extra.get_some("submission").cloned());
            }
            if self
                .run
                .turns
                .iter()
                .all(|turn| turn.parts.started_at.is_none())
            {
                about(&mut self.run.step, extra);
            }
            return;
        }
        draft.print(match extra.get_some("raw_output") {
            Some(raw) => blocks::text(raw),
            None => text.clone(),
        });
        let start = draft.parts.started_at.as_deref().and_then(calendar::iso_ms);
        let end = extra.get_some("timestamp").and_then(clock::millis);
        draft.parts.duration_ms = clock::between(start, end).or(draft.parts.duration_ms);
        // What only follows an observation, such as a word of its user, has no mark.
        if draft.parts.program.get().is_some() {
            let error = failure(extra, &text);
            draft.parts.unmarked &= error.is_none() && return_code(extra, &text).is_none();
            draft.error = draft.error.take().or(error);
        }
    }

    fn result(&mut self, message: &Value) {
        let id = ["tool_call_id", "call_id"]
            .iter()
            .find_map(|name| message.get(name).and_then(Value::as_str));
        let extra = message.get("extra").unwrap_or(&Value::Nil);
        let shown = ["raw_output"].iter().find_map(|name| extra.get_some(name));
        let shown = shown
            .or_else(|| message.get_some("content"))
            .or_else(|| message.get_some("output"));
        let place = id.and_then(|id| self.run.place(id));
        let turn = match place {
            Some((turn, _)) => self.run.turns.get(turn),
            None => self.run.turns.last(),
        };
        let started = turn.and_then(|turn| turn.parts.started_at.as_deref());
        let end = extra.get_some("timestamp").and_then(clock::millis);
        let text = shown.map(blocks::text).unwrap_or_default();
        let answer = Answer {
            error: failure(extra, &text),
            result: Some(Value::string(text)),
            duration_ms: clock::between(started.and_then(calendar::iso_ms), end),
            name: None,
        };
        self.run.answer_at(place, id, answer);
    }
}

/// A call as the reply makes it.
fn made(call: &Value, function: &Value, id: &str) -> ToolCall {
    let name = fields::text(function, "name").unwrap_or_else(|| "?".into());
    let mut made = ToolCall::new(name, arguments(function.get("arguments")));
    made.id = fields::text(call, id);
    made
}

/// The command of a reply in the text dialect.
fn command(message: &Value, text: &str) -> Option<String> {
    let actions = message.get("extra").and_then(|extra| extra.get("actions"));
    if let Some(actions) = actions
        .and_then(Value::as_list)
        .filter(|found| !found.is_empty())
    {
        let commands = actions.iter().filter_map(|action| match action {
            Value::Str(command) => Some(&**command),
            other => other.get("command").and_then(Value::as_str),
        });
        return Some(commands.collect::<Vec<_>>().join("\n"));
    }
    let mut blocks = FENCES.iter().flat_map(|fence| {
        let found = text.match_indices(fence);
        found.map(|(at, _)| &text[at + fence.len()..])
    });
    let block = blocks.next().filter(|_| blocks.next().is_none())?;
    let end = block.find("\n```")?;
    Some(block[..end].to_owned())
}

/// Why a command failed: a return code other than 0, or an exception.
fn failure(extra: &Value, text: &str) -> Option<Value> {
    let exception = extra.get_some("exception_info").map(blocks::text);
    if let Some(exception) = exception.filter(|told| !told.is_empty()) {
        return Some(Value::string(exception));
    }
    return_code(extra, text)
        .filter(|code| *code != 0)
        .map(|code| Value::string(format!("return code {code}")))
}

/// What a command ended with, where that is told.
fn return_code(extra: &Value, text: &str) -> Option<i64> {
    match extra.get_some("returncode") {
        Some(Value::Str(code)) => code.trim().parse().ok(),
        Some(code) => code.as_i64(),
        None => text
            .strip_prefix(OBSERVATION)
            .and_then(|rest| rest.split_once('<'))
            .and_then(|(code, _)| code.trim().parse().ok()),
    }
}
