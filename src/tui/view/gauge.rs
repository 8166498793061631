//! The two gauge rows: how full M is against τ and what it is full of; and what it would be without compressions.
//!
//! Two limits, two names: τ, which is advice and may be passed, and the window, which ends a run.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::memory::{Level, Part};
use crate::session::{Mark, Session};
use crate::tui::app::App;
use crate::tui::theme::{self, Severity};
use crate::tui::{paint, words};

/// One part of a row: where there is no room the later ones go first.
type Pieces = Vec<(Style, String)>;

/// `work`: W against τ with its parts.
pub(super) fn work(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = &app.look.theme;
    let x = paint::text(buffer, area.x + 1, area.y, 6, theme.dim(), "work");
    let x = x + 2;
    let session = app.session();
    let Some(started) = session.started() else {
        paint::text(buffer, x, area.y, 3, theme.dim(), app.look.or("…", "..."));
        return;
    };
    let threshold = started.config.threshold;
    let working = session.context().working();
    // A run of another program has no τ: it is measured against its highest W, which fills the bar, and never warned.
    let (scale, level) = match threshold {
        0 => (app.place.timeline().peak().max(1) * 5 / 4, Level::Ok),
        tau => (tau, crate::memory::ContextStatus::of(session.context(), tau).level()),
    };
    let bar_width = (area.width / 5).clamp(10, 30);
    let x = bar(app, working, scale, level, Rect { x, width: bar_width, ..area }, buffer) + 1;
    let about = if started.config.exact { "" } else { app.look.or("≈", "~") };
    let tau = app.look.or("τ", "tau");
    let limit = if threshold == 0 { app.look.or("–", "-").to_owned() } else { words::thousands(threshold) };
    let number = format!(" {about}{} / {tau} {limit}", words::thousands(working));
    let number_style = theme.strong();
    let x = paint::text(buffer, x, area.y, area.right().saturating_sub(x), number_style, &number);
    let percent = words::percent(working, threshold).map_or(String::new(), |p| format!("  {p} %"));
    let x = paint::text(buffer, x, area.y, area.right().saturating_sub(x), theme.gauge(self::level(level)), &percent);
    let word = match level {
        Level::Ok => "",
        Level::Near => " near",
        Level::Over => " OVER",
    };
    let x = paint::text(buffer, x, area.y, area.right().saturating_sub(x), theme.gauge(self::level(level)), word);
    let x = x + 2;
    let parts = parts(session, area.right().saturating_sub(x + 1), app.look.ascii);
    paint::text(buffer, x, area.y, area.right().saturating_sub(x), theme.dim(), &parts);
}

fn level(level: Level) -> theme::Level {
    match level {
        Level::Ok => theme::Level::Ok,
        Level::Near => theme::Level::Near,
        Level::Over => theme::Level::Over,
    }
}

/// The bar up to 1.25 τ with a tick at τ, and a mark where W is beyond it; the column after it.
fn bar(app: &App, working: u64, threshold: u64, level: Level, area: Rect, buffer: &mut Buffer) -> u16 {
    let look = &app.look;
    let cells = u64::from(area.width.saturating_sub(1)).max(1);
    let tick = cells * 4 / 5;
    // Rounded up: what is not empty shows.
    let filled = if threshold == 0 {
        cells
    } else {
        u64::try_from((u128::from(working) * u128::from(tick)).div_ceil(u128::from(threshold))).unwrap_or(u64::MAX)
    };
    let over = filled > cells;
    let (full, empty) = (look.or("▰", "#"), look.or("▱", "-"));
    for cell in 0..cells {
        let x = area.x + u16::try_from(cell).unwrap_or(0);
        let (style, glyph) = if cell == tick {
            (look.theme.threshold(), look.or("│", "|"))
        } else if over && cell + 1 == cells {
            (look.theme.gauge(self::level(level)), look.or("▶", ">"))
        } else if cell < filled {
            (look.theme.gauge(self::level(level)), full)
        } else {
            (look.theme.gauge_track(), empty)
        };
        paint::text(buffer, x, area.y, 1, style, glyph);
    }
    area.x + u16::try_from(cells).unwrap_or(0)
}

/// `(σ 296 · think 1,902 · …)`: the parts sum to W. Where there is no room the small ones are one.
fn parts(session: &Session, room: u16, ascii: bool) -> String {
    let all = session.context().parts();
    let mut list: Vec<(&str, u64)> = Part::ALL.iter().map(|p| (p.name(), all.get(*p))).filter(|(_, n)| *n > 0).collect();
    if ascii {
        for (name, _) in &mut list {
            if *name == "σ" {
                *name = "sum";
            }
        }
    }
    let mut rest = 0;
    loop {
        let mut text = list.iter().map(|(name, n)| format!("{name} {}", words::thousands(*n))).collect::<Vec<_>>();
        if rest > 0 {
            text.push(format!("rest {}", words::thousands(rest)));
        }
        let text = if text.is_empty() { String::new() } else { format!("({})", text.join(if ascii { " + " } else { " · " })) };
        if paint::width(&text) <= room || list.len() < 2 {
            return if paint::width(&text) <= room { text } else { String::new() };
        }
        let Some(smallest) = list.iter().enumerate().min_by_key(|(_, (_, n))| *n).map(|(i, _)| i) else { return String::new() };
        rest += list.remove(smallest).1;
    }
}

/// `full`: history, what M would be without compressions, ρ, and the limits.
pub(super) fn full(app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let theme = &look.theme;
    let x = paint::text(buffer, area.x + 1, area.y, 6, theme.dim(), "full") + 2;
    let session = app.session();
    let Some(started) = session.started() else {
        paint::text(buffer, x, area.y, 3, theme.dim(), look.or("…", "..."));
        return;
    };
    let config = &started.config;
    let history = (area.width / 5).clamp(10, 30) - 1;
    sparkline(app, config.threshold, Rect { x, width: history, ..area }, buffer);
    let mut x = x + history + 1;
    let about = if config.exact { "" } else { look.or("≈", "~") };
    let (working, full) = (session.context().working(), session.full());
    let tenths = full.saturating_mul(10).checked_div(working);
    let ratio = tenths.map_or("–".to_owned(), |t| format!("{}.{}×", t / 10, t % 10));
    let sigma = session.context().summary().map_or(0, |m| m.tokens);
    let limit = |l: Option<u32>| l.map_or(String::new(), |l| format!("/{}", words::thousands(u64::from(l))));
    let largest = session.archive().all().flat_map(|(_, v)| v).map(|v| v.tokens).max();
    let mut pieces: Pieces = vec![
        (theme.strong(), format!(" {about}{}", words::thousands(full))),
        (theme.text(), format!("{} {ratio}", look.or("ρ", "rho"))),
        (theme.text(), format!("{} {}{}", look.or("σ", "summary"), words::thousands(u64::from(sigma)), limit(config.summary_limit))),
    ];
    let reads = match config.read_budget {
        Some(budget) => format!("reads {}/B{budget} this step, {} in all", session.reads_this_step(), session.reads()),
        None => format!("reads {}", session.reads()),
    };
    pieces.push((theme.text(), reads));
    if let Some(largest) = largest {
        pieces.push((theme.text(), format!("max block {}{}", words::thousands(u64::from(largest)), limit(config.block_limit))));
    }
    let total = session.context().total();
    match config.window {
        Some(window) => {
            let over = total > window;
            let style = if over { theme.notice(Severity::Error) } else { theme.text() };
            let percent = words::percent(total, window).unwrap_or(0);
            let over = if over { " OVER" } else { "" };
            pieces.insert(1, (style, format!("window {}/{} {percent} %{over}", words::thousands(total), words::thousands(window))));
        }
        None => pieces.push((theme.dim(), format!("total {}", words::thousands(total)))),
    }
    if let Some((step, usage)) = session.usage()
        && let Some(prompt) = usage.prompt
    {
        pieces.push((theme.dim(), format!("server t{step}: {}", words::thousands(prompt))));
    }
    for (style, text) in pieces {
        let room = area.right().saturating_sub(x);
        if paint::width(&text) > room {
            break;
        }
        x = paint::text(buffer, x, area.y, room, style, &text) + 2;
    }
}

/// W at the end of each of the last steps, `↓` where a compression was.
fn sparkline(app: &App, threshold: u64, area: Rect, buffer: &mut Buffer) {
    const FINE: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    const PLAIN: [&str; 8] = [".", ".", ":", ":", "-", "=", "+", "#"];
    let look = &app.look;
    let end = app.place.entry() + 1;
    let steps = app.place.timeline().steps().get(..end).unwrap_or(&[]);
    let first = steps.len().saturating_sub(usize::from(area.width));
    let steps = steps.get(first..).unwrap_or(&[]);
    let top = steps.iter().map(|s| s.working).max().unwrap_or(0).max(threshold).max(1);
    for (x, step) in (area.x..).zip(steps) {
        let compressed = step.marks.iter().any(|m| matches!(m, Mark::Compressed(..)));
        let (style, glyph) = if compressed {
            (look.theme.mark(theme::Mark::Compress), look.or("↓", "v"))
        } else {
            let height = usize::try_from(u128::from(step.working) * 7 / u128::from(top)).unwrap_or(7);
            let own = if threshold > 0 && step.working > threshold { theme::Level::Over } else { theme::Level::Ok };
            let glyphs = if look.ascii { &PLAIN } else { &FINE };
            (look.theme.gauge(own), glyphs.get(height).copied().unwrap_or(" "))
        };
        paint::text(buffer, x, area.y, 1, style, glyph);
    }
}
