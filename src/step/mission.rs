//! A mission as a title.

use std::borrow::Cow;

use super::Step;

impl Step {
    /// The mission as a title has it: a slash command as it was typed, without what Claude Code wraps
    /// it in (`formats/claude-code.md`), and what a person asks rather than a tag before it. The mission
    /// itself stays as it is.
    pub fn mission_title(&self) -> Option<Cow<'_, str>> {
        let mission = self.mission.as_deref()?;
        if mission.trim().is_empty() {
            return Some(Cow::Borrowed("the mission is empty"));
        }
        Some(title(mission))
    }
}

/// What is told between two tags.
fn inside<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (told, _) = rest.split_once(&format!("</{name}>"))?;
    Some(told.trim()).filter(|told| !told.is_empty())
}

fn title(mission: &str) -> Cow<'_, str> {
    if !mission.trim_start().starts_with("<command-") {
        let told = issue(mission).or_else(|| asked(mission));
        return Cow::Borrowed(told.unwrap_or(mission));
    }
    let name = inside(mission, "command-name").or_else(|| inside(mission, "command-message"));
    match (name, inside(mission, "command-args")) {
        (Some(name), Some(args)) => Cow::Owned(format!("{name} {args}")),
        (Some(told), None) | (None, Some(told)) => Cow::Borrowed(told),
        (None, None) => Cow::Borrowed(mission),
    }
}

/// How SWE-agent and Terminus hand a task over, in words that are the same each time, and what they
/// write before it.
const HANDED_OVER: [(&str, &str); 2] = [
    ("We're currently solving", "\nISSUE:"),
    (
        "You are an AI assistant tasked with solving command-line tasks",
        "Task Description:",
    ),
];

/// The issue within the words in which agents are handed it.
fn issue(mission: &str) -> Option<&str> {
    let start = mission.trim_start();
    let mut templates = HANDED_OVER.iter();
    if let Some((_, before)) = templates.find(|(words, _)| start.starts_with(words)) {
        let (_, issue) = start.split_once(before)?;
        return Some(issue.trim()).filter(|issue| !issue.is_empty());
    }
    let is_template = ["<uploaded_files>", "I've uploaded"]
        .iter()
        .any(|words| start.starts_with(words));
    let tags = ["pr_description", "issue_description"].iter();
    let mut found = tags.filter_map(|name| inside(start, name));
    found.next().filter(|_| is_template)
}

/// What is asked where a mission begins with the row of a tag: what stands behind what it holds, such
/// as the files that were uploaded, else what it holds.
fn asked(mission: &str) -> Option<&str> {
    let (first, rest) = mission.trim_start().split_once('\n')?;
    let name = first.trim_end().strip_prefix('<')?.strip_suffix('>')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let (held, behind) = rest.split_once(&format!("</{name}>"))?;
    let behind = Some(behind.trim()).filter(|text| !text.is_empty() && !text.starts_with('<'));
    behind.or(Some(held.trim())).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_command_is_a_title_as_it_was_typed() {
        let wrapped = "<command-message>plan is running…</command-message>\n\
                       <command-name>/plan</command-name>\n<command-args>a list</command-args>";
        assert_eq!(title(wrapped), "/plan a list");
        assert_eq!(title("<command-name>/plan</command-name>"), "/plan");
        let open = "<command-name>/plan";
        assert_eq!(title(open), open);
        let quoted = "What is <command-name>/plan</command-name>?";
        assert_eq!(title(quoted), quoted);
    }

    #[test]
    fn a_tag_is_no_title() {
        let files = "<uploaded_files>\n/workspace\n</uploaded_files>\nI've uploaded a repository.";
        assert_eq!(title(files), "I've uploaded a repository.");
        let issue = "<uploaded_files>\n/w\n</uploaded_files>\nConsider this:\n\
                     <pr_description>\nIt breaks.\n</pr_description>\nHelp me.";
        assert_eq!(title(issue), "It breaks.");
        let issue = "We're currently solving the following issue.\nISSUE:\nIt breaks.\nDo so.";
        assert_eq!(title(issue), "It breaks.\nDo so.");
        let wrapped = "<task>\nFix it\n</task>\n<environment>\nx\n</environment>";
        assert_eq!(title(wrapped), "Fix it");
        for plain in ["<b>\nopen", "<x y>\na\n</x y>", "<a>\n</a>", "a < b\nc"] {
            assert_eq!(title(plain), plain);
        }
    }
}
