//! What the trace records of tokens, beside what is counted, and what a provider is sent besides the
//! messages' contents (analysis, "Tokens").

use super::sent::Analysis;
use crate::step::Conventions;
use crate::tokens::Tokenizer;
use crate::value::json::Plain;

/// Recorded tokens over the turns of a run. What no turn records is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct RecordedUsage {
    /// Turns that record their prompt's tokens.
    pub turns: usize,
    /// Tokens of the prompts.
    pub input: Option<u64>,
    /// Tokens of the replies.
    pub output: Option<u64>,
    /// Prompt tokens read from the provider's cache.
    pub cache_read: Option<u64>,
    /// Prompt tokens written to it.
    pub cache_write: Option<u64>,
    /// Recorded prompt tokens to one counted in the reference prompts of the same turns.
    pub ratio: Option<f64>,
}

/// What a provider is sent besides the contents of a prompt's messages, as far as the trace has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Besides {
    /// Tokens of the arguments of calls that earlier turns made without a program. Where a prompt
    /// shows such a turn whole, its content has them too, a line a call.
    pub call_arguments: usize,
    /// Tokens of the thinking of earlier turns.
    pub thinking: usize,
    /// Tokens of tool names, signatures and descriptions that are no part of the contents.
    pub tool_schemas: usize,
    /// Images in earlier turns and in inputs up to the prompt's own. Their tokens depend on the provider.
    pub images: usize,
    /// Tokens that the provider adds around messages; none where nobody knows.
    pub overhead: Option<usize>,
}

/// Tokens that OpenAI's chat models add for each message, and once for the reply, as its cookbook
/// counts them.
const OPENAI_OVERHEAD: (usize, usize) = (3, 3);

impl Analysis {
    /// What the turns record; turns copied from another run count there.
    #[allow(clippy::cast_precision_loss)] // tokens stay far below 2^52
    pub fn recorded_usage(&self) -> RecordedUsage {
        let all = self.run().timeline().usage();
        let mut usage = RecordedUsage {
            input: all.input,
            output: all.output,
            cache_read: all.cache_read,
            cache_write: all.cache_write,
            ..RecordedUsage::default()
        };
        let mut counted = 0;
        let turns = self.run().step().turns().iter();
        for turn in turns.filter(|turn| !turn.copied() && turn.usage().input.is_some()) {
            usage.turns += 1;
            let (_, sent) = self.reference(turn.number());
            counted += sent.tokens(self.tokenizer()).iter().sum::<usize>();
        }
        let input = usage.input.filter(|_| counted > 0);
        usage.ratio = input.map(|input| input as f64 / counted as f64);
        usage
    }

    /// What turn N's prompt of so many messages has besides their contents.
    pub fn besides(&self, n: u32, messages: usize) -> Besides {
        let tokenizer = self.tokenizer();
        let step = self.run().step();
        let mut besides = Besides::default();
        for turn in step.each_turn().take(n.saturating_sub(1) as usize) {
            if turn.program().get().is_none() {
                for call in turn.tool_calls() {
                    let args = serde_json::to_string(&Plain(&call.args)).unwrap_or_default();
                    besides.call_arguments += tokenizer.count(&args);
                }
            }
            let thinking = turn.thinking().get();
            besides.thinking += thinking.map_or(0, |thinking| tokenizer.count(thinking));
            besides.images += images(self.told(turn.number()));
        }
        // What has just arrived is in the prompt too.
        let arrived = self.run().history(n).next_input();
        besides.images += arrived.map_or(0, |input| images(&input));
        if step.conventions == Conventions::Foreign {
            for tool in &step.tools {
                let told = [tool.signature.as_ref(), tool.description.as_ref()];
                let told = told.into_iter().flatten().map(|text| tokenizer.count(text));
                besides.tool_schemas += tokenizer.count(&tool.name) + told.sum::<usize>();
            }
        }
        if Tokenizer::is_openai(step.model.as_deref()) {
            besides.overhead = Some(OPENAI_OVERHEAD.0 * messages + OPENAI_OVERHEAD.1);
        }
        besides
    }
}

/// The notes that stand for images in a text: `[image/png, 68 kB]`, `[image: URL]`.
fn images(text: &str) -> usize {
    memchr::memmem::find_iter(text.as_bytes(), "[image")
        .filter(|at| text[at + "[image".len()..].starts_with(['/', ':']))
        .count()
}
