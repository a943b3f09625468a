//! What running a run's programs tells of definitions, found off the drawing thread: a row of the options.

use std::sync::Arc;

use super::work::{BrokeOff, Work};
use crate::agent::{Inferred, Replay, infer_definitions};
use crate::compression::{OptionSpec, Run};

/// The row. It is about the run that is rendered, so no strategy has it among its options.
pub static SPEC: OptionSpec = OptionSpec::flag(
    "infer_definitions",
    "infer definitions",
    "Order of definitions, docstrings and return types that the trace doesn't tell are taken from running its programs",
    false,
);

/// What is inferred of one run.
#[derive(Debug)]
pub struct Inference {
    coming: Work<Inferred>,
    run: Option<Arc<Run>>,
    /// What is known or found, in words.
    pub note: String,
}

impl Inference {
    /// Begins to run the programs.
    pub fn start(run: &Run) -> Self {
        let step = Arc::clone(run.step());
        if !Replay::has_programs(&step) {
            return Self {
                coming: Work::default(),
                run: None,
                note: "nothing is inferred: no program of this trace can be run".to_owned(),
            };
        }
        Self {
            coming: Work::start(move |teller| {
                teller.tell(infer_definitions(&step, teller.cancelled()));
            }),
            run: None,
            note: "inferring definitions …".to_owned(),
        }
    }

    /// Whether programs are still run.
    pub fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes what was found; whether that has just come.
    pub fn poll(&mut self) -> bool {
        let Some(found) = self.coming.take() else {
            return false;
        };
        self.note = match found {
            Ok(inferred) => {
                let note = inferred.figures();
                self.run = Some(Arc::new(Run::new(Arc::new(inferred.step))));
                note
            }
            Err(BrokeOff) => "nothing is inferred: running the programs broke off".to_owned(),
        };
        true
    }

    /// The run with what was found.
    pub fn run(&self) -> Option<&Arc<Run>> {
        self.run.as_ref()
    }
}
