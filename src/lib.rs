//! turnscope: a terminal inspector for runs of multi-turn LLM agents.
//!
//! A run is recorded as a [`step::Step`] with its [`step::Turn`]s. What the LLM was sent to produce a
//! turn is not what happened: the history was compressed by some strategy. This library loads runs,
//! renders the prompt that any strategy would send at any turn, and says where each piece of it comes
//! from and what was left out.
//!
//! ```no_run
//! use std::sync::Arc;
//! use turnscope::compression::{Case, Run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let loaded = turnscope::load::open("run.step.json".as_ref(), None)?;
//! let run = Run::new(Arc::clone(&loaded.conversations[0]));
//! for message in run.prompt(1, &Case::default())?.iter() {
//!     println!("[{}]\n{}", message.role.name(), message.content);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Where things are
//!
//! Each line may use what stands above it, never below; `tests/house.rs` holds it to that.
//!
//! | module | what it holds |
//! |---|---|
//! | [`value`], [`text`], [`syntax`], [`tokens`] | values and their printer; what trace text passes before it is shown; small languages; counts |
//! | [`step`] | steps, turns, and cheap views of the first n turns |
//! | [`lisp`] | runs PTC-Lisp programs |
//! | [`namespace`], [`load`], [`prompt`] | sections of a user message; trace formats; system prompts and missions |
//! | [`compression`] | the strategies |
//! | [`analysis`] | what a strategy costs, keeps and loses |
//! | [`agent`] | the agent loop, and running recorded programs again |
//! | [`export`] | steps and prompts as text for other programs and readers |
//! | [`demo`] | a run that is always at hand |
//! | [`settings`] | what a person set down for good |
//! | [`cli`] | the commands |
//!
//! The `tui` feature, on by default, adds the inspector; nothing else needs a terminal library.

pub mod agent;
pub mod analysis;
mod calendar;
pub mod cli;
pub mod compression;
pub mod demo;
pub mod error;
pub mod export;
pub mod lisp;
pub mod load;
pub mod namespace;
pub mod prompt;
pub mod settings;
pub mod step;
pub mod syntax;
pub mod text;
pub mod tokens;
#[cfg(feature = "tui")]
pub mod tui;
pub mod value;

pub use error::Error;
