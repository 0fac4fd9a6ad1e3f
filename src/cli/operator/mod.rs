//! `landfall operator`.

mod boot;
mod crds;
mod logs;
mod manifests;
mod run;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use landfall_controllers::operator::{CONTROLLERS, Labels, NAMESPACE, Registered};
use landfall_controllers::{MapNames, cloud_profile};
use landfall_kube::kinds::{GARDENER_PROFILES, LANDFALL_PROFILES, ProfileKinds};

use super::namespace::{namespace, object_name};
use super::{Exit, Settings};

/// The controller that reports a release.
const CLOUD_CONFIG_SYNC: &str = "cloud-config-sync";

/// Run or deploy landfall's controllers
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

// Help texts are the doc comments of each command's arguments.
#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(run::Args),
    Crds(crds::Args),
    Manifests(manifests::Args),
}

/// Does what the command says.
///
/// # Errors
/// Those of the command.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Run(args) => run::run(args, settings),
        Command::Crds(args) => crds::run(args, settings),
        Command::Manifests(args) => manifests::run(args, settings),
    }
}

/// What running and deploying have in common.
#[derive(Debug, clap::Args)]
struct Common {
    /// Controllers, separated by commas; default: those of cloud configuration and endpoints
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = names())]
    controllers: Vec<String>,

    /// Namespace of the operator and its lease
    #[arg(long, value_name = "NAME", default_value = NAMESPACE, value_parser = namespace)]
    namespace: String,

    /// Namespace of `cloud.conf`
    #[arg(
        long,
        value_name = "NAME",
        default_value = "openshift-cloud-controller-manager",
        value_parser = namespace
    )]
    target_namespace: String,

    /// Name of the `ConfigMap` with `cloud.conf` there, such as `cloud-config`
    #[arg(long, value_name = "NAME", default_value = "cloud-conf", value_parser = object_name)]
    target_config_map: String,

    /// Name of the `ConfigMap` in `openshift-config-managed` that it is derived from
    #[arg(long, value_name = "NAME", default_value = "kube-cloud-config", value_parser = object_name)]
    managed_config_map: String,

    #[command(flatten)]
    expiry: Expiry,

    /// The only namespace whose `AzureInfrastructure` objects are reconciled
    #[arg(long, value_name = "NAME", value_parser = namespace)]
    watch_namespace: Option<String>,

    /// Also refuse infrastructure IDs that clusters of other namespaces have, and keep the admission policies; needs the
    /// right to read all `AzureInfrastructure` objects
    #[arg(long, requires = "watch_namespace")]
    unique_infra_ids: bool,

    #[command(flatten)]
    profiles: ProfileGroup,

    /// Which `AzureInfrastructure` objects are reconciled, by their labels
    #[arg(long, value_name = "SELECTOR")]
    watch_label_selector: Option<Labels>,

    /// Maximum number of objects that a controller works on at once; default: the controller's
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=100))]
    workers: Option<u8>,

    /// How many clusters may take the changed plan of another version of landfall at once; 0: each waits for its
    /// annotation
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    rollout_limit: u16,

    /// Have the API server refuse the deletion of protected clusters; needs Kubernetes 1.30
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    admission_policies: bool,

    /// Run controllers although another operator, such as OpenShift's own, does the same
    #[arg(long)]
    take_over: bool,
}

/// What is removed from profiles when it expires.
#[derive(Debug, clap::Args)]
struct Expiry {
    /// Whether controllers also remove expired versions of machine images from profiles
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    clean_machine_images: bool,

    /// Have `cloud-profile` remove expired versions that are not in use from cloud profiles
    #[arg(long)]
    clean_cloud_profiles: bool,
}

impl Expiry {
    fn of_profiles(&self) -> cloud_profile::Expiry {
        cloud_profile::Expiry { images: self.clean_machine_images, cloud_profiles: self.clean_cloud_profiles }
    }
}

/// The API group of cloud profiles.
#[derive(Debug, clap::Args)]
struct ProfileGroup {
    /// API group of cloud profiles
    #[arg(
        long = "profile-group",
        value_name = "GROUP",
        default_value = LANDFALL_PROFILES.cloud.group,
        value_parser = PossibleValuesParser::new([LANDFALL_PROFILES.cloud.group, GARDENER_PROFILES.cloud.group])
            .map(|group| ProfileKinds::of_group(&group).unwrap_or(&LANDFALL_PROFILES))
    )]
    profiles: &'static ProfileKinds,
}

impl Common {
    /// The controllers that are meant, each once.
    fn controllers(&self) -> Vec<&'static Registered> {
        let meant = |one: &&Registered| {
            if self.controllers.is_empty() {
                one.is_usual()
            } else {
                self.controllers.iter().any(|name| name == one.name)
            }
        };
        CONTROLLERS.iter().filter(meant).collect()
    }

    /// The names of the maps with cloud configuration.
    fn maps(&self) -> MapNames {
        MapNames { managed: self.managed_config_map.clone(), target: self.target_config_map.clone() }
    }
}

fn names() -> PossibleValuesParser {
    CONTROLLERS.iter().map(|controller| controller.name).collect::<Vec<&'static str>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controllers_of_profiles_are_meant_only_where_they_are_named() {
        let common = |names: &[&str]| Common {
            controllers: names.iter().map(|&name| name.to_owned()).collect(),
            namespace: String::new(),
            target_namespace: String::new(),
            target_config_map: String::new(),
            managed_config_map: String::new(),
            expiry: Expiry { clean_machine_images: true, clean_cloud_profiles: false },
            watch_namespace: None,
            unique_infra_ids: false,
            watch_label_selector: None,
            profiles: ProfileGroup { profiles: &LANDFALL_PROFILES },
            workers: None,
            rollout_limit: 0,
            admission_policies: true,
            take_over: false,
        };
        let meant =
            |given: &[&str]| common(given).controllers().iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(meant(&[]), ["kube-cloud-config", "cloud-config-sync", "endpoint-mirror"]);
        assert_eq!(meant(&["endpoint-mirror", "endpoint-mirror"]), ["endpoint-mirror"]);
        assert_eq!(meant(&["private-cloud-profile"]), ["private-cloud-profile"]);
    }
}
