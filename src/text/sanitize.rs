//! Foreign text made safe to draw and to print: whatever a model, tool, file or server said, no control character,
//! no reordering and nothing invisible reaches the terminal, and nothing is dropped silently either.
//!
//! Control characters become pictures (`␛`), hidden ones placeholders (`⟨U+202E⟩`). Emoji sequences and combining
//! marks on a base stay as they are. What this cannot see: letters of different scripts that look alike.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::piece::{Piece, Shown, Strictness, pieces};

/// A name on one line (index, tool, file, title): two names that differ in a hidden character, a control character
/// or a kind of blank never come out equal. To be applied once; a second time it spells out its own pictures.
///
/// ```
/// use memex::text::sanitize::name;
/// assert_eq!(name("ctx_1"), "ctx_1");
/// assert_eq!(name("ctx\u{200B}_1"), "ctx⟨U+200B⟩_1");
/// assert_ne!(name("␛"), name("\u{1b}"));
/// ```
#[must_use]
pub fn name(text: &str) -> Cow<'_, str> {
    rewrite(text, Strictness::Name, |_| false)
}

/// One line of running text for cells of the screen: tabs become spaces up to the next stop, `\r` and `\n` pictures.
/// Idempotent.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    rewrite(text, Strictness::Body, |_| false)
}

/// Text of many lines for a terminal's stream (`println!`): `\n` and tabs stay, all else as in [`line()`]. Idempotent.
#[must_use]
pub fn terminal(text: &str) -> Cow<'_, str> {
    let stays = |piece: &Piece<'_>| matches!(piece.shown, Shown::Tab(_) | Shown::Picture('␊'));
    rewrite(text, Strictness::Body, stays)
}

fn rewrite(text: &str, strictness: Strictness, stays: impl Fn(&Piece<'_>) -> bool) -> Cow<'_, str> {
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        // A name's only other rule concerns characters that are not ASCII.
        return Cow::Borrowed(text);
    }
    let same = |piece: &Piece<'_>| matches!(piece.shown, Shown::Text(_)) || stays(piece);
    let Some(first) = pieces(text, strictness).find(|piece| !same(piece)) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first.start]);
    // Walked again from the start: a tab's width depends on what stands before it.
    for piece in pieces(text, strictness).skip_while(|piece| piece.start < first.start) {
        if same(&piece) {
            out.push_str(&text[piece.range()]);
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "{}", piece.shown);
        }
    }
    Cow::Owned(out)
}

/// Whether a character could act on a terminal, or would not be seen there: what [`line()`] replaces when it stands alone.
#[must_use]
pub fn is_unsafe(c: char) -> bool {
    c.is_control() || super::hidden::is_hidden(c)
}

#[cfg(test)]
mod tests;
