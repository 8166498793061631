//! A run without a screen: events to standard output, progress to standard error.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::signal::unix::{SignalKind, signal};

use super::{Exit, out};
use crate::agent::{Command, Handle, RunMode, Update};
use crate::session::{Author, Envelope, Event, NoteKind, Session, report_line};

/// Runs to the end and says how it ended.
///
/// # Errors
/// When standard output cannot be written.
pub(super) async fn drive(mut handle: Handle, mut session: Session, json: bool) -> anyhow::Result<Exit> {
    let progress = Progress::new();
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut stopping = false;
    let mut exit = Exit::Broken;
    let _ = handle.commands.send(Command::Run);
    loop {
        let update = tokio::select! {
            update = handle.updates.recv() => update,
            _ = interrupt.recv() => {
                if stopping {
                    return Ok(Exit::Cancelled);
                }
                stopping = true;
                let _ = handle.commands.send(Command::Stop);
                continue;
            }
            _ = terminate.recv() => {
                stopping = true;
                let _ = handle.commands.send(Command::Stop);
                continue;
            }
        };
        match update {
            None => return Ok(exit),
            Some(Update::Recorded(envelope)) => {
                if let Err(fault) = session.apply(&envelope) {
                    progress.say(&fault.to_string());
                }
                progress.show(&session);
                print(&envelope, &session, json)?;
                if let Event::Note(note) = &envelope.event
                    && note.kind == NoteKind::Warning
                {
                    progress.say(&format!("warning: {}", note.text));
                }
                if let Event::Ended(end) = &envelope.event {
                    exit = Exit::from(end.reason);
                }
            }
            Some(Update::Mode(RunMode::Ended | RunMode::Paused)) => {
                // Nothing pauses a headless run but its end, or trouble that was said.
                let _ = handle.commands.send(Command::Quit);
            }
            Some(Update::Trouble(text) | Update::Refused(text)) => progress.say(&text),
            Some(Update::Waiting(what)) => progress.wait(what),
            Some(Update::Mode(_) | Update::Delta(_)) => {}
        }
    }
}

/// One event, as JSON or as a line for people.
fn print(envelope: &Envelope, after: &Session, json: bool) -> std::io::Result<()> {
    if json { out::json(&report_line(envelope, after)) } else { out::line(&describe(envelope)) }
}

/// One line about an event.
#[must_use]
pub(super) fn describe(envelope: &Envelope) -> String {
    let first = |text: &str| text.lines().next().unwrap_or("").to_owned();
    let by = |author: Author| match author {
        Author::Agent => "",
        Author::Human => " by hand",
        Author::Fallback => " by rule",
    };
    let what = match &envelope.event {
        Event::Started(s) => format!("started     {}", s.task.lines().last().unwrap_or("")),
        Event::Status(s) => format!("status      W {} of τ {}, T {}", s.working, s.threshold, s.total),
        Event::Acted(a) => {
            let calls: Vec<String> = a.calls.iter().map(|c| c.text().to_string()).collect();
            let text = a.thinking.as_deref().or(a.text.as_deref()).map(first).unwrap_or_default();
            format!("acted       {}{}{}", text, if text.is_empty() { "" } else { " ▸ " }, calls.join("; "))
        }
        Event::Observed(o) => format!("observed    {}", first(&o.text)),
        Event::Compressed(c) => {
            let names: Vec<&str> = c.blocks.iter().map(|b| b.index.as_str()).collect();
            format!(
                "compressed{} {} → {} tokens ({:+}), blocks: {}",
                by(c.by),
                c.tokens_before,
                c.tokens_after,
                signed(c.tokens_before, c.tokens_after),
                names.join(", ")
            )
        }
        Event::Read(r) => format!("read{}        {} ({} tokens)", by(r.by), r.index, r.tokens),
        Event::Malformed(m) => format!("malformed   {}", m.reason),
        Event::Edited(e) => format!("edited{}", by(e.by)),
        Event::Undone(u) => format!("{} event {}", if u.redo { "redone" } else { "undone" }, u.target),
        Event::Note(n) => format!("note        {}", n.text),
        Event::Ended(e) => {
            let success = match e.success {
                Some(true) => ", task done",
                Some(false) => ", task not done",
                None => "",
            };
            let detail = e.detail.as_ref().map(|d| format!(": {d}")).unwrap_or_default();
            format!("ended       {}{success}{detail}", e.reason.name())
        }
        Event::Unknown(u) => format!("unknown     {}", u.raw),
    };
    format!("{:<6}{what}", format!("t{}", envelope.step))
}

fn signed(before: u64, after: u64) -> i128 {
    i128::from(after) - i128::from(before)
}

/// A bar on a terminal, nothing elsewhere.
struct Progress(Option<ProgressBar>);

impl Progress {
    fn new() -> Self {
        // A bar among the lines of the same terminal would only be in their way.
        if !std::io::stderr().is_terminal() || std::io::stdout().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("t {pos}/{len} [{bar:30}] {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Self(Some(bar))
    }
    fn show(&self, session: &Session) {
        let (Some(bar), Some(started)) = (&self.0, session.started()) else { return };
        bar.set_length(u64::from(session.max_steps()));
        bar.set_position(u64::from(session.t()));
        bar.set_message(format!("W {} / τ {}", session.context().working(), started.config.threshold));
    }
    fn wait(&self, what: Option<String>) {
        if let (Some(bar), Some(what)) = (&self.0, what) {
            bar.set_message(format!("waiting for the {}", crate::text::sanitize::terminal(&what)));
        }
    }
    fn say(&self, text: &str) {
        match &self.0 {
            Some(bar) => bar.suspend(|| out::say(text)),
            None => out::say(text),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
