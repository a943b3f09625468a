//! What a strategy costs, keeps and loses: tokens, the provider's cache, what turns used that their
//! prompts no longer showed, what went wrong, and strategies side by side.
//!
//! All figures are about the recorded run: under another prompt the model might have acted
//! otherwise. A run recorded under one strategy can show that another loses something, never that it
//! would do better. Begin with [`Analysis`].

mod align;
pub mod cache;
mod compare;
mod current;
pub mod diff;
mod effect;
mod hunks;
mod known;
mod last_seen;
mod losses;
mod needs;
mod prefix;
mod price;
mod problems;
mod profile;
pub mod program;
mod repeated;
pub mod requirement;
mod runs;
mod sent;
mod shown;
mod side_by_side;
mod text_index;
mod time;
mod usage;
mod walk;
mod words;

pub use align::{Alignment, Likeness, Pair};
pub use compare::Row;
pub use losses::{Loss, LossKind, NeedShown, Needed, RunLosses, TurnLosses};
pub use needs::{Need, NeedKind, Needs};
pub use price::Price;
pub use problems::{Call, Happened, Problem, What};
pub use profile::{PROFILES, Profile};
pub use repeated::{Removed, Repeated, Visible};
pub use runs::RunFacts;
pub use sent::{Analysis, Reference, Sent, View};
pub use shown::Level;
pub use side_by_side::{FactRow, fact_rows};
pub use usage::{Besides, RecordedUsage};
pub use walk::{TurnFigures, Walk};
