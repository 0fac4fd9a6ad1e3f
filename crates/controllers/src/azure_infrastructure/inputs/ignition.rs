//! The ignition configs of a cluster's machines, as the Secret of `ignitionSecretRef` has them: pointers to configs that
//! the user uploads, or the files of `openshift-install create ignition-configs`.

use std::borrow::Cow;

use landfall_diagnostics::secret::Secret;
use landfall_model::plan::Plan;
use landfall_render::ignition::served_by;
use serde_json::{Map, Value};

use super::bytes;
use crate::azure_infrastructure::resource::{Machines, Spec, Stage};

/// The keys of pointers.
const BOOTSTRAP: &str = "bootstrap";
const CONTROL_PLANE: &str = "controlPlane";
/// The keys of files.
const BOOTSTRAP_FILE: &str = "bootstrap.ign";
const MASTER_FILE: &str = "master.ign";

/// The ignition configs. A pointer counts before a file.
#[derive(Default)]
pub(in crate::azure_infrastructure) struct Configs {
    /// The bootstrap machine's pointer.
    pub(in crate::azure_infrastructure) bootstrap: Option<String>,
    /// The pointer of the control plane's machines.
    pub(in crate::azure_infrastructure) control_plane: Option<String>,
    /// The bootstrap machine's whole config.
    bootstrap_file: Option<Secret<String>>,
    /// The file of the control plane's machines, which is a pointer to the machine config server.
    master_file: Option<Secret<String>>,
}

impl Configs {
    /// Those of a Secret.
    pub(super) fn of(secret: &Value) -> Self {
        let text = |key: &str| bytes(secret, key).and_then(|bytes| String::from_utf8(bytes).ok());
        Self {
            bootstrap: text(BOOTSTRAP),
            control_plane: text(CONTROL_PLANE),
            bootstrap_file: text(BOOTSTRAP_FILE).map(Secret::new),
            master_file: text(MASTER_FILE).map(Secret::new),
        }
    }

    /// The config of the control plane's machines. Where the user provides the DNS records, that of a file gets the rest
    /// from the address of the plan.
    pub(in crate::azure_infrastructure) fn control_plane(&self, plan: &Plan) -> Option<Cow<'_, str>> {
        if let Some(pointer) = &self.control_plane {
            return Some(pointer.into());
        }
        let file = self.master_file.as_ref()?.expose();
        Some(
            plan.api_server()
                .map_or_else(|| file.into(), |(name, host)| served_by(file, &name, &host).into()),
        )
    }

    fn has_control_plane(&self) -> bool {
        self.control_plane.is_some() || self.master_file.is_some()
    }

    /// The bootstrap machine's whole config, where landfall is to upload it and to create the machines' image.
    pub(in crate::azure_infrastructure) fn to_upload(&self, spec: &Spec) -> Option<&Secret<String>> {
        let is_wanted = spec.machines == Machines::Aso && spec.stage == Stage::Bootstrap;
        let is_whole = is_wanted && self.bootstrap.is_none() && self.has_control_plane();
        self.bootstrap_file.as_ref().filter(|file| is_whole && is_config(file))
    }

    /// The files that count: that of the bootstrap machine, and that of the control plane.
    pub(in crate::azure_infrastructure) fn files(&self) -> (bool, bool) {
        (
            self.bootstrap.is_none() && self.bootstrap_file.is_some(),
            self.control_plane.is_none() && self.master_file.is_some(),
        )
    }

    /// Whether the control plane's machines start with the file.
    pub(in crate::azure_infrastructure) fn has_master_file(&self) -> bool {
        self.files().1
    }

    /// What machines wait for as the resource does not give it; empty where nothing is missing.
    pub(in crate::azure_infrastructure) fn lacking(&self, spec: &Spec) -> String {
        if spec.machines == Machines::None {
            return String::new();
        }
        let is_bootstrapping = spec.stage == Stage::Bootstrap;
        let lacks_bootstrap = is_bootstrapping && self.bootstrap.is_none() && self.bootstrap_file.is_none();
        let wanted = [
            (CONTROL_PLANE, MASTER_FILE, !self.has_control_plane()),
            (BOOTSTRAP, BOOTSTRAP_FILE, lacks_bootstrap),
        ];
        let missing = wanted.into_iter().filter(|(.., lacks)| *lacks);
        let keys: Vec<String> = missing.map(|(key, file, _)| format!("{key} or {file}")).collect();
        let keys = keys.join(", and ");
        let broken = self.bootstrap_file.as_ref().filter(|file| !is_config(file));
        match &spec.ignition_secret_ref {
            None if keys.is_empty() => String::new(),
            None => format!("machines wait for spec.ignitionSecretRef, a Secret with {keys}"),
            Some(secret) if !keys.is_empty() => {
                format!("machines wait for {keys} in the Secret {} of spec.ignitionSecretRef", secret.name)
            }
            Some(secret) if is_bootstrapping && self.bootstrap.is_none() && broken.is_some() => format!(
                "machines wait: {BOOTSTRAP_FILE} in the Secret {} of spec.ignitionSecretRef is not an ignition config",
                secret.name
            ),
            Some(_) => String::new(),
        }
    }
}

/// Whether a file is an ignition config, as far as landfall looks at it.
fn is_config(file: &Secret<String>) -> bool {
    let config: Option<Map<String, Value>> = serde_json::from_str(file.expose()).ok();
    config.is_some_and(|config| config.contains_key("ignition"))
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    use super::*;
    use crate::azure_infrastructure::Named;

    const FILE: &str = r#"{"ignition":{"version":"3.2.0"},"storage":{}}"#;

    fn configs(keys: &[(&str, &str)]) -> Configs {
        let data: Map<String, Value> =
            keys.iter().map(|(key, text)| ((*key).to_owned(), STANDARD.encode(text).into())).collect();
        Configs::of(&json!({ "kind": "Secret", "data": data }))
    }

    fn spec(stage: Stage) -> Spec {
        let ignition_secret_ref = Some(Named { name: "ignition".to_owned() });
        Spec { machines: Machines::Aso, stage, ignition_secret_ref, ..Spec::default() }
    }

    /// Whether landfall uploads, and what is missing.
    fn outcome(keys: &[(&str, &str)], stage: Stage) -> (bool, String) {
        let (configs, spec) = (configs(keys), spec(stage));
        (configs.to_upload(&spec).is_some(), configs.lacking(&spec))
    }

    #[test]
    fn files_are_uploaded_unless_there_is_a_pointer() {
        let files = [(BOOTSTRAP_FILE, FILE), (MASTER_FILE, "m")];
        assert_eq!(outcome(&files, Stage::Bootstrap), (true, String::new()));
        assert_eq!(outcome(&files, Stage::Install), (false, String::new()));
        let pointers = [(BOOTSTRAP, "b"), (CONTROL_PLANE, "c")];
        assert_eq!(outcome(&[&files[..], &pointers].concat(), Stage::Bootstrap), (false, String::new()));
        let all = configs(&[&files[..], &pointers].concat());
        assert_eq!((all.bootstrap.as_deref(), all.control_plane.as_deref()), (Some("b"), Some("c")));
        assert_eq!(all.files(), (false, false));
        // Each machine has one of the two.
        let mixed = [(BOOTSTRAP_FILE, FILE), (CONTROL_PLANE, "c")];
        assert_eq!(outcome(&mixed, Stage::Bootstrap), (true, String::new()));
        assert_eq!(
            outcome(&[(BOOTSTRAP, "b"), (MASTER_FILE, "m")], Stage::Bootstrap),
            (false, String::new())
        );
    }

    #[test]
    fn what_is_missing_beside_a_file_is_named() {
        let (uploads, lacking) = outcome(&[(BOOTSTRAP_FILE, FILE)], Stage::Bootstrap);
        assert!(!uploads && lacking.contains(MASTER_FILE) && !lacking.contains(BOOTSTRAP_FILE), "{lacking}");
        let (uploads, lacking) = outcome(&[(MASTER_FILE, "m")], Stage::Bootstrap);
        assert!(!uploads && lacking.contains(BOOTSTRAP_FILE) && !lacking.contains(MASTER_FILE), "{lacking}");
        assert_eq!(outcome(&[(MASTER_FILE, "m")], Stage::Install), (false, String::new()));
        let broken = [(BOOTSTRAP_FILE, "canary"), (MASTER_FILE, "m")];
        let (uploads, lacking) = outcome(&broken, Stage::Bootstrap);
        assert!(!uploads && lacking.contains("is not an ignition config"), "{lacking}");
        assert!(!lacking.contains("canary"), "{lacking}");
    }
}
