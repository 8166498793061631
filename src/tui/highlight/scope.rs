//! What the names of the grammars' scopes mean in roles of the theme.

use std::collections::HashMap;
use std::sync::OnceLock;

use syntect::parsing::Scope;

use crate::tui::theme::Syntax;

/// Beginnings of scope names (<https://www.sublimetext.com/docs/scope_naming.html>); the first that fits counts.
const MEANINGS: &[(&str, Syntax)] = &[
    ("comment", Syntax::Comment),
    ("punctuation.definition.comment", Syntax::Comment),
    ("punctuation.definition.string", Syntax::String),
    ("constant.numeric", Syntax::Number),
    ("constant.character.escape", Syntax::Constant),
    ("constant", Syntax::Constant),
    ("string.other.link", Syntax::Link),
    ("string", Syntax::String),
    ("keyword.operator", Syntax::Operator),
    ("keyword", Syntax::Keyword),
    ("storage.type.numeric", Syntax::Type),
    ("storage", Syntax::Keyword),
    ("entity.name.tag", Syntax::Tag),
    ("entity.name.section", Syntax::Heading),
    ("entity.name.function", Syntax::Function),
    ("entity.name", Syntax::Type),
    ("entity.other.attribute-name", Syntax::Attribute),
    ("entity.other.inherited-class", Syntax::Type),
    ("support.function", Syntax::Function),
    ("support.macro", Syntax::Function),
    ("support.type.property-name", Syntax::Attribute),
    ("support.constant", Syntax::Constant),
    ("support", Syntax::Type),
    ("variable.function", Syntax::Function),
    ("variable.language", Syntax::Constant),
    ("variable", Syntax::Variable),
    ("markup.heading", Syntax::Heading),
    ("markup.underline.link", Syntax::Link),
    ("markup.inserted", Syntax::String),
    ("markup.deleted", Syntax::Tag),
    ("markup.raw", Syntax::String),
    ("markup.bold", Syntax::Emphasis),
    ("markup.italic", Syntax::Emphasis),
    ("markup.quote", Syntax::Comment),
    ("meta.diff.range", Syntax::Function),
    ("meta.diff.header", Syntax::Keyword),
    ("invalid", Syntax::Invalid),
    ("punctuation", Syntax::Punctuation),
];

/// Remembers what it once found out.
#[derive(Debug, Default)]
pub(super) struct Meanings(HashMap<Scope, Option<Syntax>>);

impl Meanings {
    /// What a text inside these scopes is, the innermost that means something deciding.
    pub(super) fn of(&mut self, scopes: &[Scope]) -> Option<Syntax> {
        scopes.iter().rev().find_map(|scope| *self.0.entry(*scope).or_insert_with(|| meaning(*scope)))
    }
}

fn meaning(scope: Scope) -> Option<Syntax> {
    static TABLE: OnceLock<Vec<(Scope, Syntax)>> = OnceLock::new();
    let table =
        TABLE.get_or_init(|| MEANINGS.iter().filter_map(|(name, syntax)| Scope::new(name).ok().map(|scope| (scope, *syntax))).collect());
    table.iter().find(|(known, _)| known.is_prefix_of(scope)).map(|(_, syntax)| *syntax)
}
