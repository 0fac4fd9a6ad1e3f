//! What the reader says of values and keys that do not fit.

use landfall_diagnostics::secret::without_user;
use landfall_diagnostics::{Finding, Kind, nearest};

use super::Value;
use super::path::{Never, Path};
use crate::scalar::Scalar;
use crate::tree::{Entry, NodeId, NodeKind};
use crate::{Mask, pages};

impl Value<'_, '_, '_> {
    /// Says that a value is of another type than its field.
    pub(super) fn wrong_type(&self, wanted: &str) {
        self.refuse_type(wanted, &[]);
    }

    /// Says that something else than a map with these fields is there.
    pub(super) fn not_a_map(&self, fields: &[&str]) {
        self.refuse_type("a map", fields);
    }

    fn refuse_type(&self, wanted: &str, fields: &[&str]) {
        let Some(last) = self.nodes.last() else {
            return;
        };
        let joined = if wanted == "a map" { self.joined_key(*last) } else { None };
        let known = joined.as_deref().filter(|key| fields.contains(key));
        let found = known.map_or_else(|| self.found(*last), |key| format!("text that begins with `{key}:`"));
        let field = self.path.to_string();
        let subject = if field.is_empty() { self.decoder.one.to_owned() } else { format!("`{field}`") };
        let message = format!("{subject} must be {wanted}, not {found}");
        let mut finding =
            Finding::error(&pages::WRONG_TYPE, Kind::TypeInvalid, field, message).span(self.span());
        if let Some(Scalar::Text(text)) = self.scalar() {
            match crate::resolve(text) {
                Scalar::Bool(value) if wanted == "true or false" => {
                    finding = finding.help(format!("write {value} without quotes"));
                }
                Scalar::Int(_) if wanted.contains("number") => {
                    finding = finding.help("write the number without quotes");
                }
                _ => {}
            }
        }
        if wanted == "text" && matches!(self.tree().target(*last).kind, NodeKind::Map(_)) {
            finding = finding.help("put a string that begins with a brace in single quotes: '{...}'");
        }
        if joined.is_some() {
            let colon = known.map_or_else(|| "the colon of each key".to_owned(), |key| format!("`{key}:`"));
            finding = finding.help(format!("write a space after {colon}"));
        }
        self.decoder.push(finding);
    }

    /// The key of text that would be a map with a space after its colon.
    fn joined_key(&self, node: NodeId) -> Option<String> {
        let Some(Scalar::Text(text)) = self.tree().scalar(node) else { return None };
        let (key, rest) = text.split_once(':')?;
        let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
        let is_joined = !rest.is_empty() && !rest.starts_with("//") && !rest.starts_with(char::is_whitespace);
        (is_key && is_joined).then(|| key.to_owned())
    }

    /// What a node holds, as far as it may be shown.
    fn found(&self, node: NodeId) -> String {
        match &self.tree().target(node).kind {
            NodeKind::List(_) => "a list".to_owned(),
            NodeKind::Map(_) => "a map".to_owned(),
            _ => match self.tree().scalar(node) {
                Some(scalar) => {
                    let text = scalar.to_text();
                    let short = text.len() <= 60 && !text.contains('\n');
                    if self.secret || !short || Mask::looks_secret(&text) {
                        format!("{} that is not shown", scalar.noun())
                    } else {
                        format!("{} `{}`", scalar.noun(), without_user(&text))
                    }
                }
                None => "null".to_owned(),
            },
        }
    }

    /// Says that a type refuses this value, unless that is already said of a part of it.
    pub(super) fn refused(&self, fault: Never) -> Never {
        if let Never::Untold(why) = fault {
            let message = format!("`{}` cannot be read: {why}", self.path);
            let field = self.path.to_string();
            let finding = Finding::error(&pages::WRONG_TYPE, Kind::TypeInvalid, field, message);
            self.decoder.push(finding.span(self.span()));
        }
        Never::Told
    }

    /// Warns when the text differs from what was written.
    pub(super) fn note_conversion(&self, scalar: &Scalar<'_>, text: &str) {
        let target = self.nodes.last().map(|id| &self.tree().target(*id).kind);
        let Some(NodeKind::Plain(written)) = target else {
            return;
        };
        if written == text || self.secret || matches!(scalar, Scalar::Null) {
            return;
        }
        let message = format!("`{written}` without quotes is read as `{text}`");
        let help = format!("write \"{written}\" to keep the text");
        let finding = Finding::warning(&pages::CONVERTED, Kind::TypeInvalid, self.path.to_string(), message);
        self.decoder.push(finding.help(help).span(self.span()));
    }

    /// Says that a key is not known, with the nearest one that is.
    pub(super) fn unknown(&self, entry: &Entry<'_>, fields: &[&str]) {
        let mut state = self.decoder.state.borrow_mut();
        if state.findings.is_full(self.decoder.unknown) {
            state.findings.skip(self.decoder.unknown);
            return;
        }
        if Mask::names_secret(&entry.key) {
            state.mask.hide(self.tree().node(entry.value).span);
            state.mask.hide(self.tree().target(entry.value).span);
        }
        let field = match self.path {
            Path::Root => entry.key.to_string(),
            path => format!("{path}.{}", entry.key),
        };
        let message = match self.path {
            Path::Root => format!("`{}` is not a field of {}", entry.key, self.decoder.whole),
            path => format!("`{}` is not a field of `{path}`", entry.key),
        };
        let kind = Kind::Unknown;
        let mut finding = Finding::error(&pages::UNKNOWN_FIELD, kind, field, message).span(entry.key_span);
        finding.severity = self.decoder.unknown;
        let help = if let Some(near) = nearest(&entry.key, fields.iter().copied()) {
            Some(format!("did you mean `{near}`?"))
        } else if fields.is_empty() {
            Some("remove it: no field is allowed here".to_owned())
        } else {
            let mut sorted = fields.to_vec();
            sorted.sort_unstable();
            Some(format!("accepted here: {}", sorted.join(", ")))
        };
        finding.help = help;
        state.findings.push(finding);
    }

    /// Says that a key has another case than its field.
    pub(super) fn note_spelling(&self, entry: &Entry<'_>, field: &str) {
        let message = format!("`{}` is read as `{field}`", entry.key);
        let path = match self.path {
            Path::Root => field.to_owned(),
            path => format!("{path}.{field}"),
        };
        let finding = Finding::warning(&pages::SPELLING, Kind::Unknown, path, message);
        self.decoder.push(finding.help(format!("write `{field}`")).span(entry.key_span));
    }
}
