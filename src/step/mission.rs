//! A mission as a title.

use std::borrow::Cow;

use super::Step;

impl Step {
    /// The mission as a title has it: a slash command as it was typed, without what Claude Code wraps
    /// it in (`formats/claude-code.md`). The mission itself stays as it is.
    pub fn mission_title(&self) -> Option<Cow<'_, str>> {
        self.mission.as_deref().map(title)
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
        return Cow::Borrowed(mission);
    }
    let name = inside(mission, "command-name").or_else(|| inside(mission, "command-message"));
    match (name, inside(mission, "command-args")) {
        (Some(name), Some(args)) => Cow::Owned(format!("{name} {args}")),
        (Some(told), None) | (None, Some(told)) => Cow::Borrowed(told),
        (None, None) => Cow::Borrowed(mission),
    }
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
}
