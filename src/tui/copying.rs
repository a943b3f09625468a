//! A copy of a long prompt: put together off the drawing thread, sent once it is there.

use super::work::{Teller, Work};

/// What is being copied.
#[derive(Debug, Default)]
pub struct Copying {
    what: String,
    coming: Work<String>,
    ready: Option<String>,
}

impl Copying {
    /// Begins to put a text together; one that was begun before is given up, and says so to whoever
    /// makes it. None comes of one that isn't made.
    pub(super) fn start(
        &mut self,
        what: &str,
        make: impl FnOnce(&Teller<String>) -> Option<String> + Send + 'static,
    ) {
        what.clone_into(&mut self.what);
        let work = move |teller: &Teller<String>| {
            if let Some(text) = make(teller) {
                teller.tell(text);
            }
        };
        (self.coming, self.ready) = (Work::start(work), None);
    }

    /// Whether a text is being put together.
    pub(super) fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes the text once it is there; whether that has just come.
    pub(super) fn poll(&mut self) -> bool {
        let made = self.coming.take();
        let has_come = made.is_some();
        self.ready = made.and_then(Result::ok).or(self.ready.take());
        has_come
    }

    /// What it is, and the text, which is to be copied now.
    pub fn take(&mut self) -> Option<(String, String)> {
        let text = self.ready.take()?;
        Some((self.what.clone(), text))
    }
}
