//! The findings of planning that belong to no platform.

use landfall_diagnostics::{Code, Finding, Kind, shortened};

use std::net::Ipv4Addr;

use super::{Cluster, Engine};

const NO_ASSETS: Code = Code::new("LF0651");
const RELEASE: Code = Code::new("LF0652");
const INFRA_ID: Code = Code::new("LF0653");
const UNREADABLE: Code = Code::new("LF0654");

const OTHER_CLUSTER: Code = Code::new("LF0655");

const ENDPOINT_USER: Code = Code::new("LF0656");

const NOT_MADE: Code = Code::new("LF0657");
const UNKNOWN_ENGINE: Code = Code::new("LF0658");
const NOT_ACCEPTED: Code = Code::new("LF0659");
const USER_RECORDS: Code = Code::new("LF0661");
const TOO_NEW: Code = Code::new("LF0736");
const OTHER_IMAGES: Code = Code::new("LF0737");
const OTHER_LAYOUT: Code = Code::new("LF0684");

/// No assets can be made for a platform.
#[must_use]
pub fn no_assets(platform: &str) -> Finding {
    let message = format!("landfall does not support platform `{}`", shortened(platform));
    Finding::error(&NO_ASSETS, Kind::NotSupported, "platform", message)
        .help("use openshift-install for this config")
}

/// A release that the catalogue does not know.
#[must_use]
pub fn unknown_release(release: &str, known: &[&str]) -> Finding {
    let message = format!("release `{}` is not known; known are {}", shortened(release), known.join(", "));
    Finding::error(&RELEASE, Kind::NotSupported, "", message)
        .help("use a known release, or pass the release's CoreOS stream metadata with --stream")
}

/// An infrastructure id that cannot be used.
#[must_use]
pub fn unusable_infra_id(id: &str) -> Finding {
    let message = format!("`{}` is not a valid infrastructure ID", shortened(id));
    Finding::error(&INFRA_ID, Kind::Invalid, "", message)
        .help("use at most 27 lower-case letters, digits and dashes, such as demo-x7k2p")
}

/// An endpoint's URL with a user part.
#[must_use]
pub fn endpoint_with_user(field: &str) -> Finding {
    Finding::error(&ENDPOINT_USER, Kind::Invalid, field, "the URL of an endpoint has a user part")
        .help("remove it; credentials come from the environment")
}

/// A setting that landfall does not act on.
#[must_use]
pub fn not_made(field: &str, what: &str) -> Finding {
    let message = format!("landfall does not create clusters with {what}");
    Finding::error(&NOT_MADE, Kind::NotSupported, field, message).help("remove the setting")
}

/// A setting that a release does not have; `since` is the first one that has it.
#[must_use]
pub fn not_in_release(field: &str, [major, minor]: [u64; 2], release: [u64; 2]) -> Finding {
    let message = format!("release {}.{} does not have this setting", release[0], release[1]);
    Finding::error(&TOO_NEW, Kind::NotSupported, field, message)
        .help(format!("install release {major}.{minor} or later with --release, or remove the setting"))
}

/// Images of another operating system stream than the one that the config names.
#[must_use]
pub fn other_os_images(release: &str, images: &str, stream: &str) -> Finding {
    let message = format!(
        "the known images of release {} are of {}, not of {}",
        shortened(release),
        shortened(images),
        shortened(stream)
    );
    Finding::error(&OTHER_IMAGES, Kind::NotSupported, "osImageStream", message)
        .help("pass the CoreOS stream metadata of these images with --stream, or remove the setting")
}

/// A size of RSA keys that landfall does not create.
#[must_use]
pub fn no_such_key(field: &str, size: i32) -> Finding {
    let sizes: Vec<String> = super::RSA_SIZES.iter().map(ToString::to_string).collect();
    let message = format!("landfall does not create RSA keys of {size} bits");
    Finding::error(&NOT_MADE, Kind::NotSupported, field, message)
        .help(format!("use one of {}, or an ECDSA key", sizes.join(", ")))
}

/// The user creates the DNS records of the cluster.
#[must_use]
pub fn user_records(field: &str, cluster: &Cluster, addresses: &[Ipv4Addr]) -> Finding {
    let domain = &cluster.domain;
    let api = if cluster.external_api {
        "the public load balancer of the API".to_owned()
    } else {
        let all: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        all.join(", ")
    };
    let message =
        "no DNS records are created for this cluster: the installation completes once you have created them";
    Finding::warning(&USER_RECORDS, Kind::Required, field, message).help(format!(
        "create them in your DNS:\n  api.{domain}: {api}\n  *.apps.{domain}: the load balancer of the default \
         ingress controller, which the cluster creates\nmachines of the cluster need no records"
    ))
}

/// A setting that the API server or an operator of the cluster refuses.
#[must_use]
pub fn not_accepted(field: &str, message: impl Into<String>, help: &str) -> Finding {
    Finding::error(&NOT_ACCEPTED, Kind::NotSupported, field, message).help(help)
}

/// Existing infrastructure with the names and groups of another release.
#[must_use]
pub fn other_layout(release: &str) -> Finding {
    let message = format!(
        "the infrastructure of this directory was created for another release, with security groups and names \
         that machines of {release} do not use; nothing was changed"
    );
    Finding::error(&OTHER_LAYOUT, Kind::Forbidden, "infraID", message).help(
        "set --release to the release that it was created for, or destroy the cluster and create it again",
    )
}

/// A directory of another cluster.
#[must_use]
pub fn other_cluster(found: &str, wanted: &str) -> Finding {
    let message = format!(
        "the directory belongs to the cluster `{}`, the config is for `{}`",
        shortened(found),
        shortened(wanted)
    );
    Finding::error(&OTHER_CLUSTER, Kind::Invalid, "metadata.name", message).help(
        "use another directory, or delete its metadata.json if no resource of that cluster was ever \
            created",
    )
}

/// A directory of a cluster with another infrastructure id.
#[must_use]
pub fn other_infra_id(found: &str, wanted: &str) -> Finding {
    let (found, wanted) = (shortened(found), shortened(wanted));
    let message = format!("the directory belongs to the cluster with the ID `{found}`, not `{wanted}`");
    Finding::error(&OTHER_CLUSTER, Kind::Invalid, "infraID", message)
        .help("remove --infra-id to continue with this cluster, or use another directory")
}

/// An engine that the metadata of a cluster names.
#[must_use]
pub fn unknown_engine(name: &str) -> Finding {
    let known = Engine::ALL.map(|engine| format!("`{}`", engine.name())).join(", ");
    let message =
        format!("the cluster was created by the unknown engine `{}`; known are {known}", shortened(name));
    Finding::error(&UNKNOWN_ENGINE, Kind::NotSupported, "landfall.engine", message)
        .help("use the version of landfall that created the cluster, or a newer one")
}

/// An edited manifest that is no longer what it was.
#[must_use]
pub fn edited_beyond_use(message: impl Into<String>) -> Finding {
    Finding::error(&UNREADABLE, Kind::Invalid, "", message)
        .help("correct the file, or delete it: landfall creates it again")
}
