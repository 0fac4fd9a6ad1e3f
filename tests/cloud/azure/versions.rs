//! The versions of Azure's interfaces, by what they are interfaces to.

use super::answer::Answer;
use super::call::Call;

/// What has versions of its own.
struct Kind {
    /// Provider and type, or the part of a subscription.
    name: &'static str,
    versions: &'static [&'static str],
    /// The newest version of a Stack Hub with the profile of 2020-09-01; empty where a hub lacks the kind.
    hub: &'static str,
}

const RESOURCES: &[&str] = &[
    "2015-11-01",
    "2016-02-01",
    "2016-06-01",
    "2016-09-01",
    "2017-05-10",
    "2018-02-01",
    "2018-05-01",
    "2019-05-01",
    "2019-07-01",
    "2019-08-01",
    "2019-10-01",
    "2020-06-01",
    "2020-08-01",
    "2020-10-01",
    "2021-01-01",
    "2021-04-01",
    "2022-09-01",
    "2023-07-01",
    "2024-03-01",
    "2024-07-01",
    "2024-11-01",
    "2025-03-01",
    "2025-04-01",
];
const SUBSCRIPTIONS: &[&str] = &[
    "2014-04-01",
    "2015-11-01",
    "2016-06-01",
    "2018-06-01",
    "2019-06-01",
    "2019-11-01",
    "2020-01-01",
    "2021-01-01",
    "2022-12-01",
];
const COMPUTE: &[&str] = &[
    "2015-06-15",
    "2016-03-30",
    "2017-03-30",
    "2017-12-01",
    "2018-04-01",
    "2018-06-01",
    "2018-10-01",
    "2019-03-01",
    "2019-07-01",
    "2019-12-01",
    "2020-06-01",
    "2020-12-01",
    "2021-03-01",
    "2021-04-01",
    "2021-07-01",
    "2021-11-01",
    "2022-03-01",
    "2022-08-01",
    "2022-11-01",
    "2023-03-01",
    "2023-07-01",
    "2023-09-01",
    "2024-03-01",
    "2024-07-01",
    "2024-11-01",
    "2025-04-01",
];
const DISKS: &[&str] = &[
    "2019-07-01",
    "2019-11-01",
    "2020-05-01",
    "2020-06-30",
    "2020-09-30",
    "2020-12-01",
    "2021-04-01",
    "2021-08-01",
    "2021-12-01",
    "2022-03-02",
    "2022-07-02",
    "2023-01-02",
    "2023-04-02",
    "2023-10-02",
    "2024-03-02",
    "2025-01-02",
];
const NETWORK: &[&str] = &[
    "2015-06-15",
    "2016-03-30",
    "2016-06-01",
    "2016-09-01",
    "2016-12-01",
    "2017-03-01",
    "2017-06-01",
    "2017-08-01",
    "2017-09-01",
    "2017-10-01",
    "2017-11-01",
    "2018-01-01",
    "2018-02-01",
    "2018-04-01",
    "2018-06-01",
    "2018-07-01",
    "2018-08-01",
    "2018-10-01",
    "2018-11-01",
    "2018-12-01",
    "2019-02-01",
    "2019-04-01",
    "2019-06-01",
    "2019-07-01",
    "2019-08-01",
    "2019-09-01",
    "2019-11-01",
    "2019-12-01",
    "2020-03-01",
    "2020-04-01",
    "2020-05-01",
    "2020-06-01",
    "2020-07-01",
    "2020-08-01",
    "2020-11-01",
    "2021-02-01",
    "2021-03-01",
    "2021-05-01",
    "2021-08-01",
    "2022-01-01",
    "2022-05-01",
    "2022-07-01",
    "2022-09-01",
    "2022-11-01",
    "2023-02-01",
    "2023-04-01",
    "2023-05-01",
    "2023-06-01",
    "2023-09-01",
    "2023-11-01",
    "2024-01-01",
    "2024-03-01",
    "2024-05-01",
    "2024-07-01",
    "2024-10-01",
    "2025-01-01",
];

const KINDS: &[Kind] = &[
    Kind { name: "subscriptions", versions: SUBSCRIPTIONS, hub: "2016-06-01" },
    Kind { name: "resourcegroups", versions: RESOURCES, hub: "2019-10-01" },
    Kind { name: "resources", versions: RESOURCES, hub: "2019-10-01" },
    Kind { name: "providers", versions: RESOURCES, hub: "2019-10-01" },
    Kind { name: "microsoft.compute", versions: COMPUTE, hub: "2020-06-01" },
    Kind {
        name: "microsoft.compute/skus",
        versions: &["2017-03-30", "2017-09-01", "2019-04-01", "2021-07-01"],
        hub: "2017-09-01",
    },
    Kind { name: "microsoft.compute/disks", versions: DISKS, hub: "2019-07-01" },
    Kind { name: "microsoft.compute/diskencryptionsets", versions: DISKS, hub: "2019-07-01" },
    Kind { name: "microsoft.network", versions: NETWORK, hub: "2018-11-01" },
    Kind {
        name: "microsoft.network/dnszones",
        versions: &["2015-05-04-preview", "2016-04-01", "2017-09-01", "2017-10-01", "2018-05-01"],
        hub: "2016-04-01",
    },
    Kind {
        name: "microsoft.compute/galleries",
        versions: &["2019-07-01", "2020-09-30", "2021-10-01", "2022-03-03", "2023-07-03", "2024-03-03"],
        hub: "",
    },
    Kind {
        name: "microsoft.resources/tags",
        versions: &["2019-10-01", "2020-06-01", "2021-04-01", "2022-09-01", "2024-03-01"],
        hub: "2019-10-01",
    },
    Kind {
        name: "microsoft.authorization/denyassignments",
        versions: &["2018-07-01-preview", "2022-04-01"],
        hub: "",
    },
    Kind {
        name: "microsoft.network/privatednszones",
        versions: &["2018-09-01", "2020-01-01", "2020-06-01", "2024-06-01"],
        hub: "",
    },
    Kind {
        name: "microsoft.authorization/locks",
        versions: &["2015-01-01", "2015-05-01-preview", "2016-09-01", "2017-04-01", "2020-05-01"],
        hub: "2016-09-01",
    },
    Kind {
        name: "microsoft.authorization/permissions",
        versions: &["2015-07-01", "2018-01-01-preview", "2018-07-01", "2022-04-01"],
        hub: "2015-07-01",
    },
    Kind {
        name: "microsoft.authorization/roleassignments",
        versions: &["2015-07-01", "2018-01-01-preview", "2018-07-01", "2020-04-01-preview", "2022-04-01"],
        hub: "2015-07-01",
    },
    Kind {
        name: "microsoft.managedidentity",
        versions: &[
            "2015-08-31-preview",
            "2018-11-30",
            "2021-09-30-preview",
            "2022-01-31-preview",
            "2023-01-31",
            "2024-11-30",
        ],
        hub: "",
    },
    Kind {
        name: "microsoft.authorization/roledefinitions",
        versions: &["2015-07-01", "2018-01-01-preview", "2022-04-01", "2022-05-01-preview"],
        hub: "2015-07-01",
    },
    Kind { name: "moon.base", versions: &["2019-07-01", "2021-04-01"], hub: "" },
    Kind { name: "microsoft.marketplaceordering", versions: &["2015-06-01", "2021-01-01"], hub: "" },
    Kind {
        name: "microsoft.keyvault",
        versions: &[
            "2016-10-01",
            "2018-02-14",
            "2019-09-01",
            "2021-10-01",
            "2022-07-01",
            "2023-02-01",
            "2023-07-01",
        ],
        hub: "2019-09-01",
    },
    Kind {
        name: "microsoft.storage",
        versions: &[
            "2019-06-01",
            "2021-09-01",
            "2022-09-01",
            "2023-01-01",
            "2023-05-01",
            "2024-01-01",
            "2025-06-01",
            "2025-08-01",
        ],
        hub: "2019-06-01",
    },
];

/// What a path leads to, as `microsoft.network/virtualnetworks`.
fn named(segments: &[&str]) -> String {
    match segments {
        ["subscriptions"] | ["subscriptions", _] | ["subscriptions", _, "locations"] => {
            "subscriptions".to_owned()
        }
        ["subscriptions", _, "providers"] | ["subscriptions", _, "providers", _] => "providers".to_owned(),
        [.., "resources"] => "resources".to_owned(),
        ["subscriptions", _, "resourcegroups" | "operationresults"]
        | ["subscriptions", _, "resourcegroups" | "operationresults", _] => "resourcegroups".to_owned(),
        _ => {
            let after = segments.iter().rposition(|part| *part == "providers").map_or(0, |at| at + 1);
            let provider = segments.get(after).copied().unwrap_or_default();
            let types: Vec<&str> = segments.iter().skip(after + 1).step_by(2).copied().collect();
            format!("{provider}/{}", types.join("/"))
        }
    }
}

/// Refuses a call that does not say by which version of the interface it is made, or names one that there is
/// not.
pub fn check(call: &Call, hub: bool) -> Result<(), Answer> {
    let asked = call.asks("api-version");
    if asked.is_empty() {
        let message = "The api-version query parameter (?api-version=) is required for all requests.";
        return Err(Answer::error(400, "MissingApiVersionParameter", message));
    }
    // Where one asks after a change, the version of what was changed is named.
    if let [.., "operations" | "operationresults", _] = call.segments().as_slice() {
        return Ok(());
    }
    let name = named(&call.segments());
    let fits = |kind: &&Kind| {
        name.strip_prefix(kind.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let kind = KINDS.iter().filter(fits).max_by_key(|kind| kind.name.len());
    let Some(kind) = kind.filter(|kind| !(hub && kind.hub.is_empty())) else {
        let message = format!("The resource namespace '{name}' is invalid.");
        return Err(Answer::error(404, "InvalidResourceNamespace", &message));
    };
    // Versions are dates, so that later ones come later in the alphabet.
    let known: Vec<&str> =
        kind.versions.iter().copied().filter(|version| !hub || *version <= kind.hub).collect();
    if known.contains(&asked) {
        return Ok(());
    }
    let message = format!(
        "The api-version '{asked}' is invalid for {name}. The supported versions are '{}'.",
        known.join(",")
    );
    Err(Answer::error(400, "InvalidApiVersionParameter", &message))
}
