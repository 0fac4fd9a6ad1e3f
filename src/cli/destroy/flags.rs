//! The flags of `landfall destroy cluster`, and the cluster that they name.

use std::path::{Path, PathBuf};
use std::time::Duration;

use landfall_diagnostics::shortened;
use landfall_model::catalogue::{self, Catalogue};
use landfall_platform::removal::GivenTarget;
use landfall_rules::endpoint::Endpoint;

use crate::cli::Settings;
use crate::cli::accept::AcceptCodeArgs;
use crate::cli::aso::management::KubeconfigArgs;
use crate::cli::duration::within_a_day;
use crate::prepare::target::{Named, Unnamed};
use crate::prepare::{Basis, target};

/// Destroy a cluster
///
/// Needs `metadata.json` in the cluster directory, from landfall or openshift-install, or its values as
/// flags. Compares the account of the credentials with the cluster's, then finds and removes all resources
/// with the cluster's tags. Shared resources only lose the tag. Ends with 0 only when a new scan finds
/// nothing; then it removes the local files. Safe to repeat: after any stop, run the same command again to
/// continue.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Args {
    /// Show the plan; remove nothing
    #[arg(long)]
    pub(super) plan: bool,

    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(super) yes: bool,

    /// Confirm that account and region are the cluster's if landfall cannot prove it
    #[arg(long)]
    pub(super) confirm_gone: bool,

    /// Timeout, such as `30m` or `1h30m`
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = within_a_day)]
    pub(super) timeout: Duration,

    /// Maximum number of parallel requests
    #[arg(long, value_name = "NUMBER", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) parallel: u16,

    /// Catalogue overlay file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(super) catalogue: Option<PathBuf>,

    #[command(flatten)]
    pub(super) accept: AcceptCodeArgs,

    #[command(flatten)]
    pub(super) management: KubeconfigArgs,

    /// Also remove your own objects of Azure Service Operator in the cluster's resource group
    #[arg(long)]
    pub(super) remove_user_objects: bool,

    #[command(flatten)]
    given: GivenArgs,
}

/// What `metadata.json` would say.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Without metadata.json")]
struct GivenArgs {
    /// Infrastructure ID of the cluster, from `landfall destroy find`
    #[arg(long, value_name = "ID", requires = "region")]
    infra_id: Option<String>,

    /// Region of the cluster
    #[arg(long, value_name = "REGION", requires = "infra_id")]
    region: Option<String>,

    /// Platform of the cluster, if it does not follow from the region
    #[arg(long, value_name = "PLATFORM", requires = "infra_id", value_parser = clap::builder::PossibleValuesParser::new(catalogue::PLATFORMS))]
    platform: Option<String>,

    /// Endpoint of an AWS service, such as `ec2=https://ec2.us-hidden-1.example.com`; repeatable
    #[arg(long = "endpoint", value_name = "NAME=URL", requires = "infra_id", value_parser = endpoint)]
    endpoints: Vec<(String, String)>,

    /// Domain of the cluster, such as `demo.example.com`, for records in an existing hosted zone
    #[arg(long, value_name = "DOMAIN", requires = "infra_id")]
    cluster_domain: Option<String>,

    /// ARN of the role for a private hosted zone in another account
    #[arg(long, value_name = "ARN", requires = "infra_id")]
    hosted_zone_role: Option<String>,

    /// Cloud on Azure; default: the public cloud
    #[arg(long, value_name = "NAME", requires = "infra_id")]
    cloud_name: Option<String>,

    /// Resource manager of an Azure Stack Hub
    #[arg(long, value_name = "URL", requires = "infra_id", value_hint = clap::ValueHint::Url)]
    arm_endpoint: Option<String>,

    /// Existing resource group of the cluster
    #[arg(long, value_name = "GROUP", requires = "infra_id")]
    resource_group: Option<String>,

    /// Resource group of the base domain's public zone
    #[arg(long, value_name = "GROUP", requires = "infra_id")]
    base_domain_resource_group: Option<String>,
}

/// A service's name and URL from `NAME=URL`.
///
/// # Errors
/// It is not of that form, or the URL cannot be an endpoint.
pub(super) fn endpoint(text: &str) -> Result<(String, String), String> {
    let form = || "write NAME=URL, such as ec2=https://ec2.us-hidden-1.example.com".to_owned();
    let (name, url) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(form)?;
    let known = &Catalogue::embedded().aws;
    if !known.services().any(|service| service == name) {
        let help = match known.service_meant(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("services are {}", known.services().collect::<Vec<&str>>().join(", ")),
        };
        return Err(format!("unknown service `{}`; {help}", shortened(name)));
    }
    let read = Endpoint::of_service(url).map_err(|unfit| format!("{}; {}", unfit.message, unfit.help))?;
    match read.obstacle() {
        Some(unfit) => Err(format!("{}; {}", unfit.message, unfit.help)),
        None => Ok((name.to_owned(), read.as_str().to_owned())),
    }
}

impl GivenArgs {
    /// The cluster that the flags name; none where they name none.
    fn target(&self) -> Option<GivenTarget> {
        let text = |given: Option<&str>| given.unwrap_or_default().to_owned();
        Some(GivenTarget {
            infra_id: self.infra_id.clone()?,
            region: self.region.clone()?,
            cloud_name: text(self.cloud_name.as_deref()),
            endpoints: self.endpoints.clone(),
            cluster_domain: text(self.cluster_domain.as_deref()),
            hosted_zone_role: text(self.hosted_zone_role.as_deref()),
            arm_endpoint: text(self.arm_endpoint.as_deref()),
            resource_group: text(self.resource_group.as_deref()),
            base_domain_resource_group: text(self.base_domain_resource_group.as_deref()),
        })
    }
}

impl Args {
    /// The cluster that is to go.
    ///
    /// # Errors
    /// Nothing says it, or not so that it can be used.
    pub(super) fn named(
        &self,
        directory: &Path,
        settings: &Settings,
        basis: &Basis,
    ) -> Result<Named, Unnamed> {
        let Some(given) = self.given.target() else {
            return target::of_directory(directory);
        };
        let platform = self.given.platform.as_deref();
        let platform = target::platform_of(
            platform,
            &given.region,
            !given.endpoints.is_empty(),
            (&basis.catalogue, &basis.release),
        )?;
        // The working directory has a say only where it is meant.
        target::of_flags(settings.dir.as_deref(), platform, &given)
    }
}
