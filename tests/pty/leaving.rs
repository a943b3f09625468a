//! The mouse is left and the title as before on every way out; stopping is one of them.

use super::*;

#[test]
fn the_mouse_is_left_on_every_way_out() {
    let file = sample("step/log-triage.step.json");
    for way in ["q", "\x03", "-TERM", "-INT", "M"] {
        let mut terminal = Terminal::start(turnscope(&[&file, "--mouse"]), 120, 30);
        terminal.wait_for("Prompt for turn 1");
        assert_eq!(count(&terminal.output(), TAKE_MOUSE), 1);
        // A click on the third row of the list, as terminals send it.
        terminal.type_keys("\x1b[<0;3;5M\x1b[<0;3;5m");
        terminal.wait_for("Prompt for turn 3");
        if way == "M" {
            terminal.type_keys("M");
            terminal.wait_for("left to the terminal");
            assert_eq!(count(&terminal.output(), LEAVE_MOUSE), 1);
            terminal.type_keys("q");
        } else if way.starts_with('-') {
            terminal.signal(way);
        } else {
            terminal.type_keys(way);
        }
        terminal.end();
        terminal.assert_given_back();
    }
}

#[test]
fn it_stops_and_comes_back_to_a_clean_screen() {
    let file = sample("step/log-triage.step.json");
    let program = env!("CARGO_BIN_EXE_turnscope");
    // A shell that manages jobs, as the one a person types into.
    let script =
        format!("set -m; '{program}' '{file}' --mouse; echo STOPPED; read go; fg; echo END $?");
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", &script]);
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    alone(&mut command);
    let mut terminal = Terminal::start(command, 120, 30);
    terminal.wait_for("Prompt for turn 1");
    terminal.type_keys("J");
    terminal.wait_for("Prompt for turn 2");
    terminal.type_keys("\x1a");
    terminal.wait_for("STOPPED");
    let output = terminal.output();
    for left in [LEAVE_ALTERNATE, LEAVE_MOUSE, POP_TITLE] {
        assert_eq!(count(&output, left), 1);
    }
    let now = settings(&*terminal.master);
    assert_eq!(now.local, terminal.before.local, "the shell has its lines");
    terminal.type_keys("\n");
    // All of the screen is there again, what never changed too.
    terminal.wait_for("Prompt for turn 2");
    terminal.wait_for("6 turns");
    terminal.type_keys("J");
    terminal.wait_for("Prompt for turn 3");
    terminal.type_keys("q");
    terminal.wait_for("END 0");
    assert_eq!(terminal.end(), 0);
    let output = terminal.output();
    for (taken, left) in [
        (ENTER_ALTERNATE, LEAVE_ALTERNATE),
        (TAKE_MOUSE, LEAVE_MOUSE),
        (PUSH_TITLE, POP_TITLE),
    ] {
        assert_eq!((count(&output, taken), count(&output, left)), (2, 2));
    }
}

#[test]
fn standard_input_that_does_not_end_is_left_with_a_key() {
    let record = r#"{"type":"assistant","sessionId":"s","uuid":"a","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"reply-1"}]}}"#;
    let program = env!("CARGO_BIN_EXE_turnscope");
    let script =
        format!("(echo '{record}'; while sleep 0.2; do echo; done) | '{program}' -; echo END $?");
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", &script]);
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    alone(&mut command);
    let mut terminal = Terminal::start(command, 100, 30);
    terminal.wait_for("reading 1");
    terminal.type_keys("\x1b");
    terminal.wait_for(" B read, the rest left");
    terminal.wait_for("1 · reply-1");
    terminal.type_keys("q");
    terminal.wait_for("END 0");
    terminal.assert_given_back();
}
