use super::*;
use proptest::prelude::*;

/// Making one takes longer than using it.
fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(48)
}

fn redactor() -> Redactor {
    Redactor::new([]).expect("rules")
}

fn redacted(text: &str) -> String {
    redactor().text(text).into_owned()
}

#[test]
fn every_rule_finds_its_example_and_leaves_near_misses_alone() {
    for rule in RULES {
        let redactor = redactor();
        let expected = rule
            .example
            .replacen(rule.finds, &format!("‹{}-1›", rule.name), 1);
        assert_eq!(redactor.text(rule.example), expected);
        for near in rule.near {
            assert_eq!(redactor.text(near), *near, "{}", rule.name);
        }
        let hinted = rule.hints.iter().any(|hint| {
            let example = rule.example.to_ascii_lowercase();
            example.contains(&hint.to_ascii_lowercase())
        });
        assert!(hinted, "{} has a hint for its example", rule.name);
    }
}

#[test]
fn what_is_known_is_found_cut_off_and_alone_between_quotes() {
    let redactor = redactor();
    redactor.learn(None, "ines.lund@example.org PASSWORD=letmein /home/ines/x");
    redactor.learned();
    for (text, expected) in [
        ("mail ines.lund@exa…", "mail ‹email-1›…"),
        ("\"ines.lun...\" x", "\"‹email-1›...\" x"),
        (
            "password string \"letmein\"",
            "password string \"‹password-1›\"",
        ),
        // Escaped quotes, as a value in a text has them.
        (
            r#"["{\"a\" \"letmein\"}"]"#,
            r#"["{\"a\" \"‹password-1›\"}"]"#,
        ),
        ("PASSWORD=let…", "PASSWORD=‹password-1›"),
        ("cd /home/in…", "cd /home/‹user-1›…"),
        // Two letters, the end of another word, another word, no mark.
        ("in… ", "in… "),
        ("xines.l…", "xines.l…"),
        ("line… \"letmeinn\" letmein", "line… \"letmeinn\" letmein"),
        ("ines.lund", "ines.lund"),
    ] {
        assert_eq!(redactor.text(text), expected);
    }
    assert_eq!(redactor.distinct(), 3);
    let row = "│ to ines.lu│PASSWORD=let";
    let ends = [row.len(), row.rfind('│').expect("a bar")];
    let edits = redactor.row_edits(row, ends);
    assert_eq!(apply(row, &edits), "│ to ‹email-1›│PASSWORD=‹password-1›");
    assert_eq!(redactor.distinct(), 3);
}

#[test]
fn other_shapes_are_found() {
    for (text, expected) in [
        ("PASSWORD=hunter2", "PASSWORD=‹password-1›"),
        (
            "password: hunter2\nuser: x",
            "password: ‹password-1›\nuser: x",
        ),
        (
            r#"{"password": "hunter2"}"#,
            r#"{"password": "‹password-1›"}"#,
        ),
        (r#"{:password "hunter2"}"#, r#"{:password "‹password-1›"}"#),
        (
            "?user=x&password=hunter2&y=1",
            "?user=x&password=‹password-1›&y=1",
        ),
        ("--password hunter22", "--password ‹password-1›"),
        (
            "Authorization: Bearer abc123def456",
            "Authorization: Bearer ‹authorization-1›",
        ),
        ("Cookie: sid=a1b2c3; t=d4e5", "Cookie: ‹authorization-1›"),
        (
            "OPENAI_API_KEY=sk-proj-1234567890abcdefghij",
            "OPENAI_API_KEY=‹api-key-1›",
        ),
        (
            r"C:\Users\Ines\x C:\\Users\\Ines",
            r"C:\Users\‹user-1›\x C:\\Users\\‹user-1›",
        ),
        ("/mnt/c/Users/ines/x", "/mnt/c/Users/‹user-1›/x"),
        ("file:///home/ines/x", "file:///home/‹user-1›/x"),
        (
            "~/.claude/projects/-home-ines-orders",
            "~/.claude/projects/-home-‹user-1›-orders",
        ),
        (
            "<a@b.org> a@b.org c@b.org",
            "<‹email-1›> ‹email-1› ‹email-2›",
        ),
        (
            "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1",
            "AWS_SECRET_ACCESS_KEY=‹secret-1›",
        ),
        (
            "password: password: hunter2",
            "password: password: ‹password-1›",
        ),
    ] {
        assert_eq!(redacted(text), expected);
    }
}

#[test]
fn escapes_are_seen_through() {
    let inner = r#"{"cmd": "curl -H \"X-Api-Key: a1b2c3d4e5f6\"\nexport PASSWORD=\"hunter2\""}"#;
    let hidden =
        r#"{"cmd": "curl -H \"X-Api-Key: ‹secret-1›\"\nexport PASSWORD=\"‹password-1›\""}"#;
    let mut text = inner.to_owned();
    let mut expected = hidden.to_owned();
    for _ in 0..2 {
        assert_eq!(redacted(&text), expected);
        text = serde_json::to_string(&text).expect("a string");
        expected = serde_json::to_string(&expected).expect("a string");
    }
    assert_eq!(
        redacted(r"k AKIA\u0049OSFODNN7EXAMPL\u0045 z"),
        "k ‹aws-key-1› z"
    );
    assert_eq!(
        redacted(r"postgres:\/\/app:a\/b2@db\/x"),
        r"postgres:\/\/app:a\/b2@db\/x"
    );
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKc=\n-----END PRIVATE KEY-----";
    let json = serde_json::to_string(&format!("x {key} y")).expect("a string");
    assert_eq!(redacted(&json), "\"x ‹private-key-1› y\"");
    let cut = &key[..58];
    assert_eq!(redacted(cut), "‹private-key-1›");
}

#[test]
fn what_was_learned_is_found_without_its_surroundings_and_cut() {
    let redactor = redactor();
    redactor.learn(None, "TOKEN=q1w2e3r4t5y6u7i8o9p0aa and a@b.org");
    redactor.learn(Some("apiKey"), "zx81cv92bn73mm64");
    redactor.learn(Some("note"), "nothing");
    redactor.learned();
    let text = "q1w2e3r4t5y6u7i8o9p0aa, q1w2e3r4t5y6u7…, zx81cv92bn73mm64, q1w2e3";
    assert_eq!(
        redactor.text(text),
        "‹secret-1›, ‹secret-1›…, ‹secret-2›, q1w2e3"
    );
    assert_eq!(redactor.field(Some("password"), "abc"), "‹password-1›");
    assert_eq!(redactor.field(Some("password"), "string"), "string");
    assert_eq!(redactor.field(Some("token"), "word"), "word");
    assert_eq!(redactor.text("x@y.org a@b.org"), "‹email-2› ‹email-1›");
    let report: Vec<_> = redactor
        .report()
        .into_iter()
        .map(|h| (h.name, h.distinct, h.times))
        .collect();
    assert_eq!(
        report,
        [
            ("password".to_owned(), 1, 1),
            ("secret".to_owned(), 2, 3),
            ("email".to_owned(), 2, 2)
        ]
    );
}

#[test]
fn patterns_of_ones_own_are_checked() {
    let own = Redactor::new([("order", r"order (\d+)"), ("all", ".+")]).expect("patterns");
    assert_eq!(own.text("order 1234"), "‹all-1›");
    let own = Redactor::new([("order", r"order (\d+)")]).expect("a pattern");
    assert_eq!(
        own.text("order 1234, order 12, order 1234"),
        "order ‹order-1›, order ‹order-2›, order ‹order-1›"
    );
    for (name, pattern) in [
        ("an order", "x"),
        ("", "x"),
        ("x", "("),
        ("x", r"\p{L}{1000}{1000}"),
    ] {
        let error = Redactor::new([(name, pattern)]).expect_err("no pattern");
        assert!(error.to_string().contains("can't be used"));
    }
}

#[test]
fn long_lines_take_bounded_time() {
    let line = 10_000_000;
    for piece in [
        "a",
        "a@",
        "\\",
        "\\\\u0041",
        "-----BEGIN PRIVATE KEY-----",
        "password=",
        "password: ",
        "eyJaaaaaaaaa.",
        "://a:",
        "/home/",
        "sk-aaaaaaaaaaaaaaaa1",
        "cookie: a; ",
        "‹api-key-1›",
    ] {
        let text = piece.repeat(line / 20 / piece.len());
        let began = std::time::Instant::now();
        redacted(&text);
        let took = began.elapsed();
        assert!(took.as_secs() < 20, "{piece:?} took {took:?}");
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn redacting_twice_changes_nothing(
        parts in proptest::collection::vec(
            prop_oneof![
                (0..RULES.len()).prop_map(|at| RULES[at].example.to_owned()),
                (0..RULES.len()).prop_map(|at| RULES[at].finds.to_owned()),
                "[ -~‹›\n\\\\\"=:@/]{0,12}",
                Just("password".to_owned()),
                Just("\": \"".to_owned()),
                Just("‹email-1›".to_owned()),
                Just("\\n".to_owned()),
            ],
            0..8,
        )
    ) {
        let text = parts.concat();
        let redactor = redactor();
        let once = redactor.text(&text).into_owned();
        let twice = redactor.text(&once).into_owned();
        prop_assert_eq!(&twice, &once);
        // Another redactor, which learned nothing, agrees.
        prop_assert_eq!(redacted(&once), once);
    }

    #[test]
    fn json_stays_json(
        parts in proptest::collection::vec(
            prop_oneof![
                (0..RULES.len()).prop_map(|at| RULES[at].example.to_owned()),
                "[ -~\n\u{e9}]{0,12}",
            ],
            0..5,
        )
    ) {
        let mut json = serde_json::to_string(&parts).expect("texts");
        for _ in 0..3 {
            let hidden = redacted(&json);
            prop_assert!(serde_json::from_str::<serde_json::Value>(&hidden).is_ok(), "{}", hidden);
            json = serde_json::to_string(&json).expect("a text");
        }
    }

    #[test]
    fn plain_text_stays(text in "[a-z .,\n]{0,200}") {
        prop_assume!(!text.contains("passw") && !text.contains("pwd"));
        let redactor = redactor();
        prop_assert!(matches!(redactor.text(&text), Cow::Borrowed(same) if same == text));
    }
}
