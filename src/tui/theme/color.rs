//! Colours: reading them, bringing them down to fewer, and whether one can be read on another.

use ratatui::style::Color;

use super::chooser::Depth;

/// The sixteen names, at the places they have in the terminal's table.
const NAMES: [(&str, Color); 17] = [
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("gray", Color::Gray),
    ("dark-gray", Color::DarkGray),
    ("light-red", Color::LightRed),
    ("light-green", Color::LightGreen),
    ("light-yellow", Color::LightYellow),
    ("light-blue", Color::LightBlue),
    ("light-magenta", Color::LightMagenta),
    ("light-cyan", Color::LightCyan),
    ("white", Color::White),
    ("default", Color::Reset),
];

/// xterm's own values of the sixteen, for measuring: users change them.
const XTERM: [[u8; 3]; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

/// `#rrggbb`, `#rgb`, one of the sixteen names, `default`, or a number of the 256.
pub(super) fn parse(text: &str) -> Option<Color> {
    if let Some(hex) = text.strip_prefix('#') {
        if !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(hex, 16).ok()?;
        let [_, r, g, b] = value.to_be_bytes();
        return match hex.len() {
            6 => Some(Color::Rgb(r, g, b)),
            3 => {
                let [x, y, z] = [value >> 8, value >> 4, value].map(|digit| ((digit & 0xF) * 0x11) as u8);
                Some(Color::Rgb(x, y, z))
            }
            _ => None,
        };
    }
    if let Some((_, color)) = NAMES.iter().find(|(name, _)| *name == text) {
        return Some(*color);
    }
    text.parse().ok().map(Color::Indexed)
}

/// Red, green and blue, 0–255; none for the terminal's default, which nobody knows.
pub(super) fn rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(n) => Some(indexed(n)),
        Color::Reset => None,
        named => NAMES.iter().position(|(_, c)| *c == named).and_then(|at| XTERM.get(at)).copied(),
    }
}

/// Values of the table of 256.
fn indexed(n: u8) -> [u8; 3] {
    let level = |step: u8| if step == 0 { 0 } else { 55 + step * 40 };
    match n {
        0..=15 => XTERM[usize::from(n)],
        16..=231 => [level((n - 16) / 36), level((n - 16) / 6 % 6), level((n - 16) % 6)],
        232..=255 => [8 + (n - 232) * 10; 3],
    }
}

/// The nearest colour that a terminal of this depth draws.
pub(super) fn lower(color: Color, depth: Depth) -> Color {
    match (depth, color) {
        (Depth::Mono, _) => Color::Reset,
        (Depth::TrueColor, _) | (_, Color::Reset) => color,
        (Depth::Ansi256, Color::Rgb(..)) => rgb(color).map_or(color, |of| Color::Indexed(nearest(of, 16..=255))),
        (Depth::Ansi16, Color::Rgb(..) | Color::Indexed(_)) => rgb(color).map_or(color, |of| NAMES[usize::from(nearest(of, 0..=15))].1),
        (Depth::Ansi256 | Depth::Ansi16, _) => color,
    }
}

fn nearest(of: [u8; 3], among: std::ops::RangeInclusive<u8>) -> u8 {
    among.min_by_key(|&n| distance(of, indexed(n))).unwrap_or(0)
}

/// Distance that weighs the channels as the eye does at this mean of red (the "redmean" approximation).
fn distance(a: [u8; 3], b: [u8; 3]) -> i64 {
    let [dr, dg, db] = [0, 1, 2].map(|i: usize| i64::from(a[i]) - i64::from(b[i]));
    let mean = (i64::from(a[0]) + i64::from(b[0])) / 2;
    (512 + mean) * dr * dr + 1024 * dg * dg + (767 - mean) * db * db
}

/// Contrast ratio of two colours, 1–21 (WCAG 2.2, 1.4.3).
pub(super) fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let [a, b] = [luminance(a), luminance(b)];
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance(color: [u8; 3]) -> f64 {
    let [r, g, b] = color.map(|channel| {
        let c = f64::from(channel) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// `foreground`, or black or white if it can no longer be read on `background` (after [`lower`]).
pub(super) fn readable(foreground: Color, background: Color) -> Color {
    let (Some(fore), Some(back)) = (rgb(foreground), rgb(background)) else { return foreground };
    if contrast(fore, back) >= 2.0 {
        return foreground;
    }
    if contrast([0; 3], back) > contrast([255; 3], back) { Color::Black } else { Color::White }
}
