//! Thinking that a model wrote into its text: what stands between `<think>` and `</think>`.

use std::borrow::Cow;
use std::sync::Arc;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The thoughts in a text, and what else it says. Where the prompt ended in the tag that opens, the text has
/// only the one that closes; what is opened and never closed stays.
pub(super) fn apart(text: &str) -> (Vec<Arc<str>>, Cow<'_, str>) {
    let (mut thoughts, mut said, mut rest) = (Vec::new(), String::new(), text);
    if let (open, Some(close)) = (tag(text, OPEN), tag(text, CLOSE))
        && open.is_none_or(|open| close < open)
    {
        thoughts.push(text[..close].trim().into());
        rest = &text[close + CLOSE.len()..];
    }
    while let Some(open) = tag(rest, OPEN) {
        let inside = &rest[open + OPEN.len()..];
        let Some(close) = tag(inside, CLOSE) else {
            break;
        };
        said.push_str(&rest[..open]);
        thoughts.push(inside[..close].trim().into());
        rest = &inside[close + CLOSE.len()..];
    }
    if thoughts.is_empty() {
        return (thoughts, Cow::Borrowed(text));
    }
    said.push_str(rest);
    (thoughts, Cow::Owned(said.trim_start().to_owned()))
}

/// Where a tag stands first; one in backticks is spoken of.
fn tag(text: &str, tag: &str) -> Option<usize> {
    let mut places = text.match_indices(tag).map(|(at, _)| at);
    places.find(|at| !text[..*at].ends_with('`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_stand_anywhere_in_a_text() {
        for (text, thoughts, said) in [
            ("said", &[][..], "said"),
            ("<think>t</think>\n\nsaid", &["t"], "said"),
            (
                "a <think>t</think>b <think>u</think>c",
                &["t", "u"],
                "a b c",
            ),
            ("t</think>said", &["t"], "said"),
            ("<think>never closed", &[], "<think>never closed"),
            (
                "the tag `<think>` and `</think>`",
                &[],
                "the tag `<think>` and `</think>`",
            ),
        ] {
            let (found, left) = apart(text);
            let found: Vec<&str> = found.iter().map(|thought| &**thought).collect();
            assert_eq!((found.as_slice(), &*left), (thoughts, said), "{text}");
        }
    }
}
