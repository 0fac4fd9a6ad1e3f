//! What stands against the translation of a plan, each with its page.

use landfall_diagnostics::{Code, Finding, Kind, shortened};

static PLATFORM: Code = Code::new("LF1500");
static NAME: Code = Code::new("LF1501");
static SAME_NAME: Code = Code::new("LF1502");
static FAMILIES: Code = Code::new("LF1503");
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
        .help("write them as YAML; `landfall aso render --help` names the flags that say the same")
}

pub(super) fn platform() -> Finding {
    let message = "Azure Service Operator makes no infrastructure on this platform";
    Finding::error(&PLATFORM, Kind::NotSupported, "platform", message)
        .help("make this cluster with `--engine terraform`")
}

pub(super) fn name(kind: &str, azure: &str) -> Finding {
    let message =
        format!("the {kind} `{azure}` has no letter or digit that the name of its object could have");
    Finding::error(&NAME, Kind::Invalid, "platform.azure", message)
        .help("give the resource a name with letters or digits")
}

pub(super) fn same_name(kind: &str, name: &str) -> Finding {
    let message = format!("two objects of kind {kind} would be named `{name}`");
    Finding::error(&SAME_NAME, Kind::Duplicate, "platform.azure", message)
        .help("name the resources so that they differ in letters or digits")
}

pub(super) fn families() -> Finding {
    let message = "the network is to have IPv6, which the objects for Azure Service Operator do not have";
    Finding::error(&FAMILIES, Kind::NotSupported, "platform.azure.ipFamily", message)
        .help("leave `ipFamily` out, or make this cluster with `--engine terraform`")
}

pub(super) fn address(address: std::net::Ipv4Addr, subnet: &str) -> Finding {
    let message =
        format!("{address} is no address that a machine can have in the control plane's subnet {subnet}");
    Finding::error(&ADDRESS, Kind::Invalid, "", message)
        .help("leave --api-internal-ip out, or name a free address of that subnet")
}

pub(super) fn ssh_key() -> Finding {
    let message = "machines are to be made by Azure Service Operator, and there is no SSH key for them";
    Finding::error(&SSH_KEY, Kind::Required, "sshKey", message)
        .help("give `sshKey` a public key, or leave the machines to another engine with `--machines none`")
}

/// An ignition config is no pointer; whose it is.
#[must_use]
pub fn pointer(whose: &str) -> Finding {
    let message = format!("the ignition config of the {whose} is more than a pointer to the whole one");
    Finding::error(&POINTER, Kind::Invalid, "", message).help(
        "put the config where machines can get it, and write one that merges it or is replaced by it: a JSON map \
         with `ignition` alone",
    )
}

pub(super) fn user_tags(cloud: &str) -> Finding {
    let message =
        format!("objects of Azure Service Operator have no tags of the user's in {}", shortened(cloud));
    Finding::error(&USER_TAGS, Kind::Forbidden, "platform.azure.userTags", message)
        .help("remove `userTags`, or make this cluster with `--engine terraform`")
}

pub(super) fn astray(kind: &str, name: &str) -> Finding {
    let (kind, name) = (shortened(kind), shortened(name));
    let message = format!("there is a patch for {kind}/{name}, and the cluster has no such object");
    Finding::error(&PATCHES, Kind::Invalid, "", message)
        .help("name kind and object as `landfall aso render` prints them, or take the patch out")
}

/// Patches that cannot be applied to their object, and why.
#[must_use]
pub fn unusable_patch(kind: &str, name: &str, why: &str) -> Finding {
    let message = format!("{kind}/{name} cannot be as it is to be: {why}");
    Finding::error(&PATCHES, Kind::Invalid, "", message)
        .help("mend the patch; patches of an object count from 0 in the order in which they are given")
}

pub(super) fn machines(field: &str, what: &str) -> Finding {
    let message = format!("machines made by Azure Service Operator cannot have {what}");
    Finding::error(&MACHINES, Kind::NotSupported, field, message)
        .help("leave the field out, or leave the machines to another engine with `--machines none`")
}
