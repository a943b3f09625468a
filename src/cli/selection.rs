//! Turns chosen by number: `5..9,12`, both ends included.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use crate::error::Error;
use crate::step::{Step, Turn};

/// Turns chosen by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selection {
    ranges: Vec<RangeInclusive<u32>>,
    text: String,
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ranges: Option<Vec<_>> = text.split(',').map(|part| range(part.trim())).collect();
        let ranges = ranges.ok_or_else(|| {
            "turns are chosen by numbers from 1 and ranges such as 5..9,12".to_owned()
        })?;
        Ok(Self {
            ranges,
            text: text.to_owned(),
        })
    }
}

/// One part: `5`, `5..9`, `5..` or `..9`.
fn range(part: &str) -> Option<RangeInclusive<u32>> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let Some((from, to)) = part.split_once("..") else {
        let turn = number(part)?;
        return Some(turn..=turn);
    };
    if from.is_empty() && to.is_empty() {
        return None;
    }
    let from = if from.is_empty() { 1 } else { number(from)? };
    let to = if to.is_empty() { u32::MAX } else { number(to)? };
    (from <= to).then_some(from..=to)
}

impl Selection {
    /// Whether a turn is chosen.
    pub(super) fn has(&self, turn: u32) -> bool {
        self.ranges.iter().any(|range| range.contains(&turn))
    }
}

/// The chosen turns of a step, by their indices from 0; all of them where nothing is chosen.
///
/// # Errors
/// Where nothing of what was chosen exists.
pub(super) fn turns(step: &Step, selection: Option<&Selection>) -> Result<Vec<usize>, Error> {
    let turns = step.turns();
    let Some(selection) = selection else {
        return Ok((0..turns.len()).collect());
    };
    let is_chosen = |index: &usize| selection.has(turns[*index].number());
    let chosen: Vec<_> = (0..turns.len()).filter(is_chosen).collect();
    if chosen.is_empty() {
        let there = match turns.len() {
            0 => "has no turns".to_owned(),
            count => format!("has turns 1 to {count}"),
        };
        return Err(Error::Usage(format!(
            "--turns {} chooses nothing: this run {there}",
            selection.text
        )));
    }
    Ok(chosen)
}

/// A step with the chosen turns alone, which keep their numbers.
///
/// # Errors
/// As [`turns`].
pub(super) fn cut(step: &Arc<Step>, selection: Option<&Selection>) -> Result<Arc<Step>, Error> {
    if selection.is_none() {
        return Ok(Arc::clone(step));
    }
    let chosen = turns(step, selection)?;
    let chosen = chosen.into_iter();
    let chosen = chosen.map(|index| Turn::clone(&step.turns()[index]));
    let chosen = chosen.collect();
    let mut step = Step::clone(step);
    step.replace_turns(chosen);
    Ok(Arc::new(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::TurnParts;

    #[test]
    fn ranges_include_both_ends() {
        let selection: Selection = "2..3, 5,7..".parse().expect("a selection");
        let chosen: Vec<u32> = (1..=8).filter(|turn| selection.has(*turn)).collect();
        assert_eq!(chosen, [2, 3, 5, 7, 8]);
        assert!("..2".parse::<Selection>().expect("a selection").has(1));
        for wrong in ["", "0", "3..2", "..", "a", "1,", "-1", "1..2..3"] {
            assert!(wrong.parse::<Selection>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn chosen_turns_keep_their_numbers() {
        let mut step = Step::default();
        for number in 1..=3 {
            step.push_turn(Turn::success(number, TurnParts::default()));
        }
        let step = Arc::new(step);
        let selection: Selection = "2..9".parse().expect("a selection");
        let cut = cut(&step, Some(&selection)).expect("turns");
        let numbers: Vec<u32> = cut.turns().iter().map(|turn| turn.number()).collect();
        assert_eq!(numbers, [2, 3]);
        let beyond: Selection = "9".parse().expect("a selection");
        let error = turns(&step, Some(&beyond)).expect_err("nothing");
        assert!(error.to_string().contains("1 to 3"));
    }
}
