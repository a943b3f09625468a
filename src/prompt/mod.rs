//! The static system prompt and the expansion of missions (requirements 8).

use std::sync::Arc;

use crate::step::{Conventions, Step};

pub mod mission;

/// The static system prompt of runs with several turns.
pub const MULTI_TURN: &str = include_str!("../../assets/system-multi-turn.md");

/// The static system prompt of single-shot runs.
pub const SINGLE_SHOT: &str = include_str!("../../assets/system-single-shot.md");

/// A step's system prompt: its own, else the static one where the conventions say so, else none.
///
/// The static prompt names no tool and no data, and is the same for every turn and strategy [ARC-008].
pub fn system_prompt(step: &Step) -> Option<Arc<str>> {
    if let Some(own) = &step.system_prompt {
        return Some(Arc::clone(own));
    }
    match step.conventions {
        Conventions::Ptc if step.is_single_shot() => Some(SINGLE_SHOT.trim_end().into()),
        Conventions::Ptc => Some(MULTI_TURN.trim_end().into()),
        Conventions::Foreign => None,
    }
}
