//! From a file's bytes to what is to be said of it: read, upconverted, completed, judged.
//!
//! Pure: the order of work is that of `docs/install-config.md`, section 2, and nothing here touches the
//! world or shows anything.

use landfall_diagnostics::{Finding, Findings, Severity, Span, sort};
use landfall_model::catalogue::{Catalogue, minor_version};
use landfall_model::config::{self, FORMS, InstallConfig, locate};
use landfall_platform::Platform;
use landfall_rules::{Case, Traits};
use landfall_source::{Decoder, Mask, NodeKind, Tree};

use crate::{assets, platforms};

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An install config that can be used.
    Accepted,
    /// An install config that breaks a rule.
    Rejected,
    /// No install config at all.
    Unparseable,
}

impl Outcome {
    /// The name as `-o json` gives it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Unparseable => "unparseable",
        }
    }
}

/// What is to be said of a file.
#[derive(Debug)]
pub struct Verdict {
    /// What became of it.
    pub outcome: Outcome,
    /// Everything that was found, sorted by place.
    pub findings: Vec<Finding>,
    /// The config after upconversion, defaults and judgement; none for an unparseable file.
    pub config: Option<InstallConfig>,
    /// The config as given, with older forms of neutral fields brought up to date, and nothing else; kept by
    /// [`judge_keeping`] alone, and there then whenever `config` is.
    pub given: Option<InstallConfig>,
    /// What of the text must not be shown.
    pub mask: Mask,
}

/// How strictly a file is read.
#[derive(Clone, Copy, Debug)]
pub struct Strictness {
    /// The weight of a key that is not a field.
    pub unknown_fields: Severity,
    /// The release whose installer decides, as major and minor version; the newest one without.
    pub release: Option<[u64; 2]>,
}

impl Strictness {
    /// The same for a release. One whose name is not a version counts as the newest.
    #[must_use]
    pub fn of_release(self, release: &str) -> Self {
        Self { release: minor_version(release), ..self }
    }
}

impl Default for Strictness {
    fn default() -> Self {
        Self { unknown_fields: Severity::Error, release: None }
    }
}

/// Judges the bytes of a file with the catalogue of this program.
#[must_use]
pub fn judge(bytes: &[u8], strictness: Strictness) -> Verdict {
    judge_with(bytes, strictness, Catalogue::embedded())
}

/// Judges the bytes of a file. The places of findings are offsets into `bytes`.
#[must_use]
pub fn judge_with(bytes: &[u8], strictness: Strictness, catalogue: &Catalogue) -> Verdict {
    judge_bytes(bytes, strictness, catalogue, false)
}

/// The same, and keeps the config as given, from which the files of a cluster are rendered.
#[must_use]
pub fn judge_keeping(bytes: &[u8], strictness: Strictness, catalogue: &Catalogue) -> Verdict {
    judge_bytes(bytes, strictness, catalogue, true)
}

/// Fields of an install config that no other object has beside its `apiVersion`.
const OF_CONFIGS: [&str; 3] = ["baseDomain", "platform", "pullSecret"];

/// Whether a file holds a Kubernetes object and no install config: it has a `kind`, and another one.
#[must_use]
pub fn is_kubernetes_object(bytes: &[u8]) -> bool {
    let Ok(text) = landfall_source::text_of(bytes) else { return false };
    // Reading each file twice would double the time of a large repository.
    let names_kind = |line: &str| line.starts_with("kind:") || line.starts_with('{');
    if !text.lines().any(names_kind) {
        return false;
    }
    let tree = landfall_source::read(text, &mut Findings::default());
    let Some(NodeKind::Map(map)) = tree.root().map(|root| &tree.node(root).kind) else { return false };
    let field = |name: &str| tree.entries(*map).iter().find(|entry| entry.key == name);
    let kind = field("kind").and_then(|entry| tree.scalar(entry.value));
    // An install config with a wrong kind must not pass unjudged.
    let is_config = OF_CONFIGS.iter().any(|name| field(name).is_some());
    !is_config && field("apiVersion").is_some() && kind.is_some_and(|kind| kind.to_text() != "InstallConfig")
}

fn judge_bytes(bytes: &[u8], strictness: Strictness, catalogue: &Catalogue, keep: bool) -> Verdict {
    match landfall_source::text_of(bytes) {
        Ok(text) => judge_text(text, strictness, catalogue, keep),
        Err(finding) => Verdict {
            outcome: Outcome::Unparseable,
            findings: vec![finding.span(Span::default())],
            config: None,
            given: None,
            mask: Mask::default(),
        },
    }
}

fn judge_text(text: &str, strictness: Strictness, catalogue: &Catalogue, keep: bool) -> Verdict {
    let mut findings = Findings::default();
    let mut mask = Mask::default();
    let tree = landfall_source::read(text, &mut findings);
    if findings.errors() > 0 || tree.is_lenient() {
        mask.tear();
    }
    let mut config: InstallConfig =
        Decoder::new(&tree, FORMS, strictness.unknown_fields, &mut findings, &mut mask).decode();
    for finding in tree.beyond_installer() {
        findings.push(finding.clone());
    }
    let mut given = keep.then(InstallConfig::default);
    let outcome = if findings.errors() > 0 {
        Outcome::Unparseable
    } else {
        judge_config(&mut config, catalogue, strictness.release, given.as_mut(), &mut findings);
        if findings.errors() > 0 { Outcome::Rejected } else { Outcome::Accepted }
    };
    let cut = landfall_source::cut_short(&findings);
    let mut findings: Vec<Finding> = findings.into_vec().into_iter().chain(cut).collect();
    places(&mut findings, &config, &tree);
    sort(&mut findings);
    let readable = outcome != Outcome::Unparseable;
    let (config, given) = (readable.then_some(config), given.filter(|_| readable));
    Verdict { outcome, findings, config, given, mask }
}

/// Looks up the places of findings in the text of a config.
pub fn places(findings: &mut [Finding], config: &InstallConfig, tree: &Tree<'_>) {
    let older = if findings.is_empty() { Vec::new() } else { older_paths(config) };
    for finding in findings {
        place(finding, tree, &older);
    }
}

/// The places of fields in the text of a config; none for the field without a name.
#[must_use]
pub fn field_places(fields: &[String], config: &InstallConfig, tree: &Tree<'_>) -> Vec<Option<Span>> {
    let older = older_paths(config);
    fields.iter().map(|field| (!field.is_empty()).then(|| locate(tree, field, &older))).collect()
}

fn older_paths(config: &InstallConfig) -> Vec<(&'static str, &'static str)> {
    let platforms = present(config).into_iter().flat_map(|p| p.older_paths().iter().copied());
    config::upconvert::OLDER_PATHS.iter().copied().chain(platforms).collect()
}

fn place(finding: &mut Finding, tree: &Tree<'_>, older: &[(&str, &str)]) {
    if finding.span.is_none() {
        let at = finding.at.as_deref().unwrap_or(&finding.field);
        finding.span = Some(locate(tree, at, older));
    }
    if let Some(related) = finding.related.as_mut().filter(|r| r.span.is_none()) {
        related.span = Some(locate(tree, &related.at, older));
    }
}

/// The supported platforms that the file names, the active one first.
fn present(config: &InstallConfig) -> Vec<&'static dyn Platform> {
    config.platform.present().into_iter().filter_map(platforms::named).collect()
}

/// The platform that the file is for, if it is a supported one.
#[must_use]
pub fn active(config: &InstallConfig) -> Option<&'static dyn Platform> {
    config.platform.present().first().and_then(|name| platforms::named(name))
}

/// Upconverts, completes and judges a config that was read. `given` becomes the config as it was before the
/// platform and the defaults changed it.
pub fn judge_config(
    config: &mut InstallConfig,
    catalogue: &Catalogue,
    release: Option<[u64; 2]>,
    given: Option<&mut InstallConfig>,
    out: &mut Findings,
) {
    let active = active(config);
    let upconverted = config::upconvert::upconvert(config).and_then(|()| {
        if let Some(given) = given {
            given.clone_from(config);
        }
        active.map_or(Ok(()), |platform| platform.upconvert(config))
    });
    if let Err(finding) = upconverted {
        out.push(*finding);
        return;
    }
    // What a default chose is not what the user asked for.
    if let Some(release) = release {
        assets::check_release(config, release, out);
    }
    config::defaults::defaults(config);
    if let Some(platform) = active {
        platform.defaults(config, catalogue);
    }
    let platforms = present(config);
    let traits: Vec<Traits> = platforms.iter().map(|p| p.traits(config, catalogue)).collect();
    let case = Case {
        config,
        catalogue,
        release,
        present: &traits,
        active: active.and_then(|_| traits.first()),
        gated: active.map(|p| p.gated(config, catalogue)).unwrap_or_default(),
        placement: active
            .filter(|_| catalogue.allowance.is_some())
            .map(|p| p.placement(config))
            .unwrap_or_default(),
    };
    landfall_rules::check(&case, out);
    for platform in &platforms {
        platform.check_platform(&case, out);
    }
    if let Some(platform) = active {
        platform.check_pools(&case, out);
    }
    config::defaults::publishing_strategy(config);
}

/// A completed config as data that reads as an install config again: older fields are left out, as their
/// values stand in newer ones.
///
/// Secrets are in it when `secrets` is true; otherwise placeholders of the same form.
#[must_use]
pub fn completed(config: &InstallConfig, secrets: bool) -> serde_json::Value {
    let mut value = config.to_value(secrets);
    let platforms = present(config).into_iter().flat_map(Platform::superseded);
    let older = platforms.chain(config::upconvert::SUPERSEDED);
    for (parent, field) in older.filter_map(|pointer| pointer.rsplit_once('/')) {
        if let Some(map) = value.pointer_mut(parent).and_then(|v| v.as_object_mut()) {
            map.remove(field);
        }
    }
    value
}
