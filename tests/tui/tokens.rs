//! Tokens in the prompt pane: by message and by what its pieces are, with the recorded usage beside.

use super::*;
use turnscope::tokens::Tokenizer;

/// The numbers of a text, in order.
fn numbers(text: &str) -> Vec<usize> {
    let words = text.split(|letter: char| !letter.is_ascii_digit());
    words.filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn a_messages_parts_add_up() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 400, 48);
    screen.app.tokenizer = Some(Tokenizer::O200k);
    screen.keys("2J s");
    let text = screen.text();
    let line = text.lines().find(|line| line.contains(" = mission"));
    let line = line.unwrap_or_else(|| panic!("no parts: {text}"));
    let (whole, parts) = line.split_once(" = ").expect("a sum");
    let whole = *numbers(whole).last().expect("a count");
    let parts = numbers(parts);
    assert!(parts.len() > 5, "{line}");
    assert_eq!(parts.iter().sum::<usize>(), whole, "{line}");
}

#[test]
fn recorded_usage_stands_beside_what_is_counted() {
    let lines = [
        r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"Go."}}"#,
        r#"{"type":"assistant","uuid":"a","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":7,"cache_read_input_tokens":20,"output_tokens":3}}}"#,
    ];
    let mut screen = Screen::new(text(&lines.join("\n")), 160, 30);
    screen.app.tokenizer = Some(Tokenizer::O200k);
    screen.keys("s");
    assert!(
        screen.text().contains("tok (27 recorded, ×"),
        "{}",
        screen.text()
    );
    // Once it is found what is cached, what the provider read stands beside it.
    screen.keys("i");
    settle(&mut screen);
    let heads = screen.text();
    let heads = heads.lines().find(|line| line.contains(" usage"));
    assert!(
        heads.is_some_and(|heads| heads.contains("cached      read")),
        "{heads:?}"
    );
    screen.keys("esc");
    assert!(
        screen.text().contains("0 cached (recorded: 20 read)"),
        "{}",
        screen.text()
    );
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 160, 30);
    screen.keys("0");
    assert!(
        screen.text().contains("usage: not recorded"),
        "{}",
        screen.text()
    );
}

#[test]
fn compared_prompts_have_their_figures_in_their_heads() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 160, 30);
    screen.app.tokenizer = Some(Tokenizer::O200k);
    screen.keys("5J c");
    settle(&mut screen);
    let text = screen.text();
    let heads = text.lines().nth(1).expect("heads");
    assert_eq!(heads.matches(" tok, ").count(), 2, "{heads}");
    assert_eq!(heads.matches(" lost 0 of 2").count(), 2, "{heads}");
    // How far it is scrolled stands apart from them.
    assert_eq!(heads.matches(" · 0%").count(), 2, "{heads}");
    // Taken away again, the prompt's own head is as it was.
    screen.keys("c");
    assert!(
        !screen
            .text()
            .lines()
            .nth(1)
            .expect("heads")
            .contains(" cached")
    );
}

#[test]
fn the_prompt_after_the_last_turn_is_cached_as_the_analysis_says() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 160, 30);
    screen.app.tokenizer = Some(Tokenizer::O200k);
    // uncompressed: the prompt before it is its beginning.
    screen.keys("2s G i");
    settle(&mut screen);
    screen.keys("esc");
    let document = screen.app.document();
    let lens = document.lens();
    let n = lens.run().step().last_prompt();
    let cell = |n| {
        let figures = document.figures.as_ref().expect("they were asked for");
        figures.cell(lens.shown, n).expect("it is found")
    };
    assert!(cell(n).cached > cell(n - 1).cached, "{:?}", cell(n));
    assert!(cell(n).cached < cell(n).tokens);
}
