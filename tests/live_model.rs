//! An endpoint that answers, is slow, busy, broken or gone, played by a small server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use turnscope::agent::{Http, Llm, LlmError};
use turnscope::step::Role;

const ANSWER: &str = r#"{"choices": [{"message": {"content": "(return 1)"}}]}"#;

/// What the server does with a request.
enum Play {
    Say(u16, &'static str, &'static str),
    /// Says nothing for so long.
    Wait(Duration),
    /// Closes the connection in the middle of an answer.
    Close,
}

/// A server that plays a list, one request each, and tells what it was asked.
fn server(plays: Vec<Play>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let (asked, received) = channel();
    std::thread::spawn(move || {
        for play in plays {
            let Ok((mut stream, _)) = listener.accept() else {
                return;
            };
            let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                    break;
                }
                let lower = line.to_ascii_lowercase();
                if let Some(value) = lower.strip_prefix("content-length:") {
                    length = value.trim().parse().expect("a length");
                }
                head.push_str(&line);
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            head.push_str(&String::from_utf8_lossy(&body));
            // Who asked may have stopped listening.
            let _ = asked.send(head);
            let _ = match play {
                Play::Say(status, headers, body) => write!(
                    stream,
                    "HTTP/1.1 {status} X\r\n{headers}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                ),
                Play::Wait(time) => {
                    std::thread::sleep(time);
                    Ok(())
                }
                Play::Close => write!(stream, "HTTP/1.1 200 X\r\nContent-Length: 999\r\n\r\n{{"),
            };
        }
    });
    (url, received)
}

fn ask(plays: Vec<Play>) -> (Result<Arc<str>, LlmError>, Vec<String>) {
    let (url, received) = server(plays);
    let key = Some("secret-key".to_owned());
    let mut llm = Http::new(&url, "some-model", key, Duration::from_millis(800));
    llm.backoff = Duration::from_millis(5);
    llm.retries = 2;
    assert!(!format!("{llm:?}").contains("secret-key"));
    let messages = [
        (Role::System, "be brief".into()),
        (Role::User, "count".into()),
    ];
    let answer = llm.answer(1, &messages);
    (answer, received.try_iter().collect())
}

fn failed(plays: Vec<Play>) -> String {
    match ask(plays).0 {
        Err(LlmError::Failed(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_is_taken() {
    let (answer, asked) = ask(vec![Play::Say(200, "", ANSWER)]);
    assert_eq!(answer.as_deref(), Ok("(return 1)"));
    let asked = &asked[0];
    assert!(
        asked.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"),
        "{asked}"
    );
    assert!(
        asked
            .to_ascii_lowercase()
            .contains("authorization: bearer secret-key\r\n")
    );
    let body =
        r#""messages":[{"content":"be brief","role":"system"},{"content":"count","role":"user"}]"#;
    assert!(asked.contains(body), "{asked}");
}

#[test]
fn a_busy_or_broken_endpoint_is_asked_again() {
    let busy = || Play::Say(429, "Retry-After: 1\r\n", "{}");
    let started = Instant::now();
    let (answer, asked) = ask(vec![busy(), Play::Say(200, "", ANSWER)]);
    assert_eq!((answer.as_deref(), asked.len()), (Ok("(return 1)"), 2));
    assert!(started.elapsed() >= Duration::from_secs(1));
    for broken in [
        Play::Say(500, "", "oops"),
        Play::Say(200, "", "{\"choices\": ["),
        Play::Close,
        Play::Wait(Duration::from_millis(1200)),
    ] {
        let (answer, asked) = ask(vec![broken, Play::Say(200, "", ANSWER)]);
        assert_eq!((answer.as_deref(), asked.len()), (Ok("(return 1)"), 2));
    }
}

#[test]
fn it_ends_and_says_why() {
    let broken = || Play::Say(500, "", r#"{"error": {"message": "no\u001b[2J capacity"}}"#);
    let why = failed(vec![broken(), broken(), broken()]);
    assert!(why.starts_with("HTTP 500: no"), "{why}");
    assert!(why.ends_with("capacity; asked 3 times"), "{why}");
    assert!(!why.contains('\u{1b}'));
    let why = failed(vec![Play::Say(401, "", "who are you?")]);
    assert_eq!(why, "HTTP 401: who are you?");
    let why = failed(vec![Play::Say(200, "", "{}")]);
    assert!(why.contains("choices[0]"), "{why}");
    assert!(failed(vec![]).ends_with("asked 3 times"));
}
