//! What is asked of the cloud before something is created.

use landfall_diagnostics::{Code, Finding, Kind};
use landfall_model::plan::Plan;
use landfall_model::toy::facts::Facts;
use landfall_platform::cloud::{
    Answer, Asked, Asking, Check, Cloud, EngineNeeds, Gap, Gathered, Judged, PublicZone, Session, Verdict,
    Waiting,
};
use landfall_platform::native::{Api, Secrets};
use landfall_platform::removal::{Removal, Target};

use crate::account::Account;
use crate::create::Create;
use crate::remove::Remove;
use crate::{plan, resources};

const UNREACHABLE: Code = Code::new("LF9904");
const QUOTA: Code = Code::new("LF9905");

/// The edge of the toy cloud.
#[derive(Clone, Copy, Debug)]
pub struct ToyCloud;

/// The edge, for the platform.
pub static CLOUD: ToyCloud = ToyCloud;

impl Cloud for ToyCloud {
    fn session<'a>(&self, asking: Asking<'a>) -> Box<dyn Session + 'a> {
        let account = Account::of(asking.world, asking.config);
        Box::new(Toy { asking, account })
    }

    fn removal<'a>(&self, asking: Asking<'a>, target: &'a Target) -> Box<dyn Removal + 'a> {
        Box::new(Remove { account: Account::of(asking.world, asking.config), target })
    }
}

/// Questions about one config.
struct Toy<'a> {
    asking: Asking<'a>,
    account: Account,
}

/// That the cloud did not answer.
pub(super) fn unreachable(why: &str) -> Finding {
    let message = format!("the toy cloud does not answer: {why}");
    Finding::error(&UNREACHABLE, Kind::Invalid, "platform.toy", message)
        .help("set TOY_CLOUD to the file of the cloud")
}

impl Session for Toy<'_> {
    fn foundations(&self) -> Vec<Check<'_>> {
        vec![Check::new("toy.account", "platform.toy", async {
            match self.account.read() {
                Ok(content) => Answer::passed(format!("the account is {}", content.account)),
                Err(why) => Answer::found(unreachable(&why)),
            }
        })]
    }

    fn checks(&self) -> Vec<Check<'_>> {
        Vec::new()
    }

    fn facts(&self) -> Waiting<'_, Gathered> {
        Box::pin(async move {
            let Some(section) = &self.asking.config.platform.toy else { return Gathered::default() };
            let mut gathered = Gathered::default();
            match self.account.read() {
                Ok(content) => {
                    gathered.facts.toy = Some(Facts {
                        account: content.account,
                        machine_limit: u32::try_from(content.machine_limit).unwrap_or(u32::MAX),
                        ..plan::known(section, &self.asking.catalogue.toy)
                    });
                }
                Err(why) => {
                    let why = Verdict::Found(Box::new(unreachable(&why)));
                    gathered.gaps.push(Gap { part: "account", why });
                }
            }
            gathered
        })
    }

    fn judged(&self) -> &'static [Judged] {
        &[]
    }

    fn checks_of_plan<'s>(&'s self, plan: &'s Plan) -> Vec<Check<'s>> {
        let wanted = resources::machines(plan);
        vec![Check::new("toy.quota.machines", "controlPlane.replicas", async move {
            let content = match self.account.read() {
                Ok(content) => content,
                Err(why) => return Answer::found(unreachable(&why)),
            };
            let (limit, id) = (content.machine_limit, &plan.identity.infra_id);
            let others = content.resources.values().filter(|held| resources::is_machine(&held.kind));
            let others = others.filter(|held| held.cluster != *id).count();
            if others + wanted <= limit {
                return Answer::passed(format!("{wanted} of {} machines", limit - others));
            }
            let message =
                format!("the cluster needs {wanted} machines; {others} of {limit} are in use by others");
            Answer::found(Finding::error(&QUOTA, Kind::Invalid, "controlPlane.replicas", message))
        })]
    }

    fn checks_without_plan(&self) -> Vec<(String, String)> {
        vec![("toy.quota.machines".to_owned(), "controlPlane.replicas".to_owned())]
    }

    fn public_zones(&self) -> Waiting<'_, Asked<Vec<PublicZone>>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn adopt<'s>(&'s self, _: &'s Plan) -> Waiting<'s, Asked<Vec<String>>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn engine<'s>(&'s self, _: &'s str, _: &'s str) -> Waiting<'s, Asked<EngineNeeds>> {
        Box::pin(async { Ok(EngineNeeds::default()) })
    }

    fn api<'s>(&'s self, infra_id: &'s str, _: &'s Secrets) -> Option<Box<dyn Api + 's>> {
        Some(Box::new(Create { account: &self.account, infra_id }))
    }
}
