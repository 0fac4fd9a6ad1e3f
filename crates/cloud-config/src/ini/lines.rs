//! From the text to its headers and variables.

use super::Unreadable;

/// What is skipped between the parts of a line, and cut around a value.
const WHITE: [char; 3] = [' ', '\t', '\r'];

/// What begins a comment outside of quotes.
const COMMENT: [char; 2] = [';', '#'];

/// A line that says something.
pub enum Line<'a> {
    /// `[name]` or `[name "subsection"]`.
    Header {
        /// The section's name.
        name: &'a str,
        /// The text in quotes behind it.
        subsection: Option<String>,
    },
    /// `name` or `name = value`.
    Variable {
        /// The variable's name.
        name: &'a str,
        /// The text behind `=`.
        value: Option<String>,
    },
}

/// The lines of a text that say something, each with the number of bytes before it.
pub struct Lines<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Result<(usize, Line<'a>), Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        self.line().transpose()
    }
}

impl<'a> Lines<'a> {
    /// Those of this text.
    pub fn new(text: &'a str) -> Self {
        Self { text, rest: text }
    }

    /// How many bytes were read.
    fn at(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    fn fault<T>(&self, at: usize, what: &'static str) -> Result<T, Unreadable> {
        Err(Unreadable::new(self.text, at, what))
    }

    fn skip_white(&mut self) {
        self.rest = self.rest.trim_start_matches(WHITE);
    }

    /// Reads this character if it is the next.
    fn skip(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads up to where the pattern begins to hold, or to the end.
    fn until(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (read, rest) = self.rest.split_at(end);
        self.rest = rest;
        read
    }

    fn bump(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn line(&mut self) -> Result<Option<(usize, Line<'a>)>, Unreadable> {
        loop {
            self.skip_white();
            if self.rest.is_empty() {
                return Ok(None);
            }
            let at = self.at();
            let line = if self.rest.starts_with('\n') || self.rest.starts_with(COMMENT) {
                None
            } else if self.skip('[') {
                Some(self.header()?)
            } else {
                Some(self.variable()?)
            };
            self.end_of_line()?;
            if let Some(line) = line {
                return Ok(Some((at, line)));
            }
        }
    }

    fn end_of_line(&mut self) -> Result<(), Unreadable> {
        self.skip_white();
        if self.rest.starts_with(COMMENT) {
            self.until(|c| c == '\n');
        }
        if self.rest.is_empty() || self.skip('\n') {
            return Ok(());
        }
        self.fault(self.at(), "only a comment may follow here")
    }

    fn name(&mut self) -> Result<&'a str, Unreadable> {
        if self.rest.starts_with(char::is_alphabetic) {
            return Ok(self.until(|c| !c.is_alphanumeric() && c != '-'));
        }
        self.fault(self.at(), "expected a name that begins with a letter")
    }

    /// What follows `[`.
    fn header(&mut self) -> Result<Line<'a>, Unreadable> {
        self.skip_white();
        let name = self.name()?;
        self.skip_white();
        let subsection = if self.skip('"') { Some(self.subsection()?) } else { None };
        self.skip_white();
        if self.skip(']') {
            return Ok(Line::Header { name, subsection });
        }
        self.fault(self.at(), "expected `]`")
    }

    /// What follows `[name "`.
    fn subsection(&mut self) -> Result<String, Unreadable> {
        let start = self.at();
        let mut text = String::new();
        loop {
            let at = self.at();
            match self.bump() {
                None | Some('\n') => return self.fault(start, "the quotes must be closed on the same line"),
                Some('"') if text.is_empty() => return self.fault(start, "the quotes are empty"),
                Some('"') => return Ok(text),
                Some('\\') => match self.bump() {
                    Some(escaped @ ('"' | '\\')) => text.push(escaped),
                    _ => return self.fault(at, r#"here, only `\"` and `\\` may be escaped"#),
                },
                Some(plain) => text.push(plain),
            }
        }
    }

    fn variable(&mut self) -> Result<Line<'a>, Unreadable> {
        let name = self.name()?;
        self.skip_white();
        let value = if self.skip('=') { Some(self.value()?) } else { None };
        Ok(Line::Variable { name, value })
    }

    /// What follows `=`.
    fn value(&mut self) -> Result<String, Unreadable> {
        self.skip_white();
        let mut text = String::new();
        // How much of the text is not white space that may prove to be the last of the value.
        let mut solid = 0;
        let mut opened = None;
        loop {
            let at = self.at();
            let ends = self.rest.is_empty() || self.rest.starts_with('\n') || self.rest.starts_with(COMMENT);
            if opened.is_none() && ends {
                break;
            }
            let next = self.bump();
            match next {
                None | Some('\n') => {
                    return self.fault(opened.unwrap_or(at), "the quotes must be closed on the same line");
                }
                Some('"') => opened = if opened.is_some() { None } else { Some(at) },
                Some('\\') => text.extend(self.escaped(at, opened.is_some())?),
                Some('\r') => {}
                Some(plain) => text.push(plain),
            }
            if opened.is_some() || !next.is_some_and(|c| WHITE.contains(&c)) {
                solid = text.len();
            }
        }
        text.truncate(solid);
        Ok(text)
    }

    /// The meaning of a backslash in a value with what follows: nothing if the value continues in the next line.
    fn escaped(&mut self, at: usize, quoted: bool) -> Result<Option<char>, Unreadable> {
        if !quoted {
            self.skip('\r');
        }
        match (self.bump(), quoted) {
            (Some('"'), _) => Ok(Some('"')),
            (Some('\\'), true) => Ok(Some('\\')),
            (Some('n'), true) => Ok(Some('\n')),
            (Some('t'), true) => Ok(Some('\t')),
            (Some('\n'), false) => Ok(None),
            (_, true) => self.fault(at, r#"in quotes, only `\"`, `\\`, `\n` and `\t` may be escaped"#),
            (_, false) => {
                self.fault(at, r#"outside of quotes, `\` may be only before `"` and the line's end"#)
            }
        }
    }
}
