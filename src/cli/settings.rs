//! `settings`: where the settings are, what holds and who says so, and what was ignored.

use std::fmt::Display;

use super::Context;
use super::args::Global;
use super::page::Page;
use crate::error::Error;
use crate::settings::{Given, Palette, folders};
use crate::tokens::Tokenizer;

/// Columns of a setting's name and value.
const COLUMNS: (usize, usize) = (12, 24);

pub(super) fn run(global: &Global, context: &mut Context<'_>) -> Result<(), Error> {
    let style = context.style;
    let settings = &context.settings;
    let mut page = Page::new(&mut *context.out, style, None);
    page.heading("Files")?;
    let shown = |path: Option<&std::path::Path>| match path {
        Some(path) => path.to_string_lossy().into_owned(),
        None => "none: there is no home directory".to_owned(),
    };
    let state = if settings.found { "" } else { " (not there)" };
    let path = shown(settings.path.as_deref());
    page.clean("  ", &format!("settings  {path}{state}"))?;
    let places = shown(folders::state_folder().as_deref());
    page.clean("  ", &format!("places    {places}"))?;

    page.line("")?;
    page.heading("What holds")?;
    let mut row = |name: &str, value: &dyn Display, from: &str| {
        let (first, second) = COLUMNS;
        let line = format!("{name:<first$}{:<second$}{from}", value.to_string());
        page.clean("  ", &line)
    };
    let theme = settings
        .theme
        .map_or(Palette::default(), |given| given.value);
    row("theme", &theme.name(), &source(settings.theme))?;
    let from = match (global.ascii, settings.ascii) {
        (Some(_), _) => "--ascii".to_owned(),
        (None, Some(given)) => line_of(Some(given.line)),
        (None, None) => "the locale".to_owned(),
    };
    row("ascii", &style.ascii, &from)?;
    for (name, given, default) in [
        ("mouse", settings.mouse, false),
        ("wrap", settings.wrap, true),
        ("remember", settings.remember, true),
    ] {
        let value = given.map_or(default, |given| given.value);
        row(name, &value, &source(given))?;
    }
    let strategy = settings.strategy.map_or("as recorded", |given| given.value);
    row("strategy", &strategy, &source(settings.strategy))?;
    let tokenizer = settings
        .tokenizer
        .map_or(Tokenizer::default(), |given| given.value);
    row("tokenizer", &tokenizer.name(), &source(settings.tokenizer))?;
    for setting in &settings.keys {
        let keys = if setting.keys.is_empty() {
            "no key".to_owned()
        } else {
            setting.keys.join(" ")
        };
        let ignored = settings
            .ignored
            .iter()
            .any(|one| one.line == Some(setting.line));
        let note = if ignored { ", ignored" } else { "" };
        let from = format!("{}{note}", line_of(Some(setting.line)));
        row("key", &format!("{} {keys}", setting.command), &from)?;
    }
    for pattern in settings.redact_patterns().unwrap_or_default() {
        row("redact", &pattern.name, pattern.regex.as_str())?;
    }
    if !settings.ignored.is_empty() {
        page.line("")?;
        page.heading("Ignored")?;
        for complaint in &settings.ignored {
            page.clean("  ", &settings.tell(complaint))?;
        }
    }
    Ok(())
}

fn line_of(line: Option<usize>) -> String {
    line.map_or_else(|| "by default".to_owned(), |line| format!("line {line}"))
}

fn source<T>(given: Option<Given<T>>) -> String {
    line_of(given.map(|given| given.line))
}
