//! A model behind an OpenAI-compatible endpoint.
//!
//! The key comes from the environment and goes into one header; it is in no message and no file.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use ureq::Agent;

use super::llm::{Llm, LlmError};
use crate::step::Role;

/// Where the key is looked for.
pub const KEY_VARIABLE: &str = "TURNSCOPE_API_KEY";

/// Bytes that an answer may have.
const MAX_ANSWER: u64 = 16 << 20;

/// Bytes of an endpoint's error that are told.
const SHOWN: usize = 200;

/// Asks an endpoint for chat completions.
pub struct Http {
    agent: Agent,
    url: String,
    model: String,
    key: Option<String>,
    /// Times that a question is asked again after the endpoint was busy, broken or not there.
    pub retries: u32,
    /// The wait before the first retry; each one waits twice as long as the one before.
    pub backoff: Duration,
    /// The longest wait, whatever the endpoint asks for.
    pub max_wait: Duration,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Http");
        shown.field("url", &self.url).field("model", &self.model);
        shown.finish_non_exhaustive()
    }
}

/// What came of one question.
enum Asked {
    Answer(Arc<str>),
    /// It may work later; perhaps the endpoint says when.
    Later(String, Option<Duration>),
    Refused(String),
}

impl Http {
    /// A model at `url`, the base that `/chat/completions` is appended to. Each question may take
    /// `time`.
    pub fn new(url: &str, model: &str, key: Option<String>, time: Duration) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(time))
            .http_status_as_error(false)
            // The key is for this endpoint alone.
            .max_redirects(0);
        Self {
            agent: config.build().into(),
            url: format!("{}/chat/completions", url.trim_end_matches('/')),
            model: model.to_owned(),
            key,
            retries: 4,
            backoff: Duration::from_millis(500),
            max_wait: Duration::from_secs(60),
        }
    }

    /// As [`Http::new`], with the key of the environment.
    pub fn from_environment(url: &str, model: &str, time: Duration) -> Self {
        Self::new(url, model, std::env::var(KEY_VARIABLE).ok(), time)
    }

    fn ask(&self, body: &str) -> Asked {
        let mut request = self.agent.post(&self.url);
        request = request.header("Content-Type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let mut response = match request.send(body) {
            Ok(response) => response,
            Err(error) => return Asked::Later(error.to_string(), None),
        };
        let status = response.status().as_u16();
        let wait = response.headers().get("retry-after");
        let wait = wait.and_then(|wait| wait.to_str().ok()?.trim().parse().ok());
        let wait = wait.map(Duration::from_secs);
        let reader = response.body_mut().with_config().limit(MAX_ANSWER);
        let text = match reader.read_to_string() {
            Ok(text) => text,
            Err(error) => return Asked::Later(format!("the answer broke off: {error}"), wait),
        };
        match status {
            200..=299 => answer_in(&text),
            408 | 429 | 500..=599 => Asked::Later(told(status, &text), wait),
            _ => Asked::Refused(told(status, &text)),
        }
    }
}

/// What an endpoint said that was no answer, on one line.
fn told(status: u16, text: &str) -> String {
    let message = serde_json::from_str::<Json>(text).ok();
    let message = message
        .as_ref()
        .and_then(|json| json["error"]["message"].as_str());
    let text = crate::text::headline(message.unwrap_or(text), SHOWN);
    format!("HTTP {status}: {text}")
}

fn answer_in(text: &str) -> Asked {
    let json = match serde_json::from_str::<Json>(text) {
        Ok(json) => json,
        Err(error) => return Asked::Later(format!("the answer is no JSON: {error}"), None),
    };
    match json["choices"][0]["message"]["content"].as_str() {
        Some(content) => Asked::Answer(content.into()),
        None => Asked::Refused("the answer has no choices[0].message.content".to_owned()),
    }
}

impl Llm for Http {
    fn answer(&mut self, _: u32, messages: &[(Role, Arc<str>)]) -> Result<Arc<str>, LlmError> {
        let messages = messages.iter();
        let messages =
            messages.map(|(role, content)| json!({"role": role.name(), "content": &**content}));
        let body = json!({"model": self.model, "messages": messages.collect::<Vec<_>>()});
        let body = body.to_string();
        let mut backoff = self.backoff;
        for retry in 0.. {
            match self.ask(&body) {
                Asked::Answer(answer) => return Ok(answer),
                Asked::Refused(why) => return Err(LlmError::Failed(why)),
                Asked::Later(why, _) if retry >= self.retries => {
                    let tries = retry + 1;
                    return Err(LlmError::Failed(format!("{why}; asked {tries} times")));
                }
                Asked::Later(_, wait) => {
                    std::thread::sleep(wait.unwrap_or(backoff).min(self.max_wait));
                    backoff = backoff.saturating_mul(2);
                }
            }
        }
        Err(LlmError::RanOut)
    }
}
