//! What arrives between replies: the mission, messages of people, texts that a machine made.

use std::sync::Arc;

use super::Talk;
use crate::load::blocks;
use crate::step::Input;
use crate::value::Value;

impl Talk {
    /// A message of a person: the first with a text before any reply is the mission. What stands for
    /// pictures in it goes beside the mission, which is the text.
    pub(in crate::load) fn person(&mut self, content: &Value) {
        let (texts, others) = blocks::texts_and_others(content);
        let says = !texts.is_empty() || others.is_empty();
        let is_said = texts.iter().any(|text| !text.trim().is_empty());
        // One that says nothing is none as soon as there is another.
        let is_empty = |mission: &Arc<str>| mission.trim().is_empty();
        let replaces = is_said
            && self.mission_at.is_some()
            && self.step.mission.as_ref().is_some_and(is_empty);
        let is_mission = says && !self.has_mission || replaces;
        self.note_waiting(is_mission);
        if !is_mission {
            self.waiting.push(Input::of_person(blocks::text(content)));
            return;
        }
        self.has_mission = true;
        self.mission_at = Some(self.waiting.len());
        let sent = self.waiting.iter().filter(|input| !input.replaced);
        self.step.mission_after = sent.count();
        self.step.mission = Some(texts.join("\n").into());
        self.waiting.extend(others.into_iter().map(Input::attached));
    }

    /// What a person asked as another record tells it, before any reply: that is the mission, and what
    /// else stands in its message was put around it by a machine.
    pub(in crate::load) fn asked(&mut self, text: &str) {
        self.note_waiting(false);
        let (Some(at), Some(mission)) = (self.mission_at, self.step.mission.clone()) else {
            return;
        };
        let (at, whole) = if mission.contains(text) {
            (at, mission)
        } else {
            // A machine wrote the message that looked like the mission, and this is a later one.
            let later = self.waiting.iter().skip(at);
            let Some(later) = later
                .map(|input| input.note().is_none() && input.text.contains(text))
                .position(|is_asked| is_asked)
            else {
                return;
            };
            let found = self.waiting.remove(at + later);
            self.waiting.insert(at, Input::injected(mission));
            (at + later + 1, found.text)
        };
        let (before, after) = whole.rsplit_once(text).unwrap_or_default();
        // Where it says the same twice, nobody could tell which of them is meant.
        let (before, text, after) = if before.contains(text) {
            ("", &*whole, "")
        } else {
            (before, text, after)
        };
        let mut at = at;
        if !before.trim().is_empty() {
            self.waiting.insert(at, Input::injected(before.trim_end()));
            at += 1;
        }
        if !after.trim().is_empty() {
            self.waiting.insert(at, Input::injected(after.trim_start()));
        }
        self.mission_at = Some(at);
        let sent = self.waiting[..at].iter().filter(|input| !input.replaced);
        self.step.mission_after = sent.count();
        self.step.mission = Some(text.into());
    }

    /// A text that a machine made and the model saw.
    pub(in crate::load) fn injected(&mut self, text: Arc<str>) {
        self.note_waiting(false);
        self.waiting.push(Input::injected(text));
    }

    /// Whether something arrived since the last turn.
    pub(in crate::load) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// How much arrived since the last turn.
    pub(in crate::load) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// What arrived from a place on was taken back, the mission too if it was there, and another is sent
    /// in its place.
    pub(in crate::load) fn take_back(&mut self, from: usize) {
        self.note_waiting(false);
        if let Some(at) = self.mission_at.take_if(|at| *at >= from) {
            let mission = self.step.mission.take().unwrap_or_default();
            self.waiting.insert(at, Input::of_person(mission));
            self.has_mission = false;
        }
        for input in self.waiting.iter_mut().skip(from) {
            input.replaced = true;
        }
    }
}
