//! The edge of AWS: every call to it, made with the SDK.
//!
//! `session` has the clients and what is known of the endpoints and the caller, `kept` how long that is
//! believed, and `renewal` how credentials last as long as a run. What all else rests on is
//! checked in `reach` and `credentials`; facts are gathered in `gather`, and what facts do not hold is checked
//! in `checks`. `zones` lists what a base domain can be chosen from, and `engine` has what Terraform needs to
//! call AWS in the same way. `resources` creates what a cluster consists of. All calls only read, but for those of
//! `adopt`, `resources` and `removal`.
//!
//! ```
//! use landfall_platform::Platform;
//!
//! // The same platform, once without and once with the calls.
//! assert!(landfall_aws::PLATFORM.cloud().is_none());
//! assert!(landfall_aws_cloud::PLATFORM.cloud().is_some());
//! ```

#![forbid(unsafe_code)]

mod adopt;
mod bounded;
mod checks;
mod clients;
mod credential_sources;
mod credentials;
mod dns;
mod endpoints;
mod engine;
mod fault;
mod gather;
mod identity;
mod judged;
mod kept;
mod observed;
mod opt_in;
mod pages;
mod prices;
mod profiles;
mod reach;
mod removal;
mod renewal;
mod resources;
mod secrets;
mod session;
mod understood;
mod zones;

use landfall_aws::survey::AwsSurvey;
use landfall_aws::{Aws, Edge};
use landfall_model::plan::Plan;
use landfall_model::prices::PriceKey;
use landfall_platform::cloud::{
    Asked, Asking, Check, Cloud, EngineNeeds, Gathered, Judged, Priced, PublicZone, Session, Waiting,
};
use landfall_platform::native::{Api, Secrets};
use landfall_platform::removal::{Removal, Target};

/// The edge of AWS.
#[derive(Clone, Copy, Debug)]
pub struct AwsCloud;

/// The edge, for the platform.
pub static CLOUD: AwsCloud = AwsCloud;

/// What a user is asked, with the region of the user's profile.
pub static SURVEY: AwsSurvey = AwsSurvey { profile_region: profiles::region };

/// Platform `aws` with this edge, for the list of platforms.
pub static PLATFORM: Aws = Aws::with_edge(Edge { cloud: &CLOUD, survey: &SURVEY });

impl Cloud for AwsCloud {
    fn session<'a>(&self, asking: Asking<'a>) -> Box<dyn Session + 'a> {
        Box::new(session::Session::new(asking))
    }

    fn removal<'a>(&self, asking: Asking<'a>, target: &'a Target) -> Box<dyn Removal + 'a> {
        Box::new(removal::AwsRemoval::new(asking, target))
    }
}

impl Session for session::Session<'_> {
    fn foundations(&self) -> Vec<Check<'_>> {
        let mut all = reach::checks(self);
        all.extend(credentials::checks(self));
        all
    }

    fn checks(&self) -> Vec<Check<'_>> {
        checks::checks(self)
    }

    fn facts(&self) -> Waiting<'_, Gathered> {
        Box::pin(async move {
            let gathered = gather::gather(self).await;
            if gathered.gaps.is_empty() {
                checks::look_ahead(self).await;
            }
            gathered
        })
    }

    fn judged(&self) -> &'static [Judged] {
        judged::JUDGED
    }

    fn checks_of_plan<'s>(&'s self, plan: &'s Plan) -> Vec<Check<'s>> {
        checks::of_plan(self, plan)
    }

    fn checks_without_plan(&self) -> Vec<(String, String)> {
        checks::without_plan()
    }

    fn public_zones(&self) -> Waiting<'_, Asked<Vec<PublicZone>>> {
        Box::pin(zones::public(self))
    }

    fn prices<'s>(&'s self, keys: &'s [PriceKey]) -> Waiting<'s, Asked<Priced>> {
        Box::pin(prices::prices(self, keys))
    }

    fn adopt<'s>(&'s self, plan: &'s Plan) -> Waiting<'s, Asked<Vec<String>>> {
        Box::pin(adopt::adopt(self, plan))
    }

    fn engine<'s>(&'s self, infra_id: &'s str, stage: &'s str) -> Waiting<'s, Asked<EngineNeeds>> {
        Box::pin(engine::needs(self, infra_id, stage))
    }

    fn api<'s>(&'s self, infra_id: &'s str, secrets: &'s Secrets) -> Option<Box<dyn Api + 's>> {
        Some(Box::new(resources::Resources::new(self, infra_id, secrets)))
    }
}
