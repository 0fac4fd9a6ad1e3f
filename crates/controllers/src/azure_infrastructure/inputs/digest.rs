//! Digests of what a plan is made from. They show who changed it: the owner of the cluster, or somebody else.

use landfall_cloud_profile::allowance;
use landfall_render::Credentials;
use serde_json::{Value, json};

use super::Texts;
use crate::azure_infrastructure::planning::digest;
use crate::azure_infrastructure::resource::{Patch, ProfileReference, Reference, Spec};

/// What a plan is made from besides the texts.
pub(in crate::azure_infrastructure) struct Origin<'a> {
    pub(in crate::azure_infrastructure) generation: i64,
    pub(in crate::azure_infrastructure) spec: &'a Spec,
    pub(in crate::azure_infrastructure) infra_id: &'a str,
    /// The ids of subscription, tenant and application.
    pub(in crate::azure_infrastructure) ids: &'a Credentials,
    /// The source of the credential, if it matters.
    pub(in crate::azure_infrastructure) source: Option<&'a str>,
}

/// Digests of all that a plan is made from but for landfall itself.
pub(in crate::azure_infrastructure) struct Digests {
    /// Of what the owner of the cluster decides.
    pub(in crate::azure_infrastructure) owner: String,
    /// Of that, what the cloud profile allows, and the generation. Earlier versions have only this one.
    pub(in crate::azure_infrastructure) whole: String,
}

impl Texts {
    /// The digests of these texts and of what else a plan is made from.
    pub(in crate::azure_infrastructure) fn digests(&self, origin: &Origin<'_>) -> Digests {
        let Origin { generation, spec, infra_id, ids, source } = *origin;
        let ids: Vec<(&str, &str)> =
            ids.iter().map(|(name, value)| (*name, value.expose().as_str())).collect();
        let Self { config, facts, profile, ignition } = self;
        let (bootstrap, control_plane) = (&ignition.bootstrap, &ignition.control_plane);
        // Of a profile counts what it offers: its status is written anew with every joining.
        let profile = profile.as_deref().and_then(|text| allowance::read(text).ok());
        let mut whole = json!([generation, ids, source, config, facts, profile, bootstrap, control_plane]);
        let mut owner =
            json!([infra_id, ids, source, config, facts, bootstrap, control_plane, decided(spec)]);
        // Of files counts only that there are some: machines that exist start with no other. Clusters without files keep
        // their digest.
        let files = ignition.files();
        if files != (false, false) {
            for all in [&mut whole, &mut owner].into_iter().filter_map(Value::as_array_mut) {
                all.push(json!({ "files": files }));
            }
        }
        Digests { owner: digest(&owner.to_string()), whole: digest(&whole.to_string()) }
    }
}

/// What the owner decides in the spec. A pause is over without a change, the policy of adoption says nothing of the plan,
/// the install config is a text, and the infrastructure ID is known.
///
/// A field that is added later may count only where it is set: all other clusters have to keep their digest.
fn decided(spec: &Spec) -> Value {
    let Spec {
        install_config: _,
        install_config_ref,
        facts_ref,
        cloud_profile_ref,
        infra_id: _,
        release,
        subscription_id,
        tenant_id,
        credentials_secret_ref,
        machines,
        ignition_secret_ref,
        stage,
        paused: _,
        adopt_policy: _,
        api_internal_ip,
        patches,
    } = spec;
    let text = |Reference { kind, name, key }: &Reference| json!([kind, name, key]);
    let profile = |ProfileReference { kind, name }: &ProfileReference| json!([kind, name]);
    let patches: Vec<Value> =
        patches.iter().map(|Patch { kind, name, patch }| json!([kind, name, patch])).collect();
    json!([
        install_config_ref.as_ref().map(text),
        facts_ref.as_ref().map(text),
        cloud_profile_ref.as_ref().map(profile),
        release,
        subscription_id,
        tenant_id,
        credentials_secret_ref.name,
        machines,
        ignition_secret_ref.as_ref().map(|secret| &secret.name),
        stage,
        api_internal_ip,
        patches,
    ])
}

#[cfg(test)]
mod tests {
    use landfall_azure::credentials::SUBSCRIPTION_ID;
    use landfall_diagnostics::secret::Secret;

    use super::super::Configs;
    use super::*;

    fn profile() -> Value {
        json!({
            "apiVersion": "profiles.landfall.dev/v1beta1",
            "kind": "CloudProfile",
            "metadata": { "name": "azure", "resourceVersion": "7" },
            "spec": {
                "type": "azure",
                "regions": [{ "name": "westeurope", "zones": [{ "name": "1" }] }],
                "machineTypes": [{ "name": "Standard_D4s_v5", "cpu": "4", "gpu": "0", "memory": "16Gi" }],
                "machineImages": [], "kubernetes": { "versions": [] },
            },
        })
    }

    fn digests(profile: Option<&Value>, spec: &Spec, generation: i64) -> Digests {
        let config = b"metadata: { name: demo }".to_vec();
        let profile = profile.map(Value::to_string);
        let texts = Texts { config, facts: None, profile, ignition: Configs::default() };
        let ids = [(SUBSCRIPTION_ID, Secret::new("s".to_owned()))].into();
        texts.digests(&Origin { generation, spec, infra_id: "demo-x7k2p", ids: &ids, source: None })
    }

    #[test]
    fn the_digest_of_inputs_is_that_of_earlier_releases() {
        let digest_of = |profile: &Value| digests(Some(profile), &Spec::default(), 3).whole;
        let profile = profile();
        assert_eq!(digest_of(&profile), "5e7de0ebfbfe4315");
        let mut later = profile.clone();
        later["metadata"]["resourceVersion"] = json!("8");
        later["status"] = json!({ "observedGeneration": 2 });
        assert_eq!(digest_of(&later), digest_of(&profile));
        later["spec"]["machineTypes"][0]["usable"] = json!(false);
        assert_ne!(digest_of(&later), digest_of(&profile));
    }

    #[test]
    fn the_content_of_ignition_files_does_not_count() {
        let of = |keys: Value| {
            let ignition = Configs::of(&json!({ "kind": "Secret", "data": keys }));
            let texts = Texts { config: Vec::new(), facts: None, profile: None, ignition };
            let (spec, ids) = (Spec::default(), Credentials::new());
            texts.digests(&Origin { generation: 3, spec: &spec, infra_id: "i", ids: &ids, source: None })
        };
        let files = |master: &str| of(json!({ "bootstrap.ign": "YQ==", "master.ign": master }));
        let (one, other, none) = (files("YQ=="), files("Yg=="), of(json!({})));
        assert_eq!((&one.owner, &one.whole), (&other.owner, &other.whole));
        assert!(one.owner != none.owner && one.whole != none.whole);
        let pointer = |text: &str| of(json!({ "controlPlane": text })).owner;
        assert_ne!(pointer("YQ=="), pointer("Yg=="));
    }

    /// All running clusters have it in their status.
    #[test]
    fn the_digest_of_what_the_owner_decides_stays_over_releases() {
        let patch = |name: &str| Patch {
            kind: "VirtualNetwork".to_owned(),
            name: name.to_owned(),
            patch: "{}".to_owned(),
        };
        let spec = |release: &str, paused: bool| Spec {
            release: release.to_owned(),
            credentials_secret_ref: crate::azure_infrastructure::Named { name: "azure".to_owned() },
            patches: vec![patch("a")],
            paused,
            ..Spec::default()
        };
        let owner =
            |profile: Option<&Value>, spec: &Spec, generation: i64| digests(profile, spec, generation).owner;
        let before = owner(None, &spec("4.18", false), 3);
        assert_eq!(before, "0ef2166856248dbb");
        assert_eq!(owner(Some(&profile()), &spec("4.18", true), 4), before);
        assert_ne!(owner(None, &spec("4.19", false), 3), before);
        let patched = Spec { patches: vec![patch("b")], ..spec("4.18", false) };
        assert_ne!(owner(None, &patched, 3), before);
    }
}
