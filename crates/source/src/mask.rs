//! Which bytes of a file must not be shown when its lines are.
//!
//! Three nets, one under the other: the places of values that were read as secrets; values under keys
//! that sound like one; and on every shown line, what looks like a credential. A file that is not YAML
//! has only the last two.

use landfall_diagnostics::Span;

/// The bytes of one file that must not be shown.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    hidden: Vec<Span>,
    users: Vec<Span>,
    torn: bool,
}

impl Mask {
    /// Adds bytes that must not be shown.
    pub fn hide(&mut self, span: Span) {
        self.hidden.push(span);
    }

    /// Adds the bytes up to the last `@` in `span`, and behind its scheme.
    pub fn hide_user(&mut self, span: Span) {
        self.users.push(span);
    }

    /// Says that the text could not be read to its end, so that keys have to be guessed from its lines.
    pub fn tear(&mut self) {
        self.torn = true;
    }

    /// Whether a key sounds as if its value were a secret, even when mistyped. Fields of the install config
    /// that only sound so are left out.
    #[must_use]
    pub fn names_secret(key: &str) -> bool {
        let key = key.to_ascii_lowercase();
        let harmless = ["credentialsmode", "authentication", "credentials", "proxy", "noproxy"];
        if harmless.contains(&key.as_str()) {
            return false;
        }
        let parts = [
            "secret",
            "pass",
            "token",
            "auth",
            "credential",
            "pull",
            "privatekey",
            "sshkey",
            "apikey",
            "proxy",
        ];
        let names = ["password", "sshkey", "pullsecret", "address", "httpproxy", "httpsproxy"];
        // Few words are as long as one of these; comparing them letter by letter is dear.
        let near = |name: &str| name.len().abs_diff(key.len()) <= 2 && strsim::osa_distance(name, &key) <= 2;
        parts.iter().any(|part| key.contains(part)) || names.into_iter().any(near)
    }

    /// Whether a value looks like a credential whatever its key says.
    #[must_use]
    pub fn looks_secret(text: &str) -> bool {
        text.contains("PRIVATE KEY") || text.contains("\"auth") || text.contains("auth\":")
    }

    /// The text up to the end of the line that the byte `upto` is on, with a bullet in place of every
    /// character that must not be shown; every line keeps its number of characters, unless it is endless.
    ///
    /// Later lines are left out, as looking through them would only cost time.
    #[must_use]
    pub fn apply(&self, text: &str, upto: usize) -> Masked {
        let upto = floor(text, upto);
        let end = text[upto..].find('\n').map_or(text.len(), |end| upto + end + 1);
        let text = &text[..end];
        let mut hidden: Vec<Span> =
            self.hidden.iter().filter(|span| (span.start as usize) < end).copied().collect();
        hidden.extend(self.users.iter().filter_map(|span| {
            let url = text.get(span.range())?;
            let end = url.rfind('@')?;
            let start = url.find("://").map_or(0, |scheme| scheme + 3);
            Some(Span::new(span.start as usize + start.min(end), span.start as usize + end))
        }));
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
            if end - start > LONGEST_LINE {
                // Never more than this is shown; one character replaces it.
                shifts.extend([(start, shown.len()), (end, shown.len() + '•'.len_utf8())]);
                shown.push('•');
                at = end;
                continue;
            }
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
        Masked { text: shown, length: end, shifts }
    }
}

/// A masked text and where its bytes came from.
#[derive(Debug)]
pub struct Masked {
    /// The text that may be shown.
    pub text: String,
    /// Number of bytes of the original that it replaces.
    pub length: usize,
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

/// The user parts of the URLs in a line: what stands directly before an `@` and holds a colon, or stands
/// behind `://`.
fn users(text: &str) -> Vec<Span> {
    let ends = |c: char| c.is_whitespace() || "/'\"@".contains(c);
    let user = |(at, _): (usize, &str)| {
        let start = text[..at].rfind(ends).map_or(0, |end| end + 1);
        let start = floor(text, start);
        let secret = text[start..at].contains(':') || text[..start].ends_with("://");
        (secret && start < at).then(|| Span::new(start, at))
    };
    text.match_indices('@').filter_map(user).collect()
}

/// A line longer than this is not looked through, but hidden whole.
const LONGEST_LINE: usize = 20_000;

/// What looks like a credential, line by line: the value under a key that sounds secret, with the lines
/// that are indented below it, and user parts of URLs.
fn lexical(text: &str, torn: bool) -> Vec<Span> {
    let mut found = Vec::new();
    let mut offset = 0;
    let mut below: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        if line.len() > LONGEST_LINE {
            found.push(Span::new(offset, offset + line.len()));
            offset += line.len();
            continue;
        }
        let users = users(line).into_iter();
        found.extend(users.map(|user| Span::new(offset + user.start as usize, offset + user.end as usize)));
        let indent = line.len() - line.trim_start_matches(|c: char| !is_name(c) || c == '-').len();
        let keyed = line[indent..].split_once(':').is_some_and(|(key, _)| {
            !key.trim().is_empty() && key.trim().trim_end_matches(['"', '\'']).chars().all(is_name)
        });
        if keyed && below.is_none_or(|level| indent <= level) {
            below = None;
        }
        if below.is_some() {
            found.push(Span::new(offset, offset + line.len()));
        } else if let Some(value) = torn.then(|| secret_value(line)).flatten() {
            found.push(Span::new(offset + value, offset + line.len()));
            // A name without its colon may have its value on a line of any indentation.
            below = Some(if keyed { indent } else { usize::MAX });
        } else if Mask::looks_secret(line) {
            let value = line.find(": ").map_or(indent, |colon| colon + 1);
            found.push(Span::new(offset + value, offset + line.len()));
        }
        offset += line.len();
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Where what follows the first word of a line that sounds like a secret begins, if there is one.
fn secret_value(line: &str) -> Option<usize> {
    let mut start = 0;
    line.split(|c: char| !is_name(c)).find_map(|word| {
        let end = start + word.len();
        // The byte behind a word is one that does not belong to a name, or the end.
        start = end + line[end..].chars().next().map_or(0, char::len_utf8);
        Mask::names_secret(word).then_some(end)
    })
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
        let masked = mask.apply(text, text.len());
        assert!(!masked.text.contains("canary"), "{}", masked.text);
        assert!(masked.text.contains("b: shown"));
        assert!(masked.text.contains("pullSecret"));
        assert_eq!(masked.text.lines().count(), text.lines().count());
    }

    #[test]
    fn keeps_count_of_offsets() {
        let text = "k: abc\nlast";
        let mut mask = Mask::default();
        mask.hide(Span::new(3, 6));
        let masked = mask.apply(text, text.len());
        assert_eq!(masked.text, "k: •••\nlast");
        assert_eq!(masked.offset(3), 3);
        assert_eq!(masked.offset(4), 6);
        assert_eq!(masked.offset(7), masked.text.find("last").unwrap_or(0));
    }
}
