//! A copy of a long prompt or list: put together off the drawing thread, sent once it is there.

use std::fmt;

use super::work::{Teller, Work};

/// What puts a text together; none comes of it where nobody wants it any longer.
type Make = Box<dyn FnOnce(&Teller<String>) -> Option<String> + Send>;

/// What is being copied.
#[derive(Default)]
pub struct Copying {
    what: String,
    coming: Work<String>,
    ready: Option<String>,
    /// What is put together once the text that is no longer wanted has ended.
    next: Option<Make>,
}

impl fmt::Debug for Copying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Copying")
            .field("what", &self.what)
            .finish_non_exhaustive()
    }
}

impl Copying {
    /// Begins to put a text together. One that was begun before is given up first, so that there is never
    /// more than one: each takes as much memory as the prompt.
    pub(super) fn start(
        &mut self,
        what: &str,
        make: impl FnOnce(&Teller<String>) -> Option<String> + Send + 'static,
    ) {
        what.clone_into(&mut self.what);
        self.ready = None;
        if self.coming.is_running() {
            self.coming.give_up();
            self.next = Some(Box::new(make));
        } else {
            self.begin(Box::new(make));
        }
    }

    fn begin(&mut self, make: Make) {
        self.coming = Work::start(move |teller| {
            if let Some(text) = make(teller) {
                teller.tell(text);
            }
        });
    }

    /// Whether a text is being put together.
    pub(super) fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes the text once it is there; whether that has just come.
    pub(super) fn poll(&mut self) -> bool {
        let made = self.coming.take();
        let has_come = made.is_some();
        if let Some(next) = self.next.take_if(|_| has_come) {
            self.begin(next);
            return false;
        }
        self.ready = made.and_then(Result::ok).or(self.ready.take());
        has_come
    }

    /// What it is, and the text, which is to be copied now.
    pub fn take(&mut self) -> Option<(String, String)> {
        let text = self.ready.take()?;
        Some((self.what.clone(), text))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn one_text_is_made_at_a_time_and_the_last_one_asked_for_comes() {
        let mut copying = Copying::default();
        let (go_on, waits) = channel();
        copying.start("first", move |teller| {
            waits.recv().expect("told to go on");
            assert!(!teller.is_wanted());
            Some("first".to_owned())
        });
        copying.start("second", |_| panic!("it is never begun"));
        copying.start("third", |teller| {
            teller.is_wanted().then(|| "third".to_owned())
        });
        assert!(copying.is_running() && copying.take().is_none());
        go_on.send(()).expect("somebody waits");
        while !copying.poll() {
            std::thread::yield_now();
        }
        let text = copying.take();
        assert_eq!(text, Some(("third".to_owned(), "third".to_owned())));
        assert!(!copying.is_running());
    }
}
