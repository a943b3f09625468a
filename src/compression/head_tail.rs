//! `head-tail`: the first and the last turns whole, a note where the others were.

use std::sync::Arc;

use super::left_out::Reason;
use super::prompt::{Prompt, Segment};
use super::{Compression, OptionSpec, Options, Run, Uncompressed, parts, whole_turn};
use crate::namespace::{Content, Origin, PromptMessage};
use crate::step::{History, Role};

/// The messages of `uncompressed` without those of the turns in the middle. A note ends the user
/// message before the gap.
#[derive(Debug)]
pub struct HeadTail;

impl Compression for HeadTail {
    fn name(&self) -> &'static str {
        "head-tail"
    }

    fn title(&self) -> &'static str {
        "head-tail"
    }

    fn help(&self) -> &'static str {
        "The first and the last turns whole, those between left out"
    }

    fn options(&self) -> &'static [OptionSpec] {
        const OPTIONS: &[OptionSpec] = &[
            OptionSpec::count("head", "head", "First turns that stay whole", 1),
            OptionSpec::count("tail", "tail", "Last turns that stay whole", 9),
        ];
        OPTIONS
    }

    fn to_messages(&self, run: &Run, history: History<'_>, options: &Options) -> Prompt {
        let whole = Uncompressed.to_messages(run, history, options);
        let head = options.count("head").min(history.len());
        let tail = history.len().saturating_sub(options.count("tail"));
        if head >= tail {
            return whole;
        }
        let gap = head..tail;
        let list = run
            .turn_messages
            .list(run.timeline(), whole_turn::WHOLE, options);
        let opening = 1 + usize::from(run.system().is_some());
        let from = opening + list.before(gap.start).messages;
        let to = opening + list.before(gap.end).messages;

        let before = whole.get(from - 1);
        let said = before.as_ref().is_some_and(|m| m.role == Role::Assistant);
        let kept = if said { from } else { from - 1 };
        let mut noted = note(before.filter(|_| !said), gap.len());
        let mut segments = whole.segments(0..kept);
        if gap.end == history.len() {
            parts::indicator(&mut noted, history);
        }
        segments.push(Segment::made([noted.finish(Role::User)]));
        if gap.end < history.len() {
            segments.extend(whole.segments(to..whole.len()));
        }
        let mut prompt = Prompt::of(segments);
        prompt.stats = parts::gap_stats(history, &gap);
        prompt.left_out = parts::gap_left_out(history, &gap, Reason::NotShown);
        prompt
    }
}

/// The message before the gap, with the note at its end.
fn note(before: Option<Arc<PromptMessage>>, turns: usize) -> Content {
    let mut content = before.map_or_else(Content::new, |before| Content::continuing(&before));
    content.part();
    content.text(Origin::Fixed, &format!("[{turns} turns left out]"));
    content
}
