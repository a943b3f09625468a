//! The tokens of a whole prompt: of a small one between two frames, of a large one off the drawing
//! thread, for as long as somebody looks at it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use super::content::Content;
use super::pane::prompt::Counting;

/// Bytes of a prompt up to which its tokens are counted between two frames.
const AT_ONCE: usize = 40_000;

/// The number, once it is known.
#[derive(Debug, Default)]
pub(super) struct Total {
    found: Option<usize>,
    coming: Option<Receiver<usize>>,
    cancelled: Arc<AtomicBool>,
}

impl Drop for Total {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl Total {
    /// Counts, or begins to.
    pub(super) fn start(content: &Content, counting: Counting) -> Self {
        let mut total = Self::default();
        if is_small(content) {
            total.found = count(content, counting, &total.cancelled);
            return total;
        }
        let (send, coming) = channel();
        let (content, stop) = (content.clone(), Arc::clone(&total.cancelled));
        thread::spawn(move || {
            if let Some(found) = count(&content, counting, &stop) {
                // Nobody waits any longer where the sending fails.
                let _ = send.send(found);
            }
        });
        total.coming = Some(coming);
        total
    }

    /// The number, as far as it is known.
    pub(super) fn found(&self) -> Option<usize> {
        self.found
    }

    /// Whether it is still counted.
    pub(super) fn is_running(&self) -> bool {
        self.coming.is_some()
    }

    /// Takes the number, if it is there now. Whether it is.
    pub(super) fn poll(&mut self) -> bool {
        match self.coming.as_ref().map(Receiver::try_recv) {
            None | Some(Err(TryRecvError::Empty)) => return false,
            Some(Ok(found)) => self.found = Some(found),
            Some(Err(TryRecvError::Disconnected)) => {}
        }
        self.coming = None;
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
fn count(content: &Content, counting: Counting, cancelled: &AtomicBool) -> Option<usize> {
    let mut tokens = 0;
    for at in 0..content.messages() {
        if cancelled.load(Ordering::Relaxed) {
            return None;
        }
        tokens += match content {
            // These keep their counts.
            Content::Rendered(prompt) => prompt.get(at)?.tokens(counting.tokenizer),
            _ => counting.tokenizer.count(&content.message(at)?.1),
        };
    }
    (tokens > 0).then_some(tokens)
}
