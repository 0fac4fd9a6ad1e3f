//! What the engine and the operator are told by files and flags.

use std::net::Ipv4Addr;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use super::{RenderArgs, bytes};
use crate::engine::aso::detect;
use crate::engine::aso::translate::pages;
use crate::finding::Finding;
use crate::prepare::{Error, Refusal, Said};
use crate::source::Mask;
use crate::verdict::Outcome;

/// Who makes the machines.
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
}

/// What no install config says.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct EngineSettings {
    #[serde(rename = "infraID")]
    pub(super) infra_id: Option<String>,
    #[serde(rename = "subscriptionID")]
    pub(super) subscription_id: Option<String>,
    #[serde(rename = "tenantID")]
    pub(super) tenant_id: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) machines: Option<Machines>,
    pub(super) stage: Option<Stage>,
    #[serde(rename = "apiInternalIP")]
    pub(super) api_internal_ip: Option<Ipv4Addr>,
    #[serde(rename = "anchorUID")]
    pub(super) anchor_uid: Option<String>,
}

impl EngineSettings {
    /// What the flags say, and the file where they say nothing.
    pub(super) fn of(args: &RenderArgs) -> Result<Self, Refusal> {
        let file = match &args.engine_settings {
            None => Self::default(),
            Some(path) => {
                let text = text(path)?;
                let read = serde_saphyr::from_str(&text);
                read.map_err(|fault| {
                    let why = fault.to_string();
                    unreadable(path, pages::settings(why.lines().next().unwrap_or_default()))
                })?
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
        })
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
    Refusal::Invalid(Box::new(Said {
        file: path.display().to_string(),
        text: String::new(),
        outcome: Outcome::Unparseable,
        findings: vec![finding],
        mask: Mask::default(),
    }))
}

/// What is in the operator's Secret. It may hold a credential, so nothing of it is said.
pub(super) fn of_operator(path: &Path) -> Result<detect::Settings, Refusal> {
    let read: Result<Value, _> = serde_saphyr::from_str(&text(path)?);
    let secret = read.map_err(|_| unreadable(path, pages::settings("it is no Secret in YAML")))?;
    Ok(detect::Settings::of(|key| {
        let of = |part: &str| secret.get(part)?.get(key)?.as_str();
        let decoded = || String::from_utf8(STANDARD.decode(of("data")?).ok()?).ok();
        of("stringData").map(str::to_owned).or_else(decoded)
    }))
}
