//! Which parser reads a text, and whose findings count.

use landfall_diagnostics::{Finding, Findings, Kind, Span};

use super::{Builder, Reading, Tree, pages};

/// The largest text that is read as the installer's parser does, which is slow with large ones.
const MOST_LENIENT: usize = 1_000_000;

/// Reads the first document of `text`.
///
/// What no YAML 1.2 parser reads is read as the installer's parser does, which is more lenient; that it was is a
/// warning.
pub(crate) fn read<'t>(text: &'t str, findings: &mut Findings) -> Tree<'t> {
    let (body, offset) = match text.strip_prefix('\u{feff}') {
        Some(body) => (body, '\u{feff}'.len_utf8()),
        None => (text, 0),
    };
    let mut found = Findings::default();
    let mut builder = Builder::new(body, offset, &mut found);
    // YAML 1.1 also breaks lines at NEL, LS and PS, which later versions do not.
    let breaks = ['\u{85}', '\u{2028}', '\u{2029}'];
    let may_be_lenient = body.len() <= MOST_LENIENT;
    // A mark that begins a later line, or follows the first, moves what is behind it by a column there.
    let is_marked = body.starts_with('\u{feff}') || body.contains("\n\u{feff}");
    let is_of_1_1 = may_be_lenient && !body.is_ascii() && (is_marked || body.contains(breaks));
    builder.read(body, if is_of_1_1 { Reading::Lenient } else { Reading::Strict });
    let (refused, tree) = (builder.refused, Tree { lenient: is_of_1_1, ..builder.tree });
    if body.starts_with('\u{feff}') {
        let message = "the file begins with two byte order marks; OpenShift reads the second one as a space";
        found.push(
            Finding::warning(&pages::ENCODING, Kind::Parse, "", message)
                .help("save the file as UTF-8 without a byte order mark")
                .span(Span::new(0, offset)),
        );
    }
    if let Some(fault) = refused.filter(|_| may_be_lenient && !is_of_1_1) {
        let mut again = Findings::default();
        let mut builder = Builder::new(body, offset, &mut again);
        builder.read(body, Reading::Lenient);
        if !builder.failed {
            let tree = Tree { lenient: true, ..builder.tree };
            let message = format!("OpenShift reads this, other YAML parsers may not: {}", fault.message);
            let at = fault.at + offset;
            again.push(
                Finding::warning(&pages::LENIENT, Kind::Parse, "", message)
                    .help(remedy(body, fault.at))
                    .span(Span::new(at, at + 1)),
            );
            findings.extend(again);
            return tree;
        }
        // Where the lenient parser got past the fault, it is another one that stops the installer.
        let tree = Tree { lenient: true, ..builder.tree };
        if tree.nodes.iter().any(|node| node.span.range().start > fault.at + offset) {
            findings.extend(again);
            return tree;
        }
    }
    findings.extend(found);
    tree
}

/// What to write instead of what stricter parsers refuse, by what stands where they do.
fn remedy(text: &str, at: usize) -> &'static str {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let (_, begun) = before.rsplit_once('\n').unwrap_or(("", before));
    let (rest, _) = after.split_once('\n').unwrap_or((after, ""));
    let marks = |line: &str| {
        let mark = |mark| line.strip_prefix(mark).is_some_and(|rest| rest.trim().is_empty());
        line.starts_with('%') || mark("...") || mark("---")
    };
    let is_comment = rest.starts_with('#') || begun.ends_with('#');
    if is_comment && !begun.trim_matches(['#', ' ', '\t']).is_empty() {
        "put a space before the `#` of a comment"
    } else if begun.contains('\t') || rest.starts_with('\t') {
        "use spaces, not tabs"
    } else if marks(begun) || (begun.is_empty() && marks(rest)) {
        "remove directives and further document markers"
    } else {
        "indent the later lines of a quoted value, and use spaces, not tabs"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_what_other_parsers_refuse() {
        let help = |text: &str| {
            let mut findings = Findings::default();
            read(text, &mut findings);
            let lenient = findings.into_vec().into_iter().find(|finding| finding.code.as_str() == "LF0023");
            lenient.and_then(|finding| finding.help).unwrap_or_default()
        };
        assert!(help("a: 'b'#c\n").contains("space before the `#`"));
        assert!(help("a: [b,\n\tc]\n").contains("spaces, not tabs"));
        for quoted in ["a: '{\nb}'\n", "a: '{\n# b\n}'\n", "a: '{\n---b\n}'\n"] {
            assert!(help(quoted).contains("indent the later lines"), "{quoted}");
        }
    }
}
