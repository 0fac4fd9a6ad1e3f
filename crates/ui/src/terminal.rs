//! Whether somebody can be asked, and how wide a terminal is.

#![allow(clippy::disallowed_methods, reason = "the terminals are looked at here")]

use std::io::{IsTerminal, stderr, stdin};
use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

/// Whether somebody can be asked: what is typed and what is shown are a terminal's.
#[must_use]
pub fn can_ask() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// The columns that a terminal has at this moment; none for what is not a terminal, and for one that does not say.
#[must_use]
pub fn columns_of(stream: impl AsFd) -> Option<usize> {
    let size = tcgetwinsize(stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}
