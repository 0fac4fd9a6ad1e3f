//! Whether that stands which is to stand: one file for each part of it.

mod balancers;
mod groups;
mod machines;
mod names;
mod network;
mod summary;
mod tags;

use std::collections::BTreeMap;

use crate::cloud::Cloud;
use crate::expected::Cluster;
use crate::listing::Listing;
use crate::xml::Node;

pub use machines::Started;
pub use summary::{removed, tells};
pub use tags::shared;

/// A cluster that was made, and the infrastructure id that it got.
pub struct Made<'a> {
    pub cloud: Cloud<'a>,
    pub wanted: &'a Cluster,
    pub id: &'a str,
    /// All that there is.
    pub all: &'a Listing,
    /// What there was not before.
    pub new: &'a Listing,
    /// Private and public subnets, in the order of the zones, where they are not new.
    pub subnets: Option<(&'a [String], &'a [String])>,
    /// The VPC where it is not new, and the private zone.
    pub given: Option<(&'a str, &'a str)>,
}

impl Made<'_> {
    /// A name that begins with the infrastructure id.
    pub fn name(&self, end: &str) -> String {
        format!("{}-{end}", self.id)
    }

    /// The VPC.
    pub fn vpc(&self) -> String {
        match self.given {
            Some((vpc, _)) => vpc.to_owned(),
            None => self.new.named("VPC", &self.name("vpc")).says("vpcId").to_owned(),
        }
    }

    /// The private or the public subnets, in the order of the zones.
    pub fn subnets(&self, public: bool) -> Vec<String> {
        if let Some((private, published)) = self.subnets {
            let given = if public { published } else { private };
            return given.to_vec();
        }
        let kind = if public { "public" } else { "private" };
        let subnet = |zone: &&str| {
            let name = format!("{}{kind}-{zone}", self.wanted.subnet_name());
            let subnet = self.new.named("subnet", &self.name(&name));
            subnet.says("subnetId").to_owned()
        };
        self.wanted.zones.iter().map(subnet).collect()
    }

    /// Looks at everything.
    pub fn stands(&self, started: &Started<'_>) {
        network::stands(self);
        groups::stand(self);
        balancers::stand(self);
        names::stand(self);
        machines::stand(self, started);
        tags::stand(self);
    }
}

/// Pairs of texts below the elements of a list.
fn pairs(list: &[Node], key: &str, value: &str) -> BTreeMap<String, String> {
    list.iter().map(|item| (item.says(key).to_owned(), item.says(value).to_owned())).collect()
}
