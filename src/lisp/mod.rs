//! PTC-Lisp: reads and runs the programs of turns (requirements 10).
//!
//! Programs do no input or output and end within [`Limits`]; what goes wrong is a [`LispError`] with
//! the reference's reason word. A [`Session`] keeps what the programs of one run define.

mod analyze;
// All builtins have one signature, whatever they need of it.
#[allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps)]
mod builtins;
mod command_tool;
mod described_tools;
mod error;
mod eval;
mod expr;
mod form;
mod history;
mod limits;
mod reader;
mod session;
mod tools;
mod weight;

pub use builtins::{Doc, doc_of, docs, function_list, similar};
pub use described_tools::{BadTool, DescribedTools};
pub use error::{LispError, Place};
pub use limits::Limits;
pub use session::{Ended, Evaluated, Session, plain};
pub use tools::{Answer, NoTools, Tools};
