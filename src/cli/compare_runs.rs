//! What `compare` says of several runs together: the medians of the rows of one name.

use serde_json::{Value as Json, json};

use super::Context;
use super::compare::Compared;
use super::compare_table::{common_base, write_columns};
use super::style::Role;
use crate::analysis::Row;
use crate::error::Error;

/// The medians of the rows of one name, over all runs that have it.
pub(super) fn median_rows(all: &[Compared]) -> Vec<Json> {
    let mut names: Vec<&str> = Vec::new();
    for row in all.iter().flat_map(|compared| &compared.rows) {
        if !names.contains(&row.name.as_str()) {
            names.push(&row.name);
        }
    }
    names
        .into_iter()
        .map(|name| median_row(all, name))
        .collect()
}

fn median_row(all: &[Compared], name: &str) -> Json {
    let rows = all.iter().flat_map(|compared| {
        let rows = compared.rows.iter().filter(|row| row.name == name);
        rows.map(move |row| (compared, row))
    });
    let rows: Vec<(&Compared, &Row)> = rows.collect();
    let of = |figure: &dyn Fn(&Row) -> f64| median(rows.iter().map(|(_, row)| figure(row)));
    json!({
        "case": name,
        "runs": rows.len(),
        "tokens": of(&|row| count(row.tokens)),
        "total": of(&|row| count(row.sums.tokens)),
        "vs_baseline": median(rows.iter().filter_map(|(run, row)| run.percent(row))),
        "cached_share": of(&|row| row.sums.cached_share()),
        "weighted": of(&|row| row.weighted),
        "lost": of(&|row| count(row.losses.headline())),
        "needed": of(&|row| count(row.losses.needed.names + row.losses.needed.literals)),
        "values": of(&|row| count(row.losses.values)),
    })
}

#[allow(clippy::cast_precision_loss)] // tokens stay far below 2^52
fn count(count: usize) -> f64 {
    count as f64
}

/// The median, rounded to 4 decimals; none of nothing.
fn median(figures: impl Iterator<Item = f64>) -> Option<f64> {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    let median = match figures.len() {
        0 => return None,
        odd if odd % 2 == 1 => figures[middle],
        _ => f64::midpoint(figures[middle - 1], figures[middle]),
    };
    Some((median * 10_000.0).round() / 10_000.0)
}

/// Writes the medians as a table.
pub(super) fn medians(context: &mut Context<'_>, all: &[Compared]) -> Result<(), Error> {
    const NAMES: [&str; 11] = [
        "",
        "case",
        "runs",
        "tokens",
        "total",
        "vs_baseline",
        "cached_share",
        "weighted",
        "lost",
        "needed",
        "values",
    ];
    let title = format!("Medians over {} runs", all.len());
    let style = context.style;
    writeln!(context.out, "{}", style.paint(Role::Heading, &title))?;
    let base = common_base(all).map(|base| format!("vs {base}"));
    let head = |name: &str| match (name, &base) {
        ("vs_baseline", Some(base)) => base.clone(),
        _ => name.replace('_', " "),
    };
    // As the rows it is of: exact where all of these are.
    let is_exact = all.iter().all(|compared| compared.exact);
    let about = if is_exact { "" } else { "~" };
    let mut lines = vec![NAMES.map(head).to_vec()];
    for row in median_rows(all) {
        let cell = |name: &&str| match (*name, &row[*name]) {
            ("", _) => String::new(),
            (_, Json::String(text)) => text.clone(),
            (_, Json::Null) => "–".to_owned(),
            ("cached_share", share) => format!("{:.1} %", share.as_f64().unwrap_or(0.0) * 100.0),
            ("vs_baseline", share) => format!("{:+.1} %", share.as_f64().unwrap_or(0.0)),
            (_, other) => {
                let text = other.to_string();
                let text = text.strip_suffix(".0").unwrap_or(&text);
                let is_count = ["tokens", "total", "weighted"].contains(name);
                format!("{}{text}", if is_count { about } else { "" })
            }
        };
        lines.push(NAMES.iter().map(cell).collect());
    }
    write_columns(context, &lines, 2)
}
