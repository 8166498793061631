//! The panes: three side by side where there is room, else stacked, else one with tabs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::border;

use crate::memory::Kind;
use crate::tui::app::{App, Stream};
use crate::tui::look::Look;
use crate::tui::paint;
use crate::tui::pane::context::Tail;
use crate::tui::pane::{Pane, Zoom};
use crate::tui::words;

/// From this width three panes stand side by side.
const WIDE: u16 = 120;
/// From this width two columns do.
const MIDDLE: u16 = 80;

/// Which pane gets which room.
pub(super) fn layout(area: Rect, focus: Pane, zoom: Zoom) -> Vec<(Pane, Rect)> {
    if zoom == Zoom::Full {
        return vec![(focus, area)];
    }
    if area.width < MIDDLE {
        // The tabs take the first row.
        return vec![(focus, Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area })];
    }
    if area.width >= WIDE {
        let half = area.width / 2;
        let rest = area.width - half;
        let widths: [u16; 3] = match (zoom, focus) {
            (Zoom::Half, Pane::Context) => [half, rest / 2, rest - rest / 2],
            (Zoom::Half, Pane::Index) => [rest / 2, half, rest - rest / 2],
            (Zoom::Half, Pane::Detail) => [rest / 2, rest - rest / 2, half],
            _ => {
                let (context, index) = (area.width * 2 / 5, area.width * 27 / 100);
                [context, index, area.width - context - index]
            }
        };
        let mut x = area.x;
        let place = |(pane, width): (Pane, u16)| {
            let own = Rect { x, width, ..area };
            x += width;
            (pane, own)
        };
        return Pane::ALL.into_iter().zip(widths).map(place).collect();
    }
    let left = match (zoom, focus) {
        (Zoom::Half, Pane::Detail) => area.width * 2 / 5,
        (Zoom::Half, _) => area.width * 3 / 5,
        _ => area.width / 2,
    };
    let upper = match (zoom, focus) {
        (Zoom::Half, Pane::Context) => area.height * 3 / 4,
        (Zoom::Half, Pane::Index) => area.height / 3,
        _ => area.height * 3 / 5,
    };
    vec![
        (Pane::Context, Rect { width: left, height: upper, ..area }),
        (Pane::Index, Rect { width: left, y: area.y + upper, height: area.height - upper, ..area }),
        (Pane::Detail, Rect { x: area.x + left, width: area.width - left, ..area }),
    ]
}

/// Draws the panes.
pub(super) fn draw(app: &mut App, area: Rect, buffer: &mut Buffer) {
    let past = app.place.is_past();
    let layout = layout(area, app.focus, app.zoom);
    if area.width < MIDDLE && app.zoom != Zoom::Full {
        tabs(app, Rect { height: 1, ..area }, buffer);
    }
    app.zones.panes.clear();
    for (pane, outer) in layout {
        let focused = pane == app.focus;
        let (title, note) = titles(app, pane);
        let inner = frame(&title, &note, focused, past, outer, buffer, &app.look);
        app.zones.panes.push((pane, inner));
        let finder = app.search.finder.clone();
        match pane {
            Pane::Context => {
                let tails = if past { Vec::new() } else { tails(app) };
                let all_open = app.zoom == Zoom::Full;
                app.context.draw(app.place.shown(), &tails, inner, buffer, &app.look, focused, finder.as_ref(), all_open);
            }
            Pane::Index => app.index.draw(inner, buffer, &app.look, focused, finder.as_ref()),
            Pane::Detail => {
                app.detail.set_search(finder.as_ref());
                app.detail.draw(inner, buffer, &app.look);
            }
        }
    }
}

/// The answer under way, as parts behind the last message.
fn tails(app: &App) -> Vec<Tail> {
    let part = |s: &crate::tui::app::Streamed| {
        let (kind, name) = match &s.part {
            Stream::Thinking => (Kind::Thinking, String::new()),
            Stream::Text => (Kind::Answer, String::new()),
            Stream::Call(name) => (Kind::Call, name.clone()),
        };
        Tail { kind, name, text: s.text.clone() }
    };
    app.live.stream.iter().filter(|s| app.context.thinking || s.part != Stream::Thinking).map(part).collect()
}

fn titles(app: &App, pane: Pane) -> (String, String) {
    let session = app.session();
    match pane {
        Pane::Context => {
            let hidden = if app.context.thinking { "" } else { "thinking hidden" };
            let raw = if app.context.raw { "raw" } else { "" };
            let notes: Vec<&str> = [hidden, raw].into_iter().filter(|n| !n.is_empty()).collect();
            (format!("1 Context · {}", words::count(session.context().len(), "message")), notes.join(", "))
        }
        Pane::Index => {
            let rows = app.index.rows();
            let bad = rows.iter().filter(|r| r.reach != crate::tui::theme::Reach::Reachable).count();
            let note = if bad > 0 { format!("! {bad} out of reach") } else { String::new() };
            (format!("2 IndexMap · {}", rows.len()), note)
        }
        Pane::Detail => (format!("3 {}", crate::text::sanitize::name(app.detail.title())), String::new()),
    }
}

/// The frame of a pane with its title, and a note at its right; what is inside it. The past has another frame.
fn frame(title: &str, note: &str, focused: bool, past: bool, area: Rect, buffer: &mut Buffer, look: &Look) -> Rect {
    const PLAIN: border::Set<'_> = border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: "-",
        horizontal_bottom: "-",
    };
    const PAST: border::Set<'_> =
        border::Set { vertical_left: ":", vertical_right: ":", horizontal_top: "=", horizontal_bottom: "=", ..PLAIN };
    let set = match (look.ascii, past, focused) {
        (true, false, _) => PLAIN,
        (true, true, _) => PAST,
        (false, true, _) => border::DOUBLE,
        (false, false, true) => border::THICK,
        (false, false, false) => border::PLAIN,
    };
    let style = look.theme.border(focused);
    outline(set, style, area, buffer);
    let room = area.width.saturating_sub(4);
    let end = area.right().saturating_sub(2);
    // Where a note has no room the rows themselves say it.
    let fits = paint::width(title) + paint::width(note) + 6 <= room;
    let from = if note.is_empty() || !fits {
        end
    } else {
        paint::right(buffer, end, area.y, room, look.theme.title(focused), &format!(" {note} "))
    };
    // Without line drawing a frame cannot be thick: the title says where the focus is.
    let title = &if look.ascii && focused { format!("[{title}]") } else { title.to_owned() };
    let shown = if past { format!(" {title} (past) ") } else { format!(" {title} ") };
    paint::text(buffer, area.x + 1, area.y, from.saturating_sub(area.x + 2), look.theme.title(focused), &shown);
    Rect { x: area.x + 1, y: area.y + 1, width: area.width.saturating_sub(2), height: area.height.saturating_sub(2) }
}

/// The four sides of an area.
pub(super) fn outline(set: border::Set<'_>, style: ratatui::style::Style, area: Rect, buffer: &mut Buffer) {
    if area.width < 2 || area.height < 2 {
        return;
    }
    let (left, right, top, bottom) = (area.left(), area.right() - 1, area.top(), area.bottom() - 1);
    for x in left + 1..right {
        paint::text(buffer, x, top, 1, style, set.horizontal_top);
        paint::text(buffer, x, bottom, 1, style, set.horizontal_bottom);
    }
    for y in top + 1..bottom {
        paint::text(buffer, left, y, 1, style, set.vertical_left);
        paint::text(buffer, right, y, 1, style, set.vertical_right);
    }
    for (x, y, corner) in
        [(left, top, set.top_left), (right, top, set.top_right), (left, bottom, set.bottom_left), (right, bottom, set.bottom_right)]
    {
        paint::text(buffer, x, y, 1, style, corner);
    }
}

/// The names of all panes where only one is seen.
fn tabs(app: &App, area: Rect, buffer: &mut Buffer) {
    let mut x = area.x + 1;
    for (n, pane) in Pane::ALL.into_iter().enumerate() {
        let focused = pane == app.focus;
        let (open, close) = if focused { ("[", "]") } else { (" ", " ") };
        let text = format!("{open}{} {}{close}", n + 1, pane.name());
        x = paint::text(buffer, x, area.y, area.right().saturating_sub(x), app.look.theme.title(focused), &text) + 1;
    }
}
