//! From records to parts: what a journal says of its policy and environment is what makes them again.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::signal::unix::SignalKind;
use tokio::sync::mpsc::UnboundedSender;

use super::Usage;
use super::args::{Limits, Names, RunArgs};
use crate::config::{Config, Env};
use crate::env::Environment;
use crate::env::household::{self, Harder, Household};
use crate::policy::expert::Expert;
use crate::policy::human::Human;
use crate::policy::openai::{Key, OpenAi, Settings};
use crate::policy::script::Script;
use crate::policy::{Policy, Turn};
use crate::session::RunConfig;
use crate::text::tokens::{Counter, TokenizerChoice};

/// Milliseconds since the Unix epoch.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}

/// The token counter of the settings.
///
/// # Errors
/// [`Usage`] when it cannot be had.
pub(super) fn counter(config: &Config) -> anyhow::Result<Counter> {
    let Ok(choice) = config.tokenizer.value.parse::<TokenizerChoice>();
    Ok(choice.load().map_err(|e| Usage(e.to_string()))?)
}

/// Number of the signal of a write over the file-size limit, on Linux and the BSDs alike.
const SIGXFSZ: i32 = 25;

/// A runtime for the agent and its connections.
///
/// # Errors
/// When the system has no threads to give.
pub(super) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    // A file-size limit is then an error of the write, which is told, instead of the end of the process.
    let guard = runtime.enter();
    let _ = tokio::signal::unix::signal(SignalKind::from_raw(SIGXFSZ));
    drop(guard);
    Ok(runtime)
}

/// A policy, and where a human's answers go if it is one.
pub(super) struct Answers {
    pub(super) policy: Box<dyn Policy>,
    pub(super) human: Option<UnboundedSender<Turn>>,
}

/// What the flags say of the policy, as a record.
///
/// # Errors
/// [`Usage`] for a policy that does not exist.
pub(super) fn policy_record(config: &Config, env: &Env, args: &RunArgs) -> anyhow::Result<Value> {
    match args.policy.as_str() {
        "expert" => Ok(json!({"kind": "expert"})),
        "human" => Ok(json!({"kind": "human"})),
        "openai" => openai_record(config, env, args),
        other => match other.strip_prefix("script:") {
            // A script is found again from wherever the session is resumed.
            Some("-") => Ok(json!({"kind": "script", "file": "-"})),
            Some(file) if !file.is_empty() => Ok(json!({"kind": "script", "file": std::path::absolute(file)?})),
            _ => Err(Usage(format!("there is no policy {other:?}: use expert, script:FILE, human or openai")).into()),
        },
    }
}

fn openai_record(config: &Config, env: &Env, args: &RunArgs) -> anyhow::Result<Value> {
    let base = args.base_url.clone().unwrap_or_else(|| config.base_url.value.clone());
    let model = args.model.clone().or_else(|| config.model.as_ref().map(|m| m.value.clone()));
    let model =
        model.ok_or_else(|| Usage("which model? Name it with --model, $MEMEX_MODEL, or [openai] model in the config file".into()))?;
    let mut settings = Settings::new(base, model);
    settings.max_tokens = args.max_tokens;
    settings.temperature = args.temperature;
    let file = args.api_key_file.clone().or_else(|| config.api_key_file.as_ref().map(|f| f.value.clone()));
    settings.key = match (&args.api_key_env, file) {
        (Some(name), _) => Some(Key::from_variable(name).map_err(|e| Usage(e.to_string()))?),
        (None, Some(path)) => Some(Key::from_file(&path).map_err(|e| Usage(e.to_string()))?),
        // Local servers want no key: the usual variable is used when it is there.
        (None, None) => match env.get(&config.api_key_env.value) {
            Some(_) => Some(Key::from_variable(&config.api_key_env.value).map_err(|e| Usage(e.to_string()))?),
            None => None,
        },
    };
    Ok(settings.record())
}

/// The policy of a record.
///
/// # Errors
/// [`Usage`] when the record cannot be made true (a script that is gone, a key that is not set).
pub(super) fn policy(record: &Value) -> anyhow::Result<Answers> {
    let only = |policy: Box<dyn Policy>| Answers { policy, human: None };
    let usage = |e: &dyn std::fmt::Display| Usage(e.to_string());
    Ok(match record.get("kind").and_then(Value::as_str) {
        Some(Expert::KIND) => only(Box::new(Expert)),
        Some("human") => {
            let (sender, human) = Human::new();
            Answers { policy: Box::new(human), human: Some(sender) }
        }
        Some("script") => {
            let file = record.get("file").and_then(Value::as_str).unwrap_or_default();
            only(Box::new(Script::open(file).map_err(|e| usage(&e))?))
        }
        Some("openai") => {
            let settings = Settings::from_record(record).map_err(|e| usage(&e))?;
            only(Box::new(OpenAi::new(settings).map_err(|e| usage(&e))?))
        }
        other => return Err(Usage(format!("this program has no policy of kind {:?}", other.unwrap_or("?"))).into()),
    })
}

/// What the flags say of the environment, as a record.
///
/// # Errors
/// [`Usage`] for an environment that does not exist.
pub(super) fn environment_record(args: &RunArgs) -> anyhow::Result<Value> {
    if args.env != "household" {
        return Err(Usage(format!("there is no environment {:?}: use household", args.env)).into());
    }
    let harder = Harder {
        hide_admissible: !(args.easy || args.show_admissible),
        hide_room: !(args.easy || args.show_room),
        look_once: !(args.easy || args.look_again),
    };
    let names = match args.names {
        Names::Readable => household::Names::Readable,
        Names::Raw => household::Names::Raw,
    };
    // A game is found again from wherever the session is resumed.
    let builtin = args.game.starts_with("builtin");
    let game = if builtin { args.game.clone() } else { std::path::absolute(&args.game)?.to_string_lossy().into_owned() };
    let settings = household::Settings { names, harder, lenient: args.lenient, ..household::Settings::new(game) };
    let mut record = serde_json::to_value(settings)?;
    if let Some(object) = record.as_object_mut() {
        object.insert("kind".into(), Household::KIND.into());
    }
    Ok(record)
}

/// The environment of a record.
///
/// # Errors
/// [`Usage`] when the game cannot be read.
pub(super) fn environment(record: &Value) -> anyhow::Result<Box<dyn Environment>> {
    match record.get("kind").and_then(Value::as_str) {
        Some(Household::KIND) => Ok(Box::new(Household::from_settings(record).map_err(|e| Usage(e.to_string()))?)),
        other => Err(Usage(format!("this program has no environment of kind {:?}", other.unwrap_or("?"))).into()),
    }
}

/// The settings of a run, from flags over the config file.
pub(super) fn run_config(config: &Config, limits: &Limits, environment: Value, policy: Value) -> RunConfig {
    let file = &config.run;
    let default = RunConfig::default();
    let summary = limits.summary_limit.or(file.summary_limit).unwrap_or(household::SUMMARY_LIMIT);
    RunConfig {
        threshold: limits.threshold.or(file.threshold).unwrap_or(default.threshold),
        window: limits.window.or(file.window),
        max_steps: limits.max_steps.or(file.max_steps).unwrap_or(default.max_steps),
        summary_limit: (summary > 0).then_some(summary),
        read_budget: limits.read_budget.or(file.read_budget),
        block_limit: limits.block_limit.or(file.block_limit),
        mode: limits.memory,
        hard_fallback: limits.hard_fallback,
        environment,
        policy,
        ..default
    }
}

/// Milliseconds between events at a speed; 2.5 events a second at speed 1.
///
/// # Errors
/// [`Usage`] for a speed that is no positive number.
pub(super) fn pace(speed: Option<f64>, default: f64) -> anyhow::Result<u64> {
    const AT_ONE: f64 = 400.0;
    let speed = speed.unwrap_or(default);
    if !speed.is_finite() || speed < 0.0 {
        return Err(Usage(format!("--speed {speed}: give 0 (no pauses) or a positive factor")).into());
    }
    Ok(if speed == 0.0 { 0 } else { (AT_ONE / speed).round().min(60_000.0) as u64 })
}

/// An environment in a few words, for the header.
pub(super) fn place(settings: &Value) -> String {
    let text = |name| settings.get(name).and_then(Value::as_str).unwrap_or_default();
    let game = text("game");
    // Of a game file's path, its last two directories say which game it is.
    let parts: Vec<&str> = game.rsplit('/').filter(|p| !p.ends_with(".tw-pddl")).take(2).collect();
    let short = parts.into_iter().rev().collect::<Vec<_>>().join("/");
    format!("{} {short}", text("kind"))
}
