//! What providers' prompt caches do, as data (analysis, "Cache").

/// A provider's prompt cache. Each value can be overridden.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::exhaustive_structs)] // data that a person may change
pub struct Profile {
    /// The name on the command line.
    pub name: &'static str,
    /// What it stands for.
    pub help: &'static str,
    /// Where the values are told; empty where there is no provider.
    pub source: &'static str,
    /// When that was read; empty where there is no provider.
    pub read_on: &'static str,
    /// Tokens under which nothing is cached.
    pub minimum: usize,
    /// The cached prefix is a multiple of so many tokens.
    pub step: usize,
    /// Only whole messages are cached.
    pub whole_messages: bool,
    /// Seconds that a prefix stays cached after its last use; without timestamps it is taken to be alive.
    pub lifetime: Option<u32>,
    /// What a token costs that is read from the cache.
    pub cached: f64,
    /// What a token costs that is neither read nor written.
    pub fresh: f64,
    /// What a token costs that is written to the cache.
    pub written: f64,
}

const RAW: Profile = Profile {
    name: "raw",
    help: "the equal prefix as it is",
    source: "",
    read_on: "",
    minimum: 0,
    step: 1,
    whole_messages: false,
    lifetime: None,
    cached: 0.1,
    fresh: 1.0,
    written: 1.0,
};

const ANTHROPIC: Profile = Profile {
    name: "anthropic",
    help: "whole messages from the model's minimum on (1,024 to 4,096 tokens), for 5 minutes; an upper bound",
    source: "https://platform.claude.com/docs/en/build-with-claude/prompt-caching",
    read_on: "2026-11-28",
    minimum: 1024,
    whole_messages: true,
    lifetime: Some(5 * 60),
    written: 1.25,
    ..RAW
};

/// The profiles there are, the default first.
///
/// The `anthropic` ones are an upper bound, since breakpoints aren't recorded: every message is taken
/// to end with one. Their minimum is the model's, where it is known ([`Profile::for_model`]).
pub const PROFILES: &[Profile] = &[
    RAW,
    Profile {
        name: "openai",
        help: "from 1,024 tokens, in steps of 128",
        source: "https://developers.openai.com/api/docs/guides/prompt-caching",
        read_on: "2026-11-28",
        minimum: 1024,
        step: 128,
        ..RAW
    },
    ANTHROPIC,
    Profile {
        name: "anthropic-1h",
        help: "as anthropic, for an hour",
        lifetime: Some(60 * 60),
        written: 2.0,
        ..ANTHROPIC
    },
];

/// Minimums that differ from the profile's, by what a model's name has in it: the first that fits
/// holds. Read where [`ANTHROPIC`] was.
const MINIMUMS: [(&str, usize); 6] = [
    ("opus-4-5", 4096),
    ("opus-4-6", 4096),
    ("haiku-4-5", 4096),
    ("3-5-haiku", 2048),
    ("3-haiku", 2048),
    ("haiku-3", 2048),
];

impl Default for Profile {
    fn default() -> Self {
        RAW
    }
}

/// What can be overridden.
const VALUES: &str = "minimum, step, lifetime, cached, fresh, written";

impl Profile {
    /// The profile of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        PROFILES
            .iter()
            .find(|profile| profile.name == name)
            .copied()
    }

    /// The profile of a model's provider; `raw` where that isn't known.
    pub fn of_model(model: Option<&str>) -> Self {
        let name = match model.map(plain) {
            Some(model) if model.starts_with("claude") => "anthropic",
            Some(model) if crate::tokens::Tokenizer::is_openai(Some(model)) => "openai",
            _ => "raw",
        };
        Self::from_name(name).unwrap_or_default().for_model(model)
    }

    /// With the minimum of a model, where its provider has one of its own for it.
    #[must_use]
    pub fn for_model(mut self, model: Option<&str>) -> Self {
        let found = MINIMUMS.iter().find(|(part, _)| {
            self.whole_messages && model.is_some_and(|model| model.replace('.', "-").contains(part))
        });
        if let Some((_, minimum)) = found {
            self.minimum = *minimum;
        }
        self
    }

    /// Reads `NAME` or `NAME,VALUE=NUMBER,..`, such as `anthropic,minimum=4096`; `auto` is the profile
    /// of the model's provider.
    ///
    /// # Errors
    /// Says which names or values are valid.
    pub fn parse(text: &str, model: Option<&str>) -> Result<Self, String> {
        let mut parts = text.split(',').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let mut profile = match Self::from_name(name) {
            Some(found) => found.for_model(model),
            None if name == "auto" => Self::of_model(model),
            None => {
                let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
                let names = names.join(", ");
                return Err(format!("unknown profile '{name}'; valid: auto, {names}"));
            }
        };
        for part in parts {
            let wrong = || {
                format!(
                    "'{part}' is no value of a profile; VALUE=NUMBER is needed, values: {VALUES}"
                )
            };
            let (value, number) = part.split_once('=').ok_or_else(wrong)?;
            let count = || number.parse().map_err(|_| wrong());
            let factor = || match number.parse() {
                Ok(factor) if f64::is_finite(factor) && factor >= 0.0 => Ok(factor),
                _ => Err(wrong()),
            };
            match value {
                "minimum" => profile.minimum = count()?,
                "step" => profile.step = count()?,
                "lifetime" => profile.lifetime = Some(number.parse().map_err(|_| wrong())?),
                "cached" => profile.cached = factor()?,
                "fresh" => profile.fresh = factor()?,
                "written" => profile.written = factor()?,
                _ => return Err(wrong()),
            }
        }
        Ok(profile)
    }

    /// What the provider caches of an equal prefix of so many tokens.
    pub fn cached_of(&self, equal: usize) -> usize {
        if equal < self.minimum {
            0
        } else {
            equal - equal % self.step.max(1)
        }
    }
}

/// A model's name without a provider's before it.
fn plain(model: &str) -> &str {
    model.rsplit(['/', ':']).next().unwrap_or(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provider_is_told_by_the_model() {
        let name = |model| Profile::of_model(model).name;
        assert_eq!(name(Some("claude-sonnet-4-5")), "anthropic");
        assert_eq!(name(Some("openai/gpt-4o-mini")), "openai");
        assert_eq!(name(Some("my-model")), "raw");
        assert_eq!(name(None), "raw");
        assert_eq!(
            Profile::of_model(Some("anthropic/claude-opus-4.5")).minimum,
            4096
        );
        assert_eq!(Profile::of_model(Some("claude-opus-4-1")).minimum, 1024);
    }

    #[test]
    fn values_are_overridden() {
        let read = Profile::parse("openai,minimum=10,step=4,cached=0.5", None);
        let read = read.expect("a profile");
        assert_eq!((read.minimum, read.step), (10, 4));
        assert_eq!((read.cached_of(9), read.cached_of(15)), (0, 12));
        for wrong in [
            "opnai",
            "raw,minimum",
            "raw,minimum=x",
            "raw,cached=-1",
            "raw,x=1",
        ] {
            assert!(Profile::parse(wrong, None).is_err(), "{wrong}");
        }
    }
}
