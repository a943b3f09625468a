//! The rows of `compare` as CSV, with the file and the needs in each.

use super::Context;
use super::compare::Compared;
use crate::compression::Shown;
use crate::error::Error;
use crate::text::clean_line;

const HEAD: &str = "file,case,strategy,messages,tokens,total,vs_baseline,cached_share,fresh,weighted,lost,\
                    lost_names,lost_literals,lost_own,values,needed_names,needed_literals,needed_own,\
                    calls_shown,calls_dropped,prints_shown,prints_dropped,errors_collapsed,marked,\
                    values_vs_uncompressed,cost,exact";

/// Writes a line a row.
pub(super) fn write(context: &mut Context<'_>, all: &[Compared]) -> Result<(), Error> {
    writeln!(context.out, "{HEAD}")?;
    for compared in all {
        for row in &compared.rows {
            let (losses, needed) = (&row.losses, &row.losses.needed);
            let part = |shown: Option<Shown>, part: fn(Shown) -> usize| {
                shown.map_or_else(String::new, |shown| part(shown).to_string())
            };
            let count = |count: Option<usize>| count.map_or_else(String::new, |n| n.to_string());
            let percent = compared.percent(row);
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
                count(row.errors_collapsed),
                row.marked.to_string(),
                count(losses.values_of_uncompressed),
                compared
                    .cost(row)
                    .map_or_else(String::new, |cost| format!("{cost:.6}")),
                compared.exact.to_string(),
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
