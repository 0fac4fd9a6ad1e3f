//! The events of the two parsers, in one form.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read as _;

use granit_parser::{Options, ScalarStyle, StructureStyle};
use libyaml_safer::{EventData, MappingStyle};

use crate::MOST_DEPTH;

/// The namespace of YAML's own tags.
const CORE: &str = "tag:yaml.org,2002:";

/// The next event of the text. Anchors are numbers; 0 is none.
pub(super) enum Event<'t> {
    /// The text says that it is of another version than 1.1.
    NotVersion11,
    /// A scalar, with the name of its tag in YAML's own namespace; empty for other tags.
    Scalar {
        text: Cow<'t, str>,
        plain: bool,
        /// Whether it is in double quotes.
        quoted: bool,
        anchor: usize,
        tag: Option<String>,
    },
    List {
        anchor: usize,
    },
    Map {
        anchor: usize,
        flow: bool,
    },
    /// The end of a list or map.
    End,
    Alias(usize),
    /// An alias of an anchor that is not there.
    UnknownAlias,
    DocumentEnd,
    StreamEnd,
}

/// An event with its first byte and the one after its last.
pub(super) struct Placed<'t> {
    pub(super) event: Event<'t>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Where and why a parser stopped.
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) too_deep: bool,
}

/// The events of a text by YAML 1.2.
pub(super) fn strict(text: &str) -> impl Iterator<Item = Result<Placed<'_>, Fault>> {
    use granit_parser::Event as Read;
    let mut options = Options::default();
    options.block_nesting_limit = MOST_DEPTH;
    options.flow_nesting_limit = MOST_DEPTH;
    options.emit_unresolved_aliases = true;
    options.set_emit_comments(false);
    granit_parser::Parser::new_from_str_with_options(text, options).filter_map(|read| {
        let (read, span) = match read {
            Ok(read) => read,
            Err(fault) => {
                let message = fault.kind().to_string();
                let too_deep = message.contains("nesting") || message.contains("recursion");
                return Some(Err(Fault { at: fault.marker().byte_offset().unwrap_or(0), message, too_deep }));
            }
        };
        let event = match read {
            Read::DocumentStart(_, Some(version)) if (version.major, version.minor) != (1, 1) => {
                Event::NotVersion11
            }
            Read::DocumentEnd => Event::DocumentEnd,
            Read::StreamEnd => Event::StreamEnd,
            Read::Alias(anchor) => Event::Alias(anchor),
            Read::UnresolvedAlias(_) => Event::UnknownAlias,
            Read::Scalar(text, style, anchor, tag) => {
                let tag = tag.map(|tag| tag.suffix_in_namespace(CORE).unwrap_or_default().into_owned());
                let (plain, quoted) = (style == ScalarStyle::Plain, style == ScalarStyle::DoubleQuoted);
                Event::Scalar { text, plain, quoted, anchor, tag }
            }
            Read::SequenceStart(_, anchor, _) => Event::List { anchor },
            Read::MappingStart(style, anchor, _) => {
                Event::Map { anchor, flow: style == StructureStyle::Flow }
            }
            Read::SequenceEnd | Read::MappingEnd => Event::End,
            _ => return None,
        };
        let start = span.start.byte_offset().unwrap_or(0);
        Some(Ok(Placed { event, start, end: span.end.byte_offset().unwrap_or(start) }))
    })
}

/// The events of a text as libyaml reads it, which the installer's parser is a translation of.
pub(super) fn lenient(text: &str) -> impl Iterator<Item = Result<Placed<'_>, Fault>> {
    // The parser panics at such a tag, so it gets none of the text.
    let refused = tag_before_comma(text).map(|at| {
        let message = "did not find expected whitespace or line break after a tag".to_owned();
        Err(Fault { at, message, too_deep: false })
    });
    let text = if refused.is_some() { "" } else { text };
    refused.into_iter().chain(lenient_events(text))
}

/// Where a comma follows a tag in a flow list or map.
fn tag_before_comma(text: &str) -> Option<usize> {
    let commas = possible_commas(text);
    let first = *commas.first()?;
    // With a space before each of them the parser reads on, and an empty scalar ends at the space.
    let (mut spaced, mut from) = (String::with_capacity(text.len() + commas.len()), 0);
    let mut blanks = Vec::with_capacity(commas.len());
    for at in &commas {
        spaced.push_str(&text[from..*at]);
        blanks.push(spaced.len());
        spaced.push(' ');
        from = *at;
    }
    spaced.push_str(&text[from..]);
    for read in lenient_events(&spaced) {
        match read {
            Ok(Placed { event: Event::Scalar { text, tag: Some(_), .. }, end, .. }) if text.is_empty() => {
                if let Ok(number) = blanks.binary_search(&end) {
                    return commas.get(number).copied();
                }
            }
            Ok(Placed { event: Event::DocumentEnd | Event::StreamEnd, .. }) => break,
            Ok(_) => {}
            // The parser looks ahead: it may have met the tag.
            Err(_) => return Some(first),
        }
    }
    None
}

/// Where a comma may follow a tag in a flow list or map. Text in quotes and comments is not told apart, so that
/// no such tag is missed.
fn possible_commas(text: &str) -> Vec<usize> {
    let (mut flow, mut tag, mut verbatim, mut closed) = (false, false, false, false);
    let mut before = ' ';
    let mut commas = Vec::new();
    for (at, next) in text.char_indices() {
        if next == ',' && flow && (tag || closed) {
            commas.push(at);
        }
        flow |= matches!(next, '[' | '{');
        closed = next == '>' && verbatim;
        verbatim = (next == '<' && before == '!') || (verbatim && (is_of_tag(next) || ",[]".contains(next)));
        // Behind a letter or digit, the mark belongs to what the letter belongs to.
        let begins = next == '!' && !before.is_ascii_alphanumeric();
        tag = begins || (tag && is_of_tag(next));
        before = next;
    }
    commas
}

/// Whether a character may be in a tag.
fn is_of_tag(one: char) -> bool {
    one.is_ascii_alphanumeric() || "-_;/?:@&=+$.%!~*'()".contains(one)
}

fn lenient_events(text: &str) -> impl Iterator<Item = Result<Placed<'_>, Fault>> {
    let mut parser = libyaml_safer::Parser::new();
    // It passes over one mark at the beginning, which has been taken off, and would take the next one for it. It
    // panics at some texts whose last line has no end.
    parser.set_input("\u{feff}".as_bytes().chain(text.as_bytes()).chain(&b"\n"[..]));
    let mut anchors = Anchors::default();
    // The end of the text is behind the line break that it was given.
    let at = |index| usize::try_from(index).map_or(text.len(), |index| index.min(text.len()));
    parser.filter_map(move |read| {
        let read = match read {
            Ok(read) => read,
            Err(fault) => {
                let at = fault.problem_mark().map_or(0, |mark| at(mark.index));
                let message = fault.problem().to_owned();
                return Some(Err(Fault { at, message, too_deep: false }));
            }
        };
        let event = match read.data {
            EventData::DocumentStart { version_directive: Some(version), .. }
                if (version.major, version.minor) != (1, 1) =>
            {
                Event::NotVersion11
            }
            EventData::StreamStart { .. } | EventData::DocumentStart { .. } => return None,
            EventData::DocumentEnd { .. } => Event::DocumentEnd,
            EventData::StreamEnd => Event::StreamEnd,
            EventData::Alias { anchor } => anchors.get(&anchor).map_or(Event::UnknownAlias, Event::Alias),
            EventData::Scalar { anchor, tag, value, style, .. } => Event::Scalar {
                text: Cow::Owned(value),
                plain: style == libyaml_safer::ScalarStyle::Plain,
                quoted: style == libyaml_safer::ScalarStyle::DoubleQuoted,
                anchor: anchors.number(anchor),
                tag: tag.map(|tag| tag.strip_prefix(CORE).unwrap_or_default().to_owned()),
            },
            EventData::SequenceStart { anchor, .. } => Event::List { anchor: anchors.number(anchor) },
            EventData::MappingStart { anchor, style, .. } => {
                Event::Map { anchor: anchors.number(anchor), flow: style == MappingStyle::Flow }
            }
            EventData::SequenceEnd | EventData::MappingEnd => Event::End,
        };
        Some(Ok(Placed { event, start: at(read.start_mark.index), end: at(read.end_mark.index) }))
    })
}

/// The numbers of anchors by their names; the last of a name counts.
#[derive(Default)]
struct Anchors {
    numbers: HashMap<String, usize>,
    last: usize,
}

impl Anchors {
    fn number(&mut self, name: Option<String>) -> usize {
        let Some(name) = name else { return 0 };
        self.last += 1;
        self.numbers.insert(name, self.last);
        self.last
    }

    fn get(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_before_a_comma_is_a_fault_and_no_panic() {
        let tags = ["!", "!x", "!!str", "!a!b", "!<x>", "!<a,b>", "!%41", "!!!"];
        for tag in tags {
            for (head, tail) in
                [("a: [", "b]\nc: @x"), ("{", "b: c}"), ("[?", "b]"), ("[\"a\"", "b"), ("['!<'", "b")]
            {
                let text = format!("{head}{tag},{tail}");
                let fault = lenient(&text).find_map(Result::err);
                assert_eq!(fault.map(|fault| fault.at), Some(head.len() + tag.len()), "{text}");
            }
        }
    }

    #[test]
    fn other_texts_with_marks_and_commas_are_read() {
        for text in ["a: Hello!, you", "a: !x b, c", "a: [!x b, c!, d]", "a: [b]\nc: !<x> y, z"] {
            assert!(possible_commas(text).is_empty(), "{text}");
            assert_eq!(tag_before_comma(text), None, "{text}");
            assert!(lenient(text).all(|read| read.is_ok()), "{text}");
        }
    }

    #[test]
    fn marks_in_quotes_and_comments_are_no_tags() {
        for text in ["a: [b] # !c, d", "a: [b, '!c, d']", "a: [\"!c, d\"]", "a: {b: c}\nd: |\n  !e, f"] {
            assert_eq!(tag_before_comma(text), None, "{text}");
            assert!(lenient(text).all(|read| read.is_ok()), "{text}");
        }
    }
}
