//! Turns of a chat: a reply with the tool messages behind it.

use std::sync::Arc;

use super::super::records::Place;
use super::super::shelf::{Middle, Shelves};
use super::super::talk::{Answer, Talk};
use super::super::{Report, blocks, elements, fields, sent, think};
use super::container::Conversation;
use crate::step::{Field, Program, Step, Tool, ToolCall, TurnParts};
use crate::value::{Value, json};

/// The steps of conversations that stand in one line.
pub(super) fn steps<'a>(
    line: u64,
    found: impl IntoIterator<Item = Conversation<'a>>,
    report: &mut Report,
) -> Vec<Step> {
    let found = found.into_iter();
    found
        .map(|conversation| step(line, &conversation, report))
        .collect()
}

/// The step of a conversation.
fn step(line: u64, conversation: &Conversation<'_>, report: &mut Report) -> Step {
    let around = conversation.around.unwrap_or(&Value::Nil);
    let mut chat = Chat::new(Talk::new());
    chat.line = line;
    chat.about(around);
    let named = conversation.name.and_then(fields::text_or_printed);
    let step = &mut chat.talk.step;
    step.name = named.or(step.name.take());
    if let Some(asked @ Value::Str(_)) = around.get("input") {
        chat.talk.person(asked);
    }
    for message in conversation.messages {
        chat.message(message, report);
    }
    let before = chat.talk.len();
    if let Some(response) = conversation.response {
        chat.response(response, report);
    }
    if let Some(other) = conversation.other {
        chat.other_response(other, report);
    }
    // A response may be no reply, but an error.
    let is_sent = !conversation.messages.is_empty() && chat.talk.len() > before;
    if let Some(draft) = chat.talk.last().filter(|_| is_sent) {
        draft.parts.messages = Field::Recorded(sent::messages(None, conversation.messages));
    }
    chat.finish(is_toolless(around), report)
}

/// Whether nobody could make calls.
fn is_toolless(around: &Value) -> bool {
    let tools = around.get_some("tools");
    tools.is_none_or(|tools| tools.as_list() == Some(&[]))
}

/// Makes a turn of its messages again, in a chat without programs.
pub(super) fn again(records: &[(u64, Value)], middle: Middle) -> Option<TurnParts> {
    read_again(records, Talk::again(middle)).talk.only_turn()
}

/// As [`again`], in a chat whose replies hold programs.
pub(super) fn again_with_program(records: &[(u64, Value)], middle: Middle) -> Option<TurnParts> {
    let mut chat = read_again(records, Talk::again(middle));
    chat.programs();
    chat.talk.only_turn()
}

fn read_again(records: &[(u64, Value)], talk: Talk) -> Chat {
    let mut chat = Chat::new(talk);
    for (line, message) in records {
        chat.line = *line;
        chat.message(message, &mut Report::default());
    }
    chat
}

/// Whether a message is the result of a call that it names.
pub(super) fn is_result(message: &Value) -> bool {
    let text = |name: &str| message.get(name).and_then(Value::as_str);
    let id = message.get("tool_call_id");
    matches!(text("role"), Some("tool" | "function"))
        && id.is_some_and(|id| id.as_str().is_some())
        && elements::is_short(id)
        && elements::is_short(message.get("name"))
}

/// A chat so far.
pub(super) struct Chat {
    pub(super) talk: Talk,
    pub(super) line: u64,
    /// The turn of the response that is being read, where it has items.
    pub(super) response: Option<usize>,
    instructions: Vec<Arc<str>>,
}

impl Chat {
    fn new(mut talk: Talk) -> Self {
        talk.results_may_precede();
        Self {
            talk,
            line: 1,
            response: None,
            instructions: Vec::new(),
        }
    }

    /// What stands around the messages.
    fn about(&mut self, around: &Value) {
        let step = &mut self.talk.step;
        step.model = fields::text(around, "model");
        step.tools = around.get_some("tools").map(tools).unwrap_or_default();
        step.name = ["task_id", "id", "instance_id", "name"]
            .iter()
            .find_map(|name| around.get_some(name).and_then(fields::text_or_printed));
        if let Some(reward) = around.get_some("reward") {
            let told = [(Value::string("reward"), reward.clone())];
            step.figures = Value::map(told.into_iter().collect());
        }
        // Some write the system prompt as Anthropic's API takes it.
        let system = around
            .get_some("system")
            .filter(|told| told.as_str().is_some() || told.as_list().is_some())
            .map(blocks::text);
        let instructions = fields::text(around, "instructions").into_iter();
        self.instructions.splice(0..0, instructions.chain(system));
    }

    /// A chat whose messages are taken one by one.
    pub(super) fn of_records(shelves: Option<&Arc<Shelves>>) -> Self {
        let mut chat = Self::new(Talk::new());
        if let Some(shelves) = shelves {
            chat.talk.shelve(shelves);
        }
        chat
    }

    /// Takes the message at a place.
    pub(super) fn take(&mut self, place: Place, message: &Value, report: &mut Report) {
        self.line = place.span.line;
        self.talk.reads(place);
        let before = self.talk.len();
        self.message(message, report);
        // Results belong to the last reply.
        if let Some(done) = before.checked_sub(1).filter(|_| self.talk.len() > before) {
            self.talk.forget_texts(done);
        }
    }

    /// The step of a chat whose messages were taken one by one, with what stands around them; where
    /// replies hold programs its turns are shelved in the second way.
    pub(super) fn end(
        mut self,
        around: &Value,
        with_programs: Option<&Arc<Shelves>>,
        report: &mut Report,
    ) -> Step {
        self.talk.ends();
        self.about(around);
        self.talk
            .complete_unmatched(|record| read_again(record, Talk::of_results()).talk);
        let toolless = is_toolless(around);
        if let Some(shelves) = with_programs.filter(|_| toolless && !self.makes_calls()) {
            self.talk.shelve_elsewhere(shelves);
        }
        self.finish(toolless, report)
    }

    pub(super) fn message(&mut self, message: &Value, report: &mut Report) {
        let content = message.get("content").unwrap_or(&Value::Nil);
        let role = message.get("role").and_then(Value::as_str);
        match role {
            Some("system" | "developer") => {
                let text = blocks::text(content);
                if self.talk.is_at_start() && self.talk.step.mission.is_none() {
                    self.instructions.push(text);
                } else {
                    self.talk.injected(text);
                }
            }
            Some("user") => self.talk.person(content),
            Some("assistant") => {
                self.reply(message, report);
            }
            Some("tool" | "function") => self.results(message, content),
            Some(other) => {
                report.unknown_record(&format!("role {other}"), message, Some(self.line));
            }
            None => self.item(message, report),
        }
    }

    pub(super) fn reply(&mut self, message: &Value, report: &mut Report) {
        // Behind thinking alone the message is the same reply.
        let after_thinking = message.get("type").and_then(Value::as_str) == Some("message")
            && self
                .talk
                .drafts()
                .last()
                .is_some_and(|draft| draft.texts.is_empty() && draft.calls.is_empty());
        let turn = if let Some(turn) = self.response {
            turn
        } else if after_thinking && !self.talk.has_waiting() {
            self.talk.len() - 1
        } else {
            // Identifiers are used again in later turns.
            self.talk.forget_open();
            self.talk.begin(self.line)
        };
        let thought = ["reasoning_content", "reasoning"];
        let thought = thought.iter().find_map(|name| fields::text(message, name));
        if let Some(draft) = self.talk.draft(turn) {
            draft
                .thoughts
                .extend(thought.filter(|text| !text.is_empty()));
        }
        match message.get("content") {
            Some(Value::List(parts)) => {
                for part in parts.iter() {
                    self.part(turn, part, report);
                }
            }
            Some(content) => self.say(turn, &blocks::text(content)),
            None => {}
        }
        if let Some(refusal) = fields::text(message, "refusal") {
            self.say(turn, &refusal);
        }
        let is_silent = self.talk.drafts()[turn].texts.is_empty();
        // What was spoken is written beside the sound.
        if let Some(audio) = message.get_some("audio").filter(|_| is_silent)
            && let Some(spoken) = fields::text(audio, "transcript")
        {
            self.say(turn, &spoken);
        }
        for call in self.calls_of(message, report) {
            let told = call
                .get_some("function")
                .or_else(|| call.get_some("custom"));
            self.call(turn, told.unwrap_or(&call), fields::text(&call, "id"));
        }
        if let Some(call) = message.get_some("function_call") {
            self.call(turn, call, None);
        }
    }

    /// The calls that a message lists; some write one alone, or all as a text of JSON.
    fn calls_of(&self, message: &Value, report: &mut Report) -> Vec<Value> {
        let told = match message.get_some("tool_calls") {
            Some(Value::Str(text)) if text.trim().is_empty() => return Vec::new(),
            Some(Value::Str(text)) => json::parse(text.as_bytes()).ok().map(|read| read.value),
            told => told.cloned(),
        };
        match (told, message.get_some("tool_calls")) {
            (Some(Value::List(calls)), _) => calls.to_vec(),
            (Some(Value::Map(entries)), _) if entries.is_empty() => Vec::new(),
            (Some(call @ Value::Map(_)), _) => vec![call],
            (_, Some(told)) => {
                report.unknown_record("calls that are no list", told, Some(self.line));
                Vec::new()
            }
            (_, None) => Vec::new(),
        }
    }

    fn part(&mut self, turn: usize, part: &Value, report: &mut Report) {
        match part.get("type").and_then(Value::as_str) {
            Some("reasoning" | "thinking") => {
                let text = blocks::plain_text(part).or_else(|| blocks::thinking(part));
                if let Some(draft) = self.talk.draft(turn) {
                    draft.thoughts.extend(text);
                }
            }
            Some("tool_call") => {
                let told = part
                    .get_some("value")
                    .map(blocks::arguments)
                    .unwrap_or_default();
                if told.as_map().is_some() {
                    self.call(turn, &told, fields::text(&told, "id"));
                } else {
                    report.note("a tool call that is no JSON is shown as text");
                    self.say(turn, &blocks::text(&told));
                }
            }
            _ => self.say(turn, &blocks::part(part)),
        }
    }

    /// What the model says; thinking in `<think>` is kept apart.
    pub(super) fn say(&mut self, turn: usize, text: &str) {
        let Some(draft) = self.talk.draft(turn) else {
            return;
        };
        let (thoughts, said) = think::apart(text);
        draft.thoughts.extend(thoughts);
        if !said.is_empty() {
            draft.texts.push((&*said).into());
        }
    }

    pub(super) fn call(&mut self, turn: usize, told: &Value, id: Option<Arc<str>>) {
        let name = fields::text(told, "name").unwrap_or_else(|| "tool without a name".into());
        let args = told.get("arguments").or_else(|| told.get("input"));
        let mut call = ToolCall::new(name, args.map(blocks::arguments).unwrap_or_default());
        call.id = id;
        call.unmarked = true;
        self.talk.call(turn, call);
    }

    fn results(&mut self, message: &Value, content: &Value) {
        let id = fields::text(message, "tool_call_id");
        let name = fields::text(message, "name");
        if id.is_none()
            && let Some(results) = listed(&blocks::text(content))
        {
            for result in &results {
                let answer = Answer {
                    content: result
                        .get_some("content")
                        .map(blocks::result)
                        .unwrap_or_default(),
                    ..Answer::default()
                };
                self.talk.hold(None, answer);
            }
            return;
        }
        let answer = Answer {
            content: blocks::result(content),
            name,
            ..Answer::default()
        };
        match &id {
            // Some writers give identifiers to results alone.
            Some(id) if self.talk.waits_for(id) || !self.talk.may_be_meant_by(id) => {
                self.talk.answer(Some(id), answer);
            }
            id => self.talk.hold(id.as_ref(), answer),
        }
    }

    fn makes_calls(&self) -> bool {
        let mut drafts = self.talk.drafts().iter();
        drafts.any(|draft| !draft.calls.is_empty())
    }

    /// Reads the programs in replies.
    fn programs(&mut self) {
        for turn in 0..self.talk.len() {
            if let Some(draft) = self.talk.draft(turn)
                && let [text] = draft.texts.as_slice()
                && let Some(program) = only_fence(text)
            {
                draft.program(program);
            }
        }
    }

    fn finish(mut self, toolless: bool, report: &mut Report) -> Step {
        if toolless && !self.makes_calls() {
            self.programs();
        }
        let mut step = self.talk.finish();
        if !self.instructions.is_empty() {
            step.system_prompt = Some(self.instructions.join("\n\n").into());
        }
        if !step.unmatched_results.is_empty() {
            report.note("some results answer no call; they are kept beside the turns");
        }
        step
    }
}

/// Several results in one message: a JSON array of `{name, content}`.
fn listed(text: &str) -> Option<Vec<Value>> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    let read = json::parse(text.as_bytes()).ok()?;
    let items = read.value.as_list()?;
    let is_result = |item: &Value| item.get("name").is_some() && item.get("content").is_some();
    (!items.is_empty() && items.iter().all(is_result)).then(|| items.to_vec())
}

/// The program of a reply that has one fenced block.
fn only_fence(text: &str) -> Option<Program> {
    let mut fences = text.split("```");
    let (_, block, _) = (fences.next()?, fences.next()?, fences.next()?);
    if fences.next().is_some() {
        return None;
    }
    let (language, source) = block.split_once('\n')?;
    Some(Program::new(source.trim_end(), language.trim()))
}

/// Tools as an array, or as a text of JSON.
pub(in crate::load) fn tools(told: &Value) -> Vec<Tool> {
    let parsed = told
        .as_str()
        .and_then(|text| json::parse(text.as_bytes()).ok());
    let told = parsed.as_ref().map_or(told, |read| &read.value);
    let tools = told.as_list().unwrap_or_default().iter();
    fields::listed_tools(tools.map(|tool| tool.get_some("function").unwrap_or(tool)))
}
