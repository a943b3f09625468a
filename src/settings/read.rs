//! Reading the settings file: every entry by itself, so that one that is wrong takes no other along.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::{Complaint, Given, KeySetting, Palette, RedactPattern, Settings};
use crate::compression::{STRATEGIES, strategy};
use crate::tokens::Tokenizer;

/// Bytes of a settings file that are read.
const MAX_BYTES: u64 = 1 << 20;

/// Bytes that a compiled pattern may take.
const PATTERN_BYTES: usize = 1 << 20;

/// Letters of a pattern's name.
const NAME_LETTERS: usize = 40;

/// What may stand at the top of the file.
const NAMES: &[&str] = &[
    "theme",
    "mouse",
    "ascii",
    "wrap",
    "remember",
    "strategy",
    "tokenizer",
    "keys",
    "redact",
];

/// The text of a file; none where there is no file.
pub(super) fn read(path: &Path) -> Result<Option<String>, String> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
    match read {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("can't be read: {error}")),
        Ok(_) if bytes.len() as u64 == MAX_BYTES => {
            return Err("is larger than any settings file: 1 MB".to_owned());
        }
        Ok(_) => {}
    }
    let text = String::from_utf8(bytes);
    text.map(Some)
        .map_err(|_| "is no UTF-8 text; save it as such".to_owned())
}

/// The settings of a text.
pub(super) fn parse(text: &str) -> Settings {
    let mut reading = Reading {
        text,
        settings: Settings {
            found: true,
            ..Settings::default()
        },
    };
    match DeTable::parse(text) {
        Ok(table) => reading.table(table.get_ref()),
        Err(error) => {
            let at = error.span().unwrap_or_default();
            let why = error.message();
            reading.complain(
                at,
                format!("not TOML: {why}; no setting of the file holds until this is mended"),
            );
            reading.settings.redact_is_cut = true;
        }
    }
    let mut settings = reading.settings;
    settings.keys.sort_by_key(|setting| setting.line);
    settings.ignored.sort_by_key(|complaint| complaint.line);
    settings
}

struct Reading<'a> {
    text: &'a str,
    settings: Settings,
}

type Place = Range<usize>;

impl Reading<'_> {
    fn line(&self, at: &Place) -> usize {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        before.matches('\n').count() + 1
    }

    fn complain(&mut self, at: Place, what: impl std::fmt::Display) {
        let complaint = Complaint::new(self.line(&at), what);
        self.settings.ignored.push(complaint);
    }

    fn given<T>(&self, value: T, at: &Place) -> Given<T> {
        let line = self.line(at);
        Given { value, line }
    }

    fn table(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let (at, value) = (name.span(), value.get_ref());
            match &**name.get_ref() {
                "theme" => {
                    let known = self.one_of(&at, "theme", value, Palette::NAMES);
                    let theme = known.and_then(Palette::from_name);
                    self.settings.theme = theme.map(|theme| self.given(theme, &at));
                }
                "mouse" => self.settings.mouse = self.flag(&at, "mouse", value),
                "ascii" => self.settings.ascii = self.flag(&at, "ascii", value),
                "wrap" => self.settings.wrap = self.flag(&at, "wrap", value),
                "remember" => self.settings.remember = self.flag(&at, "remember", value),
                "strategy" => {
                    let names: Vec<&str> = STRATEGIES.iter().map(|one| one.name()).collect();
                    let known = self.one_of(&at, "strategy", value, &names);
                    let known = known.and_then(|name| strategy(name).ok());
                    self.settings.strategy = known.map(|known| self.given(known.name(), &at));
                }
                "tokenizer" => {
                    let known = self.one_of(&at, "tokenizer", value, Tokenizer::NAMES);
                    let known = known.and_then(Tokenizer::from_name);
                    self.settings.tokenizer = known.map(|known| self.given(known, &at));
                }
                "keys" => self.keys(&at, value),
                "redact" => self.redact(&at, value),
                other => {
                    let valid = NAMES.join(", ");
                    self.complain(at, format!("there is no setting '{other}'; valid: {valid}"));
                }
            }
        }
    }

    fn flag(&mut self, at: &Place, name: &str, value: &DeValue<'_>) -> Option<Given<bool>> {
        let flag = value.as_bool();
        if flag.is_none() {
            self.complain(at.clone(), format!("{name} must be true or false"));
        }
        flag.map(|flag| self.given(flag, at))
    }

    /// The text, if it is one of those that are valid.
    fn one_of<'a>(
        &mut self,
        at: &Place,
        name: &str,
        value: &'a DeValue<'_>,
        valid: &[&str],
    ) -> Option<&'a str> {
        let known = value.as_str().filter(|text| valid.contains(text));
        if known.is_none() {
            let valid: Vec<String> = valid.iter().map(|word| format!("\"{word}\"")).collect();
            let valid = valid.join(", ");
            self.complain(at.clone(), format!("{name} must be one of {valid}"));
        }
        known
    }

    fn keys(&mut self, at: &Place, value: &DeValue<'_>) {
        let Some(table) = value.as_table() else {
            let what = "keys must be a table: [keys], then lines such as zoom = \"Z\"";
            return self.complain(at.clone(), what);
        };
        for (name, value) in table {
            let keys: Option<Vec<String>> = match value.get_ref() {
                DeValue::String(key) => Some(vec![key.clone().into_owned()]),
                DeValue::Array(keys) => {
                    let keys = keys.iter().map(|key| key.get_ref().as_str());
                    keys.map(|key| key.map(str::to_owned)).collect()
                }
                _ => None,
            };
            let command = name.get_ref().clone().into_owned();
            match keys {
                Some(keys) => {
                    let line = self.line(&name.span());
                    self.settings.keys.push(KeySetting {
                        command,
                        keys,
                        line,
                    });
                }
                None => self.complain(
                    name.span(),
                    format!("{command} needs a key such as \"Z\", or a list of them"),
                ),
            }
        }
    }

    fn redact(&mut self, at: &Place, value: &DeValue<'_>) {
        let before = self.settings.ignored.len();
        match value.as_table() {
            None => self.complain(
                at.clone(),
                "redact must be a table: [redact], then patterns = { name = \"regex\" }",
            ),
            Some(table) => {
                for (name, value) in table {
                    match (&**name.get_ref(), value.get_ref().as_table()) {
                        ("patterns", Some(patterns)) => self.patterns(patterns),
                        ("patterns", None) => self.complain(
                            name.span(),
                            "patterns must be a table such as { name = \"regex\" }",
                        ),
                        (other, _) => {
                            let what = format!("redact has no '{other}'; valid: patterns");
                            self.complain(name.span(), what);
                        }
                    }
                }
            }
        }
        self.settings.redact_is_cut |= self.settings.ignored.len() > before;
    }

    fn patterns(&mut self, patterns: &DeTable<'_>) {
        for (name, value) in patterns {
            match pattern(name.get_ref(), value.get_ref()) {
                Ok(pattern) => self.settings.redact.push(pattern),
                Err(what) => self.complain(name.span(), what),
            }
        }
    }
}

fn pattern(name: &str, value: &DeValue<'_>) -> Result<RedactPattern, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    if name.is_empty() || name.len() > NAME_LETTERS || !name.chars().all(is_plain) {
        return Err(format!(
            "'{name}' can't name a pattern: 1 to {NAME_LETTERS} letters, digits, _ and - can"
        ));
    }
    let Some(text) = value.as_str() else {
        return Err(format!("{name} must be a regular expression in quotes"));
    };
    let regex = regex::RegexBuilder::new(text)
        .size_limit(PATTERN_BYTES)
        .build();
    let regex = regex.map_err(|error| {
        // The words stand in the last line, below a drawing.
        let text = error.to_string();
        let why = text.lines().last().unwrap_or_default();
        let why = why.strip_prefix("error: ").unwrap_or(why);
        format!("{name} is no regular expression: {why}; '…' in place of \"…\" keeps backslashes")
    })?;
    if regex.is_match("") {
        return Err(format!(
            "{name} matches where there is nothing; it must match a character at least"
        ));
    }
    Ok(RedactPattern {
        name: name.to_owned(),
        regex,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(text: &str) -> Vec<(usize, String)> {
        let ignored = parse(text).ignored.into_iter();
        ignored
            .map(|complaint| (complaint.line.unwrap_or_default(), complaint.what))
            .collect()
    }

    #[test]
    fn a_whole_file_is_read() {
        let settings = parse(
            "theme = 'light'\nmouse = true\nascii = false\nwrap = false\nremember = false\n\
             strategy = 'trim'\ntokenizer = 'estimate'\n\
             [keys]\nzoom = 'Z'\nleft-out = ['V', 'ctrl-v']\nmark = []\n\
             [redact]\npatterns = { ticket = 'T-\\d+' }\n",
        );
        assert_eq!(settings.ignored, []);
        assert_eq!(
            settings.theme.map(|given| (given.value, given.line)),
            Some((Palette::Light, 1))
        );
        assert_eq!(
            settings.wrap.map(|given| (given.value, given.line)),
            Some((false, 4))
        );
        assert_eq!(settings.strategy.map(|given| given.value), Some("trim"));
        assert_eq!(
            settings.tokenizer.map(|given| given.value),
            Some(Tokenizer::Estimate)
        );
        let keys: Vec<_> = settings
            .keys
            .iter()
            .map(|one| (&*one.command, one.keys.len(), one.line))
            .collect();
        assert_eq!(keys, [("zoom", 1, 9), ("left-out", 2, 10), ("mark", 0, 11)]);
        let patterns = settings.redact_patterns().expect("whole");
        assert_eq!(patterns[0].name, "ticket");
        assert!(patterns[0].regex.is_match("see T-12"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_the_rest_holds() {
        let text = "theme = 'blue'\nmous = true\nwrap = 1\nascii = true\nstrategy = 'windowed'\n\
                    [keys]\nzoom = 3\n";
        let told = ignored(text);
        let lines: Vec<usize> = told.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 2, 3, 5, 7]);
        assert_eq!(
            told[0].1,
            "theme must be one of \"dark\", \"light\", \"none\""
        );
        assert!(
            told[1]
                .1
                .starts_with("there is no setting 'mous'; valid: theme, mouse,")
        );
        assert_eq!(told[2].1, "wrap must be true or false");
        assert!(told[3].1.contains("\"rolling-window\""));
        assert!(parse(text).ascii.is_some_and(|given| given.value));
        assert!(parse(text).redact_patterns().is_ok(), "its table is whole");
    }

    #[test]
    fn a_text_that_is_no_toml_gives_nothing() {
        let settings = parse("mouse = true\ntheme = \n");
        assert!(settings.mouse.is_none());
        assert_eq!(settings.ignored[0].line, Some(2));
        assert!(settings.ignored[0].what.contains("until this is mended"));
        assert!(settings.redact_patterns().is_err());
    }

    #[test]
    fn redaction_is_whole_or_an_error() {
        for (pattern, why) in [
            (
                "patterns = { a = '(' }",
                "is no regular expression: unclosed group",
            ),
            ("patterns = { a = 'x*' }", "matches where there is nothing"),
            ("patterns = { 'a b' = 'x' }", "can't name a pattern"),
            ("patterns = { a = 1 }", "in quotes"),
            (
                "patterns = { a = '\\w{1000}{1000}' }",
                "is no regular expression",
            ),
            ("patterns = 1", "must be a table"),
            ("pattern = {}", "valid: patterns"),
        ] {
            let settings = parse(&format!("[redact]\n{pattern}\n"));
            assert!(
                settings.ignored[0].what.contains(why),
                "{:?}",
                settings.ignored
            );
            assert_eq!(settings.ignored[0].line, Some(2));
            let error = settings.redact_patterns().expect_err("cut").to_string();
            assert!(error.contains("settings:2:") && error.contains("nothing is redacted"));
        }
    }
}
