//! `memex resume`: an interrupted session goes on where it stopped.

use anyhow::Context;

use super::args::ResumeArgs;
use super::play::{Play, play};
use super::{Exit, Usage, find, make};
use crate::agent::live::{Agent, Beginning, Parts, catch_up};
use crate::config::{Config, Env};
use crate::session::{EndReason, Event, Note, NoteKind, Phase, Session};
use crate::store::StoreThread;

/// Goes on with a session.
///
/// # Errors
/// When it is finished, open elsewhere, or its world cannot be brought back.
pub(super) fn resume(config: &Config, env: &Env, args: &ResumeArgs) -> anyhow::Result<Exit> {
    if !args.show.headless {
        crate::tui::require_terminal().map_err(|e| Usage(e.to_string()))?;
    }
    let data = find::data(config)?;
    let open = find::session(config, &args.session)?.open(make::now())?;
    let id = open.dir.id().to_owned();
    let events = open.loaded.events;
    let session = Session::fold(events.iter().map(|e| &**e))
        .with_context(|| format!("session {id} cannot be resumed; `memex replay {id}` shows it"))?;
    let started = session.started().cloned().ok_or_else(|| Usage(format!("session {id} never started: there is nothing to resume")))?;
    if let Phase::Ended(end) = session.phase() {
        let more = args.max_steps.is_some_and(|n| n > session.t());
        match end.reason {
            EndReason::Cancelled | EndReason::ServerError | EndReason::EnvironmentError => {}
            EndReason::MaxSteps if more => {}
            EndReason::MaxSteps => {
                return Err(Usage(format!("session {id} reached its {} steps: raise them with --max-steps N", session.max_steps())).into());
            }
            EndReason::Finished | EndReason::ContextOverflow => {
                return Err(Usage(format!("session {id} has ended ({}): `memex replay {id}` shows it", end.reason.name())).into());
            }
        }
    }
    let mut answers = make::policy(&started.config.policy)?;
    let answered = events.iter().filter(|e| matches!(e.event, Event::Acted(_))).count();
    answers.policy.skip(u32::try_from(answered).unwrap_or(u32::MAX));
    let mut environment = make::environment(&started.config.environment)?;
    make::runtime()?.block_on(catch_up(&mut *environment, &events))?;
    let counter = if started.config.tokenizer == make::counter(config)?.name() {
        make::counter(config)?
    } else {
        // Counts of two tokenizers are never mixed in one session.
        let Ok(choice) = started.config.tokenizer.parse::<crate::text::tokens::TokenizerChoice>();
        choice.load().map_err(|e| Usage(format!("session {id} was counted with {}: {e}", started.config.tokenizer)))?
    };
    let note = |kind, text: String, max_steps| Note { kind, text, max_steps };
    let mut notes: Vec<Note> = open.loaded.notes.into_iter().map(|text| note(NoteKind::Warning, text, None)).collect();
    notes.push(note(NoteKind::Resumed, "resumed".into(), args.max_steps));
    let vault = StoreThread::start(open.dir.path(), Box::new(open.dir.truth()), Some(open.lock))?;
    let speed = if args.show.headless { 0.0 } else { 1.0 };
    let pace = make::pace(args.show.speed, speed)?;
    let title = format!("{} in {}", answers.policy.name(), make::place(&environment.settings()));
    let parts = Parts {
        session,
        journal: Some(open.journal),
        vault: Box::new(vault),
        policy: answers.policy,
        environment,
        counter: counter.clone(),
        clock: make::now,
        pace: if args.show.headless { 0 } else { pace },
    };
    let (agent, handle) = Agent::new(parts, Beginning::Resume { notes });
    play(config, env, Play { agent, handle, so_far: events, id, show: args.show.clone(), pace, counter, human: answers.human, data, title })
}
