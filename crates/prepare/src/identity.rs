//! The ids of a cluster: given, kept from an earlier run, or made.

use std::path::Path;

use landfall_diagnostics::{Finding, Span};
use landfall_install_config::verdict::{Outcome, active};
use landfall_model::config::InstallConfig;
use landfall_model::plan::{self, ALPHABET, Cluster, Identity, RANDOM, cluster_id_of, infra_id_prefix};
use landfall_render::Engine;
use landfall_source::Mask;
use rand::seq::SliceRandom;
use serde::Deserialize;
use serde_json::Value;

use super::{Options, Refusal, Said, inputs, target};
use landfall_workdir::ClusterDir;

/// The file that says who the cluster is.
pub(super) const METADATA: &str = "metadata.json";

/// What of `metadata.json` says who the cluster is.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    cluster_name: String,
    #[serde(rename = "infraID")]
    infra_id: String,
    #[serde(rename = "clusterID")]
    cluster_id: String,
    #[serde(default)]
    landfall: Own,
}

/// What of `metadata.json` is landfall's own.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Own {
    account: Option<String>,
    engine: Option<String>,
    namespace: Option<String>,
    machines: bool,
    management_cluster: Option<String>,
    objects: Option<Value>,
}

/// The ids that the user fixes, else those of an earlier run in this directory, else new ones.
///
/// A fixed infrastructure id has a fixed UUID, so that the files are the same wherever they are made.
pub(super) fn choose(
    cluster: &ClusterDir,
    config: &InstallConfig,
    options: &Options<'_>,
) -> Result<Identity, Refusal> {
    let path = cluster.root().join(METADATA);
    let earlier = earlier(cluster.read(METADATA)?.as_deref(), &path, config)?;
    decide(earlier, &path.display().to_string(), config, options)
}

/// What an earlier run noted of the cluster; none in a directory without metadata. Metadata that cannot be used is
/// refused: with new ids, the resources that the cluster has would belong to no cluster of this directory.
fn earlier(metadata: Option<&[u8]>, path: &Path, config: &InstallConfig) -> Result<Option<Kept>, Refusal> {
    let Some(bytes) = metadata else { return Ok(None) };
    let refused = |finding: Finding| {
        let finding = target::pages::for_files(finding);
        Refusal::Invalid(refusal(&path.display().to_string(), finding))
    };
    let unusable = |field: &str, why: &str| refused(target::pages::unusable(path, field, why));
    let (noted, platform) = target::parse(path, bytes).map_err(|finding| refused(*finding))?;
    for (field, value) in [("clusterName", &noted.cluster_name), ("clusterID", &noted.cluster_id)] {
        if value.is_empty() {
            return Err(unusable(field, &format!("`{field}` is missing or is not a string")));
        }
    }
    let Some(kept) = kept(bytes) else {
        return Err(unusable("landfall", "`landfall` has a value of the wrong type"));
    };
    let is_its = active(config).is_some_and(|own| own.name() == platform.name());
    if !is_its && kept.cluster_name == config.metadata.name {
        return Err(unusable("", "it belongs to a cluster on another platform"));
    }
    Ok(Some(kept))
}

/// The ids, where those of an earlier run are `kept` in the file `metadata`.
fn decide(
    kept: Option<Kept>,
    metadata: &str,
    config: &InstallConfig,
    options: &Options<'_>,
) -> Result<Identity, Refusal> {
    let name = &config.metadata.name;
    if let Some(other) = kept.as_ref().filter(|kept| kept.cluster_name != *name) {
        let finding = plan::pages::other_cluster(&other.cluster_name, name);
        return Err(Refusal::Invalid(refusal(metadata, finding)));
    }
    if let (Some(given), Some(other)) = (&options.infra_id, &kept)
        && *given != other.infra_id
    {
        let finding = plan::pages::other_infra_id(&other.infra_id, given);
        return Err(Refusal::Invalid(refusal(metadata, finding)));
    }
    let infra_id = match (&options.infra_id, &kept) {
        (Some(given), _) if !plan::is_infra_id(given) => {
            return Err(Refusal::Usage(refusal("--infra-id", plan::pages::unusable_infra_id(given))));
        }
        (Some(given), _) => given.clone(),
        (None, Some(kept)) => kept.infra_id.clone(),
        (None, None) => new(&config.metadata.name),
    };
    let earlier = kept.filter(|kept| kept.infra_id == infra_id).map(|kept| kept.cluster_id);
    let cluster_id = options.cluster_id.clone().or(earlier).unwrap_or_else(|| match options.infra_id {
        Some(_) => cluster_id_of(&infra_id, &Cluster::of(config).domain),
        None => uuid::Builder::from_random_bytes(rand::random()).into_uuid().to_string(),
    });
    Ok(Identity { infra_id, cluster_id })
}

/// The ids that [`choose`] will give, as far as that can be foreseen, and whether it will give just these.
/// Nothing is written or locked.
pub(super) fn foreseen(
    metadata: Option<&[u8]>,
    directory: &Path,
    config: &InstallConfig,
    options: &Options<'_>,
) -> Result<(Identity, bool), Refusal> {
    let path = directory.join(METADATA);
    let earlier = earlier(metadata, &path, config)?;
    let fixed = earlier.is_some() || options.infra_id.is_some();
    Ok((decide(earlier, &path.display().to_string(), config, options)?, fixed))
}

/// The account that an earlier run noted for the same cluster.
pub(super) fn account(metadata: Option<&[u8]>, identity: &Identity) -> Option<String> {
    noted(metadata, identity)?.account
}

/// The engine that the user names for the cluster, or an earlier run noted or used, with its namespace.
pub(super) fn engine(
    directory: &Path,
    metadata: Option<&[u8]>,
    identity: &Identity,
    given: Option<Engine>,
) -> Option<Engine> {
    let is_given = given.is_some();
    let engine = named(metadata, identity, given);
    let noted = engine.as_ref().and_then(|engine| plan::Engine::named(&engine.name));
    match inputs::engine_of(directory, noted) {
        Some(begun) if !is_given && Some(begun) != noted => Some(Engine::here(begun)),
        _ => engine,
    }
}

fn named(metadata: Option<&[u8]>, identity: &Identity, given: Option<Engine>) -> Option<Engine> {
    let own = noted(metadata, identity);
    let noted = own.and_then(|own| {
        Some(Engine {
            name: own.engine?,
            namespace: own.namespace.unwrap_or_default(),
            machines: own.machines,
        })
    });
    let Some(given) = given else { return noted };
    let is_here = given.name != plan::Engine::Aso.name();
    if is_here || !given.namespace.is_empty() {
        return Some(given);
    }
    let noted = noted.map(|noted| noted.namespace).filter(|namespace| !namespace.is_empty());
    Some(Engine { namespace: noted.unwrap_or_else(|| identity.infra_id.clone()), ..given })
}

/// The management cluster that the same cluster was moved to.
pub(super) fn management_cluster(metadata: Option<&[u8]>, identity: &Identity) -> Option<String> {
    noted(metadata, identity)?.management_cluster
}

/// What was decided of the same cluster's objects, as it stands there.
pub(super) fn objects(metadata: Option<&[u8]>, identity: &Identity) -> Option<Value> {
    noted(metadata, identity)?.objects
}

/// What landfall itself noted in an earlier run for the same cluster.
fn noted(metadata: Option<&[u8]>, identity: &Identity) -> Option<Own> {
    let kept = metadata.and_then(kept).filter(|kept| kept.infra_id == identity.infra_id)?;
    Some(kept.landfall)
}

fn kept(metadata: &[u8]) -> Option<Kept> {
    let kept: Option<Kept> = serde_json::from_slice(target::without_mark(metadata)).ok();
    kept.filter(|kept| plan::is_infra_id(&kept.infra_id))
}

/// The ids that a cluster has where its `metadata.json` is that of an earlier run, else some that it might
/// get. Nothing is written or locked.
pub(super) fn likely(metadata: Option<&[u8]>, config: &InstallConfig) -> Identity {
    let name = &config.metadata.name;
    let kept = metadata.and_then(kept).filter(|kept| kept.cluster_name == *name);
    let kept = kept.map(|kept| Identity { infra_id: kept.infra_id, cluster_id: kept.cluster_id });
    kept.unwrap_or_else(|| Identity { infra_id: new(name), cluster_id: String::new() })
}

fn new(name: &str) -> String {
    let mut rng = rand::thread_rng();
    let random = std::iter::repeat_with(|| ALPHABET.choose(&mut rng).copied().unwrap_or(b'b'));
    infra_id_prefix(name) + &random.take(RANDOM).map(char::from).collect::<String>()
}

fn refusal(file: &str, finding: Finding) -> Box<Said> {
    Box::new(Said {
        file: file.to_owned(),
        text: String::new(),
        outcome: Outcome::Rejected,
        findings: vec![finding.span(Span::default())],
        mask: Mask::default(),
    })
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a cluster directory is made here")]
mod tests {
    use landfall_install_config::verdict::{Strictness, judge_keeping};
    use landfall_model::catalogue::Catalogue;

    use super::super::FactsFrom;
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const CONFIG: &str = "apiVersion: v1\nbaseDomain: example.com\nmetadata:\n  name: demo\nplatform:\n  aws:\n    \
                          region: us-east-1\n";
    const USABLE: &str = r#"{"clusterName":"demo","clusterID":"u","infraID":"demo-x7k2p","aws":{}}"#;

    #[test]
    fn metadata_that_cannot_be_used_gives_no_other_identity() -> Outcome {
        let given = judge_keeping(CONFIG.as_bytes(), Strictness::default(), Catalogue::embedded()).given;
        let config = given.ok_or("a config")?;
        let root = tempfile::tempdir()?;
        let options = Options::reading(FactsFrom::Catalogue);
        let chosen = |metadata: &str| -> Result<String, Box<dyn std::error::Error>> {
            std::fs::write(root.path().join(METADATA), metadata)?;
            let ids = |result: Result<Identity, Refusal>| match result {
                Ok(identity) => identity.infra_id,
                Err(Refusal::Invalid(said)) => {
                    said.findings.iter().map(|found| found.code.as_str()).collect()
                }
                Err(_) => "refused otherwise".to_owned(),
            };
            let foreseen = foreseen(Some(metadata.as_bytes()), root.path(), &config, &options);
            let foreseen = ids(foreseen.map(|(identity, _)| identity));
            let chosen = ids(choose(&ClusterDir::open(root.path())?, &config, &options));
            assert_eq!(chosen, foreseen, "{metadata}");
            Ok(chosen)
        };
        assert_eq!(chosen(USABLE)?, "demo-x7k2p");
        // A byte order mark is what an editor leaves.
        assert_eq!(chosen(&format!("\u{feff}{USABLE}"))?, "demo-x7k2p");
        for (metadata, code) in [
            ("", "LF1381"),
            ("{", "LF1381"),
            (&USABLE[..40], "LF1381"),
            ("{}", "LF1381"),
            ("[]", "LF1381"),
            (r#"{"infraID":5}"#, "LF1381"),
            (&USABLE.replace("demo-x7k2p", "Bad ID"), "LF1381"),
            (&USABLE.replace(r#""clusterID":"u","#, ""), "LF1381"),
            (&USABLE.replace(r#""clusterName":"demo","#, ""), "LF1381"),
            (&USABLE.replace(r#""aws":{}"#, r#""aws":{},"landfall":{"machines":"yes"}"#), "LF1381"),
            (&USABLE.replace(r#","aws":{}"#, ""), "LF1382"),
            (&USABLE.replace("aws", "gcp"), "LF1382"),
            (&USABLE.replace("aws", "azure"), "LF1381"),
            (&USABLE.replace(r#""demo""#, r#""other""#), "LF0655"),
            (&USABLE.replace(r#""aws":{}"#, r#""aws":{},"landfall":{"engine":"pulumi"}"#), "LF0658"),
        ] {
            assert_eq!(chosen(metadata)?, code, "{metadata}");
        }
        Ok(())
    }

    #[test]
    fn what_is_asked_for_comes_before_what_is_noted() {
        let identity = Identity { infra_id: "demo-x7k2p".to_owned(), cluster_id: String::new() };
        let head = r#"{"clusterName":"demo","clusterID":"u","infraID":"demo-x7k2p","landfall":"#;
        let found = |own: &str, given: Option<(&str, bool)>| {
            let metadata = format!("{head}{own}}}");
            let aso = |(namespace, machines): (&str, bool)| {
                let (name, namespace) = ("aso".to_owned(), namespace.to_owned());
                Engine { name, namespace, machines }
            };
            let found = named(Some(metadata.as_bytes()), &identity, given.map(aso));
            found.map(|engine| (engine.namespace, engine.machines))
        };
        let of = |namespace: &str, machines: bool| Some((namespace.to_owned(), machines));
        let noted = r#"{"engine":"aso","namespace":"fleet","machines":true}"#;
        assert_eq!(found(noted, None), of("fleet", true));
        assert_eq!(found(noted, Some(("", false))), of("fleet", false));
        assert_eq!(found(noted, Some(("other", true))), of("other", true));
        let older = r#"{"engine":"aso","namespace":"fleet"}"#;
        assert_eq!(found(older, None), of("fleet", false));
        assert_eq!(found("{}", None), None);
        assert_eq!(found("{}", Some(("", true))), of("demo-x7k2p", true));
    }
}
