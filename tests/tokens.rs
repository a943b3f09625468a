//! Counts against a second tokenizer library.

use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};
use turnscope::tokens::Tokenizer;

fn pairs() -> [(Tokenizer, &'static CoreBPE); 2] {
    [
        (Tokenizer::O200k, o200k_base_singleton()),
        (Tokenizer::Cl100k, cl100k_base_singleton()),
    ]
}

fn same(text: &str) {
    for (ours, theirs) in pairs() {
        let expected = theirs.encode_ordinary(text);
        let start: String = text.chars().take(40).collect();
        assert_eq!(ours.ids(text), expected, "{} {start:?}", ours.name());
        assert_eq!(
            ours.count(text),
            expected.len(),
            "{} {start:?}",
            ours.name()
        );
    }
}

#[test]
fn texts_of_many_kinds() {
    for text in [
        "",
        "The quick brown fox doesn't jump; it's 12345.678 metres, they'll say.",
        "(defn f \"doc\" [x] (let [y (inc x)] {:a #{1 2} :b [x y]}))\n;; note\n",
        "fn main() {\n    let x: Vec<u8> = vec![1, 2];\n\t// tab\r\n}\n",
        "{\"name\": \"x\", \"list\": [1, 2.5, null, true], \"text\": \"a\\nb\"}",
        "漢字とかなの文章です。한국어 문장도 있습니다。中文没有空格",
        "🙂👩‍👩‍👧‍👦🇵🇹 e\u{301} \u{200b}x\u{feff}",
        "   \n\n \t \r\n   x  y\u{a0}\u{2003}z   ",
        "<|endoftext|> <|im_start|>system",
        "/path/to/file.rs\n/other\n//comment\n",
        "ALLCAPS CamelCase snake_case kebab-case 'S 'LL",
    ] {
        same(text);
    }
}

#[test]
fn samples_whole() {
    for name in [
        "step/log-triage.step.json",
        "step/history-and-unicode.step.json",
    ] {
        let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
        same(&std::fs::read_to_string(path).expect("a fixture"));
    }
}

/// The other library doesn't survive a megabyte of spaces, and takes its time for the rest: a part
/// is compared, and the whole only counted.
#[test]
fn long_runs() {
    for run in ["a", "=", "1", "\n", "漢"] {
        same(&run.repeat(5_000));
    }
    same(&" ".repeat(5_000));
    for run in ["a", " ", "=", "\n"] {
        for tokenizer in Tokenizer::ALL {
            let count = tokenizer.count(&run.repeat(1_000_000));
            assert!(count > 0 && count <= 1_000_000, "{run:?}");
        }
    }
}
