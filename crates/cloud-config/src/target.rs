//! The map that the cloud controller manager reads, and how its text is created on each platform.

use std::borrow::Cow;

use super::{
    CLOUD_CONF, Entries, Fault, Infrastructure, Network, PlatformStatus, Status, aws, azure, openstack,
    vsphere,
};

/// The gate that lets AWS's network load balancers have security groups.
pub const NLB_SECURITY_GROUP: &str = "AWSServiceLBNetworkSecurityGroup";

/// The gate that lets several vCenters change after the installation, and gives their managed map to the second
/// controller.
pub const MULTI_VCENTER: &str = "VSphereMultiVCenterDay2";

/// The gates that matter here.
pub const GATES: [&str; 2] = [NLB_SECURITY_GROUP, MULTI_VCENTER];

/// A text of vSphere that says nothing.
pub const MINIMAL_VSPHERE: &str = "global: {}\nvcenter: {}\n";

/// What is known of a feature gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// It is on.
    On,
    /// It is off.
    Off,
    /// The cluster does not list it, which is as good as off.
    Unknown,
}

type Transform = fn(&Infrastructure, &Network, &str, Gate) -> Result<String, Fault>;

/// How the text is created on a platform.
pub struct Rule {
    /// Name of the platform.
    pub platform: &'static str,
    /// Whether the managed map is looked at before the user's.
    pub managed_first: bool,
    /// Whether the managed map is written with the target, once [`MULTI_VCENTER`] is on.
    owns_managed: bool,
    /// What becomes of a text in a form that the managed map passes on and `transform` does not take.
    in_form: fn(&str) -> Cow<'_, str>,
    transform: Transform,
}

static RULES: [Rule; 8] = [
    Rule { managed_first: true, ..Rule::new("AWS", |_, _, text, gate| aws::ccm(text, gate)) },
    Rule {
        managed_first: true,
        in_form: azure::in_json,
        ..Rule::new("Azure", |infrastructure, _, text, _| azure::ccm(infrastructure, text))
    },
    Rule::new("GCP", AS_IS),
    Rule::new("IBMCloud", AS_IS),
    Rule::new("Nutanix", AS_IS),
    Rule::new("OpenStack", |_, _, text, _| openstack::ccm(text)),
    Rule::new("PowerVS", AS_IS),
    Rule {
        owns_managed: true,
        ..Rule::new("VSphere", |infrastructure, network, text, _| vsphere::ccm(text, infrastructure, network))
    },
];

/// The text is passed on.
const AS_IS: Transform = |_, _, text, _| Ok(text.to_owned());

impl Rule {
    const fn new(platform: &'static str, transform: Transform) -> Self {
        Self { platform, managed_first: false, owns_managed: false, in_form: unchanged, transform }
    }
}

fn unchanged(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// The platforms that have a rule.
pub fn platforms() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.platform)
}

/// The rule of a platform; none if it needs no text.
#[must_use]
pub fn rule(platform: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.platform == platform)
}

/// Whether the managed map of the platform is written together with the target. `gate_on` tells of
/// [`MULTI_VCENTER`].
#[must_use]
pub fn owns_managed(platform: &str, gate_on: bool) -> bool {
    gate_on && rule(platform).is_some_and(|rule| rule.owns_managed)
}

/// The object of a cluster of which nothing is known but its platform and its text. What the text says of the
/// cluster is believed.
#[must_use]
pub fn presumed(platform: &str, text: &str) -> Infrastructure {
    let azure = azure::presumed(text);
    let status = PlatformStatus { platform: platform.to_owned(), azure, ..PlatformStatus::default() };
    let status = Status { platform_status: Some(status), ..Status::default() };
    Infrastructure { status, ..Infrastructure::default() }
}

/// The source's entries with the text under [`CLOUD_CONF`], as text and nothing else. They are as immutable as the
/// source.
///
/// # Errors
/// There is no source, or no text under `key`.
pub fn prepare(source: Option<&Entries>, key: &str) -> Result<Entries, Fault> {
    let mut entries = source.ok_or(Fault::NoSourceMap)?.clone();
    if !entries.data.contains_key(CLOUD_CONF) {
        let text = match key {
            "" => String::new(),
            key => entries.data.remove(key).ok_or_else(|| Fault::KeyMissing(key.to_owned()))?,
        };
        entries.data.insert(CLOUD_CONF.to_owned(), text);
    }
    entries.binary_data.remove(CLOUD_CONF);
    Ok(entries)
}

/// A text that the managed map passes on in another form than [`transform`] takes, in that form: on Azure a user's
/// YAML, which stays where its cloud agrees.
#[must_use]
pub fn passed_on<'a>(platform: &str, text: &'a str) -> Cow<'a, str> {
    rule(platform).map_or(Cow::Borrowed(text), |rule| (rule.in_form)(text))
}

/// The text for the cloud controller manager. `gate` is the state of [`NLB_SECURITY_GROUP`].
///
/// # Errors
/// There is no rule for the platform, or the text cannot be read or contradicts the cluster.
pub fn transform(
    infrastructure: &Infrastructure,
    network: &Network,
    text: &str,
    gate: Gate,
) -> Result<String, Fault> {
    let (platform, _) = infrastructure.platform();
    let rule = rule(platform).ok_or_else(|| Fault::PlatformUnsupported(platform.to_owned()))?;
    (rule.transform)(infrastructure, network, text, gate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(data: &[(&str, &str)], binary: &[(&str, &str)]) -> Entries {
        let side =
            |side: &[(&str, &str)]| side.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Entries { data: side(data), binary_data: side(binary), immutable: None }
    }

    #[test]
    fn the_text_is_found_under_its_key() {
        let source = entries(&[("config", "b"), ("ca", "c")], &[(CLOUD_CONF, "eA==")]);
        assert_eq!(prepare(Some(&source), "config"), Ok(entries(&[(CLOUD_CONF, "b"), ("ca", "c")], &[])));
        let immutable = Entries { immutable: Some(true), ..source.clone() };
        assert_eq!(prepare(Some(&immutable), "config").map(|entries| entries.immutable), Ok(Some(true)));
        let missing = |key: &str| prepare(Some(&source), key).map_err(|fault| fault.name());
        assert_eq!(missing("nope"), Err("key-missing"));
        assert_eq!(missing(CLOUD_CONF), Err("key-missing"));
        assert_eq!(prepare(None, "config"), Err(Fault::NoSourceMap));
        let empty = prepare(Some(&Entries::default()), "");
        assert_eq!(empty, Ok(entries(&[(CLOUD_CONF, "")], &[])));
    }

    #[test]
    fn without_an_object_the_text_tells_of_its_cluster() {
        let made = |text: &str| {
            let infrastructure = presumed("Azure", text);
            let made = transform(&infrastructure, &Network::default(), text, Gate::Off);
            made.map(|made| made.contains("\"AzureUSGovernmentCloud\"")).map_err(|fault| fault.name())
        };
        assert_eq!(made("{\"cloud\":\"AzureUSGovernmentCloud\"}"), Ok(true));
        assert_eq!(made("{}"), Ok(false));
        assert_eq!(made("{\"cloud\":\"AzureMoonCloud\"}"), Err("cloud-conflict"));
    }

    #[test]
    fn a_managed_map_belongs_to_one_controller() {
        assert!(owns_managed("VSphere", true) && !owns_managed("VSphere", false));
        assert!(!owns_managed("AWS", true) && !owns_managed("None", true));
        let first: Vec<&str> =
            platforms().filter(|name| rule(name).is_some_and(|r| r.managed_first)).collect();
        assert_eq!(first, ["AWS", "Azure"]);
        assert!(rule("aws").is_none());
    }
}
