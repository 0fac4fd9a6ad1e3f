//! Places in a text: bytes for the program, lines and columns for people.

use std::cell::Cell;

use serde::Serialize;

/// A half-open range of bytes in a file's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` to `end`; offsets past 4 GiB are clipped, which no accepted file reaches.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let clip = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: clip(start), end: clip(end.max(start)) }
    }

    /// The range for slicing.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `offset` lies in the range.
    #[must_use]
    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }
}

/// A place for people: lines and columns from 1, columns in characters, the end one past the last
/// character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// First line.
    pub line: usize,
    /// First column.
    pub column: usize,
    /// Last line.
    pub end_line: usize,
    /// Column after the last character.
    pub end_column: usize,
}

/// The starts of a text's lines, to turn bytes into lines and columns.
#[derive(Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// The last place counted, as start of its line, offset and column: the next one on the same line is
    /// counted from there, so that a long line is not gone through again for each of its places.
    last: Cell<(usize, usize, usize)>,
}

impl<'t> LineIndex<'t> {
    /// Reads the line starts of `text`.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self { text, starts: std::iter::once(0).chain(breaks).collect(), last: Cell::new((0, 0, 1)) }
    }

    /// The place of `span`; a span outside the text is drawn in to its end.
    #[must_use]
    pub fn place(&self, span: Span) -> Place {
        let (line, column) = self.position(span.start as usize);
        let (end_line, end_column) = self.position(span.end as usize);
        Place { line, column, end_line, end_column }
    }

    /// The bytes of a line, counted from 1, without its line break.
    #[must_use]
    pub fn line(&self, line: usize) -> std::ops::Range<usize> {
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len());
        let end = self.starts.get(line).map_or(self.text.len(), |next| next - 1);
        start..end.max(start)
    }

    fn position(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let (from, column) = match self.last.get() {
            (line, counted, column) if line == start && counted <= offset => (counted, column),
            _ => (start, 1),
        };
        let column = column + self.text[from..offset].chars().filter(|c| *c != '\u{feff}').count();
        self.last.set((start, offset, column));
        (line.max(1), column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_characters_from_one() {
        let text = "a: b\nü: x\n";
        let index = LineIndex::new(text);
        let place = index.place(Span::new(9, 10));
        assert_eq!((place.line, place.column, place.end_line, place.end_column), (2, 4, 2, 5));
        assert_eq!(&text[index.line(2)], "ü: x");
    }

    #[test]
    fn draws_in_what_lies_outside() {
        let index = LineIndex::new("a");
        assert_eq!(index.place(Span::new(7, 9)).column, 2);
        assert_eq!(index.line(9), 1..1);
    }
}
