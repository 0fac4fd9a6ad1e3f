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
use landfall_diagnostics::secret::Scrub;
use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_platform::World;

use super::fault::{Fault, Sort};
use super::{clients, pages};

/// Nothing gives credentials. `instance` is why the metadata service of an instance gives none, if it was
/// asked in vain.
pub(super) fn none(world: &dyn World, instance: Option<&str>) -> Finding {
    let given = |name: &str| world.variable(name).is_some();
    let profile = clients::profile(world);
    let mut help =
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to a profile that has credentials";
    let message = if given("AWS_ACCESS_KEY_ID") && !given("AWS_SECRET_ACCESS_KEY") {
        "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not".to_owned()
    } else if given("AWS_SECRET_ACCESS_KEY") && !given("AWS_ACCESS_KEY_ID") {
        "AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID is not".to_owned()
    } else if given("AWS_PROFILE") && !is_defined(world, &profile) {
        help = "set AWS_PROFILE to a profile of these files, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
        let [config, credentials] = profile_files(world).map(|path| shortened(&path));
        format!("there is no profile `{}` in {config} or {credentials}", shortened(&profile))
    } else if let Some(why) = instance {
        format!(
            "no credentials for AWS: none in the environment, the profile `{profile}`, a web identity or a \
             container, and the metadata service of an instance gives none: {why}"
        )
    } else {
        format!(
            "no credentials for AWS: none in the environment, the profile `{profile}`, a web identity, a \
             container or the metadata of an instance"
        )
    };
    Finding::error(&pages::NO_CREDENTIALS, Kind::Required, "", message).help(help)
}

/// The files that profiles are in.
fn profile_files(world: &dyn World) -> [String; 2] {
    let files = [("AWS_CONFIG_FILE", "~/.aws/config"), ("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials")];
    files.map(|(variable, usual)| world.variable(variable).unwrap_or_else(|| usual.to_owned()))
}

/// Whether one of the files has a profile of this name.
fn is_defined(world: &dyn World, profile: &str) -> bool {
    let files = profile_files(world);
    let mut texts = files.iter().filter_map(|path| world.file(path));
    texts.any(|bytes| String::from_utf8_lossy(&bytes).lines().any(|line| is_section(line, profile)))
}

/// Whether a line begins the section of a profile, as either file writes it.
fn is_section(line: &str, profile: &str) -> bool {
    let Some((name, _)) = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return false;
    };
    let name = name.trim();
    let rest = name.strip_prefix("profile").filter(|rest| rest.starts_with([' ', '\t']));
    name == profile || rest.is_some_and(|rest| rest.trim().trim_matches('"') == profile)
}

/// The source of credentials that is set up gives none.
pub(super) fn failed(error: &CredentialsError, world: &dyn World, scrub: &Scrub) -> Finding {
    let (why, help) = why(error, scrub);
    let Some(source) = source(error, world) else {
        return none(world, Some(&why));
    };
    let message = format!("{source} returned no credentials: {why}");
    Finding::error(&pages::CREDENTIAL_SOURCE, Kind::Invalid, "", message).help(help)
}

/// Which source the error is of; none for the metadata service of an instance, which every machine is asked
/// for unless somebody has set it up.
fn source(error: &CredentialsError, world: &dyn World) -> Option<String> {
    let below = error.source();
    let of_profile =
        below.is_some_and(|below| below.is::<CredentialsError>() || below.to_string().starts_with(UNBUILT));
    let given = |name: &str| world.variable(name).is_some();
    if of_profile {
        Some(format!("the profile `{}`", clients::profile(world)))
    } else if given("AWS_WEB_IDENTITY_TOKEN_FILE") {
        Some("the web identity of AWS_WEB_IDENTITY_TOKEN_FILE".to_owned())
    } else if given("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") || given("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
        Some("the container".to_owned())
    } else {
        given("AWS_EC2_METADATA_SERVICE_ENDPOINT").then(|| "the metadata service of the instance".to_owned())
    }
}

/// What the SDK says before the reason for which a profile cannot be used. The reason holds names only.
const UNBUILT: &str = "ProfileFile provider could not be built: ";
/// What it says of a credential process, before that one's output.
const EXITED: &str = "Error retrieving credentials: external process exited with code ";
const UNSTARTED: &str = "Error retrieving credentials from external process: ";
const PROCESS: &str = "Error retrieving credentials from external process";

/// Why a source gives no credentials, in words that hold nothing of what it said, and what to do.
pub(super) fn why(error: &CredentialsError, scrub: &Scrub) -> (String, &'static str) {
    let outermost: &(dyn Error + 'static) = error;
    let causes = || std::iter::successors(Some(outermost), |&cause| cause.source()).take(16);
    let by_hand = "run the command of credential_process by hand; landfall does not show its output, because it may contain keys";
    for cause in causes() {
        if let Some(fault) = of_sts(cause, scrub) {
            return (
                fault,
                "the role's trust policy must allow the caller or the issuer of the token, and the caller \
                 needs sts:AssumeRole",
            );
        }
        let text = cause.to_string();
        if let Some(rest) = text.strip_prefix(EXITED) {
            let status = rest.split(". Stderr").next().unwrap_or_default();
            return (format!("its credential process ended with {status}"), by_hand);
        }
        if text.starts_with(PROCESS) {
            let unstarted = text.strip_prefix(UNSTARTED).is_some_and(|rest| !rest.starts_with("could not"));
            let what = if unstarted { "cannot be started" } else { "returned no valid credentials" };
            return (format!("its credential process {what}"), by_hand);
        }
        if let Some(reason) = text.strip_prefix(UNBUILT) {
            let reason: String = reason.chars().take(200).filter(|c| !c.is_control()).collect();
            return (scrub.clean(&reason), "check ~/.aws/config and ~/.aws/credentials");
        }
        if text.contains("SSO") || text.contains("/sso/") || text.starts_with("UnauthorizedException") {
            return ("there is no valid single sign-on session".to_owned(), "run `aws sso login`");
        }
    }
    let way = "check the network and the proxy";
    if let Some((_, why)) = landfall_net::fault(error) {
        return (scrub.clean(&why), way);
    }
    let file = causes().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    if let Some(kind) = file {
        return (
            format!("a file that it needs cannot be read: {kind}"),
            "check the path and its permissions",
        );
    }
    match error {
        CredentialsError::ProviderTimedOut(_) => ("the request timed out".to_owned(), way),
        CredentialsError::InvalidConfiguration(_) => {
            ("it is misconfigured".to_owned(), "check the variables and files that configure it")
        }
        _ => {
            let help = "query it by hand: landfall does not show its response";
            ("it returned an unexpected response".to_owned(), help)
        }
    }
}

/// What STS answered to a source that assumes a role. The message may quote what was sent, so that only its
/// code is told.
fn of_sts(cause: &(dyn Error + 'static), scrub: &Scrub) -> Option<String> {
    let fault = if let Some(error) = cause.downcast_ref::<SdkError<AssumeRoleError>>() {
        Fault::of("sts:AssumeRole", error, scrub)
    } else {
        let error = cause.downcast_ref::<SdkError<AssumeRoleWithWebIdentityError>>()?;
        Fault::of("sts:AssumeRoleWithWebIdentity", error, scrub)
    };
    match &fault.code {
        Some(code) if fault.sort == Sort::Denied => {
            Some(format!("{} returned {code}: the caller may not assume the role", fault.call))
        }
        Some(code) => Some(format!("{} returned {code}", fault.call)),
        None => Some(fault.sentence()),
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
        (None, None) => "an unnamed source".to_owned(),
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

        fn file(&self, path: &str) -> Option<Vec<u8>> {
            let text = match path {
                "~/.aws/config" => "[profile  team]\nregion = us-east-1\n[default]\n",
                "/credentials" => "# canary\n [ build ]\naws_secret_access_key = canary\n",
                _ => return None,
            };
            Some(text.as_bytes().to_vec())
        }
    }

    #[test]
    fn nothing_that_a_source_printed_is_shown() {
        let process = |text: &str| {
            let inner = CredentialsError::provider_error(text.to_owned());
            let error = CredentialsError::provider_error(inner);
            failed(&error, &Variables(&[("AWS_PROFILE", "team")]), &Scrub::default())
        };
        let findings = [
            process(&format!("{EXITED}exit status: 3. Stderr: canary")),
            process(&format!("{PROCESS}, could not parse response: invalid JSON canary")),
            process(&format!("{UNSTARTED}could not decode output as UTF-8: canary")),
            process(&format!("{UNSTARTED}canary")),
            process("canary"),
        ];
        for finding in &findings {
            assert_eq!(finding.code.as_str(), "LF1002");
            assert!(finding.message.contains("the profile `team`"), "{}", finding.message);
            assert!(!format!("{finding:?}").contains("canary"), "{finding:?}");
        }
        assert!(findings[0].message.ends_with(" exit status: 3"), "{}", findings[0].message);
        // What is printed and what cannot be decoded is the same fault, all others differ.
        let [exited, printed, undecoded, unstarted, other] =
            findings.each_ref().map(|finding| &finding.message);
        assert_eq!(printed, undecoded);
        let different: std::collections::BTreeSet<_> = [exited, printed, unstarted, other].into();
        assert_eq!(different.len(), 4);
        landfall_testing::assert_findings("aws-credential-process", &findings);
    }

    #[test]
    fn the_source_that_failed_is_named() {
        let profile =
            CredentialsError::invalid_configuration(format!("{UNBUILT}profile `a` was not defined"));
        let finding = failed(&profile, &Variables(&[]), &Scrub::default());
        assert_eq!(finding.code.as_str(), "LF1002");
        for named in ["`default`", "`a`"] {
            assert!(finding.message.contains(named), "{}", finding.message);
        }
        let token = CredentialsError::provider_error(io::Error::from(io::ErrorKind::NotFound));
        let world = Variables(&[("AWS_WEB_IDENTITY_TOKEN_FILE", "/token")]);
        let finding = failed(&token, &world, &Scrub::default());
        assert_eq!(finding.code.as_str(), "LF1002");
        assert!(finding.message.contains("AWS_WEB_IDENTITY_TOKEN_FILE"), "{}", finding.message);
        let half = none(&Variables(&[("AWS_ACCESS_KEY_ID", "AKIA")]), None);
        assert_eq!(half.code.as_str(), "LF1001");
        for variable in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
            assert!(half.message.contains(variable), "{}", half.message);
        }
    }

    #[test]
    fn a_profile_that_no_file_has_is_named() {
        const FILE: (&str, &str) = ("AWS_SHARED_CREDENTIALS_FILE", "/credentials");
        let finding = none(&Variables(&[("AWS_PROFILE", "none"), FILE]), None);
        assert_eq!(finding.code.as_str(), "LF1001");
        for named in ["`none`", "~/.aws/config", "/credentials"] {
            assert!(finding.message.contains(named), "{}", finding.message);
        }
        let team = none(&Variables(&[("AWS_PROFILE", "team"), FILE]), None);
        assert_eq!(team.code.as_str(), "LF1001");
        assert!(!team.message.contains("no profile"), "{}", team.message);
        let build = none(&Variables(&[("AWS_PROFILE", "build"), FILE]), None).message;
        assert!(build.contains("the profile `build`"), "{build}");
        assert!(is_section("[profile \"a team\"] # of ours", "a team") && is_section("[one]", "one"));
        assert!(!is_section("profile one", "one") && !is_section("[profiles one]", "one"));
    }

    #[test]
    fn an_instance_that_nobody_set_up_is_no_source() {
        let error = || CredentialsError::provider_error("canary".to_owned());
        let anywhere = failed(&error(), &Variables(&[]), &Scrub::default());
        assert_eq!(anywhere.code.as_str(), "LF1001");
        assert!(anywhere.message.contains("metadata service"), "{}", anywhere.message);
        let given = Variables(&[("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1")]);
        let given = failed(&error(), &given, &Scrub::default());
        assert_eq!(given.code.as_str(), "LF1002");
        assert!(given.message.contains("metadata service"), "{}", given.message);
    }

    #[test]
    fn credentials_name_their_source() {
        let world = Variables(&[("AWS_PROFILE", "team")]);
        let mut credentials = Credentials::new("id", "key", None, None, "test");
        assert!(!provider(&credentials, &world).contains("team"));
        credentials.set_property(vec![
            AwsCredentialFeature::CredentialsProcess,
            AwsCredentialFeature::CredentialsProfile,
        ]);
        let process = provider(&credentials, &world);
        assert!(process.contains("credential process") && process.contains("`team`"), "{process}");
        credentials.set_property(vec![AwsCredentialFeature::CredentialsEnvVars]);
        assert_eq!(provider(&credentials, &world), "the environment");
    }
}
