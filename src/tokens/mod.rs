//! Counting tokens with the tokenizers that models use, embedded: nothing is downloaded.
//!
//! A count is that of one message's content (analysis, "Tokens"); what looks like a special token is
//! plain text. Counts of pieces don't add up in general; those of [`Joinable`] do. A tokenizer's
//! dictionary is read when it is first used, which takes a moment: who draws, asks for it on another
//! thread.

mod joinable;
mod lines;
mod memo;

pub use joinable::Joinable;
pub(crate) use lines::Lines;
pub(crate) use memo::Begin;
pub use memo::Memo;

/// A way of counting tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Tokenizer {
    /// OpenAI's newer models.
    #[default]
    O200k,
    /// OpenAI's older models.
    Cl100k,
    /// Four code points a token, rounded up, message by message.
    Estimate,
}

impl Tokenizer {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::O200k, Self::Cl100k, Self::Estimate];

    /// Their names, in the same order.
    pub const NAMES: &[&str] = &["o200k_base", "cl100k_base", "estimate"];

    /// The name in settings and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200k => "o200k_base",
            Self::Cl100k => "cl100k_base",
            Self::Estimate => "estimate",
        }
    }

    /// The tokenizer of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|tokenizer| tokenizer.name() == name)
    }

    /// The tokenizer at a place in [`Tokenizer::ALL`]; the default where there is none.
    pub fn at(index: usize) -> Self {
        Self::ALL.get(index).copied().unwrap_or_default()
    }

    fn bytes_pairs(self) -> Option<&'static bpe_openai::Tokenizer> {
        match self {
            Self::O200k => Some(bpe_openai::o200k_base()),
            Self::Cl100k => Some(bpe_openai::cl100k_base()),
            Self::Estimate => None,
        }
    }

    /// Whether the recorded model is known to use this tokenizer, so that its counts are exact for
    /// it; all other counts carry a `~`.
    pub fn is_exact_for(self, model: Option<&str>) -> bool {
        // A provider's prefix, as in `openai/gpt-4o`, says nothing about the tokenizer.
        let model = model.map(|model| model.rsplit(['/', ':']).next().unwrap_or(model));
        let begins = |names: &[&str]| {
            model.is_some_and(|model| names.iter().any(|name| model.starts_with(name)))
        };
        let newer = begins(&[
            "gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "o1", "o3", "o4-mini",
        ]);
        match self {
            Self::O200k => newer,
            Self::Cl100k => !newer && begins(&["gpt-4", "gpt-3.5-turbo"]),
            Self::Estimate => false,
        }
    }

    /// Whether a model is known to be one of OpenAI's.
    pub fn is_openai(model: Option<&str>) -> bool {
        [Self::O200k, Self::Cl100k]
            .into_iter()
            .any(|tokenizer| tokenizer.is_exact_for(model))
    }

    /// The tokens of a message's content.
    pub fn count(self, content: &str) -> usize {
        match self.bytes_pairs() {
            Some(tokenizer) => tokenizer.count(content),
            None => code_points(content).div_ceil(POINTS),
        }
    }

    /// As [`Tokenizer::count`], for as long as it `goes_on`, which is asked every now and then; none once
    /// it doesn't. A line is counted at once, however long it is.
    pub fn count_while(self, content: &str, goes_on: &dyn Fn() -> bool) -> Option<usize> {
        if self == Self::Estimate {
            return goes_on().then(|| self.count(content));
        }
        let (mut tokens, mut from) = (0, 0);
        for cut in joinable::cuts(content).chain([content.len()]) {
            if cut - from < STRETCH && cut < content.len() {
                continue;
            }
            if !goes_on() {
                return None;
            }
            tokens += self.count(&content[from..cut]);
            from = cut;
        }
        Some(tokens)
    }

    /// The token ids of a message's content; none for [`Tokenizer::Estimate`].
    pub fn ids(self, content: &str) -> Vec<u32> {
        self.bytes_pairs()
            .map_or_else(Vec::new, |tokenizer| tokenizer.encode(content))
    }
}

/// Bytes of a text that are counted between two looks at whether it goes on: a millisecond's work.
const STRETCH: usize = 16 << 10;

/// Code points that [`Tokenizer::Estimate`] takes for a token.
const POINTS: usize = 4;

/// Code points of a text.
pub fn code_points(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    }
}

/// Tokens of a message's content by [`Tokenizer::Estimate`].
pub fn estimate(content: &str) -> usize {
    Tokenizer::Estimate.count(content)
}

/// Tokens by the stretch of text that their last byte is in: `ends` are the stretches' ends in bytes,
/// ascending, the last one the end of the text (analysis, "Tokens").
pub fn shares(
    tokenizer: Tokenizer,
    text: &str,
    memo: &Memo,
    ends: impl Iterator<Item = usize>,
) -> Vec<usize> {
    let mut counts = Vec::new();
    let mut tokens = token_ends(tokenizer, text, memo).into_iter().peekable();
    for end in ends {
        let mut count = 0;
        while tokens.next_if(|&token| token <= end).is_some() {
            count += 1;
        }
        counts.push(count);
    }
    counts
}

/// The byte behind each token.
fn token_ends(tokenizer: Tokenizer, text: &str, memo: &Memo) -> Vec<usize> {
    let Some(dictionary) = tokenizer.bytes_pairs() else {
        let mut ends: Vec<usize> = text
            .char_indices()
            .skip(POINTS)
            .step_by(POINTS)
            .map(|(at, _)| at)
            .collect();
        ends.extend((!text.is_empty()).then_some(text.len()));
        return ends;
    };
    let ids = memo.ids(tokenizer, text);
    let mut end = 0;
    let length = |id: &u32| {
        end += dictionary.bpe.token_len(*id);
        end
    };
    ids.iter().map(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for (tokenizer, name) in Tokenizer::ALL.into_iter().zip(Tokenizer::NAMES) {
            assert_eq!(tokenizer.name(), *name);
            assert_eq!(Tokenizer::from_name(name), Some(tokenizer));
        }
        assert_eq!(Tokenizer::from_name("p50k_base"), None);
    }

    #[test]
    fn what_looks_like_a_special_token_is_plain_text() {
        assert!(Tokenizer::O200k.count("<|endoftext|>") > 1);
        assert!(Tokenizer::Cl100k.count("<|endoftext|>") > 1);
    }

    #[test]
    fn a_token_counts_where_its_last_byte_is() {
        let memo = Memo::default();
        let text = "abcdefghij";
        let shares = shares(Tokenizer::Estimate, text, &memo, [3, 4, 10].into_iter());
        assert_eq!(shares, [0, 1, 2]);
        assert_eq!(
            token_ends(Tokenizer::Estimate, "", &memo),
            Vec::<usize>::new()
        );
        let text = "hello world";
        let shares = super::shares(Tokenizer::O200k, text, &memo, [3, 11].into_iter());
        assert_eq!(shares, [0, 2]);
    }

    #[test]
    fn a_count_that_is_broken_off_is_none_and_one_that_goes_on_is_exact() {
        let text = "a line\n  of text / and\n\n/another one\nwith 12 words\n".repeat(2_000);
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Estimate] {
            let asked = std::cell::Cell::new(0);
            let goes_on = || {
                asked.set(asked.get() + 1);
                true
            };
            let counted = tokenizer.count_while(&text, &goes_on);
            assert_eq!(counted, Some(tokenizer.count(&text)));
            assert!(tokenizer == Tokenizer::Estimate || asked.get() > 4);
            assert_eq!(tokenizer.count_while(&text, &|| asked.replace(0) > 2), None);
        }
    }

    #[test]
    fn counts_are_exact_for_models_that_count_so() {
        assert!(Tokenizer::O200k.is_exact_for(Some("openai/gpt-4o-mini")));
        assert!(Tokenizer::Cl100k.is_exact_for(Some("gpt-4-turbo")));
        assert!(!Tokenizer::O200k.is_exact_for(Some("claude-sonnet-4")));
        assert!(!Tokenizer::O200k.is_exact_for(None));
    }
}
