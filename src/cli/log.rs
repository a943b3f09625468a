//! `TURNSCOPE_LOG=FILE`: what the program does and how long that takes, line by line, for whoever looks
//! for the reason of something slow or odd.
//!
//! Modules say what they do through `tracing`; without the variable nobody listens. What a trace says is
//! never logged, only figures, names of files and names of our own.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Mutex;

use tracing::Level;
use tracing_subscriber::fmt;

use crate::error::Error;

/// The environment variable that names the file.
const VARIABLE: &str = "TURNSCOPE_LOG";

/// Begins to log where the variable names a file; what stands in it is kept.
///
/// # Errors
/// [`Error::Write`] where the file can't be written.
pub(super) fn begin() -> Result<(), Error> {
    let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let path = Path::new(&path);
    let file = OpenOptions::new().create(true).append(true).open(path);
    let file = file.map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })?;
    // Fails only where the program that uses this library listens already.
    let _ = fmt()
        .with_max_level(Level::DEBUG)
        .with_timer(fmt::time::uptime())
        .with_writer(Mutex::new(file))
        .try_init();
    Ok(())
}
