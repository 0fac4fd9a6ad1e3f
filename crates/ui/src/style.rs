//! How text is shown on a stream.

use crate::layout::folded;

/// Columns of a text for people where there is no terminal.
const WITHOUT_TERMINAL: usize = 100;
/// Lines are never wrapped to less: columns beside each other need room.
const NARROWEST: usize = 40;
/// Lines are never wrapped to more: longer ones are hard to read.
const WIDEST: usize = 120;

/// How text is shown on a stream: coloured or not, and in how many columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether it is coloured.
    pub colour: bool,
    /// The columns to use; none where the stream is not a terminal.
    pub columns: Option<usize>,
}

impl Style {
    /// For a file or a pipe.
    pub const PLAIN: Self = Self { colour: false, columns: None };

    /// A terminal with this many columns; none where it does not say.
    #[must_use]
    pub fn new(colour: bool, terminal: Option<usize>) -> Self {
        Self { colour, columns: terminal.map(|columns| columns.clamp(NARROWEST, WIDEST)) }
    }

    /// The columns of a line of text.
    #[must_use]
    pub fn width(self) -> usize {
        self.columns.unwrap_or(WITHOUT_TERMINAL)
    }

    /// A line as lines of whole words on a terminal, else as it is.
    #[must_use]
    pub fn fitted(self, line: &str) -> String {
        self.columns.map_or_else(|| line.to_owned(), |columns| folded(line, columns))
    }
}

/// The same for the two streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Styles {
    /// Of standard output.
    pub data: Style,
    /// Of standard error.
    pub talk: Style,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_the_width_of_the_terminal_within_bounds() {
        let widths = [None, Some(10), Some(80), Some(119), Some(300)].map(|c| Style::new(false, c).width());
        assert_eq!(widths, [100, 40, 80, 119, 120]);
    }
}
