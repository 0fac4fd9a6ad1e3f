//! The pages of all codes: the files of `docs/codes`, which are part of the program.
//!
//! A file begins with its severity, fields and base between two lines `---`. The title follows as a
//! heading, then the text, and the examples under `## Wrong` and `## Right`.

use include_dir::{Dir, include_dir};

use super::{Base, Page, Severity};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../docs/codes");

/// The page of a code, which is given as `LF0123`.
#[must_use]
pub fn page(code: &str) -> Option<Page> {
    all().find(|(name, _)| *name == code).and_then(|(name, text)| read(name, text).ok())
}

/// The pages of all codes, sorted by code.
#[must_use]
pub fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = all().filter_map(|(name, text)| read(name, text).ok()).collect();
    pages.sort_unstable_by_key(|page| page.code);
    pages
}

/// The name and the text of every file. A test refuses those that have neither.
fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.files().filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)))
}

/// Reads the file of a code. The error says what it lacks.
fn read(code: &'static str, file: &'static str) -> Result<Page, &'static str> {
    let (head, body) = file
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("---\n\n"))
        .ok_or("the file does not begin with keys between two lines `---`")?;
    let (severity, fields, base) = keys(head)?;
    let (title, rest) = body
        .strip_prefix("# ")
        .and_then(|rest| rest.strip_prefix(code)?.strip_prefix(": ")?.split_once("\n\n"))
        .ok_or("the heading is not `# CODE: TITLE`")?;
    let (rest, right) = example(rest, "\n## Right\n\n")?;
    let (text, wrong) = example(rest, "\n## Wrong\n\n")?;
    if wrong.is_empty() != right.is_empty() {
        return Err("one example is missing");
    }
    if text.trim().is_empty() || text.lines().any(|line| line.starts_with('#')) {
        return Err("there is no text, or another heading");
    }
    let paragraphs = text.trim_end().split("\n\n").map(plain);
    let text = paragraphs.collect::<Vec<_>>().join("\n\n");
    Ok(Page { code, title, severity, text, fields, base, wrong, right })
}

/// A paragraph with one line for all of it, or for each item of a list and each row of a table.
fn plain(paragraph: &str) -> String {
    let mut text = String::new();
    // Fences of code and the line below the head of a table say nothing.
    for line in paragraph.lines().filter(|line| !["```", "|--"].iter().any(|start| line.starts_with(start))) {
        if !text.is_empty() {
            text.push(if line.starts_with(['-', '|']) { '\n' } else { ' ' });
        }
        text.push_str(line.trim_start());
    }
    // `\<` keeps Markdown from taking what follows for HTML.
    text.replace("\\<", "<")
}

/// What is between the lines `---`: severity, fields and base, the last two of which may be missing.
fn keys(head: &'static str) -> Result<(Severity, Vec<&'static str>, Base), &'static str> {
    let (mut severity, mut fields, mut base) = (None, None::<Vec<&'static str>>, Base::Whole);
    for line in head.lines() {
        match (line.split_once(':'), line.strip_prefix("- "), &mut fields) {
            (_, Some(field), Some(fields)) => fields.push(field),
            (Some(("severity", " error")), ..) => severity = Some(Severity::Error),
            (Some(("severity", " warning")), ..) => severity = Some(Severity::Warning),
            (Some(("fields", "")), ..) => fields = Some(Vec::new()),
            (Some(("base", name)), ..) => {
                base = Base::named(name.trim_start()).ok_or("unknown base")?;
            }
            _ => return Err("a line between the lines `---` is not known"),
        }
    }
    Ok((
        severity.ok_or("`severity: error` or `severity: warning` is missing")?,
        fields.unwrap_or_default(),
        base,
    ))
}

/// Splits off the example under a heading, which ends the text.
fn example(text: &'static str, heading: &str) -> Result<(&'static str, &'static str), &'static str> {
    let Some((text, example)) = text.split_once(heading) else { return Ok((text, "")) };
    let example = example.strip_prefix("```yaml\n").and_then(|example| example.strip_suffix("```\n"));
    match example {
        Some(example) if !example.is_empty() && !example.contains("```") => Ok((text, example)),
        _ => Err("an example is not one block of YAML"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "---\nseverity: warning\nfields:\n- a.b\n- <pool>.c[]\nbase: aws\n---\n\n# LF9999: a \
                        title\n\nOne text\non two lines.\n\nAnother \\<id>.\n\n## Wrong\n\n```yaml\na: 1\n```\n\n## \
                        Right\n\n```yaml\na: 2\n```\n";

    #[test]
    fn every_file_is_a_page() {
        let faults: Vec<String> = FILES
            .files()
            .filter_map(|file| {
                let name = file.path().file_stem().and_then(|name| name.to_str()).unwrap_or_default();
                let text = file.contents_utf8().unwrap_or_default();
                let is_page = file.path().extension().is_some_and(|end| end == "md");
                let fault = if is_page { read(name, text).err()? } else { "the name does not end with .md" };
                Some(format!("{}: {fault}", file.path().display()))
            })
            .collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert_eq!(FILES.dirs().count(), 0);
        assert_eq!(pages().len(), FILES.files().count());
    }

    #[test]
    fn lists_and_tables_keep_their_lines() {
        assert_eq!(plain("One\ntext with \\<id>:\n- a\n  b\n- c"), "One text with <id>:\n- a b\n- c");
        assert_eq!(plain("| a | b |\n|---|---|\n| c | d |"), "| a | b |\n| c | d |");
        assert_eq!(plain("```\nls -l\n```"), "ls -l");
    }

    #[test]
    fn a_page_is_found_by_its_code() {
        let found = page("LF0005").map(|page| (page.code, page.severity, page.base));
        assert_eq!(found, Some(("LF0005", Severity::Error, Base::None)));
        assert_eq!(page("LF9999"), None);
    }

    #[test]
    fn a_file_is_read_whole() {
        let page = Page {
            code: "LF9999",
            title: "a title",
            text: "One text on two lines.\n\nAnother <id>.".to_owned(),
            severity: Severity::Warning,
            fields: vec!["a.b", "<pool>.c[]"],
            base: Base::Aws,
            wrong: "a: 1\n",
            right: "a: 2\n",
        };
        assert_eq!(read("LF9999", FILE), Ok(page));
        let short = read("LF9999", "---\nseverity: error\n---\n\n# LF9999: a title\n\nOne text.\n");
        let short = short.map(|page| (page.fields.len(), page.base, page.wrong, page.right));
        assert_eq!(short, Ok((0, Base::Whole, "", "")));
    }

    #[test]
    fn a_file_that_lacks_something_is_refused() {
        let without = [
            ("---\nseverity", "severity"),
            ("severity: warning\n", ""),
            ("severity: warning", "severity: fatal"),
            ("fields:\n", ""),
            ("base: aws", "base: moon"),
            ("# LF9999: ", "# LF9998: "),
            ("# LF9999: ", "# "),
            ("One text\non two lines.\n\nAnother \\<id>.\n", ""),
            ("Another ", "## Another "),
            ("## Wrong\n\n```yaml\na: 1\n```\n\n", ""),
            ("\n\n## Right\n\n```yaml\na: 2\n```\n", "\n"),
            ("a: 1\n", ""),
            ("```yaml\na: 2\n```\n", "a: 2\n"),
            ("a: 2\n```\n", "a: 2\n```\n\nMore.\n"),
        ];
        for (part, instead) in without {
            assert_eq!(FILE.matches(part).count(), 1, "{part:?}");
            let text: &'static str = FILE.replacen(part, instead, 1).leak();
            assert!(read("LF9999", text).is_err(), "{part:?} {instead:?}");
        }
    }
}
