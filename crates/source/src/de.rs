//! Typed values out of a tree, every fault collected.
//!
//! [`Decoder::decode`] never fails: a value of the wrong type or an unknown key becomes a finding, and
//! the type's zero value takes its place, so that one fault does not hide another. It needs types whose
//! fields all have a default. Scalars are converted as `docs/install-config.md` says in section 3.2, and
//! keys matched as in 3.3.

mod access;
mod findings;
mod path;

use std::cell::RefCell;
use std::collections::BTreeMap;

use landfall_diagnostics::secret::{SECRET_NAME, SECRET_URL_NAME, without_user};
use landfall_diagnostics::{Finding, Findings, Kind, Severity, Span};
use serde::de::{self, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use self::access::{Fields, Items, Pairs, Slot};
use self::path::{Never, Path};
use super::scalar::Scalar;
use super::tree::{Entry, NodeId, NodeKind, Tree};
use super::{Mask, pages};

/// The newtype name of text that takes no number or boolean.
pub const STRICT_TEXT_NAME: &str = "$text";

/// Why a text does not have the form that its type wants.
#[derive(Debug)]
pub struct FormFault {
    /// What is wrong, without naming the field.
    pub message: String,
    /// What would be accepted.
    pub help: &'static str,
}

/// A check of a text's form, run before the type sees it.
pub type Check = fn(&str) -> Result<(), FormFault>;

/// Reads a tree into types.
pub struct Decoder<'t, 'f> {
    tree: &'t Tree<'t>,
    checks: &'static [(&'static str, Check)],
    unknown: Severity,
    /// What the document is, with its indefinite and its definite article.
    one: &'static str,
    whole: &'static str,
    state: RefCell<State<'f>>,
}

struct State<'f> {
    findings: &'f mut Findings,
    mask: &'f mut Mask,
}

impl<'t, 'f> Decoder<'t, 'f> {
    /// A reader of `tree`. `checks` are the forms of newtypes by name; `unknown` is the weight of a key
    /// that no type knows. Places of secrets go to `mask`.
    pub fn new(
        tree: &'t Tree<'t>,
        checks: &'static [(&'static str, Check)],
        unknown: Severity,
        findings: &'f mut Findings,
        mask: &'f mut Mask,
    ) -> Self {
        let state = RefCell::new(State { findings, mask });
        Self { tree, checks, unknown, one: "an install config", whole: "the install config", state }
    }

    /// The same for another document than an install config: what findings call it, such as `a facts file`
    /// and `the facts file`.
    #[must_use]
    pub fn named(self, one: &'static str, whole: &'static str) -> Self {
        Self { one, whole, ..self }
    }

    /// The typed value of the document; a missing document gives the default.
    #[must_use]
    pub fn decode<T: de::DeserializeOwned + Default>(&self) -> T {
        let Some(root) = self.tree.root() else {
            return T::default();
        };
        let at = [root];
        let value = Value { decoder: self, nodes: &at, path: &Path::Root, key: None, secret: false };
        T::deserialize(value).unwrap_or_else(|fault| {
            // Only a type that refuses a value, or its own zero value, comes here.
            if let Never::Untold(why) = fault {
                let message = format!("{} cannot be read: {why}", self.whole);
                self.push(Finding::error(&pages::WRONG_TYPE, Kind::TypeInvalid, "", message));
            }
            T::default()
        })
    }

    fn push(&self, finding: Finding) {
        self.state.borrow_mut().findings.push(finding);
    }
}

/// A value to be read: usually one node; several where a field was given in several spellings, in the
/// order in which they are applied.
#[derive(Clone, Copy)]
struct Value<'a, 't, 'f> {
    decoder: &'a Decoder<'t, 'f>,
    nodes: &'a [NodeId],
    path: &'a Path<'a>,
    key: Option<Span>,
    secret: bool,
}

impl<'a, 't> Value<'a, 't, '_> {
    fn tree(&self) -> &'a Tree<'t> {
        self.decoder.tree
    }

    /// The scalar in force: the last spelling that is not null.
    fn scalar(&self) -> Option<Scalar<'a>> {
        let mut last = Some(Scalar::Null);
        for node in self.nodes {
            match self.tree().scalar(*node) {
                Some(Scalar::Null) => {}
                other => last = other,
            }
        }
        last
    }

    /// The scalar in force, or a spelling that is something else than null or what the field takes.
    fn scalar_that(&self, fits: impl Fn(&Scalar<'_>) -> bool) -> Result<Scalar<'a>, Self> {
        let mut last = Scalar::Null;
        for node in self.nodes {
            match self.tree().scalar(*node) {
                Some(Scalar::Null) => {}
                Some(scalar) if fits(&scalar) => last = scalar,
                _ => return Err(self.only(node)),
            }
        }
        Ok(last)
    }

    /// The value in one of its spellings.
    fn only(&self, node: &'a NodeId) -> Self {
        let key = self.key.filter(|_| self.nodes.len() == 1);
        Self { nodes: std::slice::from_ref(node), key, ..*self }
    }

    fn span(&self) -> Span {
        let node = self.nodes.last().map(|id| self.tree().node(*id));
        match (node, self.key) {
            (Some(node), Some(key)) => match &node.kind {
                NodeKind::Map(_) | NodeKind::List(_) => key,
                _ if node.span.start == node.span.end => key,
                _ => node.span,
            },
            (Some(node), None) => node.span,
            (None, _) => Span::default(),
        }
    }

    /// Notes every node as one that must not be shown.
    fn hide(&self) {
        let mut state = self.decoder.state.borrow_mut();
        for node in self.nodes {
            state.mask.hide(self.tree().node(*node).span);
            state.mask.hide(self.tree().target(*node).span);
        }
    }

    /// Notes the user part of every node's text as one that must not be shown.
    fn hide_user(&self) {
        for node in self.nodes {
            let Some(scalar) = self.tree().scalar(*node) else {
                continue;
            };
            let text = scalar.to_text();
            let span = self.tree().target(*node).span;
            let mut state = self.decoder.state.borrow_mut();
            if text.contains('@') {
                state.mask.hide_user(span);
            } else if without_user(&text) != text {
                state.mask.hide(span);
            }
        }
    }

    /// The entries of all given maps, or a spelling that is something else than a map.
    fn maps(&self) -> Result<Vec<&'a Entry<'t>>, Self> {
        let mut all = Vec::new();
        for node in self.nodes {
            match &self.tree().target(*node).kind {
                NodeKind::Map(map) => all.extend(self.tree().entries(*map)),
                _ if matches!(self.tree().scalar(*node), Some(Scalar::Null)) => all.clear(),
                _ => return Err(self.only(node)),
            }
        }
        Ok(all)
    }

    fn integer<V: Visitor<'t>>(self, visitor: V, least: i128, most: i128) -> Result<V::Value, Never> {
        #[allow(clippy::cast_possible_truncation)] // a fraction-free number in range
        let whole = |scalar: &Scalar<'_>| match *scalar {
            Scalar::Int(number) => Some(number),
            Scalar::Float(number) if number.fract() == 0.0 && number.abs() < 1e19 => Some(number as i128),
            _ => None,
        };
        let fits = |scalar: &Scalar<'_>| whole(scalar).is_some_and(|number| (least..=most).contains(&number));
        let number = match self.scalar_that(fits) {
            Ok(scalar) => whole(&scalar).unwrap_or_default(),
            Err(misfit) => {
                let range = match (least < 0, most) {
                    (false, _) => format!(" from {least} to {most}"),
                    (true, most) if most == i128::from(i64::MAX) => String::new(),
                    (true, _) => format!(" of at most {most}"),
                };
                misfit.wrong_type(&format!("a whole number{range}"));
                0
            }
        };
        if least < 0 {
            visitor.visit_i64(i64::try_from(number).unwrap_or_default())
        } else {
            visitor.visit_u64(u64::try_from(number).unwrap_or_default())
        }
    }

    fn text<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        match self.scalar_that(|_| true) {
            Ok(Scalar::Text(text)) => visitor.visit_str(text),
            Ok(scalar) => {
                let text = scalar.to_text();
                self.note_conversion(&scalar, &text);
                visitor.visit_str(&text)
            }
            Err(misfit) => {
                misfit.wrong_type("text");
                visitor.visit_str("")
            }
        }
    }

    /// Puts an entry of a struct's map, whose number is given, under its field.
    fn place(
        &self,
        (map, entry): (usize, &'a Entry<'t>),
        fields: &[&'static str],
        slots: &mut Vec<Slot<'a, 't>>,
    ) {
        let exact = fields.iter().find(|f| **f == entry.key);
        let Some(field) = exact.or_else(|| fields.iter().find(|f| fold_eq(f, &entry.key))) else {
            self.unknown(entry, fields);
            return;
        };
        if exact.is_none() {
            self.note_spelling(entry, field);
        }
        match slots.iter_mut().find(|slot| slot.field == *field) {
            None => slots.push(Slot { field, entry, map, more: Vec::new() }),
            Some(slot) => slot.more.push((map, entry)),
        }
    }
}

/// Whether two names are equal under Unicode simple case folding, of which only `ſ` and the Kelvin sign
/// fold to ASCII letters besides the usual case pairs. One of the names must be ASCII.
#[must_use]
pub fn fold_eq(a: &str, b: &str) -> bool {
    let fold = |c: char| match c {
        'ſ' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    a.chars().map(fold).eq(b.chars().map(fold))
}

impl<'t> Deserializer<'t> for Value<'_, 't, '_> {
    type Error = Never;

    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        match self.scalar() {
            None => match self.nodes.last().map(|id| &self.tree().target(*id).kind) {
                Some(NodeKind::List(_)) => self.deserialize_seq(visitor),
                _ => self.deserialize_map(visitor),
            },
            Some(Scalar::Null) => visitor.visit_unit(),
            Some(Scalar::Bool(value)) => visitor.visit_bool(value),
            Some(Scalar::Int(value)) => match i64::try_from(value) {
                Ok(value) => visitor.visit_i64(value),
                Err(_) => visitor.visit_u64(u64::try_from(value).unwrap_or(u64::MAX)),
            },
            Some(Scalar::Float(value)) => visitor.visit_f64(value),
            Some(Scalar::Text(text)) => visitor.visit_str(text),
        }
    }

    fn deserialize_bool<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        match self.scalar_that(|scalar| matches!(scalar, Scalar::Bool(_))) {
            Ok(scalar) => visitor.visit_bool(scalar == Scalar::Bool(true)),
            Err(misfit) => {
                misfit.wrong_type("true or false");
                visitor.visit_bool(false)
            }
        }
    }

    fn deserialize_i32<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        self.integer(visitor, i32::MIN.into(), i32::MAX.into())
    }

    fn deserialize_i64<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        self.integer(visitor, i64::MIN.into(), i64::MAX.into())
    }

    fn deserialize_u32<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        self.integer(visitor, 0, u32::MAX.into())
    }

    fn deserialize_str<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        self.text(visitor)
    }

    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        // A null takes back what an earlier spelling of the field gave.
        let is_null = |node: &NodeId| matches!(self.tree().scalar(*node), Some(Scalar::Null));
        let after = self.nodes.iter().rposition(is_null).map_or(0, |last| last + 1);
        match self.nodes.get(after..) {
            None | Some([]) => visitor.visit_none(),
            Some(nodes) => visitor.visit_some(Value { nodes, ..self }),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'t>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Never> {
        if name == SECRET_NAME {
            self.secret = true;
            self.hide();
            return visitor.visit_newtype_struct(self);
        }
        if name == SECRET_URL_NAME {
            self.hide_user();
            return visitor.visit_newtype_struct(self);
        }
        let check = self.decoder.checks.iter().find(|(known, _)| *known == name);
        if check.is_none() && name != STRICT_TEXT_NAME {
            return match self.scalar() {
                Some(Scalar::Null) => visitor.visit_unit(),
                _ => visitor.visit_newtype_struct(self),
            };
        }
        let mut last = None;
        for node in self.nodes {
            match self.tree().scalar(*node) {
                // A null takes back what has a form, and leaves plain text.
                Some(Scalar::Null) => last = last.filter(|_| check.is_none()),
                Some(Scalar::Text(text)) => {
                    if let Some(Err(fault)) = check.map(|(_, check)| check(text)) {
                        let path = self.path.to_string();
                        let finding = Finding::error(&pages::FORM, Kind::TypeInvalid, path, fault.message);
                        self.decoder.push(finding.help(fault.help).span(self.only(node).span()));
                        return visitor.visit_unit();
                    }
                    last = Some(text);
                }
                _ => {
                    self.only(node).wrong_type("text");
                    return visitor.visit_unit();
                }
            }
        }
        match last {
            Some(text) => visitor.visit_str(text),
            None => visitor.visit_unit(),
        }
    }

    fn deserialize_seq<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        let mut lists: Vec<&[NodeId]> = Vec::new();
        for node in self.nodes {
            match &self.tree().target(*node).kind {
                NodeKind::List(list) => lists.push(self.tree().items(*list)),
                _ if matches!(self.tree().scalar(*node), Some(Scalar::Null)) => lists.clear(),
                _ => self.only(node).wrong_type("a list"),
            }
        }
        visitor.visit_seq(Items { of: self, lists, next: 0 })
    }

    fn deserialize_map<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        let entries = self.maps().unwrap_or_else(|misfit| {
            misfit.wrong_type("a map");
            Vec::new()
        });
        // The tree has one entry a key; with several spellings of the field a later map wins.
        let mut by_key: BTreeMap<&str, &Entry<'t>> = BTreeMap::new();
        for entry in entries {
            by_key.insert(&entry.key, entry);
        }
        visitor.visit_map(Pairs { of: self, entries: by_key.into_values().collect(), next: 0 })
    }

    fn deserialize_struct<V: Visitor<'t>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Never> {
        let mut slots: Vec<Slot<'_, 't>> = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            match &self.tree().target(*node).kind {
                NodeKind::Map(map) => {
                    let entries = self.tree().entries(*map);
                    slots.reserve(entries.len());
                    for entry in entries {
                        self.place((number, entry), fields, &mut slots);
                    }
                }
                _ if matches!(self.tree().scalar(*node), Some(Scalar::Null)) => {}
                _ => self.only(node).not_a_map(fields),
            }
        }
        visitor.visit_map(Fields { of: self, slots, next: 0 })
    }

    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Never> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { <V: Visitor<'t>>
        i8 i16 i128 u8 u16 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct
        enum identifier
    }
}
