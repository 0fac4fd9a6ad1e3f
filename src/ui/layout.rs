//! Text in columns: wrapped, indented, in tables.

/// The widest line of what is made to be read.
pub const WIDTH: usize = 100;

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

/// The text wrapped to [`WIDTH`], every line behind `indent` blanks, with a line break at the end.
#[must_use]
pub fn block(text: &str, indent: usize) -> String {
    behind(&wrapped(text, WIDTH.saturating_sub(indent)), indent)
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

/// Rows of two columns behind `indent` blanks; the second column is wrapped to [`WIDTH`] and keeps clear
/// of the first.
#[must_use]
pub fn table(rows: &[(String, String)], indent: usize) -> String {
    /// A longer entry of the first column gets a line of its own.
    const WIDEST: usize = 36;
    const GAP: usize = 2;
    let letters = |text: &str| text.chars().count();
    let first = rows.iter().map(|(key, _)| letters(key)).filter(|l| *l <= WIDEST).max().unwrap_or(0);
    let second = indent + first + GAP;
    let mut text: Vec<String> = Vec::new();
    for (key, value) in rows {
        let mut lines = wrapped(value, WIDTH.saturating_sub(second)).into_iter();
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
        assert_eq!(table(&rows, 2), "  a     first\n  long  second\n");
    }
}
