//! What the rows of `compare` are held against: one of them, or the rows of the same names in a file.

use std::path::Path;

use serde_json::Value as Json;

use super::args::CompareArgs;
use super::compare::rows_of;
use crate::analysis::Row;
use crate::analysis::requirement::Figure;
use crate::error::Error;

/// A baseline.
pub(super) enum Base {
    /// The row at a place.
    Row(usize),
    /// Rows of the same names, as `compare --output json` wrote them.
    Saved { name: String, rows: Vec<Json> },
    /// Rows of the same names of another trace.
    Run { name: String, rows: Vec<Row> },
}

impl Base {
    /// The row of a name.
    pub(super) fn row(rows: &[Row], name: &str, file: &str) -> Result<Self, Error> {
        let at = rows.iter().position(|row| row.name == name);
        at.map(Self::Row).ok_or_else(|| Error::Unreadable {
            name: file.to_owned(),
            what: format!(
                "what the LLM was sent is not recorded for every turn, so {name} can't be the baseline; --baseline uncompressed can"
            ),
        })
    }

    /// The file that `--baseline` names, if it names one. `file` is the trace that is held against it.
    pub(super) fn from_file(args: &CompareArgs, file: &str) -> Result<Option<Self>, Error> {
        let Some(given) = &args.baseline else {
            return Ok(None);
        };
        let path = Path::new(given);
        if !path.is_file() {
            return Ok(None);
        }
        let name = given.clone();
        let text = std::fs::read(path).map_err(|source| Error::Read {
            name: name.clone(),
            source,
        })?;
        let saved: Option<Json> = serde_json::from_slice(&text).ok();
        let saved = saved.filter(|json| json["schema"] == super::compare_json::SCHEMA);
        if let Some(saved) = saved {
            let rows = saved_rows(&saved, file).ok_or_else(|| Error::Unreadable {
                name: name.clone(),
                what: format!(
                    "there are no rows of {file} in it; compare that file with --output json"
                ),
            })?;
            return Ok(Some(Self::Saved { name, rows }));
        }
        let rows = rows_of(path, args)?;
        Ok(Some(Self::Run { name, rows }))
    }

    /// What it is called in headings.
    pub(super) fn name<'a>(&'a self, rows: &'a [Row]) -> &'a str {
        match self {
            Self::Row(at) => rows.get(*at).map_or("", |row| row.name.as_str()),
            Self::Saved { name, .. } | Self::Run { name, .. } => name,
        }
    }

    /// Whether the row at a place is held against it: a row isn't held against itself, where there are
    /// others.
    pub(super) fn judges(&self, at: usize, rows: &[Row]) -> bool {
        match self {
            Self::Row(base) => at != *base || rows.len() == 1,
            Self::Saved { .. } | Self::Run { .. } => true,
        }
    }

    /// Its figure for a row; none where it has no row of that name.
    pub(super) fn figure(&self, own: &[Row], row: &Row, figure: Figure) -> Option<f64> {
        match self {
            Self::Row(at) => own.get(*at).map(|base| figure.of(base)),
            Self::Saved { rows, .. } => {
                let base = rows.iter().find(|base| base["case"] == *row.name)?;
                base[figure.field()].as_f64()
            }
            Self::Run { rows, .. } => {
                let base = rows.iter().find(|base| base.name == row.name)?;
                Some(figure.of(base))
            }
        }
    }
}

/// The saved rows of a trace: the only ones, else those of the same path, else of the same file name.
fn saved_rows(saved: &Json, file: &str) -> Option<Vec<Json>> {
    if let Some(rows) = saved["rows"].as_array() {
        return Some(rows.clone());
    }
    let last = |path: &str| Path::new(path).file_name().map(std::ffi::OsStr::to_owned);
    let files = saved["files"].as_array()?;
    let is_same = |found: &&Json| found["file"] == *file;
    let is_like = |found: &&Json| {
        found["file"]
            .as_str()
            .is_some_and(|name| last(name) == last(file))
    };
    let found = files
        .iter()
        .find(is_same)
        .or_else(|| files.iter().find(is_like))?;
    found["rows"].as_array().cloned()
}
