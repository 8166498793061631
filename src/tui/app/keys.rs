//! Where a key goes: to what lies on top, else to the human's line, else to the keymap.

use crossterm::event::{Event, KeyCode, KeyEvent};

use super::App;
use crate::policy::human;
use crate::tui::command::CommandId;
use crate::tui::effect::Effect;
use crate::tui::keys::Key;
use crate::tui::overlay::{Overlay, Reply};
use crate::tui::theme::Severity;

impl App {
    /// Takes an event of the terminal. False when it changes nothing that is drawn.
    pub(crate) fn input(&mut self, event: Event) -> bool {
        match event {
            Event::Key(key) => self.key_event(key),
            Event::Paste(text) => self.paste(&text),
            Event::Mouse(mouse) => self.mouse_event(mouse),
            Event::Resize(..) => true,
            Event::FocusGained | Event::FocusLost => false,
        }
    }

    fn key_event(&mut self, event: KeyEvent) -> bool {
        let Some(key) = Key::pressed(&event) else { return false };
        self.key(key);
        true
    }

    /// Takes a key.
    pub(crate) fn key(&mut self, key: Key) {
        // What was said in passing is read by now; it can be read again in the list.
        self.notice = None;
        let typing = self.typing();
        let command = self.keymap.command(key, typing);
        match command.filter(|c| c.command().scope == crate::tui::command::Scope::Always) {
            Some(CommandId::Back) => return self.back(),
            Some(always) => return self.obey(always),
            None => {}
        }
        if let Some(overlay) = &mut self.overlay {
            let session = self.place.shown();
            let reply = match overlay {
                Overlay::Help(x) => x.key(key),
                Overlay::Palette(x) => x.key(key),
                Overlay::Confirm(x) => x.key(key),
                Overlay::Force(x) => x.key(key, session, &*self.counter),
                Overlay::Diff(x) => {
                    if command == Some(CommandId::DiffCompression) {
                        return self.diff();
                    }
                    x.key(key)
                }
                Overlay::Themes(x) => x.key(key),
                Overlay::Prompt(x) => x.key(key),
                Overlay::Notes(x) => x.key(key),
                Overlay::Runs(x) => x.key(key),
            };
            self.reply(reply);
            return;
        }
        if typing {
            return self.human_key(key);
        }
        if let Some(command) = command {
            self.obey(command);
        }
    }

    fn reply(&mut self, reply: Reply) {
        match reply {
            Reply::Stay => self.theme_shown(),
            Reply::Say(text) => self.say(Severity::Info, text),
            Reply::Close => self.overlay = None,
            Reply::Do(effects) => {
                // An editor is opened from its dialog and comes back to it.
                if !effects.iter().any(|e| matches!(e, Effect::Edit { .. })) {
                    self.overlay = None;
                }
                self.effects.extend(effects);
            }
            Reply::Obey(command) => {
                self.overlay = None;
                self.obey(command);
            }
            Reply::Find(query) => {
                self.overlay = None;
                self.find(&query);
            }
            Reply::Run(run) => {
                self.overlay = None;
                self.switch_run(run);
            }
        }
    }

    /// `Esc`: closes what was opened last, one thing at a time. Never leaves.
    fn back(&mut self) {
        let typing = self.typing();
        match &mut self.overlay {
            Some(Overlay::Force(force)) => {
                let reply = force.back();
                self.reply(reply);
            }
            Some(Overlay::Themes(themes)) => {
                themes.selected = themes.before;
                self.theme_shown();
                self.overlay = None;
            }
            Some(_) => self.overlay = None,
            None if typing => {
                if let Some(line) = &mut self.human {
                    line.focused = false;
                }
            }
            None if self.wanted.take().is_some() => self.say(Severity::Info, "the compression is not opened"),
            None if self.zoom != crate::tui::pane::Zoom::Normal => self.zoom = crate::tui::pane::Zoom::Normal,
            None if self.search.finder.is_some() => self.search.finder = None,
            None => {}
        }
    }

    fn paste(&mut self, text: &str) -> bool {
        let typing = self.typing();
        match &mut self.overlay {
            Some(Overlay::Help(x)) => x.filter.insert(text),
            Some(Overlay::Palette(x)) => x.input.insert(text),
            Some(Overlay::Prompt(x)) => x.input.insert(text),
            Some(Overlay::Force(x)) => x.paste(text),
            Some(_) => return false,
            None if typing => {
                if let Some(line) = &mut self.human {
                    line.input.insert(text);
                }
            }
            // A paste is text, never a row of commands.
            None => return false,
        }
        true
    }

    /// A key in the line where a human plays the policy.
    fn human_key(&mut self, key: Key) {
        let session = self.place.timeline().tail();
        let tools = session.started().map(|s| std::sync::Arc::clone(&s.tools)).unwrap_or_default();
        let indices: Vec<&str> = session.archive().indices().map(crate::memory::Index::as_str).collect();
        let Some(line) = &mut self.human else { return };
        match key.code() {
            KeyCode::Enter => match human::parse_line(line.input.text(), &tools) {
                Ok(call) => {
                    line.input.set("");
                    line.offered = Default::default();
                    self.effects.push(Effect::Answer(human::turn(call)));
                }
                Err(why) => self.say(Severity::Warning, why),
            },
            KeyCode::Tab => {
                let completion = human::complete(line.input.text(), line.input.cursor(), &tools, &indices);
                let (offered, taken) = &mut line.offered;
                // A second Tab behind what the first one put there takes the next.
                let again = offered.len() > 1 && offered.get(*taken).is_some_and(|o| line.input.split().0.trim_end().ends_with(o.as_str()));
                if again {
                    let old = offered.get(*taken).cloned().unwrap_or_default();
                    *taken = (*taken + 1) % offered.len();
                    let new = offered.get(*taken).cloned().unwrap_or_default();
                    let before = line.input.split().0.trim_end().strip_suffix(old.as_str()).unwrap_or("").to_owned();
                    line.input.set(&format!("{before}{new} "));
                    return;
                }
                if let Some(first) = completion.candidates.first() {
                    let text = line.input.text();
                    let head = text.get(..completion.replace.start).unwrap_or("");
                    let filled = format!("{head}{first} ");
                    *offered = completion.candidates.clone();
                    *taken = 0;
                    line.input.set(&filled);
                }
            }
            _ => {
                line.input.key(key);
            }
        }
    }
}
