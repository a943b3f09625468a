//! The `turnscope` command: composes the commands with the inspector.

use std::process::ExitCode;

use turnscope::cli::{self, Hooks};

fn main() -> ExitCode {
    // Reports are for bugs: a panic. What goes wrong otherwise is one line of `cli`'s. Failing to
    // install only costs the better report.
    let _ = color_eyre::config::HookBuilder::default()
        .display_env_section(false)
        .install();
    ExitCode::from(cli::run(std::env::args_os(), &hooks()))
}

/// What the commands get of the inspector: how it is opened, and its keys. Without it, FILE is
/// printed.
fn hooks() -> Hooks {
    Hooks::default()
}
