//! The last line: what was said last, or the keys that matter here. Above it the line of a human policy.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::tui::app::App;
use crate::tui::command::CommandId;
use crate::tui::input::Input;
use crate::tui::look::Look;
use crate::tui::overlay::Overlay;
use crate::tui::paint;
use crate::tui::pane::Pane;
use crate::tui::theme::Severity;

/// Draws a text field with its cursor; long text is shown around the cursor.
pub(super) fn field(input: &Input, focused: bool, area: Rect, buffer: &mut Buffer, look: &Look) {
    let style = look.theme.input();
    paint::fill(buffer, area, style);
    let (before, after) = input.split();
    let room = usize::from(area.width.saturating_sub(1));
    // Only as much of a long text as can be seen is measured.
    let near = before.ceil_char_boundary(before.len().saturating_sub(room * 8));
    let mut before = crate::text::sanitize::line(before.get(near..).unwrap_or("")).into_owned();
    while crate::text::width::width(&before) > room {
        let first = before.chars().next().map_or(1, char::len_utf8);
        before.drain(..first);
    }
    let x = paint::text(buffer, area.x, area.y, area.width, style, &before);
    paint::text(buffer, x, area.y, area.right().saturating_sub(x), style, after);
    if focused && x < area.right() {
        buffer.set_style(Rect { x, width: 1, ..area }.intersection(buffer.area), style.add_modifier(Modifier::REVERSED));
    }
}

/// The line in which a human plays the policy.
pub(super) fn human(app: &App, area: Rect, buffer: &mut Buffer) {
    let Some(line) = &app.human else { return };
    let theme = &app.look.theme;
    let label = if line.focused { " your call " } else { " your call (i types) " };
    let x = paint::text(buffer, area.x, area.y, area.width, theme.strong(), label);
    let hint = "Tab completes · Enter sends · Esc leaves";
    let hint_width = if area.width >= 100 { paint::width(hint) + 2 } else { 0 };
    let room = area.right().saturating_sub(x + hint_width);
    field(&line.input, line.focused && app.overlay.is_none(), Rect { x, width: room, ..area }, buffer, &app.look);
    if hint_width > 0 {
        paint::right(buffer, area.right().saturating_sub(1), area.y, hint_width, theme.dim(), hint);
    }
}

/// Draws the line.
pub(super) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let theme = &look.theme;
    paint::fill(buffer, area, theme.footer());
    if let Some(Overlay::Prompt(prompt)) = &app.overlay {
        let x = paint::text(buffer, area.x + 1, area.y, 2, theme.key(), "/");
        let hint = "c: context  i: index map  a: archive  t: whole run";
        let hint_width = if area.width >= 100 { paint::width(hint) + 2 } else { 0 };
        let room = area.right().saturating_sub(x + hint_width);
        field(&prompt.input, true, Rect { x, width: room, ..area }, buffer, look);
        if hint_width > 0 {
            paint::right(buffer, area.right().saturating_sub(1), area.y, hint_width, theme.footer().patch(theme.dim()), hint);
        }
        return;
    }
    if let Some(notice) = &app.notice {
        let glyph = match notice.severity {
            Severity::Info => look.or("·", "-"),
            Severity::Good => look.or("✓", "+"),
            Severity::Warning => "!",
            Severity::Error => look.or("✗", "x"),
        };
        let text = format!("{glyph} {}", notice.text);
        paint::text(buffer, area.x + 1, area.y, area.width.saturating_sub(2), theme.footer().patch(theme.notice(notice.severity)), &text);
        return;
    }
    let end = area.right().saturating_sub(1);
    let mouse = format!("{} {}", app.keymap.hint(CommandId::ToggleMouse), if app.mouse { "mouse on" } else { "mouse off" });
    let from = paint::right(buffer, end, area.y, 14, theme.footer().patch(theme.dim()), &mouse);
    let mut x = area.x + 1;
    for id in hints(app) {
        let (key, word) = (app.keymap.hint(id), id.command().short);
        if key.is_empty() {
            continue;
        }
        let width = paint::width(&key) + 1 + paint::width(word);
        if x + width + 1 >= from {
            break;
        }
        x = paint::text(buffer, x, area.y, width, theme.footer().patch(theme.key()), &key);
        x = paint::text(buffer, x + 1, area.y, width, theme.footer(), word) + 2;
    }
}

/// The keys that matter where the user stands, weightiest first.
fn hints(app: &App) -> Vec<CommandId> {
    use CommandId as C;
    let mut list = if app.is_recording() { vec![C::RunPause, C::PreviousStep, C::NextStep] } else { vec![C::RunPause, C::Step] };
    if app.place.is_past() {
        list.extend([C::LastStep, C::PreviousStep, C::NextStep]);
    }
    list.extend([C::Help, C::Quit]);
    if !app.is_recording() {
        list.push(C::Compress);
    }
    match app.focus {
        Pane::Context => list.extend([C::Open, C::DiffCompression]),
        Pane::Index => list.extend([C::Open, C::Read]),
        Pane::Detail => list.extend([C::Read, C::ToggleWrap, C::CopyBlock, C::ExportBlock]),
    }
    list.extend([C::Undo, C::PreviousCompression, C::Search, C::ZoomIn, C::Palette, C::ToggleThinking, C::NextTheme]);
    if app.is_recording() {
        list.retain(|id| !matches!(id, C::Undo | C::Read));
    }
    let mut seen = Vec::new();
    list.retain(|id| {
        !seen.contains(id) && {
            seen.push(*id);
            true
        }
    });
    list
}
