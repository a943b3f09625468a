//! Two runs of the same mission, turn by turn: which turns did the same, and where the runs part
//! (analysis, "Two runs").

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use crate::step::Turn;

/// Cells of the table of distances that are filled at most. Longer stretches are first divided at
/// turns that did the same; what is still too long then is paired in order.
const CELLS: usize = 4_000_000;

/// What a turn that only one run has costs.
const GAP: u32 = 2;

/// How two turns that stand side by side compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums)] // every way there is
pub enum Likeness {
    /// The same program and calls, and the same came of it.
    Same,
    /// The same program and calls, but something else came of it.
    OtherOutcome,
    /// Another program or other calls.
    OtherDoing,
    /// Only the first run has such a turn.
    OnlyBefore,
    /// Only the second run has such a turn.
    OnlyAfter,
}

impl Likeness {
    /// A sign for lists.
    pub const fn sign(self) -> char {
        match self {
            Self::Same => '=',
            Self::OtherOutcome => '≈',
            Self::OtherDoing => '≠',
            Self::OnlyBefore => '-',
            Self::OnlyAfter => '+',
        }
    }

    /// Its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::OtherOutcome => "other outcome",
            Self::OtherDoing => "other doing",
            Self::OnlyBefore => "only before",
            Self::OnlyAfter => "only after",
        }
    }

    /// Whether program and calls are the same.
    pub const fn does_the_same(self) -> bool {
        matches!(self, Self::Same | Self::OtherOutcome)
    }
}

/// Turns side by side, by their places in their runs, from 0; one of them may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pair {
    /// The first run's.
    pub before: Option<usize>,
    /// The second run's.
    pub after: Option<usize>,
    /// How they compare.
    pub likeness: Likeness,
}

/// All turns of two runs side by side, each once and in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignment {
    pairs: Vec<Pair>,
    /// For each turn of the first run, and of the second, its pair.
    places: [Vec<usize>; 2],
}

impl Alignment {
    /// Puts the turns of two runs side by side, so that the edit distance by programs and calls is the
    /// smallest. Turns that have neither are told apart by their responses.
    /// Each turn is looked at once, and none is kept.
    pub fn new(
        before: impl IntoIterator<Item = impl AsRef<Turn>>,
        after: impl IntoIterator<Item = impl AsRef<Turn>>,
    ) -> Self {
        let (before, came_before) = done(before);
        let (after, came_after) = done(after);
        let mut alignment = Self::default();
        let mut next = [0, 0];
        let ends = (before.len(), after.len());
        let aligner = Aligner {
            before: &before,
            after: &after,
            cells: CELLS,
            matched: Vec::new(),
        };
        for (left, right) in aligner.align().into_iter().chain([ends]) {
            for before in next[0]..left {
                alignment.push(Some(before), None, Likeness::OnlyBefore);
            }
            for after in next[1]..right {
                alignment.push(None, Some(after), Likeness::OnlyAfter);
            }
            if (left, right) != ends {
                let likeness = match (before[left] == after[right], came_before[left]) {
                    (false, _) => Likeness::OtherDoing,
                    (true, came) if came == came_after[right] => Likeness::Same,
                    (true, _) => Likeness::OtherOutcome,
                };
                alignment.push(Some(left), Some(right), likeness);
            }
            next = [left + 1, right + 1];
        }
        alignment
    }

    fn push(&mut self, before: Option<usize>, after: Option<usize>, likeness: Likeness) {
        let at = self.pairs.len();
        self.places[0].extend(before.map(|_| at));
        self.places[1].extend(after.map(|_| at));
        self.pairs.push(Pair {
            before,
            after,
            likeness,
        });
    }

    /// The pairs, in order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The pair of a turn of the first run.
    pub fn of_before(&self, turn: usize) -> Option<usize> {
        self.places[0].get(turn).copied()
    }

    /// The pair of a turn of the second run.
    pub fn of_after(&self, turn: usize) -> Option<usize> {
        self.places[1].get(turn).copied()
    }

    /// The first pair in which the runs don't do the same.
    pub fn divergence(&self) -> Option<usize> {
        let mut pairs = self.pairs.iter();
        pairs.position(|pair| !pair.likeness.does_the_same())
    }
}

/// What a turn did, as far as turns are compared by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Doing {
    /// The program; where there is none and no call either, the response.
    said: Option<u64>,
    /// Tools and arguments.
    calls: Option<u64>,
    /// The tools alone.
    tools: Option<u64>,
}

fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

impl Doing {
    fn of(turn: &Turn) -> Self {
        let made = turn.tool_calls();
        let calls: Vec<_> = made.iter().map(|call| (&call.name, &call.args)).collect();
        let tools: Vec<_> = made.iter().map(|call| &call.name).collect();
        let program = turn.program().get().map(|program| &program.source);
        let response = turn.raw_response().get().filter(|_| calls.is_empty());
        Self {
            said: program.or(response).map(|text| hash(text.trim())),
            calls: (!calls.is_empty()).then(|| hash(&calls)),
            tools: (!tools.is_empty()).then(|| hash(&tools)),
        }
    }

    /// What it costs that one stands beside the other. Two that have nothing in common cost less than
    /// two gaps, so that what each run did at the same point stands side by side.
    fn distance(&self, other: &Self) -> u32 {
        let shares = |one: Option<u64>, two: Option<u64>| one.is_some() && one == two;
        if self == other {
            0
        } else if shares(self.said, other.said) || shares(self.calls, other.calls) {
            1
        } else if shares(self.tools, other.tools) {
            2
        } else {
            3
        }
    }
}

/// What each turn did, and a hash of what came of it.
fn done(turns: impl IntoIterator<Item = impl AsRef<Turn>>) -> (Vec<Doing>, Vec<u64>) {
    let both = turns.into_iter().map(|turn| {
        let turn = turn.as_ref();
        let calls = turn.tool_calls().iter();
        let calls: Vec<_> = calls
            .map(|call| (call.result.get(), call.error.as_ref()))
            .collect();
        let came = (turn.failed(), turn.result().get(), turn.prints(), calls);
        (Doing::of(turn), hash(came))
    });
    both.unzip()
}

/// Finds the turns that stand side by side.
struct Aligner<'a> {
    before: &'a [Doing],
    after: &'a [Doing],
    /// Cells that may still be filled.
    cells: usize,
    matched: Vec<(usize, usize)>,
}

/// Where the smallest distance to a cell comes from.
#[derive(Clone, Copy)]
enum Move {
    Both,
    Before,
    After,
}

impl Aligner<'_> {
    fn align(mut self) -> Vec<(usize, usize)> {
        let (all_before, all_after) = (self.before.len(), self.after.len());
        let same = self.before.iter().zip(self.after);
        let head = same.take_while(|(one, two)| one == two).count();
        let rest = self.before[head..].iter().rev();
        let same = rest.zip(self.after[head..].iter().rev());
        let tail = same.take_while(|(one, two)| one == two).count();
        self.matched.extend((0..head).map(|at| (at, at)));
        self.stretch(head..all_before - tail, head..all_after - tail, true);
        let tails = (all_before - tail..all_before).zip(all_after - tail..all_after);
        self.matched.extend(tails);
        self.matched
    }

    fn stretch(&mut self, before: Range<usize>, after: Range<usize>, divide: bool) {
        let cells = (before.len() + 1).saturating_mul(after.len() + 1);
        if cells <= self.cells {
            self.cells -= cells;
            self.fill(before, after);
        } else if divide {
            self.divide(before, after);
        } else {
            self.matched.extend(before.zip(after));
        }
    }

    /// Divides at turns that did the same in both.
    fn divide(&mut self, before: Range<usize>, after: Range<usize>) {
        let mut input = InternedInput::default();
        input.update_before(self.before[before.clone()].iter().copied());
        input.update_after(self.after[after.clone()].iter().copied());
        let diff = Diff::compute(Algorithm::Histogram, &input);
        let (mut left, mut right) = (before.start, after.start);
        for hunk in diff.hunks() {
            let starts = (
                before.start + hunk.before.start as usize,
                after.start + hunk.after.start as usize,
            );
            self.matched.extend((left..starts.0).zip(right..starts.1));
            left = before.start + hunk.before.end as usize;
            right = after.start + hunk.after.end as usize;
            self.stretch(starts.0..left, starts.1..right, false);
        }
        self.matched
            .extend((left..before.end).zip(right..after.end));
    }

    /// The smallest edit distance, by the whole table.
    fn fill(&mut self, before: Range<usize>, after: Range<usize>) {
        let (start, columns) = ((before.start, after.start), after.len() + 1);
        let mut moves = vec![Move::After; columns];
        let mut costs: Vec<u32> = (0..columns).map(|at| count(at) * GAP).collect();
        for (row, at) in before.clone().enumerate() {
            let mut diagonal = costs[0];
            costs[0] = count(row + 1) * GAP;
            moves.push(Move::Before);
            for column in 1..columns {
                let distance = self.before[at].distance(&self.after[start.1 + column - 1]);
                let (both, above) = (diagonal + distance, costs[column] + GAP);
                let beside = costs[column - 1] + GAP;
                diagonal = costs[column];
                let least = both.min(above).min(beside);
                costs[column] = least;
                // Of equal ways the one that pairs earlier turns.
                moves.push(if least == beside {
                    Move::After
                } else if least == above {
                    Move::Before
                } else {
                    Move::Both
                });
            }
        }
        let (mut row, mut column) = (before.len(), after.len());
        let first = self.matched.len();
        while row > 0 || column > 0 {
            match moves[row * columns + column] {
                Move::Both => {
                    row -= 1;
                    column -= 1;
                    self.matched.push((start.0 + row, start.1 + column));
                }
                Move::Before => row -= 1,
                Move::After => column -= 1,
            }
        }
        self.matched[first..].reverse();
    }
}

/// A place in a table whose size is limited by [`CELLS`].
fn count(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX / GAP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::{Field, Program, ToolCall, TurnParts};
    use crate::value::{Value, json};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn turn(index: usize, program: &str, result: i64) -> Arc<Turn> {
        let parts = TurnParts {
            program: Field::Recorded(Program::ptc_lisp(program)),
            result: Field::Recorded(Value::Int(result)),
            ..TurnParts::default()
        };
        let number = u32::try_from(index + 1).expect("a small number");
        Arc::new(Turn::success(number, parts))
    }

    fn turns(programs: &str) -> Vec<Arc<Turn>> {
        let programs = programs.chars().enumerate();
        programs
            .map(|(at, program)| turn(at, &program.to_string(), 0))
            .collect()
    }

    fn signs(before: &str, after: &str) -> String {
        let alignment = Alignment::new(turns(before), turns(after));
        let pairs = alignment.pairs().iter();
        pairs.map(|pair| pair.likeness.sign()).collect()
    }

    #[test]
    fn turns_that_did_the_same_stand_side_by_side() {
        assert_eq!(signs("abc", "abc"), "===");
        assert_eq!(signs("abcd", "abxcd"), "==+==");
        assert_eq!(signs("abcd", "acd"), "=-==");
        assert_eq!(signs("abc", "axc"), "=≠=");
        assert_eq!(signs("ab", "axyz"), "=≠++");
        assert_eq!(signs("", "ab"), "++");
        assert_eq!(signs("", ""), "");
    }

    #[test]
    fn another_outcome_is_no_divergence() {
        let before = [turn(0, "a", 1), turn(1, "b", 1)];
        let after = [turn(0, "a", 2), turn(1, "c", 1)];
        let alignment = Alignment::new(&before, &after);
        assert_eq!(alignment.pairs()[0].likeness, Likeness::OtherOutcome);
        assert_eq!(alignment.divergence(), Some(1));
        assert_eq!(Alignment::new(&before, &before).divergence(), None);
    }

    #[test]
    fn calls_with_other_arguments_and_answers_are_told_apart() {
        let called = |args: &str, result: &str| {
            let value = |text: &str| json::parse(text.as_bytes()).expect("JSON").value;
            let mut call = ToolCall::new("bash", value(args));
            call.result = Field::Recorded(value(result));
            let parts = TurnParts {
                tool_calls: Field::Recorded(vec![call]),
                ..TurnParts::default()
            };
            [Turn::success(1, parts)].map(Arc::new)
        };
        let before = called(r#"{"command":"ls","dir":"a"}"#, r#"{"out":"x"}"#);
        let likeness = |args, result| {
            let alignment = Alignment::new(&before, called(args, result));
            alignment.pairs()[0].likeness
        };
        let same = r#"{"dir":"a","command":"ls"}"#;
        assert_eq!(likeness(same, r#"{"out":"x"}"#), Likeness::Same);
        assert_eq!(likeness(same, r#"{"out":"y"}"#), Likeness::OtherOutcome);
        let other = r#"{"command":"rm","dir":"a"}"#;
        assert_eq!(likeness(other, r#"{"out":"x"}"#), Likeness::OtherDoing);
    }

    #[test]
    fn long_runs_cost_little() {
        let long = |shift: usize| -> Vec<Arc<Turn>> {
            (0..10_000)
                .map(|at| turn(at, &format!("(step {})", at + shift), 0))
                .collect()
        };
        let alignment = Alignment::new(long(0), long(7));
        assert_eq!(alignment.pairs().len(), 10_007);
        assert_eq!(alignment.divergence(), Some(0));
        // Nothing in common: in order.
        let others: Vec<_> = (0..10_000)
            .map(|at| turn(at, &format!("x{at}"), 0))
            .collect();
        assert_eq!(Alignment::new(long(0), others).pairs().len(), 10_000);
    }

    /// The distance as the sum over the pairs.
    fn cost(before: &[Arc<Turn>], after: &[Arc<Turn>], alignment: &Alignment) -> u32 {
        let pairs = alignment.pairs().iter();
        let cost = |pair: &Pair| match (pair.before, pair.after) {
            (Some(one), Some(two)) => Doing::of(&before[one]).distance(&Doing::of(&after[two])),
            _ => GAP,
        };
        pairs.map(cost).sum()
    }

    /// The smallest distance, by trying everything.
    fn least(before: &[Arc<Turn>], after: &[Arc<Turn>]) -> u32 {
        match (before, after) {
            ([], rest) | (rest, []) => count(rest.len()) * GAP,
            ([one, left @ ..], [two, right @ ..]) => {
                let both = least(left, right) + Doing::of(one).distance(&Doing::of(two));
                let gaps = least(left, after).min(least(before, right)) + GAP;
                both.min(gaps)
            }
        }
    }

    proptest! {
        #[test]
        fn every_turn_stands_once_and_the_distance_is_the_smallest(
            before in "[a-c]{0,6}", after in "[a-d]{0,6}",
        ) {
            let (before, after) = (turns(&before), turns(&after));
            let alignment = Alignment::new(&before, &after);
            let pairs = alignment.pairs();
            let lefts: Vec<usize> = pairs.iter().filter_map(|pair| pair.before).collect();
            let rights: Vec<usize> = pairs.iter().filter_map(|pair| pair.after).collect();
            prop_assert_eq!(lefts, (0..before.len()).collect::<Vec<_>>());
            prop_assert_eq!(rights, (0..after.len()).collect::<Vec<_>>());
            for (at, pair) in pairs.iter().enumerate() {
                prop_assert!(pair.before.is_none_or(|turn| alignment.of_before(turn) == Some(at)));
                prop_assert!(pair.after.is_none_or(|turn| alignment.of_after(turn) == Some(at)));
            }
            prop_assert_eq!(cost(&before, &after, &alignment), least(&before, &after));
        }
    }
}
