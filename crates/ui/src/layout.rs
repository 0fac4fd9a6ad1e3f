//! Text in columns: wrapped, indented, in tables.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

use super::Style;

/// The lines of `text`, none wider than `width` characters unless a single word is; empty lines part
/// paragraphs.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut length = 0;
        for word in paragraph.split_whitespace() {
            let letters = word.chars().count();
            if length > 0 && length + 1 + letters > width {
                lines.push(std::mem::take(&mut line));
                length = 0;
            }
            if length > 0 {
                line.push(' ');
                length += 1;
            }
            line.push_str(word);
            length += letters;
        }
        lines.push(line);
    }
    lines
}

/// One line as lines of whole words, none wider than `width` characters unless a single word is. Lines after the first
/// are behind the blanks that the line begins with; a line that fits stays as it is.
#[must_use]
pub fn folded(line: &str, width: usize) -> String {
    let letters = |text: &str| text.chars().count();
    if letters(line) <= width {
        return line.to_owned();
    }
    let indent: String = line.chars().take_while(|letter| *letter == ' ').collect();
    let mut lines: Vec<String> = Vec::new();
    let mut open = indent.clone();
    for word in line.trim_start().split_inclusive(' ') {
        if letters(&open) + letters(word.trim_end()) > width && open.len() > indent.len() {
            lines.push(std::mem::replace(&mut open, indent.clone()).trim_end().to_owned());
        }
        open.push_str(word);
    }
    lines.push(open.trim_end().to_owned());
    lines.join("\n")
}

/// Lines of a comparison for a terminal: each is folded, with its sign before all of its parts.
#[must_use]
pub fn compared(lines: &str, width: usize) -> String {
    let mut text = String::new();
    for line in lines.lines() {
        let (sign, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
        for part in folded(rest, width.saturating_sub(1)).split('\n') {
            text.push_str(sign);
            text.push_str(part);
            text.push('\n');
        }
    }
    text
}

/// The text wrapped to the width of `style`, every line behind `indent` blanks, with a line break at the end.
#[must_use]
pub fn block(text: &str, indent: usize, style: Style) -> String {
    behind(&wrapped(text, style.width().saturating_sub(indent)), indent)
}

/// The lines of `text` as they are, behind `indent` blanks.
#[must_use]
pub fn verbatim(text: &str, indent: usize) -> String {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    behind(&lines, indent)
}

fn behind(lines: &[String], indent: usize) -> String {
    let mut text = String::new();
    for line in lines {
        if !line.is_empty() {
            text.push_str(&" ".repeat(indent));
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}

/// Rows of two columns behind `indent` blanks; the second column is wrapped to the width of `style` and keeps
/// clear of the first.
#[must_use]
pub fn table(rows: &[(String, String)], indent: usize, style: Style) -> String {
    /// A longer entry of the first column gets a line of its own.
    const WIDEST: usize = 36;
    const GAP: usize = 2;
    let letters = |text: &str| text.chars().count();
    let first = rows.iter().map(|(key, _)| letters(key)).filter(|l| *l <= WIDEST).max().unwrap_or(0);
    let second = indent + first + GAP;
    let mut text: Vec<String> = Vec::new();
    for (key, value) in rows {
        let mut lines = wrapped(value, style.width().saturating_sub(second)).into_iter();
        let mut line = format!("{}{key}", " ".repeat(indent));
        if letters(key) <= first {
            line.push_str(&" ".repeat(first + GAP - letters(key)));
            line.push_str(&lines.next().unwrap_or_default());
        }
        text.push(line);
        text.extend(lines.map(|line| format!("{}{line}", " ".repeat(second))));
    }
    text.iter().map(|line| line.trim_end()).chain([""]).collect::<Vec<_>>().join("\n")
}

/// A table without lines, with a heading and as wide as its cells, or as `style` says where there is a terminal: cells
/// break between words, and within words that are wider than two fifths of it. `numbers` are the columns that hold
/// numbers.
#[must_use]
pub fn grid(header: &[&str], numbers: &[usize], rows: &[Vec<String>], style: Style) -> String {
    /// Words of so many letters never break.
    const SHORT: usize = 12;
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header).add_rows(rows);
    if let Some(columns) = style.columns {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(columns).unwrap_or(u16::MAX));
    }
    let last = header.len().saturating_sub(1);
    for (place, column) in table.column_iter_mut().enumerate() {
        let padding = if place == last { 0 } else { 2 };
        column.set_padding((0, padding));
        let cells = rows
            .iter()
            .filter_map(|row| row.get(place))
            .map(String::as_str)
            .chain(header.get(place).copied());
        let longest =
            cells.flat_map(str::split_whitespace).map(|word| word.chars().count()).max().unwrap_or(0);
        // A word that would take nearly half of the terminal may break.
        let longest = style.columns.map_or(longest, |columns| longest.min((columns * 2 / 5).max(SHORT)));
        let narrowest = u16::try_from(longest).unwrap_or(u16::MAX).saturating_add(padding);
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(narrowest)));
        if numbers.contains(&place) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    format!("{}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("a\n\nb", 7), ["a", "", "b"]);
        assert_eq!(wrapped("immeasurable", 7), ["immeasurable"]);
    }

    #[test]
    fn keeps_columns_apart() {
        let rows = [("a".to_owned(), "first".to_owned()), ("long".to_owned(), "second".to_owned())];
        assert_eq!(table(&rows, 2, Style::PLAIN), "  a     first\n  long  second\n");
    }

    #[test]
    fn folds_a_line_between_words_and_keeps_its_blanks() {
        assert_eq!(folded("  one  two three", 40), "  one  two three");
        assert_eq!(folded("  one  two three", 12), "  one  two\n  three");
        assert_eq!(folded("immeasurable one", 7), "immeasurable\none");
        assert_eq!(folded("", 7), "");
    }

    #[test]
    fn a_compared_line_keeps_its_sign() {
        let lines = "--- a\n@@ -1 +1 @@\n+  one: two three\n \n";
        assert_eq!(compared(lines, 40), lines);
        assert_eq!(compared(lines, 12), "--- a\n@@ -1 +1 @@\n+  one: two\n+  three\n \n");
    }

    #[test]
    fn a_grid_takes_the_room_that_there_is() {
        let rows =
            [["a", "one two three", "7"], ["bb", "four", "12"]].map(|row| row.map(str::to_owned).to_vec());
        let plain = grid(&["ID", "NAME", "COUNT"], &[2], &rows, Style::PLAIN);
        assert_eq!(plain, "ID  NAME           COUNT\na   one two three      7\nbb  four              12\n");
        let narrow = grid(&["ID", "NAME", "COUNT"], &[2], &rows, Style { columns: Some(20), ..Style::PLAIN });
        assert_eq!(narrow.lines().count(), 4, "{narrow}");
        assert!(narrow.lines().all(|line| line.len() <= 20) && narrow.ends_with(" 12\n"), "{narrow}");
        let least = grid(&["ID", "NAME", "COUNT"], &[2], &rows, Style { columns: Some(10), ..Style::PLAIN });
        assert!(["three", "four", "COUNT"].iter().all(|word| least.contains(word)), "{least}");
    }
}
