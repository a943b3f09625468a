//! The rows of `compare` as tables.

use super::Context;
use super::compare::Compared;
use super::compare_base::Base;
use super::compare_runs::medians;
use super::style::Role;
use crate::analysis::{Row, TurnFigures};
use crate::compression::Shown;
use crate::error::Error;
use crate::text::{clean_line, width};

/// Writes a run's table, or one of all runs with the medians.
pub(super) fn write(
    context: &mut Context<'_>,
    all: &[Compared],
    per_turn: bool,
) -> Result<(), Error> {
    if let [one] = all {
        table(context, one)?;
    } else if !all.is_empty() {
        runs(context, all)?;
        medians(context, all)?;
    }
    if per_turn {
        for compared in all {
            turns(context, compared)?;
        }
    }
    Ok(())
}

fn heading(context: &mut Context<'_>, title: &str) -> Result<(), Error> {
    let title = context.style.paint(Role::Heading, &clean_line(title));
    writeln!(context.out, "{title}")?;
    Ok(())
}

fn table(context: &mut Context<'_>, compared: &Compared) -> Result<(), Error> {
    let ratio = compared.usage.ratio;
    let ratio = ratio.map_or_else(String::new, |ratio| format!(" (recorded ×{ratio:.2})"));
    heading(
        context,
        &format!(
            "{}: {} profile, tokens {}{}{ratio}, needs by the {} prompts",
            compared.file,
            compared.profile.name,
            about(compared),
            compared.tokenizer.name(),
            compared.reference,
        ),
    )?;
    let mut lines = vec![heads(std::slice::from_ref(compared))];
    lines.extend(compared.rows.iter().map(|row| cells(compared, row, true)));
    drop_empty(&mut lines);
    write_columns(context, &lines, 2)?;
    for note in notes(compared) {
        writeln!(context.out, "{}", clean_line(&note))?;
    }
    writeln!(context.out)?;
    Ok(())
}

/// The mark of counts that are not the model's own.
fn about(compared: &Compared) -> &'static str {
    if compared.exact { "" } else { "~" }
}

/// What all runs are held against; none where they differ in that.
pub(super) fn common_base(all: &[Compared]) -> Option<&str> {
    fn name(compared: &Compared) -> &str {
        match &compared.base {
            Base::Row(_) => compared.base.name(&compared.rows),
            _ => "baseline",
        }
    }
    let first = name(all.first()?);
    let is_same = all.iter().all(|compared| name(compared) == first);
    is_same.then_some(first)
}

fn heads(all: &[Compared]) -> Vec<String> {
    let against = common_base(all).map_or_else(|| "vs".to_owned(), |base| format!("vs {base}"));
    let heads = [
        "",
        "case",
        "messages",
        "tokens",
        "total",
        &against,
        "cached",
        "weighted",
        "cost",
        "lost",
        "literals",
        "names",
        "values",
        "(uncompressed)",
        "own",
        "calls",
        "prints",
        "errors",
    ];
    heads.map(str::to_owned).to_vec()
}

/// `lost of needed`; a dash where nothing was needed.
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

fn cells(compared: &Compared, row: &Row, is_base_told: bool) -> Vec<String> {
    let (losses, needed, about) = (&row.losses, &row.losses.needed, about(compared));
    let percent = compared.percent(row);
    let base = if is_base_told {
        String::new()
    } else {
        format!(" {}", compared.base.name(&compared.rows))
    };
    // Apart only where both kinds were needed: else the sum says it.
    let both = needed.names > 0 && needed.literals > 0;
    let apart = |lost, needed| {
        let ratio = both.then(|| ratio(lost, needed));
        ratio.unwrap_or_default()
    };
    let whole = losses.values_of_uncompressed;
    vec![
        if row.marked { "*" } else { "" }.to_owned(),
        row.name.clone(),
        row.messages.to_string(),
        format!("{about}{}", row.tokens),
        format!("{about}{}", row.sums.tokens),
        percent.map_or_else(
            || "–".to_owned(),
            |percent| format!("{percent:+.1} %{base}"),
        ),
        format!("{:.1} %", row.sums.cached_share() * 100.0),
        format!("{about}{:.1}", row.weighted),
        compared
            .cost(row)
            .map_or_else(String::new, |cost| format!("{about}{cost:.4}")),
        ratio(losses.headline(), needed.names + needed.literals),
        apart(losses.lost.literals, needed.literals),
        apart(losses.lost.names, needed.names),
        ratio(losses.values, needed.names),
        whole.map_or_else(String::new, |whole| ratio(whole, needed.names)),
        ratio(losses.lost.own, needed.own),
        shown(row.calls),
        shown(row.prints),
        row.errors_collapsed
            .map_or_else(|| "–".to_owned(), |errors| errors.to_string()),
    ]
}

/// Takes away columns that have a heading and nothing else.
fn drop_empty(lines: &mut [Vec<String>]) {
    let columns = lines.first().map_or(0, Vec::len);
    for column in (1..columns).rev() {
        if lines.iter().skip(1).all(|cells| cells[column].is_empty()) {
            for cells in lines.iter_mut() {
                cells.remove(column);
            }
        }
    }
}

/// What the figures don't say by themselves.
fn notes(compared: &Compared) -> Vec<String> {
    let mut notes = Vec::new();
    let rows = &compared.rows;
    if rows.iter().any(|row| row.marked) {
        notes.push("* cheapest that kept what was used".to_owned());
    }
    let profile = &compared.profile;
    if !rows.iter().any(|row| row.sums.reaches_minimum) && profile.minimum > 0 {
        notes.push(format!(
            "No prompt reaches the profile's minimum of {} tokens: caching can't matter here.",
            profile.minimum
        ));
    }
    notes.extend(reach(rows));
    let usage = &compared.usage;
    let told = [
        (usage.input, "in the prompts"),
        (usage.output, "in the replies"),
        (usage.cache_read, "read from the cache"),
        (usage.cache_write, "written to the cache"),
    ];
    let told: Vec<String> = told
        .iter()
        .filter_map(|(count, what)| Some(format!("{} {what}", (*count)?)))
        .collect();
    if !told.is_empty() {
        notes.push(format!("Recorded tokens: {}.", told.join(", ")));
    }
    let besides = &compared.besides;
    let told = [
        (Some(besides.call_arguments), "call arguments"),
        (Some(besides.thinking), "thinking"),
        (Some(besides.tool_schemas), "tool schemas"),
        (besides.overhead, "around the messages"),
    ];
    let mut told: Vec<String> = told
        .iter()
        .filter_map(|(count, what)| {
            let count = count.filter(|count| *count > 0)?;
            Some(format!("{}{count} {what}", about(compared)))
        })
        .collect();
    if besides.images > 0 {
        told.push(format!("{} images", besides.images));
    }
    if !told.is_empty() {
        notes.push(format!(
            "Besides the contents, the last prompt has tokens of: {}.",
            told.join(", ")
        ));
    }
    notes
}

/// How far back what was needed lies, and which window holds how much of it.
fn reach(rows: &[Row]) -> Option<String> {
    let reach = &rows.first()?.losses.reach;
    let all: usize = reach.iter().map(|(_, count)| count).sum();
    let (furthest, _) = reach.last()?;
    let holds = |window: u32| -> usize {
        let near = reach.iter().filter(|(turns, _)| *turns <= window);
        near.map(|(_, count)| count).sum()
    };
    let mut parts = Vec::new();
    for window in [1, 3, 5, 10, 20]
        .into_iter()
        .filter(|window| window < furthest)
    {
        parts.push(format!("{window}: {}", holds(window)));
    }
    parts.push(format!("{furthest}: all {all}"));
    Some(format!(
        "What was needed lies up to {furthest} turns back; a window of so many whole turns holds: {}.",
        parts.join(", ")
    ))
}

/// A line a run and case.
fn runs(context: &mut Context<'_>, all: &[Compared]) -> Result<(), Error> {
    let mut profiles: Vec<&str> = all.iter().map(|run| run.profile.name).collect();
    profiles.dedup();
    let profiles = profiles.join(", ");
    heading(context, &format!("{} runs, {profiles} profile", all.len()))?;
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut first = heads(all);
    let is_base_told = common_base(all).is_some();
    first.insert(1, "file".to_owned());
    lines.push(first);
    for compared in all {
        for row in &compared.rows {
            let mut cells = cells(compared, row, is_base_told);
            cells.insert(1, compared.file.clone());
            lines.push(cells);
        }
    }
    drop_empty(&mut lines);
    write_columns(context, &lines, 3)?;
    writeln!(context.out)?;
    Ok(())
}

/// The column of what the provider wrote to its cache, where any turn records that.
const WRITTEN: usize = 6;

/// A line a turn, for every case.
fn turns(context: &mut Context<'_>, compared: &Compared) -> Result<(), Error> {
    const HEADS: [&str; 9] = [
        "turn", "messages", "tokens", "recorded", "cached", "read", "lost", "values", "miss",
    ];
    let writes = compared
        .recorded
        .iter()
        .any(|[.., written]| written.is_some());
    for row in &compared.rows {
        heading(
            context,
            &format!("{}: {}, turn by turn", compared.file, row.name),
        )?;
        let mut heads = HEADS.map(str::to_owned).to_vec();
        if writes {
            heads.insert(WRITTEN, "written".to_owned());
        }
        let mut lines = vec![heads];
        lines.extend(
            row.turns
                .iter()
                .map(|turn| turn_cells(compared, turn, writes)),
        );
        write_columns(context, &lines, 0)?;
        writeln!(context.out)?;
    }
    Ok(())
}

fn turn_cells(compared: &Compared, figures: &TurnFigures, writes: bool) -> Vec<String> {
    let about = about(compared);
    let recorded = compared.recorded.get(figures.turn as usize - 1);
    let [input, read, written] = recorded.copied().unwrap_or_default();
    let count =
        |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |count| count.to_string());
    let (needed, lost) = (figures.needed, figures.lost);
    let mut cells = vec![
        figures.turn.to_string(),
        figures.messages.to_string(),
        format!("{about}{}", figures.cached.prompt),
        count(input),
        format!("{about}{}", figures.cached.cached),
        count(read),
        ratio(lost.names + lost.literals, needed.names + needed.literals),
        ratio(figures.values, needed.names),
        figures
            .cached
            .miss
            .as_ref()
            .map_or_else(String::new, ToString::to_string),
    ];
    if writes {
        cells.insert(WRITTEN, count(written));
    }
    cells
}

/// Writes lines of cells: so many columns of names to the left, figures to the right, and a last
/// column of words as it is.
pub(super) fn write_columns(
    context: &mut Context<'_>,
    lines: &[Vec<String>],
    names: usize,
) -> Result<(), Error> {
    let columns = lines.first().map_or(0, Vec::len);
    let widest = |column: usize| lines.iter().map(|cells| width(&cells[column])).max();
    let widths: Vec<usize> = (0..columns).filter_map(widest).collect();
    for cells in lines {
        let mut out = String::new();
        for (column, (cell, wide)) in cells.iter().zip(&widths).enumerate() {
            let pad = " ".repeat(wide - width(cell));
            let gap = if column == 0 { "" } else { "  " };
            out.push_str(gap);
            if column < names || (names == 0 && column + 1 == columns) {
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
