//! Requirements on a comparison, such as `lost<=baseline`, for a job that is to fail when a change of
//! limits loses what it had (analysis, "Compare").

use super::compare::Row;
use super::losses::{Loss, LossKind};

/// A figure of a row that can be required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Figure {
    /// Names and literals lost.
    Lost,
    /// Names lost.
    Names,
    /// Literals lost.
    Literals,
    /// Literals lost that the model had written itself.
    Own,
    /// Names shown without their values.
    Values,
    /// Tokens of all prompts.
    Tokens,
    /// Tokens of the last prompt.
    Prompt,
    /// What all tokens cost.
    Weighted,
}

const FIGURES: [(&str, Figure); 8] = [
    ("lost", Figure::Lost),
    ("names", Figure::Names),
    ("literals", Figure::Literals),
    ("own", Figure::Own),
    ("values", Figure::Values),
    ("tokens", Figure::Tokens),
    ("prompt", Figure::Prompt),
    ("weighted", Figure::Weighted),
];

#[allow(clippy::cast_precision_loss)] // tokens stay far below 2^52
impl Figure {
    /// The name under which `compare --output json` gives it.
    pub fn field(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Names => "lost_names",
            Self::Literals => "lost_literals",
            Self::Own => "lost_own",
            Self::Values => "values",
            Self::Tokens => "total",
            Self::Prompt => "tokens",
            Self::Weighted => "weighted",
        }
    }

    /// The figure of a row.
    pub fn of(self, row: &Row) -> f64 {
        let losses = &row.losses;
        match self {
            Self::Lost => losses.headline() as f64,
            Self::Names => losses.lost.names as f64,
            Self::Literals => losses.lost.literals as f64,
            Self::Own => losses.lost.own as f64,
            Self::Values => losses.values as f64,
            Self::Tokens => row.sums.tokens as f64,
            Self::Prompt => row.tokens as f64,
            Self::Weighted => row.weighted,
        }
    }

    /// How much was needed of what this counts as lost; none where it counts tokens.
    pub fn needed(self, row: &Row) -> Option<usize> {
        let needed = &row.losses.needed;
        match self {
            Self::Lost => Some(needed.names + needed.literals),
            Self::Names | Self::Values => Some(needed.names),
            Self::Literals => Some(needed.literals),
            Self::Own => Some(needed.own),
            _ => None,
        }
    }

    /// The losses that this counts.
    pub fn losses(self, row: &Row) -> Vec<&Loss> {
        let kinds: &[LossKind] = match self {
            Self::Lost => &[LossKind::Name, LossKind::Literal],
            Self::Names => &[LossKind::Name],
            Self::Literals => &[LossKind::Literal],
            Self::Own => &[LossKind::Own],
            Self::Values => &[LossKind::Value],
            _ => &[],
        };
        let pairs = row.losses.pairs.iter();
        pairs.filter(|loss| kinds.contains(&loss.kind)).collect()
    }
}

/// What a figure is held against.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Limit {
    Number(f64),
    Baseline,
    /// So many percent more than the baseline, or less.
    Percent(f64),
}

/// A requirement.
#[derive(Debug, Clone, PartialEq)]
pub struct Requirement {
    text: String,
    figure: Figure,
    comparison: &'static str,
    limit: Limit,
}

impl Requirement {
    /// Reads `FIGURE OP LIMIT`, such as `lost<=baseline`, `tokens<=-20%` or `values<3`.
    ///
    /// # Errors
    /// Says what a requirement is made of.
    pub fn parse(text: &str) -> Result<Self, String> {
        let names = FIGURES.map(|(name, _)| name).join(", ");
        let expected = || {
            format!(
                "a requirement is FIGURE OP LIMIT, such as lost<=baseline or tokens<=-20%; figures: {names}; OP: <= < >= > ==; LIMIT: a number, baseline, or a percentage more or less than it"
            )
        };
        let comparisons = ["<=", ">=", "==", "<", ">"];
        let found = comparisons.into_iter().find_map(|sign| {
            text.split_once(sign)
                .map(|(a, b)| (a.trim(), sign, b.trim()))
        });
        let (name, comparison, limit) = found.ok_or_else(expected)?;
        let figure = FIGURES.iter().find(|(known, _)| *known == name);
        let figure = figure.ok_or_else(expected)?.1;
        let limit = match limit.strip_suffix('%') {
            _ if limit == "baseline" => Some(Limit::Baseline),
            Some(percent) => percent.parse().ok().map(Limit::Percent),
            None => limit.parse().ok().map(Limit::Number),
        };
        Ok(Self {
            text: text.trim().to_owned(),
            figure,
            comparison,
            limit: limit.ok_or_else(expected)?,
        })
    }

    /// As it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The figure that it is about.
    pub fn figure(&self) -> Figure {
        self.figure
    }

    /// What a row's figure is held against, `base` being the baseline's.
    pub fn limit(&self, base: f64) -> f64 {
        match self.limit {
            Limit::Number(number) => number,
            Limit::Baseline => base,
            Limit::Percent(percent) => base * (1.0 + percent / 100.0),
        }
    }

    /// Whether a row meets it, `base` being the baseline's figure.
    pub fn is_met(&self, row: &Row, base: f64) -> bool {
        let (figure, limit) = (self.figure.of(row), self.limit(base));
        match self.comparison {
            "<=" => figure <= limit,
            ">=" => figure >= limit,
            "<" => figure < limit,
            ">" => figure > limit,
            _ => (figure - limit).abs() < 1e-9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_read() {
        let read = Requirement::parse("tokens <= -20%").expect("a requirement");
        assert_eq!(read.limit, Limit::Percent(-20.0));
        assert_eq!(read.figure, Figure::Tokens);
        let read = Requirement::parse("lost<=baseline").expect("a requirement");
        assert_eq!((read.limit, read.comparison), (Limit::Baseline, "<="));
        for wrong in ["lost", "lots<=1", "lost<=x", "lost=1"] {
            let error = Requirement::parse(wrong).expect_err("nonsense");
            assert!(error.contains("lost<=baseline"), "{error}");
        }
    }
}
