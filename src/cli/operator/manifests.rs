//! `landfall operator manifests`.
#![allow(clippy::disallowed_methods, reason = "this edge writes the files where it is told to")]

use std::path::Path;
use std::{fs, io};

use anyhow::Context as _;

use landfall_controllers::operator::{
    ALL_NAMESPACES, Deployed, Monitoring, PackageFile, Packaging, Registered, documents, label, manifests,
    package,
};
use landfall_controllers::{admission, azure_infrastructure};
use landfall_diagnostics::{Code, Finding, Kind, Severity};
use landfall_kube::kinds::ProfileKinds;

use super::super::namespace::namespace;
use super::super::{Exit, Settings};
use super::{CLOUD_CONFIG_SYNC, Common};
use crate::ui::text;

static UNPROTECTED: Code = Code::new("LF1465");
static NO_RELEASE: Code = Code::new("LF1467");

/// Print the operator's manifests
///
/// Prints YAML for `kubectl apply -f -`: the namespace, a service account with the minimal permissions of the
/// chosen controllers, a deployment with two replicas, and a service for metrics. List all controllers in one
/// command: the output of a second command replaces the first.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,

    /// Image of landfall; `deploy/Dockerfile` builds one
    #[arg(
        long,
        value_name = "IMAGE",
        default_value = concat!("landfall:", env!("CARGO_PKG_VERSION")),
        value_parser = image
    )]
    image: String,

    /// OpenShift version that `cloud-config-sync` reports and needs; without OpenShift, `unknown`
    #[arg(long, value_name = "VERSION", value_parser = release)]
    release_version: Option<String>,

    /// Namespaces in which `azure-infrastructure` may read Secrets, separated by commas; `*`: all; elsewhere, bind the
    /// `ClusterRole` `landfall-secrets`
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        value_parser = namespace_or_all,
        conflicts_with = "watch_namespace"
    )]
    secret_namespaces: Vec<String>,

    /// Namespaces of Azure Service Operator, separated by commas, in which `azure-infrastructure` reads its settings
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "azureserviceoperator-system",
        value_parser = namespace
    )]
    aso_namespace: Vec<String>,

    /// Mount a service account token with this audience, such as `api://AzureADTokenExchange`, with which
    /// `azure-infrastructure` uses workload identities
    #[arg(long, value_name = "AUDIENCE", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    workload_identity_audience: Option<String>,

    /// How many replicas there are; one works, the others stand by
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=9))]
    replicas: u8,

    /// Write files to the directory given by --dir: a Kustomize base, a Helm chart, or an OLM bundle
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Yaml)]
    format: Format,

    /// Serve metrics over TLS, for whoever may read them
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    metrics_tls: bool,

    /// Also print a service monitor, alert rules and a Grafana dashboard
    #[arg(long, value_name = "KIND", value_enum)]
    monitoring: Option<Watched>,

    /// Label of the service monitor and the alert rules by which Prometheus selects them; repeatable
    #[arg(long, value_name = "KEY=VALUE", requires = "monitoring", value_parser = label)]
    monitoring_label: Vec<(String, String)>,

    /// URL of the folder with the pages about alerts, such as `runbooks` of this book, for their links
    #[arg(long, value_name = "URL", requires = "monitoring", value_parser = folder)]
    runbooks: Option<String>,

    /// Check the choice of controllers, and print nothing but findings; exit code 3 if there are any
    #[arg(long)]
    check: bool,
}

/// Whose authority signs the certificate of the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Watched {
    /// OpenShift's service CA
    Openshift,
    /// The `ca.crt` of the Secret with the certificate, as cert-manager writes it
    Prometheus,
}

/// In which form the manifests are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// YAML documents on standard output
    Yaml,
    /// A base for Kustomize
    Kustomize,
    /// A chart for Helm
    Helm,
    /// A bundle for the Operator Lifecycle Manager
    Olm,
}

impl Format {
    fn packaging(self) -> Option<Packaging> {
        match self {
            Self::Yaml => None,
            Self::Kustomize => Some(Packaging::Kustomize),
            Self::Helm => Some(Packaging::Helm),
            Self::Olm => Some(Packaging::Olm),
        }
    }
}

/// The name of an image, of the characters that container runtimes take.
fn image(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-_:/@[]".contains(c);
    let is_whole = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[')
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && !text.contains("//");
    if is_whole && text.chars().all(fits) {
        return Ok(text.to_owned());
    }
    Err("use the name of an image, such as registry.example.com/landfall:0.1.0".to_owned())
}

/// The name of a namespace, or what names all.
fn namespace_or_all(text: &str) -> Result<String, String> {
    if text == ALL_NAMESPACES { Ok(text.to_owned()) } else { namespace(text) }
}

/// A version of a release, as in `4.20.1`, or `unknown`.
fn release(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let mut numbers = text.split('.').take(2);
    let is_number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    let is_version = text.chars().all(fits) && text.contains('.') && numbers.all(is_number);
    if is_version || text == "unknown" {
        return Ok(text.to_owned());
    }
    Err("use a version, such as 4.20.1, or `unknown`".to_owned())
}

/// A URL of a folder, with a slash at its end.
fn folder(text: &str) -> Result<String, String> {
    match url::Url::parse(text) {
        Ok(url)
            if matches!(url.scheme(), "http" | "https")
                && url.query().is_none()
                && url.fragment().is_none() =>
        {
            Ok(format!("{}/", url.as_str().trim_end_matches('/')))
        }
        _ => Err("use a URL, such as https://docs.example.com/landfall/runbooks/".to_owned()),
    }
}

/// What is dangerous about a choice of controllers, of which the release is given or not, for profiles of a group.
fn findings(controllers: &[&Registered], profiles: &ProfileKinds, has_release: bool) -> Vec<Finding> {
    let runs = |name: &str| controllers.iter().any(|one| one.name == name);
    let mut found = Vec::new();
    // The API server of Gardener protects the profiles of its own kinds.
    let guarded = [
        ("private-cloud-profile", profiles.private.kind, true),
        ("namespaced-cloud-profile", profiles.namespaced.kind, !profiles.are_gardeners()),
    ];
    let open = guarded.into_iter().filter(|(name, _, needs_webhook)| *needs_webhook && runs(name));
    let (names, kinds): (Vec<&str>, Vec<&str>) = open.map(|(name, kind, _)| (name, kind)).unzip();
    if !names.is_empty() && !runs(admission::CONTROLLER) {
        let message = format!(
            "{} without cloud-profile-admission: everyone who may write a {} may change its Kubernetes versions \
             and machine images",
            names.join(" and "),
            kinds.join(" or ")
        );
        let finding = Finding::warning(&UNPROTECTED, Kind::Required, "", message);
        found.push(finding.help("add cloud-profile-admission to --controllers"));
    }
    if runs(CLOUD_CONFIG_SYNC) && !has_release {
        let message = "cloud-config-sync without --release-version: upgrades of the cluster wait for the version \
                       that it reports in the ClusterOperator cloud-controller-manager";
        let finding = Finding::error(&NO_RELEASE, Kind::Required, "", message);
        found.push(finding.help(
            "set --release-version to the OpenShift version of the cluster, or to `unknown` without OpenShift",
        ));
    }
    found
}

/// Prints them.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let runs_clusters = args.common.controllers().iter().any(|one| one.name == azure_infrastructure::NAME);
    let has_settings = args.common.watch_label_selector.is_some() || args.common.rollout_limit > 0;
    if has_settings && !runs_clusters {
        settings.printer.report(
            "error: only azure-infrastructure has --watch-label-selector and --rollout-limit: omit them, or add it to \
             --controllers\n",
        );
        return Ok(Exit::Usage);
    }
    let profiles = args.common.profiles.profiles;
    let findings = findings(&args.common.controllers(), profiles, args.release_version.is_some());
    if !findings.is_empty() {
        let said = text::placeless(&findings, settings.printer.styles().talk);
        settings.printer.report(&said);
    }
    if args.check || findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Ok(if findings.is_empty() { Exit::Done } else { Exit::NotValid });
    }
    let deployed = Deployed {
        image: args.image.clone(),
        namespace: args.common.namespace.clone(),
        target_namespace: args.common.target_namespace.clone(),
        maps: args.common.maps(),
        release: args.release_version.clone(),
        expiry: args.common.expiry.of_profiles(),
        take_over: args.common.take_over,
        controllers: args.common.controllers(),
        replicas: args.replicas,
        metrics_tls: args.metrics_tls,
        admission_policies: args.common.admission_policies,
        watch_namespace: args.common.watch_namespace.clone(),
        unique_infra_ids: args.common.unique_infra_ids,
        watch_labels: args.common.watch_label_selector.clone(),
        profiles,
        workers: args.common.workers,
        rollout_limit: args.common.rollout_limit,
        secret_namespaces: args.secret_namespaces.clone(),
        aso_namespaces: args.aso_namespace.clone(),
        token_audience: args.workload_identity_audience.clone(),
        monitoring: args.monitoring.map(|watched| match watched {
            Watched::Openshift => Monitoring::Openshift,
            Watched::Prometheus => Monitoring::Prometheus,
        }),
        monitoring_labels: args.monitoring_label.clone(),
        runbooks: args.runbooks.clone(),
    };
    let Some(packaging) = args.format.packaging() else {
        settings.printer.data(&documents(&manifests(&deployed)))?;
        return Ok(Exit::Done);
    };
    if packaging == Packaging::Olm && deployed.watch_namespace.is_some() {
        settings.printer.report("error: a bundle watches all namespaces: omit --watch-namespace\n");
        return Ok(Exit::Usage);
    }
    if packaging == Packaging::Olm && deployed.monitoring.is_some() {
        settings.printer.report("error: a bundle has no monitoring: print it with another --format\n");
        return Ok(Exit::Usage);
    }
    let Some(directory) = &settings.dir else {
        settings.printer.report("error: name the directory for the files with --dir\n");
        return Ok(Exit::Usage);
    };
    write(directory, &package(&deployed, packaging))?;
    Ok(Exit::Done)
}

/// The label of landfall's objects as a line of their files, and parts of the names of files of objects without it.
const LABEL: &str = "\n    app.kubernetes.io/name: landfall-operator\n";
const UNLABELLED: [&str; 4] =
    ["clusterrole-landfall-", "webhookconfiguration-landfall-", "cloudprofiles.core.", ".landfall.dev.yaml"];

/// Whether a file holds an object that landfall prints. Other files are the user's.
fn is_printed(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.extension().is_some_and(|extension| extension == "yaml")
        && (UNLABELLED.iter().any(|part| name.contains(part))
            || fs::read_to_string(path).is_ok_and(|text| text.contains(LABEL)))
}

/// Writes files below a directory in which no others of landfall are: what is left of an earlier choice would be
/// deployed, too. The user's files stay.
fn write(directory: &Path, files: &[PackageFile]) -> anyhow::Result<()> {
    let mut stale = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        let unreadable = || format!("cannot read the directory {}", folder.display());
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries.with_context(unreadable)?,
        };
        for entry in entries {
            let entry = entry.with_context(unreadable)?;
            let path = entry.path();
            if entry.file_type().with_context(unreadable)?.is_dir() {
                folders.push(path);
            } else if !files.iter().any(|file| directory.join(&file.path) == path) && is_printed(&path) {
                stale.push(path.display().to_string());
            }
        }
    }
    stale.sort();
    anyhow::ensure!(
        stale.is_empty(),
        "files of an earlier choice of controllers or flags would be deployed, too: {}: delete them, or name another \
         directory",
        stale.join(", ")
    );
    for file in files {
        let path = directory.join(&file.path);
        let written =
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, &file.text));
        written.with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use landfall_kube::kinds::{GARDENER_PROFILES, LANDFALL_PROFILES};

    use super::*;

    #[test]
    fn an_image_has_a_name_that_runtimes_take() {
        let digest = "landfall@sha256:0123456789abcdef";
        for text in ["landfall", "landfall:0.1.0", "localhost:5000/a_b/c-d", "[fd00::1]:5000/x", digest] {
            assert_eq!(image(text).as_deref(), Ok(text));
        }
        for text in ["", " ", "bad image:x y", "a//b", "a:", ":1", "https://a/b", "a:\n", "a/"] {
            assert!(image(text).is_err(), "{text}");
        }
    }

    #[test]
    fn private_profiles_need_their_admission() {
        let found = |names: &[&str], profiles: &ProfileKinds| {
            let all = landfall_controllers::operator::CONTROLLERS.iter();
            let chosen: Vec<&Registered> = all.filter(|one| names.contains(&one.name)).collect();
            let found = findings(&chosen, profiles, false);
            found.into_iter().map(|one| format!("{}: {}", one.code.as_str(), one.message)).collect::<Vec<_>>()
        };
        let (own, gardeners) = (&LANDFALL_PROFILES, &GARDENER_PROFILES);
        let private = "LF1465: private-cloud-profile without cloud-profile-admission: everyone who may write a \
                       PrivateCloudProfile may change its Kubernetes versions and machine images";
        assert_eq!(found(&["private-cloud-profile", "cloud-profile"], own), [private]);
        // Gardener's API server enforces the verbs of its own kind.
        let both = ["private-cloud-profile", "namespaced-cloud-profile"];
        assert_eq!(found(&both, gardeners), [private]);
        assert!(found(&["namespaced-cloud-profile", "kube-cloud-config"], gardeners).is_empty());
        let found_both = found(&both, own);
        assert!(
            found_both.len() == 1
                && found_both[0].contains("a PrivateCloudProfile or NamespacedCloudProfile")
        );
        let namespaced = found(&["namespaced-cloud-profile", "kube-cloud-config"], own);
        assert!(namespaced.len() == 1 && namespaced[0].contains("write a NamespacedCloudProfile may"));
        for name in both {
            assert!(found(&[name, "cloud-profile-admission"], own).is_empty(), "{name}");
        }
        assert!(found(&["cloud-profile"], own).is_empty());
    }

    #[test]
    fn whoever_reports_a_release_is_told_it() {
        let all = landfall_controllers::operator::CONTROLLERS.iter();
        let chosen: Vec<&Registered> = all.filter(|one| one.name == CLOUD_CONFIG_SYNC).collect();
        let found = |has_release| {
            let found = findings(&chosen, &LANDFALL_PROFILES, has_release);
            found.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>()
        };
        assert_eq!((found(false), found(true)), (vec!["LF1467"], Vec::new()));
    }

    #[test]
    fn files_are_written_where_no_others_of_landfall_are() -> anyhow::Result<()> {
        let directory = tempfile::tempdir()?;
        let root = directory.path().join("chart");
        let file = |path: &str| PackageFile { path: path.to_owned(), text: path.to_owned() };
        let files = [file("Chart.yaml"), file("templates/a.yaml")];
        write(&root, &files)?;
        assert_eq!(fs::read_to_string(root.join("templates/a.yaml"))?, "templates/a.yaml");
        // The same files again.
        write(&root, &files)?;
        // What is left of an earlier choice is named at once, and the user's files stay.
        fs::write(root.join("README.md"), "app.kubernetes.io/name: landfall-operator")?;
        fs::write(root.join("kustomization.yaml"), "labels: {}\n")?;
        fs::write(root.join("templates/b.yaml"), format!("metadata:\n  labels:{LABEL}"))?;
        fs::write(root.join("templates/clusterrole-landfall-infrastructure-edit.yaml"), "rules: []\n")?;
        let refused = write(&root, &files[..1]).map_err(|error| error.to_string());
        let why = refused.err().unwrap_or_default();
        assert!(why.contains("templates/b.yaml, ") && why.contains("infrastructure-edit.yaml"), "{why}");
        assert!(!["README", "kustomization", "a.yaml"].iter().any(|name| why.contains(name)), "{why}");
        Ok(())
    }

    #[test]
    fn a_release_is_a_version() {
        assert_eq!(release("4.20.0-rc.1").as_deref(), Ok("4.20.0-rc.1"));
        assert_eq!(release("unknown").as_deref(), Ok("unknown"));
        for text in ["", "4.20 ", "4\n", "4", "banana", "v4.20.1", "4.x"] {
            assert!(release(text).is_err(), "{text}");
        }
    }
}
