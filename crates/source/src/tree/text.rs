//! What texts look like, without their values being read.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The position of `...` before any content.
pub(super) fn end_marker_at_the_beginning(body: &str) -> Option<usize> {
    let (at, line) = content(body).next()?;
    let rest = line.strip_prefix("...")?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(at)
}

/// The position of a directive before any content that is neither of the version nor of tags.
pub(super) fn unknown_directive(body: &str) -> Option<usize> {
    let mut directives = content(body).take_while(|(_, line)| line.starts_with('%'));
    let is_known = |line: &str| matches!(line.split_whitespace().next(), Some("%YAML" | "%TAG"));
    directives.find(|(_, line)| !is_known(line)).map(|(at, _)| at)
}

/// The lines that are neither blank nor comments, each with its position.
fn content(body: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = body.split_inclusive('\n').scan(0, |start, line| {
        let at = *start;
        *start += line.len();
        Some((at, line))
    });
    lines.filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

/// Whether anything but markers, comments and blanks follows.
pub(super) fn has_content(rest: &str) -> bool {
    rest.lines()
        .map(|line| line.trim_start_matches("---").trim_start_matches("...").trim())
        .any(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Text from base64, which may have line breaks; invalid bytes become replacement characters.
pub(super) fn unpacked(text: &str) -> Option<String> {
    let packed: String = text.chars().filter(|c| !['\r', '\n'].contains(c)).collect();
    STANDARD.decode(packed).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether text begins with a date, as every time that `!!timestamp` takes does.
pub(super) fn is_timestamp(text: &str) -> bool {
    let date = text.split(['T', 't', ' ']).next().unwrap_or_default();
    let parts: Vec<&str> = date.split('-').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let fits = |part: &str, most: u8| part.parse::<u8>().is_ok_and(|number| (1..=most).contains(&number));
    match parts[..] {
        [year, month, day] => {
            parts.iter().all(is_number) && year.len() == 4 && fits(month, 12) && fits(day, 31)
        }
        _ => false,
    }
}

/// What is left of a line after its list dashes.
pub(super) fn strip_dashes(mut line: &str) -> &str {
    while let Some(rest) = line.strip_prefix('-') {
        if rest.starts_with(' ') {
            line = rest.trim_start_matches(' ');
        } else if rest.starts_with('\t') {
            return rest;
        } else {
            break;
        }
    }
    line
}
