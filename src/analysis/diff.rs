//! Two texts by line: what `diff` shows of two prompts or two runs (analysis, "Diff").

use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};

/// A unified diff with three lines of context, without file headers; empty where the texts are equal.
pub fn unified(before: &str, after: &str) -> String {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let printer = BasicLineDiffPrinter(&input.interner);
    let config = UnifiedDiffConfig::default();
    diff.unified_diff(&printer, config, &input).to_string()
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn changed_lines_stand_between_equal_ones() {
        assert_eq!(
            unified("a\nb\nc\n", "a\nx\nc\n"),
            "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"
        );
        assert_eq!(unified("a\n", "a\n"), "");
    }
}
