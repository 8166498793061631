//! The formats: what each is called, how its files are known, and who reads them.

use super::head::Head;
use super::importer::Importer;
use super::records::Layout;
use super::{atif, claude, codex, inspect, mini_swe, openai, openhands, react, segments, sharegpt, swe_agent};

/// A format of trajectories.
#[derive(Clone, Copy)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What wrote it, for lists.
    pub title: &'static str,
    /// Whether its files are plain text, not JSON.
    pub text: bool,
    /// How sure it is that a file is of this format: 0 it is not, 100 nothing else can be.
    pub looks: fn(&Head<'_>) -> u8,
    /// A new reader.
    pub importer: fn() -> Box<dyn Importer>,
}

/// All formats but our own journal.
pub const FORMATS: &[Format] = &[
    Format {
        name: "claude-code",
        title: "Claude Code session",
        text: false,
        looks: claude::looks,
        importer: || Box::<claude::Claude>::default(),
    },
    Format { name: "codex", title: "Codex CLI rollout", text: false, looks: codex::looks, importer: || Box::<codex::Codex>::default() },
    Format {
        name: "swe-agent",
        title: "SWE-agent trajectory",
        text: false,
        looks: swe_agent::looks,
        importer: || Box::<swe_agent::SweAgent>::default(),
    },
    Format {
        name: "mini-swe-agent",
        title: "mini-swe-agent trajectory",
        text: false,
        looks: mini_swe::looks,
        importer: || Box::<mini_swe::MiniSwe>::default(),
    },
    Format { name: "atif", title: "ATIF trajectory", text: false, looks: atif::looks, importer: || Box::<atif::Atif>::default() },
    Format {
        name: "openhands",
        title: "OpenHands events",
        text: false,
        looks: openhands::looks,
        importer: || Box::<openhands::OpenHands>::default(),
    },
    Format {
        name: "inspect",
        title: "Inspect evaluation log",
        text: false,
        looks: inspect::looks,
        importer: || Box::<inspect::Inspect>::default(),
    },
    Format {
        name: "segments",
        title: "segments of Memex(RL)",
        text: false,
        looks: segments::looks,
        importer: || Box::<segments::Segments>::default(),
    },
    Format {
        name: "sharegpt",
        title: "ShareGPT conversations",
        text: false,
        looks: sharegpt::looks,
        importer: || Box::<sharegpt::ShareGpt>::default(),
    },
    Format {
        name: "chatml",
        title: "ChatML text",
        text: true,
        looks: sharegpt::looks_chatml,
        importer: || Box::<sharegpt::ChatMl>::default(),
    },
    Format { name: "react", title: "ReAct text", text: true, looks: react::looks, importer: || Box::<react::React>::default() },
    Format {
        name: "openai",
        title: "OpenAI chat messages",
        text: false,
        looks: openai::looks,
        importer: || Box::<openai::Messages>::default(),
    },
    Format {
        name: "anthropic",
        title: "Anthropic messages",
        text: false,
        looks: openai::looks_anthropic,
        importer: || Box::<openai::Messages>::default(),
    },
];

/// The format of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|f| f.name == name)
}

/// The formats that a file may be of, the likeliest first.
#[must_use]
pub fn candidates(head: &Head<'_>) -> Vec<(&'static Format, u8)> {
    let text = head.layout == Layout::Text;
    let mut list: Vec<_> = FORMATS.iter().filter(|f| f.text == text).map(|f| (f, (f.looks)(head))).filter(|(_, sure)| *sure > 0).collect();
    list.sort_by_key(|(_, sure)| std::cmp::Reverse(*sure));
    list
}
