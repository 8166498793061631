//! The dialog of a forced compression: the ways, and the preview of what one would do.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::boxes::{dialog, yes_no};
use super::footer::field;
use crate::agent::draft::Range;
use crate::tui::app::App;
use crate::tui::look::Look;
use crate::tui::overlay::force::{Force, Preview, Stage, percent};
use crate::tui::paint;
use crate::tui::theme::{Change, Severity};
use crate::tui::widget::scrollbar;
use crate::tui::words;

type Line = Vec<(Style, String)>;

/// Draws the dialog.
pub(super) fn draw(force: &mut Force, app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let base = look.theme.dialog();
    let range = range_name(force);
    match &mut force.stage {
        Stage::Choose => choose(force, app, area, buffer),
        Stage::Words(input) => {
            let inner = dialog("Ask the agent to compress", "Enter goes on · Esc back", (76, 4), area, buffer, look);
            paint::text(buffer, inner.x, inner.y, inner.width, base, "It is told to call CompressExperience before anything else.");
            paint::text(buffer, inner.x, inner.y + 1, inner.width, base, "Words of your own (may be empty):");
            field(input, true, Rect { y: inner.y + 3, height: 1, ..inner }, buffer, look);
        }
        Stage::Demand(text) => {
            let inner = dialog("Ask the agent to compress", "", (76, 6), area, buffer, look);
            let tokens = app.counter.count(text);
            let said = if text.is_empty() {
                "no words of your own".to_owned()
            } else {
                format!("your words ({}): {text}", words::count(tokens as usize, "token"))
            };
            let lines = [
                "A notice enters the context now; the agent answers it in its next step.".to_owned(),
                said,
                "What it will write is not known before; u takes the compression back.".into(),
            ];
            for (y, line) in (inner.y..).zip(&lines) {
                paint::text(buffer, inner.x, y, inner.width, base, line);
            }
            yes_no(&["y send it", "e edit", "n back"], Rect { y: inner.bottom().saturating_sub(1), height: 1, ..inner }, buffer, look);
        }
        Stage::Preview(preview) => {
            let inner = dialog(&format!("Compress {range}: preview"), "nothing has happened yet", (100, area.height), area, buffer, look);
            let list = preview_lines(preview, app);
            let rest = Rect { height: inner.height.saturating_sub(2), ..inner };
            let height = usize::from(rest.height);
            preview.scroll = preview.scroll.min(list.len().saturating_sub(height));
            for (y, line) in (rest.top()..rest.bottom()).zip(list.iter().skip(preview.scroll)) {
                paint::parts(buffer, rest.x, y, rest.width.saturating_sub(1), line);
            }
            let bar = Rect { x: rest.right().saturating_sub(1), width: 1, ..rest };
            scrollbar::draw(bar, buffer, preview.scroll..preview.scroll + height, list.len(), &look.theme);
            yes_no(&["y compress", "n back", "j/k scroll"], Rect { y: inner.bottom().saturating_sub(1), height: 1, ..inner }, buffer, look);
        }
        Stage::Faults { list, written } => {
            let rows = u16::try_from(list.len() * 2).unwrap_or(20).min(20);
            let inner = dialog("This cannot be carried out", "nothing has happened", (90, rows + 2), area, buffer, look);
            let mut y = inner.y;
            for fault in list {
                let safe = crate::text::sanitize::line(fault);
                for row in crate::text::wrap::rows(&safe, 0..safe.len(), usize::from(inner.width.max(1))) {
                    if y + 1 >= inner.bottom() {
                        break;
                    }
                    paint::text(
                        buffer,
                        inner.x,
                        y,
                        inner.width,
                        base.patch(look.theme.notice(Severity::Error)),
                        safe.get(row).unwrap_or("").trim_end(),
                    );
                    y += 1;
                }
            }
            let answers: &[&str] = if written.is_empty() { &["n back"] } else { &["e edit again", "n back"] };
            yes_no(answers, Rect { y: inner.bottom().saturating_sub(1), height: 1, ..inner }, buffer, look);
        }
    }
}

fn range_name(force: &Force) -> String {
    let here = force.here.as_ref().map_or("here", |(_, name)| name.as_str());
    match force.range {
        Range::All => "everything".into(),
        Range::From(_) => format!("from {here} on"),
        Range::UpTo(_) => format!("up to {here}"),
    }
}

fn choose(force: &Force, app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let base = look.theme.dialog();
    let inner = dialog("Force a compression", "Esc closes", (76, 11), area, buffer, look);
    let key = base.patch(look.theme.key());
    let dim = base.patch(look.theme.dim());
    let here = force.here.as_ref().map_or("the selected message".to_owned(), |(_, name)| name.clone());
    let mark = |on: bool| if on { look.or("◉", "(*)") } else { look.or("○", "( )") };
    let ways = [
        ("a", "ask", "the agent is told to compress, with words of yours"),
        ("v", "verbatim", "no model: each step becomes a block, word for word"),
        ("e", "by hand", "$EDITOR opens a filled-in call"),
    ];
    let mut y = inner.y;
    for (k, name, what) in ways {
        let line: Line = vec![(key, k.to_owned()), (base.patch(look.theme.strong()), format!("  {name:<10}")), (base, what.to_owned())];
        paint::parts(buffer, inner.x, y, inner.width, &line);
        y += 1;
    }
    y += 1;
    paint::text(buffer, inner.x, y, inner.width, dim, "of what (ask always takes everything):");
    y += 1;
    let ranges = [
        ("*", matches!(force.range, Range::All), "everything".to_owned()),
        ("f", matches!(force.range, Range::From(_)), format!("from here on: {here} and what follows")),
        ("u", matches!(force.range, Range::UpTo(_)), format!("up to here: {here} and what stands before")),
    ];
    for (k, on, what) in ranges {
        let style = if on { base.patch(look.theme.strong()) } else { base };
        let line: Line = vec![(key, k.to_owned()), (style, format!("  {} {what}", mark(on)))];
        paint::parts(buffer, inner.x, y, inner.width, &line);
        y += 1;
    }
    y += 1;
    let rest = Rect { y, height: inner.bottom().saturating_sub(y), ..inner };
    paint::wrapped(
        buffer,
        rest,
        dim,
        "Steps are never parted: a call stays with its result. Each way is shown before it is done, and u takes it back.",
    );
}

fn preview_lines(preview: &Preview, app: &App) -> Vec<Line> {
    let look: &Look = &app.look;
    let theme = &look.theme;
    let base = theme.dialog();
    let (strong, dim) = (base.patch(theme.strong()), base.patch(theme.dim()));
    let event = &preview.plan.event;
    let (before, after) = (event.tokens_before, event.tokens_after);
    let severity = if after < before { Severity::Good } else { Severity::Warning };
    let change = words::change(before, after);
    let frees = if after > before { " the context grows" } else { "" };
    let mut list: Vec<Line> = vec![
        vec![
            (base, "working  ".into()),
            (strong, format!("{} {} {}", words::thousands(before), look.or("→", "->"), words::thousands(after))),
            (base.patch(theme.notice(severity)), format!("  ({change}){frees}")),
        ],
        vec![
            (base, "kept word for word in blocks  ".into()),
            (strong, format!("{} %", percent(preview.kept.verbatim, preview.kept.removed))),
            (
                dim,
                format!(
                    "  {} of {} bytes that leave the context",
                    words::thousands(preview.kept.verbatim),
                    words::thousands(preview.kept.removed)
                ),
            ),
        ],
    ];
    let new = event.blocks.iter().filter(|b| b.version == 1).count();
    let overwritten = event.blocks.len() - new;
    let carried = preview.map.indices().filter(|i| event.blocks.iter().all(|b| b.index != **i)).count();
    let mut map = vec![(base, "index map  ".into()), (strong, format!("{new} new"))];
    if overwritten > 0 {
        map.push((
            base.patch(theme.notice(Severity::Warning)),
            format!(" · {overwritten} overwritten (older versions stay readable here)"),
        ));
    }
    map.push((base, format!(" · {carried} carried over")));
    if !preview.dropped.is_empty() {
        let names: Vec<&str> = preview.dropped.iter().map(crate::memory::Index::as_str).collect();
        map.push((base.patch(theme.notice(Severity::Warning)), format!(" · {} dropped: {}", names.len(), names.join(", "))));
    }
    list.push(map);
    let unlisted: Vec<&str> =
        event.blocks.iter().map(|b| &b.index).filter(|i| !preview.map.contains(i)).map(crate::memory::Index::as_str).collect();
    if !unlisted.is_empty() {
        list.push(vec![(base.patch(theme.notice(Severity::Warning)), format!("! stored, not in the summary: {}", unlisted.join(", ")))]);
    }
    if let Some(cut) = &event.cut {
        list.push(vec![(base.patch(theme.notice(Severity::Warning)), format!("! σ is cut: {} of {} tokens", cut.kept, cut.of))]);
    }
    list.push(Line::new());
    list.push(vec![(strong, words::count(event.blocks.len(), "block"))]);
    for block in &event.blocks {
        let version = if block.version > 1 { format!(" v{}", block.version) } else { String::new() };
        list.push(vec![
            (base.patch(theme.diff(Change::Added)), format!("+ {}{version}", crate::text::sanitize::name(block.index.as_str()))),
            (
                dim,
                format!(
                    "  {} · {} tokens · {} bytes",
                    block.kind.name(),
                    words::thousands(u64::from(block.tokens)),
                    words::thousands(block.bytes)
                ),
            ),
        ]);
    }
    list.push(Line::new());
    let limit = app.session().started().and_then(|s| s.config.summary_limit).map_or(String::new(), |l| format!(" / {l}"));
    list.push(vec![(strong, format!("{} {}{limit} tokens", look.or("σ", "summary"), words::thousands(u64::from(event.summary_tokens))))]);
    for line in event.message_text().lines() {
        let safe = crate::text::sanitize::line(line).into_owned();
        for row in crate::text::wrap::rows(&safe, 0..safe.len(), 92) {
            list.push(vec![(base, format!("  {}", safe.get(row).unwrap_or("").trim_end()))]);
        }
    }
    list
}
