//! The findings of planning that belong to no platform.

use landfall_diagnostics::{Base, Finding, Kind, Page, Severity, shortened};

use super::Engine;

const NO_ASSETS: Page = Page {
    code: "LF0651",
    title: "landfall makes the files of clusters on platforms whose machines it can make",
    text: "Configs for other platforms can be validated and completed. Their manifests are the work of the \
           OpenShift installer.",
    severity: Severity::Error,
    fields: &["platform"],
    base: Base::None,
    bad: "platform:\n  none: {}\n",
    good: "platform:\n  aws:\n    region: us-east-1\ncredentialsMode: Mint\n",
};
const RELEASE: Page = Page {
    code: "LF0652",
    title: "the release is one that the catalogue knows",
    text: "`--release` chooses among the releases of the catalogue; images of the machines are known for \
           these. An overlay adds others, and `--stream` brings the images of any release.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
const INFRA_ID: Page = Page {
    code: "LF0653",
    title: "an infrastructure id is a name of at most 27 lower-case letters, digits and dashes",
    text: "It is part of the names of all resources, some of which accept no other characters and no more of \
           them. It begins with a letter or digit and ends with one.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
const UNREADABLE: Page = Page {
    code: "LF0654",
    title: "a manifest that was edited is still readable",
    text: "Manifests that were edited are kept and used by later steps. One that is no YAML any more, or no \
           longer the object that it was, would stop the cluster: mend it, or delete it and it is made anew.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

const OTHER_CLUSTER: Page = Page {
    code: "LF0655",
    title: "a directory is that of one cluster",
    text: "The metadata.json of a directory says whose resources `destroy` removes. Files of another cluster \
           written over it would leave those of the first one behind in the cloud with nobody knowing. Use \
           another directory, or delete metadata.json if nothing of that cluster was ever made.",
    severity: Severity::Error,
    fields: &["metadata.name"],
    base: Base::Whole,
    bad: "",
    good: "",
};

const ENDPOINT_USER: Page = Page {
    code: "LF0656",
    title: "the URL of an endpoint names no user",
    text: "Endpoints are written into objects that everybody in the cluster can read, and no client sends the \
           user part of such a URL. Credentials come from the environment.",
    severity: Severity::Error,
    fields: &["platform.aws.serviceEndpoints[].url", "platform.azure.armEndpoint"],
    base: Base::Aws,
    bad: "platform:\n  aws:\n    region: us-east-1\n    serviceEndpoints:\n    - name: ec2\n      \
          url: https://someone:secret@ec2.example.com\n",
    good: "platform:\n  aws:\n    region: us-east-1\n    serviceEndpoints:\n    - name: ec2\n      \
           url: https://ec2.example.com\n",
};

const NOT_MADE: Page = Page {
    code: "LF0657",
    title: "the config asks only for what landfall makes",
    text: "Some settings of newer OpenShift installers are judged but not acted on. They are refused \
           before anything is made rather than silently left out.",
    severity: Severity::Error,
    fields: &["<pool>.diskSetup", "<pool>.management", "pki"],
    base: Base::Aws,
    bad: "featureSet: TechPreviewNoUpgrade\npki:\n  signerCertificates:\n    key:\n      algorithm: ECDSA\n      \
          ecdsa:\n        curve: P384\n",
    good: "featureSet: TechPreviewNoUpgrade\n",
};

const UNKNOWN_ENGINE: Page = Page {
    code: "LF0658",
    title: "the engine that `metadata.json` names is known",
    text: "`metadata.json` notes what makes the infrastructure of the cluster. An engine that this release of \
           landfall does not know may have made resources that it does not see, so that neither create nor \
           destroy goes on. A cluster of a newer landfall is continued and removed with that release.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The pages of these findings.
pub const PAGES: &[&Page] = &[
    &NO_ASSETS,
    &RELEASE,
    &INFRA_ID,
    &UNREADABLE,
    &OTHER_CLUSTER,
    &ENDPOINT_USER,
    &NOT_MADE,
    &UNKNOWN_ENGINE,
];

/// No assets can be made for a platform.
#[must_use]
pub fn no_assets(platform: &str) -> Finding {
    let message = format!("landfall makes no files for platform `{}`", shortened(platform));
    Finding::error(&NO_ASSETS, Kind::NotSupported, "platform", message)
        .help("use the OpenShift installer for this config")
}

/// A release that the catalogue does not know.
#[must_use]
pub fn unknown_release(release: &str, known: &[&str]) -> Finding {
    let message = format!("release `{}` is not known; known are {}", shortened(release), known.join(", "));
    Finding::error(&RELEASE, Kind::NotSupported, "", message)
        .help("name a known release, or give the release's CoreOS stream metadata with --stream")
}

/// An infrastructure id that cannot be used.
#[must_use]
pub fn unusable_infra_id(id: &str) -> Finding {
    let message = format!("`{}` cannot be an infrastructure id", shortened(id));
    Finding::error(&INFRA_ID, Kind::Invalid, "", message)
        .help("write at most 27 lower-case letters, digits and dashes, such as demo-x7k2p")
}

/// An endpoint's URL with a user part.
#[must_use]
pub fn endpoint_with_user(field: &str) -> Finding {
    Finding::error(&ENDPOINT_USER, Kind::Invalid, field, "the URL of an endpoint has a user part")
        .help("take it out; credentials come from the environment")
}

/// A setting that landfall does not act on.
#[must_use]
pub fn not_made(field: &str, what: &str) -> Finding {
    let message = format!("landfall does not make clusters with {what}");
    Finding::error(&NOT_MADE, Kind::NotSupported, field, message).help("leave the setting out")
}

/// A directory of another cluster.
#[must_use]
pub fn other_cluster(found: &str, wanted: &str) -> Finding {
    let message = format!(
        "the directory is that of the cluster `{}`, the config is for `{}`",
        shortened(found),
        shortened(wanted)
    );
    Finding::error(&OTHER_CLUSTER, Kind::Invalid, "metadata.name", message)
        .help("use another directory, or delete its metadata.json if nothing of that cluster was ever made")
}

/// A directory of a cluster with another infrastructure id.
#[must_use]
pub fn other_infra_id(found: &str, wanted: &str) -> Finding {
    let (found, wanted) = (shortened(found), shortened(wanted));
    let message = format!("the directory is that of the cluster with the id `{found}`, not `{wanted}`");
    Finding::error(&OTHER_CLUSTER, Kind::Invalid, "infraID", message)
        .help("leave out --infra-id to go on with this cluster, or use another directory")
}

/// An engine that the metadata of a cluster names.
#[must_use]
pub fn unknown_engine(name: &str) -> Finding {
    let known = Engine::ALL.map(|engine| format!("`{}`", engine.name())).join(", ");
    let message = format!(
        "the cluster is made by the engine `{}`, which is not known; known are {known}",
        shortened(name)
    );
    Finding::error(&UNKNOWN_ENGINE, Kind::NotSupported, "landfall.engine", message)
        .help("use the release of landfall that made the cluster, or a newer one")
}

/// An edited manifest that is no longer what it was.
#[must_use]
pub fn edited_beyond_use(message: impl Into<String>) -> Finding {
    Finding::error(&UNREADABLE, Kind::Invalid, "", message)
        .help("mend the file, or delete it so that it is made anew")
}
