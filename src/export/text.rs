//! The messages of a prompt as text for people.

use super::ChatMessage;
use crate::text::clean_line;

/// Each message under a line `[role]`, a blank line between two. Tabs are expanded, and what would
/// act on a terminal shows as a sign.
pub fn messages(messages: &[ChatMessage]) -> String {
    let mut out = String::new();
    for (index, (role, content)) in messages.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push('[');
        out.push_str(role.name());
        out.push_str("]\n");
        for line in content.split('\n') {
            out.push_str(&clean_line(line));
            out.push('\n');
        }
    }
    out
}
