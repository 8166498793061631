//! `memex themes`: what themes there are, and what is wrong with the user's own.

use super::args::ThemesArgs;
use super::{Exit, out};
use crate::config::Config;

pub(super) fn themes(_: &Config, _: &ThemesArgs) -> anyhow::Result<Exit> {
    out::line("")?;
    Ok(Exit::Done)
}
