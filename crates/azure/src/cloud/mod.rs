//! The edge of Azure: tokens from the authority of a cloud, and calls to its resource manager.
//!
//! `session` knows the cloud's endpoints and the caller. What all else rests on is checked in `reach`,
//! `environment`, `identity` and `subscription`; facts are gathered in `gather`, and what facts do not hold
//! is checked in `checks`. All calls only read, but for those of `operations`, with which `adopt` marks what
//! the user brought, `resources` creates a cluster and `removal` removes it. `engine` hands the credentials on to terraform.

mod adopt;
mod api_versions;
mod arm;
mod authority;
mod azure_cli;
mod certificate;
mod checks;
mod described;
mod engine;
mod environment;
mod fault;
mod gather;
mod identity;
mod judged;
mod key_store;
mod operations;
mod pages;
mod prices;
mod reach;
mod removal;
mod resources;
#[cfg(test)]
mod scripted;
mod session;
mod sources;
mod subscription;
mod transport;
mod zones;

use landfall_model::plan::Plan;
use landfall_model::prices::PriceKey;
use landfall_platform::cloud::{
    Asked, Asking, Check, Cloud, EngineNeeds, Gathered, Judged, Priced, PublicZone, Session, Waiting,
};
use landfall_platform::native::{Api, Secrets};
use landfall_platform::removal::{Removal, Target};

/// The edge of Azure.
#[derive(Clone, Copy, Debug)]
pub struct AzureCloud;

/// The edge, for the platform.
pub static CLOUD: AzureCloud = AzureCloud;

impl Cloud for AzureCloud {
    fn session<'a>(&self, asking: Asking<'a>) -> Box<dyn Session + 'a> {
        Box::new(session::Session::new(asking))
    }

    fn removal<'a>(&self, asking: Asking<'a>, target: &'a Target) -> Box<dyn Removal + 'a> {
        Box::new(removal::AzureRemoval::new(asking, target))
    }
}

impl Session for session::Session<'_> {
    fn foundations(&self) -> Vec<Check<'_>> {
        let mut all = reach::checks(self);
        all.push(identity::check(self));
        all.push(subscription::check(self));
        all
    }

    fn checks(&self) -> Vec<Check<'_>> {
        checks::checks(self)
    }

    fn facts(&self) -> Waiting<'_, Gathered> {
        gather::gather(self)
    }

    fn judged(&self) -> &'static [Judged] {
        judged::JUDGED
    }

    fn checks_of_plan<'s>(&'s self, plan: &'s Plan) -> Vec<Check<'s>> {
        checks::of_plan(self, plan)
    }

    fn checks_without_plan(&self) -> Vec<(String, String)> {
        checks::without_plan(self)
    }

    fn public_zones(&self) -> Waiting<'_, Asked<Vec<PublicZone>>> {
        Box::pin(zones::public_zones(self))
    }

    fn prices<'s>(&'s self, keys: &'s [PriceKey]) -> Waiting<'s, Asked<Priced>> {
        Box::pin(prices::prices(self, keys))
    }

    fn adopt<'s>(&'s self, plan: &'s Plan) -> Waiting<'s, Asked<Vec<String>>> {
        Box::pin(adopt::adopt(self, plan))
    }

    fn api<'s>(&'s self, infra_id: &'s str, secrets: &'s Secrets) -> Option<Box<dyn Api + 's>> {
        Some(Box::new(resources::Resources::new(self, infra_id, secrets)))
    }

    // All stages are made by the same credentials.
    fn engine<'s>(&'s self, _: &'s str, _: &'s str) -> Waiting<'s, Asked<EngineNeeds>> {
        Box::pin(engine::engine(self))
    }
}
