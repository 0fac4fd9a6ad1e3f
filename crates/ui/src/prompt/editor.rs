//! A line that is being typed.

use console::Key;

/// Control characters as a terminal sends them.
const CTRL_K: char = '\u{b}';
const CTRL_U: char = '\u{15}';
const CTRL_W: char = '\u{17}';

/// The letters of a line, and where the cursor is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Editor {
    letters: Vec<char>,
    at: usize,
}

impl Editor {
    /// What was typed.
    pub(super) fn text(&self) -> String {
        self.letters.iter().collect()
    }

    /// What stands before the cursor.
    pub(super) fn before_cursor(&self) -> String {
        self.letters.iter().take(self.at).collect()
    }

    /// Takes a key as readline does; false where it means nothing here.
    pub(super) fn press(&mut self, key: &Key) -> bool {
        match key {
            Key::Char(CTRL_U) => {
                self.letters.clear();
                self.at = 0;
            }
            Key::Char(CTRL_K) => self.letters.truncate(self.at),
            Key::Char(CTRL_W) => {
                let before = self.letters.get(..self.at).unwrap_or_default();
                let blanks = before.iter().rev().take_while(|letter| letter.is_whitespace()).count();
                let word =
                    before.iter().rev().skip(blanks).take_while(|letter| !letter.is_whitespace()).count();
                let from = self.at - blanks - word;
                self.letters.drain(from..self.at);
                self.at = from;
            }
            Key::Char(letter) if !letter.is_control() => {
                self.letters.insert(self.at, *letter);
                self.at += 1;
            }
            Key::Backspace if self.at > 0 => {
                self.at -= 1;
                self.letters.remove(self.at);
            }
            Key::Del if self.at < self.letters.len() => {
                self.letters.remove(self.at);
            }
            Key::ArrowLeft => self.at = self.at.saturating_sub(1),
            Key::ArrowRight => self.at = (self.at + 1).min(self.letters.len()),
            Key::Home => self.at = 0,
            Key::End => self.at = self.letters.len(),
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[Key]) -> (String, String) {
        let mut line = Editor::default();
        for letter in "one two".chars() {
            assert!(line.press(&Key::Char(letter)));
        }
        for key in keys {
            line.press(key);
        }
        (line.before_cursor(), line.text())
    }

    #[test]
    fn keys_do_what_they_do_in_a_shell() {
        let is = |keys: &[Key], before: &str, text: &str| {
            assert_eq!(typed(keys), (before.to_owned(), text.to_owned()), "{keys:?}");
        };
        is(&[], "one two", "one two");
        is(&[Key::Char(CTRL_U)], "", "");
        is(&[Key::Char(CTRL_U), Key::Char('é')], "é", "é");
        is(&[Key::Char(CTRL_W)], "one ", "one ");
        is(&[Key::Char(CTRL_W), Key::Char(CTRL_W)], "", "");
        is(&[Key::Home, Key::Del, Key::ArrowRight], "n", "ne two");
        is(&[Key::Home, Key::ArrowLeft, Key::Backspace], "", "one two");
        is(&[Key::ArrowLeft, Key::Char(CTRL_K), Key::End], "one tw", "one tw");
        is(&[Key::Backspace, Key::Del, Key::Char('\u{1}'), Key::Tab], "one tw", "one tw");
    }
}
