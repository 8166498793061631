//! The app without a terminal: keys in, effects out, frames as text.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod keys;
mod made;
mod screens;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::app::{App, Kind};
use super::keys::Keymap;
use super::look::Look;
use super::theme::Depth;
use super::view;
use crate::agent::Update;
use crate::session::Envelope;
use crate::text::tokens::Estimate;

/// An app over a made session, with its agent paused.
fn app(kind: Kind, events: &[Arc<Envelope>]) -> App {
    let (look, warnings) = Look::new("dark", None, Depth::TrueColor, false);
    assert!(warnings.is_empty());
    let mut app = App::new(kind, "made by hand".into(), Keymap::default(), look, Arc::new(Estimate));
    for event in events {
        app.hear(Update::Recorded(Arc::clone(event)));
    }
    app.notice = None;
    app
}

/// Presses keys: `jj<enter>C`.
fn press(app: &mut App, keys: &str) {
    let mut rest = keys;
    while let Some(c) = rest.chars().next() {
        let (name, after) = match rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
            Some((name, after)) => (name.to_owned(), after),
            None => (c.to_string(), &rest[c.len_utf8()..]),
        };
        app.key(if name == " " { "space".parse().unwrap() } else { name.parse().unwrap() });
        rest = after;
    }
}

/// The frame at a size.
fn frame(app: &mut App, width: u16, height: u16) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    view::draw(app, &mut buffer);
    buffer
}

/// The frame as lines of text.
fn text(app: &mut App, width: u16, height: u16) -> String {
    let buffer = frame(app, width, height);
    let mut out = String::new();
    for y in 0..height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..width {
            let symbol = buffer[(x, y)].symbol();
            if skip == 0 {
                line += symbol;
            }
            skip = usize::max(skip, unicode_width::UnicodeWidthStr::width(symbol)).saturating_sub(1);
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}
