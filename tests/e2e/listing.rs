//! Everything that moto holds in a region, so that two moments can be compared.

use std::collections::{BTreeMap, BTreeSet};

use crate::cloud::Cloud;
use crate::xml::Node;

/// Lists of EC2: what it holds, action, name of the list, name of the id.
const EC2: &[(&str, &str, &str, &str)] = &[
    ("address", "DescribeAddresses", "addressesSet", "allocationId"),
    ("carrier gateway", "DescribeCarrierGateways", "carrierGatewaySet", "carrierGatewayId"),
    ("DHCP options", "DescribeDhcpOptions", "dhcpOptionsSet", "dhcpOptionsId"),
    (
        "egress-only gateway",
        "DescribeEgressOnlyInternetGateways",
        "egressOnlyInternetGatewaySet",
        "egressOnlyInternetGatewayId",
    ),
    ("endpoint", "DescribeVpcEndpoints", "vpcEndpointSet", "vpcEndpointId"),
    ("interface", "DescribeNetworkInterfaces", "networkInterfaceSet", "networkInterfaceId"),
    ("internet gateway", "DescribeInternetGateways", "internetGatewaySet", "internetGatewayId"),
    ("NAT gateway", "DescribeNatGateways", "natGatewaySet", "natGatewayId"),
    ("route table", "DescribeRouteTables", "routeTableSet", "routeTableId"),
    ("security group", "DescribeSecurityGroups", "securityGroupInfo", "groupId"),
    ("subnet", "DescribeSubnets", "subnetSet", "subnetId"),
    ("volume", "DescribeVolumes", "volumeSet", "volumeId"),
    ("VPC", "DescribeVpcs", "vpcSet", "vpcId"),
];

/// Machines that are on their way out, and then gone after a while.
const GOING: &[&str] = &["shutting-down", "terminated"];

/// Gateways and endpoints that are gone, and still listed for a while.
const GONE: &str = "deleted";

/// What changes by itself, or with something else.
const VOLATILE: &[&str] = &["availableIpAddressCount"];

/// One thing, with its tags whether or not the service shows them along with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    pub node: Node,
    pub tags: BTreeMap<String, String>,
    /// More that is said of it: targets of a group, records of a zone, policies of a role.
    pub more: Vec<Node>,
}

impl Resource {
    fn new(node: &Node) -> Self {
        Self { node: node.without(VOLATILE), tags: node.tags(), more: Vec::new() }
    }

    /// Its tag `Name`; empty where it has none.
    pub fn name(&self) -> &str {
        self.tags.get("Name").map_or("", String::as_str)
    }

    /// A text of it.
    pub fn says(&self, path: &str) -> &str {
        self.node.says(path)
    }
}

/// Things by kind and id.
#[derive(Clone, Debug, Default)]
pub struct Listing(BTreeMap<(&'static str, String), Resource>);

impl Listing {
    /// All that there is now.
    pub fn of(cloud: Cloud<'_>) -> Self {
        let mut listing = Self::default();
        for (kind, action, list, id) in EC2 {
            for item in cloud.ec2(action, &[]).find(list).children() {
                if !item.says("state").eq_ignore_ascii_case(GONE) {
                    listing.add(kind, item.says(id), Resource::new(item));
                }
            }
        }
        for image in cloud.ec2("DescribeImages", &[("Owner.1", "self")]).find("imagesSet").children() {
            listing.add("image", image.says("imageId"), Resource::new(image));
        }
        listing.machines(cloud);
        listing.balancers(cloud);
        listing.roles(cloud);
        listing.zones(cloud);
        listing.buckets(cloud);
        listing
    }

    fn add(&mut self, kind: &'static str, id: &str, thing: Resource) {
        assert!(!id.is_empty(), "{kind} without an id: {thing:?}");
        self.0.insert((kind, id.to_owned()), thing);
    }

    fn machines(&mut self, cloud: Cloud<'_>) {
        let reservations = cloud.ec2("DescribeInstances", &[]);
        for machine in
            reservations.find("reservationSet").children().iter().flat_map(|r| r.list("instancesSet"))
        {
            if GOING.contains(&machine.says("instanceState/name")) {
                continue;
            }
            let id = machine.says("instanceId");
            let data = [("InstanceId", id), ("Attribute", "userData")];
            let mut thing = Resource::new(machine);
            thing.more.push(cloud.ec2("DescribeInstanceAttribute", &data).find("userData").clone());
            self.add("machine", id, thing);
        }
    }

    fn balancers(&mut self, cloud: Cloud<'_>) {
        let tagged = |arn: &str, node: &Node, more: Vec<Node>| {
            let tags = cloud.balancing("DescribeTags", &[("ResourceArns.member.1", arn)]);
            let tags = tags.find("TagDescriptions").at("member").tags();
            Resource { node: node.clone(), tags, more }
        };
        for balancer in cloud.balancing("DescribeLoadBalancers", &[]).find("LoadBalancers").children() {
            let arn = balancer.says("LoadBalancerArn");
            let of = [("LoadBalancerArn", arn)];
            let attributes =
                cloud.balancing("DescribeLoadBalancerAttributes", &of).find("Attributes").clone();
            self.add("load balancer", arn, tagged(arn, balancer, vec![attributes]));
            for listener in cloud.balancing("DescribeListeners", &of).find("Listeners").children() {
                self.add("listener", listener.says("ListenerArn"), Resource::new(listener));
            }
        }
        for group in cloud.balancing("DescribeTargetGroups", &[]).find("TargetGroups").children() {
            let arn = group.says("TargetGroupArn");
            let health = cloud.balancing("DescribeTargetHealth", &[("TargetGroupArn", arn)]);
            let targets = health.find("TargetHealthDescriptions").children();
            let targets = targets.iter().map(|target| target.at("Target").clone()).collect();
            self.add("target group", arn, tagged(arn, group, targets));
        }
    }

    fn roles(&mut self, cloud: Cloud<'_>) {
        for role in cloud.iam("ListRoles", &[]).find("Roles").children() {
            let name = role.says("RoleName");
            let of = [("RoleName", name)];
            let policies = cloud.iam("ListRolePolicies", &of);
            let policies = policies.find("PolicyNames").children().iter();
            let more = policies.map(|policy| {
                let both = [("RoleName", name), ("PolicyName", policy.text())];
                cloud.iam("GetRolePolicy", &both).find("GetRolePolicyResult").clone()
            });
            let tags = cloud.iam("ListRoleTags", &of).find("ListRoleTagsResult").tags();
            self.add("role", name, Resource { node: role.clone(), tags, more: more.collect() });
        }
        for profile in cloud.iam("ListInstanceProfiles", &[]).find("InstanceProfiles").children() {
            self.add("instance profile", profile.says("InstanceProfileName"), Resource::new(profile));
        }
    }

    fn zones(&mut self, cloud: Cloud<'_>) {
        for zone in cloud.names("hostedzone").find("HostedZones").children() {
            let id = zone.says("Id").trim_start_matches("/hostedzone/");
            let records = cloud.names(&format!("hostedzone/{id}/rrset"));
            let tags = cloud.names(&format!("tags/hostedzone/{id}"));
            let networks = cloud.names(&format!("hostedzone/{id}")).find("VPCs").clone();
            let mut more = vec![networks];
            more.extend(records.find("ResourceRecordSets").children().iter().cloned());
            let tags = tags.find("ResourceTagSet").tags();
            self.add("zone", id, Resource { node: zone.clone(), tags, more });
        }
    }

    fn buckets(&mut self, cloud: Cloud<'_>) {
        for bucket in Node::of(&cloud.store("/")).find("Buckets").children() {
            let name = bucket.says("Name");
            let tags = |path: &str| {
                let read = Node::of(&cloud.store(&format!("{path}?tagging")));
                read.find("Tagging").tags()
            };
            let held = Node::of(&cloud.store(&format!("/{name}?list-type=2")));
            let objects =
                held.at("ListBucketResult").children().iter().filter(|child| !child.says("Key").is_empty());
            for object in objects {
                let path = format!("/{name}/{}", object.says("Key"));
                self.add(
                    "object",
                    &path,
                    Resource { node: object.clone(), tags: tags(&path), more: Vec::new() },
                );
            }
            let thing = Resource { node: bucket.clone(), tags: tags(&format!("/{name}")), more: Vec::new() };
            self.add("bucket", name, thing);
        }
    }

    /// What is in this one and was not in an earlier one.
    pub fn since(&self, earlier: &Self) -> Self {
        let new = self.0.iter().filter(|(key, _)| !earlier.0.contains_key(*key));
        Self(new.map(|(key, thing)| (key.clone(), thing.clone())).collect())
    }

    /// The things of a kind.
    pub fn of_kind(&self, kind: &str) -> Vec<&Resource> {
        self.0.iter().filter(|((known, _), _)| *known == kind).map(|(_, thing)| thing).collect()
    }

    /// The one thing of a kind that has a tag `Name`.
    #[track_caller]
    pub fn named(&self, kind: &str, name: &str) -> &Resource {
        let mut found = self.of_kind(kind).into_iter().filter(|thing| thing.name() == name);
        match (found.next(), found.next()) {
            (Some(thing), None) => thing,
            (first, _) => {
                panic!("one {kind} should be named {name}, not {first:?} of {:?}", self.labels(kind))
            }
        }
    }

    /// The thing of a kind with an id.
    #[track_caller]
    pub fn get(&self, kind: &'static str, id: &str) -> &Resource {
        let found = self.0.get(&(kind, id.to_owned()));
        found.unwrap_or_else(|| panic!("there is no {kind} {id}"))
    }

    /// The names of all things of a kind.
    pub fn labels(&self, kind: &str) -> BTreeSet<&str> {
        self.of_kind(kind).into_iter().map(Resource::name).collect()
    }

    /// How many things there are of each kind.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for (kind, _) in self.0.keys() {
            *counts.entry(*kind).or_default() += 1;
        }
        counts
    }

    /// Everything, with kind and id.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, &str, &Resource)> {
        self.0.iter().map(|((kind, id), thing)| (*kind, id.as_str(), thing))
    }

    /// Fails unless all is as it was at an earlier moment.
    #[track_caller]
    pub fn is_as(&self, earlier: &Self) {
        let (left, missing) = (self.since(earlier), earlier.since(self));
        assert!(left.counts().is_empty(), "left: {:?}", left.0.keys());
        assert!(missing.counts().is_empty(), "not the cluster's: {:?}", missing.0.keys());
        let changed = self.changed(earlier);
        assert!(changed.is_empty(), "not as before: {changed:?}");
    }

    /// What is in both but has become different, by kind and name.
    pub fn changed(&self, earlier: &Self) -> BTreeSet<(&'static str, &str)> {
        let both = self.each().filter(|(kind, id, thing)| {
            earlier.0.get(&(*kind, (*id).to_owned())).is_some_and(|before| before != *thing)
        });
        both.map(|(kind, _, thing)| (kind, thing.name())).collect()
    }
}
