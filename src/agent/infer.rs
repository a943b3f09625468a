//! What a trace doesn't tell of definitions, taken from running its programs on recorded results: the
//! order in which a turn defined them, docstrings, and the types that functions returned last.
//!
//! Only a program that comes out as recorded is believed. What a trace tells holds.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexMap;

use super::replay::{Verdict, replay_turn};
use crate::lisp::{Evaluated, Session};
use crate::step::{Definition, Field, Memory, Step, Turn};
use crate::value::Value;

/// A step with what was found out of its definitions.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Inferred {
    /// The step. Nothing of it but definitions and functions in memory differs from the trace.
    pub step: Step,
    /// Turns whose order of definitions was found.
    pub orders: usize,
    /// Docstrings that were found.
    pub docs: usize,
    /// Functions whose return type was found.
    pub returns: usize,
    /// Turns with definitions whose program didn't come out as recorded; nothing is known of them.
    pub unknown: usize,
}

impl Inferred {
    /// What was found, in a few words.
    pub fn figures(&self) -> String {
        format!(
            "inferred: order in {} turns, docstrings {}, return types {}",
            self.orders, self.docs, self.returns
        )
    }

    /// What was found, and what was not believed.
    pub fn summary(&self) -> String {
        let figures = self.figures();
        match self.unknown {
            0 => figures,
            unknown => format!("{figures}; not believed, for they came out otherwise: {unknown}"),
        }
    }
}

/// Runs a step's programs and adds what they tell of definitions. When `cancelled` is set, it ends with
/// the program that runs, and what was found so far.
pub fn infer_definitions(step: &Step, cancelled: &AtomicBool) -> Inferred {
    let mut inferred = Inferred {
        step: step.clone(),
        orders: 0,
        docs: 0,
        returns: 0,
        unknown: 0,
    };
    let mut session = Session::default();
    let mut typed = HashSet::new();
    let mut turns = Vec::with_capacity(step.turns().len());
    for turn in step.turns() {
        if cancelled.load(Ordering::Relaxed) {
            turns.push((**turn).clone());
            continue;
        }
        let (replayed, evaluated) = replay_turn(&mut session, step, turn);
        let mut definitions = turn.definitions().clone();
        if let Some(evaluated) = evaluated.filter(|_| !turn.failed()) {
            if replayed.verdict == Verdict::Same {
                inferred.definitions(turn, &evaluated, &mut definitions);
            } else {
                inferred.unknown += usize::from(!evaluated.definitions.is_empty());
            }
        }
        let memory = match turn.memory() {
            Field::Recorded(memory) if !turn.failed() => {
                Field::Recorded(with_types(memory, &session.memory, &mut typed))
            }
            other => other.clone(),
        };
        turns.push(turn.told(definitions, memory));
    }
    inferred.returns = typed.len();
    inferred.step.replace_turns(turns);
    inferred
}

impl Inferred {
    /// Adds what a program that came out as recorded tells of its definitions.
    fn definitions(
        &mut self,
        turn: &Turn,
        evaluated: &Evaluated,
        definitions: &mut IndexMap<Arc<str>, Definition>,
    ) {
        let told = definitions.values().any(|told| told.order.is_some());
        self.orders += usize::from(!told && evaluated.definitions.len() > 1);
        for (name, found) in &evaluated.definitions {
            let known = definitions
                .entry(Arc::clone(name))
                .or_insert_with(|| Definition::new(None, None));
            if !told {
                known.order = found.order;
            }
            let own = turn.memory().get().and_then(|memory| memory.get(name));
            let has_own = matches!(own, Some(Value::Fn(function)) if function.doc.is_some());
            if known.doc.is_none() && !has_own && found.doc.is_some() {
                known.doc.clone_from(&found.doc);
                self.docs += 1;
            }
        }
    }
}

/// Memory, its functions with the types that they returned.
fn with_types(memory: &Arc<Memory>, found: &Memory, typed: &mut HashSet<Arc<str>>) -> Arc<Memory> {
    let mut told = Arc::clone(memory);
    for (name, value) in memory.iter() {
        let (Value::Fn(function), Some(Value::Fn(found))) = (value, found.get(name)) else {
            continue;
        };
        if function.returns.is_none() && found.returns.is_some() {
            let mut function = (**function).clone();
            function.returns.clone_from(&found.returns);
            Arc::make_mut(&mut told).insert(Arc::clone(name), Value::Fn(Arc::new(function)));
            typed.insert(Arc::clone(name));
        }
    }
    told
}
