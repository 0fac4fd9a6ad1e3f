//! The tree of a YAML text: built from the parser's events in one pass, aliases kept as references.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry as MapEntry;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use granit_parser::{Event, Options, Parser, ScalarStyle, StructureStyle, Tag};
use landfall_diagnostics::{Code, Finding, Findings, Kind, Span};

use super::scalar::{Scalar, resolve};
use super::{MOST_DEPTH, MOST_NODES, pages};

/// A node's number in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(u32);

/// One key of a map with its value.
#[derive(Clone, Debug)]
pub struct Entry<'t> {
    /// The key as text.
    pub key: Cow<'t, str>,
    /// The key's bytes.
    pub key_span: Span,
    /// The value.
    pub value: NodeId,
    /// What the key was resolved from, as `5` and `'5'` are different keys.
    kind: KeyKind,
}

/// What a key was before it became text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum KeyKind {
    Text,
    Bool,
    Int,
    Float,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum NodeKind<'t> {
    /// Text that keeps its spelling: quoted, a block, or tagged as text.
    Text(Cow<'t, str>),
    /// A plain scalar, to be resolved.
    Plain(Cow<'t, str>),
    /// A scalar whose tag made it a number with a point (`!!float 1`).
    Float(f64),
    /// A list; [`Tree::items`] has its items.
    List(Slice),
    /// A map in the order of the file, merge keys written out; [`Tree::entries`] has its entries.
    Map(Slice),
    /// The value of an anchor.
    Alias(NodeId),
}

/// Where the items of a list or the entries of a map stand in their tree.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    start: u32,
    end: u32,
}

impl Slice {
    /// From `start` on; at most `MOST_NODES` of each are kept, so the numbers fit.
    fn new(start: usize, end: usize) -> Self {
        let fit = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: fit(start), end: fit(end) }
    }

    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One value of the text.
#[derive(Clone, Debug)]
pub struct Node<'t> {
    /// The value's bytes; for a map or list in block style up to the end of its last value.
    pub span: Span,
    /// What it is.
    pub kind: NodeKind<'t>,
}

/// The first document of a YAML text.
#[derive(Debug, Default)]
pub struct Tree<'t> {
    nodes: Vec<Node<'t>>,
    entries: Vec<Entry<'t>>,
    items: Vec<NodeId>,
    root: Option<NodeId>,
}

impl<'t> Tree<'t> {
    /// The document's value; none for an empty document.
    #[must_use]
    pub fn root(&self) -> Option<NodeId> {
        self.root
    }

    /// The node of a number, which must come from this tree.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node<'t> {
        &self.nodes[id.0 as usize]
    }

    /// The entries of a map of this tree.
    #[must_use]
    pub fn entries(&self, map: Slice) -> &[Entry<'t>] {
        self.entries.get(map.range()).unwrap_or_default()
    }

    /// The items of a list of this tree.
    #[must_use]
    pub fn items(&self, list: Slice) -> &[NodeId] {
        self.items.get(list.range()).unwrap_or_default()
    }

    /// The node itself, or what it is an alias of.
    #[must_use]
    pub fn target(&self, id: NodeId) -> &Node<'t> {
        let mut node = self.node(id);
        // An alias refers to an earlier node only, so this ends.
        while let NodeKind::Alias(of) = node.kind {
            node = self.node(of);
        }
        node
    }

    /// The scalar that a node is, aliases followed; none for lists and maps.
    #[must_use]
    pub fn scalar(&self, id: NodeId) -> Option<Scalar<'_>> {
        match &self.target(id).kind {
            NodeKind::Text(text) => Some(Scalar::Text(text)),
            NodeKind::Plain(text) => Some(resolve(text)),
            NodeKind::Float(number) => Some(Scalar::Float(*number)),
            NodeKind::List(_) | NodeKind::Map(_) | NodeKind::Alias(_) => None,
        }
    }

    /// The place of the value at a field path such as `compute[0].platform.aws.zones[1]`, or of its
    /// deepest ancestor that exists.
    ///
    /// Names are matched like fields are, exactly or else without regard to case. The second value is how
    /// many bytes of the path were not found. A map is shown by its key (or its first line in a list), as
    /// its whole block would say little; the document itself by its beginning alone.
    #[must_use]
    pub fn place(&self, path: &str) -> (Span, usize) {
        let Some(root) = self.root else {
            return (Span::new(0, 0), path.len());
        };
        let mut found = root;
        let mut key: Option<Span> = None;
        let mut rest = path;
        while !rest.is_empty() {
            let Some((step, value, after)) = self.step(found, rest) else {
                let span = self.shown(found, key);
                let start = span.start as usize;
                return (if found == root { Span::new(start, start) } else { span }, rest.len());
            };
            (found, key, rest) = (value, step, after);
        }
        (self.shown(found, key), 0)
    }

    /// One step along a path: the key's span if it was a key, the value, and what is left of the path.
    fn step<'p>(&self, from: NodeId, path: &'p str) -> Option<(Option<Span>, NodeId, &'p str)> {
        let path = path.strip_prefix('.').unwrap_or(path);
        match self.target(from).kind {
            NodeKind::Map(map) => {
                let entries = self.entries(map);
                // A key in brackets is the last step of every path that has one, and may hold anything.
                let (name, rest) = match path.strip_prefix('[') {
                    Some(inner) => (inner.strip_suffix(']')?, ""),
                    None => path.split_at(path.find(['.', '[']).unwrap_or(path.len())),
                };
                let entry = entries
                    .iter()
                    .find(|e| e.key == name)
                    .or_else(|| entries.iter().find(|e| super::de::fold_eq(&e.key, name)))?;
                Some((Some(entry.key_span), entry.value, rest))
            }
            NodeKind::List(list) => {
                let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
                Some((None, *self.items(list).get(index.parse::<usize>().ok()?)?, rest))
            }
            _ => None,
        }
    }

    fn shown(&self, id: NodeId, key: Option<Span>) -> Span {
        let node = self.node(id);
        match (&node.kind, key) {
            (NodeKind::Map(_) | NodeKind::List(_), Some(key)) => key,
            (NodeKind::Plain(text), Some(key)) if text.is_empty() => key,
            (NodeKind::Map(map), None) => self.entries(*map).first().map_or(node.span, |first| {
                let value = self.node(first.value);
                match value.kind {
                    NodeKind::Map(_) | NodeKind::List(_) => first.key_span,
                    _ => Span { start: first.key_span.start, end: value.span.end.max(first.key_span.end) },
                }
            }),
            _ => node.span,
        }
    }
}

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
    /// How many values each node stands for, aliases written out.
    sizes: Vec<usize>,
    expanded: usize,
    /// Bytes in which a tab at the beginning of a line is fine.
    tab_safe: Vec<Span>,
    offset: usize,
    failed: bool,
}

/// Reads the first document of `text`.
pub(super) fn read<'t>(text: &'t str, findings: &mut Findings) -> Tree<'t> {
    let (body, offset) = match text.strip_prefix('\u{feff}') {
        Some(body) => (body, '\u{feff}'.len_utf8()),
        None => (text, 0),
    };
    let mut options = Options::default();
    options.block_nesting_limit = MOST_DEPTH;
    options.flow_nesting_limit = MOST_DEPTH;
    options.emit_unresolved_aliases = true;
    options.set_emit_comments(false);
    // Most values take about ten bytes with their key; a guess that is off costs a move.
    let nodes = Vec::with_capacity((body.len() / 10).min(MOST_NODES));
    let mut builder = Builder {
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
    };
    let end = builder.run(body, options);
    let read_to = end.unwrap_or(body.len());
    if !builder.failed {
        builder.check_tabs(&body[..read_to]);
    }
    if builder.failed {
        builder.close_all();
    } else if end.is_some_and(|end| has_content(&body[end..])) {
        let start = offset + read_to;
        let line = body[read_to..].find('\n').unwrap_or(body.len() - read_to);
        let message = "the text from here on is not read: an install config is one YAML document";
        builder.findings.push(
            Finding::warning(&pages::MORE_DOCUMENTS, Kind::Parse, "", message)
                .help("put each config into a file of its own")
                .span(Span::new(start, start + line)),
        );
    }
    builder.tree
}

/// Whether anything but markers, comments and blanks follows.
fn has_content(rest: &str) -> bool {
    rest.lines()
        .map(|line| line.trim_start_matches("---").trim_start_matches("...").trim())
        .any(|line| !line.is_empty() && !line.starts_with('#'))
}

impl<'t> Builder<'t, '_> {
    /// Consumes the first document; the offset of its end marker if one follows.
    fn run(&mut self, body: &'t str, options: Options) -> Option<usize> {
        // YAML 1.1 also breaks lines at NEL, LS and PS. They get the same number of other bytes here,
        // so that offsets stay.
        let breaks = ['\u{85}', '\u{2028}', '\u{2029}'];
        if !body.is_ascii() && body.contains(breaks) {
            let body = body.replace('\u{85}', " \n").replace(['\u{2028}', '\u{2029}'], "  \n");
            let mut parser = Parser::new_from_str_with_options(&body, options);
            return self.consume(&body, &mut parser, |cow| Cow::Owned(cow.into_owned()));
        }
        let mut parser = Parser::new_from_str_with_options(body, options);
        self.consume(body, &mut parser, |cow| cow)
    }

    fn consume<'s>(
        &mut self,
        body: &str,
        parser: &mut Parser<'s, granit_parser::StrInput<'s>>,
        own: impl Fn(Cow<'s, str>) -> Cow<'t, str>,
    ) -> Option<usize> {
        for event in parser.by_ref() {
            let (event, span) = match event {
                Ok(read) => read,
                Err(fault) => {
                    let at = fault.marker().byte_offset().unwrap_or(0);
                    // The parser may stop a little before the character that it cannot take.
                    self.check_characters(body, at.saturating_add(1000));
                    if self.failed {
                        return None;
                    }
                    let message = fault.kind().to_string();
                    if message.contains("nesting") || message.contains("recursion") {
                        let message = format!("the file has more than {MOST_DEPTH} levels");
                        self.fail(&pages::TOO_DEEP, Span::new(at, at), &message, None);
                    } else {
                        let message = format!("this is not YAML: {message}");
                        let help = "the cause often stands a line earlier: a quote or bracket that was not closed, \
                                    or an indentation that fits no level";
                        self.fail(&pages::SYNTAX, Span::new(at, at + 1), &message, Some(help));
                    }
                    return None;
                }
            };
            let start = span.start.byte_offset().unwrap_or(0);
            let end = span.end.byte_offset().unwrap_or(start);
            match event {
                Event::DocumentStart(_, Some(version)) if (version.major, version.minor) != (1, 1) => {
                    let message = "the file says that it is not YAML 1.1";
                    let help = "remove the line that begins with `%YAML`";
                    self.fail(&pages::SYNTAX, Span::new(0, 1), message, Some(help));
                }
                Event::DocumentEnd => return Some(start),
                Event::StreamEnd => return None,
                Event::Alias(id) => self.alias(id, Span::new(start, end)),
                Event::UnresolvedAlias(_) => {
                    // The name is not repeated: it may be a password that begins with a star.
                    let message = "no anchor of this name stands before the alias";
                    let help = "put the value in quotes if its star is meant as it stands";
                    self.fail(&pages::SYNTAX, Span::new(start, start + 1), message, Some(help));
                }
                Event::Scalar(text, style, anchor, tag) => {
                    if style != ScalarStyle::Plain || end - start > text.len() {
                        self.tab_safe.push(Span::new(start, end));
                    }
                    let plain = style == ScalarStyle::Plain;
                    let kind = self.scalar(own(text), plain, tag.as_deref(), Span::new(start, end));
                    let id = self.add(Span::new(start, end), kind, 1);
                    self.attach(id, anchor, 1);
                }
                Event::SequenceStart(_, anchor, _) => {
                    self.open(Frame::List { start, anchor, first: self.items.len() }, start);
                }
                Event::MappingStart(style, anchor, _) => {
                    let flow = style == StructureStyle::Flow;
                    let frame = Frame::Map { start, anchor, flow, first: self.pairs.len(), key: None };
                    self.open(frame, start);
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(end),
                _ => {}
            }
            if self.failed {
                return None;
            }
        }
        None
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
        // At most MOST_NODES nodes are made, so the number fits.
        let id = NodeId(u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX));
        let span = self.shifted(span);
        self.tree.nodes.push(Node { span, kind });
        self.sizes.push(size);
        id
    }

    fn scalar(&mut self, text: Cow<'t, str>, plain: bool, tag: Option<&Tag>, span: Span) -> NodeKind<'t> {
        let Some(tag) = tag else {
            return if plain { NodeKind::Plain(text) } else { NodeKind::Text(text) };
        };
        let name = tag.suffix_in_namespace("tag:yaml.org,2002:").unwrap_or_default();
        let resolved = resolve(&text);
        let wanted = match (name.as_ref(), &resolved) {
            ("int", Scalar::Int(_)) | ("bool", Scalar::Bool(_)) | ("float", Scalar::Float(_)) => {
                return NodeKind::Plain(text);
            }
            ("null", Scalar::Null) => return NodeKind::Plain(text),
            #[allow(clippy::cast_precision_loss)] // what a float of this number is
            ("float", Scalar::Int(number)) => return NodeKind::Float(*number as f64),
            ("binary", _) => {
                let packed: String = text.split_ascii_whitespace().collect();
                let bytes = STANDARD.decode(packed).ok().and_then(|b| String::from_utf8(b).ok());
                if let Some(decoded) = bytes {
                    return NodeKind::Text(Cow::Owned(decoded));
                }
                "text in base64"
            }
            ("int", _) => "a whole number",
            ("float", _) => "a number",
            ("bool", _) => "a boolean",
            ("null", _) => "null",
            _ => return NodeKind::Text(text),
        };
        let message = format!("the tag says that this is {wanted}, which it is not");
        self.fail(&pages::SYNTAX, span, &message, Some("remove the tag that begins with `!!`"));
        NodeKind::Text(text)
    }

    fn alias(&mut self, anchor: usize, span: Span) {
        let Some(target) = self.anchors.get(&anchor).copied() else {
            // The anchor is of a collection that is not closed yet: it would contain itself.
            self.fail(&pages::SYNTAX, span, "an alias stands inside its own anchor", None);
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
                let message = "a key must be text, a number or a boolean";
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
            let message = format!("the key `{}` stands twice in this map", entry.key);
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
                let message = "a merge key takes a map, or a list of maps";
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

    /// Refuses a tab where indentation stands, which the parser in use lets pass in some places.
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
                    let help = "indent with spaces";
                    self.fail(&pages::SYNTAX, at, "a tab stands where indentation is read", Some(help));
                    return;
                }
            }
            start += line.len();
        }
    }
}

/// What is left of a line after its list dashes.
fn strip_dashes(mut line: &str) -> &str {
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

/// The keys of one map so far. Small maps are searched, large ones indexed.
#[derive(Default)]
struct Seen {
    index: HashMap<(KeyKind, String), Span>,
}

impl Seen {
    /// Notes a key; the place of an equal one that was there before.
    fn insert(&mut self, entries: &[Entry<'_>], new: &Entry<'_>) -> Option<Span> {
        const SMALL: usize = 16;
        let known = |entry: &Entry<'_>| ((entry.kind, entry.key.to_string()), entry.key_span);
        let equal = |entry: &&Entry<'_>| entry.kind == new.kind && entry.key == new.key;
        if entries.len() >= SMALL {
            if self.index.is_empty() {
                self.index.extend(entries.iter().map(known));
            }
            let (key, span) = known(new);
            return match self.index.entry(key) {
                MapEntry::Occupied(first) => Some(*first.get()),
                MapEntry::Vacant(free) => {
                    free.insert(span);
                    None
                }
            };
        }
        entries.iter().find(equal).map(|entry| entry.key_span)
    }
}
