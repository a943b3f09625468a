//! The `turnscope` command: composes the commands with the inspector.

use std::process::ExitCode;

use turnscope::cli::{self, Hooks};

/// A trace is many small values, which one thread makes and another frees: to open one takes the
/// system's allocator up to half as much again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Reports are for bugs: a panic. What goes wrong otherwise is one line of `cli`'s. Failing to
    // install only costs the better report.
    let _ = color_eyre::config::HookBuilder::default()
        .display_env_section(false)
        .install();
    ExitCode::from(cli::run(std::env::args_os(), &hooks()))
}

/// What the commands get of the inspector: how it is opened, and its keys.
#[cfg(feature = "tui")]
fn hooks() -> Hooks {
    use turnscope::tui;
    Hooks::new(inspect, tui::command::markdown, |keys| {
        tui::keymap::Keymap::new(keys).1
    })
}

/// Without the inspector, FILE is printed.
#[cfg(not(feature = "tui"))]
fn hooks() -> Hooks {
    Hooks::default()
}

#[cfg(feature = "tui")]
fn inspect(asked: &cli::Inspect) -> Result<(), turnscope::Error> {
    use turnscope::tui::{self, Setup, app::Start, keymap::Keymap, reading::Files, theme::Theme};
    use turnscope::{demo, load, tokens::Tokenizer};

    let start = Start {
        beside: None,
        asked: asked.asked.clone(),
        recorded: asked.recorded,
        infer: asked.infer,
        conversation: asked.conversation,
        turn: asked.turn,
        // The demo shows what turnscope is for.
        prefer_strategy: asked.file.is_none(),
        usual_strategy: asked.settings.strategy.map(|given| given.value),
        unwrapped: !asked.screen.wrap,
    };
    let setup = Setup {
        theme: Theme {
            palette: asked.screen.theme,
            ascii: asked.screen.ascii,
        },
        keymap: Keymap::new(&asked.settings.keys).0,
        mouse: asked.screen.mouse,
        tokenizer: asked
            .settings
            .tokenizer
            .map_or(Tokenizer::default(), |given| given.value),
        note: asked.settings.ignored_in_short(),
        redactor: asked.redactor.clone(),
        redacted: asked.redacted,
        keeper: asked.keeper(),
    };
    if let Some(folder) = asked.file.as_deref().filter(|file| file.is_dir())
        && !load::is_storage(folder)
    {
        return tui::browse(folder, asked.format, &start, setup);
    }
    let Some(file) = &asked.file else {
        return tui::inspect(demo::NAME, &demo::load()?, &start, setup);
    };
    let files = Files {
        first: file.clone(),
        second: asked.file2.clone(),
        format: asked.format,
    };
    tui::open(files, &start, setup)
}
