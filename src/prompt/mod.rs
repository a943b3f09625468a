//! The static system prompt and the expansion of missions (requirements 8).

use std::sync::{Arc, OnceLock};

use crate::step::{Conventions, Step};

pub mod mission;

/// The static system prompt of runs with several turns.
pub fn multi_turn() -> &'static Arc<str> {
    static TEXT: OnceLock<Arc<str>> = OnceLock::new();
    TEXT.get_or_init(|| with_functions(include_str!("../../assets/system-multi-turn.md")))
}

/// The static system prompt of single-shot runs.
pub fn single_shot() -> &'static Arc<str> {
    static TEXT: OnceLock<Arc<str>> = OnceLock::new();
    TEXT.get_or_init(|| with_functions(include_str!("../../assets/system-single-shot.md")))
}

/// The functions that a prompt lists are those that there are.
fn with_functions(text: &str) -> Arc<str> {
    text.trim_end()
        .replace("{functions}", &crate::lisp::function_list())
        .into()
}

/// A step's system prompt: its own, else the static one where the conventions say so, else none.
///
/// The static prompt names no tool and no data, and is the same for every turn and strategy [ARC-008].
pub fn system_prompt(step: &Step) -> Option<Arc<str>> {
    if let Some(own) = &step.system_prompt {
        return Some(Arc::clone(own));
    }
    match step.conventions {
        Conventions::Ptc if step.is_single_shot() => Some(Arc::clone(single_shot())),
        Conventions::Ptc => Some(Arc::clone(multi_turn())),
        Conventions::Foreign => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(max_turns: Option<u32>) -> Step {
        let mut step = Step::default();
        step.recorded_max_turns = max_turns;
        step
    }

    #[test]
    fn the_variant_follows_the_number_of_turns() {
        let first_words = |max_turns| {
            let prompt = system_prompt(&step(max_turns)).expect("a prompt");
            let line = prompt.lines().next().unwrap_or_default().to_owned();
            (line.contains("one a turn"), line.contains("one program"))
        };
        assert_eq!(first_words(None), (true, false));
        assert_eq!(first_words(Some(2)), (true, false));
        assert_eq!(first_words(Some(1)), (false, true));
    }

    #[test]
    fn a_step_s_own_prompt_wins() {
        for conventions in [Conventions::Ptc, Conventions::Foreign] {
            let mut step = step(Some(1));
            step.conventions = conventions;
            step.system_prompt = Some("Own words.".into());
            assert_eq!(system_prompt(&step).as_deref(), Some("Own words."));
        }
    }

    #[test]
    fn other_formats_have_none() {
        let mut step = step(None);
        step.conventions = Conventions::Foreign;
        assert_eq!(system_prompt(&step), None);
    }

    #[test]
    fn single_shot_says_nothing_of_turns_and_memory() {
        for word in ["turn", "*1", "prelude", "println"] {
            let shown = |text: &str| {
                let listed = crate::lisp::function_list();
                text.replace(&listed, "").replace("return", "")
            };
            assert!(!shown(single_shot()).contains(word), "{word}");
            assert!(shown(multi_turn()).contains(word), "{word}");
        }
    }

    #[test]
    fn every_builtin_is_listed_once() {
        for prompt in [multi_turn(), single_shot()] {
            assert!(!prompt.contains("{functions}"));
            let listed = crate::lisp::function_list();
            assert!(prompt.contains(&listed));
            let lists = listed.split('`').skip(1).step_by(2);
            let names = lists.flat_map(|list| list.split(' '));
            for doc in crate::lisp::docs() {
                let count = names.clone().filter(|name| *name == doc.name).count();
                assert_eq!(count, 1, "{}", doc.name);
            }
        }
    }

    /// Whatever is named after `tool/` or `data/` is a placeholder [ARC-008].
    #[test]
    fn no_tool_and_no_data_of_a_run_is_named() {
        for prompt in [multi_turn(), single_shot()] {
            for prefix in ["tool/", "data/"] {
                let named = prompt.match_indices(prefix);
                for (at, _) in named {
                    let name = &prompt[at + prefix.len()..];
                    assert!(name.starts_with("NAME"), "{prefix}{name:.20}");
                }
            }
        }
    }
}
