//! Programs of the user's that a text is handed to, and the terminal with it: the editor, the pager.

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::actions;
use super::app::{App, Effect};
use super::terminal::{Screen, write_private};
use crate::error::Error;

/// Bytes that are taken back from an editor.
const EDITED_LIMIT: u64 = 16 << 20;

/// How often it is asked whether the program has ended.
const INTERVAL: Duration = Duration::from_millis(30);

/// Which program of the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `$VISUAL`, else `$EDITOR`.
    Editor,
    /// `$PAGER`.
    Pager,
}

impl Program {
    /// The variables that name it, and what is taken where none is set.
    const fn names(self) -> (&'static [&'static str], &'static str) {
        match self {
            Self::Editor if cfg!(windows) => (&["VISUAL", "EDITOR"], "notepad"),
            Self::Editor => (&["VISUAL", "EDITOR"], "vi"),
            Self::Pager if cfg!(windows) => (&["PAGER"], "more"),
            Self::Pager => (&["PAGER"], "less"),
        }
    }

    /// The program and its own arguments, from variables such as `code --wait`.
    fn command(self, variable: impl Fn(&str) -> Option<String>) -> Result<Vec<String>, String> {
        let (variables, default) = self.names();
        let mut set = variables.iter().filter_map(|name| {
            let value = variable(name)?;
            (!value.trim().is_empty()).then_some((name, value))
        });
        let Some((name, value)) = set.next() else {
            return Ok(vec![default.to_owned()]);
        };
        shlex::split(&value)
            .filter(|words| !words.is_empty())
            .ok_or_else(|| format!("{name} is no command, for its quotes don't match: {value}"))
    }
}

/// What becomes of a text that came back changed.
#[derive(Debug, Clone, Copy)]
pub struct Taker(pub fn(&mut App, String));

impl PartialEq for Taker {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Taker {}

/// A text that a program of the user's is given. With a taker it can be edited; without one it is
/// for reading, and its file can't be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    /// The program.
    pub program: Program,
    /// What the text is, for messages.
    pub what: String,
    /// The text, safe to print.
    pub text: String,
    /// What stands in the text for secrets, and the secrets.
    pub hidden: Vec<(String, String)>,
    /// The end of the file's name, by which editors know the language: `txt`.
    pub extension: &'static str,
    /// What becomes of the text if it comes back changed.
    pub taker: Option<Taker>,
}

impl Handed {
    /// An edited text with the secrets that were hidden in it.
    pub fn restored(&self, text: String) -> String {
        let hidden = self.hidden.iter();
        hidden.fold(text, |text, (stand_in, secret)| {
            text.replace(stand_in, secret)
        })
    }
}

/// The command: opens the text of the focused pane for reading.
pub(super) fn open_pane(app: &mut App, program: Program) -> Option<Effect> {
    let (what, text) = actions::pane_text(app)?;
    Some(Effect::HandOver(Handed {
        program,
        what,
        text,
        hidden: Vec::new(),
        extension: "txt",
        taker: None,
    }))
}

/// Gives the terminal to the program until it ends, and takes it back. What went wrong with the
/// program is the app's message.
///
/// # Errors
/// [`Error::Terminal`] where the terminal can't be taken back.
pub(super) fn hand_over(
    app: &mut App,
    screen: &mut Screen,
    handed: &Handed,
    stop: &AtomicBool,
) -> Result<(), Error> {
    let words = match handed.program.command(|name| std::env::var(name).ok()) {
        Ok(words) => words,
        Err(what) => {
            app.message = Some(what);
            return Ok(());
        }
    };
    let outcome = screen.lend(|| run(&words, handed, stop))?;
    match (outcome, handed.taker) {
        (Err(what), _) => app.message = Some(what),
        (Ok(Some(text)), Some(Taker(take))) => take(app, handed.restored(text)),
        (Ok(None), Some(_)) => {
            app.message = Some(format!("{} came back unchanged", handed.what));
        }
        (Ok(_), None) => {}
    }
    Ok(())
}

/// Runs a program on a file of its own with the text, which is gone afterwards. The text, if it was
/// changed.
fn run(words: &[String], handed: &Handed, stop: &AtomicBool) -> Result<Option<String>, String> {
    let what = &handed.what;
    let path = write_private("turnscope-text", handed.extension, &handed.text)
        .map_err(|error| format!("{what} was not opened: no file for it: {error}"))?;
    let _file = Removed(&path);
    let is_edited = handed.taker.is_some();
    if !is_edited {
        // An editor then says so; it is no loss where it doesn't.
        let _ = protect(&path);
    }
    let status = wait(words, &path, stop);
    let program = &words[0];
    let status = status.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let (variables, _) = handed.program.names();
            let variable = variables[0];
            format!("the program '{program}' was not found; {variable} can name another one")
        }
        _ => format!("the program '{program}' did not start: {error}"),
    })?;
    if !status.success() {
        let lost = if is_edited {
            "; nothing was taken over"
        } else {
            ""
        };
        return Err(format!("the program '{program}' ended with {status}{lost}"));
    }
    if !is_edited {
        return Ok(None);
    }
    let edited = read(&path).map_err(|error| format!("{what} was not taken over: {error}"))?;
    Ok((edited != handed.text).then_some(edited))
}

/// A file that is removed with this.
struct Removed<'a>(&'a Path);

impl Drop for Removed<'_> {
    fn drop(&mut self) {
        // The program may have removed it already.
        let _ = std::fs::remove_file(self.0);
    }
}

#[cfg(unix)]
fn protect(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o400))
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)] // the same form as where files are protected
fn protect(_: &Path) -> io::Result<()> {
    // A protected file couldn't be removed.
    Ok(())
}

/// Waits until the program has ended; a signal that ends turnscope ends it too.
fn wait(words: &[String], path: &Path, stop: &AtomicBool) -> io::Result<ExitStatus> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg(path).stdin(keyboard());
    let mut child = command.spawn()?;
    let mut asked = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if stop.load(Ordering::Relaxed) && !asked {
            end(&mut child)?;
            asked = true;
        }
        thread::sleep(INTERVAL);
    }
}

/// Where the program's keys come from: the terminal, also where standard input is a trace.
fn keyboard() -> Stdio {
    if io::stdin().is_terminal() || !cfg!(unix) {
        return Stdio::inherit();
    }
    std::fs::File::open("/dev/tty").map_or_else(|_| Stdio::inherit(), Stdio::from)
}

/// An editor saves what it can where it is asked to end.
#[cfg(unix)]
fn end(child: &mut Child) -> io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    Ok(kill_process(Pid::from_child(child), Signal::TERM)?)
}

#[cfg(not(unix))]
fn end(child: &mut Child) -> io::Result<()> {
    child.kill()
}

fn read(path: &Path) -> io::Result<String> {
    let size = std::fs::metadata(path)?.len();
    if size > EDITED_LIMIT {
        let what = format!("{size} bytes are more than the {EDITED_LIMIT} that are taken");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    std::fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(program: Program, set: &[(&str, &str)]) -> Result<Vec<String>, String> {
        program.command(|name| {
            let found = set.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_program_is_the_users_own() {
        let set = [("VISUAL", ""), ("EDITOR", "'my editor' --wait")];
        assert_eq!(
            words(Program::Editor, &set),
            Ok(vec!["my editor".to_owned(), "--wait".to_owned()])
        );
        assert_eq!(words(Program::Pager, &set).map(|words| words.len()), Ok(1));
        let error = words(Program::Pager, &[("PAGER", "less '")]).expect_err("a quote is open");
        assert!(error.starts_with("PAGER is no command"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn what_comes_back_changed_is_taken() {
        let stop = AtomicBool::new(false);
        let handed = |taker| Handed {
            program: Program::Editor,
            what: "a text".to_owned(),
            text: "old\n".to_owned(),
            hidden: Vec::new(),
            extension: "txt",
            taker,
        };
        let script = |line: &str| vec!["sh".to_owned(), "-c".to_owned(), line.to_owned()];
        let taker = Some(Taker(|_, _| {}));
        let add = script("echo new >> \"$0\"");
        let edited = run(&add, &handed(taker), &stop);
        assert_eq!(edited, Ok(Some("old\nnew\n".to_owned())));
        assert_eq!(run(&script("true"), &handed(taker), &stop), Ok(None));
        let failed = run(&script("exit 3"), &handed(taker), &stop).expect_err("it failed");
        assert!(failed.ends_with("nothing was taken over"), "{failed}");
        let missing = ["no-such-program-here".to_owned()];
        let missing = run(&missing, &handed(None), &stop).expect_err("it isn't there");
        assert!(missing.contains("VISUAL can name another one"), "{missing}");
        // The file is for reading only, and it is gone afterwards.
        let keep = tempfile::tempdir().expect("a directory");
        let kept = keep.path().join("name");
        let look = format!("ls -l \"$0\" > '{}'", kept.display());
        assert_eq!(run(&script(&look), &handed(None), &stop), Ok(None));
        let seen = std::fs::read_to_string(&kept).expect("a listing");
        assert!(seen.starts_with("-r--------"), "{seen}");
        let path = seen.split_whitespace().last().expect("a path");
        assert!(!Path::new(path).exists());
    }
}
