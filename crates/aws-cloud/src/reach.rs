//! Whether what an installation calls can be reached: trust roots, and every endpoint step by step.

use std::time::Duration;

use futures::future::join_all;
use landfall_diagnostics::{Code, Finding, Kind, shortened};
use landfall_net::{BUNDLE, Broken, Probe, Reply, finding_of_trust};
use landfall_platform::cloud::{Answer, Check, Unready};

use super::endpoints::{self, Endpoint, Origin, Service, Unusable};
use super::session::Session;
use super::{identity, pages};
use landfall_aws::rules::{missing_endpoints, strange_name};

/// What is to be seen at the endpoint of a service.
#[derive(Debug)]
pub(super) enum Reached {
    /// Nobody says where it is.
    Nowhere(String),
    /// What is said cannot be used.
    Unusable(Unusable),
    /// Where it is, and what was seen there.
    Seen(Endpoint, Box<Probe>),
}

impl Reached {
    /// Whether something may answer another time: the network failed, and nothing is wrong with the endpoint.
    pub(super) fn may_pass(&self) -> bool {
        self.failed_by(landfall_net::Sort::may_pass)
    }

    /// Whether the look at the endpoint failed, with a fault of one of these sorts.
    fn failed_by(&self, sort: impl Fn(landfall_net::Sort) -> bool) -> bool {
        match self {
            Self::Seen(_, probe) => probe.answer.as_ref().is_err_and(|broken| sort(broken.sort)),
            Self::Nowhere(_) | Self::Unusable(_) => false,
        }
    }

    /// The endpoint, if something answers there.
    pub(super) fn endpoint(&self, session: &Session<'_>, service: Service) -> Result<&Endpoint, Unready> {
        let name = service.name();
        let finding = match self {
            Self::Nowhere(why) => return Err(Unready(why.clone())),
            Self::Unusable(unusable) => finding_of_unusable(name, session.region(), unusable),
            Self::Seen(endpoint, probe) => match &probe.answer {
                Ok(_) => return Ok(endpoint),
                Err(broken) => finding_of_broken(service.title(), endpoint, broken),
            },
        };
        if session.asking.checked && names(session).contains(&name) {
            return Err(Unready(format!("the endpoint of {name} cannot be used: see aws.endpoint.{name}")));
        }
        Err(Unready::found("", &finding))
    }
}

/// Looks at the endpoint of a service.
pub(super) async fn reach(session: &Session<'_>, service: Service) -> Reached {
    reach_named(session, service.name()).await
}

/// Looks at the endpoint of a service that landfall may not know.
async fn reach_named(session: &Session<'_>, name: &str) -> Reached {
    match endpoints::endpoint(session, name).await {
        Ok(Some(endpoint)) => {
            let probe = look(session, &endpoint).await;
            Reached::Seen(endpoint, Box::new(probe))
        }
        Ok(None) => Reached::Nowhere(nowhere(session, name)),
        Err(unusable) => Reached::Unusable(unusable),
    }
}

fn nowhere(session: &Session<'_>, name: &str) -> String {
    let (name, region) = (shortened(name), shortened(session.region()));
    match session.asking.catalogue.aws.partition_of(session.region()) {
        None => format!("no endpoint is given for {name}, and {region} is in no known partition"),
        Some((partition, _)) => {
            format!("no endpoint is given for {name}, and none is known in partition {partition}")
        }
    }
}

/// How often an endpoint is looked at whose connections end without an answer.
const LOOKS: u32 = 4;
/// The pause before the second look; each later one is twice as long.
const PAUSE: Duration = Duration::from_millis(200);

/// What is to be seen at an endpoint. A connection that ends without an answer proves little, and is known at once.
pub(super) async fn look(session: &Session<'_>, endpoint: &Endpoint) -> Probe {
    let limit = session.asking.patience.connect;
    let mut looks = 1;
    loop {
        let permit = session.concurrency().take().await;
        let probe = landfall_net::probe(&endpoint.url, session.trust(), session.proxies(), limit).await;
        drop(permit);
        let is_closed = probe.answer.as_ref().is_err_and(|broken| broken.sort == landfall_net::Sort::Closed);
        if !is_closed || looks == LOOKS {
            return probe;
        }
        tokio::time::sleep(PAUSE * 2u32.pow(looks - 1)).await;
        looks += 1;
    }
}

/// The services whose endpoints are checked: those that every installation calls, and those of the config.
fn names<'s>(session: &'s Session<'_>) -> Vec<&'s str> {
    let required = session.asking.catalogue.aws.required_services(session.region()).iter();
    let mut names: Vec<&str> = required.map(String::as_str).collect();
    for endpoint in &session.platform.service_endpoints {
        if !names.contains(&endpoint.name.as_str()) {
            names.push(&endpoint.name);
        }
    }
    names
}

/// The checks of trust roots and endpoints.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let bundle = if session.asking.config.additional_trust_bundle.is_empty() { "" } else { BUNDLE };
    let mut checks = vec![Check::new("aws.trust", bundle, async move { trust(session) })];
    for name in names(session) {
        let custom = endpoints::custom(session.platform, name);
        let field = custom.map_or(Origin::Sdk, |(i, _)| Origin::Config(i)).field();
        let id = format!("aws.endpoint.{}", shortened(name));
        checks.push(match Service::named(name) {
            Some(service) => Check::new(id, field, known(session, service)),
            None => Check::new(id, field, unknown(session, name)),
        });
    }
    checks
}

fn trust(session: &Session<'_>) -> Answer {
    let trust = session.trust();
    let answer = match trust.faults() {
        [] => Answer::passed(trust.sentence()),
        faults => Answer::found(finding_of_trust(&pages::TRUST, faults)),
    };
    answer.with("sources", trust.evidence())
}

/// The check of a service that landfall calls.
async fn known(session: &Session<'_>, service: Service) -> Answer {
    let reached = session.reached(service).await;
    let reply = match replied(session, service.name(), service.title(), &reached) {
        Ok(reply) => reply,
        Err(_) if is_guess(session, &reached) => {
            let region = shortened(session.region());
            let why = format!("the region {region} is not known: see aws.region.endpoints");
            return seen(&reached, Answer::skipped(why));
        }
        Err(answer) => {
            let first = if name_failed(&reached) { unresolved(session).await } else { None };
            return seen(&reached, first.map_or(answer, |first| without_names(first, Some(service))));
        }
    };
    let asked = Box::pin(identity::ask(session, service)).await;
    let answer = match &*reached {
        Reached::Seen(endpoint, _) => identity::judge(service, endpoint, reply, asked),
        Reached::Nowhere(_) | Reached::Unusable(_) => Answer::skipped("there is no endpoint"),
    };
    seen(&reached, answer)
}

/// Whether the SDK made the endpoint from the name of an unknown region, and the host does not resolve. The check of
/// the region reports that once.
fn is_guess(session: &Session<'_>, reached: &Reached) -> bool {
    let of_name = |sort| matches!(sort, landfall_net::Sort::NameUnknown | landfall_net::Sort::NameFailed);
    let of_sdk = matches!(reached, Reached::Seen(endpoint, _) if endpoint.origin == Origin::Sdk);
    let is_unknown = !missing_endpoints(session.asking.catalogue, session.platform).is_empty();
    is_unknown && of_sdk && reached.failed_by(of_name)
}

/// Whether the name servers know nothing of the endpoint's host, or do not answer.
fn name_failed(reached: &Reached) -> bool {
    reached.failed_by(|sort| matches!(sort, landfall_net::Sort::NameFailed | landfall_net::Sort::NameUnknown))
}

/// Where this machine cannot resolve the host of any endpoint that is checked: the first of them, which reports that for
/// all. Endpoints without a name say nothing of name servers.
async fn unresolved(session: &Session<'_>) -> Option<Service> {
    let services: Vec<Service> = names(session).into_iter().filter_map(Service::named).collect();
    let all = join_all(services.iter().map(|service| session.reached(*service))).await;
    let named: Vec<(Service, bool)> = services
        .into_iter()
        .zip(&all)
        .filter(|(_, reached)| has_name(reached))
        .map(|(service, reached)| (service, name_failed(reached)))
        .collect();
    match named[..] {
        [(first, _), _, ..] if named.iter().all(|(_, failed)| *failed) => Some(first),
        _ => None,
    }
}

/// Whether the host of an endpoint is a name that has to be resolved.
fn has_name(reached: &Reached) -> bool {
    let Reached::Seen(endpoint, _) = reached else { return false };
    matches!(endpoint.url.host(), Some(url::Host::Domain(_)))
}

/// What the first of the services reports for all of them.
fn without_names(first: Service, service: Option<Service>) -> Answer {
    if Some(first) != service {
        let name = first.name();
        return Answer::skipped(format!("this machine cannot resolve names: see aws.endpoint.{name}"));
    }
    let message = "this machine cannot resolve names: no host of any endpoint resolves";
    let finding = Finding::error(&pages::UNREACHABLE, Kind::Invalid, "", message);
    Answer::found(finding.help(
        "connect the network or VPN of this machine, and check its name servers and the hosts of \
         serviceEndpoints",
    ))
}

/// The check of a service that others call.
async fn unknown(session: &Session<'_>, name: &str) -> Answer {
    let custom = endpoints::custom(session.platform, name);
    if let Some(finding) = custom.and_then(|(i, _)| strange_name(session.asking.catalogue, i, name)) {
        // Planning tells what it refuses.
        if finding.is_error() {
            return Answer::skipped("invalid service name: see plan");
        }
        return Answer::found(finding);
    }
    let reached = Box::pin(reach_named(session, name)).await;
    let answer = match (replied(session, name, name, &reached), &reached) {
        (Ok(reply), Reached::Seen(endpoint, _)) => identity::judge_unsigned(endpoint, reply, None),
        (Ok(_), _) => Answer::skipped("there is no endpoint"),
        (Err(answer), reached) => {
            let first = if name_failed(reached) { unresolved(session).await } else { None };
            first.map_or(answer, |first| without_names(first, None))
        }
    };
    seen(&reached, answer)
}

/// What an endpoint answered to a request that nobody signed, or what to say where nothing did.
fn replied<'r>(
    session: &Session<'_>,
    name: &str,
    title: &str,
    reached: &'r Reached,
) -> Result<&'r Reply, Answer> {
    match reached {
        Reached::Nowhere(why) => Err(Answer::skipped(why.clone())),
        // Planning tells what it refuses.
        Reached::Unusable(
            Unusable::NoUrl(Origin::Config(_), text) | Unusable::NoHttp(Origin::Config(_), text),
        ) if is_refused(text) => Err(Answer::skipped("invalid endpoint: see plan")),
        Reached::Unusable(unusable) => {
            Err(Answer::found(finding_of_unusable(name, session.region(), unusable)))
        }
        Reached::Seen(endpoint, probe) => {
            let broken = |broken| Answer::found(finding_of_broken(title, endpoint, broken));
            probe.answer.as_ref().map_err(broken)
        }
    }
}

/// Whether planning refuses this URL of the config although it is read.
fn is_refused(url: &str) -> bool {
    landfall_rules::endpoint::Endpoint::of_service(url).is_ok_and(|endpoint| endpoint.obstacle().is_some())
}

/// The answer with what was seen of the endpoint.
fn seen(reached: &Reached, answer: Answer) -> Answer {
    let Reached::Seen(endpoint, probe) = reached else {
        return answer;
    };
    let mut answer = answer;
    for (name, value) in probe.evidence() {
        answer.evidence.insert(name, value);
    }
    answer.with("source", endpoint.origin.name()).with("signingRegion", endpoint.signing_region.clone())
}

fn finding_of_unusable(name: &str, region: &str, unusable: &Unusable) -> Finding {
    let name = shortened(name);
    let wrong = |origin: &Origin, text: &str, fault: &str| {
        let (who, text) = (origin.name(), shortened(text));
        let message = format!("{who} has `{text}` as the endpoint of {name}, which {fault}");
        Finding::error(&pages::URL, Kind::Invalid, origin.field(), message)
            .help("write https:// and a host, such as https://ec2.us-hidden-1.example.com")
    };
    match unusable {
        Unusable::NoUrl(origin, text) => wrong(origin, text, "is not a URL"),
        Unusable::NoHttp(origin, text) => wrong(origin, text, "does not begin with http:// or https://"),
        Unusable::Refused(why) => {
            let region = shortened(region);
            let message = format!("AWS has no endpoint of {name} in {region}: {}", shortened(why));
            Finding::error(&pages::URL, Kind::Invalid, Origin::Sdk.field(), message).help(
                "AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT select special endpoints; unset \
                 them, or set the endpoint in serviceEndpoints",
            )
        }
    }
}

fn finding_of_broken(title: &str, endpoint: &Endpoint, broken: &Broken) -> Finding {
    let message =
        format!("the endpoint `{}` of {} cannot be used: {}", endpoint.shown(), shortened(title), broken.why);
    let help = match endpoint.origin {
        Origin::Environment => format!("{}; the endpoint comes from {}", broken.help, endpoint.origin.name()),
        _ => broken.help.clone(),
    };
    let kind = if broken.sort == landfall_net::Sort::Closed { Kind::InternalError } else { Kind::Invalid };
    Finding::error(code_of(broken.sort), kind, endpoint.origin.field(), message).help(help)
}

fn code_of(sort: landfall_net::Sort) -> &'static Code {
    if sort.is_of_tls() { &pages::TLS } else { &pages::UNREACHABLE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_net::{Step, TrustFault};

    fn endpoint(origin: Origin) -> Option<Endpoint> {
        let url = endpoints::parse("https://ec2.example.com")?;
        Some(Endpoint { url, signing_region: "xx-hidden-1".to_owned(), origin })
    }

    fn broken(sort: landfall_net::Sort, why: &str) -> Broken {
        Broken { step: Step::Connect, sort, why: why.to_owned(), help: "look there".to_owned() }
    }

    #[test]
    fn what_is_broken_is_said_at_the_endpoint() {
        let refused = broken(landfall_net::Sort::Refused, "connection refused");
        let finding = endpoint(Origin::Config(3)).map(|at| finding_of_broken("EC2", &at, &refused));
        let message = finding.as_ref().map(|finding| finding.message.clone()).unwrap_or_default();
        for part in ["`https://ec2.example.com`", "EC2", "connection refused"] {
            assert!(message.contains(part), "{message}");
        }
        let found = finding.map(|f| (f.code.as_str(), f.field, f.help));
        let field = "platform.aws.serviceEndpoints[3].url".to_owned();
        assert_eq!(found, Some(("LF1012", field, Some("look there".to_owned()))));
        let expired = broken(landfall_net::Sort::Expired, "certificate expired on 2024-01-02");
        let finding = endpoint(Origin::Environment).map(|at| finding_of_broken("EC2", &at, &expired));
        let help = finding.as_ref().and_then(|finding| finding.help.clone()).unwrap_or_default();
        assert!(help.starts_with("look there") && help.contains("environment"), "{help}");
        let found = finding.map(|f| (f.code.as_str(), f.field));
        assert_eq!(found, Some(("LF1013", "platform.aws.region".to_owned())));
    }

    #[test]
    fn a_wrong_bundle_is_said_at_its_field() {
        let fault = |name: &str| TrustFault { name: name.to_owned(), why: "no certificate".to_owned() };
        let environment = finding_of_trust(&pages::TRUST, &[fault("AWS_CA_BUNDLE (/ca.pem)")]);
        assert_eq!((environment.code.as_str(), environment.field.as_str()), ("LF1010", ""));
        assert_eq!(environment.message, "AWS_CA_BUNDLE (/ca.pem): no certificate");
        let both = finding_of_trust(&pages::TRUST, &[fault("AWS_CA_BUNDLE (/ca.pem)"), fault(BUNDLE)]);
        assert_eq!((both.code.as_str(), both.field.as_str()), ("LF1010", BUNDLE));
    }

    #[test]
    fn what_is_no_endpoint_is_said_where_it_stands() {
        let region = "platform.aws.region";
        let cases = [
            (Unusable::NoUrl(Origin::Environment, "nonsense".to_owned()), region, ["`nonsense`", "ec2"]),
            (
                Unusable::NoHttp(Origin::Config(0), "nonsense://x".to_owned()),
                "platform.aws.serviceEndpoints[0].url",
                ["`nonsense://x`", "ec2"],
            ),
            (Unusable::Refused("no FIPS".to_owned()), region, ["us-east-1", "no FIPS"]),
        ];
        for (unusable, field, parts) in cases {
            let finding = finding_of_unusable("ec2", "us-east-1", &unusable);
            assert_eq!((finding.code.as_str(), finding.field.as_str()), ("LF1011", field), "{finding:?}");
            assert!(parts.iter().all(|part| finding.message.contains(part)), "{finding:?}");
        }
    }
}
