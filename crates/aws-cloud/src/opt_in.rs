//! Regions that the account has not enabled, where nobody is known: neither STS nor EC2 of such a region
//! accepts any credentials. The partition's global region tells whether that is the reason.

use landfall_model::aws::facts::Caller;

use super::endpoints::{Endpoint, Service};
use super::fault::Fault;
use super::session::Session;
use super::{clients, credentials, gather};

/// What planning takes for a region that cannot be used.
const NOT_OPTED_IN: &str = "not-opted-in";

/// What the partition's global region says, where the config's own refuses the credentials.
#[derive(Clone, Debug)]
pub(super) struct Abroad {
    /// The region that was asked.
    pub(super) region: String,
    /// Who the caller is there.
    pub(super) caller: Caller,
    /// What the account may do with the config's region; empty where it is not listed or nobody may know.
    pub(super) opt_in: String,
}

impl Abroad {
    /// Whether the account has not enabled the config's region.
    pub(super) fn is_off(&self) -> bool {
        self.opt_in == NOT_OPTED_IN
    }
}

/// Whether the answer of a service can mean that the region is not enabled. Of an endpoint that somebody
/// gave, nobody knows which region it is of.
pub(super) fn may_be_off(endpoint: Option<&Endpoint>, fault: &Fault) -> bool {
    fault.may_be_of_region() && endpoint.is_some_and(|endpoint| !endpoint.is_override())
}

/// Asks the partition's global region; none where there is no other, or where it accepts the credentials no
/// more than this one.
pub(super) async fn ask(session: &Session<'_>) -> Option<Abroad> {
    let own = session.region();
    let (_, partition) = session.asking.catalogue.aws.partition_of(own)?;
    let region = partition.global_region.as_deref().filter(|region| *region != own)?;
    let shared = &session.found().await.ok()?.config;
    let endpoint = session.reached_in(Service::Sts, region).await.ok()?;
    let sts = clients::sts_at(shared, &endpoint, region);
    let answer = Box::pin(sts.get_caller_identity().send()).await.ok()?;
    let caller = credentials::caller(session, &answer);
    let opt_in = listed(session, region).await.unwrap_or_default();
    Some(Abroad { region: region.to_owned(), caller, opt_in })
}

/// What the account may do with the config's region, as another region says.
async fn listed(session: &Session<'_>, region: &str) -> Option<String> {
    let shared = &session.found().await.ok()?.config;
    let endpoint = session.reached_in(Service::Ec2, region).await.ok()?;
    let ec2 = clients::ec2_at(shared, &endpoint, region);
    gather::opt_in_of(session, &ec2).await.ok()
}
