//! The commands, run as a person or a script runs them.

mod check;
mod compare;
mod convert;
mod diff;
mod errors;
mod folder;
mod follow;
mod hostile;
mod log;
mod messages;
mod print;
mod programs;
mod redact;
mod settings;
#[path = "../common/two_turns.rs"]
mod two_turns;

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// A sample's path by its name, such as `log-triage`.
fn sample(name: &str) -> String {
    let folders = ["step", "step-corners"].into_iter();
    let paths = folders.map(|folder| fixtures().join(folder).join(format!("{name}.step.json")));
    let found = paths.into_iter().find(|path| path.exists());
    let path = found.unwrap_or_else(|| panic!("there is no sample {name}"));
    path.to_str().expect("a plain path").to_owned()
}

/// All samples.
fn samples() -> Vec<PathBuf> {
    let mut samples: Vec<PathBuf> = ["step", "step-corners"]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(fixtures().join(folder)).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    samples.sort();
    assert!(samples.len() >= 30);
    samples
}

/// The command, in an environment that doesn't depend on who tests.
fn command<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnscope"));
    command
        .args(args)
        .env("LC_ALL", "C.UTF-8")
        .env("XDG_CONFIG_HOME", fixtures().join("no-settings"))
        .env("APPDATA", fixtures().join("no-settings"))
        .env_remove("TURNSCOPE_CONFIG")
        .env_remove("TURNSCOPE_LOG")
        .env_remove("NO_COLOR")
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null());
    command
}

/// How a command ended.
#[derive(Debug)]
struct Ended {
    code: i32,
    out: String,
    err: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("no signal"),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Ended {
    command(args).output().expect("the command runs").into()
}

/// Runs a command that succeeds and says nothing beside its output.
fn output<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> String {
    let ended = run(args);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    ended.out
}

/// Runs a command with a text on standard input.
fn run_with_input<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, input: &str) -> Ended {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("it is read");
    drop(stdin);
    child.wait_with_output().expect("it ends").into()
}

/// A file with a content, and the folder that goes with it.
fn file(name: &str, content: impl AsRef<[u8]>) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("it is written");
    let path = path.to_str().expect("a plain path").to_owned();
    (folder, path)
}
