//! From a parser's events to the tree, in one pass.

mod dialect;
mod reading;

use std::borrow::Cow;
use std::collections::HashMap;

use landfall_diagnostics::{Code, Finding, Findings, Kind, Span};

use super::events::{Event, Fault, Placed, lenient, strict};
use super::seen::Seen;
use super::text::{
    end_marker_at_the_beginning, has_content, is_timestamp, strip_dashes, unknown_directive, unpacked,
};
use super::{Entry, KeyKind, Node, NodeId, NodeKind, Slice, Tree};
use crate::scalar::{Scalar, resolve};
use crate::{MOST_DEPTH, MOST_NODES, pages};

pub(crate) use reading::read;

/// A collection that is being read.
enum Frame {
    List { start: usize, anchor: usize, first: usize },
    Map { start: usize, anchor: usize, flow: bool, first: usize, key: Option<NodeId> },
}

struct Builder<'t, 'f> {
    tree: Tree<'t>,
    findings: &'f mut Findings,
    frames: Vec<Frame>,
    /// The items of the lists that are being read, those of the innermost last.
    items: Vec<NodeId>,
    /// The keys and values of the maps that are being read, those of the innermost last.
    pairs: Vec<(NodeId, NodeId)>,
    anchors: HashMap<usize, NodeId>,
    /// Number of values of each node, with aliases expanded.
    sizes: Vec<usize>,
    expanded: usize,
    /// Bytes in which a tab at the beginning of a line is fine.
    tab_safe: Vec<Span>,
    offset: usize,
    failed: bool,
    /// What the parser could not read.
    refused: Option<Fault>,
}

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// By YAML 1.2.
    Strict,
    /// By what the installer's parser lets pass.
    Lenient,
}

impl<'t, 'f> Builder<'t, 'f> {
    fn new(body: &str, offset: usize, findings: &'f mut Findings) -> Self {
        // Most values take about ten bytes with their key; a guess that is off costs a move.
        let nodes = Vec::with_capacity((body.len() / 10).min(MOST_NODES));
        Self {
            tree: Tree { nodes, ..Tree::default() },
            findings,
            frames: Vec::new(),
            items: Vec::new(),
            pairs: Vec::new(),
            anchors: HashMap::new(),
            sizes: Vec::new(),
            expanded: 0,
            tab_safe: Vec::new(),
            offset,
            failed: false,
            refused: None,
        }
    }

    fn read(&mut self, body: &'t str, reading: Reading) {
        let end = self.run(body, reading).filter(|end| body.is_char_boundary(*end));
        let read_to = end.unwrap_or(body.len());
        if !self.failed && reading == Reading::Strict {
            self.check_tabs(&body[..read_to]);
        }
        if self.failed {
            self.close_all();
        } else if end.is_some_and(|end| has_content(&body[end..])) {
            let start = self.offset + read_to;
            let line = body[read_to..].find('\n').unwrap_or(body.len() - read_to);
            let message = "the text from here on is ignored: an install config is one YAML document";
            self.findings.push(
                Finding::warning(&pages::MORE_DOCUMENTS, Kind::Parse, "", message)
                    .help("put each config into its own file")
                    .span(Span::new(start, start + line)),
            );
        }
    }

    /// Consumes the first document; the offset of its end marker if one follows.
    fn run(&mut self, body: &'t str, reading: Reading) -> Option<usize> {
        if let Some(at) = end_marker_at_the_beginning(body) {
            let message = "the file begins with the end of a document";
            self.fail(&pages::SYNTAX, Span::new(at, at + 3), message, Some("remove the line `...`"));
            return None;
        }
        if let Some(at) = unknown_directive(body) {
            let message = "the directive is unknown: only `%YAML` and `%TAG` are read";
            self.fail(&pages::SYNTAX, Span::new(at, at + 1), message, Some("remove the line"));
            return None;
        }
        match reading {
            Reading::Strict => self.consume(body, strict(body), reading),
            Reading::Lenient => self.consume(body, lenient(body), reading),
        }
    }

    fn consume(
        &mut self,
        body: &str,
        events: impl Iterator<Item = Result<Placed<'t>, Fault>>,
        reading: Reading,
    ) -> Option<usize> {
        for event in events {
            let Placed { event, start, end } = match event {
                Ok(read) => read,
                Err(fault) => {
                    self.refuse(body, fault);
                    return None;
                }
            };
            match event {
                Event::NotVersion11 => {
                    let message = "the file declares another version than YAML 1.1";
                    let help = "remove the line that begins with `%YAML`";
                    self.fail(&pages::SYNTAX, Span::new(0, 1), message, Some(help));
                }
                Event::DocumentEnd => return Some(start),
                Event::StreamEnd => return None,
                Event::Alias(id) => self.alias(id, Span::new(start, end)),
                Event::UnknownAlias => {
                    // The name is not repeated: it may be a password that begins with a star.
                    let message = "the alias has no anchor of this name before it";
                    let help = "put the value in quotes if the `*` is part of it";
                    self.fail(&pages::SYNTAX, Span::new(start, start + 1), message, Some(help));
                    // The installer's parser ends the name at a colon.
                    let message = message.to_owned();
                    self.refused = Some(Fault { at: start, message, too_deep: false });
                }
                Event::Scalar { text, plain, quoted, anchor, tag } => {
                    if reading == Reading::Strict {
                        self.check_dialect(body, (plain, quoted), tag.is_some(), Span::new(start, end));
                    }
                    if !plain || end.saturating_sub(start) > text.len() {
                        self.tab_safe.push(Span::new(start, end));
                    }
                    let kind = self.scalar(text, plain, tag.as_deref(), Span::new(start, end));
                    let id = self.add(Span::new(start, end), kind, 1);
                    self.attach(id, anchor, 1);
                }
                Event::List { anchor } => {
                    self.open(Frame::List { start, anchor, first: self.items.len() }, start);
                }
                Event::Map { anchor, flow } => {
                    let frame = Frame::Map { start, anchor, flow, first: self.pairs.len(), key: None };
                    self.open(frame, start);
                }
                Event::End => self.close(end),
            }
            if self.failed {
                return None;
            }
        }
        None
    }

    /// Says where and why the parser stopped.
    fn refuse(&mut self, body: &str, fault: Fault) {
        let at = fault.at;
        // The parser may stop a little before the character that it cannot take.
        self.check_characters(body, at.saturating_add(1000));
        if self.failed {
            return;
        }
        if fault.too_deep {
            let message = format!("the file has more than {MOST_DEPTH} levels");
            self.fail(&pages::TOO_DEEP, Span::new(at, at), &message, None);
            return;
        }
        let message = format!("this is not YAML: {}", fault.message);
        let help = if fault.message.contains("tab") {
            "indent with spaces, because YAML allows no tab there"
        } else {
            "the cause is often one line earlier: an unclosed quote or bracket, or a wrong indentation"
        };
        self.fail(&pages::SYNTAX, Span::new(at, at + 1), &message, Some(help));
        self.refused = Some(fault);
    }

    fn fail(&mut self, code: &'static Code, span: Span, message: &str, help: Option<&str>) {
        let span = self.shifted(span);
        let mut finding = Finding::error(code, Kind::Parse, "", message).span(span);
        finding.help = help.map(str::to_owned);
        self.findings.push(finding);
        self.failed = true;
    }

    fn shifted(&self, span: Span) -> Span {
        Span::new(span.start as usize + self.offset, span.end as usize + self.offset)
    }

    fn add(&mut self, span: Span, kind: NodeKind<'t>, size: usize) -> NodeId {
        // At most MOST_NODES nodes are created, so the number fits.
        let id = NodeId(u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX));
        let span = self.shifted(span);
        self.tree.nodes.push(Node { span, kind });
        self.sizes.push(size);
        id
    }

    /// A scalar with the name of its tag in YAML's own namespace, if it has one; empty for other tags.
    fn scalar(&mut self, text: Cow<'t, str>, plain: bool, tag: Option<&str>, span: Span) -> NodeKind<'t> {
        let Some(name) = tag else {
            return if plain { NodeKind::Plain(text) } else { NodeKind::Text(text) };
        };
        let resolved = resolve(&text);
        let wanted = match (name, &resolved) {
            ("int", Scalar::Int(_)) | ("bool", Scalar::Bool(_)) | ("float", Scalar::Float(_)) => {
                return NodeKind::Plain(text);
            }
            ("null", Scalar::Null) => return NodeKind::Plain(text),
            ("merge", _) if text == "<<" => return NodeKind::Plain(text),
            #[allow(clippy::cast_precision_loss)] // what a float of this number is
            ("float", Scalar::Int(number)) => return NodeKind::Float(*number as f64),
            ("binary", _) => match unpacked(&text) {
                Some(decoded) => return NodeKind::Text(Cow::Owned(decoded)),
                None => "text in base64",
            },
            ("timestamp", _) if !is_timestamp(&text) => "a time",
            ("int", _) => "a whole number",
            ("float", _) => "a number",
            ("bool", _) => "a boolean",
            ("null", _) => "null",
            _ => return NodeKind::Text(text),
        };
        let message = format!("the tag declares {wanted}, but the value is not");
        self.fail(&pages::SYNTAX, span, &message, Some("remove the tag that begins with `!!`"));
        NodeKind::Text(text)
    }

    fn alias(&mut self, anchor: usize, span: Span) {
        let Some(target) = self.anchors.get(&anchor).copied() else {
            // The anchor is of a collection that is not closed yet: it would contain itself.
            self.fail(&pages::SYNTAX, span, "an alias is inside its own anchor", None);
            return;
        };
        let size = self.size(target);
        let id = self.add(span, NodeKind::Alias(target), size);
        self.attach(id, 0, size);
    }

    fn open(&mut self, frame: Frame, start: usize) {
        if self.frames.len() >= MOST_DEPTH {
            let message = format!("the file has more than {MOST_DEPTH} levels");
            self.fail(&pages::TOO_DEEP, Span::new(start, start), &message, None);
            return;
        }
        self.frames.push(frame);
    }

    fn close(&mut self, end: usize) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let (start, anchor, last, kind, size) = match frame {
            Frame::List { start, anchor, first } => {
                let items = self.items.get(first..).unwrap_or_default();
                let size = items.iter().fold(1, |sum: usize, id| sum.saturating_add(self.size(*id)));
                let last = items.last().copied();
                let before = self.tree.items.len();
                self.tree.items.extend_from_slice(items);
                self.items.truncate(first);
                let kind = NodeKind::List(Slice::new(before, self.tree.items.len()));
                (start, anchor, last, kind, size)
            }
            Frame::Map { start, anchor, flow, first, .. } => {
                if flow {
                    self.tab_safe.push(Span::new(start, end));
                }
                let pairs = self.pairs.get(first..).unwrap_or_default();
                let last = pairs.last().map(|(_, value)| *value);
                let size = pairs.iter().fold(1, |sum: usize, (_, value)| {
                    sum.saturating_add(1).saturating_add(self.size(*value))
                });
                let map = self.entries(first);
                (start, anchor, last, NodeKind::Map(map), size)
            }
        };
        // A block ends where its last value does; the parser's end is the next token's start.
        let shift = self.offset;
        let end = match last {
            Some(last) if !matches!(self.tree.node(last).kind, NodeKind::Alias(_)) => {
                (self.tree.node(last).span.end as usize).saturating_sub(shift).max(start)
            }
            _ => end,
        };
        let id = self.add(Span::new(start, end), kind, size);
        self.attach(id, anchor, 1);
    }

    fn size(&self, id: NodeId) -> usize {
        self.sizes.get(id.0 as usize).copied().unwrap_or(1)
    }

    /// Puts a finished node into its collection; `size` is how many values it newly stands for.
    fn attach(&mut self, id: NodeId, anchor: usize, size: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        self.expanded = self.expanded.saturating_add(size);
        if self.expanded > MOST_NODES {
            let span = self.tree.node(id).span;
            let span = Span::new(span.start as usize - self.offset, span.start as usize - self.offset);
            let message = format!("the file has more than {MOST_NODES} values");
            self.fail(&pages::TOO_DEEP, span, &message, None);
            return;
        }
        match self.frames.last_mut() {
            None => self.tree.root = Some(id),
            Some(Frame::List { .. }) => self.items.push(id),
            Some(Frame::Map { key, .. }) => match key.take() {
                None => *key = Some(id),
                Some(key) => self.pairs.push((key, id)),
            },
        }
    }

    /// The entries of the map whose pairs begin at `first`: keys as text, merge keys written out, duplicates
    /// found.
    fn entries(&mut self, first: usize) -> Slice {
        let before = self.tree.entries.len();
        let mut seen = Seen::default();
        for at in first..self.pairs.len() {
            let Some((key, value)) = self.pairs.get(at).copied() else {
                break;
            };
            let node = self.tree.node(key);
            let span = node.span;
            if matches!(&node.kind, NodeKind::Plain(text) if text == "<<") {
                self.merge(value, span, before, &mut seen);
                continue;
            }
            let named = match (self.tree.scalar(key), &node.kind) {
                (None | Some(Scalar::Null), _) => None,
                // The installer cannot turn a key of this size into JSON.
                (Some(Scalar::Int(number)), _) if number > i128::from(i64::MAX) => None,
                (Some(Scalar::Text(_)), NodeKind::Text(text) | NodeKind::Plain(text)) => {
                    Some((text.clone(), KeyKind::Text))
                }
                (Some(scalar), _) => {
                    let kind = match scalar {
                        Scalar::Bool(_) => KeyKind::Bool,
                        Scalar::Int(_) => KeyKind::Int,
                        Scalar::Float(_) => KeyKind::Float,
                        Scalar::Null | Scalar::Text(_) => KeyKind::Text,
                    };
                    Some((Cow::Owned(scalar.to_text().into_owned()), kind))
                }
            };
            let Some((name, kind)) = named else {
                let message = "a key must be text, a boolean or a number below 2^63";
                let finding = Finding::error(&pages::KEY, Kind::Parse, "", message).span(span);
                self.findings.push(finding);
                continue;
            };
            let entry = Entry { key: name, key_span: span, value, kind };
            self.admit(entry, span, before, &mut seen);
        }
        self.pairs.truncate(first);
        Slice::new(before, self.tree.entries.len())
    }

    /// Adds an entry to the map whose entries begin at `before`.
    fn admit(&mut self, entry: Entry<'t>, span: Span, before: usize, seen: &mut Seen) {
        let entries = self.tree.entries.get(before..).unwrap_or_default();
        if let Some(first) = seen.insert(entries, &entry) {
            let message = format!("the key `{}` is duplicated in this map", entry.key);
            let mut finding = Finding::error(&pages::DUPLICATE_KEY, Kind::Duplicate, "", message)
                .help("keep one of the two")
                .related("first here", "")
                .span(span);
            if let Some(related) = &mut finding.related {
                related.span = Some(first);
            }
            self.findings.push(finding);
            return;
        }
        self.tree.entries.push(entry);
    }

    fn merge(&mut self, value: NodeId, span: Span, before: usize, seen: &mut Seen) {
        // A list must stand here itself: an alias of one is refused by go-yaml as well.
        let sources: Vec<NodeId> = match self.tree.node(value).kind {
            NodeKind::List(list) => self.tree.items(list).to_vec(),
            _ => vec![value],
        };
        for source in sources {
            let NodeKind::Map(merged) = self.tree.target(source).kind else {
                let message = "a merge key needs a map, or a list of maps";
                let finding = Finding::error(&pages::SYNTAX, Kind::Parse, "", message).span(span);
                self.findings.push(finding);
                continue;
            };
            self.expanded = self.expanded.saturating_add(merged.range().len());
            if self.expanded > MOST_NODES {
                return; // the next attach says so
            }
            for entry in self.tree.entries(merged).to_vec() {
                self.admit(entry, span, before, seen);
            }
        }
    }

    /// After a fault: closes what is open, so that what was read can be judged too.
    fn close_all(&mut self) {
        if self.expanded > MOST_NODES {
            self.tree = Tree::default();
            return;
        }
        while !self.frames.is_empty() {
            let end = self.tree.nodes.last().map_or(0, |node| node.span.end as usize);
            self.close(end.saturating_sub(self.offset));
        }
    }

    /// Says which control character the parser stopped at, if one stands before `end`.
    fn check_characters(&mut self, body: &str, end: usize) {
        let allowed = |c: char| {
            matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}'
                | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
        };
        if let Some((at, c)) = body.char_indices().take_while(|(at, _)| *at < end).find(|(_, c)| !allowed(*c))
        {
            let message = format!("the control character U+{:04X} must be written as an escape", c as u32);
            let help = format!("in double quotes: \"\\x{:02x}\"", c as u32);
            self.fail(&pages::ENCODING, Span::new(at, at + c.len_utf8()), &message, Some(&help));
        }
    }

    /// Refuses a tab in indentation, which the parser accepts in some places.
    fn check_tabs(&mut self, body: &str) {
        if !body.contains('\t') {
            return;
        }
        // Sorted by their start, with the furthest end so far, so that one look tells.
        self.tab_safe.sort_unstable();
        let mut furthest = 0;
        for safe in &mut self.tab_safe {
            furthest = furthest.max(safe.end);
            safe.end = furthest;
        }
        let mut start = 0;
        for line in body.split_inclusive('\n') {
            let dashes = line.trim_start_matches(' ');
            let indent = line.len() - strip_dashes(dashes).len();
            if line[indent..].starts_with('\t') {
                let at = Span::new(start + indent, start + indent + 1);
                let before = self.tab_safe.partition_point(|safe| safe.start <= at.start);
                let safe = before.checked_sub(1).and_then(|last| self.tab_safe.get(last));
                if safe.is_none_or(|safe| safe.end <= at.start) {
                    let (message, help) = ("the indentation contains a tab", "indent with spaces");
                    self.fail(&pages::SYNTAX, at, message, Some(help));
                    let at = at.start as usize;
                    self.refused = Some(Fault { at, message: message.to_owned(), too_deep: false });
                    return;
                }
            }
            start += line.len();
        }
    }
}
