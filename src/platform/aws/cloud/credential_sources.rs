//! The sources of credentials: which one gave them, or why none did.
//!
//! What a source says of a failure is never shown, as it may hold what it read or printed; the words here are
//! made of what kind of failure it is.

use std::error::Error;
use std::io;

use aws_credential_types::Credentials;
use aws_credential_types::credential_feature::AwsCredentialFeature;
use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_sts::error::SdkError;
use aws_sdk_sts::operation::assume_role::AssumeRoleError;
use aws_sdk_sts::operation::assume_role_with_web_identity::AssumeRoleWithWebIdentityError;

use super::fault::{Fault, Sort};
use super::{clients, pages};
use crate::finding::{Finding, Kind};
use crate::net;
use crate::platform::World;
use crate::secret::Scrub;

/// Nothing gives credentials.
pub(super) fn none(world: &dyn World) -> Finding {
    let given = |name: &str| world.variable(name).is_some();
    let profile = clients::profile(world);
    let message = if given("AWS_ACCESS_KEY_ID") && !given("AWS_SECRET_ACCESS_KEY") {
        "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not".to_owned()
    } else if given("AWS_SECRET_ACCESS_KEY") && !given("AWS_ACCESS_KEY_ID") {
        "AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID is not".to_owned()
    } else {
        format!(
            "no credentials for AWS: none in the environment, the profile `{profile}`, a web identity, a \
             container or the metadata of an instance"
        )
    };
    Finding::error(&pages::NO_CREDENTIALS, Kind::Required, "", message).help(
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to a profile that has credentials",
    )
}

/// The source of credentials that is set up gives none.
pub(super) fn failed(error: &CredentialsError, world: &dyn World, scrub: &Scrub) -> Finding {
    let (why, help) = why(error, scrub);
    let message = format!("{} gives no credentials: {why}", source(error, world));
    Finding::error(&pages::CREDENTIAL_SOURCE, Kind::Invalid, "", message).help(help)
}

/// Which source the error is of.
fn source(error: &CredentialsError, world: &dyn World) -> String {
    let below = error.source();
    let of_profile =
        below.is_some_and(|below| below.is::<CredentialsError>() || below.to_string().starts_with(UNBUILT));
    let given = |name: &str| world.variable(name).is_some();
    if of_profile {
        format!("the profile `{}`", clients::profile(world))
    } else if given("AWS_WEB_IDENTITY_TOKEN_FILE") {
        "the web identity of AWS_WEB_IDENTITY_TOKEN_FILE".to_owned()
    } else if given("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") || given("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
        "the container".to_owned()
    } else {
        "the metadata service of the instance".to_owned()
    }
}

/// What the SDK says before the reason for which a profile cannot be used. The reason holds names only.
const UNBUILT: &str = "ProfileFile provider could not be built: ";
/// What it says of a credential process, before that one's output.
const EXITED: &str = "Error retrieving credentials: external process exited with code ";
const UNSTARTED: &str = "Error retrieving credentials from external process: ";
const PROCESS: &str = "Error retrieving credentials from external process";

/// Why a source gives no credentials, in words that hold nothing of what it said, and what to do.
fn why(error: &CredentialsError, scrub: &Scrub) -> (String, &'static str) {
    let outermost: &(dyn Error + 'static) = error;
    let causes = || std::iter::successors(Some(outermost), |&cause| cause.source()).take(16);
    let by_hand = "run the command of credential_process by hand; what it prints is not shown here, as it may \
                   hold keys";
    for cause in causes() {
        if let Some(fault) = of_sts(cause, scrub) {
            return (
                fault,
                "the role's trust policy must name the caller or the issuer of the token, and the caller needs \
                 sts:AssumeRole",
            );
        }
        let text = cause.to_string();
        if let Some(rest) = text.strip_prefix(EXITED) {
            let status = rest.split(". Stderr").next().unwrap_or_default();
            return (format!("its credential process ended with {status}"), by_hand);
        }
        if text.starts_with(PROCESS) {
            let unstarted = text.strip_prefix(UNSTARTED).is_some_and(|rest| !rest.starts_with("could not"));
            let what = if unstarted { "cannot be started" } else { "prints nothing that are credentials" };
            return (format!("its credential process {what}"), by_hand);
        }
        if let Some(reason) = text.strip_prefix(UNBUILT) {
            let reason: String = reason.chars().take(200).filter(|c| !c.is_control()).collect();
            return (scrub.clean(&reason), "look at ~/.aws/config and ~/.aws/credentials");
        }
        if text.contains("SSO") || text.contains("/sso/") || text.starts_with("UnauthorizedException") {
            return ("there is no valid session of single sign-on".to_owned(), "run `aws sso login`");
        }
    }
    let way = "look at the network and the proxy on the way to it";
    if let Some((_, why)) = net::fault(error) {
        return (scrub.clean(&why), way);
    }
    let file = causes().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    if let Some(kind) = file {
        return (
            format!("a file that it needs cannot be read: {kind}"),
            "look at the path and its permissions",
        );
    }
    match error {
        CredentialsError::ProviderTimedOut(_) => ("no answer came in time".to_owned(), way),
        CredentialsError::InvalidConfiguration(_) => {
            ("it is not set up rightly".to_owned(), "look at the variables and files that set it up")
        }
        _ => {
            let help = "ask it by hand, as nothing of what it says is shown here";
            ("it answered with something else".to_owned(), help)
        }
    }
}

/// What STS answered to a source that assumes a role. A refused token may be quoted in the message, so that
/// only a missing permission is told in full.
fn of_sts(cause: &(dyn Error + 'static), scrub: &Scrub) -> Option<String> {
    let fault = if let Some(error) = cause.downcast_ref::<SdkError<AssumeRoleError>>() {
        Fault::of("sts:AssumeRole", error, scrub)
    } else {
        let error = cause.downcast_ref::<SdkError<AssumeRoleWithWebIdentityError>>()?;
        Fault::of("sts:AssumeRoleWithWebIdentity", error, scrub)
    };
    match &fault.code {
        Some(code) if fault.sort != Sort::Denied => Some(format!("{} was answered with {code}", fault.call)),
        _ => Some(fault.sentence()),
    }
}

/// What the SDK calls the sources, and what people do.
const PROVIDERS: &[(AwsCredentialFeature, &str)] = &[
    (AwsCredentialFeature::CredentialsProcess, "the credential process"),
    (AwsCredentialFeature::CredentialsSso, "single sign-on"),
    (AwsCredentialFeature::CredentialsStsAssumeRoleWebId, "a web identity"),
    (AwsCredentialFeature::CredentialsHttp, "the container"),
    (AwsCredentialFeature::CredentialsImds, "the metadata of the instance"),
    (AwsCredentialFeature::CredentialsEnvVars, "the environment"),
];

/// Where credentials come from, such as ``the profile `default` ``.
pub(super) fn provider(credentials: &Credentials, world: &dyn World) -> String {
    let features = credentials.get_property::<Vec<AwsCredentialFeature>>();
    let has = |feature: &AwsCredentialFeature| features.is_some_and(|features| features.contains(feature));
    let source = PROVIDERS.iter().find(|(feature, _)| has(feature)).map(|(_, name)| *name);
    let profile = has(&AwsCredentialFeature::CredentialsProfile)
        .then(|| format!("the profile `{}`", clients::profile(world)));
    match (source, profile) {
        (Some(source), Some(profile)) => format!("{source} of {profile}"),
        (None, Some(profile)) => profile,
        (Some(source), None) => source.to_owned(),
        (None, None) => "a source that does not name itself".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Variables(&'static [(&'static str, &'static str)]);

    impl World for Variables {
        fn variable(&self, name: &str) -> Option<String> {
            let found = self.0.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        }

        fn file(&self, _: &str) -> Option<Vec<u8>> {
            None
        }
    }

    #[test]
    fn nothing_that_a_source_printed_is_shown() {
        let process = |text: &str| {
            let inner = CredentialsError::provider_error(text.to_owned());
            let error = CredentialsError::provider_error(inner);
            failed(&error, &Variables(&[("AWS_PROFILE", "team")]), &Scrub::default()).message
        };
        let exited = process(&format!("{EXITED}exit status: 3. Stderr: canary"));
        assert_eq!(
            exited,
            "the profile `team` gives no credentials: its credential process ended with exit status: 3"
        );
        let parse = process(&format!("{PROCESS}, could not parse response: invalid JSON canary"));
        assert!(parse.ends_with("its credential process prints nothing that are credentials"), "{parse}");
        let decode = process(&format!("{UNSTARTED}could not decode output as UTF-8: canary"));
        assert!(decode.ends_with("prints nothing that are credentials"), "{decode}");
        let started = process(&format!("{UNSTARTED}canary"));
        assert!(started.ends_with("its credential process cannot be started"), "{started}");
        let other = process("canary");
        assert!(other.ends_with("it answered with something else"), "{other}");
    }

    #[test]
    fn the_source_that_failed_is_named() {
        let profile =
            CredentialsError::invalid_configuration(format!("{UNBUILT}profile `a` was not defined"));
        let message = failed(&profile, &Variables(&[]), &Scrub::default()).message;
        assert_eq!(message, "the profile `default` gives no credentials: profile `a` was not defined");
        let token = CredentialsError::provider_error(io::Error::from(io::ErrorKind::NotFound));
        let world = Variables(&[("AWS_WEB_IDENTITY_TOKEN_FILE", "/token")]);
        let message = failed(&token, &world, &Scrub::default()).message;
        assert!(message.starts_with("the web identity of AWS_WEB_IDENTITY_TOKEN_FILE gives"), "{message}");
        assert!(message.contains("a file that it needs cannot be read"), "{message}");
        let half = none(&Variables(&[("AWS_ACCESS_KEY_ID", "AKIA")])).message;
        assert_eq!(half, "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not");
    }

    #[test]
    fn credentials_name_their_source() {
        let world = Variables(&[("AWS_PROFILE", "team")]);
        let mut credentials = Credentials::new("id", "key", None, None, "test");
        assert_eq!(provider(&credentials, &world), "a source that does not name itself");
        credentials.set_property(vec![
            AwsCredentialFeature::CredentialsProcess,
            AwsCredentialFeature::CredentialsProfile,
        ]);
        assert_eq!(provider(&credentials, &world), "the credential process of the profile `team`");
        credentials.set_property(vec![AwsCredentialFeature::CredentialsEnvVars]);
        assert_eq!(provider(&credentials, &world), "the environment");
    }
}
