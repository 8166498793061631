//! The terminal screen: what the command line knows, handed to it.

use std::path::Path;
use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::sync::mpsc::UnboundedSender;

use super::args::Show;
use super::{Exit, Usage};
use crate::agent::Handle;
use crate::config::{Config, Env};
use crate::policy::Turn;
use crate::session::Envelope;
use crate::store::DataDir;
use crate::text::tokens::Counter;

pub(super) struct Live {
    pub(super) handle: Handle,
    pub(super) so_far: Vec<Arc<Envelope>>,
    pub(super) id: String,
    pub(super) show: Show,
    pub(super) pace: u64,
    pub(super) counter: Counter,
    pub(super) human: Option<UnboundedSender<Turn>>,
    pub(super) data: DataDir,
}
pub(super) fn live(_: &Config, _: &Env, _: &Runtime, _: Live) -> anyhow::Result<Exit> {
    Err(Usage("no screen yet".into()).into())
}
pub(super) fn replay(_: &Config, _: &Env, _: &Path, _: &Show, _: u64) -> anyhow::Result<Exit> {
    Err(Usage("no screen yet".into()).into())
}
