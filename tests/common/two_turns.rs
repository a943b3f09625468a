//! A run of two turns with times, as a step file.

/// Two turns whose second prompt goes on behind the first, as it was sent at a time.
pub(crate) fn two_turns(second_at: &str, read: u64) -> String {
    format!(
        r#"{{"mission": "Go.", "max_turns": 5, "turns": [
        {{"number": 1, "program": "(+ 1 2)", "result": 3, "started_at": "2026-01-01T00:00:00Z",
          "messages": [{{"role": "user", "content": "Go on then, please."}}]}},
        {{"number": 2, "program": "(+ 2 2)", "result": 4, "started_at": "{second_at}",
          "usage": {{"input": 20, "output": 1, "cache_read": {read}}},
          "messages": [{{"role": "user", "content": "Go on then, please."}},
                       {{"role": "assistant", "content": "(+ 1 2)"}}]}}]}}"#
    )
}
