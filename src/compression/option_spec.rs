//! Options as they are declared: what each takes, and reading it from text.

use super::OptionError;

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

/// An option: declared once, by the strategy that has it or in [`super::SHARED`].
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
