//! The mouse, where the user has given it to us: the wheel scrolls what is under it, a click selects.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::App;
use crate::tui::overlay::Overlay;
use crate::tui::pane::{Move, Pane};

/// Where things were drawn last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Zones {
    /// The panes that are on the screen, with their insides.
    pub(crate) panes: Vec<(Pane, Rect)>,
    /// The timeline: its area, the first entry drawn, and columns per entry.
    pub(crate) strip: (Rect, usize, u16),
}

impl App {
    pub(super) fn mouse_event(&mut self, event: MouseEvent) -> bool {
        if !self.mouse {
            return false;
        }
        let at = Position::new(event.column, event.row);
        let rows = match event.kind {
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::ScrollUp => -3,
            MouseEventKind::Down(MouseButton::Left) => return self.click(at),
            _ => return false,
        };
        if let Some(overlay) = &mut self.overlay {
            let scroll = match overlay {
                Overlay::Diff(x) => &mut x.scroll,
                Overlay::Help(x) => &mut x.scroll,
                Overlay::Notes(x) => &mut x.scroll,
                _ => return false,
            };
            *scroll = scroll.saturating_add_signed(rows);
            return true;
        }
        let Some((pane, _)) = self.zones.panes.iter().find(|(_, area)| area.contains(at)).copied() else { return false };
        self.move_in(pane, Move::By(rows));
        true
    }

    fn click(&mut self, at: Position) -> bool {
        if self.overlay.is_some() {
            return false;
        }
        let (strip, first, pitch) = self.zones.strip;
        if strip.contains(at) && pitch > 0 {
            let entry = first + usize::from((at.x - strip.x) / pitch);
            if entry < self.place.timeline().steps().len() {
                self.travel(|p| p.entry_at(entry));
            }
            return true;
        }
        let Some((pane, _)) = self.zones.panes.iter().find(|(_, area)| area.contains(at)).copied() else { return false };
        self.focus = pane;
        let session = self.place.shown();
        match pane {
            Pane::Context => self.context.click(session, at.x, at.y),
            Pane::Index => {
                self.index.click(at.x, at.y);
                self.detail.follow(session, self.index.selected());
            }
            Pane::Detail => {}
        }
        true
    }
}
