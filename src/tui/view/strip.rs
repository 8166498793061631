//! The timeline: one glyph a step, by the weightiest thing that happened in it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::session::{self, StepMark};
use crate::tui::app::App;
use crate::tui::paint;
use crate::tui::theme::Mark;

fn mark(step: &StepMark) -> Mark {
    let has = |f: fn(&session::Mark) -> bool| step.marks.iter().any(f);
    if has(|m| matches!(m, session::Mark::Ended(_))) {
        Mark::End
    } else if has(|m| matches!(m, session::Mark::Compressed(..))) {
        Mark::Compress
    } else if has(|m| matches!(m, session::Mark::Error)) {
        Mark::Error
    } else if has(|m| matches!(m, session::Mark::Read(_))) {
        Mark::Read
    } else {
        Mark::Step
    }
}

/// Draws the line.
pub(super) fn draw(app: &mut App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let theme = &look.theme;
    let steps = app.place.timeline().steps();
    let legend = format!(
        "{} compress {} read {} error {} end",
        look.mark(Mark::Compress),
        look.mark(Mark::Read),
        look.mark(Mark::Error),
        look.mark(Mark::End)
    );
    let legend_width = if area.width >= 100 { paint::width(&legend) + 2 } else { 0 };
    // Room for the number behind the last step.
    let room = area.width.saturating_sub(legend_width + 8);
    let pitch = if steps.len() * 3 <= usize::from(room) {
        3
    } else if steps.len() * 2 <= usize::from(room) {
        2
    } else {
        1
    };
    let shown = usize::from(room / pitch).max(1);
    let current = app.place.entry();
    let first = if steps.len() <= shown { 0 } else { current.saturating_sub(shown / 2).min(steps.len() - shown) };
    let mut x = area.x + 1;
    let mut number = String::new();
    for (n, step) in steps.iter().enumerate().skip(first).take(shown) {
        let mark = mark(step);
        let here = n == current;
        let hand = step.marks.iter().any(|m| {
            matches!(
                m,
                session::Mark::Human | session::Mark::Compressed(session::Author::Human, ..) | session::Mark::Read(session::Author::Human)
            )
        });
        let mut style = theme.mark(mark);
        if here {
            style = style.patch(theme.mark(Mark::Current)).add_modifier(Modifier::REVERSED);
            number = format!(" t{}", step.step);
        }
        paint::text(buffer, x, area.y, 1, style, look.mark(mark));
        let join = if hand { look.or("✎", "!") } else { look.or("─", "-") };
        for dx in 1..pitch {
            let last = n + 1 == steps.len();
            let glyph = if dx == 1 && hand || !last { join } else { " " };
            paint::text(
                buffer,
                x + dx,
                area.y,
                1,
                theme.dim(),
                if dx == 1 {
                    glyph
                } else if last {
                    " "
                } else {
                    look.or("─", "-")
                },
            );
        }
        x += pitch;
    }
    let more = steps.len().saturating_sub(first + shown);
    if more > 0 {
        number += &format!("  +{more}");
    }
    paint::text(buffer, x, area.y, 8, theme.strong(), if pitch > 1 { number.trim_start() } else { &number });
    if legend_width > 0 {
        paint::right(buffer, area.right().saturating_sub(1), area.y, legend_width, theme.dim(), &legend);
    }
    app.zones.strip = (Rect { x: area.x + 1, width: room, ..area }, first, pitch);
}
