//! What the engine and the operator are told by files and flags.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_diagnostics::Finding;
use landfall_engine_aso::detect;
use landfall_engine_aso::translate::pages;
use landfall_engine_aso::translate::patches::Patch;
use landfall_install_config::verdict::Outcome;
use landfall_source::Mask;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{RenderArgs, bytes, patches};
use crate::cli::namespace::namespace;
use crate::prepare::target::Named;
use crate::prepare::{Error, Refusal, Said};

/// Who creates the machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum Machines {
    /// Another engine
    #[default]
    None,
    /// The operator
    Aso,
}

/// How far the cluster is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stage {
    /// It is made, and stays
    #[default]
    Install,
    /// It is made, and its bootstrap machine with it
    Bootstrap,
    /// It is installed, and edits some of it itself
    Handover,
}

/// What no install config says.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct EngineSettings {
    #[serde(rename = "infraID")]
    pub(super) infra_id: Option<String>,
    #[serde(rename = "subscriptionID", deserialize_with = "id")]
    pub(super) subscription_id: Option<String>,
    #[serde(rename = "tenantID", deserialize_with = "id")]
    pub(super) tenant_id: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) machines: Option<Machines>,
    pub(super) stage: Option<Stage>,
    #[serde(rename = "apiInternalIP")]
    pub(super) api_internal_ip: Option<Ipv4Addr>,
    #[serde(rename = "anchorUID", deserialize_with = "id")]
    pub(super) anchor_uid: Option<String>,
    pub(super) patches: Vec<Patch>,
}

/// An id as Azure and Kubernetes give them.
fn id<'de, D: Deserializer<'de>>(text: D) -> Result<Option<String>, D::Error> {
    let id: Option<String> = Option::deserialize(text)?;
    id.map(|id| uuid(&id)).transpose().map_err(D::Error::custom)
}

/// A UUID as it is usually written.
///
/// # Errors
/// A sentence that says what one looks like.
pub(super) fn uuid(text: &str) -> Result<String, String> {
    const LENGTH: usize = 36;
    let right = text.len() == LENGTH && uuid::Uuid::parse_str(text).is_ok();
    let why = "use a UUID, such as 11111111-2222-3333-4444-555555555555";
    right.then(|| text.to_owned()).ok_or_else(|| why.to_owned())
}

impl EngineSettings {
    /// What the flags say, and the file where they say nothing.
    pub(super) fn of(args: &RenderArgs) -> Result<Self, Refusal> {
        let file = match &args.engine_settings {
            None => Self::default(),
            Some(path) => {
                let text = text(path)?;
                let read: Result<Self, _> = serde_saphyr::from_str(&text);
                let read = read.map_err(|fault| {
                    let why = fault.to_string();
                    unreadable(path, pages::settings(why.lines().next().unwrap_or_default()))
                })?;
                if let Some(Err(why)) = read.namespace.as_deref().map(namespace) {
                    return Err(unreadable(path, pages::settings(&format!("`namespace`: {why}"))));
                }
                read
            }
        };
        Ok(Self {
            infra_id: args.infra_id.clone().or(file.infra_id),
            subscription_id: args.subscription_id.clone().or(file.subscription_id),
            tenant_id: args.tenant_id.clone().or(file.tenant_id),
            namespace: args.namespace.clone().or(file.namespace),
            machines: args.machines.or(file.machines),
            stage: args.stage.or(file.stage),
            api_internal_ip: args.api_internal_ip.or(file.api_internal_ip),
            anchor_uid: args.anchor_uid.clone().or(file.anchor_uid),
            patches: args.aso_patches.as_deref().map_or(Ok(file.patches), patches::read)?,
        })
    }

    /// The same, with what an earlier run noted of the cluster where they say nothing.
    pub(super) fn or_noted(self, named: &Named) -> Self {
        let Some(engine) = named.engine() else { return self };
        let namespace = Some(engine.namespace).filter(|namespace| !namespace.is_empty());
        Self {
            namespace: self.namespace.or(namespace),
            machines: self.machines.or(engine.machines.then_some(Machines::Aso)),
            api_internal_ip: self.api_internal_ip.or(named.decided().api_internal_ip),
            ..self
        }
    }

    /// Whether the operator makes the machines.
    pub(super) fn makes_machines(&self) -> bool {
        self.machines == Some(Machines::Aso)
    }

    /// Whether the bootstrap machine is needed.
    pub(super) fn is_bootstrap(&self) -> bool {
        self.stage == Some(Stage::Bootstrap)
    }
}

pub(super) fn text(path: &Path) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&bytes(path)?).into_owned())
}

/// The refusal of a file, of which nothing is shown.
pub(super) fn unreadable(path: &Path, finding: Finding) -> Refusal {
    Refusal::Invalid(Box::new(silent(path, Outcome::Unparseable, vec![finding])))
}

/// What is to be said of a file, without its text.
pub fn silent(path: &Path, outcome: Outcome, findings: Vec<Finding>) -> Said {
    let file = path.display().to_string();
    Said { file, text: String::new(), outcome, findings, mask: Mask::default() }
}

/// What is in the operator's Secret. It may hold a credential, so nothing of it is said.
pub(super) fn of_operator(path: &Path) -> Result<detect::Settings, Refusal> {
    let refuse = |why: &str| unreadable(path, pages::settings(why));
    let read: Result<Value, _> = serde_saphyr::from_str(&text(path)?);
    let secret = read.map_err(|_| refuse("it is not a Secret in YAML"))?;
    if secret["kind"] != "Secret" || secret["metadata"]["name"] != detect::SETTINGS {
        return Err(refuse("it is not the Secret aso-controller-settings"));
    }
    let values = values(&secret).ok_or_else(|| refuse("not all of its values are base64 strings"))?;
    let text = |key: &str| values.get(key).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Ok(detect::Settings::of(text))
}

/// The values of a Secret by key; none where one cannot be decoded.
fn values(secret: &Value) -> Option<BTreeMap<&str, Vec<u8>>> {
    let mut all = BTreeMap::new();
    for part in ["data", "stringData"] {
        let Some(entries) = secret.get(part).filter(|entries| !entries.is_null()) else { continue };
        for (key, value) in entries.as_object()? {
            let text = value.as_str()?;
            let bytes = if part == "data" { STANDARD.decode(text).ok()? } else { text.as_bytes().to_vec() };
            all.insert(key.as_str(), bytes);
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_uuid_is_written_with_its_hyphens() {
        let right = "11111111-2222-3333-4444-55555555aAfF";
        assert_eq!(uuid(right).as_deref(), Ok(right));
        let plain = right.replace('-', "");
        let braced = format!("{{{right}}}");
        let other = right.replace('F', "G");
        for wrong in ["", "foo", "x y", plain.as_str(), braced.as_str(), other.as_str()] {
            assert!(uuid(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_of_a_secret_are_decoded_or_there_are_none() {
        let secret = json!({ "data": { "a": "eA==", "b": "eQ==" }, "stringData": { "b": "z" } });
        let expected = BTreeMap::from([("a", b"x".to_vec()), ("b", b"z".to_vec())]);
        assert_eq!(values(&secret), Some(expected));
        assert_eq!(values(&json!({ "data": null })), Some(BTreeMap::new()));
        for data in [json!({ "a": "%" }), json!({ "a": 1 }), json!("a")] {
            let wrong = json!({ "data": data });
            assert_eq!(values(&wrong), None, "{wrong}");
        }
    }
}
