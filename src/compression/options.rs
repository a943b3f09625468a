//! Options of strategies: those that all have, and what is set.

use super::option_spec::{Kind, OptionSpec, Setting};
use crate::tokens::Tokenizer;
use crate::value::{Limits, Value};

/// How a history summary is written (requirements 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums)] // two styles, told apart wherever a summary is made
pub enum SummaryStyle {
    /// Sections with headers.
    Namespaces,
    /// One line a definition, the older form.
    Flat,
}

const STYLES: &[&str] = &["namespaces", "flat"];

/// The options that every strategy has, in the order in which they are listed.
pub const SHARED: &[OptionSpec] = &[
    OptionSpec::count(
        "println_limit",
        "println ≤",
        "Prints that a summary shows; the oldest go first",
        15,
    ),
    OptionSpec::count(
        "tool_call_limit",
        "calls ≤",
        "Tool calls that a summary shows; the oldest go first",
        20,
    ),
    OptionSpec::count(
        "sample_limit",
        "sample items ≤",
        "Items of a collection that a sample shows",
        3,
    ),
    OptionSpec::count(
        "sample_printable_limit",
        "sample bytes ≤",
        "Bytes of text that a sample shows",
        80,
    ),
    OptionSpec::count(
        "args_limit",
        "args items ≤",
        "Items of a collection that a call's arguments show",
        3,
    ),
    OptionSpec::count(
        "args_printable_limit",
        "args bytes ≤",
        "Bytes of text that a call's arguments show",
        60,
    ),
    OptionSpec::count(
        "result_limit",
        "result items ≤",
        "Items of a collection that a whole turn's result shows",
        50,
    ),
    OptionSpec::count(
        "result_printable_limit",
        "result bytes ≤",
        "Bytes of text that a whole turn's result shows",
        500,
    ),
    OptionSpec::flag(
        "collapse_repeats",
        "collapse",
        "Consecutive equal calls become one line with xN",
        false,
    ),
    OptionSpec {
        name: "summary_style",
        label: "style",
        help: "How summaries are written",
        kind: Kind::Choice(STYLES),
        default: Setting::Choice(0),
    },
    OptionSpec {
        name: "tokenizer",
        label: "tokenizer",
        help: "The tokenizer that budgets and triggers count with",
        kind: Kind::Choice(Tokenizer::NAMES),
        default: Setting::Choice(0),
    },
];

/// The options of a case: the shared ones, then the strategy's own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Options {
    values: Vec<(&'static str, Setting)>,
}

impl Options {
    /// The defaults of a strategy that has these options of its own.
    pub fn defaults(own: &[OptionSpec]) -> Self {
        let specs = SHARED.iter().chain(own);
        Self {
            values: specs.map(|spec| (spec.name, spec.default)).collect(),
        }
    }

    /// The value of an option, if it exists.
    pub fn get(&self, name: &str) -> Option<Setting> {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.map(|(_, setting)| *setting)
    }

    /// These options alone: what something depends on.
    pub(super) fn only(&self, names: &[&str]) -> Self {
        let values = self.values.iter().filter(|(name, _)| names.contains(name));
        Self {
            values: values.copied().collect(),
        }
    }

    /// Sets an option that exists.
    pub fn set(&mut self, spec: &OptionSpec, setting: Setting) {
        if let Some(value) = self.values.iter_mut().find(|(name, _)| *name == spec.name) {
            value.1 = setting;
        }
    }

    /// A number; `usize::MAX` where the option is none or doesn't exist.
    pub fn count(&self, name: &str) -> usize {
        match self.get(name) {
            Some(Setting::Count(count) | Setting::MaybeCount(Some(count))) => count,
            _ => usize::MAX,
        }
    }

    /// A number, or none.
    pub fn maybe_count(&self, name: &str) -> Option<usize> {
        match self.get(name) {
            Some(Setting::Count(count)) => Some(count),
            Some(Setting::MaybeCount(count)) => count,
            _ => None,
        }
    }

    /// Whether a flag is on.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name) == Some(Setting::Flag(true))
    }

    /// Prints a summary shows.
    pub fn println_limit(&self) -> usize {
        self.count("println_limit")
    }

    /// Calls a summary shows.
    pub fn tool_call_limit(&self) -> usize {
        self.count("tool_call_limit")
    }

    /// Limits of samples.
    pub fn sample(&self) -> Limits {
        Limits::new(
            self.count("sample_limit"),
            self.count("sample_printable_limit"),
        )
    }

    /// Limits of call arguments.
    pub fn args(&self) -> Limits {
        Limits::new(self.count("args_limit"), self.count("args_printable_limit"))
    }

    /// Limits of results in whole turns.
    pub fn result(&self) -> Limits {
        Limits::new(
            self.count("result_limit"),
            self.count("result_printable_limit"),
        )
    }

    /// Whether repeated calls become one line.
    pub fn collapse_repeats(&self) -> bool {
        self.flag("collapse_repeats")
    }

    /// The tokenizer that budgets and triggers count with.
    pub fn tokenizer(&self) -> Tokenizer {
        match self.get("tokenizer") {
            Some(Setting::Choice(index)) => Tokenizer::at(index),
            _ => Tokenizer::default(),
        }
    }

    /// Sets the tokenizer that budgets and triggers count with.
    pub fn set_tokenizer(&mut self, tokenizer: Tokenizer) {
        let index = Tokenizer::ALL.iter().position(|known| *known == tokenizer);
        let setting = index.map(Setting::Choice);
        if let (Some(setting), Some(value)) = (
            setting,
            self.values
                .iter_mut()
                .find(|(name, _)| *name == "tokenizer"),
        ) {
            value.1 = setting;
        }
    }

    /// How summaries are written.
    pub fn summary_style(&self) -> SummaryStyle {
        match self.get("summary_style") {
            Some(Setting::Choice(1)) => SummaryStyle::Flat,
            _ => SummaryStyle::Namespaces,
        }
    }
}

/// The text of a recorded option value, as [`OptionSpec::parse`] reads it.
pub(super) fn setting_text(value: &Value) -> String {
    match value {
        Value::Nil => "none".to_owned(),
        Value::Str(text) | Value::Keyword(text) => text.to_string(),
        other => crate::value::to_clojure(other, Limits::new(3, 40)).0,
    }
}
