//! Strategies: how the turns so far become the prompt of the next one (requirements 7).
//!
//! A strategy is a pure function of the turns, the memory and the options: same input, same bytes
//! [ARC-004]. Each is one file and one row in [`STRATEGIES`]; the smallest to copy is
//! `uncompressed.rs`. What they share is in `parts.rs`, `whole_turn.rs` and `summary.rs`.

mod aggressive;
mod as_sent;
mod asked;
mod budget;
mod clear_tool_results;
mod head_tail;
mod left_out;
mod observation_masking;
mod option_error;
mod option_spec;
mod options;
mod parts;
mod per_turn_summary;
mod prompt;
mod rolling_window;
mod run;
mod shared;
mod single_user_coalesced;
mod summary;
mod trim;
mod uncompressed;
mod whole_turn;

pub use aggressive::Aggressive;
pub(crate) use as_sent::Stretch;
pub use as_sent::{AsSent, Rebuilt};
pub use asked::{Asked, Chosen};
pub use budget::Budget;
pub use clear_tool_results::ClearToolResults;
pub use head_tail::HeadTail;
pub use left_out::{LeftOut, LeftOutItems, Reason};
pub use observation_masking::ObservationMasking;
pub use option_error::OptionError;
pub use option_spec::{Kind, OptionSpec, Setting};
pub use options::{Options, SHARED, SummaryStyle};
pub use per_turn_summary::PerTurnSummary;
pub use prompt::{Figure, Prompt, Shown, Stats};
pub use rolling_window::RollingWindow;
pub use run::{Run, TurnOutOfRange};
pub use shared::TurnMessages;
pub use single_user_coalesced::SingleUserCoalesced;
pub use trim::Trim;
pub use uncompressed::Uncompressed;
pub use whole_turn::{error_message, plain_or_formatted};

use crate::step::History;
use crate::value::Value;

/// A strategy for the history of a run [ARC-003].
pub trait Compression: std::fmt::Debug + Sync {
    /// The name in settings and on the command line.
    fn name(&self) -> &'static str;

    /// A word or two for tabs.
    fn title(&self) -> &'static str;

    /// What it does, in a line.
    fn help(&self) -> &'static str;

    /// Options that only this strategy has.
    fn options(&self) -> &'static [OptionSpec];

    /// The prompt that follows the turns of `history`.
    fn to_messages(&self, run: &Run, history: History<'_>, options: &Options) -> Prompt;
}

/// All strategies, in the order in which they are listed; the first is the default.
pub const STRATEGIES: &[&dyn Compression] = &[
    &SingleUserCoalesced,
    &Uncompressed,
    &PerTurnSummary,
    &RollingWindow,
    &Aggressive,
    &ObservationMasking,
    &Trim,
    &ClearToolResults,
    &HeadTail,
    &Budget,
];

/// The strategy of a name.
///
/// # Errors
/// [`OptionError::UnknownStrategy`], which lists the valid names.
pub fn strategy(name: &str) -> Result<&'static dyn Compression, OptionError> {
    let found = STRATEGIES.iter().find(|strategy| strategy.name() == name);
    found.copied().ok_or_else(|| OptionError::UnknownStrategy {
        name: name.chars().take(80).collect(),
        valid: STRATEGIES.iter().map(|strategy| strategy.name()).collect(),
    })
}

/// A strategy with its options.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Case {
    /// The strategy.
    pub strategy: &'static dyn Compression,
    /// Its options and the shared ones.
    pub options: Options,
}

impl Default for Case {
    fn default() -> Self {
        Self::new(STRATEGIES[0])
    }
}

impl PartialEq for Case {
    fn eq(&self, other: &Self) -> bool {
        self.strategy.name() == other.strategy.name() && self.options == other.options
    }
}

impl Case {
    /// A strategy with its default options.
    pub fn new(strategy: &'static dyn Compression) -> Self {
        Self {
            options: Options::defaults(strategy.options()),
            strategy,
        }
    }

    /// The options there are, in the order in which they are listed.
    pub fn specs(&self) -> impl Iterator<Item = &'static OptionSpec> + use<> {
        SHARED.iter().chain(self.strategy.options())
    }

    /// The option of a name.
    ///
    /// # Errors
    /// [`OptionError::UnknownOption`], which lists the valid names.
    pub fn spec(&self, name: &str) -> Result<&'static OptionSpec, OptionError> {
        let found = self.specs().find(|spec| spec.name == name);
        found.ok_or_else(|| OptionError::UnknownOption {
            strategy: self.strategy.name(),
            name: name.chars().take(80).collect(),
            valid: self.specs().map(|spec| spec.name).collect(),
        })
    }

    /// Sets an option from text.
    ///
    /// # Errors
    /// Says which options or values are valid.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), OptionError> {
        let spec = self.spec(name)?;
        let setting = spec.parse(text)?;
        self.options.set(spec, setting);
        Ok(())
    }

    /// The same options, as far as another strategy has them. What was not set is the other
    /// strategy's own default: two may have an option of one name with different ones.
    #[must_use]
    pub fn with_strategy(&self, strategy: &'static dyn Compression) -> Self {
        let mut case = Self::new(strategy);
        for own in self.specs() {
            let set = self.options.get(own.name).filter(|set| *set != own.default);
            let text = set.map(|set| own.display(set));
            if let (Some(text), Ok(spec)) = (text, case.spec(own.name))
                && let Ok(setting) = spec.parse(&text)
            {
                case.options.set(spec, setting);
            }
        }
        case
    }
}

/// Reads a setting [API-001..008]: nothing or false → `uncompressed`; true → the default strategy; a
/// name → that strategy; `[name, options]`, or a map with `strategy` and options → merged over the
/// defaults.
///
/// # Errors
/// An unknown name, option or value; the error lists the valid ones.
pub fn normalize(setting: &Value) -> Result<Case, OptionError> {
    match setting {
        Value::Nil | Value::Bool(false) => Ok(Case::new(&Uncompressed)),
        Value::Bool(true) => Ok(Case::default()),
        Value::Str(name) | Value::Keyword(name) => Ok(Case::new(strategy(&setting_name(name))?)),
        Value::List(items) | Value::Tuple(items) => match items.as_slice() {
            [name, options] if name.as_name().is_some() => {
                with_options(name.as_name().unwrap_or_default(), options)
            }
            _ => Err(bad_setting(setting)),
        },
        Value::Map(_) => match setting.get("strategy").and_then(Value::as_name) {
            Some(name) => with_options(name, setting),
            None => Err(bad_setting(setting)),
        },
        _ => Err(bad_setting(setting)),
    }
}

fn bad_setting(setting: &Value) -> OptionError {
    OptionError::BadSetting(options::setting_text(setting))
}

/// A strategy's name as its own, as a snake-case word, or as the reference's module name.
fn setting_name(name: &str) -> String {
    let last = name.rsplit('.').next().unwrap_or(name);
    let mut out = String::new();
    for c in last.chars() {
        if c.is_ascii_uppercase() {
            if !out.is_empty() && !out.ends_with('-') {
                out.push('-');
            }
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(if c == '_' { '-' } else { c });
        }
    }
    out
}

fn with_options(name: &str, options: &Value) -> Result<Case, OptionError> {
    let mut case = Case::new(strategy(&setting_name(name))?);
    let pairs: Vec<(&Value, &Value)> = match options {
        Value::Map(map) => map.iter().collect(),
        // Keyword lists come as lists of pairs.
        Value::List(items) => items
            .iter()
            .filter_map(|item| match item {
                Value::List(pair) | Value::Tuple(pair) => Some((pair.first()?, pair.get(1)?)),
                _ => None,
            })
            .collect(),
        Value::Nil => Vec::new(),
        other => return Err(bad_setting(other)),
    };
    for (key, value) in pairs {
        let Some(key) = key.as_name() else {
            return Err(bad_setting(key));
        };
        if key != "strategy" {
            case.set(key, &options::setting_text(value))?;
        }
    }
    Ok(case)
}
