//! The box that dialogs stand in, and the answers below their questions.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::border;

use super::panes;
use crate::tui::look::Look;
use crate::tui::paint;

/// A box in the middle with a title, and what is inside it.
pub(super) fn dialog(title: &str, hint: &str, size: (u16, u16), area: Rect, buffer: &mut Buffer, look: &Look) -> Rect {
    let width = size.0.min(area.width.saturating_sub(2));
    let height = size.1.saturating_add(2).min(area.height.saturating_sub(2));
    let outer = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    let style = look.theme.dialog();
    paint::fill(buffer, outer, style);
    let set = if look.ascii {
        border::Set {
            vertical_left: "|",
            vertical_right: "|",
            horizontal_top: "-",
            horizontal_bottom: "-",
            top_left: "+",
            top_right: "+",
            bottom_left: "+",
            bottom_right: "+",
        }
    } else {
        border::ROUNDED
    };
    panes::outline(set, style.patch(look.theme.border(true)), outer, buffer);
    let room = outer.width.saturating_sub(4);
    paint::text(buffer, outer.x + 2, outer.y, room, style.patch(look.theme.title(true)), &format!(" {title} "));
    if !hint.is_empty() {
        paint::right(
            buffer,
            outer.right().saturating_sub(2),
            outer.bottom().saturating_sub(1),
            room,
            style.patch(look.theme.dim()),
            &format!(" {hint} "),
        );
    }
    Rect { x: outer.x + 2, y: outer.y + 1, width: outer.width.saturating_sub(4), height: outer.height.saturating_sub(2) }
}

/// The answers to a question, each led by its key.
pub(super) fn yes_no(answers: &[&str], area: Rect, buffer: &mut Buffer, look: &Look) {
    let base = look.theme.dialog();
    let mut x = area.x;
    for answer in answers {
        let (key, word) = answer.split_once(' ').unwrap_or((answer, ""));
        let room = area.right().saturating_sub(x);
        x = paint::text(buffer, x, area.y, room, base.patch(look.theme.key()), key);
        x = paint::text(buffer, x + 1, area.y, room, base, word) + 3;
    }
}
