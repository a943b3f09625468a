//! `--strategy`, `--option` and one flag for every option of every strategy.
//!
//! The flags come from the strategies' own tables, so a new strategy brings its flags along.

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use crate::compression::{Asked, Kind, OptionError, OptionSpec, SHARED, STRATEGIES};

/// The name that stands for what was really sent, where a strategy's name may stand.
pub const RECORDED: &str = "recorded";

/// The strategy and options that the command line names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct OptionFlags {
    pub(super) asked: Asked,
    /// Whether what the trace doesn't tell of definitions is taken from running its programs.
    pub(super) infer: bool,
}

impl OptionFlags {
    /// Whether anything was named.
    pub(super) fn is_empty(&self) -> bool {
        self.asked == Asked::default()
    }

    /// Whether what was really sent is asked for.
    pub(super) fn is_recorded(&self) -> bool {
        self.asked.strategy.as_deref() == Some(RECORDED)
    }
}

/// An error that names the valid strategies, with what may stand in their place on a command line.
pub(super) fn naming_recorded(mut error: OptionError) -> OptionError {
    if let OptionError::UnknownStrategy { valid, .. } = &mut error {
        valid.push(RECORDED);
    }
    error
}

/// An option as a strategy has it; as all have it, where none is named.
type Had = (&'static OptionSpec, Option<&'static str>);

/// Every name of an option there is, once, with the strategies that have it.
fn specs() -> Vec<Vec<Had>> {
    let mut specs: Vec<Vec<Had>> = SHARED.iter().map(|spec| vec![(spec, None)]).collect();
    for strategy in STRATEGIES {
        for spec in strategy.options() {
            let had = (spec, Some(strategy.name()));
            match specs.iter_mut().find(|known| known[0].0.name == spec.name) {
                Some(known) => known.push(had),
                None => specs.push(vec![had]),
            }
        }
    }
    specs
}

fn flag(had: &[Had]) -> Option<Arg> {
    let &(spec, _) = had.first()?;
    let default = |(spec, of): &Had| {
        let default = spec.display(spec.default);
        of.map_or_else(|| default.clone(), |name| format!("{default} in {name}"))
    };
    let help = match had {
        [(spec, Some(name))] => {
            let default = spec.display(spec.default);
            format!("{} ({name} only) [default: {default}]", spec.help)
        }
        several => {
            let defaults: Vec<String> = several.iter().map(default).collect();
            format!("{} [default: {}]", spec.help, defaults.join(", "))
        }
    };
    let arg = Arg::new(spec.name)
        .long(spec.name.replace('_', "-"))
        .help(help)
        .help_heading("Options of strategies")
        // So that -1 comes to the option, which says what it takes.
        .allow_hyphen_values(true);
    Some(match spec.kind {
        Kind::Flag => arg
            .value_name("true|false")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        Kind::Choice(words) => arg.value_name(words.join("|")),
        Kind::Count | Kind::MaybeCount => arg.value_name("N"),
    })
}

/// `NAME=VALUE`, the name with `_` or `-`.
fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| "NAME=VALUE is needed".to_owned())?;
    Ok((name.trim().replace('-', "_"), value.to_owned()))
}

impl clap::Args for OptionFlags {
    fn augment_args(command: Command) -> Command {
        let names: Vec<&str> = STRATEGIES.iter().map(|strategy| strategy.name()).collect();
        let strategy = Arg::new("strategy")
            .long("strategy")
            .value_name("NAME")
            .allow_hyphen_values(true)
            .help(format!(
                "How the history becomes a prompt: {}, or {RECORDED} for what was really sent; \
                 by default as the trace records it, else {}",
                names.join(", "),
                names.first().copied().unwrap_or_default()
            ))
            .help_heading("Options of strategies");
        let option = Arg::new("option")
            .long("option")
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .value_parser(pair)
            .help("Any option of any strategy")
            .help_heading("Options of strategies");
        let command = command.arg(strategy);
        let flags: Vec<Arg> = specs().iter().filter_map(|had| flag(had)).collect();
        let infer = Arg::new("infer_definitions")
            .long("infer-definitions")
            .action(ArgAction::SetTrue)
            .help(
                "Take the order of definitions, docstrings and return types that the trace doesn't \
                 tell from running its programs on recorded results",
            )
            .help_heading("Options of strategies");
        command.args(flags).arg(option).arg(infer)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OptionFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let named = specs().into_iter().filter_map(|had| {
            let (spec, _) = *had.first()?;
            let value = text(spec.name)?;
            Some((spec.name.to_owned(), value))
        });
        let pairs = matches.get_many::<(String, String)>("option");
        let options = named.chain(pairs.into_iter().flatten().cloned()).collect();
        Ok(Self {
            asked: Asked::new(text("strategy"), options),
            infer: matches.get_flag("infer_definitions"),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args as _;

    #[test]
    fn every_option_of_every_strategy_has_a_flag() {
        let command = OptionFlags::augment_args(Command::new("test"));
        let flags: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
        for strategy in STRATEGIES {
            for spec in SHARED.iter().chain(strategy.options()) {
                assert!(flags.contains(&spec.name.replace('_', "-").as_str()));
            }
        }
        command.debug_assert();
    }

    #[test]
    fn flags_and_pairs_are_read() {
        let command = OptionFlags::augment_args(Command::new("test"));
        let line = "test --strategy rolling-window --println-limit -1 --collapse-repeats \
                    --option sample-limit=2 --option window=1";
        let matches = command.get_matches_from(line.split_whitespace());
        let flags = OptionFlags::from_arg_matches(&matches).expect("flags");
        let expected = [
            ("println_limit", "-1"),
            ("collapse_repeats", "true"),
            ("sample_limit", "2"),
            ("window", "1"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let asked = Asked::new(Some("rolling-window".into()), expected.to_vec());
        assert_eq!(flags.asked, asked);
    }
}
