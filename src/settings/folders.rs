//! Where settings and remembered places are kept: where the platform wants them.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The directory of ours in those of the platform.
const OWN: &str = "turnscope";

/// The settings file: `$XDG_CONFIG_HOME/turnscope/config.toml`, by default in `~/.config`; in
/// `%APPDATA%` on Windows. None where there is no home directory.
pub fn settings_file() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.config_dir().join(OWN).join("config.toml"))
}

/// The directory for what is remembered: `$XDG_STATE_HOME/turnscope`, by default in
/// `~/.local/state`; in `%LOCALAPPDATA%` on Windows. None where there is no home directory.
pub fn state_folder() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    let folder = base.state_dir().unwrap_or_else(|| base.cache_dir());
    Some(folder.join(OWN))
}
