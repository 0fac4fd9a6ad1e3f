//! What YAML 1.2 allows and the installer's parser, go-yaml v2, does not.

use landfall_diagnostics::{Finding, Kind, Span};

use super::{Builder, Fault, Frame, pages};

impl Builder<'_, '_> {
    /// Notes a scalar that the installer's parser cannot read; it may be plain, or in double quotes.
    pub(super) fn check_dialect(
        &mut self,
        body: &str,
        (plain, quoted): (bool, bool),
        tagged: bool,
        span: Span,
    ) {
        let std::ops::Range { start, end } = span.range();
        let raw = body.get(start..end).unwrap_or_default();
        let (before, after) = body.split_at_checked(end).unwrap_or_default();
        let follows_tag = tagged
            && raw.is_empty()
            && after.starts_with([']', '}'])
            && !before.ends_with(char::is_whitespace);
        let in_quotes = "put the value in quotes";
        let found = if plain { mark(raw) } else { escape(raw).filter(|_| quoted) };
        let (at, what, help) = match found {
            Some(at) if !plain => (at, "the escape is unknown", "write the character itself"),
            Some(0) if raw.starts_with('?') && self.is_in_flow(body) => {
                // The installer's parser may get past it: it reads a key here.
                let message = "`?` begins a key within brackets or braces".to_owned();
                self.fail(&pages::SYNTAX, Span::new(start, start + 1), &message, Some(in_quotes));
                self.refused = Some(Fault { at: start, message, too_deep: false });
                return;
            }
            Some(at) if self.is_in_flow(body) => {
                (at, "`?` and `:` end a value within brackets or braces", in_quotes)
            }
            None if follows_tag => (0, "a bracket or brace follows a tag", "put a space before it"),
            _ => return,
        };
        let at = start + at;
        let span = self.shifted(Span::new(at, at + 1));
        let message = format!("this is not YAML 1.1: {what}");
        self.tree.beyond.push(Finding::error(&pages::SYNTAX, Kind::Parse, "", message).help(help).span(span));
    }

    /// Whether a collection in brackets or braces is being read.
    fn is_in_flow(&self, body: &str) -> bool {
        self.frames.iter().any(|frame| match frame {
            Frame::Map { flow, .. } => *flow,
            Frame::List { start, .. } => body.as_bytes().get(*start) == Some(&b'['),
        })
    }
}

/// Where a plain scalar has a mark that ends it in brackets or braces, or begins a key.
fn mark(raw: &str) -> Option<usize> {
    let is_mark = |(at, c): &(usize, char)| *c == '?' || (*at == 0 && *c == ':');
    raw.char_indices().find(is_mark).map(|(at, _)| at)
}

/// Where a slash, or half of a character in UTF-16, is escaped in a scalar in double quotes.
fn escape(raw: &str) -> Option<usize> {
    let quoted = raw.strip_prefix('"')?.as_bytes();
    let mut is_escaped = false;
    // The backslash is as far from the quotation mark as what it escapes from the first character.
    (0..quoted.len()).find(|at| {
        let escaped = quoted.get(*at..).unwrap_or_default();
        let is_unknown = is_escaped
            && matches!(escaped, [b'/', ..] | [b'u', b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..]);
        is_escaped = !is_escaped && escaped.first() == Some(&b'\\');
        is_unknown
    })
}

#[cfg(test)]
mod tests {
    use landfall_diagnostics::Findings;

    use super::super::read;

    /// The characters at which findings with these codes are.
    fn found(text: &str) -> Vec<(&'static str, char)> {
        let mut findings = Findings::default();
        let tree = read(text, &mut findings);
        let mut found = Vec::new();
        for finding in findings.into_vec().iter().chain(tree.beyond_installer()) {
            let at = finding.span.map_or(0, |span| span.range().start);
            found.push((finding.code.as_str(), text[at..].chars().next().unwrap_or_default()));
        }
        found
    }

    #[test]
    fn what_go_yaml_cannot_read_is_refused() {
        for (text, at) in [
            ("a: \"http:\\/\\/p\"\n", '\\'),
            ("a: \"\\\\\\/\"\n", '\\'),
            ("a: {b: c?d}\n", '?'),
            ("a: [b, {c: d}, e?f]\n", '?'),
            ("a: {b: äc?d}\n", '?'),
            ("a: {b: ?c}\n", '?'),
            ("a: [!c]\n", ']'),
            ("a: {b: !!str}\n", '}'),
            ("a: \"\\ud83d\\ude00\"\n", '\\'),
            ("%FOO bar\n---\na: b\n", '%'),
            ("a: {9223372036854775808: b}\n", '9'),
            ("a: {b: :c}\n", ':'),
            ("a: {b: [:c]}\n", ':'),
        ] {
            let code = if at == '9' { "LF0007" } else { "LF0005" };
            assert_eq!(found(text), [(code, at)], "{text}");
        }
    }

    #[test]
    fn a_question_mark_begins_a_key_in_brackets() {
        assert_eq!(found("a: {?b: c}\n"), [("LF0023", '?')]);
        assert_eq!(found("a: [?b]\n"), [("LF0023", '?')]);
    }

    #[test]
    fn what_go_yaml_reads_is_accepted() {
        for text in [
            "a: http://p?q\nb: :c\n",
            "a: '\\/'\n",
            "a: \"\\\\/ \\\\\"\n",
            "a: {b: 'c?d', e: x:y}\n",
            "a: [\"b?c\"]\nd: e?f\n",
            "a: |\n  {b: c?d} \\/\n",
            "a: |\n  \"b\\/c \\ud83d\"\n",
            "a: |-\n  \"\\ud83d\"",
            "a: [!b ]\nc: [!d e]\nf: !g\n",
            "a: \"\\ue000 \\u00e4\"\n",
            "# %FOO\n%YAML 1.1\n%TAG ! !a\n---\na: b\n",
            "a: {9223372036854775807: b}\n",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn the_name_of_an_alias_ends_at_a_colon() {
        let codes = |text: &str| found(text).iter().map(|(code, _)| *code).collect::<Vec<_>>();
        assert_eq!(codes("a: &k name\nb:\n  *k: c\n"), ["LF0023"]);
        assert_eq!(codes("a: *k\n"), ["LF0005"]);
    }
}
