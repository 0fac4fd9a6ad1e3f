//! What YAML 1.2 allows and the installer's parser, go-yaml v2, does not.

use landfall_diagnostics::{Finding, Kind, Span};

use super::{Builder, Frame, pages};

impl Builder<'_, '_> {
    /// Notes a scalar that the installer's parser cannot read.
    pub(super) fn check_dialect(&mut self, body: &str, plain: bool, span: Span) {
        let raw = body.get(span.range()).unwrap_or_default();
        let (at, what, help) = match if plain { mark(raw) } else { slash(raw) } {
            Some(at) if !plain => (at, "the escape `\\/` is unknown", "write `/` without the backslash"),
            Some(at) if self.is_in_flow(body) => {
                (at, "`?` and `:` end a value within brackets or braces", "put the value in quotes")
            }
            _ => return,
        };
        let at = span.range().start + at;
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

/// Where a plain scalar has a mark that ends it in brackets or braces. At its beginning, `?` marks a key.
fn mark(raw: &str) -> Option<usize> {
    let is_mark = |(at, c): &(usize, char)| if *at == 0 { *c == ':' } else { *c == '?' };
    raw.char_indices().find(is_mark).map(|(at, _)| at)
}

/// Where a slash is escaped in a scalar in double quotes.
fn slash(raw: &str) -> Option<usize> {
    let quoted = raw.strip_prefix('"')?;
    let mut is_escaped = false;
    // The backslash is as far from the quotation mark as the slash from the first character.
    quoted.bytes().position(|byte| {
        let is_slash = is_escaped && byte == b'/';
        is_escaped = !is_escaped && byte == b'\\';
        is_slash
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
            ("a: {b: :c}\n", ':'),
            ("a: {b: [:c]}\n", ':'),
        ] {
            assert_eq!(found(text), [("LF0005", at)], "{text}");
        }
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
