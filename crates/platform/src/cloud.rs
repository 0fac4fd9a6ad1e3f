//! What a platform's edge is to the rest: something that can be asked about one install config.
//!
//! The values in here are plain and the futures do nothing by themselves; whoever runs them is an edge.

use std::pin::Pin;
use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Secret;
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_model::facts::Facts;
use landfall_model::plan::{Engine, Plan};
use landfall_model::prices::{Price, PriceKey};
use serde_json::{Map, Value};

use crate::World;
use crate::native::{Api, Secrets};
use crate::removal::{Removal, Target};

/// Work that waits for a cloud.
pub type Waiting<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What was seen, by name: for people who want to know why, and for machines.
pub type Evidence = Map<String, Value>;

impl Asking<'_> {
    /// The check that tells more of what is wrong, where checks do.
    #[must_use]
    pub fn check<'c>(&self, check: &'c str) -> Option<&'c str> {
        self.checked.then_some(check)
    }
}

/// What a cloud is asked for, and with what.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// The completed config.
    pub config: &'a InstallConfig,
    /// The config as it was given.
    pub given: &'a InstallConfig,
    /// What is known of all clouds.
    pub catalogue: &'a Catalogue,
    /// The OpenShift release.
    pub release: &'a str,
    /// Whether the cluster's infrastructure may stand already.
    pub installed: bool,
    /// Names of DNS records that earlier runs from this directory created, in lower case.
    pub own_records: &'a [String],
    /// Whether checks say what is wrong with endpoints and credentials. Where they do not, whoever asks in
    /// vain says it.
    pub checked: bool,
    /// What makes the cluster's infrastructure.
    pub engine: Engine,
    /// Where credentials, proxies and trust roots are found.
    pub world: &'a (dyn World + Sync),
    /// How long to wait.
    pub patience: Patience,
}

/// How long to wait, and for how much at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For a connection: name, TCP, TLS, and the first answer.
    pub connect: Duration,
    /// For one call with all its repetitions.
    pub call: Duration,
    /// Maximum number of parallel requests.
    pub at_once: usize,
}

/// The edge of a platform.
pub trait Cloud: Sync {
    /// Begins to ask. Nothing is called before one of the session's futures runs.
    fn session<'a>(&self, asking: Asking<'a>) -> Box<dyn Session + 'a>;

    /// Begins to remove a cluster. Nothing is called before one of the removal's futures runs.
    fn removal<'a>(&self, asking: Asking<'a>, target: &'a Target) -> Box<dyn Removal + 'a>;
}

/// Questions to one cloud about one config. Each is put once, however many checks wait for the answer.
pub trait Session: Send + Sync {
    /// The checks of what all else rests on: trust, endpoints, credentials. Where facts cannot be gathered,
    /// they say why.
    fn foundations(&self) -> Vec<Check<'_>>;

    /// The other checks that need no plan.
    fn checks(&self) -> Vec<Check<'_>>;

    /// All facts that planning needs.
    fn facts(&self) -> Waiting<'_, Gathered>;

    /// What planning judges of the facts, as checks.
    fn judged(&self) -> &'static [Judged];

    /// The checks of what the plan uses, such as quotas.
    fn checks_of_plan<'s>(&'s self, plan: &'s Plan) -> Vec<Check<'s>>;

    /// The checks that would be made of a plan if there were one: id and field.
    fn checks_without_plan(&self) -> Vec<(String, String)>;

    /// The public zones that the caller may put a cluster's names in, sorted by domain. Needs nothing of the
    /// config but the platform's section.
    fn public_zones(&self) -> Waiting<'_, Asked<Vec<PublicZone>>>;

    /// Marks what the user brought as shared with this cluster, before anything is made; the sentences say
    /// what was marked. Safe to repeat (`assets.md`, C.1).
    fn adopt<'s>(&'s self, plan: &'s Plan) -> Waiting<'s, Asked<Vec<String>>>;

    /// What the engine needs in its environment for a stage, beside what landfall itself was given.
    fn engine<'s>(&'s self, infra_id: &'s str, stage: &'s str) -> Waiting<'s, Asked<EngineNeeds>>;

    /// The prices of these keys in the config's region, as far as the cloud publishes them.
    fn prices<'s>(&'s self, _keys: &'s [PriceKey]) -> Waiting<'s, Asked<Priced>> {
        let why = "landfall cannot query the prices of this platform".to_owned();
        Box::pin(std::future::ready(Err(Verdict::Skipped(why))))
    }

    /// The calls that find and create the resources of a cluster; none where landfall has none for the cloud.
    fn api<'s>(&'s self, _infra_id: &'s str, _secrets: &'s Secrets) -> Option<Box<dyn Api + 's>> {
        None
    }
}

/// Prices, as far as a cloud publishes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Priced {
    /// Currency.
    pub currency: String,
    /// Where they come from, for people.
    pub source: String,
    /// The prices, in the order of their keys.
    pub prices: Vec<Price>,
    /// What has no price, and why.
    pub gaps: Vec<(PriceKey, String)>,
}

/// A public DNS zone of the account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicZone {
    /// Its domain, without a trailing dot.
    pub domain: String,
    /// The resource group that holds it, where the platform has such groups.
    pub group: Option<String>,
}

/// What an engine needs in its environment. Nothing in here is ever shown.
#[derive(Debug, Default)]
pub struct EngineNeeds {
    /// Variables and their values.
    pub variables: Vec<(&'static str, Secret<String>)>,
    /// Variables that name a file, and the file's bytes.
    pub files: Vec<(&'static str, Secret<Vec<u8>>)>,
}

/// One question to the cloud.
pub struct Check<'a> {
    /// Name, unique in a run, such as `aws.endpoint.ec2`.
    pub id: String,
    /// The field of the config that the question is about.
    pub field: String,
    /// Asks it.
    pub run: Waiting<'a, Answer>,
}

/// A check whose work may end early with an answer.
pub fn check<'a>(
    id: impl Into<String>,
    field: impl Into<String>,
    run: impl Future<Output = Result<Answer, Answer>> + Send + 'a,
) -> Check<'a> {
    Check::new(id, field, async move { run.await.unwrap_or_else(|answer| answer) })
}

impl std::fmt::Debug for Check<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check").field("id", &self.id).field("field", &self.field).finish_non_exhaustive()
    }
}

impl<'a> Check<'a> {
    /// A check with the work that answers it.
    pub fn new(
        id: impl Into<String>,
        field: impl Into<String>,
        run: impl Future<Output = Answer> + Send + 'a,
    ) -> Self {
        Self { id: id.into(), field: field.into(), run: Box::pin(run) }
    }
}

/// What came of a check.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Whether all is well.
    pub verdict: Verdict,
    /// What was seen.
    pub evidence: Evidence,
}

/// Whether all is well.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It is; the sentence says what was found, without a full stop.
    Passed(String),
    /// It is not; an error fails the run, a warning does not.
    Found(Box<Finding>),
    /// Nobody knows; the sentence says why not.
    Skipped(String),
    /// The same, and the cloud may answer another time.
    Unanswered(String),
}

impl Answer {
    /// All is well.
    pub fn passed(what: impl Into<String>) -> Self {
        Self { verdict: Verdict::Passed(what.into()), evidence: Evidence::new() }
    }

    /// Something is to be said.
    #[must_use]
    pub fn found(finding: Finding) -> Self {
        Self { verdict: Verdict::Found(Box::new(finding)), evidence: Evidence::new() }
    }

    /// The check could not be made.
    pub fn skipped(why: impl Into<String>) -> Self {
        Self { verdict: Verdict::Skipped(why.into()), evidence: Evidence::new() }
    }

    /// Adds what was seen. Nothing secret may be in it.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.evidence.insert(name.to_owned(), value.into());
        self
    }

    /// Adds what is known of a call that failed: the call, the code of the response, and the ID of the request under
    /// the key that it has with this cloud.
    #[must_use]
    pub fn with_call(self, call: &str, code: Option<&str>, (key, id): (&str, Option<&str>)) -> Self {
        let seen = [("call", Some(call)), ("code", code), (key, id)];
        let seen = seen.into_iter().filter_map(|(name, value)| Some((name, value?)));
        seen.fold(self, |answer, (name, value)| answer.with(name, value))
    }
}

/// Skips a check as something that it rests on is not there; the reason is told elsewhere as well, or is of
/// no weight for the installation.
#[must_use]
pub fn skipped(what: &str, why: &Verdict) -> Answer {
    let why = match why {
        Verdict::Found(finding) => finding.message.as_str(),
        Verdict::Skipped(why) | Verdict::Unanswered(why) | Verdict::Passed(why) => why.as_str(),
    };
    Answer::skipped(format!("{what}: {why}"))
}

/// Why a question was not put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unready(pub String);

impl Unready {
    /// That something is missing: what the finding says, unless a `check` tells of it. A check that was
    /// skipped has its reason told on.
    #[must_use]
    pub fn of(answer: &Answer, what: &str, check: Option<&str>) -> Self {
        match (&answer.verdict, check) {
            (Verdict::Skipped(why) | Verdict::Unanswered(why), _) => Self(why.clone()),
            (Verdict::Found(finding), None) => Self::found(what, finding),
            (_, Some(check)) => Self(format!("{what}: see {check}")),
            (Verdict::Passed(_), None) => Self(what.to_owned()),
        }
    }

    /// That something is missing as a finding says, with what to do about it. Without `what`, the finding
    /// says that too.
    #[must_use]
    pub fn found(what: &str, finding: &Finding) -> Self {
        let what = if what.is_empty() { String::new() } else { format!("{what}: ") };
        let help = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        Self(format!("{what}{}{help}", finding.message))
    }
}

impl From<Unready> for Answer {
    fn from(unready: Unready) -> Self {
        Self::skipped(unready.0)
    }
}

impl From<Unready> for Verdict {
    fn from(unready: Unready) -> Self {
        Self::Skipped(unready.0)
    }
}

/// What was asked for, or why it is not known.
pub type Asked<T> = Result<T, Verdict>;

/// The answer to a question, or nothing and a gap that says why.
pub fn take<T: Clone + Default>(part: &'static str, asked: &Asked<T>, gaps: &mut Vec<Gap>) -> T {
    match asked {
        Ok(answer) => answer.clone(),
        Err(why) => {
            gaps.push(Gap { part, why: why.clone() });
            T::default()
        }
    }
}

/// The facts, as far as the cloud gave them.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// The facts.
    pub facts: Facts,
    /// What is not in them.
    pub gaps: Vec<Gap>,
}

/// A part of the facts that could not be gathered.
#[derive(Clone, Debug)]
pub struct Gap {
    /// Name of the part.
    pub part: &'static str,
    /// Why: a finding or the reason for which nobody asked.
    pub why: Verdict,
}

/// A subject on which planning judges facts.
pub struct Judged {
    /// Id of the check.
    pub id: &'static str,
    /// The field that it is about.
    pub field: &'static str,
    /// Parts of the facts without which nothing can be said; the first one's gap is told here.
    pub parts: &'static [&'static str],
    /// Codes of the findings.
    pub codes: &'static [&'static str],
    /// What was found where planning has nothing to say, and what was seen; none where the config does not
    /// have the subject.
    pub passed: fn(&InstallConfig, &Facts) -> Option<Answer>,
}

/// Lists subjects, each as `ID at FIELD needs [PARTS] => PASSED, [CODES];`: see [`Judged`](crate::cloud::Judged).
#[macro_export]
macro_rules! judged {
    ($($id:literal at $field:literal needs [$($part:literal),*] => $passed:expr, [$($code:literal),*];)*) => {
        &[$($crate::cloud::Judged {
            id: $id,
            field: $field,
            parts: &[$($part),*],
            codes: &[$($code),*],
            passed: $passed,
        }),*]
    };
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn a_check_can_end_early() {
        let early = check("moon.x", "x", async { Err(Answer::skipped("no endpoint")) });
        let answer = early.run.now_or_never().map(|answer| answer.verdict);
        assert!(matches!(answer, Some(Verdict::Skipped(why)) if why == "no endpoint"));
    }

    #[test]
    fn the_reason_of_a_skip_is_told() {
        let answer = skipped("not proven", &Verdict::Skipped("nobody knows".to_owned()));
        assert!(matches!(answer.verdict, Verdict::Skipped(why) if why == "not proven: nobody knows"));
    }

    #[test]
    fn what_is_not_there_leaves_its_field_empty_and_a_gap() {
        let mut gaps = Vec::new();
        assert_eq!(take("zones", &Ok(vec![1]), &mut gaps), [1]);
        assert!(gaps.is_empty());
        let why: Asked<Vec<u8>> = Err(Verdict::Skipped("the endpoint is dead".to_owned()));
        assert_eq!(take("zones", &why, &mut gaps), Vec::<u8>::new());
        let told: Vec<(&str, bool)> =
            gaps.iter().map(|gap| (gap.part, matches!(gap.why, Verdict::Skipped(_)))).collect();
        assert_eq!(told, [("zones", true)]);
    }
}
