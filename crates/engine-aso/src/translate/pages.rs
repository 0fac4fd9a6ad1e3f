//! What stands against the translation of a plan, each with its page.

use landfall_diagnostics::{Base, Finding, Kind, Page, Severity, shortened};

/// The pages of the translation.
pub static PAGES: &[&Page] = &[
    &PLATFORM, &NAME, &SAME_NAME, &FAMILIES, &ADDRESS, &SSH_KEY, &MACHINES, &SETTINGS, &POINTER, &USER_TAGS,
    &PATCHES,
];

const fn page(code: &'static str, title: &'static str, text: &'static str) -> Page {
    Page { code, title, text, severity: Severity::Error, fields: &[], base: Base::Whole, bad: "", good: "" }
}

static PLATFORM: Page = page(
    "LF1500",
    "the platform is Azure",
    "Azure Service Operator makes resources of Azure, and of nobody else.",
);
static NAME: Page = page(
    "LF1501",
    "every resource has a name that its object can have",
    "The object for a resource is named after it: lower case, with a dash for whatever is neither letter nor \
     digit. A name of nothing else leaves no name.",
);
static SAME_NAME: Page = page(
    "LF1502",
    "no two objects of a kind have one name",
    "Names that differ only in case or in characters other than letters and digits give objects of one name, \
     and one object cannot stand for two resources.",
);
static FAMILIES: Page = page(
    "LF1503",
    "the network has addresses of IPv4 alone",
    "The objects for Azure Service Operator have networks, load balancers and records of IPv4. For a network of \
     both families, terraform is the engine.",
);
static ADDRESS: Page = page(
    "LF1504",
    "the internal address of the API is one of the control plane's subnet",
    "The internal load balancer stands in the subnet of the control plane, and its address is one of that \
     subnet's. In a new subnet Azure keeps the first four addresses and the last one for itself.",
);
static SSH_KEY: Page = page(
    "LF1505",
    "machines that the operator makes have an SSH key",
    "Azure makes no Linux machine without a key or a password, and landfall sets no passwords.",
);
static MACHINES: Page = page(
    "LF1506",
    "machines are of a kind that the operator can make",
    "What landfall knows of the operator's machines has no ultra disks, no encryption of the guest's state \
     and no purchase plans. With `machines: none` the machines are made beside the operator, with \
     all of these.",
);

static SETTINGS: Page = page(
    "LF1507",
    "settings of the engine and of the operator can be read",
    "The engine's settings are a YAML map of what no install config says: infraID, subscriptionID, tenantID, \
     namespace, machines, stage, apiInternalIP, anchorUID, patches. Patches, there or in a file of their own, are \
     a list of maps with `kind`, `name` and `patch`. The settings of the operator are the Secret \
     aso-controller-settings as `kubectl get -o yaml` prints it.",
);

static POINTER: Page = page(
    "LF1508",
    "machines that the operator makes start with a pointer to their config",
    "Whoever may read the objects of a cluster reads what its machines start with. Therefore that is an \
     Ignition config which only says where the whole one is: a JSON map with `ignition` and nothing else. The \
     whole one holds secrets.",
);

static USER_TAGS: Page = page(
    "LF1509",
    "tags of the user's are for clouds in which the operator's objects have them",
    "By Azure Service Operator, `userTags` are set in the public cloud. In an overlay of the catalogue, \
     `operatorTagsAllowed` says so of a cloud of one's own. With terraform as the engine, what the install \
     config may say counts alone.",
);
static PATCHES: Page = page(
    "LF1510",
    "every patch is for an object of the cluster, and can be applied to it",
    "A patch names its object by kind and name, as `landfall aso render` prints them. One for an object of \
     another stage, such as the bootstrap machine once it is gone, is left alone; one for what no stage has \
     would never do anything. It is a JSON merge patch, which is an object, and leaves alone what the engine \
     goes by: kind, names, owners, finalizers, status and policy.",
);

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
