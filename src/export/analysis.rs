//! Figures of [`crate::analysis`] as JSON. Shares are rounded to 4 decimals, weighted tokens to 1;
//! code points count from 0, and so do messages and calls; turns count from 1.

use serde_json::{Map, Value as Json, json};

use crate::analysis::cache::{Break, CacheSums, Cached, Miss};
use crate::analysis::{
    Besides, Call, Level, Loss, Need, Needed, Needs, Problem, Profile, RecordedUsage, Row,
    RunLosses, Sent, TurnFigures, TurnLosses, What,
};
use crate::compression::{Figure, Shown, Stats};
use crate::namespace::Origin;
use crate::tokens::Tokenizer;

/// A number rounded to so many decimals.
pub fn rounded(number: f64, decimals: i32) -> Json {
    let scale = 10f64.powi(decimals);
    json!((number * scale).round() / scale)
}

/// Tokens of each message and in total.
pub fn tokens(sent: &Sent, tokenizer: Tokenizer) -> Json {
    let messages = sent.tokens(tokenizer);
    let total: usize = messages.iter().sum();
    json!({"messages": messages, "total": total})
}

/// Tokens by kind of piece.
pub fn shares(sent: &Sent, tokenizer: Tokenizer) -> Json {
    let shares = sent.shares(tokenizer).into_iter();
    Json::Object(
        shares
            .map(|(kind, tokens)| (kind.to_owned(), json!(tokens)))
            .collect(),
    )
}

/// What is cached of a prompt.
pub fn cached(cached: &Cached) -> Json {
    let found = cached.miss.as_ref().and_then(|miss| miss.content());
    json!({
        "prompt": cached.prompt,
        "cached": cached.cached,
        "earlier": cached.earlier,
        "break": found.map(a_break),
    })
}

fn a_break(found: &Break) -> Json {
    json!({
        "message": found.message,
        "char": found.char,
        "piece": found.piece.as_ref().map(Origin::to_string),
    })
}

/// Figures of one prompt. `miss` is why it isn't cached further: `content`, `expired` with the seconds
/// in `gap`, or `not recorded`; null where nothing differs.
pub fn turn_figures(figures: &TurnFigures) -> Json {
    let miss = figures.cached.miss.as_ref();
    let mut out = cached(&figures.cached);
    out["turn"] = json!(figures.turn);
    out["messages"] = json!(figures.messages);
    out["written"] = json!(figures.cached.written);
    out["miss"] = json!(miss.map(Miss::name));
    if let Some(Miss::Expired { gap, .. }) = miss {
        out["gap"] = json!(gap);
    }
    out["needed"] = needed(&figures.needed);
    out["lost"] = needed(&figures.lost);
    out["values"] = json!(figures.values);
    out
}

/// A cache profile, with the values in force.
pub fn profile(profile: &Profile) -> Json {
    json!({
        "name": profile.name,
        "source": profile.source,
        "read_on": profile.read_on,
        "minimum": profile.minimum,
        "step": profile.step,
        "whole_messages": profile.whole_messages,
        "lifetime": profile.lifetime,
        "cached": profile.cached,
        "fresh": profile.fresh,
        "written": profile.written,
    })
}

/// What the turns record of tokens, and the ratio of recorded to counted prompt tokens.
pub fn recorded_usage(usage: &RecordedUsage) -> Json {
    json!({
        "turns": usage.turns,
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "ratio": usage.ratio.map(|ratio| rounded(ratio, 4)),
    })
}

/// What a provider is sent besides the contents of messages.
pub fn besides(besides: &Besides) -> Json {
    json!({
        "call_arguments": besides.call_arguments,
        "thinking": besides.thinking,
        "tool_schemas": besides.tool_schemas,
        "images": besides.images,
        "overhead": besides.overhead,
    })
}

/// What is cached over a run.
pub fn cache_run(sums: &CacheSums, profile: &Profile) -> Json {
    json!({
        "tokens": sums.tokens,
        "cached": sums.cached,
        "cached_share": rounded(sums.cached_share(), 4),
        "fresh": sums.fresh(),
        "weighted": rounded(sums.weighted(profile), 1),
    })
}

/// What a turn needed.
pub fn needs(needs: &Needs) -> Json {
    let list = |needs: &[Need]| -> Vec<Json> {
        let each = |need: &Need| json!({"item": &*need.item, "source": need.source});
        needs.iter().map(each).collect()
    };
    json!({
        "reference": needs.reference.name(),
        "names": list(&needs.names),
        "literals": list(&needs.literals),
        "own": list(&needs.own),
    })
}

/// What a turn's prompt shows of what the turn needed.
pub fn turn_losses(losses: &TurnLosses) -> Json {
    let needs = &losses.needs;
    let at = |wanted: Level| -> Vec<&str> {
        let names = needs.names.iter().zip(&losses.names);
        let names = names.filter(|(_, level)| **level == wanted);
        names.map(|(need, _)| &*need.item).collect()
    };
    let met = |needs: &[Need], met: &[bool]| {
        let those = |wanted: bool| -> Vec<String> {
            let found = needs.iter().zip(met).filter(|(_, met)| **met == wanted);
            found.map(|(need, _)| need.item.to_string()).collect()
        };
        json!({"met": those(true), "lost": those(false)})
    };
    json!({
        "reference": needs.reference.name(),
        "names": {"value": at(Level::Value), "name": at(Level::Name), "none": at(Level::None)},
        "literals": met(&needs.literals, &losses.literals),
        "own": met(&needs.own, &losses.own),
    })
}

fn needed(needed: &Needed) -> Json {
    json!({"names": needed.names, "literals": needed.literals, "own": needed.own})
}

/// What a strategy lost over a run. `reasons` adds why each item is gone.
pub fn run_losses(losses: &RunLosses, reasons: bool) -> Json {
    let pair = |loss: &Loss| {
        let mut pair = json!({
            "kind": loss.kind.name(),
            "item": &*loss.item,
            "source": loss.source,
            "turns": loss.turns,
        });
        if reasons {
            pair["reason"] = json!(loss.reason.text());
        }
        pair
    };
    json!({
        "lost": losses.headline(),
        "names": losses.lost.names,
        "literals": losses.lost.literals,
        "own": losses.lost.own,
        "values": losses.values,
        "needed": needed(&losses.needed),
        "pairs": losses.pairs.iter().map(pair).collect::<Vec<_>>(),
    })
}

/// What only one strategy reports.
pub fn figures(stats: &Stats) -> Json {
    let figures = stats.figures.iter().map(|(name, figure)| {
        let figure = match figure {
            Figure::Count(count) => json!(count),
            Figure::Flag(flag) => json!(flag),
        };
        ((*name).to_owned(), figure)
    });
    Json::Object(figures.collect())
}

/// Problems, in order.
pub fn problems(problems: &[Problem]) -> Json {
    problems.iter().map(problem).collect()
}

fn problem(problem: &Problem) -> Json {
    let mut out = Map::default();
    let mut put = |name: &str, value: Json| {
        out.insert(name.to_owned(), value);
    };
    put("problem", json!(problem.what.name()));
    if !problem.path.is_empty() {
        put("path", json!(problem.path));
    }
    let mut call = |call: &Call| {
        put("turn", json!(call.turn));
        put("call", json!(call.call));
        put("tool", json!(&*call.tool));
    };
    match &problem.what {
        What::NoResult { reason } => put("reason", json!(reason.as_deref())),
        What::ApiError(event)
        | What::Interruption(event)
        | What::Compaction(event)
        | What::Branch(event) => {
            put("turn", json!(event.turn));
            put("text", json!(event.text.as_deref()));
        }
        What::Unanswered(open) => call(open),
        What::FailedTurn { turn, message } => {
            put("turn", json!(turn));
            put("message", json!(message));
        }
        What::FailedCall { call: of, message } | What::Refused { call: of, message } => {
            call(of);
            put("message", json!(message));
        }
        What::Retry { call: of, first } => {
            call(of);
            put("first", json!(first));
        }
        What::Repeated(repeated) => {
            put("turn", json!(repeated.turn));
            put("call", json!(repeated.call));
            put("tool", json!(&*repeated.tool));
            put("first", json!(repeated.first));
            put("changed", json!(repeated.changed));
            put("result", json!(repeated.result.name()));
            put("last_prompt", json!(repeated.last_prompt));
            if let Some(removed) = repeated.removed {
                put("removed", json!(removed.text()));
            }
            if let Some(written) = repeated.written {
                put("written", json!(written));
            }
        }
        What::Undefined {
            turn,
            name,
            would_have,
        } => {
            put("turn", json!(turn));
            put("name", json!(name));
            put("would_have", json!(would_have));
        }
        What::Cut { turn, part } => {
            put("turn", json!(turn));
            put("part", json!(part));
        }
    }
    Json::Object(out)
}

/// Rows of a comparison, with what was needed.
pub fn compare(rows: &[Row]) -> Json {
    let needs = rows
        .first()
        .map(|row| row.losses.needed)
        .unwrap_or_default();
    json!({
        "needed": needed(&needs),
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// A row of a comparison.
pub fn row(row: &Row) -> Json {
    let mut out = json!({
        "strategy": row.strategy,
        "messages": row.messages,
        "tokens": row.tokens,
        "total": row.sums.tokens,
        "cached_share": rounded(row.sums.cached_share(), 4),
        "fresh": row.sums.fresh(),
        "weighted": rounded(row.weighted, 1),
        "lost": row.losses.headline(),
        "lost_literals": row.losses.lost.literals,
        "lost_names": row.losses.lost.names,
        "lost_own": row.losses.lost.own,
        "values": row.losses.values,
        "marked": row.marked,
    });
    let shown = |shown: Shown| json!([shown.shown, shown.dropped()]);
    if let (Some(calls), Some(prints), Some(errors)) = (row.calls, row.prints, row.errors_collapsed)
    {
        out["calls"] = shown(calls);
        out["prints"] = shown(prints);
        out["errors_collapsed"] = json!(errors);
    }
    out
}
