//! The lines of an open question on the terminal. They are drawn anew as they change, in place of what was there.

use std::fmt::Write;
use std::io;

use console::{Term, measure_text_width};

/// What is to be seen of a question: rows that fit the terminal, and where the cursor is, if it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct View {
    pub(super) rows: Vec<String>,
    /// Row and column.
    pub(super) cursor: Option<(usize, usize)>,
}

/// The part of a terminal that a question takes.
pub(super) struct Screen<'t> {
    term: &'t Term,
    shown: View,
    /// Columns when it was drawn last.
    columns: usize,
}

impl<'t> Screen<'t> {
    /// A question of which nothing is to be seen yet.
    pub(super) fn new(term: &'t Term) -> Self {
        Self { term, shown: View::default(), columns: columns(term) }
    }

    /// Whether the terminal has another width than when the question was drawn.
    pub(super) fn is_stale(&self) -> bool {
        columns(self.term) != self.columns
    }

    /// Draws a question in place of what was drawn before.
    pub(super) fn draw(&mut self, view: View) -> io::Result<()> {
        let mut text = self.erased();
        text.push_str(&view.rows.join("\n"));
        if let Some((row, column)) = view.cursor {
            let up = view.rows.len().saturating_sub(row + 1);
            if up > 0 {
                let _ = write!(text, "\u{1b}[{up}A");
            }
            text.push('\r');
            if column > 0 {
                let _ = write!(text, "\u{1b}[{column}C");
            }
            text.push_str(SHOW);
        } else {
            text.push_str(HIDE);
        }
        self.columns = columns(self.term);
        self.shown = view;
        self.term.write_str(&text)
    }

    /// Puts these lines in place of the question, which is over.
    pub(super) fn close(mut self, lines: &[String]) -> io::Result<()> {
        let mut text = self.erased();
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(SHOW);
        self.shown = View::default();
        self.term.write_str(&text)
    }

    /// Moves the cursor to where the question begins, and clears what follows. A terminal that has become narrower has
    /// broken long rows, as most do.
    fn erased(&self) -> String {
        let Some(last) = self.shown.rows.len().checked_sub(1) else { return String::new() };
        let now = columns(self.term).max(1);
        let width = |row: &String| measure_text_width(row);
        let (row, column) =
            self.shown.cursor.unwrap_or_else(|| (last, self.shown.rows.last().map_or(0, width)));
        let above = self.shown.rows.iter().take(row);
        let up: usize = above.map(|row| width(row).max(1).div_ceil(now)).sum::<usize>() + column / now;
        let up = if up > 0 { format!("\u{1b}[{up}A") } else { String::new() };
        format!("{up}\r\u{1b}[J")
    }
}

const SHOW: &str = "\u{1b}[?25h";
const HIDE: &str = "\u{1b}[?25l";

/// The columns of a terminal.
fn columns(term: &Term) -> usize {
    usize::from(term.size().1)
}
