//! The agent loop, and running recorded programs again (requirements 10).
//!
//! [`run()`] makes a step from scripted, recorded or live answers with any strategy; [`replay()`] says turn
//! by turn whether a step's programs give what is recorded. Both run programs with
//! [`crate::lisp`]; no recorded call of a tool is ever made again.

mod compare;
mod fork;
mod http;
mod infer;
mod llm;
mod outcome;
mod recorded_tools;
mod replay;
mod run;

pub use compare::Difference;
pub use fork::{Change, Fork, ForkError, Origin, fork};
pub use http::{Http, KEY_VARIABLE};
pub use infer::{Inferred, infer_definitions};
pub use llm::{Llm, LlmError, Recorded, Scripted};
pub use outcome::{Record, error_value};
pub use recorded_tools::RecordedTools;
pub use replay::{Replay, ReplayedTurn, Verdict, replay, replay_in, replay_turn};
pub use run::{Options, Tooling, run};
