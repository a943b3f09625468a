//! The tokens of a whole prompt: of a small one between two frames, of a large one off the drawing
//! thread, for as long as somebody looks at it.

use super::content::Content;
use super::pane::prompt::Counting;
use super::work::Work;

/// Bytes of a prompt up to which its tokens are counted between two frames.
const AT_ONCE: usize = 40_000;

/// The number, once it is known.
#[derive(Debug, Default)]
pub(super) struct Total {
    found: Option<usize>,
    coming: Work<Option<usize>>,
}

impl Total {
    /// Counts, or begins to.
    pub(super) fn start(content: &Content, counting: Counting) -> Self {
        let mut total = Self::default();
        if is_small(content) {
            total.found = count(content, counting, &|| true);
            return total;
        }
        let content = content.clone();
        total.coming = Work::start(move |teller| {
            teller.tell(count(&content, counting, &|| teller.is_wanted()));
        });
        total
    }

    /// The number, as far as it is known.
    pub(super) fn found(&self) -> Option<usize> {
        self.found
    }

    /// Whether it is still counted.
    pub(super) fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes the number, if it is there now. Whether it is.
    pub(super) fn poll(&mut self) -> bool {
        let Some(found) = self.coming.take() else {
            return false;
        };
        self.found = found.ok().flatten();
        true
    }
}

fn is_small(content: &Content) -> bool {
    let mut bytes = 0;
    (0..content.messages()).all(|at| {
        bytes += content.message(at).map_or(0, |(_, text)| text.len());
        bytes <= AT_ONCE
    })
}

/// The tokens of all messages; none where there are none, or nobody waits any longer.
fn count(content: &Content, counting: Counting, is_wanted: &dyn Fn() -> bool) -> Option<usize> {
    let mut tokens = 0;
    for at in 0..content.messages() {
        if !is_wanted() {
            return None;
        }
        tokens += if let Content::Rendered(prompt) = content {
            // These keep their counts.
            prompt.get(at)?.tokens(counting.tokenizer)
        } else {
            let (_, text) = content.message(at)?;
            counting.tokenizer.count_while(&text, is_wanted)?
        };
    }
    (tokens > 0).then_some(tokens)
}
