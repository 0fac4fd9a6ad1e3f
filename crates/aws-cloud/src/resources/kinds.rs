//! The kinds of resources.

use landfall_platform::cloud::Waiting;
use landfall_platform::native::{Properties, Wanted};

use super::{Item, Made, Resources, balancers, groups, identities, ipv6, machines, names, network, storage};

type Read = for<'s> fn(&'s Resources<'s>, &'s Wanted) -> Waiting<'s, Made<Vec<Item>>>;
type Create = for<'s> fn(&'s Resources<'s>, &'s Wanted) -> Waiting<'s, Made<Properties>>;
type Complete = for<'s> fn(&'s Resources<'s>, &'s Wanted, &'s Properties) -> Waiting<'s, Made<()>>;

/// A kind of resource.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The list that has it; kinds may share one.
    pub(super) list: &'static str,
    /// What the list is about, where there is one list for each of something.
    pub(super) about: fn(&Wanted) -> String,
    pub(super) read: Read,
    /// Properties by which one is known; without any it is known by its id, its token, or its tags.
    pub(super) keys: &'static [&'static str],
    /// Lists of which a resource must have all parts that are wanted, to be found.
    pub(super) parts: &'static [&'static str],
    pub(super) outputs: &'static [&'static str],
    pub(super) create: Create,
    pub(super) complete: Option<Complete>,
    /// Whether others can use it only when it is ready.
    pub(super) blocks: bool,
}

macro_rules! kinds {
    ($($name:literal in $list:literal [$($about:literal)*], $read:path;
        by [$($key:literal)*] parts [$($part:literal)*] gives [$($output:literal)*];
        $create:path $(, then $complete:path)? $(, blocks $blocks:literal)?;)*) => {
        &[$(Kind {
            name: $name,
            list: $list,
            about: |_wanted| {
                let parts: &[&str] = &[$(_wanted.text($about)),*];
                parts.join(" ")
            },
            read: |cx, wanted| Box::pin($read(cx, wanted)),
            keys: &[$($key),*],
            parts: &[$($part),*],
            outputs: &[$($output),*],
            create: |cx, wanted| Box::pin($create(cx, wanted)),
            complete: kinds!(@complete $($complete)?),
            blocks: kinds!(@blocks $($blocks)?),
        }),*]
    };
    (@complete $complete:path) => { Some(|cx, wanted, outputs| Box::pin($complete(cx, wanted, outputs))) };
    (@complete) => { None };
    (@blocks $blocks:literal) => { $blocks };
    (@blocks) => { false };
}

static KINDS: &[Kind] = kinds! {
    "given-vpc" in "given VPCs" ["id"], network::given_vpc;
        by ["id"] parts [] gives ["cidr" "ipv6Cidr"]; network::not_there;
    "given-ipv6" in "IPv6 addresses of VPCs" ["vpc"], ipv6::of_vpc;
        by ["vpc"] parts [] gives ["cidr"]; ipv6::await_vpc, blocks true;
    "egress-gateway" in "egress-only internet gateways" [], ipv6::gateways;
        by [] parts [] gives ["id"]; ipv6::create_gateway;
    "given-subnets" in "given subnets" ["vpc"], network::given_subnets;
        by ["vpc"] parts [] gives ["*"]; network::not_there;
    "vpc" in "VPCs" [], network::vpcs;
        by [] parts [] gives ["id"]; network::create_vpc, then network::complete_vpc;
    "dhcp-options" in "DHCP options" [], network::dhcp_options;
        by [] parts [] gives ["id"]; network::create_dhcp_options;
    "dhcp-options-association" in "VPCs" [], network::vpcs;
        by ["vpc" "options"] parts [] gives []; network::associate_dhcp_options;
    "internet-gateway" in "internet gateways" [], network::internet_gateways;
        by [] parts [] gives ["id"];
        network::create_internet_gateway, then network::attach_internet_gateway;
    "carrier-gateway" in "carrier gateways" [], network::carrier_gateways;
        by [] parts [] gives ["id"]; network::create_carrier_gateway;
    "subnet" in "subnets" [], network::subnets;
        by [] parts [] gives ["id"]; network::create_subnet, then network::complete_subnet;
    "route-table" in "route tables" [], network::route_tables;
        by [] parts [] gives ["id"]; network::create_route_table;
    "main-route-table" in "route tables" [], network::route_tables;
        by ["vpc" "table"] parts [] gives []; network::replace_main_table;
    "route" in "route tables" [], network::route_tables;
        by ["table" "destination"] parts [] gives []; network::create_route;
    "route-table-association" in "route tables" [], network::route_tables;
        by ["table" "subnet"] parts [] gives []; network::associate_table;
    "address" in "addresses" [], network::addresses;
        by [] parts [] gives ["id" "publicAddress"]; network::allocate_address;
    "address-association" in "addresses" [], network::addresses;
        by ["address" "instance"] parts [] gives []; network::associate_address;
    "nat-gateway" in "NAT gateways" [], network::nat_gateways;
        by [] parts [] gives ["id"]; network::create_nat_gateway, blocks true;
    "vpc-endpoint" in "VPC endpoints" [], network::endpoints;
        by [] parts [] gives ["id"]; network::create_endpoint;
    "security-group" in "security groups" [], groups::groups;
        by ["name" "vpc"] parts [] gives ["id"]; groups::create_group, then groups::revoke_default;
    "security-group-rules" in "security groups" [], groups::groups;
        by ["group"] parts ["ingress" "egress"] gives []; groups::authorize;
    "load-balancer" in "load balancers" [], balancers::balancers;
        by ["name"] parts [] gives ["id" "dnsName" "zone"];
        balancers::create_balancer, then balancers::complete_balancer;
    "target-group" in "target groups" [], balancers::target_groups;
        by ["name"] parts [] gives ["id"]; balancers::create_target_group;
    "listener" in "listeners" ["balancer"], balancers::listeners;
        by ["balancer" "port"] parts [] gives ["id"]; balancers::create_listener;
    "targets" in "targets" ["group"], balancers::targets;
        by ["group"] parts ["addresses"] gives ["="]; balancers::register;
    "role" in "roles" ["name"], identities::role;
        by ["name"] parts [] gives ["name"]; identities::create_role;
    "role-policy" in "role policies" ["role" "name"], identities::policy;
        by ["role" "name"] parts [] gives []; identities::put_policy;
    "instance-profile" in "instance profiles" ["name"], identities::profile;
        by ["name"] parts [] gives ["name"]; identities::create_profile, then identities::add_role;
    "hosted-zone" in "hosted zones" ["domain"], names::zones;
        by [] parts [] gives ["id"]; names::create_zone, then names::tag_zone;
    "given-hosted-zone" in "public hosted zones" ["domain"], names::public_zone;
        by ["domain"] parts [] gives ["id"]; names::no_public_zone;
    "record" in "records" ["zone" "host" "type"], names::records;
        by ["zone" "host" "type"] parts [] gives ["host"]; names::create_record;
    "image" in "images" ["name"], machines::images;
        by ["name"] parts [] gives ["id"]; machines::copy_image, then machines::tag_image, blocks true;
    "network-interface" in "network interfaces" [], machines::interfaces;
        by [] parts [] gives ["id" "address" "ipv6Address"]; machines::create_interface;
    "instance" in "instances" [], machines::instances;
        by [] parts [] gives ["id" "address" "ipv6Address" "publicAddress" "rootVolume"]; machines::run_instance;
    "bucket" in "buckets" ["name"], storage::bucket;
        by ["name"] parts [] gives ["id"]; storage::create_bucket, then storage::tag_bucket;
    "object" in "objects" ["bucket" "key"], storage::object;
        by ["bucket" "key"] parts [] gives []; storage::put_object;
};

/// The kind of a name.
pub(super) fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}
