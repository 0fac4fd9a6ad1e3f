//! Findings as workflow commands, which GitHub shows beside the lines of a change.

use landfall_diagnostics::{Finding, LineIndex, Severity};

use super::Judged;

/// One workflow command a finding.
#[must_use]
pub fn render(judged: &Judged<'_>) -> String {
    let index = LineIndex::new(judged.text);
    judged.distinct().into_iter().map(|finding| command(judged.file, finding, &index)).collect()
}

fn command(file: &str, finding: &Finding, index: &LineIndex<'_>) -> String {
    let name = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut properties = vec![format!("file={}", property(file))];
    if let Some(span) = finding.span {
        let place = index.place(span);
        properties.push(format!("line={},endLine={}", place.line, place.end_line));
        // GitHub drops columns that belong to different lines, and complains in the log.
        if place.line == place.end_line {
            properties.push(format!("col={},endColumn={}", place.column, place.end_column));
        }
    }
    properties.push(format!("title={}", property(finding.code.as_str())));
    let message = match &finding.help {
        Some(help) => data(&format!("{}\nhelp: {help}", finding.message)),
        None => data(&finding.message),
    };
    format!("::{name} {}::{message}\n", properties.join(","))
}

/// Text after the second `::`, in which line breaks would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which commas and colons would end as well.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_diagnostics::{Kind, Span};
    use landfall_install_config::verdict::Outcome;
    use landfall_source::{Mask, pages};

    fn shown(span: Span) -> String {
        let finding =
            Finding::error(&pages::SYNTAX, Kind::Parse, "a", "50% of it:\r\nbroken, all").span(span);
        render(&Judged {
            file: "a,b:c%.yaml",
            text: "a: b\nc: d\n",
            outcome: Outcome::Unparseable,
            findings: &[finding],
            mask: &Mask::default(),
        })
    }

    #[test]
    fn escapes_what_would_end_a_command() {
        assert_eq!(
            shown(Span::new(5, 6)),
            "::error file=a%2Cb%3Ac%25.yaml,line=2,endLine=2,col=1,endColumn=2,title=LF0005::\
             50%25 of it:%0D%0Abroken, all\n"
        );
    }

    #[test]
    fn gives_columns_within_one_line_only() {
        assert!(shown(Span::new(3, 6)).contains("line=1,endLine=2,title="));
    }
}
