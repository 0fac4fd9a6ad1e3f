//! Facts from Azure, gathered faithfully: planning judges them. Each part is asked for once, however many
//! wait for it.

mod account;
mod dns;
mod groups;
mod location;
mod network;
mod quotas;
pub(super) mod resource;
mod sizes;

use std::collections::BTreeMap;

use futures::join;
use landfall_model::azure::facts::{DnsZone, Facts, Location, Network, Quota, ResourceGroup, Size};
use landfall_model::azure::planned;
use landfall_model::facts::{self, VERSION};
use landfall_platform::cloud::{Asked, Gathered, Verdict, Waiting, take};
use tokio::sync::OnceCell;

use super::fault::Fault;
use super::session::Session;
use super::sources::Source;

pub(super) use super::environment::is_hub;
pub(super) use crate::plan::location::plain;
pub(super) use network::KIND as NETWORKS;
pub(super) use quotas::{COMPUTE, NETWORK};
pub(super) use sizes::sizes_of_pools;

/// The field that findings about the subscription as a whole point at.
pub(super) const PLATFORM: &str = "platform.azure";

/// The field that findings about the location as a whole point at.
pub(super) const REGION: &str = "platform.azure.region";

/// The ids of the credentials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Account {
    /// Subscription to install into.
    pub(super) subscription: String,
    /// Tenant of the subscription.
    pub(super) tenant: String,
    /// Application that asks; empty for a managed identity or a person.
    pub(super) client: String,
}

/// Use and limits in the location.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Quotas {
    /// Those that the caller may see, by name.
    pub(super) known: BTreeMap<String, Quota>,
    /// Why others are not to be seen, by the provider that they are of.
    pub(super) untold: BTreeMap<&'static str, String>,
}

/// The answers to questions that several ask.
#[derive(Debug, Default)]
pub(super) struct Answers {
    account: OnceCell<Asked<Account>>,
    location: OnceCell<Asked<Option<Location>>>,
    sizes: OnceCell<Asked<BTreeMap<String, Size>>>,
    quotas: OnceCell<Asked<Quotas>>,
    network: OnceCell<Asked<Option<Network>>>,
    resource_group: OnceCell<Asked<Option<ResourceGroup>>>,
    dns_zone: OnceCell<Asked<Option<DnsZone>>>,
}

impl Answers {
    /// The sizes, if they were asked for and are known.
    pub(super) fn sizes(&self) -> Option<&BTreeMap<String, Size>> {
        self.sizes.get()?.as_ref().ok()
    }

    /// The quotas, if they were asked for and are known.
    pub(super) fn quotas(&self) -> Option<&Quotas> {
        self.quotas.get()?.as_ref().ok()
    }
}

// What a call needs while it waits is large, so it lies on the heap: many of these wait at the same time.
impl Session<'_> {
    /// The ids of subscription and caller.
    async fn account(&self) -> &Asked<Account> {
        self.answers.account.get_or_init(|| Box::pin(account::account(self))).await
    }

    /// The location that the config names; none where the subscription does not have it.
    async fn location(&self) -> &Asked<Option<Location>> {
        self.answers.location.get_or_init(|| Box::pin(location::location(self))).await
    }

    /// The sizes that matter for the config, as far as the location offers them.
    pub(super) async fn sizes(&self) -> &Asked<BTreeMap<String, Size>> {
        self.answers.sizes.get_or_init(|| Box::pin(sizes::sizes(self))).await
    }

    /// Use and limits in the location.
    pub(super) async fn quotas(&self) -> &Asked<Quotas> {
        self.answers.quotas.get_or_init(|| Box::pin(quotas::quotas(self))).await
    }

    /// The network that the config names; none where it names none, or one that is not there.
    async fn network(&self) -> &Asked<Option<Network>> {
        self.answers.network.get_or_init(|| Box::pin(network::network(self))).await
    }

    /// The group that the config names; none where it names none, or one that is not there.
    async fn resource_group(&self) -> &Asked<Option<ResourceGroup>> {
        self.answers.resource_group.get_or_init(|| Box::pin(groups::resource_group(self))).await
    }

    /// The public zone of the base domain; none where there is none, or where the cluster needs none.
    async fn dns_zone(&self) -> &Asked<Option<DnsZone>> {
        self.answers.dns_zone.get_or_init(|| Box::pin(dns::dns_zone(self))).await
    }
}

/// All facts that planning needs, asked for at the same time.
pub(super) fn gather<'s>(session: &'s Session<'_>) -> Waiting<'s, Gathered> {
    Box::pin(async move {
        let (environment, account, location, sizes, quotas, network, group, zone) = join!(
            session.environment(),
            session.account(),
            session.location(),
            session.sizes(),
            session.quotas(),
            session.network(),
            session.resource_group(),
            session.dns_zone(),
        );
        // Whose the credentials are is known by now, or why nobody knows.
        let identity = session.found().await.map(|found| kind(&found.source)).unwrap_or_default().to_owned();
        let mut gaps = Vec::new();
        let Account { subscription, tenant, client } = take("subscription", account, &mut gaps);
        let facts = Facts {
            cloud_name: session.platform.cloud_name.clone(),
            subscription_id: subscription,
            tenant_id: tenant,
            client_id: client,
            location: take("location", location, &mut gaps).unwrap_or_default(),
            sizes: take("sizes", sizes, &mut gaps),
            dns_zone: take("dns-zone", zone, &mut gaps),
            network: take("network", network, &mut gaps),
            resource_group: take("resource-group", group, &mut gaps),
            // Nothing that is planned rests on them, and their check says why they are not known.
            quotas: quotas.as_ref().map(|quotas| quotas.known.clone()).unwrap_or_default(),
            // Where the endpoints are not known, nothing else is, and the gaps say so.
            environment: environment.ok().and_then(|environment| environment.document.clone()),
            identity,
        };
        let facts = facts::Facts {
            version: VERSION,
            source: facts::Source::Cloud,
            azure: Some(facts),
            ..facts::Facts::default()
        };
        Gathered { facts, gaps }
    })
}

/// The kind of credentials, as facts name it.
fn kind(source: &Source) -> &'static str {
    match source {
        Source::Secret => "secret",
        Source::Certificate(_) => "certificate",
        Source::Federated(_) => "federated-token",
        Source::ManagedIdentity => planned::MANAGED_IDENTITY,
        Source::AzureCli => "cli",
    }
}

/// A call that failed, as what is to be said at `field`.
pub(super) fn refused(fault: &Fault, field: &str) -> Verdict {
    Verdict::Found(Box::new(fault.finding(field)))
}

/// The location to ask for, as the resource manager names it; none where the subscription does not have it.
/// A list of locations that nobody may see stands against nothing.
async fn where_to_ask(session: &Session<'_>) -> Option<String> {
    match session.location().await {
        Ok(found) => found.as_ref().map(|location| location.name.clone()),
        Err(_) => Some(plain(&session.platform.region)),
    }
}
