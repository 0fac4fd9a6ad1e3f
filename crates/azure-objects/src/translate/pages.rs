//! What stands against the translation of a plan, each with its page.

use std::net::Ipv4Addr;

use landfall_diagnostics::{Code, Finding, Kind, shortened};

static PLATFORM: Code = Code::new("LF1500");
static NAME: Code = Code::new("LF1501");
static SAME_NAME: Code = Code::new("LF1502");
static IPV6_ADDRESS: Code = Code::new("LF1503");
static ADDRESS: Code = Code::new("LF1504");
static SSH_KEY: Code = Code::new("LF1505");
static MACHINES: Code = Code::new("LF1506");

static SETTINGS: Code = Code::new("LF1507");

static POINTER: Code = Code::new("LF1508");

static USER_TAGS: Code = Code::new("LF1509");
static PATCHES: Code = Code::new("LF1510");

/// What is wrong with a file of settings.
#[must_use]
pub fn settings(why: &str) -> Finding {
    Finding::error(&SETTINGS, Kind::Parse, "", format!("the settings cannot be read: {why}"))
        .help("write them as YAML; `landfall aso render --help` lists the equivalent flags")
}

/// What is wrong with a file of patches, of which nothing is shown: patches may hold secrets.
#[must_use]
pub fn patch_list(line: Option<u64>) -> Finding {
    let at = line.map(|line| format!(" at line {line}")).unwrap_or_default();
    let message = format!("the patches cannot be read{at}");
    Finding::error(&SETTINGS, Kind::Parse, "", message)
        .help("write a YAML list of maps with `kind`, `name` and `patch`: a JSON merge patch as a string")
}

/// Whether a finding is about a patch, and not about the install config.
#[must_use]
pub fn is_of_patch(finding: &Finding) -> bool {
    finding.code.as_str() == PATCHES.as_str()
}

pub(super) fn platform() -> Finding {
    let message = "Azure Service Operator does not support this platform";
    Finding::error(&PLATFORM, Kind::NotSupported, "platform", message)
        .help("create this cluster with `--engine terraform`")
}

pub(super) fn name(kind: &str, azure: &str) -> Finding {
    let message = format!("the {kind} `{azure}` has no letter or digit for the name of its object");
    Finding::error(&NAME, Kind::Invalid, "platform.azure", message).help("use a name with letters or digits")
}

pub(super) fn same_name(kind: &str, name: &str) -> Finding {
    let message = format!("two objects of kind {kind} would be named `{name}`");
    Finding::error(&SAME_NAME, Kind::Duplicate, "platform.azure", message)
        .help("use names that differ in letters or digits")
}

pub(super) fn ipv6_address() -> Finding {
    let message = "the plan has no IPv6 address for the internal load balancer: the IPv6 CIDR of the existing subnet \
                   is unknown";
    Finding::error(&IPV6_ADDRESS, Kind::Required, "platform.azure.controlPlaneSubnet", message)
        .help("plan with facts (`landfall facts`), or create this cluster with `--engine terraform`")
}

pub(super) fn address(address: Ipv4Addr, subnet: &str) -> Finding {
    let message = format!("{address} is not a usable address in the control plane's subnet {subnet}");
    Finding::error(&ADDRESS, Kind::Invalid, "", message)
        .help("remove --api-internal-ip, or use a free address of that subnet")
}

pub(super) fn other_address(given: Ipv4Addr, planned: Ipv4Addr) -> Finding {
    let message =
        format!("with userProvisionedDNS, the ignition configs name {planned} for the API, not {given}");
    Finding::error(&ADDRESS, Kind::Invalid, "", message)
        .help(format!("remove --api-internal-ip, or set it to {planned}"))
}

pub(super) fn no_block_blobs() -> Finding {
    let message = "a storage account with a customer-managed key cannot store bootstrap.ign";
    Finding::error(&MACHINES, Kind::NotSupported, "platform.azure.customerManagedKey", message).help(
        "upload bootstrap.ign to another account and name it with --aso-ignition-pointer, or create the machines with \
         another engine: `--machines none`",
    )
}

pub(super) fn ssh_key() -> Finding {
    let message = "Azure Service Operator creates the machines, and they need an SSH key that Azure accepts";
    Finding::error(&SSH_KEY, Kind::Required, "sshKey", message)
        .help(
            "add an Ed25519 key, or an RSA key of 2048 bits, to `sshKey`, or create the machines with another engine: \
             `--machines none`",
        )
}

/// An ignition config is no pointer; whose it is.
#[must_use]
pub fn pointer(whose: &str) -> Finding {
    let message = format!("the ignition config of the {whose} is not a pointer");
    Finding::error(&POINTER, Kind::Invalid, "", message).help(
        "upload the config to a place that machines can read, and write a pointer that merges it or is \
         replaced by it: a JSON map with `ignition`, and besides with disks and mounts alone",
    )
}

pub(super) fn user_tags(cloud: &str) -> Finding {
    let message = format!("Azure Service Operator does not support user tags in {}", shortened(cloud));
    Finding::error(&USER_TAGS, Kind::Forbidden, "platform.azure.userTags", message)
        .help("remove `userTags`, or create this cluster with `--engine terraform`")
}

pub(super) fn astray(kind: &str, name: &str) -> Finding {
    let (kind, name) = (shortened(kind), shortened(name));
    let message = format!("there is a patch for {kind}/{name}, and the cluster does not have this object");
    Finding::error(&PATCHES, Kind::Invalid, "", message)
        .help("use kind and name as `landfall aso render` prints them, or remove the patch")
}

/// Patches that cannot be applied to their object, and why.
#[must_use]
pub fn unusable_patch(kind: &str, name: &str, why: &str) -> Finding {
    let message = format!("{kind}/{name} cannot be patched: {why}");
    Finding::error(&PATCHES, Kind::Invalid, "", message)
        .help("correct the patch; the patches of an object count from 0, in their given order")
}

pub(super) fn machines(field: &str, what: &str) -> Finding {
    let message = format!("landfall does not create machines with {what} through Azure Service Operator");
    Finding::error(&MACHINES, Kind::NotSupported, field, message)
        .help("remove the field, or create the machines with another engine: `--machines none`")
}
