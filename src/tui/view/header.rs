//! The first line: what runs, how far it is, what it waits for, and whether this is the past.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::agent::RunMode;
use crate::session::Phase;
use crate::tui::app::{App, Kind};
use crate::tui::theme::RunState;
use crate::tui::{paint, words};

/// What the run is doing, in a word.
fn state(app: &App) -> (RunState, String) {
    if app.loading {
        let (read, size) = app.recording.progress;
        // In whole percent, below 100 until it is whole.
        let part = (read < size).then(|| format!(" {} %", u128::from(read) * 100 / u128::from(size.max(1))));
        return (RunState::Waiting, format!("loading{}", part.unwrap_or_default()));
    }
    let tail = app.place.timeline().tail();
    if app.kind == Kind::Recording {
        return if app.playing {
            (RunState::Running, "playing".into())
        } else if app.recording.following {
            (RunState::Running, "following".into())
        } else {
            (RunState::Paused, "recording".into())
        };
    }
    if let Phase::Ended(ended) = tail.phase() {
        let won = match ended.success {
            Some(true) => ", done",
            Some(false) => ", not done",
            None => "",
        };
        return (RunState::Ended, format!("{}{won}", ended.reason.name()));
    }
    match app.live.mode {
        _ if app.live.gone => (RunState::Ended, "agent gone".into()),
        _ if app.asked() => (RunState::Waiting, "your call".into()),
        RunMode::Pausing => (RunState::Waiting, "pausing".into()),
        RunMode::Running if app.live.waiting.is_some() => (RunState::Waiting, "waiting".into()),
        RunMode::Running => (RunState::Running, "running".into()),
        RunMode::Paused if app.continuing => (RunState::Running, "going on".into()),
        RunMode::Paused => (RunState::Paused, "paused".into()),
        RunMode::Ended => (RunState::Ended, "ended".into()),
    }
}

/// Draws the line.
pub(super) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let theme = &look.theme;
    let base = theme.header();
    paint::fill(buffer, area, base);
    let (run, word) = state(app);
    let tail = app.place.timeline().tail();
    let shown = app.session();
    let mut x = paint::text(buffer, area.x + 1, area.y, 8, base.patch(theme.strong()), "memex");
    x += 2;
    x = paint::text(buffer, x, area.y, 24, base.patch(theme.run(run)), &format!("{} {word}", look.run(run)));
    x += 2;
    if app.place.is_past() {
        let live = match (app.kind, tail.phase()) {
            (Kind::Recording, _) => "recorded",
            (_, Phase::Ended(_)) => "the run has ended",
            _ => "live continues",
        };
        let text = format!(" {} viewing t {} of {} ({live}) ", look.or("◀", "<"), shown.t(), tail.t());
        x = paint::text(buffer, x, area.y, area.right().saturating_sub(x), theme.past(), &text);
    } else if shown.started().is_some() {
        // Other programs do not record a limit.
        let text = if shown.max_steps() == 0 { format!("t {}", shown.t()) } else { format!("t {}/{}", shown.t(), shown.max_steps()) };
        x = paint::text(buffer, x, area.y, area.right().saturating_sub(x), base.patch(theme.strong()), &text);
    }
    x += 2;
    let room = |x: u16| area.right().saturating_sub(x);
    if shown.started().is_some() {
        x = paint::text(buffer, x, area.y, room(x), base, &format!("seg {}", shown.segment()));
        x += 2;
    }
    if app.recording.runs.len() > 1 {
        let text = format!("run {}/{}", app.recording.current + 1, app.recording.runs.len());
        x = paint::text(buffer, x, area.y, room(x), base.patch(theme.strong()), &text);
        x += 2;
    }
    let odd = app.place.timeline().oddities();
    if odd > 0 {
        let text = format!("{} {odd} events not understood", look.or("⚠", "!"));
        x = paint::text(buffer, x, area.y, room(x), base.patch(theme.notice(crate::tui::theme::Severity::Error)), &text);
        x += 2;
    }
    if shown.intervened() {
        x = paint::text(buffer, x, area.y, room(x), base.patch(theme.notice(crate::tui::theme::Severity::Warning)), "edited");
        x += 2;
    }
    if let Some(wait) = &app.live.waiting
        && app.running()
        && !app.asked()
    {
        let since = app.now.saturating_sub(wait.since);
        let frame = usize::try_from(since.as_millis() / 125).unwrap_or(0);
        let text = format!("{} {} {} (^C interrupts)", look.spinner(frame), wait.what, words::elapsed(since));
        x = paint::text(buffer, x, area.y, room(x), base.patch(theme.run(RunState::Waiting)), &text);
        x += 2;
    }
    let help = format!("[{}]", app.keymap.hint(crate::tui::command::CommandId::Help));
    let from = paint::right(buffer, area.right().saturating_sub(1), area.y, room(x), base.patch(theme.key()), &help);
    let end = from.saturating_sub(2);
    let names: Vec<&str> =
        [app.title.as_str(), shown.started().map_or("", |s| s.session.as_str())].into_iter().filter(|n| !n.is_empty()).collect();
    paint::right(buffer, end, area.y, end.saturating_sub(x), base.patch(theme.dim()), &names.join("  "));
}
