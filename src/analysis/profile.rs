//! What providers' prompt caches do, as data (analysis, "Cache").

/// A provider's prompt cache. Each value can be overridden.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::exhaustive_structs)] // data that a person may change
pub struct Profile {
    /// The name on the command line.
    pub name: &'static str,
    /// What it stands for.
    pub help: &'static str,
    /// When the provider's page was read; empty where there is no provider.
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
    read_on: "",
    minimum: 0,
    step: 1,
    whole_messages: false,
    lifetime: None,
    cached: 0.1,
    fresh: 1.0,
    written: 1.0,
};

/// The profiles there are, the default first.
///
/// `anthropic` is an upper bound, since breakpoints aren't recorded: every message is taken to end
/// with one. Its minimum is that of most models; the small ones' is higher (`minimum`).
pub const PROFILES: &[Profile] = &[
    RAW,
    Profile {
        name: "openai",
        help: "from 1,024 tokens, in steps of 128",
        read_on: "2026-11-27",
        minimum: 1024,
        step: 128,
        ..RAW
    },
    Profile {
        name: "anthropic",
        help: "whole messages from 1,024 tokens, for 5 minutes; an upper bound",
        read_on: "2026-11-27",
        minimum: 1024,
        whole_messages: true,
        lifetime: Some(5 * 60),
        written: 1.25,
        ..RAW
    },
    Profile {
        name: "anthropic-1h",
        help: "as anthropic, for an hour",
        read_on: "2026-11-27",
        minimum: 1024,
        whole_messages: true,
        lifetime: Some(60 * 60),
        written: 2.0,
        ..RAW
    },
];

impl Default for Profile {
    fn default() -> Self {
        RAW
    }
}

impl Profile {
    /// The profile of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        PROFILES
            .iter()
            .find(|profile| profile.name == name)
            .copied()
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
