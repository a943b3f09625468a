//! The inspector in a real terminal: it starts, takes keys, follows the size, and gives the terminal
//! back on every way out.
#![cfg(all(unix, feature = "tui"))]

#[path = "pty/following.rs"]
mod following;
#[path = "pty/hostile.rs"]
mod hostile;
#[path = "pty/leaving.rs"]
mod leaving;

use std::io::{Read as _, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use ratatui::layout::Rect;
use turnscope::load::Report;
use turnscope::tui::app::{App, Document, Start};
use turnscope::tui::prepare::prepare;
use turnscope::tui::rows::Block;
use turnscope::tui::text_view::Source;
use turnscope::tui::theme::Theme;

/// Far longer than anything here takes; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(30);

const ENTER_ALTERNATE: &[u8] = b"\x1b[?1049h";
const LEAVE_ALTERNATE: &[u8] = b"\x1b[?1049l";
const SHOW_CURSOR: &[u8] = b"\x1b[?25h";
const TAKE_MOUSE: &[u8] = b"\x1b[?1000h";
const LEAVE_MOUSE: &[u8] = b"\x1b[?1000l";
const PUSH_TITLE: &[u8] = b"\x1b[22;2t";
const POP_TITLE: &[u8] = b"\x1b[23;2t";

/// Where bytes stand in an output.
fn place(output: &[u8], what: &[u8]) -> Option<usize> {
    output.windows(what.len()).position(|part| part == what)
}

/// How often bytes stand in an output.
fn count(output: &[u8], what: &[u8]) -> usize {
    let windows = output.windows(what.len());
    windows.filter(|part| *part == what).count()
}

/// A program that is ended with its test.
struct Running(Box<dyn Child + Send + Sync>);

impl std::ops::Deref for Running {
    type Target = Box<dyn Child + Send + Sync>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl std::ops::DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

/// A program in a terminal of its own.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    /// Kept: dropping it types an end of input.
    writer: Box<dyn Write + Send>,
    child: Running,
    output: Arc<Mutex<Vec<u8>>>,
    before: Settings,
    size: PtySize,
}

/// Settings of a terminal; the type's own crate is not named here.
struct Settings {
    local: u32,
    input: u32,
    output: u32,
}

fn settings(master: &(dyn MasterPty + Send)) -> Settings {
    let settings = master.get_termios().expect("settings");
    // The flags' type differs from system to system.
    #[allow(clippy::unnecessary_cast, clippy::cast_possible_truncation)]
    Settings {
        local: settings.local_flags.bits() as u32,
        input: settings.input_flags.bits() as u32,
        output: settings.output_flags.bits() as u32,
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

impl Terminal {
    fn start(command: CommandBuilder, columns: u16, rows: u16) -> Self {
        let size = size(columns, rows);
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let before = settings(&*pair.master);
        let child = pair
            .slave
            .spawn_command(command)
            .expect("the program starts");
        let mut from = pair.master.try_clone_reader().expect("a reader");
        let output = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&output);
        thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut block) {
                kept.lock().expect("unpoisoned").extend(&block[..count]);
            }
        });
        Self {
            writer: pair.master.take_writer().expect("a writer"),
            master: pair.master,
            child: Running(child),
            output,
            before,
            size,
        }
    }

    fn output(&self) -> Vec<u8> {
        self.output.lock().expect("unpoisoned").clone()
    }

    fn screen(&self) -> String {
        let mut parser = vt100::Parser::new(self.size.rows, self.size.cols, 0);
        parser.process(&self.output());
        parser.screen().contents()
    }

    fn wait_for(&self, what: &str) {
        let start = Instant::now();
        while !self.screen().contains(what) {
            assert!(
                start.elapsed() < PATIENCE,
                "'{what}' did not appear:\n{}",
                self.screen()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn type_keys(&mut self, keys: &str) {
        self.writer
            .write_all(keys.as_bytes())
            .expect("the terminal takes keys");
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.process_id().expect("a process").to_string();
        let sent = std::process::Command::new("kill")
            .args([signal, &pid])
            .status();
        assert!(sent.expect("kill runs").success());
    }

    /// Waits for the end; the exit code.
    fn end(&mut self) -> u32 {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                thread::sleep(Duration::from_millis(100));
                return status.exit_code();
            }
            assert!(
                start.elapsed() < PATIENCE,
                "it did not end:\n{}",
                self.screen()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn assert_given_back(&self) {
        self.assert_taken_and_given_back(1);
    }

    fn assert_taken_and_given_back(&self, times: usize) {
        let output = self.output();
        let count = |what: &[u8]| count(&output, what);
        assert_eq!(count(ENTER_ALTERNATE), times, "taken so often");
        assert_eq!(count(LEAVE_ALTERNATE), times, "given back so often");
        let left = output
            .windows(LEAVE_ALTERNATE.len())
            .rposition(|part| part == LEAVE_ALTERNATE)
            .expect("left");
        let shown = output
            .windows(SHOW_CURSOR.len())
            .rposition(|part| part == SHOW_CURSOR);
        assert!(
            shown.is_some_and(|shown| shown > left),
            "the cursor is shown again"
        );
        assert_eq!(count(TAKE_MOUSE), count(LEAVE_MOUSE), "the mouse is left");
        assert_eq!(
            (count(PUSH_TITLE), count(POP_TITLE)),
            (times, times),
            "the title is as it was"
        );
        let now = settings(&*self.master);
        assert_eq!(now.local, self.before.local, "echo and lines are back");
        assert_eq!(now.input, self.before.input);
        assert_eq!(now.output, self.before.output);
    }
}

fn turnscope(arguments: &[&str]) -> CommandBuilder {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_turnscope"));
    command.args(arguments);
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    command.env_remove("NO_COLOR");
    alone(&mut command);
    command
}

/// Keeps the settings and remembered places of whoever tests away.
fn alone(command: &mut CommandBuilder) {
    command.env_remove("TURNSCOPE_CONFIG");
    command.env("XDG_CONFIG_HOME", sample("no-settings"));
    // No folder can be made in a file: nothing is remembered from one start to the next.
    command.env("XDG_STATE_HOME", sample("../pty.rs"));
}

fn sample(file: &str) -> String {
    format!("{}/tests/fixtures/{file}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_demo_opens_takes_keys_and_ends() {
    let mut terminal = Terminal::start(turnscope(&[]), 120, 30);
    terminal.wait_for("[coalesced]");
    terminal.type_keys("J");
    terminal.wait_for("Prompt for turn 2");
    terminal.type_keys("?");
    terminal.wait_for("Keys in the list of turns");
    // The last row is drawn last.
    terminal.wait_for("esc close");
    terminal.type_keys("\x1b");
    terminal.wait_for("J K turn");
    terminal.type_keys("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
}

#[test]
fn it_follows_the_size_of_the_terminal() {
    let file = sample("step/log-triage.step.json");
    let mut terminal = Terminal::start(turnscope(&[&file]), 160, 40);
    terminal.wait_for("[recorded]");
    for (columns, rows) in [(60, 15), (1, 1), (20, 5), (120, 30)] {
        terminal.size = size(columns, rows);
        terminal.master.resize(terminal.size).expect("another size");
        thread::sleep(Duration::from_millis(120));
        terminal.type_keys("J");
    }
    terminal.wait_for("Prompt for turn 5");
    terminal.type_keys("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
}

#[test]
fn every_way_out_gives_the_terminal_back() {
    let file = sample("step/log-triage.step.json");
    for way in ["ctrl-c", "-TERM", "-HUP", "-INT"] {
        let mut terminal = Terminal::start(turnscope(&["inspect", &file]), 100, 24);
        terminal.wait_for("log-triage");
        if way == "ctrl-c" {
            terminal.type_keys("\x03");
        } else {
            terminal.signal(way);
        }
        terminal.end();
        terminal.assert_given_back();
    }
}

#[test]
fn it_ends_when_the_terminal_goes_away() {
    // No thread reads here: it would keep the terminal.
    let pair = native_pty_system()
        .openpty(size(100, 24))
        .expect("a terminal");
    let command = turnscope(&[&sample("step/log-triage.step.json")]);
    let mut child = Running(pair.slave.spawn_command(command).expect("it starts"));
    let mut from = pair.master.try_clone_reader().expect("a reader");
    let mut seen: Vec<u8> = Vec::new();
    while !seen.windows(9).any(|part| part == b"log-triag") {
        let mut block = [0; 4096];
        let count = from.read(&mut block).expect("output");
        seen.extend(&block[..count]);
    }
    drop((from, pair));
    let start = Instant::now();
    while child.try_wait().expect("a status").is_none() {
        assert!(start.elapsed() < PATIENCE, "it runs on without a terminal");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_error_before_the_first_frame_leaves_the_terminal_alone() {
    let file = sample("step/log-triage.step.json");
    for arguments in [
        &["no-such-file.json"][..],
        &[&file, "--turn", "99"],
        &[&file, "--option", "x=1"],
    ] {
        let mut terminal = Terminal::start(turnscope(arguments), 100, 24);
        assert_ne!(terminal.end(), 0);
        terminal.wait_for("turnscope: error:");
        let output = terminal.output();
        assert!(
            !output
                .windows(ENTER_ALTERNATE.len())
                .any(|part| part == ENTER_ALTERNATE)
        );
    }
}

#[test]
fn standard_input_leaves_the_keys_to_the_terminal() {
    let file = sample("step/log-triage.step.json");
    let mut command = CommandBuilder::new("sh");
    let script = format!("cat '{file}' | '{}' -", env!("CARGO_BIN_EXE_turnscope"));
    command.args(["-c", &script]);
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    let mut terminal = Terminal::start(command, 120, 30);
    terminal.wait_for("log-triage");
    terminal.type_keys("J");
    terminal.wait_for("Prompt for turn 2");
    terminal.type_keys("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
}

#[test]
fn a_pager_and_an_editor_get_the_terminal_and_give_it_back() {
    let file = sample("step/log-triage.step.json");
    let mut command = CommandBuilder::new("sh");
    // The shell goes on after a Ctrl-C.
    let binary = env!("CARGO_BIN_EXE_turnscope");
    let script = format!("trap : INT; cat '{file}' | '{binary}' -");
    command.args(["-c", &script]);
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    // It reads a line from its own standard input, which must be the terminal and not the trace.
    let pager = "sh -c 'trap \"echo not ended\" INT; head -c 300 \"$0\"; echo at your service; read line; echo \"read $line\"; read line || read line'";
    command.env("PAGER", pager);
    command.env("VISUAL", "no-such-editor -f");
    let mut terminal = Terminal::start(command, 120, 30);
    terminal.wait_for("log-triage");
    terminal.type_keys("\tP");
    terminal.wait_for("at your service");
    terminal.type_keys("abc\r");
    terminal.wait_for("read abc");
    // Ctrl-C is the pager's own.
    terminal.type_keys("\x03");
    terminal.wait_for("not ended");
    terminal.type_keys("\r");
    terminal.wait_for("J K turn");
    assert!(
        !terminal.screen().contains("read abc"),
        "the screen is clean"
    );
    terminal.type_keys("V");
    terminal.wait_for("'no-such-editor' was not found; VISUAL can name another one");
    terminal.type_keys("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_taken_and_given_back(3);
}

/// A text that can't be shown.
#[derive(Debug)]
struct Broken;

impl Source for Broken {
    fn blocks(&self) -> usize {
        1
    }

    fn block(&self, _: usize) -> Arc<Block> {
        panic!("secret text of a trace")
    }
}

/// Not a test by itself: the program that `a_panic_gives_the_terminal_back` runs in a terminal.
#[test]
fn child_that_panics() {
    if std::env::var_os("TURNSCOPE_TEST_PANIC").is_none() {
        return;
    }
    let step = turnscope::demo::step();
    let document = Document::new("demo", step, Report::default(), &Start::default());
    let mut app = App::new(document.expect("it opens"), Theme::FULL);
    prepare(&mut app, Rect::new(0, 0, 120, 30));
    app.document_mut().turn.view.show(Arc::new(Broken));
    let _ = turnscope::tui::run(&mut app);
}

#[test]
fn a_panic_gives_the_terminal_back() {
    let program = std::env::current_exe().expect("this program");
    let mut command = CommandBuilder::new(program);
    command.args([
        "--exact",
        "child_that_panics",
        "--nocapture",
        "--test-threads=1",
    ]);
    command.env("TURNSCOPE_TEST_PANIC", "1");
    command.env("TERM", "xterm-256color");
    let crashes = tempfile::tempdir().expect("a directory");
    command.env("TMPDIR", crashes.path());
    let mut terminal = Terminal::start(command, 120, 30);
    assert_ne!(terminal.end(), 0);
    terminal.wait_for("turnscope: crashed at");
    terminal.assert_given_back();
    let said = String::from_utf8_lossy(&terminal.output()).into_owned();
    assert!(!said.contains("secret"), "a panic's words may be a trace's");
    let report = std::fs::read_dir(crashes.path())
        .expect("it")
        .next()
        .expect("a report");
    let report = std::fs::read_to_string(report.expect("a file").path()).expect("text");
    assert!(report.contains("tests/pty.rs") && !report.contains("secret"));
}

#[test]
fn a_trace_opens_where_it_was_left() {
    let state = tempfile::tempdir().expect("a folder");
    let start = || {
        let mut command = turnscope(&[&sample("step/log-triage.step.json")]);
        command.env("XDG_STATE_HOME", state.path());
        Terminal::start(command, 100, 30)
    };
    let mut first = start();
    first.wait_for("▸ 1");
    first.type_keys("JJJ");
    first.wait_for("▸ 4");
    first.type_keys("q");
    assert_eq!(first.end(), 0);

    let mut again = start();
    again.wait_for("▸ 4");
    again.wait_for("back at row 4");
    again.type_keys("q");
    assert_eq!(again.end(), 0);
}

#[test]
fn the_file_of_an_agent_that_comes_while_a_session_is_open_can_be_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = folder.path().join("session.jsonl");
    let asked = r#"{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"Ask another one."}}"#;
    let call = r#"{"type":"assistant","sessionId":"s","uuid":"a","parentUuid":"u","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"c","name":"Task","input":{"description":"Look","prompt":"Look at it."}}]}}"#;
    std::fs::write(&session, format!("{asked}\n{call}\n")).expect("written");
    let path = session.to_string_lossy();
    let mut terminal = Terminal::start(turnscope(&[&path]), 120, 30);
    terminal.wait_for("Task");
    terminal.type_keys("\t>>>");
    terminal.wait_for("[tools]");
    assert!(!terminal.screen().contains("opens its run"));
    let beside = folder.path().join("session/subagents");
    std::fs::create_dir_all(&beside).expect("a folder");
    let head = r#""isSidechain":true,"agentId":"7","sessionId":"s""#;
    let agent = format!(
        r#"{{"type":"user","uuid":"b",{head},"message":{{"role":"user","content":"Look at it."}}}}
{{"type":"assistant",{head},"uuid":"b1","parentUuid":"b","message":{{"id":"n","role":"assistant","content":[{{"type":"text","text":"seen by another one"}}]}}}}
"#
    );
    std::fs::write(beside.join("agent-7.jsonl"), agent).expect("written");
    terminal.wait_for("opens its run");
    terminal.type_keys("\r");
    terminal.wait_for("seen by another one");
    terminal.type_keys("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
}
