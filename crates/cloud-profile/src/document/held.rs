//! Which objects a document of a file holds, and where.

use landfall_diagnostics::Span;
use landfall_source::{NodeId, NodeKind, Scalar, Tree};

use super::steps;

/// The kind of what holds further objects, as `kubectl get` prints several.
const LIST: &str = "List";

/// An object of a document.
pub(super) struct Held {
    /// Its kind.
    pub(super) kind: String,
    /// Where the kind stands in the file.
    pub(super) span: Span,
    /// Its number in the list that the document is, if it is one.
    pub(super) item: Option<usize>,
}

/// The objects of a document that begins at `offset`: those of a list one by one.
pub(super) fn held(tree: &Tree<'_>, offset: usize) -> Vec<Held> {
    let Some(root) = tree.root() else { return Vec::new() };
    let of = |id: NodeId, item: Option<usize>| {
        let (kind, span) = kind_of(tree, id)?;
        let span = Span::new(offset + span.start as usize, offset + span.end as usize);
        Some(Held { kind, span, item })
    };
    let Some(whole) = of(root, None) else { return Vec::new() };
    let items = (whole.kind == LIST).then(|| member(tree, root, "items")).flatten();
    match items.map(|items| &tree.target(items).kind) {
        Some(NodeKind::List(list)) => {
            let items = tree.items(*list).iter().enumerate();
            items.filter_map(|(i, id)| of(*id, Some(i))).collect()
        }
        _ => vec![whole],
    }
}

/// The kind that an object says it is of, and where it says so.
fn kind_of(tree: &Tree<'_>, object: NodeId) -> Option<(String, Span)> {
    let kind = member(tree, object, "kind")?;
    match tree.scalar(kind)? {
        Scalar::Text(text) => Some((text.to_owned(), tree.node(kind).span)),
        _ => None,
    }
}

fn member(tree: &Tree<'_>, object: NodeId, name: &str) -> Option<NodeId> {
    let NodeKind::Map(map) = tree.target(object).kind else {
        return None;
    };
    tree.entries(map).iter().find(|entry| entry.key == name).map(|entry| entry.value)
}

/// Where the last name of a path stands; none where the path leads nowhere, or ends in an entry of a list.
pub(super) fn key_span(tree: &Tree<'_>, path: &str) -> Option<Span> {
    let mut at = tree.root()?;
    let mut key = None;
    for step in steps(path) {
        match tree.target(at).kind {
            NodeKind::Map(map) => {
                let name = step.trim_start_matches('.');
                let entry = tree.entries(map).iter().find(|entry| entry.key == name)?;
                (at, key) = (entry.value, Some(entry.key_span));
            }
            NodeKind::List(list) => {
                let number = step.trim_start_matches('[').trim_end_matches(']').parse::<usize>().ok()?;
                (at, key) = (*tree.items(list).get(number)?, None);
            }
            _ => return None,
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use crate::check::pages;
    use crate::types::{CLOUD_PROFILE, PRIVATE_CLOUD_PROFILE};
    use landfall_diagnostics::{Finding, Kind};
    use landfall_testing::assert_names;

    const ONE: &str = "---\napiVersion: core.gardener.cloud/v1beta1\nkind: CloudProfile\nspec: {type: aws}\n";

    fn read(text: &str, kinds: &[&'static str]) -> Result<Document, Vec<String>> {
        let told = |findings: Vec<Finding>| findings.into_iter().map(|finding| finding.message).collect();
        Document::read(text, kinds).map_err(told)
    }

    #[test]
    fn earlier_text_is_known_by_its_kind() {
        let both = format!("{ONE}---\nkind: {PRIVATE_CLOUD_PROFILE}\n");
        let kinds = [CLOUD_PROFILE, PRIVATE_CLOUD_PROFILE];
        let told = |text: &str, kinds: &[&'static str]| {
            let finding = Document::read(text, kinds).err().and_then(|found| found.into_iter().next())?;
            let shown = text.get(finding.span?.range()).map(str::to_owned);
            assert_eq!(finding.code.as_str(), "LF1450");
            Some((finding.message, shown.unwrap_or_default(), finding.help.unwrap_or_default()))
        };
        let (message, shown, _) = told(&both, &kinds).unwrap_or_default();
        assert_eq!(shown, PRIVATE_CLOUD_PROFILE);
        assert_names(&message, &["a CloudProfile", "PrivateCloudProfile"]);
        let (twice, shown, _) = told(&format!("{ONE}{ONE}"), &kinds).unwrap_or_default();
        assert_eq!(shown, CLOUD_PROFILE);
        assert_names(&twice, &["another CloudProfile"]);
        let (_, shown, help) = told("# a\nkind: Other\n", &kinds).unwrap_or_default();
        assert_eq!(shown, "Other");
        assert_names(&help, &["`kind: CloudProfile`", "`kind: PrivateCloudProfile`"]);
    }

    #[test]
    fn a_list_is_looked_into() -> Result<(), Vec<String>> {
        let item = "- apiVersion: core.gardener.cloud/v1beta1\n  kind: CloudProfile\n  metadata: {name: b}\n  \
                    spec: {type: gcp, machineTypes: [{name: m, cpux: 4}]}\n";
        let text = format!("apiVersion: v1\nkind: List\nitems:\n- kind: Other\n{item}");
        let document = read(&text, &[CLOUD_PROFILE])?;
        assert_eq!((document.name(), document.value("items")), ("b", None));
        let at = |field: &str, kind: Kind| {
            let placed = document.placed(vec![Finding::error(&pages::OBJECT, kind, field, "x")]);
            placed.first().and_then(|finding| text.get(finding.span?.range())).map(str::to_owned)
        };
        assert_eq!(at("spec.type", Kind::Invalid).as_deref(), Some("gcp"));
        assert_eq!(at("spec.machineTypes[0].cpux", Kind::Unknown).as_deref(), Some("cpux"));
        assert_eq!(document.named("spec.machineTypes[0].cpux"), "spec.machineTypes[m].cpux");
        assert_eq!(document.named("spec.machineTypes[7].cpu"), "spec.machineTypes[7].cpu");
        let twice = read(&format!("{text}{item}"), &[CLOUD_PROFILE]).err().unwrap_or_default();
        assert!(twice.first().is_some_and(|told| told.contains("another CloudProfile")), "{twice:?}");
        let none = read("kind: List\nitems: [{kind: Other}]\n", &[CLOUD_PROFILE]).err().unwrap_or_default();
        assert!(none.first().is_some_and(|told| told.contains(" Other")), "{none:?}");
        Ok(())
    }
}
