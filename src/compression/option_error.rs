//! What can be wrong with a strategy's name or its options, said so that the remedy is in it.

use std::fmt;

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
