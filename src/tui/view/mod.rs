//! The app as cells. Reads the app, changes nothing but what a frame must remember: where things stand.

mod boxes;
mod dialogs;
mod footer;
mod force;
mod gauge;
mod header;
mod panes;
mod runs;
mod strip;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::app::App;
use super::paint;

/// The least size on which the screen can be read.
const LEAST: (u16, u16) = (60, 15);

/// Draws everything.
pub(crate) fn draw(app: &mut App, buffer: &mut Buffer) {
    let area = buffer.area;
    paint::fill(buffer, area, app.look.theme.screen());
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("memex needs {}×{}, this is {}×{}", LEAST.0, LEAST.1, area.width, area.height);
        paint::text(buffer, area.x, area.y, area.width, app.look.theme.text(), &text);
        app.zones = Default::default();
        return;
    }
    let row = |y: u16| Rect { y: area.y + y, height: 1, ..area };
    header::draw(app, row(0), buffer);
    gauge::work(app, row(1), buffer);
    gauge::full(app, row(2), buffer);
    let asked = u16::from(app.asked());
    let below = area.height - 2 - asked;
    let main = Rect { y: area.y + 3, height: below - 3, ..area };
    panes::draw(app, main, buffer);
    strip::draw(app, row(below), buffer);
    if asked == 1 {
        footer::human(app, row(below + 1), buffer);
    }
    footer::draw(app, row(area.height - 1), buffer);
    dialogs::draw(app, area, buffer);
    if app.look.ascii {
        to_ascii(buffer);
    }
}

/// Signs of our own that have no other spelling where they are made.
const SIGNS: [(&str, &str); 18] = [
    ("┃", "#"),
    ("│", "|"),
    ("─", "-"),
    ("·", "."),
    ("…", "~"),
    ("–", "-"),
    ("−", "-"),
    ("×", "x"),
    ("σ", "s"),
    ("τ", "T"),
    ("≈", "~"),
    ("→", ">"),
    ("◆", "C"),
    ("½", "/"),
    ("↑", "^"),
    ("↓", "v"),
    ("“", "\""),
    ("”", "\""),
];

/// The last pass where only ASCII is wanted. What a message holds stays as it is otherwise.
fn to_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if let Some((_, plain)) = SIGNS.iter().find(|(sign, _)| *sign == cell.symbol()) {
            cell.set_symbol(plain);
        }
    }
}
