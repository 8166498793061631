//! Every embedded theme is whole and can be read; a broken one costs a sentence.
#![allow(clippy::unwrap_used)]

use std::fs;

use ratatui::style::{Color, Modifier};

use super::*;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(format!("{name}.toml")), text).unwrap();
    }
    folder
}

fn messages(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn the_table_is_the_folder() {
    let mut files: Vec<_> = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/themes"))
        .unwrap()
        .map(|e| e.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    files.sort();
    let mut table: Vec<_> = embedded_names().map(str::to_owned).collect();
    table.sort();
    assert_eq!(table, files);
}

#[test]
fn every_theme_says_how_every_role_looks() {
    for name in embedded_names() {
        for depth in [Depth::Mono, Depth::Ansi16, Depth::Ansi256, Depth::TrueColor] {
            let loaded = load(name, None, depth);
            assert_eq!(messages(&loaded), [""; 0]);
            assert_eq!(loaded.theme.name(), name);
        }
        let missing = load::undefined(name);
        assert_eq!(missing, [""; 0], "{name}");
    }
}

/// Foreground and background of each role as they stand on the screen, in red, green and blue.
fn pairs(theme: &Theme) -> Vec<(Role, [u8; 3], [u8; 3])> {
    let screen = theme.screen();
    let shown = |role: &Role| {
        let style = screen.patch(theme.style(*role));
        Some((*role, color::rgb(style.fg?)?, color::rgb(style.bg?)?))
    };
    Role::ALL.iter().filter_map(shown).collect()
}

#[test]
fn every_text_can_be_read_on_what_stands_behind_it() {
    for (name, least) in [("dark", 4.5), ("light", 4.5), ("colour-blind", 4.5), ("high-contrast", 7.0)] {
        let theme = load(name, None, Depth::TrueColor).theme;
        let pairs = pairs(&theme);
        assert_eq!(pairs.len(), Role::ALL.len());
        for (role, fg, bg) in pairs {
            let ratio = color::contrast(fg, bg);
            assert!(ratio >= least, "{name}: {} has {ratio:.2}", role.key());
        }
    }
}

#[test]
fn texts_stay_readable_on_dialogs_and_selections() {
    for (name, least) in [("dark", 4.5), ("light", 4.5), ("colour-blind", 4.5), ("high-contrast", 7.0)] {
        let theme = load(name, None, Depth::TrueColor).theme;
        let bg = color::rgb(theme.dialog().bg.unwrap()).unwrap();
        for (role, fg, own) in pairs(&theme) {
            if own == color::rgb(theme.screen().bg.unwrap()).unwrap() {
                let ratio = color::contrast(fg, bg);
                assert!(ratio >= least, "{name}: {} on a dialog has {ratio:.2}", role.key());
            }
        }
    }
}

#[test]
fn fewer_colours_stay_readable() {
    for name in ["dark", "light", "colour-blind", "high-contrast"] {
        for (depth, least) in [(Depth::Ansi256, 3.0), (Depth::Ansi16, 2.0)] {
            let theme = load(name, None, depth).theme;
            for (role, fg, bg) in pairs(&theme) {
                let ratio = color::contrast(fg, bg);
                assert!(ratio >= least, "{name} at {depth:?}: {} has {ratio:.2}", role.key());
            }
        }
    }
}

#[test]
fn few_colours_are_few() {
    for role in Role::ALL {
        let style = load("dark", None, Depth::Ansi16).theme.style(*role);
        for color in [style.fg, style.bg].into_iter().flatten() {
            assert!(!matches!(color, Color::Rgb(..) | Color::Indexed(_)), "{}", role.key());
        }
        let style = load("dark", None, Depth::Ansi256).theme.style(*role);
        for color in [style.fg, style.bg].into_iter().flatten() {
            assert!(!matches!(color, Color::Rgb(..)), "{}", role.key());
        }
        for name in ["mono", "dark"] {
            let style = load(name, None, Depth::Mono).theme.style(*role);
            assert_eq!((style.fg, style.bg), (None, None), "{}", role.key());
        }
    }
}

#[test]
fn the_terminals_own_colours_never_hide_text_on_its_background() {
    let theme = load("ansi16", None, Depth::Ansi16).theme;
    for role in Role::ALL {
        let style = theme.style(*role);
        assert!(!matches!(style.fg, Some(Color::Black | Color::White | Color::Gray | Color::DarkGray)), "{}", role.key());
    }
}

#[test]
fn a_selection_is_seen_without_colours() {
    for name in ["mono", "ansi16"] {
        let theme = load(name, None, Depth::Mono).theme;
        assert!(theme.selection(true).add_modifier.contains(Modifier::REVERSED));
        assert_ne!(theme.selection(false), theme.text());
        assert_ne!(theme.found(true), theme.found(false));
    }
}

#[test]
fn keys_fall_back_along_their_dots() {
    let dir =
        folder(&[("own", "ui = \"#112233\"\n[gauge]\nover = { fg = \"danger\", modifiers = [\"bold\"] }\n[palette]\ndanger = \"#f00\"")]);
    let loaded = load("own", Some(dir.path()), Depth::TrueColor);
    assert_eq!(messages(&loaded), [""; 0]);
    let theme = loaded.theme;
    assert_eq!(theme.border(true).fg, Some(Color::Rgb(0x11, 0x22, 0x33)));
    assert_eq!(theme.gauge(Level::Over), Style::new().fg(Color::Rgb(255, 0, 0)).add_modifier(Modifier::BOLD));
    assert_eq!(theme.gauge(Level::Ok), Style::new());
}

#[test]
fn a_theme_changes_only_what_it_names() {
    let dir = folder(&[
        ("mine", "inherits = 'dark'\n'role.user' = 'red'\n[palette]\nred = '#ff0000'"),
        ("dark", "inherits = 'dark'\n'role.tool' = '#00ff00'"),
    ]);
    let theme = load("mine", Some(dir.path()), Depth::TrueColor).theme;
    assert_eq!(theme.role(Speaker::User).fg, Some(Color::Rgb(255, 0, 0)));
    // The user's own dark stands between.
    assert_eq!(theme.role(Speaker::Tool).fg, Some(Color::Rgb(0, 255, 0)));
    // The palette's new red reaches what the ancestor named red.
    assert_eq!(theme.index(Reach::Dangling).fg, Some(Color::Rgb(255, 0, 0)));
    assert_eq!(theme.role(Speaker::Summary), Theme::default().role(Speaker::Summary));
    assert_eq!(names(Some(dir.path())), ["dark", "light", "high-contrast", "colour-blind", "ansi16", "mono", "mine"]);
}

#[test]
fn slips_are_told_once_and_cost_nothing_else() {
    let dir = folder(&[(
        "slips",
        "inherits = 'dark'\n'ui.bordr' = 'red'\n'role' = 'rde'\n'gauge.ok' = { fg = '#12345', modifiers = ['blink'] }",
    )]);
    let loaded = load("slips", Some(dir.path()), Depth::TrueColor);
    assert_eq!(
        messages(&loaded),
        [
            "theme slips: ui.bordr: there is no such key; did you mean ui.border?",
            "theme slips: gauge.ok: \"#12345\" is neither a colour nor a name of the palette, left out",
            "theme slips: gauge.ok: \"blink\" is no modifier; there are bold, dim, italic, underlined, reversed, crossed-out",
            "theme slips: role: \"rde\" is neither a colour nor a name of the palette, left out",
        ]
    );
    assert_eq!(loaded.theme.index(Reach::Orphan), Theme::default().index(Reach::Orphan));
}

#[test]
fn what_cannot_be_read_is_the_default_and_a_sentence() {
    let dir = folder(&[
        ("broken", "inherits = 'dark'\n[palette\nred = 1"),
        ("a", "inherits = 'b'"),
        ("b", "inherits = 'a'"),
        ("orphan", "inherits = 'nobody'"),
    ]);
    for (name, part) in [
        ("broken", "line 2: "),
        ("a", "it inherits itself: a → b → a"),
        ("orphan", "there is no theme “nobody”"),
        ("nowhere", "there is no theme “nowhere”; there are dark, light,"),
        ("../broken", "there is no theme “../broken”"),
        ("", "there is no theme “”"),
    ] {
        let loaded = load(name, Some(dir.path()), Depth::TrueColor);
        let messages = messages(&loaded);
        assert!(messages.len() == 1 && messages[0].contains(part) && messages[0].ends_with("; using dark instead"), "{messages:?}");
        assert_eq!(loaded.theme, Theme::default());
    }
    fs::write(dir.path().join("latin.toml"), b"x = \"\xff\"").unwrap();
    assert!(messages(&load("latin", Some(dir.path()), Depth::TrueColor))[0].contains("cannot be read"));
    fs::create_dir(dir.path().join("dir.toml")).unwrap();
    assert!(messages(&load("dir", Some(dir.path()), Depth::TrueColor))[0].contains("is not a file"));
}

#[test]
fn what_the_environment_says() {
    let terminal = |no_color: &str, term: &str, colorterm: &str, colorfgbg: &str| Terminal {
        no_color: Some(no_color.to_owned()),
        term: Some(term.to_owned()),
        colorterm: Some(colorterm.to_owned()),
        colorfgbg: Some(colorfgbg.to_owned()),
    };
    for (of, depth, auto) in [
        (terminal("1", "xterm-256color", "truecolor", ""), Depth::Mono, "mono"),
        (terminal("", "xterm-256color", "truecolor", ""), Depth::TrueColor, "dark"),
        (terminal("", "dumb", "truecolor", ""), Depth::Mono, "mono"),
        (terminal("", "xterm", "", ""), Depth::Ansi16, "ansi16"),
        (terminal("", "screen-256color", "", ""), Depth::Ansi256, "dark"),
        (terminal("", "xterm-kitty", "", ""), Depth::TrueColor, "dark"),
        (terminal("", "xterm-256color", "", "0;15"), Depth::Ansi256, "light"),
        (terminal("", "xterm-256color", "", "15;default;0"), Depth::Ansi256, "dark"),
        (Terminal::default(), Depth::Ansi16, "ansi16"),
    ] {
        assert_eq!(of.depth(), depth, "{of:?}");
        assert_eq!(choose("auto", &of), auto, "{of:?}");
        assert_eq!(choose("light", &of), if depth == Depth::Mono { "mono" } else { "light" });
    }
}

#[test]
fn colours_are_read_and_measured() {
    for (text, color) in [
        ("#0a141e", Some(Color::Rgb(10, 20, 30))),
        ("#fa3", Some(Color::Rgb(0xff, 0xaa, 0x33))),
        ("light-red", Some(Color::LightRed)),
        ("default", Some(Color::Reset)),
        ("208", Some(Color::Indexed(208))),
        ("256", None),
        ("#12", None),
        ("#+12345", None),
        ("reddish", None),
    ] {
        assert_eq!(color::parse(text), color, "{text}");
    }
    // WCAG's own corner: black on white is 21:1; #767676 on white is the well-known 4.54.
    assert!((color::contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
    assert!((color::contrast([0x76; 3], [255; 3]) - 4.54).abs() < 0.005);
    assert_eq!(color::lower(Color::Rgb(255, 0, 0), Depth::Ansi16), Color::LightRed);
    assert_eq!(color::lower(Color::Rgb(95, 135, 175), Depth::Ansi256), Color::Indexed(67));
    assert_eq!(color::lower(Color::Rgb(8, 8, 8), Depth::Ansi256), Color::Indexed(232));
}
