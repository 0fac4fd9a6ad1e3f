//! Whether a cloud can be reached: trust roots, its resource manager and its authority, step by step, and
//! whether these are what answers.

use std::time::Duration;

use landfall_diagnostics::{Code, Finding, Kind, shortened};
use landfall_net::{BUNDLE, Broken, Reply, finding_of_trust};
use landfall_platform::cloud::{Answer, Check, Unready, Verdict};
use serde_json::Value;
use tokio::time::sleep;
use url::Url;

use super::api_versions::Api;
use super::session::Session;
use super::{environment, pages};

/// The tenant that stands for all of them, where none is named.
const ANY_TENANT: &str = "common";

/// Something that must be reached.
struct Role {
    /// Id of its check.
    check: &'static str,
    /// What people call it.
    title: &'static str,
    /// Whether an answer is one of its answers.
    answers: fn(&Reply) -> bool,
}

const MANAGER: Role =
    Role { check: "azure.endpoint.resource-manager", title: "the resource manager", answers: is_manager };
const AUTHORITY: Role =
    Role { check: "azure.endpoint.authority", title: "the authority", answers: is_authority };

/// What is to be seen at an endpoint.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    check: &'static str,
    title: &'static str,
    answer: Answer,
    /// Whether its host does not resolve.
    unresolved: bool,
}

impl Reached {
    fn of(role: &Role, answer: Answer) -> Self {
        Self { check: role.check, title: role.title, answer, unresolved: false }
    }

    /// Whether its host has a name that does not resolve.
    pub(super) fn is_unresolved(&self) -> bool {
        self.unresolved
    }

    /// Whether it can be asked anything.
    pub(super) fn usable(&self, session: &Session<'_>) -> Result<(), Unready> {
        match &self.answer.verdict {
            Verdict::Passed(_) => Ok(()),
            Verdict::Skipped(_) | Verdict::Unanswered(_) | Verdict::Found(_) => {
                let what = format!("{} cannot be used", self.title);
                Err(Unready::of(&self.answer, &what, session.asking.check(self.check)))
            }
        }
    }
}

/// Looks at the resource manager. Without a token it says that it wants one.
pub(super) async fn manager(session: &Session<'_>) -> Reached {
    let url = match environment::manager(session) {
        Ok(url) => url,
        Err(answer) => return Reached::of(&MANAGER, answer),
    };
    let hybrid = environment::is_hub(session);
    let mut asked = url.clone();
    asked.set_path(&format!("{}/subscriptions", url.path().trim_end_matches('/')));
    asked.query_pairs_mut().append_pair("api-version", Api::SUBSCRIPTIONS.version(hybrid));
    look(session, &MANAGER, &url, &asked).await
}

/// Looks at the authority, which describes itself to everybody.
pub(super) async fn authority(session: &Session<'_>) -> Reached {
    let environment = match session.environment().await {
        Ok(environment) => environment,
        Err(unready) => return Reached::of(&AUTHORITY, unready.into()),
    };
    let tenant = session.given().tenant.as_str();
    let tenant = if tenant.is_empty() { ANY_TENANT } else { tenant };
    let asked = environment.openid_configuration(tenant);
    let reached = look(session, &AUTHORITY, &environment.authority, &asked).await;
    if reached.unresolved && session.manager().await.unresolved {
        // One finding for a machine that resolves no name at all.
        let answer = Answer::skipped(format!("its name does not resolve either: see {}", MANAGER.check));
        return Reached { answer, ..reached };
    }
    reached
}

/// How often an endpoint is looked at that gives no answer of its own.
const LOOKS: u32 = 4;
/// The pause before the second look; each later one is twice as long.
const PAUSE: Duration = Duration::from_millis(200);

/// Whether another look may see more: the connection ended, the cloud was in trouble or throttled, or something on the
/// way answered.
fn may_pass(role: &Role, seen: Result<&Reply, &Broken>) -> bool {
    match seen {
        Ok(reply) => !(role.answers)(reply) && (matches!(reply.status, 200 | 429) || reply.status >= 500),
        Err(broken) => broken.sort == landfall_net::Sort::Closed,
    }
}

/// What is to be seen at a URL.
async fn look(session: &Session<'_>, role: &Role, url: &Url, asked: &Url) -> Reached {
    let limit = session.asking.patience.connect;
    let mut looks = 1;
    let seen = loop {
        let permit = session.concurrency().take().await;
        let seen = landfall_net::probe(asked, session.trust(), session.proxies(), limit).await;
        drop(permit);
        if looks == LOOKS || !may_pass(role, seen.answer.as_ref()) {
            break seen;
        }
        sleep(PAUSE * 2u32.pow(looks - 1)).await;
        looks += 1;
    };
    let place = Place {
        url: environment::shown(url),
        field: environment::field(session),
        closed: environment::is_closed(session),
    };
    let mut answer = judge(role, &place, seen.answer.as_ref());
    // Another server that answers with success may be there to stay.
    let is_success = seen.answer.as_ref().is_ok_and(|reply| reply.status == 200);
    if let Verdict::Found(finding) = &mut answer.verdict
        && may_pass(role, seen.answer.as_ref())
        && !is_success
    {
        finding.kind = Kind::InternalError;
    }
    for (name, value) in seen.evidence() {
        answer.evidence.insert(name, value);
    }
    let unresolved = matches!(
        &seen.answer,
        Err(Broken { sort: landfall_net::Sort::NameFailed | landfall_net::Sort::NameUnknown, .. })
    );
    Reached { unresolved, ..Reached::of(role, answer) }
}

/// Where something was looked for.
struct Place {
    url: String,
    field: &'static str,
    closed: bool,
}

impl Place {
    fn finding(&self, code: &'static Code, message: String, help: &str) -> Answer {
        let help = if self.closed {
            format!(
                "this cloud was closed (Microsoft ended the German one in 2021), so choose another; else \
                 {help}"
            )
        } else {
            help.to_owned()
        };
        Answer::found(Finding::error(code, Kind::Invalid, self.field, message).help(help))
    }
}

/// Whether what was seen is what is meant.
fn judge(role: &Role, place: &Place, seen: Result<&Reply, &Broken>) -> Answer {
    let (title, url) = (role.title, place.url.as_str());
    let reply = match seen {
        Ok(reply) => reply,
        Err(broken) if broken.sort == landfall_net::Sort::NameFailed => {
            let message =
                format!("this machine cannot resolve names: no name server answers for {title} at `{url}`");
            let help = "connect the network or VPN of this machine, and check its name servers";
            return place.finding(&pages::UNREACHABLE, message, help);
        }
        Err(broken) => {
            let message = format!("{title} cannot be reached at `{url}`: {}", broken.why);
            return place.finding(code_of(broken.sort), message, &broken.help);
        }
    };
    if (role.answers)(reply) {
        return Answer::passed(format!("{title} answers at {url}"));
    }
    if let Some(target) = reply.header("location").filter(|_| (300..400).contains(&reply.status)) {
        let message = format!("`{url}` redirects to `{}`", shortened(target));
        let help = "landfall does not follow redirects; check whether a proxy asks for a login";
        return place.finding(&pages::REDIRECT, message, help);
    }
    let kind = reply.header("content-type").map(|kind| format!(", {}", shortened(kind))).unwrap_or_default();
    let message = format!("`{url}` answers, but is not {title}: HTTP {}{kind}", reply.status);
    let help = "check which server answers there: a gateway, a proxy or a load balancer without a backend \
        returns this";
    place.finding(&pages::NOT_AZURE, message, help)
}

fn code_of(sort: landfall_net::Sort) -> &'static Code {
    if sort.is_of_tls() { &pages::TLS } else { &pages::UNREACHABLE }
}

/// Whether an answer is one of a resource manager: it wants a token, or has an error with a code.
fn is_manager(reply: &Reply) -> bool {
    let challenge = reply.header("www-authenticate").is_some_and(|way| way.eq_ignore_ascii_case("Bearer"));
    let document: Option<Value> = serde_json::from_slice(&reply.body).ok();
    let code = document.as_ref().and_then(|document| document.get("error")?.get("code")?.as_str());
    (reply.status == 401 && challenge) || code.is_some_and(|code| !code.is_empty())
}

/// Whether an answer is one of an authority: the description of itself, or an error in its form, which a
/// tenant that it does not know gets.
fn is_authority(reply: &Reply) -> bool {
    // Of a long description, only the beginning is there.
    let text = String::from_utf8_lossy(&reply.body);
    let described = reply.status == 200 && text.trim_start().starts_with('{');
    let document: Option<Value> = serde_json::from_slice(&reply.body).ok();
    let told = |key: &str| document.as_ref().is_some_and(|document| document.get(key).is_some());
    let refused = told("error") && (told("error_codes") || text.contains("AADSTS"));
    refused || (described && (told("token_endpoint") || text.contains("\"token_endpoint\"")))
}

/// The checks of trust roots, the cloud and its endpoints.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let bundle = if session.asking.config.additional_trust_bundle.is_empty() { "" } else { BUNDLE };
    let field = environment::field(session);
    vec![
        Check::new("azure.trust", bundle, async move { trust(session) }),
        environment::check(session),
        Check::new(MANAGER.check, field, async move { session.manager().await.answer.clone() }),
        Check::new(AUTHORITY.check, field, async move { session.authority().await.answer.clone() }),
    ]
}

fn trust(session: &Session<'_>) -> Answer {
    let trust = session.trust();
    let answer = match trust.faults() {
        [] => Answer::passed(trust.sentence()),
        faults => Answer::found(finding_of_trust(&pages::TRUST, faults)),
    };
    answer.with("sources", trust.evidence())
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_net::{Step, TrustFault};

    fn reply(status: u16, headers: &[(&str, &str)], body: &str) -> Reply {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Reply { status, headers: headers.collect(), body: body.as_bytes().to_vec() }
    }

    const URL: &str = "https://x.example.com";
    const FIELD: &str = "platform.azure.cloudName";

    fn found(role: &Role, closed: bool, seen: Result<&Reply, &Broken>) -> Option<Finding> {
        let place = Place { url: URL.to_owned(), field: FIELD, closed };
        match judge(role, &place, seen).verdict {
            Verdict::Found(finding) => Some(*finding),
            Verdict::Passed(_) | Verdict::Skipped(_) | Verdict::Unanswered(_) => None,
        }
    }

    /// The code of a finding at the field of the cloud that names all of these.
    fn code(finding: Option<Finding>, names: &[&str]) -> &'static str {
        let Some(finding) = finding else { return "" };
        assert_eq!(finding.field, FIELD);
        assert!(names.iter().all(|name| finding.message.contains(name)), "{}", finding.message);
        finding.code.as_str()
    }

    #[test]
    fn a_machine_that_resolves_no_names_is_told_from_a_name_that_nobody_knows() {
        let broken = |sort| Broken { step: Step::Name, sort, why: "no".to_owned(), help: "help".to_owned() };
        let failed = found(&MANAGER, false, Err(&broken(landfall_net::Sort::NameFailed)));
        assert_eq!(code(failed, &["this machine cannot resolve names"]), "LF1106");
        let unknown = found(&MANAGER, false, Err(&broken(landfall_net::Sort::NameUnknown)));
        assert!(!unknown.is_some_and(|finding| finding.message.contains("this machine")));
    }

    #[test]
    fn a_resource_manager_wants_a_token() {
        let error = r#"{"error":{"code":"AuthenticationFailed","message":"no"}}"#;
        assert!(is_manager(&reply(401, &[("www-authenticate", "Bearer")], "")));
        assert!(is_manager(&reply(401, &[], error)));
        assert!(is_manager(&reply(400, &[], error)));
        assert!(!is_manager(&reply(401, &[("www-authenticate", "Basic")], "")));
        assert!(!is_manager(&reply(200, &[("www-authenticate", "Bearer")], "<html>")));
        assert!(!is_manager(&reply(401, &[], r#"{"error":"unauthorized"}"#)));
    }

    #[test]
    fn an_authority_describes_itself() {
        let whole = r#"{"token_endpoint":"https://login.example.com/t/oauth2/v2.0/token"}"#;
        let unknown =
            r#"{"error":"invalid_tenant","error_description":"AADSTS90002: no","error_codes":[90002]}"#;
        assert!(is_authority(&reply(200, &[], whole)));
        assert!(is_authority(&reply(200, &[], whole.trim_end_matches('}'))));
        assert!(is_authority(&reply(400, &[], unknown)));
        assert!(!is_authority(&reply(200, &[], "<html>\"token_endpoint\"</html>")));
        assert!(!is_authority(&reply(404, &[], r#"{"error":"not found"}"#)));
        assert!(!is_authority(&reply(200, &[], "[]")));
    }

    #[test]
    fn what_was_seen_is_told() {
        let wanted = reply(401, &[("www-authenticate", "Bearer")], "");
        assert!(found(&MANAGER, false, Ok(&wanted)).is_none());
        let page = found(&AUTHORITY, false, Ok(&reply(200, &[("content-type", "text/html")], "<html>")));
        assert_eq!(code(page, &[URL, "the authority", "HTTP 200, text/html"]), "LF1108");
        let moved = reply(302, &[("location", "https://login.example.com/")], "");
        let moved = found(&MANAGER, false, Ok(&moved));
        assert_eq!(code(moved, &[URL, "`https://login.example.com/`"]), "LF1109");
    }

    #[test]
    fn a_wrong_bundle_is_said_at_its_field() {
        let fault = |name: &str| TrustFault { name: name.to_owned(), why: "no certificate".to_owned() };
        let environment = finding_of_trust(&pages::TRUST, &[fault("SSL_CERT_FILE (/ca.pem)")]);
        assert_eq!((environment.code.as_str(), environment.field.as_str()), ("LF1100", ""));
        assert!(environment.message.contains("SSL_CERT_FILE (/ca.pem)"), "{}", environment.message);
        let both = finding_of_trust(&pages::TRUST, &[fault("SSL_CERT_FILE (/ca.pem)"), fault(BUNDLE)]);
        assert_eq!((both.code.as_str(), both.field.as_str()), ("LF1100", BUNDLE));
    }

    #[test]
    fn a_closed_cloud_is_not_looked_for_elsewhere() {
        let broken = Broken {
            step: Step::Name,
            sort: landfall_net::Sort::NameUnknown,
            why: "the name does not resolve".to_owned(),
            help: "look there".to_owned(),
        };
        let open = found(&MANAGER, false, Err(&broken));
        assert_eq!(open.as_ref().and_then(|finding| finding.help.as_deref()), Some("look there"));
        assert_eq!(code(open, &[URL, &broken.why]), "LF1106");
        let closed = found(&MANAGER, true, Err(&broken));
        let help = closed.and_then(|finding| finding.help).unwrap_or_default();
        assert!(help.contains("closed") && help.ends_with("look there"), "{help}");
        let untrusted = Broken { sort: landfall_net::Sort::UnknownAuthority, ..broken };
        assert_eq!(code(found(&AUTHORITY, false, Err(&untrusted)), &[URL]), "LF1107");
    }
}
