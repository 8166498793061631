//! The program: arguments in, exit code out.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    memex::cli::run(std::env::args_os(), &memex::config::Env::of_process()).into()
}
