//! Credentials: where they come from, whether AWS accepts them, and whose they are.
//!
//! They are resolved as every SDK of AWS resolves them, again where they end, and hidden from then on in
//! whatever is said.

use std::error::Error;

use aws_config::SdkConfig;
use aws_credential_types::provider::ProvideCredentials;
use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_sts::error::SdkError;
use aws_sdk_sts::operation::assume_role::AssumeRoleError;
use aws_sdk_sts::operation::get_caller_identity::GetCallerIdentityOutput;
use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, Kind};
use landfall_model::aws::facts::Caller;
use landfall_platform::cloud::{Answer, Check, Unready};
use tokio::time::timeout;
use tracing::Dispatch;
use tracing::instrument::WithSubscriber;

use super::credential_sources::{self, provider};
use super::endpoints::Service;
use super::fault::{Fault, Sort};
use super::pages;
use super::renewal::{self, Role};
use super::session::{Lost, Session};

/// Credentials that were found.
#[derive(Debug)]
pub(super) struct Found {
    /// What all clients share, with the credentials.
    pub(super) config: SdkConfig,
    /// Where they come from, such as ``the profile `default` ``.
    pub(super) provider: String,
    /// Whether they end with a session.
    pub(super) temporary: bool,
}

/// The check of the role for the hosted zone.
pub(super) const ZONE_ROLE: &str = "aws.hosted-zone-role";

const CALLER: &str = "sts:GetCallerIdentity";
const REGION: &str = "platform.aws.region";
const ZONE_ROLE_FIELD: &str = "platform.aws.hostedZoneRole";

/// Variables that hold secrets which may be used on the way to the credentials.
const SECRETS: &[&str] = &[
    "AWS_SECRET_ACCESS_KEY",
    "SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
];

/// Resolves the credentials.
pub(super) async fn find(session: &Session<'_>) -> Result<Found, Box<Finding>> {
    let (world, limit) = (session.asking.world, session.asking.patience.call);
    for secret in SECRETS.iter().filter_map(|name| world.variable(name)) {
        session.hide(&Secret::new(secret));
    }
    let Some(source) = session.sdk().await.credentials_provider() else {
        return Err(Box::new(credential_sources::none(world, None)));
    };
    // What a source writes to the log may hold what it read or printed.
    let resolved = timeout(limit, source.provide_credentials().with_subscriber(Dispatch::none())).await;
    let credentials = match resolved {
        Ok(Ok(credentials)) => credentials,
        Ok(Err(CredentialsError::CredentialsNotLoaded(_))) => {
            return Err(Box::new(credential_sources::none(world, None)));
        }
        Ok(Err(error)) => {
            return Err(Box::new(credential_sources::failed(&error, world, &session.scrub())));
        }
        Err(_) => {
            let why = format!("no source of credentials answered in {} s", limit.as_secs_f32());
            return Err(Box::new(Finding::error(&pages::CREDENTIAL_SOURCE, Kind::Invalid, "", why)));
        }
    };
    let provider = provider(&credentials, world);
    let temporary = credentials.session_token().is_some_and(|token| !token.is_empty());
    Ok(Found { config: renewal::shared(session, source, credentials).await, provider, temporary })
}

/// Asks who the caller is.
pub(super) async fn identify(session: &Session<'_>) -> Result<Caller, Lost> {
    let sts = session.sts().await?;
    match Box::pin(sts.get_caller_identity().send()).await {
        // An answer without an account is not from STS.
        Ok(answer) if answer.account().is_none_or(str::is_empty) => {
            let fault = Fault::foreign(CALLER, Some(200), Some("without an account".to_owned()));
            Err(Lost::Fault(placed(session, fault).await))
        }
        Ok(answer) => Ok(caller(session, &answer)),
        Err(error) => Err(Lost::Fault(placed(session, session.fault(CALLER, &error)).await)),
    }
}

/// Who STS says that the caller is. Whatever plays STS could repeat what it was sent.
pub(super) fn caller(session: &Session<'_>, answer: &GetCallerIdentityOutput) -> Caller {
    let scrub = session.scrub();
    let clean = |text: Option<&str>| scrub.clean(text.unwrap_or_default());
    Caller { account: clean(answer.account()), arn: clean(answer.arn()), user_id: clean(answer.user_id()) }
}

/// The fault with the URL of STS, where that is not the usual one and something else than STS answers there.
async fn placed(session: &Session<'_>, fault: Fault) -> Fault {
    match session.reached(Service::Sts).await.endpoint(session, Service::Sts) {
        Ok(endpoint) if fault.sort == Sort::NotUnderstood && endpoint.is_override() => {
            let message = format!("at {}, {}", endpoint.shown(), fault.message);
            Fault { message, ..fault }
        }
        _ => fault,
    }
}

/// Assumes the role that the config names for its hosted zone.
pub(super) async fn assume_zone_role(session: &Session<'_>) -> Result<SdkConfig, Lost> {
    session.caller().await?;
    let sts = session.sts().await?;
    let role = Role { sts: sts.clone(), arn: session.platform.hosted_zone_role.clone() };
    match role.assume().await {
        Ok(credentials) => Ok(renewal::shared(session, role, credentials).await),
        Err(error) => {
            match error.source().and_then(|cause| cause.downcast_ref::<SdkError<AssumeRoleError>>()) {
                Some(refused) => Err(Lost::Fault(session.fault("sts:AssumeRole", refused))),
                None => Err(Lost::Unready(Unready("STS returned no credentials for the role".to_owned()))),
            }
        }
    }
}

/// The checks of the caller.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let mut checks = vec![
        Check::new("aws.credentials", "", accepted(session)),
        Check::new("aws.account", REGION, account(session)),
    ];
    if !session.platform.hosted_zone_role.is_empty() {
        checks.push(Check::new(ZONE_ROLE, ZONE_ROLE_FIELD, zone_role(session)));
    }
    checks
}

async fn accepted(session: &Session<'_>) -> Answer {
    let found = match session.found().await {
        Ok(found) => found,
        Err(finding) => return Answer::found(*finding),
    };
    let answer = match session.identity().await {
        Ok(caller) => {
            let passed = told(caller, Answer::passed(format!("{} from {}", caller.arn, found.provider)));
            // The region itself knows nobody while it is not enabled.
            match session.accepted_abroad() {
                Some(abroad) => passed.with("askedIn", abroad.region.as_str()),
                None => passed,
            }
        }
        Err(Lost::Unready(unready)) => unready.into(),
        Err(Lost::Fault(fault)) if fault.sort == Sort::Throttled => fault.answer(""),
        Err(Lost::Fault(fault)) => {
            let partition = session.asking.catalogue.aws.partition_of(session.region());
            let mut finding = refused(&fault, &found.provider, partition.map(|(id, _)| id));
            if let Some(abroad) = session.accepted_abroad() {
                finding = finding.help(old_token(&abroad.region, session.region()));
            }
            fault.attach(Answer::found(finding))
        }
    };
    answer.with("provider", found.provider.clone())
}

/// What to do about credentials that one region accepts and another refuses.
fn old_token(there: &str, here: &str) -> String {
    format!(
        "{there} accepts them: regions that an account must enable, possibly {here}, refuse session tokens \
         of the global STS endpoint (version 1); get a token from a regional STS endpoint, or set the \
         account's global endpoint to version 2 tokens"
    )
}

async fn account(session: &Session<'_>) -> Answer {
    let partition = session.asking.catalogue.aws.partition_of(session.region()).map(|(id, _)| id);
    match session.caller().await {
        Ok(caller) => told(caller, judge(caller, session.region(), partition)),
        Err(unready) => unready.into(),
    }
}

async fn zone_role(session: &Session<'_>) -> Answer {
    let role = &session.platform.hosted_zone_role;
    match session.zone_role().await {
        Ok(_) => Answer::passed(format!("{role} can be assumed")),
        Err(Lost::Unready(unready)) => unready.into(),
        Err(Lost::Fault(fault)) => fault.attach(Answer::found(not_assumed(role, &fault))),
    }
}

/// AWS does not give the caller the role for the hosted zone.
fn not_assumed(role: &str, fault: &Fault) -> Finding {
    let message = format!("the role `{role}` cannot be assumed: {}", fault.sentence());
    Finding::error(&pages::ZONE_ROLE, Kind::Invalid, ZONE_ROLE_FIELD, message)
        .help("add the caller to the role's trust policy, and allow the caller sts:AssumeRole on it")
}

/// The answer with the caller as evidence.
fn told(caller: &Caller, answer: Answer) -> Answer {
    let answer = answer.with("account", caller.account.clone());
    answer.with("arn", caller.arn.clone()).with("userId", caller.user_id.clone())
}

/// Whether the caller may install in a region of this partition at all.
fn judge(caller: &Caller, region: &str, known: Option<&str>) -> Answer {
    let Caller { account, arn, user_id } = caller;
    let own = partition_of(arn);
    if let (Some(own), Some(known)) = (own, known)
        && own != known
    {
        let message = format!(
            "the credentials are those of account {account} in partition `{own}`, but the region \
             `{region}` is in `{known}`"
        );
        let finding = Finding::error(&pages::PARTITION, Kind::Invalid, REGION, message);
        return Answer::found(finding.help(format!(
            "use credentials of `{known}`, or a region of `{own}`: an account belongs \
                to one partition"
        )));
    }
    if arn.ends_with(":root") || (!account.is_empty() && account == user_id) {
        let message = format!("the caller is the root user of account {account}");
        let finding = Finding::warning(&pages::ROOT, Kind::Invalid, "", message);
        return Answer::found(finding.help(
            "create a user or role for the installation; `landfall create permissions-policy` prints its \
             policy",
        ));
    }
    match own {
        Some(own) => Answer::passed(format!("account {account} in partition {own}")),
        None => Answer::passed(format!("account {account}")),
    }
}

/// The partition in an ARN.
fn partition_of(arn: &str) -> Option<&str> {
    let (partition, _) = arn.strip_prefix("arn:")?.split_once(':')?;
    Some(partition).filter(|partition| !partition.is_empty())
}

/// AWS has something against the credentials.
fn refused(fault: &Fault, provider: &str, partition: Option<&str>) -> Finding {
    let sentence = fault.sentence();
    let finding = |page, message: String| Finding::error(page, Kind::Invalid, "", message);
    match fault.sort {
        Sort::Expired => {
            let message = format!("the credentials from {provider} have expired: {sentence}");
            finding(&pages::EXPIRED, message).help("log in again, or get new keys from the same source")
        }
        Sort::Clock => {
            let message = format!("AWS rejects the time of the request: {sentence}");
            finding(&pages::CLOCK, message).help("set the clock of this machine, preferably with NTP")
        }
        Sort::Credentials => {
            let message = format!("AWS does not accept the credentials from {provider}: {sentence}");
            let help = if fault.is("SignatureDoesNotMatch") || fault.is("InvalidSignatureException") {
                "the secret key does not match the access key, or a proxy changes the requests".to_owned()
            } else {
                let partition = partition.map(|id| format!(" in partition `{id}`")).unwrap_or_default();
                format!("check that the access key exists{partition} and is active")
            };
            finding(&pages::REFUSED, message).help(help)
        }
        _ => fault.finding(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::cloud::Verdict;

    /// The code and the field of what was found.
    fn found(answer: Answer) -> Option<(&'static str, String)> {
        match answer.verdict {
            Verdict::Found(finding) => Some((finding.code.as_str(), finding.field)),
            Verdict::Passed(_) | Verdict::Skipped(_) | Verdict::Unanswered(_) => None,
        }
    }

    fn fault(sort: Sort, code: &str) -> Fault {
        Fault {
            call: "sts:AssumeRole".to_owned(),
            sort,
            code: Some(code.to_owned()),
            message: String::new(),
            request_id: None,
            status: Some(403),
        }
    }

    #[test]
    fn the_partition_of_the_caller_is_that_of_the_region() {
        let caller = |arn: &str| Caller {
            account: "123456789012".to_owned(),
            arn: arn.to_owned(),
            user_id: "AIDA".to_owned(),
        };
        let user = caller("arn:aws:iam::123456789012:user/me");
        assert_eq!(found(judge(&user, "us-east-1", Some("aws"))), None);
        assert_eq!(found(judge(&user, "xx-hidden-1", None)), None);
        let elsewhere = judge(&user, "us-gov-west-1", Some("aws-us-gov"));
        assert_eq!(found(elsewhere), Some(("LF1006", REGION.to_owned())));
        let root = judge(&caller("arn:aws:iam::123456789012:root"), "us-east-1", Some("aws"));
        assert_eq!(found(root), Some(("LF1007", String::new())));
        assert_eq!(partition_of("arn:aws-cn:iam::1:user/me"), Some("aws-cn"));
        assert_eq!([partition_of("arn::iam::1:user/me"), partition_of("me")], [None, None]);
    }

    #[test]
    fn a_role_that_cannot_be_assumed_is_an_error_at_its_field() {
        let role = "arn:aws:iam::210987654321:role/dns";
        let finding = not_assumed(role, &fault(Sort::Denied, "AccessDenied"));
        assert_eq!(
            (finding.code.as_str(), finding.field.as_str()),
            ("LF1008", "platform.aws.hostedZoneRole")
        );
        assert!(finding.is_error() && finding.message.contains(role), "{finding:?}");
        assert!(finding.message.contains("AccessDenied"), "{finding:?}");
    }

    #[test]
    fn a_refusal_has_the_code_of_its_reason() {
        let cases = [
            (Sort::Credentials, "InvalidClientTokenId", "LF1003"),
            (Sort::Expired, "ExpiredToken", "LF1004"),
            (Sort::Clock, "RequestTimeTooSkewed", "LF1005"),
            (Sort::Service, "InternalFailure", "LF1020"),
        ];
        for (sort, answered, code) in cases {
            let finding = refused(&fault(sort, answered), "the environment", Some("aws"));
            assert_eq!((finding.code.as_str(), finding.is_error()), (code, true), "{finding:?}");
            assert!(finding.message.contains(answered), "{finding:?}");
        }
    }
}
