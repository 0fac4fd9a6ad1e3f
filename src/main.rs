//! The `landfall` program: hands over to [`landfall::cli`] and turns its outcome into the exit code.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    landfall::cli::main().into()
}
