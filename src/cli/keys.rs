//! `keys`: the inspector's keys, as the inspector's own table tells them.

use super::args::KeysArgs;
use super::{Context, Hooks};
use crate::error::Error;

pub(super) fn run(
    KeysArgs { markdown: _ }: &KeysArgs,
    hooks: &Hooks,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    let keys = hooks.keys.ok_or_else(|| {
        Error::Usage("this build has no inspector, so there are no keys".to_owned())
    })?;
    Ok(context.out.write_all(keys().as_bytes())?)
}
