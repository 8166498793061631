//! The list of runs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::boxes::dialog;
use crate::session::Phase;
use crate::text::width::truncate_middle;
use crate::trajectory::{Relation, Run};
use crate::tui::app::App;
use crate::tui::overlay::runs::Runs;
use crate::tui::{paint, words};

/// Draws the list.
pub(super) fn draw(list: &mut Runs, app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let base = look.theme.dialog();
    let rows = u16::try_from(list.tree.len()).unwrap_or(u16::MAX).clamp(1, area.height.saturating_sub(4).max(1));
    let inner = dialog("Runs", "Enter shows it · Esc closes", (100, rows), area, buffer, look);
    let first = (list.selected + 1).saturating_sub(usize::from(inner.height).max(1));
    for (y, (n, branch)) in (inner.top()..inner.bottom()).zip(list.tree.iter().enumerate().skip(first)) {
        let Some(run) = app.recording.runs.get(branch.run) else { continue };
        let chosen = n == list.selected;
        let style = if chosen { base.patch(look.theme.selection(true)) } else { base };
        buffer.set_style(Rect { y, height: 1, ..inner }, style);
        let from = paint::right(buffer, inner.right(), y, inner.width / 2, style.patch(look.theme.dim()), &figures(run));
        let marker = if branch.run == app.recording.current { look.or("▸ ", "> ") } else { "  " };
        let kind = match run.relation {
            Relation::Main => "",
            Relation::Branch { .. } => look.or("⑂ ", "+ "),
            Relation::SubAgent { .. } => look.or("↳ ", "\\ "),
        };
        let text = format!("{marker}{}{kind}{}", "  ".repeat(branch.depth), crate::text::sanitize::name(&run.name));
        let room = from.saturating_sub(inner.x + 1);
        paint::text(buffer, inner.x, y, room, style, &truncate_middle(&text, usize::from(room)));
    }
}

/// Steps, compressions and how it ended.
fn figures(run: &Run) -> String {
    let tail = run.timeline().tail();
    let mut parts = vec![words::count(run.steps() as usize, "step")];
    match tail.compressions().len() {
        0 => {}
        n => parts.push(words::count(n, "compression")),
    }
    if let Phase::Ended(ended) = tail.phase() {
        parts.push(match ended.success {
            Some(true) => "done".into(),
            Some(false) => "not done".into(),
            None => ended.reason.name().into(),
        });
    }
    parts.join(" · ")
}
