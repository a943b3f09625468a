//! What is known of a text's tokens: found when it is first asked for, and kept beside the text.

use std::sync::{Arc, OnceLock};

use super::joinable::last_cut;
use super::{Lines, Tokenizer};

/// The token ids of one text, or their number alone. It belongs beside the text and goes with it; it
/// takes no part in comparisons.
#[derive(Debug, Default)]
pub struct Memo {
    o200k: Kept,
    cl100k: Kept,
    /// What the text begins with.
    begin: Option<Begin>,
}

/// A text that another one begins with, with what is known of it.
#[derive(Debug, Clone)]
pub(crate) struct Begin {
    pub(crate) text: Arc<str>,
    pub(crate) memo: Arc<Memo>,
}

/// What is known by one tokenizer. Counting costs less than finding the ids, and is all that most texts
/// are asked for.
#[derive(Debug, Default)]
struct Kept {
    ids: OnceLock<Arc<[u32]>>,
    count: OnceLock<usize>,
}

impl PartialEq for Memo {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Memo {}

impl Memo {
    /// Of a text that begins with another one: of that, only what lies behind the last place where no
    /// token can lie across is counted once more.
    pub(crate) fn continuing(begin: Begin) -> Self {
        Self {
            begin: Some(begin),
            ..Self::default()
        }
    }

    /// The ids of the text that this belongs to; none for [`Tokenizer::Estimate`].
    pub fn ids(&self, tokenizer: Tokenizer, text: &str) -> Arc<[u32]> {
        let Some(kept) = self.kept(tokenizer) else {
            return Arc::default();
        };
        let find = || match self.settled() {
            Some((begin, cut)) => {
                let known = begin.memo.ids(tokenizer, &begin.text);
                let again = tokenizer.ids(&begin.text[cut..]).len();
                let mut ids = known[..known.len() - again].to_vec();
                ids.extend(tokenizer.ids(&text[cut..]));
                ids.into()
            }
            None => tokenizer.ids(text).into(),
        };
        Arc::clone(kept.ids.get_or_init(find))
    }

    /// The tokens of the text that this belongs to.
    pub fn count(&self, tokenizer: Tokenizer, text: &str) -> usize {
        self.count_with(tokenizer, text, |text| tokenizer.count(text))
    }

    /// The same, for a text that has most lines in common with others that were counted so.
    pub(crate) fn count_by(&self, lines: &mut Lines, text: &str) -> usize {
        self.count_with(lines.tokenizer(), text, |text| lines.count(text))
    }

    fn count_with(
        &self,
        tokenizer: Tokenizer,
        text: &str,
        count: impl FnOnce(&str) -> usize,
    ) -> usize {
        let Some(kept) = self.kept(tokenizer) else {
            return tokenizer.count(text);
        };
        if let Some(ids) = kept.ids.get() {
            return ids.len();
        }
        let find = || match self.settled() {
            Some((begin, cut)) => {
                let known = begin.memo.count(tokenizer, &begin.text);
                let again = tokenizer.count(&begin.text[cut..]);
                known - again + count(&text[cut..])
            }
            None => count(text),
        };
        *kept.count.get_or_init(find)
    }

    fn kept(&self, tokenizer: Tokenizer) -> Option<&Kept> {
        match tokenizer {
            Tokenizer::O200k => Some(&self.o200k),
            Tokenizer::Cl100k => Some(&self.cl100k),
            Tokenizer::Estimate => None,
        }
    }

    /// What the text begins with, and the byte up to which its tokens are those of the text.
    fn settled(&self) -> Option<(&Begin, usize)> {
        let begin = self.begin.as_ref()?;
        Some((begin, last_cut(&begin.text)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_that_goes_on_counts_as_a_whole(
            begin in "[ab /\n=é]{0,30}", more in "[ab /\n=é]{0,12}", asked in 0..3usize,
        ) {
            let text = format!("{begin}{more}");
            for tokenizer in Tokenizer::ALL {
                let known = Arc::new(Memo::default());
                let begin = Begin { text: begin.as_str().into(), memo: Arc::clone(&known) };
                // Whatever was known of it before.
                match asked {
                    1 => drop(known.ids(tokenizer, &begin.text)),
                    2 => { known.count(tokenizer, &begin.text); }
                    _ => {}
                }
                let memo = Memo::continuing(begin.clone());
                prop_assert_eq!(memo.count(tokenizer, &text), tokenizer.count(&text));
                prop_assert_eq!(&*memo.ids(tokenizer, &text), tokenizer.ids(&text));
            }
        }
    }
}
