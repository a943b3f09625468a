//! Hiding secrets: keys, tokens, passwords, addresses of people and their folders give way to
//! stand-ins such as `‹api-key-1›`.
//!
//! The same secret has the same stand-in for as long as a [`Redactor`] lives. Stand-ins are numbered in
//! the order in which secrets are first met; whoever lets the redactor [learn](Redactor::learn) a run
//! in the order of its records gets the same numbers whatever is looked at first. What was learned is
//! found by its own letters too, where nothing around it tells that it is a secret and where the end of
//! it was cut off.
//!
//! What is looked for stands in [`RULES`]. Escapes of JSON are seen through, three layers of them. A
//! stand-in survives JSON and Markdown, and no rule matches it: redacting twice changes nothing.

mod cut;
mod edits;
mod literals;
mod rules;
mod unescape;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use aho_corasick::AhoCorasick;
use regex::{Regex, RegexBuilder};

use cut::Known;
pub use edits::{Edit, Traced, apply};
use literals::Literals;
use rules::{FIELDS, Found, looks_random};
pub use rules::{RULES, Rule};
use unescape::Unescaped;

/// Layers of escapes that are seen through.
const LAYERS: usize = 3;

/// Times that a text is looked through again after something was hidden in it.
const PASSES: usize = 4;

/// Bytes of a text that was taken for a secret and is none, up to which it is looked through again.
const LONG: usize = 400;

/// Bytes of the automaton that a pattern of somebody's own may become.
const PATTERN_LIMIT: usize = 1 << 20;

/// A pattern that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the redaction pattern '{name}' can't be used: {why}")]
#[non_exhaustive]
pub struct PatternError {
    /// Its name.
    pub name: String,
    /// What is wrong, and what to do.
    pub why: String,
}

/// What was hidden of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hidden {
    /// The kind, as in its stand-ins.
    pub name: String,
    /// Different secrets that were met.
    pub distinct: usize,
    /// Places where one was replaced.
    pub times: usize,
}

#[derive(Debug)]
struct Pattern {
    /// The place of its name.
    name: usize,
    regex: Regex,
    accept: fn(&Found<'_>) -> bool,
    is_literal: bool,
}

/// A secret in a text.
#[derive(Debug)]
struct Match {
    range: Range<usize>,
    name: usize,
    is_literal: bool,
    /// Whether its end was cut off.
    is_cut: bool,
    secret: Arc<str>,
}

/// The number of a secret's stand-in, and the place of its name.
type Number = (usize, usize);

#[derive(Debug, Default)]
struct State {
    known: Known,
    /// How many secrets each name has.
    distinct: Vec<usize>,
    /// How often each was hidden.
    times: Vec<usize>,
    /// Secrets that were learned since the literals were made.
    fresh: Vec<Arc<str>>,
    literals: Arc<Literals>,
}

/// Hides secrets.
#[derive(Debug)]
pub struct Redactor {
    names: Vec<String>,
    patterns: Vec<Pattern>,
    hints: AhoCorasick,
    /// The pattern that each hint is for.
    hinted: Vec<usize>,
    /// Patterns of fields' names, and the pattern that their texts are accepted by.
    fields: Vec<(Regex, usize)>,
    state: Mutex<State>,
}

impl Redactor {
    /// A redactor with the rules of [`RULES`], and patterns of somebody's own by their names.
    ///
    /// # Errors
    /// [`PatternError`] where a name or a pattern can't be used.
    pub fn new<'a>(
        own: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, PatternError> {
        let mut names: Vec<String> = Vec::new();
        let mut place = |name: &str| {
            let known = names.iter().position(|known| known == name);
            known.unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            })
        };
        let failed = |name: &str, why: String| PatternError {
            name: name.to_owned(),
            why,
        };
        let mut patterns = Vec::new();
        let mut hints: Vec<&str> = Vec::new();
        let mut hinted = Vec::new();
        for rule in RULES {
            let regex = Regex::new(rule.pattern);
            hints.extend(rule.hints);
            hinted.resize(hints.len(), patterns.len());
            patterns.push(Pattern {
                name: place(rule.name),
                regex: regex.map_err(|error| failed(rule.name, error.to_string()))?,
                accept: rule.accept,
                is_literal: rule.is_literal,
            });
        }
        for (name, pattern) in own {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            if name.is_empty() || name.len() > 40 || !name.chars().all(fits) {
                let why = "a name is made of letters, digits, '-' and '_', 40 at most";
                return Err(failed(name, why.to_owned()));
            }
            let regex = RegexBuilder::new(pattern).size_limit(PATTERN_LIMIT).build();
            let regex = regex.map_err(|error| failed(name, last_line(&error.to_string())))?;
            patterns.push(Pattern {
                name: place(name),
                regex,
                accept: |_| true,
                is_literal: true,
            });
        }
        let unusable = |error: &dyn std::fmt::Display| failed("hints", error.to_string());
        let hints = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(hints)
            .map_err(|error| unusable(&error))?;
        let mut fields = Vec::new();
        for (name, pattern) in FIELDS {
            let regex = Regex::new(pattern).map_err(|error| unusable(&error))?;
            let of_rule = RULES.iter().position(|rule| rule.name == name);
            fields.extend(of_rule.map(|rule| (regex, rule)));
        }
        let state = State {
            distinct: vec![0; names.len()],
            times: vec![0; names.len()],
            ..State::default()
        };
        Ok(Self {
            names,
            patterns,
            hints,
            hinted,
            fields,
            state: Mutex::new(state),
        })
    }

    /// The text without its secrets; the same bytes where it has none.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let traced = self.traced(text);
        traced.map_or(Cow::Borrowed(text), |traced| Cow::Owned(traced.text))
    }

    /// As [`Redactor::text`], with the places of the text; none where it has no secret.
    pub fn traced(&self, text: &str) -> Option<Traced> {
        let mut traced: Option<Traced> = None;
        for _ in 0..PASSES {
            let edits = self.edits(traced.as_ref().map_or(text, |traced| &traced.text));
            if edits.is_empty() {
                break;
            }
            let traced = traced.get_or_insert_with(|| Traced::new(text.to_owned()));
            traced.apply(&edits);
        }
        traced
    }

    /// The text of a field: one that is called `password` is a secret as a whole.
    pub fn field<'a>(&self, name: Option<&str>, text: &'a str) -> Cow<'a, str> {
        match self.secret_field(name, text) {
            Some(found) => {
                let mut state = self.lock();
                let number = state.number(&found);
                state.times[number.0] += 1;
                Cow::Owned(self.stand_in(number))
            }
            None => self.text(text),
        }
    }

    /// Gives the secrets in the text of a field their numbers.
    pub fn learn(&self, name: Option<&str>, text: &str) {
        let found = match self.secret_field(name, text) {
            Some(found) => vec![found],
            None => self.find(text),
        };
        if found.is_empty() {
            return;
        }
        let mut state = self.lock();
        for found in found {
            let before = state.known.len();
            state.number(&found);
            if found.is_literal && state.known.len() > before {
                state.fresh.push(found.secret);
            }
        }
    }

    /// From now on what was learned is found by its own letters.
    pub fn learned(&self) {
        let mut state = self.lock();
        if !state.fresh.is_empty() {
            let fresh = std::mem::take(&mut state.fresh);
            state.literals = Arc::new(state.literals.with(fresh));
        }
    }

    /// What is to be replaced in a text, in order; none of it overlaps. Counted as done.
    pub fn edits(&self, text: &str) -> Vec<Edit> {
        self.made(self.find(text))
    }

    /// The edits for what was found.
    fn made(&self, found: Vec<Match>) -> Vec<Edit> {
        if found.is_empty() {
            return Vec::new();
        }
        let mut state = self.lock();
        let edits = found.into_iter().map(|found| {
            let number = state.number(&found);
            state.times[number.0] += 1;
            Edit {
                stand_in: self.stand_in(number),
                range: found.range,
            }
        });
        edits.collect()
    }

    /// What was hidden so far, by kind.
    pub fn report(&self) -> Vec<Hidden> {
        let state = self.lock();
        let names = self.names.iter().zip(&state.distinct).zip(&state.times);
        let hidden = names.map(|((name, distinct), times)| Hidden {
            name: name.clone(),
            distinct: *distinct,
            times: *times,
        });
        hidden.filter(|hidden| hidden.times > 0).collect()
    }

    /// How many different secrets are known.
    pub fn distinct(&self) -> usize {
        self.lock().distinct.iter().sum()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stand_in(&self, (name, number): Number) -> String {
        format!("‹{}-{number}›", self.names[name])
    }

    /// The whole text of a field as a secret, where the field's name makes it one.
    fn secret_field(&self, name: Option<&str>, text: &str) -> Option<Match> {
        let name = name?;
        let (_, rule) = self.fields.iter().find(|(field, _)| field.is_match(name))?;
        let is_one = text.len() >= 3
            && !text.contains(|c: char| c.is_whitespace() || matches!(c, '‹' | '›'));
        let pattern = self.patterns.get(*rule).filter(|_| is_one)?;
        let found = Found {
            before: "",
            lead: "\"",
            secret: text,
            after: "\"",
        };
        (pattern.accept)(&found).then(|| Match {
            range: 0..text.len(),
            name: pattern.name,
            is_literal: looks_random(text),
            is_cut: false,
            secret: text.into(),
        })
    }

    /// The secrets in a text, in order, overlapping ones as one.
    fn find(&self, text: &str) -> Vec<Match> {
        let literals = Arc::clone(&self.lock().literals);
        let mut found = self.find_in(text, &literals);
        let mut layers: Vec<Unescaped> = Vec::new();
        for _ in 0..LAYERS {
            let outer = layers.last().map_or(text, |layer| layer.text.as_str());
            let Some(layer) = Unescaped::of(outer) else {
                break;
            };
            let inside = self.find_in(&layer.text, &literals);
            layers.push(layer);
            found.extend(inside.into_iter().map(|mut inner| {
                for layer in layers.iter().rev() {
                    inner.range = layer.source(inner.range);
                }
                inner
            }));
        }
        if !found.is_empty() && text.contains('‹') {
            let taken = stand_ins(text);
            found.retain(|found| cut::outside(found, &taken));
        }
        merged(found)
    }

    fn find_in(&self, text: &str, literals: &Literals) -> Vec<Match> {
        let mut wanted = vec![false; self.patterns.len()];
        let hinted_end = self.hinted.last().map_or(0, |last| last + 1);
        wanted[hinted_end..].fill(true);
        let mut missing = hinted_end;
        for hint in self.hints.find_overlapping_iter(text) {
            let pattern = self.hinted[hint.pattern().as_usize()];
            if !std::mem::replace(&mut wanted[pattern], true) {
                missing -= 1;
                if missing == 0 {
                    break;
                }
            }
        }
        let wanted = self
            .patterns
            .iter()
            .zip(wanted)
            .filter(|(_, wanted)| *wanted);
        let mut found: Vec<Match> = wanted.flat_map(|(pattern, _)| pattern.find(text)).collect();
        literals.find(text, |range, secret| {
            let known = self.lock().known.get(secret).copied();
            found.push(Match {
                range,
                name: known.map_or(0, |number| number.0),
                is_literal: true,
                is_cut: false,
                secret: Arc::clone(secret),
            });
        });
        found.extend(cut::find(text, &self.lock().known));
        found
    }
}

impl Pattern {
    fn find(&self, text: &str) -> Vec<Match> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(groups) = self.regex.captures_at(text, at) {
            let Some(whole) = groups.get(0) else { break };
            let parts = groups.iter().skip(1).flatten();
            let secret = parts.last().unwrap_or(whole);
            let told = Found {
                before: &text[..whole.start()],
                lead: &text[whole.start()..secret.start()],
                secret: secret.as_str(),
                after: &text[secret.end()..],
            };
            let next = |place: usize| {
                let c = text[place..].chars().next();
                place + c.map_or(1, char::len_utf8)
            };
            if !secret.is_empty() && (self.accept)(&told) {
                found.push(Match {
                    range: secret.range(),
                    name: self.name,
                    is_literal: self.is_literal && looks_random(secret.as_str()),
                    is_cut: cut::is_cut(text, secret.end()),
                    secret: known_as(secret.as_str()),
                });
                at = secret.end();
            } else if secret.len() > LONG {
                at = secret.end();
            } else if secret.start() > whole.start() {
                // What it took for a secret may be the beginning of another match.
                at = secret.start();
            } else {
                at = next(whole.start());
            }
            if at > text.len() {
                break;
            }
        }
        found
    }
}

impl State {
    /// The number of a secret, a new one where it was not met yet. What is left of a longer one that
    /// was cut has that one's.
    fn number(&mut self, found: &Match) -> Number {
        let secret = &*found.secret;
        if let Some(known) = self.known.get(secret) {
            return *known;
        }
        let stem = secret.trim_end_matches(['.', '…']);
        let longer = cut::starting(stem, &self.known);
        let is_of_kind = |known: &Number| found.is_cut && known.0 == found.name;
        if let Some((_, known)) =
            longer.filter(|(_, known)| looks_random(stem) || is_of_kind(known))
        {
            return *known;
        }
        self.distinct[found.name] += 1;
        let number = (found.name, self.distinct[found.name]);
        self.known.insert(Arc::clone(&found.secret), number);
        number
    }
}

/// A secret as it is known: one of several lines, be they escaped, without what stands around them.
fn known_as(secret: &str) -> Arc<str> {
    if !secret.contains('\n') && !secret.contains("\\n") {
        return secret.into();
    }
    let is_around = |c: char| c.is_whitespace() || matches!(c, '│' | '|' | '>' | '\\');
    let lines = secret.replace("\\n", "").replace("\\r", "");
    let lines: String = lines.chars().filter(|c| !is_around(*c)).collect();
    lines.into()
}

/// Overlapping matches as one that covers them, known by the longest of them.
fn merged(mut found: Vec<Match>) -> Vec<Match> {
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    let mut out: Vec<Match> = Vec::with_capacity(found.len());
    for next in found {
        match out.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                let end = last.range.end.max(next.range.end);
                if next.secret.len() > last.secret.len() {
                    last.secret = next.secret;
                    last.name = next.name;
                    last.is_literal = next.is_literal;
                    last.is_cut = next.is_cut;
                }
                last.range.end = end;
            }
            _ => out.push(next),
        }
    }
    out
}

/// Where stand-ins are in a text.
fn stand_ins(text: &str) -> Vec<Range<usize>> {
    let starts = memchr::memmem::find_iter(text.as_bytes(), "‹");
    let ranges = starts.filter_map(|start| {
        let rest = &text[start + '‹'.len_utf8()..];
        let name = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-');
        let length = name.take(64).count();
        let ends = length > 0 && rest[length..].starts_with('›');
        ends.then(|| start..start + length + 2 * '‹'.len_utf8())
    });
    ranges.collect()
}

fn last_line(text: &str) -> String {
    let line = text.lines().last().unwrap_or_default().trim();
    line.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests;
