//! Findings for people: the line of the file with what is meant underlined.
//!
//! Shows the masked text only. A terminal gets whole words in its width. Elsewhere a message is one line, and the
//! same file gives the same bytes in every log.

use std::ops::Range;

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Message, Origin, Padding, Renderer, Snippet, Title,
};
use landfall_diagnostics::{Finding, LineIndex, Severity, Span};

use super::layout::folded;
use super::{Judged, Style, counted, printable, printable_lines};

/// Columns that a shown line may take where there is no terminal.
const WIDTH: usize = 140;
/// A line with more bytes than this before the place is not shown: it would not help, and a file of one
/// endless line would be drawn again for every finding.
const MOST_BEFORE: usize = 4_000;
/// The most characters that are underlined.
const MOST_MARKED: usize = 100;
/// The most characters that are shown behind the underlined ones.
const MOST_AFTER: usize = 160;
/// Two places at most this many lines apart are drawn as one picture.
const MOST_APART: usize = 1_000;

/// Every finding with its lines, then one line with the outcome.
#[must_use]
pub fn render(judged: &Judged<'_>, style: Style) -> String {
    let findings = judged.distinct();
    let mut text = pictures(judged, &findings, style);
    text.push_str(&closing(judged, &findings));
    text
}

/// Every finding with its lines, without a word about the outcome.
#[must_use]
pub fn findings(judged: &Judged<'_>, style: Style) -> String {
    pictures(judged, &judged.distinct(), style)
}

/// Findings that are about no file, such as what an engine says.
#[must_use]
pub fn placeless(findings: &[Finding], style: Style) -> String {
    let renderer = renderer(style);
    let mut text = String::new();
    for finding in findings {
        let mut group = Group::with_title(title(finding, style));
        if let Some(help) = help(finding, 0, style) {
            group = group.element(help);
        }
        for line in renderer.render(&[group]).lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

fn renderer(style: Style) -> Renderer {
    let renderer = if style.colour { Renderer::styled() } else { Renderer::plain() };
    renderer.term_width(style.columns.unwrap_or(WIDTH))
}

/// `error[LF0102]: message`.
fn title(finding: &Finding, style: Style) -> Title<'static> {
    let (severity, code) = (severity(finding), finding.code.as_str());
    let taken = severity.len() + code.len() + "[]: ".len();
    level(finding).primary_title(beside(taken, &printable(&finding.message), style)).id(code)
}

/// `= help: advice`, behind line numbers of so many digits.
fn help(finding: &Finding, digits: usize, style: Style) -> Option<Message<'static>> {
    let taken = digits + " = help: ".len();
    let advice = finding.help.as_deref()?;
    Some(Level::HELP.message(beside(taken, &printable_lines(advice), style)))
}

/// The text in the columns that are left on a terminal.
fn beside(taken: usize, text: &str, style: Style) -> String {
    match style.columns {
        Some(columns) => {
            let width = columns.saturating_sub(taken);
            text.split('\n').map(|line| folded(line, width)).collect::<Vec<String>>().join("\n")
        }
        None => text.to_owned(),
    }
}

fn severity(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn level(finding: &Finding) -> Level<'static> {
    match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    }
}

/// `FILE: rejected, 3 errors, 1 warning`.
fn closing(judged: &Judged<'_>, findings: &[&Finding]) -> String {
    let errors = findings.iter().filter(|f| f.is_error()).count();
    let counts = [(errors, "error"), (findings.len() - errors, "warning")];
    let mut parts = vec![format!("{}: {}", printable(judged.file), judged.outcome.name())];
    parts
        .extend(counts.iter().filter(|(number, _)| *number > 0).map(|(number, noun)| counted(*number, noun)));
    format!("{}\n", parts.join(", "))
}

fn pictures(judged: &Judged<'_>, findings: &[&Finding], style: Style) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let spans = findings.iter().flat_map(|f| [f.span, f.related.as_ref().and_then(|r| r.span)]).flatten();
    let last = spans.map(|span| span.end as usize).max().unwrap_or_default();
    let masked = judged.mask.apply(judged.text, last);
    let moved = |span: Span| {
        let Range { start, end } = span.range();
        let start = masked.offset(start);
        start..masked.offset(end).max(start)
    };
    let sheet = Sheet {
        file: printable(judged.file),
        text: &masked.text,
        lines: LineIndex::new(&masked.text),
        places: LineIndex::new(judged.text.get(..masked.length).unwrap_or(judged.text)),
        moved: &moved,
        style,
    };
    let renderer = renderer(style);
    let mut text = String::new();
    for finding in findings {
        let picture = renderer.render(&[sheet.group(finding)]);
        for line in picture.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// The masked text of a file, ready to be cited.
struct Sheet<'a> {
    file: String,
    text: &'a str,
    lines: LineIndex<'a>,
    /// Lines and columns of the file itself, which are the same but where a line is endless.
    places: LineIndex<'a>,
    /// Where the bytes of the file are in the masked text.
    moved: &'a dyn Fn(Span) -> Range<usize>,
    style: Style,
}

impl Sheet<'_> {
    fn group(&self, finding: &Finding) -> Group<'static> {
        let mut group = Group::with_title(title(finding, self.style));
        let field = Some(printable(&finding.field)).filter(|field| !field.is_empty());
        let related = finding.related.as_ref();
        let spans = [finding.span, related.and_then(|related| related.span)];
        let last = spans.into_iter().flatten().map(|span| self.places.place(span).line).max();
        let digits = last.map_or(0, |line| line.to_string().len());
        let help = help(finding, digits, self.style);
        if let Some(excerpt) = self.excerpt(finding.span) {
            let second = related.and_then(|r| Some((self.excerpt(r.span)?, printable(&r.label))));
            let columns = self.style.columns.unwrap_or(usize::MAX);
            let has_room = |field: &String| digits + excerpt.marked_to() + field.chars().count() < columns;
            let (label, note) = field.map_or((None, None), |field| {
                if has_room(&field) { (Some(field), None) } else { (None, Some(field)) }
            });
            for snippet in self.snippets(&excerpt, label, second) {
                group = group.element(snippet);
            }
            if let Some(field) = note {
                group = group.element(Level::NOTE.with_name("field").message(field));
            }
        } else {
            group = group.element(self.origin(finding.span));
            if field.is_some() || help.is_some() {
                group = group.element(Padding);
            }
            if let Some(field) = field {
                group = group.element(Level::NOTE.with_name("field").message(field));
            }
        }
        match help {
            Some(help) => group.element(help),
            None => group,
        }
    }

    /// The place alone, for a finding that nothing can be underlined for.
    fn origin(&self, span: Option<Span>) -> Origin<'static> {
        let origin = Origin::path(self.file.clone());
        let Some(span) = span else { return origin };
        let place = self.places.place(span);
        origin.line(place.line).char_column(place.column)
    }

    /// The first line of a place; none if there is nothing to underline, or if the line is endless.
    fn excerpt(&self, span: Option<Span>) -> Option<Excerpt> {
        let span = span.filter(|span| span.start < span.end)?;
        let Range { start, end } = (self.moved)(span);
        if start >= self.text.len() {
            return None;
        }
        let number = self.lines.place(Span::new(start, start)).line;
        let line = self.lines.line(number);
        if start - line.start > MOST_BEFORE {
            return None;
        }
        let rest = self.text.get(start..line.end)?;
        // One whole character at least, as an annotation must not end inside one.
        let marked = self.text.get(start..end.clamp(start, line.end.max(start)))?;
        let marked = marked.chars().take(MOST_MARKED).count().max(1);
        Some(Excerpt {
            number,
            before: citable(self.text.get(line.start..start)?.chars()),
            marked: citable(rest.chars().take(marked)),
            after: citable(rest.chars().skip(marked).take(MOST_AFTER)),
        })
    }

    fn snippets(
        &self,
        first: &Excerpt,
        field: Option<String>,
        second: Option<(Excerpt, String)>,
    ) -> Vec<Snippet<'static, Annotation<'static>>> {
        let Some((second, label)) = second else {
            return vec![self.snippet(first.text(), first.number).annotation(first.primary(0, field))];
        };
        if first.number.abs_diff(second.number) > MOST_APART {
            return vec![
                self.snippet(first.text(), first.number).annotation(first.primary(0, field)),
                self.snippet(second.text(), second.number).annotation(second.context(0, label)),
            ];
        }
        let (text, at_first, at_second) = self.joined(first, &second);
        let snippet = self
            .snippet(text, first.number.min(second.number))
            .annotation(first.primary(at_first, field))
            .annotation(second.context(at_second, label));
        vec![snippet]
    }

    fn snippet(&self, text: String, number: usize) -> Snippet<'static, Annotation<'static>> {
        Snippet::source(text).line_start(number).path(self.file.clone())
    }

    /// Two excerpts as one text, with the offsets at which each begins in it.
    ///
    /// Of the lines between, only a single one is ever drawn; the others are there to be counted.
    fn joined(&self, first: &Excerpt, second: &Excerpt) -> (String, usize, usize) {
        let (mut upper, lower) = (first.text(), second.text());
        match first.number.cmp(&second.number) {
            std::cmp::Ordering::Equal => (if upper.len() < lower.len() { lower } else { upper }, 0, 0),
            std::cmp::Ordering::Less => {
                let at = self.append(&mut upper, first.number, &lower, second.number);
                (upper, 0, at)
            }
            std::cmp::Ordering::Greater => {
                let (mut upper, lower) = (lower, upper);
                let at = self.append(&mut upper, second.number, &lower, first.number);
                (upper, at, 0)
            }
        }
    }

    /// Puts `lower`, a line that is further down, under `upper`; gives the offset at which it begins.
    fn append(&self, upper: &mut String, number: usize, lower: &str, lower_number: usize) -> usize {
        let apart = lower_number - number;
        upper.push('\n');
        if apart == 2 {
            let between = self.text.get(self.lines.line(number + 1)).unwrap_or_default();
            upper.push_str(&citable(between.chars().take(MOST_MARKED + MOST_AFTER)));
        }
        upper.push_str(&"\n".repeat(apart - 1));
        let at = upper.len();
        upper.push_str(lower);
        at
    }
}

/// One line of the masked text, parted at what is underlined.
struct Excerpt {
    number: usize,
    before: String,
    marked: String,
    after: String,
}

impl Excerpt {
    /// The line. It ends in a blank, so that a place behind its last character has something to stand
    /// under; trailing blanks are not shown.
    fn text(&self) -> String {
        format!("{}{}{} ", self.before, self.marked, self.after)
    }

    /// The column behind what is underlined, with the bar before the line and a blank.
    fn marked_to(&self) -> usize {
        " | ".len() + self.before.chars().count() + self.marked.chars().count().max(1) + 1
    }

    fn primary(&self, offset: usize, label: Option<String>) -> Annotation<'static> {
        AnnotationKind::Primary.span(self.range(offset)).label(label)
    }

    fn context(&self, offset: usize, label: String) -> Annotation<'static> {
        AnnotationKind::Context.span(self.range(offset)).label(label)
    }

    fn range(&self, offset: usize) -> Range<usize> {
        let start = offset + self.before.len();
        start..start + self.marked.len().max(1)
    }
}

/// Characters of a line without those that take no room: the byte order mark and the CR of a line end.
fn citable(line: impl Iterator<Item = char>) -> String {
    line.filter(|c| !matches!(c, '\u{feff}' | '\r' | '\n')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_diagnostics::Kind;
    use landfall_install_config::verdict::Outcome;
    use landfall_source::{Mask, pages};

    fn shown(text: &str, mask: &Mask, finding: Finding) -> String {
        let outcome = Outcome::Rejected;
        render(&Judged { file: "a.yaml", text, outcome, findings: &[finding], mask }, Style::PLAIN)
    }

    fn broken(at: &str, text: &str) -> Finding {
        let start = text.find(at).unwrap_or_default();
        Finding::error(&pages::WRONG_TYPE, Kind::TypeInvalid, "a.b", "it is broken")
            .span(Span::new(start, start + at.len()))
    }

    #[test]
    fn underlines_the_place() {
        let text = "\u{feff}kind: x\r\nfips: maybe\r\n";
        let shown = shown(text, &Mask::default(), broken("maybe", text).help("write `true`"));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[..2], ["error[LF0011]: it is broken", " --> a.yaml:2:7"], "{shown}");
        assert_eq!(lines[3..5], ["2 | fips: maybe", "  |       ^^^^^ a.b"], "{shown}");
        assert!(lines[6].ends_with(": write `true`") && shown.ends_with("1 error\n"), "{shown}");
        landfall_testing::assert_text("finding", &shown);
    }

    #[test]
    fn a_terminal_gets_whole_words_in_its_width() {
        let text = format!("{}fips: {}\n", "x:\n".repeat(9), "maybe".repeat(9));
        let mut finding = broken("maybe", &text).help("write `true` or leave the field out of the file");
        finding.span = finding.span.map(|span| Span::new(span.start as usize, text.len() - 1));
        "a.long.field".clone_into(&mut finding.field);
        let style = Style { columns: Some(60), ..Style::PLAIN };
        let judged = Judged {
            file: "a.yaml",
            text: &text,
            outcome: Outcome::Rejected,
            findings: &[finding],
            mask: &Mask::default(),
        };
        let shown = render(&judged, style);
        assert!(shown.lines().all(|line| line.chars().count() <= 60), "{shown}");
        assert!(shown.contains("= field: a.long.field\n"), "{shown}");
        landfall_testing::assert_text("finding-narrow", &shown);
    }

    #[test]
    fn counts_no_byte_order_mark() {
        let text = "\u{feff}kind: x\n";
        assert!(shown(text, &Mask::default(), broken("x", text)).contains("a.yaml:1:7\n"));
    }

    #[test]
    fn shows_no_secret() {
        let text = "pullSecret: 'canary'\nfips: x\n";
        let mut mask = Mask::default();
        mask.hide(Span::new(13, 19));
        for mut finding in [broken("'canary'", text), broken("x", text).related("there", "pullSecret")] {
            if let Some(related) = &mut finding.related {
                related.span = Some(Span::new(12, 20));
            }
            let shown = shown(text, &mask, finding);
            assert!(!shown.contains("canary"), "{shown}");
            assert!(shown.contains("pullSecret: '••••••'"), "{shown}");
        }
    }

    #[test]
    fn shows_both_places_of_a_pair() {
        let text = "- a: one\n- b: two\n- c: three\n";
        let mut finding = broken("three", text).related("the first", "x");
        if let Some(related) = &mut finding.related {
            related.span = Some(Span::new(5, 8));
        }
        let shown = shown(text, &Mask::default(), finding);
        for part in ["a.yaml:3:6\n", "1 | - a: one", "2 | - b: two", "--- the first", "^^^^^ a.b"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn gives_the_place_alone_where_nothing_can_be_underlined() {
        let endless = format!("a: {}x\n", "b".repeat(5_000));
        for (text, span) in
            [("", Span::default()), ("a: b\n", Span::new(9, 9)), (&*endless, Span::new(5003, 5004))]
        {
            let finding = broken("", text).span(span);
            let shown = shown(text, &Mask::default(), finding);
            assert!(shown.contains("--> a.yaml:") && shown.contains("field: a.b"), "{shown}");
            assert!(shown.len() < 200, "{shown}");
        }
    }
}
