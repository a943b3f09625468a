//! The tokens of a whole prompt come in the next frame where it is small, and a little later where not.

use super::*;

#[test]
fn a_large_prompt_has_its_exact_number_a_little_later() {
    let text = "word 12 ".repeat(40_000);
    let json = format!(
        r#"{{"mission":"m","turns":[{{"program":"(f)","result":1,"success":true,"prints":["{text}"]}}]}}"#
    );
    let mut screen = Screen::new(super::text(&json), 100, 30);
    screen.app.tokenizer = Some(Tokenizer::default());
    screen.keys("G 2s L + + + esc");
    let lens = screen.app.document().lens();
    let (n, case) = (lens.n(1), lens.case().expect("a strategy").clone());
    settle(&mut screen);
    let prompt = screen
        .app
        .document()
        .run
        .prompt(n, &case)
        .expect("a prompt");
    let tokens = prompt.tokens(Tokenizer::default());
    let shown = screen
        .app
        .document()
        .lens()
        .tokens()
        .expect("it is counted");
    assert!(tokens > 60_000, "{tokens}");
    assert_eq!(shown.1, tokens);
}
