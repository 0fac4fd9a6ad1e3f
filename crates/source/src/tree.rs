//! The tree of a YAML text: aliases are kept as references, merge keys written out.

mod build;
mod events;
mod seen;
mod text;

use std::borrow::Cow;

use landfall_diagnostics::{Finding, Span};

use super::scalar::{Scalar, resolve};

pub(super) use build::read;

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
    lenient: bool,
    beyond: Vec<Finding>,
}

impl<'t> Tree<'t> {
    /// The document's value; none for an empty document.
    #[must_use]
    pub fn root(&self) -> Option<NodeId> {
        self.root
    }

    /// Whether the text was read by what the installer's parser lets pass, so that values may end where their writer
    /// did not mean it.
    #[must_use]
    pub fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// What of the text the installer's parser, which reads YAML 1.1, cannot read.
    #[must_use]
    pub fn beyond_installer(&self) -> &[Finding] {
        &self.beyond
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
