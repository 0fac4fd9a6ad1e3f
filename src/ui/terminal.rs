//! Whether somebody can be asked.

#![allow(clippy::disallowed_methods, reason = "the terminals are looked at here")]

use std::io::{IsTerminal, stderr, stdin};

/// Whether somebody can be asked: what is typed and what is shown are a terminal's.
#[must_use]
pub fn can_ask() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}
