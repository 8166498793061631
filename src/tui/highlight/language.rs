//! Which language a text is in: from its name where there is one, otherwise from its first line.

use std::sync::OnceLock;

use syntect::parsing::{SyntaxReference, SyntaxSet};

/// What is known about where a text comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint {
    /// A path or file name, or a bare extension or language name as after the fence of a code block.
    pub name: Option<String>,
}

impl Hint {
    /// A hint from a path, file name, extension or language name.
    #[must_use]
    pub fn of(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()) }
    }

    /// Whether it can be told without any grammar that the text is no code: then no thread is started for it.
    pub(super) fn is_plain(&self, first_line: &str) -> bool {
        self.name.is_none() && guess(first_line).is_none()
    }
}

/// The grammars, loaded when first asked for: tens of milliseconds, so never on the thread that draws.
pub(super) fn grammars() -> &'static SyntaxSet {
    static GRAMMARS: OnceLock<SyntaxSet> = OnceLock::new();
    GRAMMARS.get_or_init(SyntaxSet::load_defaults_newlines)
}

/// The grammar for a text; none where it is plain.
pub(super) fn grammar(hint: &Hint, first_line: &str) -> Option<&'static SyntaxReference> {
    let set = grammars();
    let named = hint.name.as_deref().and_then(|name| {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let extension = file.rsplit_once('.').map_or(file, |(_, extension)| extension);
        set.find_syntax_by_token(file).or_else(|| set.find_syntax_by_token(&extension.to_lowercase()))
    });
    named.or_else(|| set.find_syntax_by_token(guess(first_line)?)).filter(|syntax| syntax.name != set.find_syntax_plain_text().name)
}

/// The token of a language, from the first line of a text.
fn guess(line: &str) -> Option<&'static str> {
    let line = line.trim_start_matches('\u{FEFF}').trim();
    if let Some(shebang) = line.strip_prefix("#!") {
        const PROGRAMS: [(&str, &str); 9] = [
            ("python", "py"),
            ("bash", "sh"),
            ("zsh", "sh"),
            ("node", "js"),
            ("ruby", "rb"),
            ("perl", "pl"),
            ("php", "php"),
            ("lua", "lua"),
            ("sh", "sh"),
        ];
        return PROGRAMS.iter().find(|(program, _)| shebang.contains(program)).map(|(_, token)| *token);
    }
    const STARTS: [(&str, &str); 21] = [
        ("<?xml", "xml"),
        ("<?php", "php"),
        ("<!doctype html", "html"),
        ("<html", "html"),
        ("diff --git ", "diff"),
        ("--- a/", "diff"),
        ("@@ -", "diff"),
        ("use std::", "rs"),
        ("//! ", "rs"),
        ("fn ", "rs"),
        ("pub ", "rs"),
        ("#include", "c"),
        ("package main", "go"),
        ("def ", "py"),
        ("from __future__", "py"),
        ("class ", "py"),
        ("\"\"\"", "py"),
        ("# ", "md"),
        ("```", "md"),
        ("select ", "sql"),
        ("---", "yaml"),
    ];
    let lower = line.get(..line.floor_char_boundary(32)).unwrap_or_default().to_lowercase();
    if let Some((_, token)) = STARTS.iter().find(|(start, _)| lower.starts_with(start)) {
        // A rule of Markdown, and a line of dashes that programs print, are no YAML.
        return (*token != "yaml" || line == "---").then_some(token);
    }
    // `[31mred` or `[1] done` are no JSON: after the bracket comes a value, or nothing.
    let json = match line.as_bytes() {
        [b'{'] | [b'['] | [b'{', b'}'] => true,
        [b'{', rest @ ..] => matches!(rest.trim_ascii_start().first(), Some(b'"')),
        [b'[', rest @ ..] => matches!(rest.trim_ascii_start().first(), Some(b'"' | b'{' | b'[')),
        _ => false,
    };
    json.then_some("json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(hint: Option<&str>, line: &str) -> Option<&'static str> {
        grammar(&Hint { name: hint.map(str::to_owned) }, line).map(|syntax| syntax.name.as_str())
    }

    #[test]
    fn names_go_before_first_lines() {
        for (hint, line, language) in [
            (Some("src/main.rs"), "", Some("Rust")),
            (Some("rust"), "", Some("Rust")),
            (Some("C:\\x\\a.PY"), "", Some("Python")),
            (Some("Makefile"), "", Some("Makefile")),
            (Some("notes.unheard"), "{\"a\": 1}", Some("JSON")),
            (Some("a.txt"), "You see a fridge.", None),
            (None, "#!/usr/bin/env python3", Some("Python")),
            (None, "#!/bin/sh", Some("Bourne Again Shell (bash)")),
            (None, "  {\"a\": 1}", Some("JSON")),
            (None, "[", Some("JSON")),
            (None, "diff --git a/x b/x", Some("Diff")),
            (None, "<?xml version='1.0'?>", Some("XML")),
            (None, "[31mred", None),
            (None, "[1] done", None),
            (None, "------", None),
            (None, "You are in the middle of a room.", None),
            (None, "", None),
            (None, "語語語語語語語語語語語語語語", None),
        ] {
            assert_eq!(name(hint, line), language, "{hint:?} {line:?}");
        }
    }
}
