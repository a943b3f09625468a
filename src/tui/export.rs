//! Writing what is shown to a file: which text, with or without secrets, and under which name. The text
//! is made and written off the drawing thread; a file that is there already is never written over.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use super::actions;
use super::app::{App, Effect, Overlay};
use super::line::Line;
use crate::export::form::{self, Form};
use crate::export::{anthropic, json, openai};
use crate::step::Step;
use crate::text::{self, redact::Redactor};

/// Something that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // the list shows each
pub enum What {
    /// The whole text of the focused pane.
    Pane,
    /// The prompt.
    Prompt(PromptForm),
    /// The whole run.
    Run(Form),
}

/// A form of the prompt, as `turnscope messages` writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // the forms of `messages`
pub enum PromptForm {
    /// Text with roles.
    Text,
    /// An array of `{role, content}`.
    Json,
    /// A request body for OpenAI's chat API.
    Openai,
    /// A request body for Anthropic's messages API.
    Anthropic,
}

impl What {
    /// All of them, in the order of the list.
    pub const ALL: [Self; 11] = [
        Self::Pane,
        Self::Prompt(PromptForm::Text),
        Self::Prompt(PromptForm::Json),
        Self::Prompt(PromptForm::Openai),
        Self::Prompt(PromptForm::Anthropic),
        Self::Run(Form::Html),
        Self::Run(Form::Markdown),
        Self::Run(Form::Step),
        Self::Run(Form::Atif),
        Self::Run(Form::Openai),
        Self::Run(Form::Anthropic),
    ];

    /// The words for it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Pane => "the text of this pane",
            Self::Prompt(PromptForm::Text) => "the prompt as text",
            Self::Prompt(PromptForm::Json) => "the prompt as JSON",
            Self::Prompt(PromptForm::Openai) => "the prompt for OpenAI's API",
            Self::Prompt(PromptForm::Anthropic) => "the prompt for Anthropic's API",
            Self::Run(Form::Html) => "the run as a page",
            Self::Run(Form::Markdown) => "the run as Markdown",
            Self::Run(Form::Step) => "the run as a step file",
            Self::Run(Form::Atif) => "the run as an ATIF trajectory",
            Self::Run(Form::Openai) => "the run as OpenAI's chat",
            Self::Run(Form::Anthropic) => "the run as Anthropic's messages",
        }
    }

    /// The end of the file's name.
    const fn ending(self) -> &'static str {
        match self {
            Self::Pane | Self::Prompt(PromptForm::Text) => "txt",
            Self::Prompt(PromptForm::Json) => "json",
            Self::Prompt(PromptForm::Openai) | Self::Run(Form::Openai) => "openai.json",
            Self::Prompt(PromptForm::Anthropic) | Self::Run(Form::Anthropic) => "anthropic.json",
            Self::Run(Form::Html) => "html",
            Self::Run(Form::Markdown) => "md",
            Self::Run(Form::Atif) => "atif.json",
            Self::Run(_) => "step.json",
        }
    }
}

/// The list while it is open.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // the state of one overlay
pub struct Input {
    /// The selected entry; behind the last of [`What::ALL`] the one that hides or shows secrets.
    pub selected: usize,
    /// Whether secrets are hidden in the file.
    pub hides: bool,
    /// The file's name, while it is typed.
    pub name: Option<Line>,
}

impl Default for Input {
    /// Files are what is given away.
    fn default() -> Self {
        Self {
            selected: 0,
            hides: true,
            name: None,
        }
    }
}

impl Input {
    /// Entries of the list.
    const ENTRIES: usize = What::ALL.len() + 1;

    /// Selects another entry.
    pub(super) fn move_by(&mut self, by: isize) {
        let next = self.selected.saturating_add_signed(by);
        self.selected = next.min(Self::ENTRIES - 1);
    }

    /// What is selected; none is the entry about secrets.
    pub fn what(&self) -> Option<What> {
        What::ALL.get(self.selected).copied()
    }
}

/// What is to be written, and what is being written.
#[derive(Debug, Default)]
pub struct Exports {
    wanted: Option<Job>,
    going: Option<(Job, Receiver<Outcome>)>,
}

/// Bytes written, or why nothing was.
type Outcome = Result<(PathBuf, usize), (PathBuf, io::Error)>;

#[derive(Debug, Clone)]
struct Job {
    input: Input,
    body: Body,
    redactor: Option<Arc<Redactor>>,
}

#[derive(Debug, Clone)]
enum Body {
    Text(String),
    Run(Arc<Step>, Form),
}

impl Exports {
    /// Whether something is being written.
    pub fn is_running(&self) -> bool {
        self.going.is_some()
    }
}

/// The command: lists what can be written.
pub(super) fn open(app: &mut App) {
    app.overlay = Some(Overlay::Export(Input::default()));
}

/// Takes the selected entry: asks for the file's name.
pub(super) fn choose(app: &mut App, mut input: Input) {
    match input.what() {
        Some(what) => input.name = Some(usual_name(app, what).into()),
        None if app.redaction.status().is_some() => {
            app.message = Some("secrets are hidden on the screen, so in files too".to_owned());
        }
        None => input.hides = !input.hides,
    }
    app.overlay = Some(Overlay::Export(input));
}

/// A name from the run's, the turn and the form.
fn usual_name(app: &App, what: What) -> String {
    let document = app.document();
    let plain = |letter: char| {
        let kept = letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_');
        if kept { letter } else { '-' }
    };
    let title = app.redaction.text(&document.title);
    let words: String = title.chars().take(40).map(plain).collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    let name = words.join("-");
    let name = name.trim_start_matches('.');
    let name = if name.is_empty() { "run" } else { name };
    let turn = document.selected + 1;
    let part = match what {
        What::Pane => format!("-turn-{turn}"),
        What::Prompt(_) => format!("-prompt-{turn}"),
        What::Run(_) => String::new(),
    };
    format!("{name}{part}.{}", what.ending())
}

/// Goes back to the list.
pub(super) fn stop_naming(app: &mut App) {
    if let Some(Overlay::Export(input)) = &mut app.overlay {
        input.name = None;
    }
}

/// Takes the name: the file is to be written.
pub(super) fn accept(app: &mut App) -> Option<Effect> {
    let Some(Overlay::Export(input)) = app.overlay.take() else {
        return None;
    };
    if input
        .name
        .as_deref()
        .is_none_or(|name| name.trim().is_empty())
    {
        app.message = Some("a file needs a name".to_owned());
        app.overlay = Some(Overlay::Export(input));
        return None;
    }
    let body = body(app, input.what()?)?;
    let hides = input.hides || app.redaction.status().is_some();
    let redactor = if hides {
        let redactor = app.redaction.for_files();
        if redactor.is_none() {
            app.message =
                Some("nothing was written: the rules for secrets can't be used".to_owned());
            return None;
        }
        redactor
    } else {
        None
    };
    app.exports.wanted = Some(Job {
        input,
        body,
        redactor,
    });
    Some(Effect::Export)
}

fn body(app: &mut App, what: What) -> Option<Body> {
    Some(match what {
        What::Pane => {
            let (_, text) = actions::pane_text(app)?;
            Body::Text(text)
        }
        What::Prompt(form) => {
            let messages = actions::prompt(app)?;
            Body::Text(match form {
                PromptForm::Text => {
                    let text = actions::prompt_text(app)?;
                    format!("{}\n", text::clean(&text))
                }
                PromptForm::Json => json::messages(&messages),
                PromptForm::Openai => openai::body(&messages),
                PromptForm::Anthropic => anthropic::body(&messages),
            })
        }
        What::Run(form) => Body::Run(Arc::clone(app.document().run.step()), form),
    })
}

/// Begins to write what is wanted: the effect.
pub fn start(app: &mut App) {
    let Some(job) = app.exports.wanted.take() else {
        return;
    };
    let run = Arc::clone(app.document().run.step());
    let (send, going) = channel();
    let task = job.clone();
    app.message = Some("writing …".to_owned());
    // Nobody waits any longer where the inspector has ended; the file is written or it is not there.
    thread::spawn(move || send.send(task.perform(&run)));
    app.exports.going = Some((job, going));
}

impl Job {
    fn perform(self, run: &Step) -> Outcome {
        let path = expanded(self.input.name.as_deref().unwrap_or_default().trim());
        if let Some(redactor) = &self.redactor {
            // Numbers in the order of the records; what has one keeps it.
            run.learn(redactor);
            redactor.learned();
        }
        let redactor = self.redactor.as_deref();
        let text = match self.body {
            Body::Text(text) => match redactor {
                Some(redactor) => redactor.text(&text).into_owned(),
                None => text,
            },
            Body::Run(step, form) => match form::write(&step, form, redactor) {
                Ok(text) => text,
                Err(error) => return Err((path, io::Error::other(error.to_string()))),
            },
        };
        match write_new(&path, &text) {
            Ok(()) => Ok((path, text.len())),
            Err(error) => Err((path, error)),
        }
    }
}

/// A path that begins in the home folder.
fn expanded(name: &str) -> PathBuf {
    let home = || etcetera::home_dir().ok();
    match name.strip_prefix("~/") {
        Some(rest) => home().map_or_else(|| name.into(), |home| home.join(rest)),
        None => name.into(),
    }
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes()).inspect_err(|_| {
        // Half a file helps nobody, and it is ours: it was not there before.
        let _ = std::fs::remove_file(path);
    })
}

/// Takes what became of it; whether that has just come.
pub(super) fn poll(app: &mut App) -> bool {
    let Some((_, going)) = &app.exports.going else {
        return false;
    };
    let outcome = match going.try_recv() {
        Err(TryRecvError::Empty) => return false,
        outcome => outcome,
    };
    let Some((job, _)) = app.exports.going.take() else {
        return false;
    };
    let what = job.input.what().map_or("the text", What::title);
    app.message = Some(match outcome {
        Ok(Ok((path, bytes))) => {
            let hidden = if job.redactor.is_some() {
                "secrets hidden"
            } else {
                "secrets and all"
            };
            let path = path.display().to_string();
            format!(
                "wrote {what} to {}, {bytes} bytes, {hidden}",
                text::clean_line(&path)
            )
        }
        Ok(Err((path, error))) => {
            let is_there = error.kind() == io::ErrorKind::AlreadyExists;
            // Another name may do, unless somebody does something else by now.
            if app.overlay.is_none() {
                app.overlay = Some(Overlay::Export(job.input.clone()));
            }
            let path = path.display().to_string();
            let path = text::clean_line(&path);
            if is_there {
                format!("{path} is there already and stays as it is; type another name")
            } else {
                format!("{path} can't be written: {error}; type another name")
            }
        }
        Err(_) => format!("{what} was not written: making it broke off"),
    });
    true
}
