//! Which bytes of a file must not be shown when its lines are.
//!
//! Three nets, one under the other: the places of values that were read as secrets; values under keys
//! that sound like one; and on every shown line, what looks like a credential. A file that is not YAML
//! has only the last two.

use crate::finding::Span;

/// The bytes of one file that must not be shown.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    hidden: Vec<Span>,
    torn: bool,
}

impl Mask {
    /// Adds bytes that must not be shown.
    pub fn hide(&mut self, span: Span) {
        self.hidden.push(span);
    }

    /// Says that the text could not be read to its end, so that keys have to be guessed from its lines.
    pub fn tear(&mut self) {
        self.torn = true;
    }

    /// Whether a key sounds as if its value were a secret. Fields of the install config that only sound
    /// so are left out.
    #[must_use]
    pub fn names_secret(key: &str) -> bool {
        let key = key.to_ascii_lowercase();
        if ["credentialsmode", "authentication", "credentials", "certificateverification"]
            .contains(&key.as_str())
        {
            return false;
        }
        ["secret", "passw", "token", "auth", "credential", "pull", "privatekey", "sshkey"]
            .iter()
            .any(|part| key.contains(part))
    }

    /// Whether a value looks like a credential whatever its key says.
    #[must_use]
    pub fn looks_secret(text: &str) -> bool {
        text.contains("PRIVATE KEY") || text.contains("\"auth") || text.contains("auth\":")
    }

    /// The text with a bullet in place of every character that must not be shown; bytes of `text` keep
    /// their line, and every line keeps its number of characters.
    ///
    /// The second value gives, for a byte offset of `text`, its offset in the masked text.
    #[must_use]
    pub fn apply(&self, text: &str) -> Masked {
        let mut hidden = self.hidden.clone();
        hidden.extend(lexical(text, self.torn));
        hidden.sort_unstable();
        let mut shown = String::with_capacity(text.len());
        let mut shifts: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        for span in hidden {
            let (start, end) = (floor(text, span.start as usize), floor(text, span.end as usize));
            if end <= at {
                continue;
            }
            let start = start.max(at);
            shown.push_str(&text[at..start]);
            for (offset, c) in text[start..end].char_indices() {
                if offset + start > at || offset == 0 {
                    shifts.push((start + offset, shown.len()));
                }
                shown.push(if c.is_whitespace() { c } else { '•' });
            }
            shifts.push((end, shown.len()));
            at = end;
        }
        shown.push_str(&text[at..]);
        Masked { text: shown, shifts }
    }
}

/// A masked text and where its bytes came from.
#[derive(Debug)]
pub struct Masked {
    /// The text that may be shown.
    pub text: String,
    shifts: Vec<(usize, usize)>,
}

impl Masked {
    /// The offset in the masked text of a byte offset of the original.
    #[must_use]
    pub fn offset(&self, original: usize) -> usize {
        let known = self.shifts.partition_point(|(from, _)| *from <= original);
        let offset = match known.checked_sub(1).and_then(|i| self.shifts.get(i)) {
            Some((from, to)) => to + (original - from),
            None => original,
        };
        floor(&self.text, offset)
    }
}

fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The text with the user part of every URL replaced.
#[must_use]
pub fn without_user(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for span in users(text) {
        shown.push_str(&text[at..span.start as usize]);
        shown.push('•');
        at = span.end as usize;
    }
    shown.push_str(&text[at..]);
    shown
}

/// The user parts of the URLs in a text.
fn users(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("://") {
        let start = from + at + 3;
        let rest = &text[start..];
        let end = rest.find([' ', '\t', '\n', '\'', '"', '/']).unwrap_or(rest.len());
        if let Some(user) = rest[..end].rfind('@') {
            found.push(Span::new(start, start + user));
        }
        from = start;
    }
    found
}

/// What looks like a credential, line by line: the value under a key that sounds secret, with the lines
/// that are indented below it, and user parts of URLs.
fn lexical(text: &str, torn: bool) -> Vec<Span> {
    let mut found = users(text);
    let mut offset = 0;
    let mut below: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '-', '\t', '"', '\'', '?', '{']).len();
        let rest = &line[indent..];
        let key = rest.split(':').next().unwrap_or("");
        let keyed = rest.contains(':')
            && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '"' | '\'' | ' '));
        if keyed && below.is_none_or(|level| indent <= level) {
            below = None;
        }
        if below.is_some() {
            found.push(Span::new(offset, offset + line.len()));
        } else if torn && keyed && Mask::names_secret(key.trim_matches(['"', '\'', ' '])) {
            found.push(Span::new(offset + indent + key.len() + 1, offset + line.len()));
            below = Some(indent);
        } else if Mask::looks_secret(line) {
            found.push(Span::new(offset + indent, offset + line.len()));
        }
        offset += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_secrets_of_a_text_that_is_not_yaml() {
        let text = "a: [\npullSecret: '{\"auths\":\n canary}'\nproxy:\n  httpProxy: http://u:canary@p\n\
                    x: -----BEGIN PRIVATE KEY----- canary\nsshkey: canary\nb: shown\n";
        let mut mask = Mask::default();
        mask.tear();
        let masked = mask.apply(text);
        assert!(!masked.text.contains("canary"), "{}", masked.text);
        assert!(masked.text.contains("b: shown"));
        assert!(masked.text.contains("pullSecret:"));
        assert_eq!(masked.text.lines().count(), text.lines().count());
    }

    #[test]
    fn keeps_count_of_offsets() {
        let text = "k: abc\nlast";
        let mut mask = Mask::default();
        mask.hide(Span::new(3, 6));
        let masked = mask.apply(text);
        assert_eq!(masked.text, "k: •••\nlast");
        assert_eq!(masked.offset(3), 3);
        assert_eq!(masked.offset(4), 6);
        assert_eq!(masked.offset(7), masked.text.find("last").unwrap_or(0));
    }

    #[test]
    fn takes_the_user_out_of_a_url() {
        assert_eq!(without_user("http://u:p@host/x"), "http://•@host/x");
        assert_eq!(without_user("https://host"), "https://host");
    }
}
