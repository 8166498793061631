//! The house's own rules, read off the source: which room may use which, what the pure rooms must not touch,
//! file heads and lengths.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::UseTree;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Room → rooms it may use. Arrows point one way.
const ROOMS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("memory", &["text"]),
    ("session", &["memory", "text"]),
    ("trajectory", &["session", "memory", "text"]),
    ("store", &["session", "memory", "text"]),
    ("env", &["session", "memory", "text"]),
    ("policy", &["session", "memory", "env", "text"]),
    ("agent", &["store", "policy", "env", "session", "memory", "text"]),
    ("config", &[]),
    ("tui", &["trajectory", "agent", "store", "policy", "session", "memory", "text"]),
    ("cli", &["trajectory", "tui", "agent", "store", "policy", "env", "session", "memory", "text", "config"]),
];

/// Crate → rooms in which it may be named.
const CRATES: &[(&str, &[&str])] = &[
    ("ratatui", &["tui"]),
    ("crossterm", &["tui"]),
    ("syntect", &["tui"]),
    ("reqwest", &["policy"]),
    ("sled", &["store"]),
    ("clap", &["cli"]),
    ("zip", &["trajectory"]),
    ("tokio", &["store", "policy", "env", "agent", "tui", "cli"]),
];

/// Longest file, in lines.
const LONGEST: usize = 600;

type Name = Vec<String>;

/// Every path a file names, with its line; `use` groups flattened, test modules left out.
struct Names(Vec<(Name, usize)>);

impl Names {
    fn tree(&mut self, at: &mut Name, tree: &UseTree) {
        let mut take = |mut name: Name, ident: String, line| {
            name.push(ident);
            self.0.push((name, line));
        };
        match tree {
            UseTree::Path(p) => {
                at.push(p.ident.to_string());
                self.tree(at, &p.tree);
                at.pop();
            }
            UseTree::Name(n) => take(at.clone(), n.ident.to_string(), n.span().start().line),
            UseTree::Rename(n) => take(at.clone(), n.ident.to_string(), n.span().start().line),
            UseTree::Glob(g) => self.0.push((at.clone(), g.span().start().line)),
            UseTree::Group(g) => g.items.iter().for_each(|i| self.tree(at, i)),
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| a.path().is_ident("cfg") && a.meta.require_list().is_ok_and(|l| l.tokens.to_string() == "test"))
}

impl<'a> Visit<'a> for Names {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.tree(&mut vec![], &item.tree);
    }
    fn visit_path(&mut self, path: &'a syn::Path) {
        self.0.push((path.segments.iter().map(|s| s.ident.to_string()).collect(), path.span().start().line));
        visit::visit_path(self, path);
    }
    fn visit_macro(&mut self, mac: &'a syn::Macro) {
        // Tokens of a macro are not parsed as paths: look for `crate :: x` in them.
        let text: String = mac.tokens.to_string().split_whitespace().collect();
        for part in text.split("crate::").skip(1) {
            let end = part.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(part.len());
            let mut name = vec!["crate".to_owned()];
            name.extend(part[..end].split("::").filter(|s| !s.is_empty()).map(String::from));
            self.0.push((name, mac.span().start().line));
        }
        visit::visit_macro(self, mac);
    }
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(dir).unwrap().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|x| x == "rs") && path.file_stem().unwrap() != "tests" {
            out.push(path);
        }
    }
}

fn module_of(root: &Path, path: &Path) -> Name {
    let mut name: Name = path.strip_prefix(root).unwrap().with_extension("").iter().map(|s| s.to_string_lossy().into()).collect();
    if matches!(name.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        name.pop();
    }
    name
}

/// crate::/self::/super:: made absolute; `None` for other crates and local names.
fn absolute(at: &Name, name: &Name) -> Option<Name> {
    let mut base = match name.first()?.as_str() {
        "crate" => vec![],
        "self" => at.clone(),
        "super" => {
            let mut parent = at.clone();
            parent.pop();
            parent
        }
        _ => return None,
    };
    let mut rest = &name[1..];
    while rest.first().is_some_and(|s| s == "super") {
        base.pop();
        rest = &rest[1..];
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// What is wrong with a source tree.
fn faults(root: &Path) -> Vec<String> {
    let mut list = vec![];
    files(root, &mut list);
    let known: BTreeSet<Name> = list.iter().map(|p| module_of(root, p)).collect();
    let (mut bad, mut graph) = (vec![], BTreeMap::<Name, BTreeSet<Name>>::new());
    for path in &list {
        let at = module_of(root, path);
        let source = fs::read_to_string(path).unwrap();
        if !source.starts_with("//!") {
            bad.push(format!("{}: does not begin with what it is (//!)", path.display()));
        }
        if source.lines().count() > LONGEST {
            bad.push(format!("{}: {} lines, {LONGEST} are allowed", path.display(), source.lines().count()));
        }
        let mut names = Names(vec![]);
        names.visit_file(&syn::parse_file(&source).unwrap());
        let Some(own) = at.first() else { continue };
        let room = ROOMS.iter().find(|r| r.0 == own);
        if room.is_none() {
            bad.push(format!("{}: the room {own} is not in the table", path.display()));
        }
        for (name, line) in names.0 {
            if let Some((name, allowed)) = name.first().and_then(|first| CRATES.iter().find(|c| c.0 == first))
                && !allowed.contains(&own.as_str())
            {
                bad.push(format!("{}:{line}: {own} must not name {name}", path.display()));
            }
            let Some(to) = absolute(&at, &name) else { continue };
            if let (Some((_, allowed)), Some(target)) = (room, to.first())
                && target != own
                && ROOMS.iter().any(|r| r.0 == target)
                && !allowed.contains(&target.as_str())
            {
                bad.push(format!("{}:{line}: {own} must not use {target}", path.display()));
            }
            let file = (1..=to.len()).rev().map(|n| to[..n].to_vec()).find(|n| known.contains(n));
            // A folder's page names its files; that is no circle.
            if let Some(file) = file.filter(|f| *f != at && f.len() > 1 && at.len() > 1) {
                graph.entry(at.clone()).or_default().insert(file);
            }
        }
    }
    let folders: BTreeSet<&Name> = known.iter().filter(|k| known.iter().any(|o| o.len() > k.len() && o.starts_with(k))).collect();
    for start in graph.keys().filter(|k| !folders.contains(k)) {
        let (mut seen, mut todo) = (BTreeSet::new(), graph[start].iter().collect::<Vec<_>>());
        while let Some(n) = todo.pop() {
            if !folders.contains(n) && seen.insert(n) {
                todo.extend(graph.get(n).into_iter().flatten());
            }
        }
        if seen.contains(start) {
            bad.push(format!("circle through {}", start.join("::")));
        }
    }
    bad.sort();
    bad.dedup();
    bad
}

#[test]
fn arrows_point_one_way() {
    let bad = faults(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(bad.is_empty(), "\n{}", bad.join("\n"));
}

#[test]
fn the_check_sees_what_it_should() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("memory/mod.rs", "//! x\nuse crate::{agent::X, text};\n");
    write("memory/a.rs", "//! x\nuse super::b;\nfn f() { println!(\"{}\", crate::store::x()); }\n");
    write("memory/b.rs", "//! x\nuse super::a::f;\nuse super::super::policy::P;\n");
    write("text/mod.rs", "use tokio::sync::Mutex;\n#[cfg(test)]\nmod tests { use crate::cli::x; }\n");
    write("attic/mod.rs", "//! x\n");
    write("agent/mod.rs", "//! crate::cli is only spoken of\n");
    let bad = faults(dir.path()).join("\n");
    for part in [
        "memory must not use agent",
        "memory must not use store",
        "memory must not use policy",
        "circle through memory::a",
        "text must not name tokio",
        "does not begin with",
        "room attic",
    ] {
        assert!(bad.contains(part), "{part} in\n{bad}");
    }
    assert_eq!(bad.lines().count(), 8, "{bad}");
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let listed = std::process::Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).current_dir(&root).output();
    let Ok(listed) = listed else { return };
    // Put together here, so that this file does not hold them.
    let words = [["/wo", "rk/"].concat(), ["/ro", "ot/"].concat(), ["crates.io/", "api"].concat()];
    for name in String::from_utf8_lossy(&listed.stdout).lines().filter(|n| *n != "Cargo.lock") {
        let Ok(text) = fs::read_to_string(root.join(name)) else { continue };
        for word in &words {
            assert!(!text.contains(word.as_str()), "{name} names {word}");
        }
    }
}
