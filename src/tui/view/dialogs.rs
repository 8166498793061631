//! What lies over the panes: lists, questions, comparisons.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::boxes::{dialog, yes_no};
use super::footer::field;
use super::force;
use crate::tui::app::App;
use crate::tui::command::{Command, Group};
use crate::tui::look::Look;
use crate::tui::overlay::Overlay;
use crate::tui::overlay::confirm::Confirm;
use crate::tui::overlay::diff::{Diff, Fate};
use crate::tui::overlay::help::Help;
use crate::tui::overlay::notes::Notes;
use crate::tui::overlay::palette::Palette;
use crate::tui::overlay::themes::Themes;
use crate::tui::paint;
use crate::tui::theme::{Change, Severity};
use crate::tui::widget::scrollbar;

/// Draws the overlay that is open.
pub(super) fn draw(app: &mut App, area: Rect, buffer: &mut Buffer) {
    let Some(mut overlay) = app.overlay.take() else { return };
    match &mut overlay {
        Overlay::Help(help) => draw_help(help, app, area, buffer),
        Overlay::Palette(palette) => draw_palette(palette, app, area, buffer),
        Overlay::Confirm(confirm) => draw_confirm(confirm, &app.look, area, buffer),
        Overlay::Force(dialog) => force::draw(dialog, app, area, buffer),
        Overlay::Diff(diff) => draw_diff(diff, app, area, buffer),
        Overlay::Themes(themes) => draw_themes(themes, &app.look, area, buffer),
        Overlay::Notes(notes) => draw_notes(notes, app, area, buffer),
        Overlay::Runs(list) => super::runs::draw(list, app, area, buffer),
        // Stands in the last line.
        Overlay::Prompt(_) => {}
    }
    app.overlay = Some(overlay);
}

/// Lines from `scroll` on, which is moved back where it is beyond the end.
fn lines(list: &[Vec<(Style, String)>], scroll: &mut usize, area: Rect, buffer: &mut Buffer, look: &Look) {
    let height = usize::from(area.height);
    *scroll = (*scroll).min(list.len().saturating_sub(height));
    for (y, line) in (area.top()..area.bottom()).zip(list.iter().skip(*scroll)) {
        paint::parts(buffer, area.x, y, area.width.saturating_sub(1), line);
    }
    let bar = Rect { x: area.right().saturating_sub(1), width: 1, ..area };
    scrollbar::draw(bar, buffer, *scroll..*scroll + height, list.len(), &look.theme);
}

fn keys_of(app: &App, command: &Command) -> String {
    app.keymap.keys(command.id).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn draw_help(help: &mut Help, app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let base = look.theme.dialog();
    let inner = dialog("Help", "type to filter · Esc closes", (92, area.height), area, buffer, look);
    let x = paint::text(buffer, inner.x, inner.y, inner.width, base.patch(look.theme.dim()), "filter ");
    field(&help.filter, true, Rect { x, width: inner.right().saturating_sub(x), height: 1, ..inner }, buffer, look);
    let fitting = help.fitting(|c| keys_of(app, c));
    let mut list: Vec<Vec<(Style, String)>> = Vec::new();
    for group in Group::ALL {
        let own: Vec<&&Command> = fitting.iter().filter(|c| c.group == group).collect();
        if own.is_empty() {
            continue;
        }
        list.push(vec![(base.patch(look.theme.strong()), group.title().to_owned())]);
        for command in own {
            let keys = crate::text::width::pad(&keys_of(app, command), 14);
            list.push(vec![(base.patch(look.theme.key()), format!("  {keys} ")), (base, command.help.to_owned())]);
        }
    }
    if list.is_empty() {
        list.push(vec![(base.patch(look.theme.dim()), "no command fits".to_owned())]);
    }
    let rest = Rect { y: inner.y + 2, height: inner.height.saturating_sub(2), ..inner };
    lines(&list, &mut help.scroll, rest, buffer, look);
}

fn draw_palette(palette: &mut Palette, app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let base = look.theme.dialog();
    let inner = dialog("Commands", "Enter runs it · a number goes to that step", (80, 16), area, buffer, look);
    field(&palette.input, true, Rect { height: 1, ..inner }, buffer, look);
    let fitting = palette.fitting();
    palette.selected = palette.selected.min(fitting.len().saturating_sub(1));
    let height = usize::from(inner.height.saturating_sub(2)).max(1);
    let first = (palette.selected + 1).saturating_sub(height);
    for (y, (n, command)) in (inner.y + 2..inner.bottom()).zip(fitting.iter().enumerate().skip(first)) {
        let style = if n == palette.selected { look.theme.selection(true) } else { Style::default() };
        let row = Rect { y, height: 1, ..inner };
        buffer.set_style(row, style);
        let name = crate::text::width::pad(command.name, 22);
        let keys = keys_of(app, command);
        let from = paint::right(buffer, inner.right(), y, 16, base.patch(look.theme.key()).patch(style), &keys);
        let x = paint::text(buffer, inner.x, y, 22, base.patch(look.theme.strong()).patch(style), &name);
        paint::text(buffer, x, y, from.saturating_sub(x + 1), base.patch(style), command.help);
    }
}

fn draw_confirm(confirm: &Confirm, look: &Look, area: Rect, buffer: &mut Buffer) {
    let base = look.theme.dialog();
    let widest = confirm.lines.iter().map(|l| paint::width(l)).max().unwrap_or(0).max(paint::width(&confirm.title) + 4);
    let height = u16::try_from(confirm.lines.len()).unwrap_or(10) + 2;
    let inner = dialog(&confirm.title, "", (widest.max(30) + 4, height), area, buffer, look);
    for (y, line) in (inner.y..).zip(&confirm.lines) {
        let warning = line.starts_with('!');
        let style = if warning { base.patch(look.theme.notice(Severity::Warning)) } else { base };
        paint::text(buffer, inner.x, y, inner.width, style, line);
    }
    yes_no(&["y yes", "n no"], Rect { y: inner.bottom().saturating_sub(1), height: 1, ..inner }, buffer, look);
}

fn draw_diff(diff: &mut Diff, app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let base = look.theme.dialog();
    let again = app.keymap.hint(crate::tui::command::CommandId::DiffCompression);
    let hint = format!("n N next heading · {again} the other comparison · Esc closes");
    let inner = dialog(&diff.title, &hint, (area.width, area.height), area, buffer, look);
    let height = usize::from(inner.height);
    diff.scroll = diff.scroll.min(diff.rows.len().saturating_sub(height));
    for (y, row) in (inner.top()..inner.bottom()).zip(diff.rows.iter().skip(diff.scroll)) {
        let style = match row.fate {
            Fate::Heading => look.theme.diff(Change::Place),
            Fate::Same => look.theme.dim(),
            Fate::Added => look.theme.diff(Change::Added),
            Fate::Removed => look.theme.diff(Change::Removed),
            Fate::Archived => look.theme.text(),
        };
        let room = inner.width.saturating_sub(1);
        let x = paint::text(buffer, inner.x, y, room, base.patch(style), row.fate.glyph());
        paint::text(buffer, x, y, (inner.x + room).saturating_sub(x), base.patch(style), &row.text);
    }
    let bar = Rect { x: inner.right().saturating_sub(1), width: 1, ..inner };
    scrollbar::draw(bar, buffer, diff.scroll..diff.scroll + height, diff.rows.len(), &look.theme);
}

fn draw_themes(themes: &Themes, look: &Look, area: Rect, buffer: &mut Buffer) {
    let base = look.theme.dialog();
    let rows = u16::try_from(themes.names.len()).unwrap_or(20).min(20);
    let inner = dialog("Theme", "Enter keeps · Esc puts back", (40, rows), area, buffer, look);
    let first = (themes.selected + 1).saturating_sub(usize::from(inner.height).max(1));
    for (y, (n, name)) in (inner.top()..inner.bottom()).zip(themes.names.iter().enumerate().skip(first)) {
        let chosen = n == themes.selected;
        let style = if chosen { base.patch(look.theme.selection(true)) } else { base };
        buffer.set_style(Rect { y, height: 1, ..inner }, style);
        let marker = if chosen { look.or("▸ ", "> ") } else { "  " };
        paint::text(buffer, inner.x, y, inner.width, style, &format!("{marker}{}", crate::text::sanitize::name(name)));
    }
}

fn draw_notes(notes: &mut Notes, app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let base = look.theme.dialog();
    let inner = dialog("Messages", "newest first · Esc closes", (100, area.height), area, buffer, look);
    let width = usize::from(inner.width.saturating_sub(8)).max(10);
    let mut list: Vec<Vec<(Style, String)>> = Vec::new();
    for notice in app.notes.iter().rev() {
        let text = crate::text::sanitize::line(&notice.text);
        let style = base.patch(look.theme.notice(notice.severity));
        for (n, row) in crate::text::wrap::rows(&text, 0..text.len(), width).enumerate() {
            let tag = if n == 0 { format!("t{:<5} ", notice.step) } else { " ".repeat(7) };
            list.push(vec![(base.patch(look.theme.dim()), tag), (style, text.get(row).unwrap_or("").to_owned())]);
        }
    }
    if list.is_empty() {
        list.push(vec![(base.patch(look.theme.dim()), "nothing was said yet".to_owned())]);
    }
    lines(&list, &mut notes.scroll, inner, buffer, look);
}
