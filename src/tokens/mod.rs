//! Counting tokens.
//!
//! `estimate` is the only tokenizer so far: four code points a token, rounded up, message by message
//! (analysis, "Tokens"). It is an estimate and is called one wherever its figures are shown.

/// Tokens of a message's content by the `estimate` tokenizer.
pub fn estimate(content: &str) -> usize {
    let code_points = if content.is_ascii() {
        content.len()
    } else {
        content.chars().count()
    };
    code_points.div_ceil(4)
}
