//! `run`: makes a run from a file of responses, or live, and writes it as a step.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::args::RunArgs;
use super::{Context, eval, note, open};
use crate::agent::{Http, Llm, Options, Scripted, run as run_agent};
use crate::compression::{Case, normalize, strategy};
use crate::error::Error;
use crate::export;
use crate::lisp::Tools;
use crate::step::{Ending, Step};
use crate::value::transit;

pub(super) fn run(args: &RunArgs, context: &mut Context<'_>) -> Result<(), Error> {
    let loaded = open::open(&args.spec, &args.reading)?;
    let spec = open::pick(&loaded, &args.spec, &args.picking)?;
    let mut start = (*spec).clone();
    start.replace_turns(Vec::new());
    start.ending = Ending::Open;
    let case = case(args, &start)?;
    let tools = eval::tools_of(args.tools.as_deref())?;
    let mut tools = move |_: u32| -> Box<dyn Tools> { Box::new(tools.clone()) };
    let mut llm = llm(args)?;
    let mut options = Options::new(case);
    options.bare_names = args.bare_names;
    let made = run_agent(&start, &options, &mut *llm, &mut tools);
    let made = made.map_err(|error| Error::Unreadable {
        name: args.llm.clone().unwrap_or_default(),
        what: error.to_string(),
    })?;
    if matches!(made.ending, Ending::Open) {
        let turns = made.turns().len();
        note(&format!(
            "the responses ran out after {turns} turns; the run is open"
        ));
    }
    std::fs::write(&args.out, export::step::write(&made)).map_err(|source| Error::Write {
        path: args.out.clone(),
        source,
    })?;
    let turns = made.turns().len();
    Ok(writeln!(
        context.out,
        "{turns} turns, {}",
        ended(&made.ending)
    )?)
}

fn llm(args: &RunArgs) -> Result<Box<dyn Llm>, Error> {
    if let Some(path) = &args.responses {
        return Ok(Box::new(Scripted::new(responses(path)?)));
    }
    let (url, model) = (args.llm.as_deref(), args.model.as_deref());
    let time = Duration::from_secs(args.answer_time);
    let (url, model) = (url.unwrap_or_default(), model.unwrap_or_default());
    Ok(Box::new(Http::from_environment(url, model, time)))
}

fn case(args: &RunArgs, step: &Step) -> Result<Case, Error> {
    let case = match (&args.strategy, &step.compression) {
        (Some(name), _) => strategy(name).map(Case::new),
        (None, Some(setting)) => normalize(setting),
        (None, None) => Ok(Case::default()),
    };
    case.map_err(|error| Error::Usage(error.to_string()))
}

fn ended(ending: &Ending) -> String {
    match ending {
        Ending::Return(_) => "returned".to_owned(),
        Ending::Fail(failure) => {
            let reason = failure.reason.as_deref().unwrap_or("no reason");
            format!("failed: {}", crate::text::clean_line(reason))
        }
        Ending::Open => "open".to_owned(),
    }
}

/// A JSON list of texts; `{"responses": [..]}` is one, too.
fn responses(path: &Path) -> Result<Vec<Arc<str>>, Error> {
    let name = || path.to_string_lossy().into_owned();
    let text = std::fs::read(path).map_err(|source| Error::Read {
        name: name(),
        source,
    })?;
    let bad = |what: String| Error::Unreadable { name: name(), what };
    let value = transit::parse(&text).map_err(|error| bad(format!("not JSON: {error}")))?;
    let value = value.value;
    let list = value
        .as_list()
        .or_else(|| value.get("responses")?.as_list());
    let texts = list.and_then(|list| {
        let texts = list.iter().map(|text| text.as_str().map(Arc::from));
        texts.collect::<Option<Vec<_>>>()
    });
    texts.ok_or_else(|| bad("a JSON list of the responses' texts is needed".to_owned()))
}
