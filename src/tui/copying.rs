//! A copy of a long prompt: put together off the drawing thread, sent once it is there.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

/// What is being copied.
#[derive(Debug, Default)]
pub struct Copying {
    what: String,
    coming: Option<Receiver<String>>,
    ready: Option<String>,
}

impl Copying {
    /// Begins to put a text together; one that was begun before is given up.
    pub(super) fn start(&mut self, what: &str, make: impl FnOnce() -> String + Send + 'static) {
        let (send, coming) = channel();
        what.clone_into(&mut self.what);
        (self.coming, self.ready) = (Some(coming), None);
        thread::spawn(move || {
            // Nobody waits any longer where the sending fails.
            let _ = send.send(make());
        });
    }

    /// Whether a text is being put together.
    pub(super) fn is_running(&self) -> bool {
        self.coming.is_some()
    }

    /// Takes the text once it is there; whether that has just come.
    pub(super) fn poll(&mut self) -> bool {
        let made = match self.coming.as_ref().map(Receiver::try_recv) {
            None | Some(Err(TryRecvError::Empty)) => return false,
            Some(made) => made,
        };
        self.coming = None;
        self.ready = made.ok();
        true
    }

    /// What it is, and the text, which is to be copied now.
    pub fn take(&mut self) -> Option<(String, String)> {
        let text = self.ready.take()?;
        Some((self.what.clone(), text))
    }
}
