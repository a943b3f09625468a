//! The rows of `compare` as a table and as CSV.

use serde_json::{Value as Json, json};

use super::Context;
use super::compare::Compared;
use super::style::Role;
use crate::analysis::{Profile, Row};
use crate::compression::Shown;
use crate::error::Error;
use crate::text::{clean_line, width};
use crate::tokens::Tokenizer;

/// Writes a file's table.
pub(super) fn table(
    context: &mut Context<'_>,
    compared: &Compared,
    tokenizer: Tokenizer,
    profile: &Profile,
) -> Result<(), Error> {
    let (base, style) = (compared.base(), context.style);
    let about = if compared.exact { "" } else { "~" };
    let title = format!(
        "{}: {} profile, tokens {about}{}, needs by the {} prompts",
        compared.file,
        profile.name,
        tokenizer.name(),
        compared.reference,
    );
    writeln!(
        context.out,
        "{}",
        style.paint(Role::Heading, &clean_line(&title))
    )?;
    let against = format!("vs {}", base.name);
    let heads = [
        "", "case", "messages", "tokens", "total", &against, "cached", "weighted", "lost",
        "values", "own", "calls", "prints", "errors",
    ];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    lines.extend(compared.rows.iter().map(|row| cells(row, base, about)));
    write_columns(context, &lines)?;
    if compared.rows.iter().any(|row| row.marked) {
        writeln!(context.out, "* cheapest that kept what was used")?;
    }
    let reached = compared.rows.iter().any(|row| row.sums.reaches_minimum);
    if !reached && profile.minimum > 0 {
        writeln!(
            context.out,
            "No prompt reaches the profile's minimum of {} tokens: caching can't matter here.",
            profile.minimum
        )?;
    }
    writeln!(context.out)?;
    Ok(())
}

/// `lost / needed`; a dash where nothing was needed.
fn ratio(lost: usize, needed: usize) -> String {
    if needed == 0 {
        return "–".to_owned();
    }
    format!("{lost} of {needed}")
}

fn shown(shown: Option<Shown>) -> String {
    shown.map_or_else(
        || "–".to_owned(),
        |shown| format!("{}/{}", shown.shown, shown.dropped()),
    )
}

fn cells(row: &Row, base: &Row, about: &str) -> Vec<String> {
    let (losses, needed) = (&row.losses, &row.losses.needed);
    vec![
        if row.marked { "*" } else { "" }.to_owned(),
        row.name.clone(),
        row.messages.to_string(),
        format!("{about}{}", row.tokens),
        format!("{about}{}", row.sums.tokens),
        row.percent_of(base)
            .map_or_else(|| "–".to_owned(), |percent| format!("{percent:+.1} %")),
        format!("{:.1} %", row.sums.cached_share() * 100.0),
        format!("{about}{:.1}", row.weighted),
        ratio(losses.headline(), needed.names + needed.literals),
        ratio(losses.values, needed.names),
        ratio(losses.lost.own, needed.own),
        shown(row.calls),
        shown(row.prints),
        row.errors_collapsed
            .map_or_else(|| "–".to_owned(), |errors| errors.to_string()),
    ]
}

/// Writes lines of cells, names to the left, figures to the right.
fn write_columns(context: &mut Context<'_>, lines: &[Vec<String>]) -> Result<(), Error> {
    let columns = lines.first().map_or(0, Vec::len);
    let widest = |column: usize| lines.iter().map(|cells| width(&cells[column])).max();
    let widths: Vec<usize> = (0..columns).filter_map(widest).collect();
    for cells in lines {
        let mut out = String::new();
        for (column, (cell, wide)) in cells.iter().zip(&widths).enumerate() {
            let pad = " ".repeat(wide - width(cell));
            let gap = if column == 0 { "" } else { "  " };
            out.push_str(gap);
            if column < 2 {
                out.push_str(cell);
                out.push_str(&pad);
            } else {
                out.push_str(&pad);
                out.push_str(cell);
            }
        }
        writeln!(context.out, "{}", clean_line(out.trim_end()))?;
    }
    Ok(())
}

/// Writes all rows as CSV, with the file and the needs in each.
pub(super) fn csv(context: &mut Context<'_>, all: &[Compared]) -> Result<(), Error> {
    writeln!(
        context.out,
        "file,case,strategy,messages,tokens,total,vs_baseline,cached_share,fresh,weighted,lost,\
         lost_names,lost_literals,lost_own,values,needed_names,needed_literals,needed_own,\
         calls_shown,calls_dropped,prints_shown,prints_dropped,errors_collapsed,marked"
    )?;
    for compared in all {
        for row in &compared.rows {
            let (losses, needed) = (&row.losses, &row.losses.needed);
            let part = |shown: Option<Shown>, part: fn(Shown) -> usize| {
                shown.map_or_else(String::new, |shown| part(shown).to_string())
            };
            let percent = row.percent_of(compared.base());
            let cells = [
                quoted(&compared.file),
                quoted(&row.name),
                row.strategy.to_owned(),
                row.messages.to_string(),
                row.tokens.to_string(),
                row.sums.tokens.to_string(),
                percent.map_or_else(String::new, |percent| format!("{percent:.1}")),
                format!("{:.4}", row.sums.cached_share()),
                row.sums.fresh().to_string(),
                format!("{:.1}", row.weighted),
                losses.headline().to_string(),
                losses.lost.names.to_string(),
                losses.lost.literals.to_string(),
                losses.lost.own.to_string(),
                losses.values.to_string(),
                needed.names.to_string(),
                needed.literals.to_string(),
                needed.own.to_string(),
                part(row.calls, |shown| shown.shown),
                part(row.calls, Shown::dropped),
                part(row.prints, |shown| shown.shown),
                part(row.prints, Shown::dropped),
                row.errors_collapsed
                    .map_or_else(String::new, |errors| errors.to_string()),
                row.marked.to_string(),
            ];
            writeln!(context.out, "{}", cells.join(","))?;
        }
    }
    Ok(())
}

/// A text as CSV. What a spreadsheet would take for a formula is kept from being one.
fn quoted(text: &str) -> String {
    let text = clean_line(text);
    let formula = text.starts_with(['=', '+', '-', '@']);
    let text = if formula {
        format!("'{text}")
    } else {
        text.into_owned()
    };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// The medians of the rows of one name, over all files that have it.
pub(super) fn median_rows(all: &[Compared]) -> Vec<Json> {
    let mut names: Vec<&str> = Vec::new();
    for row in all.iter().flat_map(|compared| &compared.rows) {
        if !names.contains(&row.name.as_str()) {
            names.push(&row.name);
        }
    }
    let of_name = |name: &str| {
        let rows = all.iter().flat_map(|compared| &compared.rows);
        let rows: Vec<&Row> = rows.filter(|row| row.name == name).collect();
        json!({
            "case": name,
            "runs": rows.len(),
            "tokens": median(rows.iter().map(|row| count(row.tokens))),
            "total": median(rows.iter().map(|row| count(row.sums.tokens))),
            "cached_share": median(rows.iter().map(|row| row.sums.cached_share())),
            "weighted": median(rows.iter().map(|row| row.weighted)),
            "lost": median(rows.iter().map(|row| count(row.losses.headline()))),
            "values": median(rows.iter().map(|row| count(row.losses.values))),
        })
    };
    names.into_iter().map(of_name).collect()
}

#[allow(clippy::cast_precision_loss)] // tokens stay far below 2^52
fn count(count: usize) -> f64 {
    count as f64
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    let median = match figures.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => figures[middle],
        _ => f64::midpoint(figures[middle - 1], figures[middle]),
    };
    (median * 10_000.0).round() / 10_000.0
}

/// Writes the medians over several files.
pub(super) fn medians(context: &mut Context<'_>, all: &[Compared]) -> Result<(), Error> {
    let style = context.style;
    let title = format!("Medians over {} runs", all.len());
    writeln!(context.out, "{}", style.paint(Role::Heading, &title))?;
    let names = [
        "",
        "case",
        "runs",
        "tokens",
        "total",
        "cached_share",
        "weighted",
        "lost",
        "values",
    ];
    let mut lines = vec![names.map(str::to_owned).to_vec()];
    for row in median_rows(all) {
        let cell = |name: &&str| match &row[*name] {
            Json::String(text) => text.clone(),
            Json::Null => String::new(),
            other => other.to_string(),
        };
        lines.push(names.iter().map(cell).collect());
    }
    write_columns(context, &lines)
}
