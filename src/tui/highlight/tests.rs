//! Colours are right, come soon, and never stand in the way.
#![allow(clippy::unwrap_used)]

use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::parse::Parser;
use super::*;
use crate::tui::theme::Syntax;

fn tokens(hint: &str, text: &str) -> Vec<Vec<(String, Syntax)>> {
    let document = Document::new(text.into());
    let mut parser = Parser::new(document.clone(), &Hint::of(hint)).unwrap();
    let mut lines = Vec::new();
    while let Some(line) = parser.next_line() {
        let text = document.line(line);
        lines.push(parser.step().unwrap().iter().map(|t| (text[t.start as usize..t.end as usize].to_owned(), t.syntax)).collect());
    }
    lines
}

fn has(line: &[(String, Syntax)], text: &str, syntax: Syntax) -> bool {
    line.iter().any(|(part, found)| part.contains(text) && *found == syntax)
}

#[test]
fn code_is_told_apart() {
    let rust = tokens("rs", "// why\nfn add(x: u32) -> bool { x == 42 && true }\nlet s = \"a\\n\";\n");
    assert_eq!(rust[0], [("// why".to_owned(), Syntax::Comment)]);
    assert!(has(&rust[1], "fn", Syntax::Keyword), "{rust:?}");
    assert!(has(&rust[1], "add", Syntax::Function), "{rust:?}");
    assert!(has(&rust[1], "42", Syntax::Number), "{rust:?}");
    assert!(has(&rust[1], "true", Syntax::Constant), "{rust:?}");
    assert!(has(&rust[2], "\"a", Syntax::String), "{rust:?}");
    assert!(has(&rust[2], "\\n", Syntax::Constant), "{rust:?}");
    let json = tokens("json", "{\"key\": [1, null, \"x\"]}");
    assert!(
        has(&json[0], "1", Syntax::Number) && has(&json[0], "null", Syntax::Constant) && has(&json[0], "\"x\"", Syntax::String),
        "{json:?}"
    );
    let python = tokens("py", "def f(x):\n    \"\"\"doc\n    more\"\"\"\n    return x");
    assert!(has(&python[0], "def", Syntax::Keyword), "{python:?}");
    // The state is carried from line to line.
    assert!(has(&python[2], "more", Syntax::Comment) || has(&python[2], "more", Syntax::String), "{python:?}");
}

#[test]
fn a_jump_gives_what_walking_gives() {
    let text: String = (0..3000)
        .map(|n| {
            if n % 10 == 0 {
                "/* a\n"
            } else if n % 10 == 5 {
                "b */\n"
            } else {
                "let x = 1;\n"
            }
        })
        .collect();
    let document = Document::new(text.as_str().into());
    let mut walked = Parser::new(document.clone(), &Hint::of("rs")).unwrap();
    let all: Vec<_> = std::iter::from_fn(|| walked.next_line().and_then(|_| walked.step())).collect();
    for line in [2999, 512, 0, 255, 256, 257, 1500] {
        walked.seek(line);
        let from = walked.next_line().unwrap();
        assert!(from <= line && line - from < 257, "{from} for {line}");
        while walked.next_line() != Some(line) {
            walked.step().unwrap();
        }
        assert_eq!(walked.step().unwrap(), all[line]);
    }
}

fn wait_for(highlighter: &mut Highlighter, woken: &mpsc::Receiver<()>, line: usize) -> Option<Vec<(Range<usize>, Style)>> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let mut styles = Vec::new();
        highlighter.styles(line, 0..100, &Theme::default(), &mut styles);
        if !styles.is_empty() {
            return Some(styles);
        }
        let left = until.checked_duration_since(Instant::now())?;
        if highlighter.worker.is_none() || woken.recv_timeout(left).is_err() {
            return None;
        }
    }
}

fn started(text: &str, hint: &Hint) -> (Highlighter, mpsc::Receiver<()>) {
    let (wake, woken) = mpsc::channel();
    let highlighter = Highlighter::new(&Document::new(text.into()), hint, move || {
        let _ = wake.send(());
    });
    (highlighter, woken)
}

#[test]
fn the_thread_delivers_and_wakes() {
    let (mut highlighter, woken) = started(&"let x = 1;\n".repeat(2000), &Hint::of("rs"));
    for line in [0, 1500, 10] {
        let styles = wait_for(&mut highlighter, &woken, line).unwrap();
        assert_eq!(styles[0], (0..3, Theme::default().syntax(Syntax::Keyword)));
    }
    assert!(highlighter.lines.len() <= KEPT + 2 * MARGIN);
}

#[test]
fn too_large_and_unknown_texts_stay_plain() {
    assert!(started(&"let x = 1;\n".repeat(100_000), &Hint::of("rs")).0.worker.is_none());
    assert!(started("You see a fridge.", &Hint::default()).0.worker.is_none());
    let (mut highlighter, woken) = started("x", &Hint::of("unheard-of"));
    assert_eq!(wait_for(&mut highlighter, &woken, 0), None);
}

#[test]
fn a_hundred_thousand_brackets_do_not_freeze() {
    let one_line = "[".repeat(100_000);
    let many_lines = "[\n".repeat(100_000);
    let nested = format!("{}\n", "[".repeat(9_000)).repeat(20);
    for text in [one_line, many_lines, nested] {
        let (mut highlighter, woken) = started(&text, &Hint::of("json"));
        let begun = Instant::now();
        let mut styles = Vec::new();
        for line in 0..50 {
            highlighter.styles(line, 0..100, &Theme::default(), &mut styles);
        }
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        drop((highlighter, woken));
        // And the thread comes to an end, or gives up, by itself.
        let begun = Instant::now();
        let mut parser = Parser::new(Document::new(text.as_str().into()), &Hint::of("json")).unwrap();
        while parser.next_line().is_some() && parser.step().is_some() {}
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_line_too_long_is_plain_and_the_next_is_not() {
    let lines = tokens("rs", &format!("let a = 1;\nlet b = \"{}\";\nlet c = 2;", "x".repeat(LONGEST_LINE)));
    assert!(lines[1].is_empty());
    assert!(has(&lines[2], "let", Syntax::Keyword));
}
