//! Counts against a second tokenizer library.

use proptest::prelude::*;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};
use turnscope::tokens::{Joinable, Tokenizer};

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
        assert!(ours.ids(text) == expected, "{} {start:?}", ours.name());
        assert_eq!(
            ours.count(text),
            expected.len(),
            "{} {start:?}",
            ours.name()
        );
    }
}

const PROSE: &[&str] = &[
    "The quick brown fox doesn't jump; it's 12345.678 metres, they'll say. \"Quite,\" she said — 50 %.",
    "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich; das Straßenfußballspiel fällt aus.",
    "Dès Noël où un zéphyr haï me vêt de glaçons würmiens, l'œuvre « naïve » s'achève aujourd'hui.",
    "El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia y frío. ¿Añoraba? ¡Sí!",
    "Gazeta publica hoje no jornal uma breve nota de faxina na quermesse: coração, pão, avô e avó.",
    "Pchnąć w tę łódź jeża lub ośm skrzyń fig. Příliš žluťoučký kůň. Pijamalı hasta yağız şoföre.",
    "Съешь же ещё этих мягких французских булок, да выпей чаю. Їжак ґаву з'їв.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. Τάχιστη αλώπηξ.",
    "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر. שפן אכל קצת גזר בטעם חסה.",
    "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण। เป็นมนุษย์สุดประเสริฐเลิศคุณค่า",
    "Con sói nâu nhảy qua con chó lười. Việt Nam, đường phố Hà Nội đông đúc.",
    "ALLCAPS CamelCase snake_case kebab-case 'S 'LL McDonald's iOS HTTPServer XMLHttp2Request",
];

const CODE: &[&str] = &[
    "(defn f \"doc\" [x] (let [y (inc x)] {:a #{1 2} :b [x y]}))\n;; note\n(-> rows (map :id) sort)\n",
    "fn main() {\n    let x: Vec<u8> = vec![1, 2];\n\t// tab\r\n    println!(\"{x:?} {}\", 1e-9_f64);\n}\n",
    "def f(x, *, y=None):\n    \"\"\"Doc.\"\"\"\n    return [a ** 2 for a in x if a != 0x1F] or {'k': y}\n\n\nclass A(B):\n\n    pass\n",
    "const f = async (a) => {\n  const {b, ...c} = await g?.(a) ?? {};\n  return `${b}: ${JSON.stringify(c)}`;\n};\n",
    "#include <stdio.h>\n#define N(x) ((x) << 2)\nint main(void) {\n\tfor (int i = 0; i < 10; ++i) printf(\"%d\\n\", i);\n\treturn 0;\n}\n",
    "SELECT u.id, COUNT(*) AS n FROM users u LEFT JOIN orders o ON o.user_id = u.id WHERE u.name LIKE '%x%' GROUP BY 1;\n",
    "#!/bin/sh\nset -eu\nfor f in *.txt; do\n  grep -rn \"a b\" \"$f\" | awk '{print $2}' >> out 2>&1 || true\ndone\n",
    "<div class=\"a b\">\n  <p>x &amp; y</p><!-- note -->\n</div>\n\n| a | b |\n|---|---|\n| 1 | `2` |\n",
    "key: value\nlist:\n  - 1\n  - \"two\"\n  - {a: b}\n# note\n---\n+++ b/x.rs\n@@ -1,3 +1,4 @@\n-old\n+new\n",
    "/path/to/file.rs\n/other\n//comment\n^(?:[a-z]+\\d{2,3}|\\s*)$ \\alpha_{i}^{2} $$x$$",
];

const JSON: &[&str] = &[
    "{\"name\": \"x\", \"list\": [1, 2.5, null, true, -1e10], \"text\": \"a\\nb\\u00e9\\\\\"}",
    "[{\"id\":1,\"tags\":[\"a\",\"b\"],\"o\":{}},{\"id\":2,\"tags\":[],\"o\":{\"k\":[[[]]]}}]",
    "{\n  \"a\": {\n    \"b\": [\n      1,\n      2\n    ]\n  }\n}\n",
    "{\"type\":\"user\"}\r\n{\"type\":\"assistant\",\"usage\":{\"input_tokens\":1234567,\"x\":0.1}}\r\n",
];

const WIDE: &[&str] = &[
    "漢字とかなの文章です。カタカナ、ﾊﾝｶｸ、「引用」。東京都千代田区１２３。",
    "한국어 문장도 있습니다. 다람쥐 헌 쳇바퀴에 타고파.",
    "中文没有空格，也有標點符號。視野無限廣，窗外有藍天。𠮷野家𡈽",
    "🙂👩‍👩‍👧‍👦🇵🇹👍🏽🏳️‍🌈❤️‍🔥1️⃣ text🙂text 🙂 👩🏾‍🚀",
    "e\u{301} \u{200b}x\u{feff} \u{200d}\u{202e}abc\u{202c} Z\u{351}\u{36b}\u{343}a\u{30a}",
];

const BLANK: &[&str] = &[
    "",
    " ",
    "\t",
    "\n",
    "\r\n",
    "   \n\n \t \r\n   x  y\u{a0}\u{2003}z   ",
    "a\tb\t\tc\t \td\n\te\n\t\tf\n \tg\n\t h",
    "a\r\nb\r\n\r\nc\r\r\nd\n\re\r",
    "a\u{a0}b\u{a0}\u{a0}c \u{a0} d\u{a0}\n\u{a0}e",
    "a\u{2002}\u{2003}\u{2009}\u{202f}\u{205f}\u{3000}b\u{85}c\u{2028}d\u{2029}e\u{b}f\u{c}g\u{1680}h",
    "x          y                    z                                        1",
    "end   \n",
    "end \n \n \n",
    "\n\n\n\n    deep\n\n\n        deeper\n    \n",
    "\0\u{1}\u{1b}[31mred\u{1b}[0m\u{7f}\u{80}\u{9f}",
];

#[test]
fn texts_of_many_kinds() {
    for text in [PROSE, CODE, JSON, WIDE, BLANK].concat() {
        same(text);
        // What ends a text can count otherwise where something follows it.
        same(&format!("{text} {text}\n{text}x"));
    }
}

#[test]
fn what_looks_like_a_special_token_is_text_for_both() {
    for text in [
        "<|endoftext|> <|im_start|>system",
        "<|fim_prefix|><|endofprompt|>\n<|im_end|>",
        "<|endof",
    ] {
        same(text);
    }
}

#[test]
fn samples_whole() {
    for name in [
        "step/log-triage.step.json",
        "step/history-and-unicode.step.json",
        "redact/session.jsonl",
        "faults/10-ansi-osc52.jsonl",
    ] {
        let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
        same(&std::fs::read_to_string(path).expect("a fixture"));
    }
    same(include_str!("tokens.rs"));
}

const MEGABYTE: usize = 1_000_000;

/// The other library's pattern doesn't survive a megabyte of white space: ten less is compared, and
/// the whole by what one more of the longest token adds.
#[test]
fn runs_of_a_megabyte() {
    for run in ["a", "=", "1", "\n"] {
        same(&run.repeat(MEGABYTE));
    }
    same(&"漢".repeat(MEGABYTE / 3));
    for (ours, theirs) in pairs() {
        let count = |spaces: usize| theirs.encode_ordinary(&" ".repeat(spaces)).len();
        let spaces = " ".repeat(MEGABYTE - 10);
        assert_eq!(ours.count(&spaces), count(MEGABYTE - 10), "{}", ours.name());
        let longest = 128;
        assert_eq!((count(longest), count(2 * longest)), (1, 2));
        let whole = ours.count(&" ".repeat(MEGABYTE));
        assert_eq!(whole, count(MEGABYTE - longest) + 1, "{}", ours.name());
    }
    same(&"\t".repeat(100_000));
    same(&"\r\n".repeat(50_000));
    let estimate = Tokenizer::Estimate.count(&"a".repeat(MEGABYTE));
    assert_eq!(estimate, MEGABYTE / 4);
}

/// Any text, and texts of which the parts are near that tokenizers treat apart.
fn text() -> impl Strategy<Value = String> {
    let all = [PROSE, CODE, JSON, WIDE, BLANK].concat();
    let part = prop_oneof![
        1 => any::<String>(),
        2 => "[ \t\r\n\u{a0}\u{3000}]{1,4}",
        2 => "[a-zA-Z0-9'/=é漢🙂\u{200d}\u{301}]{1,6}",
        2 => proptest::sample::select(all).prop_map(str::to_owned),
    ];
    proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_counts_as_with_the_other_library(text in text()) {
        same(&text);
    }

    /// Cut at several places and joined again, in two groups.
    #[test]
    fn joined_counts_are_those_of_the_other_library(
        text in text(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..6),
        group in 0usize..6,
    ) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut ends: Vec<usize> = cuts.iter().map(|cut| *cut.get(&places)).collect();
        ends.push(text.len());
        ends.sort_unstable();
        for (ours, theirs) in pairs() {
            let mut groups = [Joinable::new(ours, ""), Joinable::new(ours, "")];
            let mut start = 0;
            for (at, &end) in ends.iter().enumerate() {
                let part = Joinable::new(ours, &text[start..end]);
                groups[usize::from(at >= group)].push(&part);
                start = end;
            }
            let [mut joined, rest] = groups;
            joined.push(&rest);
            prop_assert_eq!(joined.count(), theirs.encode_ordinary(&text).len());
        }
    }
}
