//! The messages of a prompt as one line of JSON. The form is frozen: scripts compare it byte for byte.

use super::ChatMessage;
use crate::text::escape_json;

/// An array of `{"role": .., "content": ..}` on one line, with a line end. Characters beyond ASCII
/// stand as they are; only what would act on a terminal is escaped.
pub fn messages(messages: &[ChatMessage]) -> String {
    let mut out = String::from("[");
    for (index, (role, content)) in messages.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        out.push_str("{\"role\": \"");
        out.push_str(role.name());
        out.push_str("\", \"content\": ");
        // A string always is JSON.
        let content = serde_json::to_string(&**content).unwrap_or_default();
        out.push_str(&escape_json(&content));
        out.push('}');
    }
    out.push_str("]\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::Role;

    #[test]
    fn the_form_is_frozen() {
        let chat = [
            (Role::System, "a \"b\"".into()),
            (Role::User, "渡\n\u{1b}\u{9b}\u{202e}".into()),
        ];
        assert_eq!(
            messages(&chat),
            "[{\"role\": \"system\", \"content\": \"a \\\"b\\\"\"}, \
             {\"role\": \"user\", \"content\": \"渡\\n\\u001b\\u009b\\u202e\"}]\n"
        );
        assert_eq!(messages(&[]), "[]\n");
    }
}
