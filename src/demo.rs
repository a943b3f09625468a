//! A run that is always at hand: what opens when no file is named.

use std::sync::Arc;

use crate::error::Error;
use crate::load::{self, Loaded, Source};
use crate::step::Step;

/// The demo as a step file.
pub const DEMO: &str = include_str!("../assets/demo.step.json");

/// What the demo is called where a file's name would stand.
pub const NAME: &str = "demo";

/// The demo, loaded.
///
/// # Errors
/// None, as long as the demo is a step file.
pub fn load() -> Result<Loaded, Error> {
    load::load(&Source::from_bytes(NAME, DEMO.into()), None)
}

/// The demo's step.
pub fn step() -> Arc<Step> {
    let loaded = load().ok();
    let step = loaded.and_then(|loaded| loaded.conversations.into_iter().next());
    step.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_shows_what_there_is() {
        let loaded = load().expect("a step file");
        assert!(loaded.report.is_clean() && loaded.report.notes.is_empty());
        let step = step();
        let turns = step.turns();
        assert!(turns.iter().any(|turn| turn.failed()));
        assert!(turns.iter().any(|turn| !turn.prints().is_empty()));
        assert!(turns.iter().any(|turn| turn.tool_calls().len() > 1));
        assert!(turns.iter().all(|turn| turn.messages().get().is_some()));
        let memory = step.memory.get().expect("memory");
        assert!(memory.values().any(crate::value::Value::is_function));
    }
}
