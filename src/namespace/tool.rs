//! The `tool/` section [NS-001, FMT-001, FMT-004].

use std::fmt::Write as _;

use super::{Content, Origin};
use crate::step::Tool;
use crate::syntax::signature::Signature;

/// Appends the section: a line a tool, sorted by name.
pub fn section(out: &mut Content, tools: &[Tool]) {
    if tools.is_empty() {
        return;
    }
    out.part();
    out.text(Origin::Fixed, ";; === tool/ ===");
    for tool in sorted(tools) {
        out.piece(Origin::Tool(tool.name.clone()), |text| {
            text.push('\n');
            write_line(text, tool);
            if let Some(description) = tool.description.as_deref().filter(|d| !d.is_empty()) {
                let _ = write!(text, "  ; {description}");
            }
        });
    }
}

/// Tools in the order in which they are listed.
pub fn sorted(tools: &[Tool]) -> Vec<&Tool> {
    let mut sorted: Vec<&Tool> = tools.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    sorted
}

/// Writes `tool/NAME(params) -> type`. Without a signature, or with one that can't be read, it is
/// `() -> any`.
pub fn write_line(out: &mut String, tool: &Tool) {
    let signature = tool.signature.as_deref().and_then(Signature::parse_tool);
    let shown = signature.map_or_else(|| "() -> any".to_owned(), |s| s.display());
    let _ = write!(out, "tool/{}{shown}", tool.name);
}
