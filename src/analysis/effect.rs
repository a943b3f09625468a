//! What is known of the tools that agents bring along: whether a call of one changes anything.
//!
//! The names are those that the agents' traces have: Claude Code, Codex, Gemini CLI, opencode,
//! OpenHands, SWE-agent. Of shells and of tools that people make themselves nothing is known.

use crate::step::ToolCall;

/// What a call does to the world it looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It leaves everything as it is.
    Reads,
    /// It changes something.
    Writes,
}

const READS: &[&str] = &[
    "bashoutput",
    "find_file",
    "glob",
    "google_web_search",
    "grep",
    "grep_files",
    "list_dir",
    "list_directory",
    "ls",
    "notebookread",
    "read",
    "read_file",
    "read_many_files",
    "scroll_down",
    "scroll_up",
    "search_dir",
    "search_file",
    "search_file_content",
    "think",
    "todoread",
    "todowrite",
    "view_image",
    "web_fetch",
    "web_search",
    "webfetch",
    "websearch",
];

const WRITES: &[&str] = &[
    "apply_patch",
    "edit",
    "multiedit",
    "notebookedit",
    "patch",
    "replace",
    "write",
    "write_file",
];

/// Editors whose `command` says what they do.
const EDITORS: &[&str] = &[
    "file_editor",
    "str_replace_based_edit_tool",
    "str_replace_editor",
];

/// What a call does, where that is known. A call that failed changed nothing.
pub(super) fn effect(call: &ToolCall) -> Option<Effect> {
    let name = call.name.to_ascii_lowercase();
    let is_in = |names: &[&str]| names.binary_search(&name.as_str()).is_ok();
    let writes = if EDITORS.contains(&name.as_str()) {
        call.args.get_some("command")?.as_str()? != "view"
    } else if is_in(WRITES) {
        true
    } else if is_in(READS) {
        false
    } else {
        return None;
    };
    Some(if writes && call.error.is_none() {
        Effect::Writes
    } else {
        Effect::Reads
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_known_once() {
        for names in [READS, WRITES] {
            assert!(names.is_sorted(), "{names:?}");
        }
        assert!(READS.iter().all(|name| !WRITES.contains(name)));
    }
}
