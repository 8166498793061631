//! The arguments, with the texts that `--help` shows.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::config::Flags;
use crate::session::MemoryMode;

/// A terminal debugger for agent memory: watch an agent fill its context, compress it into indexed blocks, and read them back.
///
/// Without a command, `memex demo` is shown: a household game, played by a scripted agent. No network, no key, no file.
#[derive(Debug, Parser)]
#[command(name = "memex", version, about, long_about, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub(super) general: General,
    #[command(flatten)]
    pub(super) show: Show,
    #[command(subcommand)]
    command: Option<Command>,
}

impl Cli {
    /// The command; the demo where none is named.
    ///
    /// # Errors
    /// A sentence when options of the demo stand before another command.
    pub(super) fn command(self) -> Result<Command, String> {
        match self.command {
            None => Ok(Command::Demo(DemoArgs { show: self.show, game: None })),
            Some(command) if self.show == Show::default() => Ok(command),
            Some(_) => Err("--headless, --json, --autoplay and --speed stand behind the command".into()),
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct General {
    /// Directory for everything that is written (sessions, logs) [env: MEMEX_DATA_DIR]
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Config file to read instead of the usual one [env: MEMEX_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Theme: auto, or a name that `memex themes` lists [env: MEMEX_THEME]
    #[arg(long, global = true, value_name = "NAME")]
    theme: Option<String>,
    /// Draw with ASCII characters only
    #[arg(long, global = true)]
    ascii: bool,
    /// Capture the mouse from the start (`M` toggles)
    #[arg(long, global = true)]
    mouse: bool,
    /// Token counter: o200k, estimate; if built in: cl100k, a tokenizer.json [env: MEMEX_TOKENIZER]
    #[arg(long, global = true, value_name = "NAME|FILE")]
    tokenizer: Option<String>,
}

impl General {
    pub(super) fn flags(&self) -> Flags {
        Flags {
            config: self.config.clone(),
            data_dir: self.data_dir.clone(),
            theme: self.theme.clone(),
            ascii: self.ascii,
            mouse: self.mouse,
            tokenizer: self.tokenizer.clone(),
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Play the built-in household game with the scripted agent (the default)
    Demo(DemoArgs),
    /// Run a policy in an environment
    Run(Box<RunArgs>),
    /// Open a recorded session: a journal file, a session's id, or its directory
    Replay(ReplayArgs),
    /// Go on with an interrupted session
    Resume(ResumeArgs),
    /// List the recorded sessions
    Sessions(SessionsArgs),
    /// Look into the archived blocks of a session
    Store(StoreArgs),
    /// List the themes, or check them
    Themes(ThemesArgs),
    /// Print the keys
    Keys,
    /// Print every setting and where it came from
    Config,
}

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(super) struct Show {
    /// No screen: play to the end and print what happens
    #[arg(long)]
    pub(super) headless: bool,
    /// With --headless: print events as JSON lines
    #[arg(long, requires = "headless")]
    pub(super) json: bool,
    /// Start running at once
    #[arg(long)]
    pub(super) autoplay: bool,
    /// Speed of a running demo or replay: 2 is twice as fast, 0 without pauses
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    pub(super) speed: Option<f64>,
}

#[derive(Debug, Default, Args)]
pub(super) struct DemoArgs {
    #[command(flatten)]
    pub(super) show: Show,
    /// Another of the built-in games (`memex run --game list` names them)
    #[arg(long, value_name = "NAME")]
    pub(super) game: Option<String>,
}

/// What the household shows of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Names {
    /// `cabinet 3`
    #[default]
    Readable,
    /// The identifiers of the game file
    Raw,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Who answers: expert (scripted, household only), script:FILE, human, or openai
    #[arg(long, default_value = "expert", value_name = "POLICY", help_heading = "Policy")]
    pub(super) policy: String,
    /// Base URL of an OpenAI-compatible server [env: OPENAI_BASE_URL]
    #[arg(long, value_name = "URL", help_heading = "Policy")]
    pub(super) base_url: Option<String>,
    /// Model to ask [env: MEMEX_MODEL]
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub(super) model: Option<String>,
    /// Environment variable that holds the key [default: OPENAI_API_KEY]
    #[arg(long, value_name = "VARIABLE", help_heading = "Policy")]
    pub(super) api_key_env: Option<String>,
    /// File that holds the key
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub(super) api_key_file: Option<PathBuf>,
    /// Most tokens of one answer
    #[arg(long, value_name = "TOKENS", help_heading = "Policy")]
    pub(super) max_tokens: Option<u32>,
    /// Sampling temperature
    #[arg(long, value_name = "T", help_heading = "Policy")]
    pub(super) temperature: Option<f64>,

    /// The world: household
    #[arg(long, default_value = "household", value_name = "NAME", help_heading = "Environment")]
    pub(super) env: String,
    /// A game file (game.tw-pddl), builtin, builtin:NAME, or list
    #[arg(long, default_value = "builtin", value_name = "GAME", help_heading = "Environment")]
    pub(super) game: String,
    /// Play the ordinary game instead of the paper's harder one
    #[arg(long, help_heading = "Environment")]
    pub(super) easy: bool,
    /// Show the admissible commands after each observation
    #[arg(long, help_heading = "Environment")]
    pub(super) show_admissible: bool,
    /// Show the list of receptacles in the first observation
    #[arg(long, help_heading = "Environment")]
    pub(super) show_room: bool,
    /// Let `look` work more than once
    #[arg(long, help_heading = "Environment")]
    pub(super) look_again: bool,
    /// Names of things
    #[arg(long, value_enum, default_value_t, help_heading = "Environment")]
    pub(super) names: Names,
    /// Understand `put X in Y`, capitals, final full stops and a leading `> `
    #[arg(long, help_heading = "Environment")]
    pub(super) lenient: bool,

    #[command(flatten)]
    pub(super) limits: Limits,
    #[command(flatten)]
    pub(super) show: Show,
}

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Memory")]
pub(super) struct Limits {
    /// τ: working-context tokens above which the agent is warned and penalised [default: 8000]
    #[arg(long, visible_alias = "tau", value_name = "TOKENS")]
    pub(super) threshold: Option<u64>,
    /// The model's limit on the whole context; not the same as τ
    #[arg(long, value_name = "TOKENS")]
    pub(super) window: Option<u64>,
    /// T_max [default: 50]
    #[arg(long, value_name = "STEPS")]
    pub(super) max_steps: Option<u32>,
    /// τ_σ: tokens at which a summary is cut; 0 for none [default: 300 in the household]
    #[arg(long, value_name = "TOKENS")]
    pub(super) summary_limit: Option<u32>,
    /// B: reads allowed per step
    #[arg(long, value_name = "READS")]
    pub(super) read_budget: Option<u32>,
    /// L: tokens allowed per block
    #[arg(long, value_name = "TOKENS")]
    pub(super) block_limit: Option<u32>,
    /// memex, or a baseline: summary, rag, truncate, full
    #[arg(long, value_name = "MODE", default_value = "memex", value_parser = mode)]
    pub(super) memory: MemoryMode,
    /// Force a compression at the window's edge instead of ending the run
    #[arg(long)]
    pub(super) hard_fallback: bool,
}

fn mode(text: &str) -> Result<MemoryMode, String> {
    let names: Vec<&str> = MemoryMode::ALL.iter().map(|(_, n)| *n).collect();
    MemoryMode::ALL.iter().find(|(_, n)| *n == text).map(|(m, _)| *m).ok_or_else(|| format!("one of {}", names.join(", ")))
}

#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// File of any known format, session id (or its beginning), session directory, folder of files, or - for a pipe
    #[arg(value_name = "FILE|DIR|SESSION|-")]
    pub(super) session: String,
    /// Read the file as this format instead of finding out
    #[arg(long, value_name = "FORMAT")]
    pub(super) from: Option<String>,
    /// Wait for more at the end of the file, also when it is renamed or cut
    #[arg(long, conflicts_with = "headless")]
    pub(super) follow: bool,
    /// Show this run of a file that holds several: its number, from 1, or its name
    #[arg(long, value_name = "N|NAME")]
    pub(super) run: Option<String>,
    #[command(flatten)]
    pub(super) show: Show,
}

#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// Session id, its beginning, or its directory
    pub(super) session: String,
    /// Raise T_max
    #[arg(long, value_name = "STEPS")]
    pub(super) max_steps: Option<u32>,
    #[command(flatten)]
    pub(super) show: Show,
}

#[derive(Debug, Args)]
pub(super) struct SessionsArgs {
    /// As JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct StoreArgs {
    #[command(subcommand)]
    pub(super) what: StoreCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum StoreCommand {
    /// List every index and version
    Ls {
        /// Session id, its beginning, or its directory
        session: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print one block, exactly
    Get {
        /// Session id, its beginning, or its directory
        session: String,
        /// INDEX, or INDEX@VERSION
        index: String,
        /// Write to this file instead of the terminal
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Compare the store with the journal; changes nothing
    Verify {
        /// Session id, its beginning, or its directory
        session: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Make the store again from the journal; the old one is set aside
    Rebuild {
        /// Session id, its beginning, or its directory
        session: String,
    },
}

#[derive(Debug, Args)]
pub(super) struct ThemesArgs {
    /// Say what is wrong with the user's own themes
    #[arg(long)]
    pub(super) check: bool,
}

impl RunArgs {
    /// The arguments that the demo stands for.
    pub(super) fn of_demo(game: String, show: Show) -> Self {
        Self {
            policy: "expert".into(),
            base_url: None,
            model: None,
            api_key_env: None,
            api_key_file: None,
            max_tokens: None,
            temperature: None,
            env: "household".into(),
            game,
            easy: false,
            show_admissible: false,
            show_room: false,
            look_again: false,
            names: Names::Readable,
            lenient: false,
            limits: Limits::default(),
            show,
        }
    }
}
