//! The kinds of the operator that the engine uses.
//!
//! Each is written down once, with the date of its API version. The operator spells that date in two ways over
//! its releases; the shape is the same.

use std::sync::{Mutex, PoisonError};

use super::desired::Policy;

/// The field of a kind that carries tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TagCarrier {
    /// `tags`.
    #[default]
    Tags,
    /// `metadata`, which stands in for tags on record sets.
    Metadata,
    /// It has none.
    None,
}

impl TagCarrier {
    /// The name of the field in spec and status.
    #[must_use]
    pub fn field(self) -> Option<&'static str> {
        match self {
            Self::Tags => Some("tags"),
            Self::Metadata => Some("metadata"),
            Self::None => None,
        }
    }
}

/// How it is known of a resource that was found in Azure that this cluster's engine managed it before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WasManaged {
    /// It carries an ownership tag.
    #[default]
    Tags,
    /// It carries an ownership tag, or Azure shows no tags of it at all.
    TagsIfShown,
    /// The object of [`Kind::parent`] that it belongs to is managed.
    Parent,
    /// Always: its name is the engine's own.
    Always,
    /// Never: Azure makes it.
    Never,
}

/// A kind of the operator.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// The API group.
    pub group: &'static str,
    /// The two spellings of the API version: the one to take if it is served, then the other.
    pub versions: [&'static str; 2],
    /// The name.
    pub kind: &'static str,
    /// The name of its objects in paths.
    pub plural: &'static str,
    /// The field that carries tags.
    pub tag_carrier: TagCarrier,
    /// The place in the order of creation; what it needs is of a lower one.
    pub tier: u8,
    /// How it is known that a resource was managed before.
    pub was_managed: WasManaged,
    /// The kind of the object that decides where that is [`WasManaged::Parent`].
    pub parent: Option<&'static str>,
    /// The policy after adoption.
    pub adopt_policy: Policy,
    /// Whether the running cluster takes such resources over once it is installed.
    pub handover: bool,
    /// Whether every cluster needs the kind, not only one whose machines the operator makes.
    pub core: bool,
}

impl Kind {
    /// Group and version as they are written into an object.
    #[must_use]
    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.versions[0])
    }
}

/// The kind with this group and name.
#[must_use]
pub fn find(group: &str, kind: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|known| known.group == group && known.kind == kind)
}

/// The kind with this name; no two groups share one.
#[must_use]
pub fn named(kind: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|known| known.kind == kind)
}

/// The API groups of the operator, of its releases so far. What somebody has of any kind may be in a cluster's resource
/// group, and is looked for before that goes. See <https://azure.github.io/azure-service-operator/reference/>.
pub const GROUPS: [&str; 45] = [
    "alertsmanagement.azure.com",
    "apimanagement.azure.com",
    "app.azure.com",
    "appconfiguration.azure.com",
    "authorization.azure.com",
    "batch.azure.com",
    "cache.azure.com",
    "cdn.azure.com",
    "cognitiveservices.azure.com",
    "communication.azure.com",
    "compute.azure.com",
    "containerinstance.azure.com",
    "containerregistry.azure.com",
    "containerservice.azure.com",
    "dataprotection.azure.com",
    "dbformariadb.azure.com",
    "dbformysql.azure.com",
    "dbforpostgresql.azure.com",
    "devices.azure.com",
    "documentdb.azure.com",
    "entra.azure.com",
    "eventgrid.azure.com",
    "eventhub.azure.com",
    "insights.azure.com",
    "keyvault.azure.com",
    "kubernetesconfiguration.azure.com",
    "kusto.azure.com",
    "machinelearningservices.azure.com",
    "managedidentity.azure.com",
    "monitor.azure.com",
    "network.azure.com",
    "network.frontdoor.azure.com",
    "notificationhubs.azure.com",
    "operationalinsights.azure.com",
    "quota.azure.com",
    "redhatopenshift.azure.com",
    "resources.azure.com",
    "search.azure.com",
    "servicebus.azure.com",
    "signalrservice.azure.com",
    "sql.azure.com",
    "storage.azure.com",
    "subscription.azure.com",
    "synapse.azure.com",
    "web.azure.com",
];

/// A kind of the operator that the engine does not use. Groups share names of such kinds: it is called `Vault` of
/// `keyvault.azure.com` by both. It is kept for as long as the program runs.
pub fn foreign(group: &str, version: &str, kind: &str, plural: &str) -> &'static Kind {
    static KNOWN: Mutex<Vec<&'static Kind>> = Mutex::new(Vec::new());
    let name = format!("{kind}.{group}");
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |one: &&&Kind| one.kind == name && one.versions[0] == version && one.plural == plural;
    if let Some(found) = known.iter().find(is_it) {
        return found;
    }
    let kept = |text: &str| -> &'static str { Box::leak(text.into()) };
    let version = kept(version);
    let kind: &'static Kind = Box::leak(Box::new(Kind {
        group: kept(group),
        versions: [version, version],
        kind: kept(&name),
        plural: kept(plural),
        tag_carrier: TagCarrier::None,
        tier: u8::MAX,
        was_managed: WasManaged::Never,
        parent: None,
        adopt_policy: Policy::Skip,
        handover: false,
        core: false,
    }));
    known.push(kind);
    kind
}

/// A kind that carries tags, without anything special.
macro_rules! kind {
    ($group:literal, $date:literal, $tier:literal, $kind:literal, $plural:literal) => {
        Kind {
            group: concat!($group, ".azure.com"),
            versions: [concat!("v1api", $date), concat!("v", $date)],
            kind: $kind,
            plural: $plural,
            tag_carrier: TagCarrier::Tags,
            tier: $tier,
            was_managed: WasManaged::Tags,
            parent: None,
            adopt_policy: Policy::Manage,
            handover: false,
            core: true,
        }
    };
}

impl Kind {
    /// The same for record sets.
    const fn records(self) -> Self {
        Self { tag_carrier: TagCarrier::Metadata, ..self }
    }

    /// The same without tags.
    const fn untagged(self, was_managed: WasManaged) -> Self {
        Self { tag_carrier: TagCarrier::None, was_managed, ..self }
    }

    /// The same without tags, as managed as the object of this kind.
    const fn part_of(self, parent: &'static str) -> Self {
        Self { parent: Some(parent), ..self.untagged(WasManaged::Parent) }
    }

    /// The same, taken over by the running cluster.
    const fn handed_over(self) -> Self {
        Self { handover: true, ..self }
    }

    /// The same, only read.
    const fn only_read(self) -> Self {
        Self { adopt_policy: Policy::Skip, ..self }
    }

    /// The same, not needed by every cluster.
    const fn optional(self) -> Self {
        Self { core: false, ..self }
    }

    /// The same for what machines are made of, which not every cluster has the operator make.
    const fn of_machines(self) -> Self {
        Self { was_managed: WasManaged::TagsIfShown, ..self.optional() }
    }
}

/// All kinds that the engine may use.
#[rustfmt::skip]
pub static KINDS: &[Kind] = &[
    kind!("resources", "20200601", 0, "ResourceGroup", "resourcegroups"),
    kind!("network", "20240301", 1, "VirtualNetwork", "virtualnetworks"),
    kind!("network", "20240301", 3, "VirtualNetworksSubnet", "virtualnetworkssubnets")
        .part_of("VirtualNetwork").handed_over(),
    kind!("network", "20240301", 1, "NetworkSecurityGroup", "networksecuritygroups").handed_over(),
    kind!("network", "20240301", 2, "NetworkSecurityGroupsSecurityRule", "networksecuritygroupssecurityrules")
        .part_of("NetworkSecurityGroup"),
    kind!("network", "20240301", 1, "RouteTable", "routetables").handed_over(),
    kind!("network", "20240301", 2, "RouteTablesRoute", "routetablesroutes").part_of("RouteTable").optional(),
    kind!("network", "20240301", 1, "PublicIPAddress", "publicipaddresses"),
    kind!("network", "20240301", 2, "NatGateway", "natgateways"),
    kind!("network", "20240301", 4, "LoadBalancer", "loadbalancers").handed_over(),
    kind!("network", "20240301", 5, "LoadBalancersInboundNatRule", "loadbalancersinboundnatrules")
        .part_of("LoadBalancer").optional(),
    kind!("network", "20240301", 6, "NetworkInterface", "networkinterfaces").of_machines(),
    kind!("network", "20240601", 1, "PrivateDnsZone", "privatednszones"),
    kind!("network", "20240601", 2, "PrivateDnsZonesVirtualNetworkLink", "privatednszonesvirtualnetworklinks"),
    kind!("network", "20240601", 5, "PrivateDnsZonesARecord", "privatednszonesarecords").records(),
    kind!("network", "20240601", 5, "PrivateDnsZonesAAAARecord", "privatednszonesaaaarecords").records().optional(),
    kind!("network", "20180501", 5, "DnsZonesARecord", "dnszonesarecords").records(),
    kind!("network", "20180501", 5, "DnsZonesCNAMERecord", "dnszonescnamerecords").records(),
    kind!("managedidentity", "20230131", 1, "UserAssignedIdentity", "userassignedidentities"),
    kind!("authorization", "20220401", 2, "RoleAssignment", "roleassignments").untagged(WasManaged::Always),
    kind!("storage", "20230101", 1, "StorageAccount", "storageaccounts"),
    kind!("storage", "20230101", 2, "StorageAccountsBlobService", "storageaccountsblobservices")
        .untagged(WasManaged::Never).only_read(),
    kind!("storage", "20230101", 3, "StorageAccountsBlobServicesContainer", "storageaccountsblobservicescontainers")
        .part_of("StorageAccount"),
    kind!("compute", "20240302", 6, "Disk", "disks").of_machines(),
    kind!("compute", "20220301", 7, "VirtualMachine", "virtualmachines").optional(),
];
