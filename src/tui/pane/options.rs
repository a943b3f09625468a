//! The options row: what is shown, and the options of the strategy with what they let through.

use std::fmt::Write as _;

use crate::compression::{Kind, OptionSpec, Setting};
use crate::step::Usage;
use crate::text;
use crate::tui::app::App;
use crate::tui::lens::{Content, Lens};
use crate::tui::pane::overview::about;
use crate::tui::theme::Role;

/// A word of the row; `None` where it is not an option.
type Word = (Option<usize>, String, Role);

/// The row as texts in roles, beginning so that the chosen option is in view.
pub fn spans(app: &App, columns: usize) -> Vec<(String, Role)> {
    let words = words(app);
    let chosen = app.options.map(|row| row.selected);
    let mut first = 0;
    if let Some(chosen) = chosen {
        // Leave out words from the left until the chosen one ends within the row.
        let at = words
            .iter()
            .position(|word| word.0 == Some(chosen))
            .unwrap_or(0);
        let width = |word: &Word| text::width(&word.1) + 3;
        while first < at && words[first..=at].iter().map(width).sum::<usize>() > columns {
            first += 1;
        }
    }
    let mut out = Vec::new();
    if first > 0 {
        out.push(("‹ ".to_owned(), Role::Dim));
    }
    for (index, (_, word, role)) in words[first..].iter().enumerate() {
        if index > 0 {
            out.push((" · ".to_owned(), Role::Dim));
        }
        out.push((word.clone(), *role));
    }
    out
}

/// What the trace says the turn used whose prompt is shown.
fn recorded(app: &App) -> Option<Usage> {
    let document = app.document();
    let lens = document.lens();
    let at = usize::try_from(document.n_of(lens)?).ok()?.checked_sub(1)?;
    Some(lens.run().step().turns().get(at)?.usage())
}

/// How many tokens are recorded to one counted in the prompt shown; nothing where either isn't known.
#[allow(clippy::cast_precision_loss)] // tokens stay far below 2^52
fn ratio(app: &App, recorded: u64) -> String {
    let lens = app.document().lens();
    // A prompt that is rebuilt may lack most of what was sent.
    if matches!(lens.content(), Content::Recorded(sent) if sent.rebuilt.is_some()) {
        return String::new();
    }
    let counted = lens.tokens();
    let counted = counted.filter(|(_, tokens)| *tokens > 0);
    counted.map_or_else(String::new, |(_, tokens)| {
        format!("×{:.2}", recorded as f64 / tokens as f64)
    })
}

/// What is cached of the prompt once that is found, with what the provider read and wrote beside it.
fn cached(app: &App) -> Option<String> {
    let document = app.document();
    let lens = document.lens();
    let figures = document.figures.as_ref();
    let figures = figures.filter(|figures| figures.is_about(lens.source()))?;
    let cell = figures.cell(lens.shown, document.n_of(lens)?)?;
    let usage = recorded(app).unwrap_or_default();
    let told = [(usage.cache_read, "read"), (usage.cache_write, "written")];
    let told = told
        .iter()
        .filter_map(|(count, word)| Some(format!("{} {word}", (*count)?)));
    let told: Vec<String> = told.collect();
    let recorded = match told.as_slice() {
        [] => String::new(),
        told => format!(" (recorded: {})", told.join(", ")),
    };
    Some(format!(
        "{}{} cached{recorded}",
        about(lens, app),
        cell.cached
    ))
}

/// The recorded usage in words.
fn usage(app: &App) -> Option<String> {
    let Usage {
        input,
        output,
        cache_read,
        cache_write,
        ..
    } = recorded(app)?;
    let to_counted = input.map(|input| ratio(app, input)).unwrap_or_default();
    let of_input = match to_counted.as_str() {
        "" => "in".to_owned(),
        ratio => format!("in ({ratio} of what is counted)"),
    };
    let parts = [
        (input, &*of_input),
        (cache_read, "cached"),
        (cache_write, "written to the cache"),
        (output, "out"),
    ];
    let words: Vec<String> = parts
        .iter()
        .filter_map(|(count, word)| Some(format!("{} {word}", (*count)?)))
        .collect();
    Some(if words.is_empty() {
        "usage: not recorded".to_owned()
    } else {
        format!("recorded usage: {}", words.join(", "))
    })
}

fn words(app: &App) -> Vec<Word> {
    let document = app.document();
    let lens = document.lens();
    let mut words: Vec<Word> = Vec::new();
    if lens.case().is_none() {
        let what = match lens.content() {
            Content::Recorded(sent) => match &sent.rebuilt {
                Some(rebuilt) => {
                    let count = sent.messages.len();
                    let plural = if count == 1 { "" } else { "s" };
                    format!("{count} message{plural} {}", rebuilt.note())
                }
                None => match sent.messages.len() {
                    1 => "recorded: 1 message, as it was sent".to_owned(),
                    count => format!("recorded: {count} messages, as they were sent"),
                },
            },
            _ => lens.title_here(lens.shown).to_owned(),
        };
        words.push((None, what, Role::Title));
        let tokens = lens.tokens();
        words.extend(tokens.map(|(counting, tokens)| (None, counting.words(tokens), Role::Text)));
        words.extend(cached(app).map(|cached| (None, cached, Role::Text)));
        words.extend(usage(app).map(|usage| (None, usage, Role::Dim)));
        return words;
    }
    let title = Lens::title(lens.shown);
    words.push((None, format!("what-if: {title}"), Role::Notice));
    if let Some((counting, tokens)) = lens.tokens() {
        let recorded = recorded(app).and_then(|usage| usage.input);
        let recorded = recorded.map(|input| match ratio(app, input).as_str() {
            "" => format!(" ({input} recorded)"),
            ratio => format!(" ({input} recorded, {ratio})"),
        });
        let words_of = counting.words(tokens) + &recorded.unwrap_or_default();
        words.push((None, words_of, Role::Text));
        words.extend(cached(app).map(|cached| (None, cached, Role::Text)));
    }
    if let Some(inference) = lens.inference() {
        words.push((None, inference.note.clone(), Role::Notice));
    }
    if lens.run().step().is_single_shot() {
        words.push((
            None,
            "single-shot: no history, every strategy is the same".to_owned(),
            Role::Dim,
        ));
    }
    let stats = match lens.content() {
        Content::Rendered(prompt) => Some(&prompt.stats),
        _ => None,
    };
    for (index, spec) in lens.specs().into_iter().enumerate() {
        let Some(setting) = lens.setting(spec) else {
            continue;
        };
        let is_chosen = app.options.is_some_and(|row| row.selected == index);
        let typed = app.options.filter(|_| is_chosen).and_then(|row| row.typed);
        let mut word = option(spec, setting, typed);
        let counted = stats.and_then(|stats| match spec.name {
            "println_limit" => Some(stats.prints),
            "tool_call_limit" => Some(stats.calls),
            _ => None,
        });
        if let Some(shown) = counted.filter(|shown| shown.total > 0) {
            let _ = write!(word, " ({} of {})", shown.shown, shown.total);
        }
        let role = match (is_chosen, setting == spec.default) {
            (true, _) => Role::Selected,
            (false, true) => Role::Text,
            (false, false) => Role::Title,
        };
        words.push((Some(index), word, role));
    }
    if let Some(stats) = stats {
        for note in &stats.notes {
            words.push((None, note.clone(), Role::Notice));
        }
        if stats.errors_collapsed > 0 {
            let what = format!("{} errors collapsed", stats.errors_collapsed);
            words.push((None, what, Role::Dim));
        }
    }
    words
}

/// An option and its value, marked where that isn't the default.
pub fn option(spec: &OptionSpec, setting: Setting, typed: Option<usize>) -> String {
    let value = match (typed, spec.kind, setting) {
        (Some(typed), _, _) => format!("{typed}_"),
        (None, Kind::Flag, Setting::Flag(flag)) => if flag { "on" } else { "off" }.to_owned(),
        _ => spec.display(setting),
    };
    // `println ≤` and its number read as one.
    let space = if spec.label.ends_with('≤') { "" } else { " " };
    let changed = if setting == spec.default { "" } else { "*" };
    format!("{}{space}{value}{changed}", spec.label)
}
