//! Options of strategies: what there is, what is set, and reading them from text.

use std::fmt;

use crate::value::{Limits, Value};

/// A value of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Setting {
    /// A number from 0.
    Count(usize),
    /// A number from 0, or none.
    MaybeCount(Option<usize>),
    /// On or off.
    Flag(bool),
    /// One of the spec's choices, by index.
    Choice(usize),
}

/// What values an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A number from 0.
    Count,
    /// A number from 0, or `none`.
    MaybeCount,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// An option: declared once, by the strategy that has it or in [`SHARED`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct OptionSpec {
    /// The name in settings; on the command line `_` reads `-`.
    pub name: &'static str,
    /// A word or two for the options row.
    pub label: &'static str,
    /// What it does.
    pub help: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What it is unless set.
    pub default: Setting,
}

impl OptionSpec {
    /// An option that takes a number from 0.
    pub const fn count(
        name: &'static str,
        label: &'static str,
        help: &'static str,
        default: usize,
    ) -> Self {
        Self {
            name,
            label,
            help,
            kind: Kind::Count,
            default: Setting::Count(default),
        }
    }

    /// An option that takes a number from 0, and is none unless set.
    pub const fn maybe_count(name: &'static str, label: &'static str, help: &'static str) -> Self {
        Self {
            name,
            label,
            help,
            kind: Kind::MaybeCount,
            default: Setting::MaybeCount(None),
        }
    }

    /// An option that is off or on.
    pub const fn flag(
        name: &'static str,
        label: &'static str,
        help: &'static str,
        default: bool,
    ) -> Self {
        Self {
            name,
            label,
            help,
            kind: Kind::Flag,
            default: Setting::Flag(default),
        }
    }

    /// Reads a value of this option.
    ///
    /// # Errors
    /// [`OptionError::BadValue`], which names what is valid.
    pub fn parse(&self, text: &str) -> Result<Setting, OptionError> {
        let text = text.trim();
        let count = || text.parse::<usize>().ok();
        let setting = match self.kind {
            Kind::Count => count().map(Setting::Count),
            Kind::MaybeCount if text == "none" => Some(Setting::MaybeCount(None)),
            Kind::MaybeCount => count().map(|count| Setting::MaybeCount(Some(count))),
            Kind::Flag => match text {
                "true" | "on" | "yes" => Some(Setting::Flag(true)),
                "false" | "off" | "no" => Some(Setting::Flag(false)),
                _ => None,
            },
            Kind::Choice(words) => words
                .iter()
                .position(|word| *word == text)
                .map(Setting::Choice),
        };
        setting.ok_or_else(|| OptionError::BadValue {
            option: self.name,
            value: text.chars().take(80).collect(),
            expected: self.expected(),
        })
    }

    /// The words for what this option takes.
    pub fn expected(&self) -> String {
        match self.kind {
            Kind::Count => "a whole number from 0".to_owned(),
            Kind::MaybeCount => "a whole number from 0, or none".to_owned(),
            Kind::Flag => "true or false".to_owned(),
            Kind::Choice(words) => words.join(" or "),
        }
    }

    /// A value of this option as text; [`OptionSpec::parse`] reads it back.
    pub fn display(&self, setting: Setting) -> String {
        match setting {
            Setting::Count(count) | Setting::MaybeCount(Some(count)) => count.to_string(),
            Setting::MaybeCount(None) => "none".to_owned(),
            Setting::Flag(flag) => flag.to_string(),
            Setting::Choice(index) => match self.kind {
                Kind::Choice(words) => words.get(index).copied().unwrap_or_default().to_owned(),
                _ => String::new(),
            },
        }
    }
}

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

    /// How summaries are written.
    pub fn summary_style(&self) -> SummaryStyle {
        match self.get("summary_style") {
            Some(Setting::Choice(1)) => SummaryStyle::Flat,
            _ => SummaryStyle::Namespaces,
        }
    }
}

/// What is wrong with a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionError {
    /// No strategy has this name.
    UnknownStrategy {
        /// The name given.
        name: String,
        /// Names there are.
        valid: Vec<&'static str>,
    },
    /// The strategy has no such option.
    UnknownOption {
        /// The strategy.
        strategy: &'static str,
        /// The name given.
        name: String,
        /// Options there are.
        valid: Vec<&'static str>,
    },
    /// The option doesn't take this value.
    BadValue {
        /// The option.
        option: &'static str,
        /// The value given.
        value: String,
        /// What it takes.
        expected: String,
    },
    /// A recorded setting that is none.
    BadSetting(String),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownStrategy { name, valid } => {
                write!(f, "unknown strategy '{name}'; valid: {}", valid.join(", "))
            }
            Self::UnknownOption {
                strategy,
                name,
                valid,
            } => write!(
                f,
                "strategy {strategy} has no option '{name}'; valid: {}",
                valid.join(", ")
            ),
            Self::BadValue {
                option,
                value,
                expected,
            } => write!(f, "{option} takes {expected}, not '{value}'"),
            Self::BadSetting(what) => write!(
                f,
                "a compression setting is nil, true, false, a strategy's name, or a name with options, not {what}"
            ),
        }
    }
}

impl std::error::Error for OptionError {}

impl From<OptionError> for crate::Error {
    fn from(error: OptionError) -> Self {
        Self::Usage(error.to_string())
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
