//! The findings about which cluster is to go.

use std::path::Path;

use landfall_diagnostics::{Code, Finding, Kind, shortened};
use landfall_engine_terraform::AtWork;

static NO_METADATA: Code = Code::new("LF1380");
static UNUSABLE: Code = Code::new("LF1381");
static NO_PLATFORM: Code = Code::new("LF1382");
static WHICH_PLATFORM: Code = Code::new("LF1383");
static AT_WORK: Code = Code::new("LF1384");
static LATE: Code = Code::new("LF1385");

static OTHER_DOMAIN: Code = Code::new("LF1386");
static NO_ENDPOINTS: Code = Code::new("LF1388");
static OTHER_CLUSTER: Code = Code::new("LF1389");
static ENDPOINT_TWICE: Code = Code::new("LF1390");
static UNFIT_ENDPOINT: Code = Code::new("LF1391");

static UNPROVEN: Code = Code::new("LF1387");
static MOVED: Code = Code::new("LF1548");
static PATCHED: Code = Code::new("LF1561");
static SAME_PLACE: Code = Code::new("LF1549");

/// Nothing says which cluster a directory is of.
pub(super) fn no_metadata(directory: &Path) -> Finding {
    let message =
        format!("there is no metadata.json in {}: nothing says which cluster is to go", directory.display());
    Finding::error(&NO_METADATA, Kind::Required, "", message).help(
        "name the cluster's directory with --dir, or the cluster with --infra-id and --region; `landfall destroy \
         find` lists clusters",
    )
}

/// A file that does not say what it should. `why` has no full stop.
pub(in super::super) fn unusable(path: &Path, field: &str, why: &str) -> Finding {
    Finding::error(&UNUSABLE, Kind::Invalid, field, format!("{}: {why}", path.display())).help(
        "put the file back as it was written, or name the cluster with --infra-id and --region and leave out \
         --dir",
    )
}

/// A finding of the first two, for a command that knows clusters by their directory alone.
pub(super) fn by_directory(finding: Finding) -> Finding {
    let help = match *finding.code {
        code if code == NO_METADATA => "name the cluster's directory with --dir",
        code if code == UNUSABLE => "put the file back as it was written",
        _ => return finding,
    };
    finding.help(help)
}

/// A finding about metadata, for a command that creates the files of a cluster.
pub(in super::super) fn for_files(finding: Finding) -> Finding {
    match *finding.code {
        code if code == UNUSABLE || code == NO_PLATFORM => finding.help(
            "restore the file, or use another directory; delete the file only if no resource of its cluster was \
             ever created",
        ),
        _ => finding,
    }
}

/// Metadata of no platform that is known. `keys` are those with objects.
pub(super) fn no_platform(path: &Path, keys: &[String], known: &[&str]) -> Finding {
    let what = match keys {
        [] => "names no platform".to_owned(),
        keys => format!("is of a cluster on `{}`", shortened(&keys.join("`, `"))),
    };
    let message = format!("{} {what}; landfall supports {}", path.display(), known.join(", "));
    Finding::error(&NO_PLATFORM, Kind::NotSupported, "", message)
        .help("destroy the cluster with the program that made it")
}

/// A platform that has no cloud, or whose cloud this program cannot ask.
#[must_use]
pub fn no_cloud(platform: &str) -> Finding {
    let message = format!("landfall can ask no cloud of platform `{}`", shortened(platform));
    Finding::error(&NO_PLATFORM, Kind::NotSupported, "", message)
        .help("destroy the cluster with the program that made it")
}

/// A region of no platform, or of several.
pub(super) fn which_platform(region: &str, having: &[&str], near: Option<&str>) -> Finding {
    let region = shortened(region);
    let message = match having {
        [] => format!("no platform is known to have a region `{region}`"),
        having => format!("`{region}` is a region of {}", having.join(" and of ")),
    };
    let help = match near.filter(|_| having.is_empty()) {
        Some(near) => format!("did you mean `{near}`? if not, say the platform with --platform"),
        None => "say the platform with --platform".to_owned(),
    };
    Finding::error(&WHICH_PLATFORM, Kind::Required, "", message).help(help)
}

/// Endpoints for a platform whose services have none of their own.
pub(super) fn no_endpoints(platform: &str) -> Finding {
    let message = format!("the platform `{}` has no service endpoints", shortened(platform));
    Finding::error(&NO_ENDPOINTS, Kind::NotSupported, "", message).help("leave --endpoint out")
}

/// Two endpoints for one service on the command line.
pub(super) fn endpoint_given_twice(name: &str) -> Finding {
    let message = format!("--endpoint names the service `{}` twice", shortened(name));
    Finding::error(&ENDPOINT_TWICE, Kind::Duplicate, "", message).help("give one endpoint for each service")
}

/// An endpoint of a running cluster that no service can be called at. `why` has no full stop.
pub(super) fn unfit_endpoint(field: &str, why: &str) -> Finding {
    let message = format!("the cluster's Infrastructure object: {why}; metadata.json is not changed");
    Finding::error(&UNFIT_ENDPOINT, Kind::Invalid, field, message)
        .help("correct `platformSpec` of the Infrastructure object `cluster`, and run this command again")
}

/// A running cluster that is not the directory's.
pub(super) fn cluster_of_another(own: &str, live: &str) -> Finding {
    let message = match live {
        "" => "the cluster does not say its infrastructure id".to_owned(),
        live => {
            format!("the cluster has the infrastructure id `{}`, metadata.json has `{own}`", shortened(live))
        }
    };
    Finding::error(&OTHER_CLUSTER, Kind::Invalid, "infraID", message)
        .help("give the kubeconfig of this cluster with --kubeconfig, or its directory with --dir")
}

/// A program of an earlier run that is still making or removing something.
#[must_use]
pub fn at_work(work: &AtWork) -> Finding {
    let AtWork { pid, stage, work } = work;
    let message = format!("process {pid} of an earlier run is still at work: {work} of stage {stage}");
    Finding::error(&AT_WORK, Kind::Forbidden, "", message).help(format!(
        "wait until it has finished, or stop it with `kill -INT {pid}`, and run the same command again"
    ))
}

/// A look at the cloud that did not end in time.
#[must_use]
pub fn late(seconds: u64) -> Finding {
    let message = format!("the look at what there is of the cluster was not over after {seconds} s");
    Finding::error(&LATE, Kind::Invalid, "", message)
        .help("look at the network on the way, or give the run more time with --timeout; nothing was touched")
}

/// A domain that does not look like the cluster's.
pub(super) fn other_domain(domain: &str, infra_id: &str) -> Finding {
    let domain = shortened(domain);
    let message =
        format!("`{domain}` does not begin with the name that the infrastructure id `{infra_id}` has");
    Finding::warning(&OTHER_DOMAIN, Kind::Invalid, "", message).help(
        "look with --plan which records would go, and correct --cluster-domain unless the id was fixed by hand",
    )
}

/// A domain in the metadata that does not begin with the cluster's name.
pub(super) fn domain_of_another_name(domain: &str, name: &str) -> Finding {
    let (domain, name) = (shortened(domain), shortened(name));
    let message =
        format!("the cluster domain `{domain}` of metadata.json does not begin with the name `{name}`");
    Finding::warning(&OTHER_DOMAIN, Kind::Invalid, "", message).help(
        "correct `clusterDomain`; with another domain, only records that lead to the cluster's load balancers are \
         removed from hosted zones that it does not own",
    )
}

/// A cluster whose objects are gone, and of which nobody could look what is left in the cloud.
#[must_use]
pub fn unproven(infra_id: &str) -> Finding {
    let message = format!(
        "no object of `{infra_id}` is in its management cluster any more, and it is not proven that nothing of it \
         is left in the cloud"
    );
    Finding::error(&UNPROVEN, Kind::Invalid, "", message).help(
        "run the same command again with credentials for the cluster's subscription and a way to its cloud; no \
         local file was removed",
    )
}

/// Objects that have patches, in a run without any.
#[must_use]
pub fn patched() -> Finding {
    let message = "an earlier run patched objects of this cluster, and no patches are given";
    Finding::error(&PATCHED, Kind::Required, "", message)
        .help("name the file with --aso-patches; one with an empty list, `[]`, ends patching")
}

/// A management cluster that a cluster was moved away from.
#[must_use]
pub fn moved(infra_id: &str) -> Finding {
    let message = format!("cluster `{infra_id}` was moved to another management cluster than this one");
    Finding::error(&MOVED, Kind::Invalid, "", message)
        .help("name the kubeconfig of the management cluster that it was moved to")
}

/// A move that ends where it begins.
#[must_use]
pub fn same_place() -> Finding {
    let message = "both kubeconfigs are of the same management cluster";
    Finding::error(&SAME_PLACE, Kind::Invalid, "", message)
        .help("name the management cluster that the cluster is to be in with --to-kubeconfig")
}
