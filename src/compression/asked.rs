//! What a person asked for of a strategy and its options, and what that makes of a step's setting.

use super::{Case, OptionError, normalize, strategy};
use crate::step::Step;

/// A strategy and options as given, in the order in which they hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Asked {
    /// A strategy's name.
    pub strategy: Option<String>,
    /// Options by name, with their values as text. A later one of the same name holds.
    pub options: Vec<(String, String)>,
}

/// A case, and where it comes from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Chosen {
    /// The case.
    pub case: Case,
    /// Whether it is the setting that the trace records. Anything else is a what-if.
    pub recorded: bool,
    /// What the trace records instead of a setting, where nobody can read it.
    pub unreadable: Option<OptionError>,
}

impl Asked {
    /// A strategy and options as given.
    pub fn new(strategy: Option<String>, options: Vec<(String, String)>) -> Self {
        Self { strategy, options }
    }

    /// The case for a step: its recorded setting, else the default strategy; then what was asked
    /// for. Options hold over when the strategy changes, as far as the other one has them.
    ///
    /// # Errors
    /// An unknown strategy, option or value; the error lists what is valid.
    pub fn case(&self, step: &Step) -> Result<Chosen, OptionError> {
        let setting = step.compression.as_ref().map(normalize);
        let (start, unreadable) = match setting {
            Some(Ok(case)) => (Some(case), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        let mut case = start.clone().unwrap_or_default();
        if let Some(name) = &self.strategy {
            case = case.with_strategy(strategy(name)?);
        }
        for (name, value) in &self.options {
            case.set(name, value)?;
        }
        Ok(Chosen {
            recorded: start.is_some_and(|start| start == case),
            case,
            unreadable,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn what_was_asked_for_holds_over_the_recorded_setting() {
        let mut step = Step::default();
        let none = Asked::default();
        let chosen = none.case(&step).expect("the default");
        assert_eq!(chosen.case.strategy.name(), "single-user-coalesced");
        assert!(!chosen.recorded);

        let options = [
            ("strategy", "rolling-window".into()),
            ("println_limit", 2.into()),
        ];
        let options = options.map(|(name, value): (_, Value)| (Value::string(name), value));
        step.compression = Some(Value::map(options.into_iter().collect()));
        let chosen = none.case(&step).expect("the recorded setting");
        assert_eq!(chosen.case.strategy.name(), "rolling-window");
        assert!(chosen.recorded);

        let asked = Asked::new(
            Some("aggressive".into()),
            vec![("token-budget".replace('-', "_"), "9".into())],
        );
        let chosen = asked.case(&step).expect("a case");
        assert_eq!(chosen.case.options.println_limit(), 2);
        assert_eq!(chosen.case.options.maybe_count("token_budget"), Some(9));
        assert!(!chosen.recorded);

        step.compression = Some(Value::Int(7));
        let chosen = none.case(&step).expect("the default");
        assert!(chosen.unreadable.is_some() && !chosen.recorded);
    }
}
