//! The catalogue with changes: a document that gives any part of it, merged over what there is.
//!
//! The merge is RFC 7386's: maps are merged key by key, null takes a key away, anything else replaces
//! what was there. Unlike an install config, an overlay has no history to be lenient for: whatever would
//! be a warning there refuses it.

use landfall_diagnostics::{Code, Finding, Findings, Kind, Severity, Span, sort};
use landfall_source::{Decoder, Mask, NodeId, NodeKind, Tree};
use serde_json::Value;

use super::value::{Fault, Wrong};
use super::{Catalogue, pages};

impl Catalogue {
    /// The catalogue with an overlay, a YAML or JSON text, merged over it.
    ///
    /// # Errors
    /// Everything that is wrong with the overlay, each fault with its place: what cannot be read, unknown
    /// fields, wrong types, and what contradicts the rest of the catalogue.
    pub fn with_overlay(&self, text: &str) -> Result<Self, Vec<Finding>> {
        let mut findings = Findings::default();
        let mut mask = Mask::default();
        let tree = landfall_source::read(text, &mut findings);
        let typed: Self = Decoder::new(&tree, &[], Severity::Error, &mut findings, &mut mask)
            .named("a catalogue overlay", "the catalogue")
            .decode();
        if let Some(root) = tree.root() {
            check_keys(&tree, root, text, &mut findings);
        }
        if !findings.is_empty() {
            return Err(refusals(findings));
        }
        let raw: Value = Decoder::new(&tree, &[], Severity::Error, &mut findings, &mut mask).decode();
        let read = serde_json::to_value(&typed).unwrap_or_default();
        let mut merged = serde_json::to_value(self).unwrap_or_default();
        let patch = settled(raw, Some(&read));
        if patch.is_object() {
            json_patch::merge(&mut merged, &patch);
        }
        let catalogue: Self = serde_json::from_value(merged).map_err(|fault| {
            let message = format!("the overlay does not fit the catalogue: {fault}");
            let finding = Finding::error(&landfall_source::pages::WRONG_TYPE, Kind::TypeInvalid, "", message);
            vec![finding.span(Span::default())]
        })?;
        let faults = catalogue.faults();
        if faults.is_empty() {
            return Ok(catalogue);
        }
        let mut all: Vec<Finding> = faults.into_iter().map(|fault| finding(fault, &tree)).collect();
        sort(&mut all);
        Err(all)
    }
}

/// All findings, as errors.
fn refusals(findings: Findings) -> Vec<Finding> {
    let cut = landfall_source::cut_short(&findings);
    let mut all: Vec<Finding> = findings.into_vec().into_iter().chain(cut).collect();
    for finding in &mut all {
        finding.severity = Severity::Error;
    }
    sort(&mut all);
    all
}

/// Says which keys read as other text than was written, as the release `4.20` without quotes does.
fn check_keys(tree: &Tree<'_>, at: NodeId, text: &str, findings: &mut Findings) {
    match &tree.node(at).kind {
        NodeKind::Map(map) => {
            for entry in tree.entries(*map) {
                let written = text.get(entry.key_span.range()).unwrap_or_default().trim();
                let plain = !written.starts_with(['"', '\'', '!', '&', '*', '?', '|', '>']);
                if plain && written != entry.key {
                    let message = format!("`{written}` without quotes is read as `{}`", entry.key);
                    let code = &landfall_source::pages::CONVERTED;
                    let finding = Finding::error(code, Kind::TypeInvalid, entry.key.to_string(), message);
                    let help = format!("write \"{written}\" to keep the text");
                    findings.push(finding.help(help).span(entry.key_span));
                }
                check_keys(tree, entry.value, text, findings);
            }
        }
        NodeKind::List(list) => {
            for item in tree.items(*list) {
                check_keys(tree, *item, text, findings);
            }
        }
        NodeKind::Text(_) | NodeKind::Plain(_) | NodeKind::Float(_) | NodeKind::Alias(_) => {}
    }
}

/// A document as it was written, with every value as its type reads it: what the type leaves out because
/// it says nothing stays, as it may take something away.
fn settled(raw: Value, typed: Option<&Value>) -> Value {
    match (raw, typed) {
        (Value::Object(map), typed) => {
            let below = |(key, value): (String, Value)| {
                let value = settled(value, typed.and_then(|typed| typed.get(&key)));
                (key, value)
            };
            Value::Object(map.into_iter().map(below).collect())
        }
        (Value::Null, _) => Value::Null,
        (_, Some(typed)) => typed.clone(),
        (Value::Number(_), None) => 0.into(),
        (raw, None) => raw,
    }
}

/// A fault of the merged catalogue as a finding in the overlay.
fn finding(fault: Fault, tree: &Tree<'_>) -> Finding {
    let (code, kind): (&'static Code, Kind) = match fault.wrong {
        Wrong::Pattern => (&pages::PATTERN, Kind::Invalid),
        Wrong::Reference => (&pages::REFERENCE, Kind::Invalid),
        Wrong::Choice => (&pages::CHOICE, Kind::NotSupported),
        Wrong::Twice => (&pages::TWICE, Kind::Duplicate),
    };
    let span = place(tree, &fault.path);
    Finding::error(code, kind, field(&fault.path), fault.message).span(span)
}

/// A path as the reader writes it: names after dots, other keys in brackets.
fn field(path: &[String]) -> String {
    let mut field = String::new();
    for key in path {
        if !key.bytes().all(|b| b.is_ascii_alphanumeric()) {
            field = format!("{field}[{key}]");
        } else if field.is_empty() {
            field.clone_from(key);
        } else {
            field = format!("{field}.{key}");
        }
    }
    field
}

/// The place of the value at `path`, or of the key nearest to it that the overlay has.
fn place(tree: &Tree<'_>, path: &[String]) -> Span {
    let mut span = Span::default();
    let mut at = tree.root();
    for key in path {
        let Some(NodeKind::Map(map)) = at.map(|at| &tree.target(at).kind) else { break };
        let Some(entry) = tree.entries(*map).iter().find(|entry| entry.key.as_ref() == key.as_str()) else {
            break;
        };
        span = match &tree.target(entry.value).kind {
            NodeKind::Map(_) | NodeKind::List(_) | NodeKind::Alias(_) => entry.key_span,
            NodeKind::Text(_) | NodeKind::Plain(_) | NodeKind::Float(_) => tree.node(entry.value).span,
        };
        at = Some(entry.value);
    }
    span
}

#[cfg(test)]
mod tests {
    use super::super::value::Role;
    use super::super::{KnownRegion, Reason};
    use super::*;

    const MOON: &str = r#"
aws:
  partitions:
    aws-moon:
      dnsSuffix: aws.moon
      regionPattern: ^moon-\w+-\d+$
      apiRecordType: CNAME
      secret: true
      globalEndpoints:
        route53: {url: "https://route53.aws.moon", signingRegion: moon-base-1}
      regions:
        moon-base-1:
          name: Moon (Tranquility Base)
          zones: [moon-base-1a, moon-base-1b]
          internalDomain: moon.internal
          endpoints:
            s3: {url: "https://storage.moon-base-1.aws.moon"}
          offerings:
            l1.xlarge: [moon-base-1a]
  instanceTypes:
    l1.xlarge: {vcpus: 4, memoryMib: 16384, architecture: arm64}
  defaultInstanceTypes:
    moon:
      architectures:
        arm64: {controlPlane: [l1.xlarge]}
azure:
  clouds:
    AzureMoonCloud:
      resourceManagerEndpoint: https://management.azure.moon/
      locations:
        mooneast: {displayName: Moon East, zones: ["1"]}
releases:
  "4.20": {instanceTypeRule: moon, permissionRule: newest}
images:
  "4.20":
    arm64:
      aws:
        regions: {moon-base-1: ami-0123456789abcdef0}
"#;

    fn codes(text: &str) -> Vec<&'static str> {
        let findings = Catalogue::embedded().with_overlay(text).err().unwrap_or_default();
        assert!(findings.iter().all(|f| f.is_error() && f.span.is_some()), "{findings:?}");
        findings.iter().map(|finding| finding.code.as_str()).collect()
    }

    fn with(text: &str) -> Catalogue {
        assert_eq!(codes(text), Vec::<&str>::new());
        Catalogue::embedded().with_overlay(text).unwrap_or_default()
    }

    #[test]
    fn a_partition_that_nobody_has_heard_of_is_known_like_any_other() {
        let catalogue = with(MOON);
        let aws = &catalogue.aws;
        for region in ["moon-base-1", "moon-base-7"] {
            let partition = aws.partition_of(region);
            assert_eq!(partition.map(|(id, _)| id), Some("aws-moon"), "{region}");
            assert_eq!(aws.api_record_type(region), "CNAME");
            assert_eq!(aws.ec2_service_principal(region), "ec2.aws.moon");
            let route53 = aws.endpoint(region, "route53").unwrap_or_default();
            assert_eq!(route53.url, "https://route53.aws.moon");
            assert_eq!(route53.signing_region, "moon-base-1");
            assert_eq!(aws.required_services(region).len(), 7);
        }
        assert_eq!(aws.zones("moon-base-1"), ["moon-base-1a", "moon-base-1b"]);
        assert_eq!(aws.internal_domain("moon-base-1"), "moon.internal");
        assert_eq!(aws.internal_domain("moon-base-7"), "moon-base-7.compute.internal");
        let s3 = aws.endpoint("moon-base-1", "s3").unwrap_or_default();
        assert_eq!(s3.url, "https://storage.moon-base-1.aws.moon");
        assert_eq!(s3.signing_region, "moon-base-1");
        let ec2 = aws.endpoint("moon-base-7", "ec2").unwrap_or_default();
        assert_eq!(ec2.url, "https://ec2.moon-base-7.aws.moon");
        assert_eq!(aws.candidates("moon", "arm64", Role::Compute, false), ["l1.xlarge"]);
        assert_eq!(aws.offered_zones("moon-base-1", "l1.xlarge").map(<[String]>::len), Some(1));
        assert_eq!(aws.instance_types.get("l1.xlarge").map(|kind| kind.vcpus), Some(4));
        assert_eq!(catalogue.image("4.20", "arm64", "aws", "moon-base-1"), Some("ami-0123456789abcdef0"));
        assert_eq!(catalogue.default_release(), Some("4.19"));
        let published = Reason::ImagePublished { release: "4.20".to_owned() };
        let known = catalogue.known_regions("aws", "4.20");
        let moon = known.iter().find(|region| region.id == "moon-base-1").cloned();
        let expected = KnownRegion {
            id: "moon-base-1",
            name: "Moon (Tranquility Base)",
            reasons: vec![Reason::Described, published],
            offered: false,
        };
        assert_eq!(moon, Some(expected));
        let cloud = catalogue.azure.cloud("AzureMoonCloud").map(|(_, cloud)| cloud);
        assert_eq!(cloud.map(|cloud| cloud.locations.len()), Some(1));
        // What the overlay does not speak of stays.
        assert_eq!(aws.partition_of("us-east-1"), Catalogue::embedded().aws.partition_of("us-east-1"));
    }

    #[test]
    fn nothing_changes_nothing_and_the_whole_changes_nothing() {
        let embedded = Catalogue::embedded();
        assert_eq!(&with(""), embedded);
        assert_eq!(&with("aws: {}\n"), embedded);
        let whole = serde_json::to_string(embedded).unwrap_or_default();
        assert_eq!(&with(&whole), embedded);
    }

    #[test]
    fn null_takes_away_and_zero_replaces() {
        let gone = with("aws: {partitions: {aws: {regions: {us-east-2: null}, imageCopyFrom: null}}}\n");
        assert_eq!(gone.aws.region("us-east-2"), None);
        assert!(gone.aws.region("us-east-1").is_some());
        assert_eq!(gone.aws.partition_of("us-east-1").and_then(|(_, p)| p.image_copy_from.clone()), None);
        let zero = with("azure: {clouds: {AzurePublicCloud: {userTagsAllowed: false}}}\n");
        let tags =
            |catalogue: &Catalogue| catalogue.azure.cloud("").map(|(_, cloud)| cloud.user_tags_allowed);
        assert_eq!((tags(Catalogue::embedded()), tags(&zero)), (Some(true), Some(false)));
        let zones = with("aws: {partitions: {aws: {regions: {us-east-1: {zones: []}}}}}\n");
        assert_eq!(zones.aws.zones("us-east-1"), Vec::<String>::new());
        let text =
            "aws: {minimums: {worker: {vcpus: 0.0}}, defaultInstanceTypes: {x: {skippedZones: [1]}}}\n";
        let least = with(text);
        assert_eq!(least.aws.minimums(Role::Compute).map(|least| least.vcpus), Some(0));
        assert_eq!(least.aws.skipped_zones("x"), ["1"]);
    }

    #[test]
    fn finds_all_faults_at_once() {
        assert_eq!(
            codes("awz: {}\naws: {partitions: {aws: {dnsSufix: a, secret: maybe}}}\n"),
            ["LF0010", "LF0010", "LF0011"]
        );
        assert_eq!(codes("aws: {Partitions: {}}\n"), ["LF0022"]);
        assert_eq!(codes("releases:\n  4.20: {stream: x}\n"), ["LF0021"]);
        assert_eq!(codes("- a\n"), ["LF0011"]);
        assert!(codes("aws: [\n").contains(&"LF0005"));
        let whole = Catalogue::embedded().with_overlay("- a\n").err().unwrap_or_default();
        let message = whole.first().map(|finding| finding.message.clone()).unwrap_or_default();
        assert!(message.contains("overlay") && message.ends_with(" list"), "{message}");
    }

    #[test]
    fn points_at_what_contradicts_the_catalogue() {
        let text = "aws: {partitions: {aws-moon: {regionPattern: '^(', apiRecordType: AAAA}}}\n";
        assert_eq!(codes(text), ["LF0601", "LF0603"]);
        let findings = Catalogue::embedded().with_overlay(text).err().unwrap_or_default();
        let first = findings.first();
        let shown = first.and_then(|finding| text.get(finding.span?.range()));
        assert_eq!(shown, Some("'^('"));
        assert_eq!(first.map(|f| f.field.as_str()), Some("aws.partitions[aws-moon].regionPattern"));
        assert_eq!(codes("releases: {\"4.20\": {instanceTypeRule: none}}\n"), ["LF0602"]);
        assert_eq!(codes("images: {\"9.9\": {amd64: {aws: {url: x}}}}\n"), ["LF0602"]);
        assert_eq!(codes("images: {\"4.14\": {x86_64: {gcp: {url: x}}}}\n"), ["LF0603", "LF0603"]);
        let twice = "aws: {partitions: {aws-moon: {regions: {us-east-1: {name: x}}}}}\n";
        assert_eq!(codes(twice), ["LF0604"]);
        assert_eq!(codes("azure: {defaultCloud: AzureSunCloud}\n"), ["LF0602"]);
        let zone = "aws: {partitions: {aws: {regions: {us-east-1: {zones: [us-east-1a, us-west-2a]}}}}}\n";
        assert_eq!(codes(zone), ["LF0604"]);
        let findings = Catalogue::embedded().with_overlay(zone).err().unwrap_or_default();
        let shown = findings.first().and_then(|finding| zone.get(finding.span?.range()));
        assert_eq!(shown, Some("zones"));
        let sparc = [
            "aws: {instanceTypes: {m5.large: {architecture: sparc}}}\n",
            "aws: {defaultInstanceTypes: {newest: {architectures: {sparc: {compute: [a]}}}}}\n",
            "azure: {sizes: {Standard_D4s_v3: {architecture: sparc}}}\n",
            "azure: {defaultSizes: {sparc: {master: Standard_D4s_v3}}}\n",
        ];
        assert!(sparc.iter().all(|text| codes(text) == ["LF0603"]));
    }

    #[test]
    fn endpoints_of_azure_are_urls_with_https_and_a_host() {
        let of = |value: &str| {
            codes(&format!("azure: {{clouds: {{AzurePublicCloud: {{resourceManagerEndpoint: {value}}}}}}}\n"))
        };
        for wrong in ["\"http://x\"", "notaurl", "5", "\"https://\"", "\"https://u@x\"", "\"https://:1\""] {
            assert_eq!(of(wrong), ["LF0603"], "{wrong}");
        }
        for right in ["\"https://127.0.0.1:8443/arm/\"", "\"https://[fd00::1]\"", "\"\""] {
            assert_eq!(of(right), Vec::<&str>::new(), "{right}");
        }
        let authority = "azure: {clouds: {AzureMoonCloud: {activeDirectoryAuthority: login.moon}}}\n";
        assert_eq!(codes(authority), ["LF0603"]);
    }
}
