//! What the model saw of a call's end. A failed call may have both a result and an error; the error is
//! then often no text that anybody was sent, but a mark that a loader made of an exit code.

use super::{ToolCall, Turn};
use crate::value::Value;

/// What loaders write where a trace marks a call as failed and has no words for why.
const MARKS: [&str; 2] = ["failed", "error"];
/// What stands before the number where they make an error of an exit code.
const CODES: [&str; 2] = ["exit code ", "return code "];

/// What the model saw of a call's end; neither where nothing is recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Seen<'a> {
    /// What the tool answered.
    pub result: Option<&'a Value>,
    /// Why it failed, where that says more than the result does.
    pub error: Option<&'a Value>,
}

impl ToolCall {
    /// What the model saw of its end.
    #[must_use]
    pub fn seen(&self) -> Seen<'_> {
        let error = self.error.as_ref();
        let is_empty = |result: &Value| result.is_nil() || result.as_str() == Some("");
        let result = self.result.get();
        match result.filter(|result| error.is_none() || !is_empty(result)) {
            Some(result) => Seen {
                result: Some(result),
                error: error.filter(|error| adds(error, result)),
            },
            None => Seen {
                result: None,
                error,
            },
        }
    }
}

impl Turn {
    /// What the model saw of the turn's result or error: not why it could not be asked, nor the mark of
    /// a command of which it saw the output.
    #[must_use]
    pub fn seen_result(&self) -> Option<&Value> {
        let result = self.result().get()?;
        let is_mark = result.as_str().is_some_and(is_mark);
        let is_unseen = self.failed() && is_mark && !self.prints().is_empty();
        (!is_unseen && !self.request_failed()).then_some(result)
    }
}

/// Whether an error tells what the result beside it doesn't.
fn adds(error: &Value, result: &Value) -> bool {
    let told = error
        .get_some("message")
        .or_else(|| error.get_some("reason"));
    match (told.unwrap_or(error), result) {
        (Value::Str(error), _) if is_mark(error) => false,
        (Value::Str(error), Value::Str(result)) => !result.contains(&**error),
        _ => error != result,
    }
}

fn is_mark(error: &str) -> bool {
    let mut codes = CODES.iter().filter_map(|code| error.strip_prefix(code));
    MARKS.contains(&error) || codes.any(|code| code.parse::<i64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::Field;

    fn seen(result: &str, error: &str) -> (bool, bool) {
        let mut call = ToolCall::new("run", Value::Nil);
        call.result = Field::Recorded(result.into());
        call.error = Some(error.into());
        let seen = call.seen();
        (seen.result.is_some(), seen.error.is_some())
    }

    #[test]
    fn an_error_is_seen_where_the_result_lacks_it() {
        assert_eq!(seen("E assert 3 == 4", "exit code 1"), (true, false));
        assert_eq!(seen("no such file", "return code -2"), (true, false));
        assert_eq!(seen("no such file", "failed"), (true, false));
        assert_eq!(seen("Error: no such file", "no such file"), (true, false));
        assert_eq!(seen("half of it", "timed out"), (true, true));
        assert_eq!(seen("half of it", "exit code unknown"), (true, true));
        assert_eq!(seen("", "exit code 1"), (false, true));
    }
}
