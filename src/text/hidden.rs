//! Which characters a reader cannot see, or cannot trust to stay where they are written.
//!
//! Knows single characters only: whether a hidden character is harmless because it belongs to a real emoji is for
//! [`super::sanitize`] to say.
//! Source: Unicode Character Database, properties Default_Ignorable_Code_Point, Bidi_Control and general categories
//! Cc, Cf, Zl, Zp; UTS #51 for emoji.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// ZERO WIDTH JOINER: glues emoji together, and hides in names.
pub(super) const JOINER: char = '\u{200D}';
/// VARIATION SELECTOR-15: asks for the text form of an emoji.
pub(super) const TEXT_FORM: char = '\u{FE0E}';
/// VARIATION SELECTOR-16: asks for the emoji form of a character.
pub(super) const EMOJI_FORM: char = '\u{FE0F}';

/// Whether `c` draws nothing, reorders its neighbours, or is no character at all.
///
/// Controls (Cc) are not meant here: they have pictures of their own, see [`picture`].
pub(super) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{13430}'..='\u{1343F}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}' | '\u{FDD0}'..='\u{FDEF}')
        || (c as u32) & 0xFFFE == 0xFFFE
}

/// Whether `c` looks like a plain space, or like nothing, without being U+0020.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, '\u{2800}') || (c != ' ' && !c.is_control() && c.is_whitespace())
}

/// The visible picture of a control character that has one: C0 and DELETE (U+2400 block).
pub(super) fn picture(c: char) -> Option<char> {
    match c as u32 {
        code @ 0..=0x1F => char::from_u32(0x2400 + code),
        0x7F => Some('\u{2421}'),
        _ => None,
    }
}

/// Whether `c` is itself one of the pictures that stand for controls.
pub(super) fn is_picture(c: char) -> bool {
    matches!(c, '\u{2400}'..='\u{241F}' | '\u{2421}')
}

/// Whether `c` has the property Extended_Pictographic.
///
/// Asked of the segmentation rules, which join two characters over a joiner only if both have it (UAX #29, GB11), so
/// that no second table can disagree with theirs.
pub(super) fn is_pictographic(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    // Marks and modifiers are joined to anything before them; that says nothing of them.
    let pair: String = [c, JOINER, c].iter().collect();
    !joins_before(c) && pair.graphemes(true).nth(1).is_none() && takes_emoji_form(c)
}

/// Whether `c` belongs to what stands before it: a combining mark, a joiner, a modifier of emoji.
pub(super) fn joins_before(c: char) -> bool {
    let mut probe = [b'a', 0, 0, 0, 0];
    let end = 1 + c.encode_utf8(&mut probe[1..]).len();
    std::str::from_utf8(&probe[..end]).is_ok_and(|pair| pair.graphemes(true).nth(1).is_none())
}

/// Whether `c` followed by VARIATION SELECTOR-16 is an emoji presentation sequence.
pub(super) fn takes_emoji_form(c: char) -> bool {
    UnicodeWidthStr::width([c, EMOJI_FORM].iter().collect::<String>().as_str()) == 2
}
