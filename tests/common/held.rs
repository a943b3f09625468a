//! A trace of which only a part is held, compared with the same one that is read whole.

use turnscope::load::Loaded;

/// What a trace says differently, if anything, where only a part of it is held and its turns are shelved.
pub(crate) fn difference(held: &Loaded, whole: &Loaded) -> Option<String> {
    let differs = |what: &str, held: String, whole: String| {
        (held != whole).then(|| format!("{what} differs: {held}\nwhole: {whole}"))
    };
    if let Some(told) = differs("the report", told(&held.report), told(&whole.report)) {
        return Some(told);
    }
    let turns = |loaded: &Loaded| -> Vec<usize> {
        let steps = loaded.conversations.iter();
        steps.map(|step| step.turns().len()).collect()
    };
    if held.format != whole.format || turns(held) != turns(whole) {
        let [held, whole] = [held, whole].map(|loaded| (loaded.format, turns(loaded)));
        return Some(format!("{held:?} instead of {whole:?}"));
    }
    for (held, whole) in held.conversations.iter().zip(&whole.conversations) {
        let mut are_placed_alike = true;
        for (at, turn) in whole.turns().iter().enumerate() {
            let known = &held.turns()[at];
            are_placed_alike &= known.position() == turn.position();
            let again = held.turn(at).expect("there are as many turns");
            let what = format!("turn {}", at + 1);
            let found = differs(&what, told(&known.amounts()), told(&turn.amounts()))
                .or_else(|| differs(&what, told(&*again), told(&**turn)));
            if found.is_some() {
                return found;
            }
        }
        if are_placed_alike && held != whole {
            return Some("what stands beside the turns differs".to_owned());
        }
    }
    None
}

/// What something says, wherever it stands: of some documents that are read whole all of it stands in line
/// 1, and nobody says where in those that are not.
fn told(what: &impl std::fmt::Debug) -> String {
    let told = format!("{what:?}");
    let mut parts = told.split("line: Some(");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |told, part| {
        told + "line: None" + part.split_once(')').map_or("", |(_, rest)| rest)
    })
}
