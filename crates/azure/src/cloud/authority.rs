//! What the authority has against a request for a token, in words of our own.
//!
//! Neither the authority's nor another source's text is shown, as it may repeat what it was sent or what it
//! read. Only the numbers of its errors are taken out of it. The Azure CLI speaks to people; of what it says,
//! the last line is told, without what looks like a token.

use std::error::Error;
use std::time::Duration;

use azure_core::error::ErrorKind;
use landfall_diagnostics::secret::{REDACTED, Scrub};
use landfall_diagnostics::{Finding, Kind};
use landfall_model::catalogue::value::shipped;
use serde::Deserialize;

use super::pages;
use super::sources::Source;
use super::transport::{causes, timed_out};

/// What precedes the number of an error.
const PREFIX: &str = "AADSTS";

/// Errors that are often met, each as [`Known`].
const KNOWN: &str = include_str!("../data/authority.json");

/// An error that is often met.
#[derive(Deserialize)]
struct Known {
    /// Its number.
    code: String,
    /// Whether something has expired, and is not wrong otherwise.
    #[serde(default)]
    expired: bool,
    /// What is wrong, without a full stop.
    what: String,
    /// What to do.
    help: String,
}

/// What an error says of an answer with numbers that nobody can reckon with.
const SENSELESS: &str = "the response is invalid";

/// That an answer has numbers that nobody can reckon with, such as an end of time.
pub(super) fn senseless() -> azure_core::Error {
    azure_core::Error::with_message(ErrorKind::DataConversion, SENSELESS)
}

/// What an error says of an answer that is well but for the token.
const EMPTY: &str = "the response contains no token";

/// That an answer holds no token.
pub(super) fn empty() -> azure_core::Error {
    azure_core::Error::with_message(ErrorKind::DataConversion, EMPTY)
}

/// The status of an answer.
fn status(error: &azure_core::Error) -> Option<u16> {
    let status = |cause: &(dyn Error + 'static)| cause.downcast_ref::<azure_core::Error>()?.http_status();
    causes(error).find_map(status).map(u16::from)
}

/// The status of an answer that says nothing of who asks: that too much is asked, or that the source has a
/// fault of its own.
pub(super) fn failed_with(error: &azure_core::Error) -> Option<u16> {
    status(error).filter(|&status| status == 429 || status >= 500)
}

/// Whether the machine that was asked says that it has no such identity.
pub(super) fn lacks_identity(error: &azure_core::Error) -> bool {
    causes(error).any(|cause| {
        let kind = cause.downcast_ref::<azure_core::Error>().map(azure_core::Error::kind);
        let Some(ErrorKind::HttpResponse { raw_response: Some(response), .. }) = kind else {
            return false;
        };
        let body: &[u8] = response.body().as_ref();
        u16::from(response.status()) == 400 && String::from_utf8_lossy(body).contains("Identity not found")
    })
}

/// Whether an answer is neither a token nor a refusal: it cannot be read.
pub(super) fn is_unreadable(error: &azure_core::Error) -> bool {
    let is_of_data = |cause: &(dyn Error + 'static)| {
        let kind = cause.downcast_ref::<azure_core::Error>().map(azure_core::Error::kind);
        matches!(kind, Some(ErrorKind::DataConversion))
    };
    status(error).is_none() && codes(error).is_empty() && causes(error).any(is_of_data)
}

/// The numbers of the authority's errors, the first one first.
pub(super) fn codes(error: &azure_core::Error) -> Vec<String> {
    let mut codes: Vec<String> = Vec::new();
    for cause in causes(error) {
        let kind = cause.downcast_ref::<azure_core::Error>().map(azure_core::Error::kind);
        let given = match kind {
            Some(ErrorKind::HttpResponse { error_code: Some(given), .. }) => given.as_str(),
            _ => "",
        };
        let numbers = given.split(',').map(str::trim).filter(|text| is_number(text)).map(str::to_owned);
        for code in numbers.chain(in_text(&cause.to_string())) {
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
    }
    codes
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The numbers in a text. A source may fail to read an answer and quote it instead.
pub(super) fn in_text(text: &str) -> Vec<String> {
    const MOST: usize = 12;
    let number = |at: usize| -> String {
        let rest = text.get(at + PREFIX.len()..).unwrap_or_default();
        rest.chars().take_while(char::is_ascii_digit).take(MOST).collect()
    };
    text.match_indices(PREFIX).map(|(at, _)| number(at)).filter(|number| !number.is_empty()).collect()
}

/// Why a source gives no token, and what to do.
pub(super) fn refused(error: &azure_core::Error, source: &Source, scrub: &Scrub) -> Finding {
    let codes = codes(error);
    let who = source.shown();
    let all: Vec<Known> = shipped(KNOWN);
    if let Some(known) = all.into_iter().find(|known| codes.contains(&known.code)) {
        let message = format!("the authority rejects {who}: {} ({PREFIX}{})", known.what, known.code);
        let page = if known.expired { &pages::EXPIRED } else { &pages::REFUSED };
        return Finding::error(page, Kind::Invalid, "", message).help(known.help);
    }
    if let Some(status) = failed_with(error) {
        return failing(source, status, &codes);
    }
    if let Some(code) = codes.first() {
        let message = format!("the authority rejects {who} with {PREFIX}{code}");
        let help = format!("https://login.microsoftonline.com/error?code={code} explains the code");
        return Finding::error(&pages::REFUSED, Kind::Invalid, "", message).help(help);
    }
    if let Some((_, why)) = landfall_net::fault(error) {
        return unanswered(source, &scrub.clean(&why)).help("check the network and the proxy");
    }
    if timed_out(error) {
        return unanswered(source, "no response in time").help("check the network and the proxy");
    }
    if causes(error).any(|cause| cause.to_string() == SENSELESS) {
        return unanswered(source, "the response is invalid, for example a token without an expiry")
            .help("check which server answers instead of the authority");
    }
    if causes(error).any(|cause| cause.to_string() == EMPTY) {
        return unanswered(source, "the response contains none").help("check which server answers instead");
    }
    match source {
        Source::AzureCli => of_cli(error, scrub),
        Source::ManagedIdentity if lacks_identity(error) => {
            no_token(source, "the machine has no identity, or not the one that AZURE_CLIENT_ID names")
                .help("assign the identity to this machine, or set AZURE_CLIENT_ID to one of its identities")
        }
        Source::ManagedIdentity => no_token(source, &answered(error)).help(
            "check that the machine has an identity, and that AZURE_CLIENT_ID, if set, is one of its \
             identities",
        ),
        // An answer that is neither a token nor a refusal comes from something on the way.
        _ if status(error).is_none() => {
            unanswered(source, &answered(error)).help("check which server answers instead of the authority")
        }
        _ => no_token(source, &answered(error)).help("check which server answers instead of the authority"),
    }
}

/// That a source has a fault of its own, or is asked too much.
fn failing(source: &Source, status: u16, codes: &[String]) -> Finding {
    let code = codes.first().map(|code| format!(" ({PREFIX}{code})")).unwrap_or_default();
    unanswered(source, &format!("it returned HTTP {status}{code}")).help(match status {
        429 => "wait, and check whether other programs send too many requests",
        _ => "try again later; if it persists, check which server answers instead",
    })
}

/// That no token came within the limit.
pub(super) fn late(source: &Source, limit: Duration) -> Finding {
    unanswered(source, &format!("no response in {} s", limit.as_secs_f32()))
        .help("check the network and the proxy; --timeout and --deadline set longer limits")
}

/// That no token came, and one may come another time.
fn unanswered(source: &Source, why: &str) -> Finding {
    Finding { kind: Kind::InternalError, ..no_token(source, why) }
}

/// Whether a finding says that a token may come another time.
pub(super) fn may_pass(finding: &Finding) -> bool {
    *finding.code == pages::NO_TOKEN && finding.kind == Kind::InternalError
}

fn no_token(source: &Source, why: &str) -> Finding {
    let message = format!("{} returned no token: {why}", source.shown());
    Finding::error(&pages::NO_TOKEN, Kind::Invalid, "", message)
}

/// What is known of an answer that is no token.
fn answered(error: &azure_core::Error) -> String {
    match status(error) {
        Some(status) => format!("it returned HTTP {status}"),
        None => "it returned an unexpected response".to_owned(),
    }
}

/// What the Azure CLI has against giving a token. It is asked last, so that without it there is nothing.
fn of_cli(error: &azure_core::Error, scrub: &Scrub) -> Finding {
    let says = |what: &str| causes(error).any(|cause| cause.to_string().contains(what));
    let why = if says("not found on PATH") {
        "the Azure CLI is not installed"
    } else if says("az login") {
        "the Azure CLI is not logged in"
    } else {
        let why = match last_line(error, scrub) {
            Some(line) => format!("it failed: {line}"),
            None => "it failed".to_owned(),
        };
        return no_token(&Source::AzureCli, &why).help(
            "run `az account get-access-token` by hand for details; landfall shows only the last line that \
             the Azure CLI prints on standard error",
        );
    };
    let message = format!(
        "no Azure credentials: none in the environment or in ~/.azure/osServicePrincipal.json, no managed \
         identity, and {why}"
    );
    Finding::error(&pages::NO_CREDENTIALS, Kind::Required, "", message).help(
        "set AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET and AZURE_SUBSCRIPTION_ID, or run `az \
         login`",
    )
}

/// The last line of what the Azure CLI says on standard error. What it prints otherwise is what it would be
/// asked for, and may hold a token.
fn last_line(error: &azure_core::Error, scrub: &Scrub) -> Option<String> {
    const MOST: usize = 300;
    let of_program = |cause: &(dyn Error + 'static)| {
        let own = cause.downcast_ref::<azure_core::Error>()?;
        let said = matches!(own.kind(), ErrorKind::Credential) && own.source().is_none();
        said.then(|| own.to_string())
    };
    let text = scrub.clean(&causes(error).find_map(of_program)?);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    let words: Vec<&str> =
        line.split_whitespace().map(|word| if may_be_token(word) { REDACTED } else { word }).collect();
    let line: String = words.join(" ").chars().filter(|c| !c.is_control()).take(MOST).collect();
    Some(line.trim_end_matches('.').to_owned()).filter(|line| !line.is_empty())
}

/// Whether a word looks like a token: what they begin with, or so long that it is no word.
fn may_be_token(word: &str) -> bool {
    const LONGEST: usize = 64;
    word.contains("eyJ") || (word.len() > LONGEST && !word.contains("://"))
}

#[cfg(test)]
mod tests {
    use azure_core::Error;
    use azure_core::http::headers::Headers;
    use azure_core::http::{RawResponse, StatusCode};

    use super::*;

    const LONG: &str = "ERROR: 0.canarycanarycanarycanarycanarycanarycanarycanarycanarycanarycanary";

    fn wrapped(inner: Error) -> Error {
        Error::with_error(ErrorKind::Credential, inner, "authentication failed. canary")
    }

    fn answer(error_code: Option<&str>, status: StatusCode) -> Error {
        let error_code = error_code.map(str::to_owned);
        let kind = ErrorKind::HttpResponse { status, error_code, raw_response: None };
        wrapped(Error::with_message(kind, "canary"))
    }

    fn found(error: &Error, source: &Source) -> Finding {
        refused(error, source, &Scrub::default())
    }

    /// Fails unless a finding has this code and ends so, and shows nothing that was answered.
    #[track_caller]
    fn check(finding: &Finding, code: &str, end: &str) {
        assert_eq!(finding.code.as_str(), code, "{}", finding.message);
        assert!(finding.message.ends_with(end), "{}", finding.message);
        assert!(!format!("{finding:?}").contains("canary"), "{finding:?}");
    }

    #[test]
    fn the_numbers_are_found_wherever_they_stand() {
        assert_eq!(codes(&answer(Some("7000215,50000"), StatusCode::Unauthorized)), ["7000215", "50000"]);
        let quoted = "invalid type: string \"AADSTS700016: Application 'x' was not found.\\r\\nTrace ID: 1\"";
        let unread = wrapped(Error::with_message(ErrorKind::DataConversion, quoted));
        assert_eq!(codes(&unread), ["700016"]);
        assert!(codes(&answer(Some("Unauthorized"), StatusCode::Unauthorized)).is_empty());
        assert!(in_text("AADSTS: AADSTS").is_empty());
    }

    #[test]
    fn errors_that_are_often_met_can_be_read() -> Result<(), serde_json::Error> {
        let all: Vec<Known> = serde_json::from_str(KNOWN)?;
        assert_eq!(all.len(), 20);
        for Known { code, what, help, .. } in all {
            assert!(is_number(&code) && !what.is_empty() && !help.is_empty(), "{code}");
        }
        Ok(())
    }

    #[test]
    fn what_the_authority_says_is_told_in_our_words() {
        let cases = [
            (Some("7000215"), StatusCode::Unauthorized, "LF1113", "AADSTS7000215)"),
            (Some("7000222"), StatusCode::Unauthorized, "LF1114", "AADSTS7000222)"),
            (Some("123456"), StatusCode::BadRequest, "LF1113", "AADSTS123456"),
            (None, StatusCode::ServiceUnavailable, "LF1115", "HTTP 503"),
            (Some("90055"), StatusCode::TooManyRequests, "LF1115", "HTTP 429 (AADSTS90055)"),
        ];
        let mut findings = Vec::new();
        for (number, status, code, end) in cases {
            let finding = found(&answer(number, status), &Source::Secret);
            check(&finding, code, end);
            findings.push(finding);
        }
        findings.extend([found(&empty(), &Source::Secret), found(&senseless(), &Source::Secret)]);
        let passing: Vec<bool> = findings.iter().map(may_pass).collect();
        assert_eq!(passing, [false, false, false, true, true, true, true]);
        // A page in place of an answer.
        let page =
            wrapped(Error::with_message(ErrorKind::DataConversion, "expected value at line 1 column 1"));
        assert!(may_pass(&found(&page, &Source::Secret)) && is_unreadable(&page));
        assert!(!is_unreadable(&answer(None, StatusCode::ServiceUnavailable)));
        landfall_testing::assert_findings("azure-authority", &findings);
    }

    #[test]
    fn a_source_that_fails_is_not_one_that_refuses() {
        let busy = answer(Some("90055"), StatusCode::TooManyRequests);
        assert_eq!(failed_with(&busy), Some(429));
        assert_eq!(failed_with(&answer(Some("7000215"), StatusCode::Unauthorized)), None);
        check(&found(&empty(), &Source::Secret), "LF1115", "");
    }

    #[test]
    fn a_machine_without_an_identity_is_told() {
        let of = |body: &'static str| {
            let status = StatusCode::BadRequest;
            let response = RawResponse::from_bytes(status, Headers::new(), body);
            let raw_response = Some(Box::new(response));
            wrapped(Error::with_message(
                ErrorKind::HttpResponse { status, error_code: None, raw_response },
                "canary",
            ))
        };
        let none = of(r#"{"error":"invalid_request","error_description":"Identity not found"}"#);
        assert!(lacks_identity(&none));
        check(&found(&none, &Source::ManagedIdentity), "LF1115", "");
        let several = of(r#"{"error":"invalid_request","error_description":"Multiple identities exist"}"#);
        assert!(!lacks_identity(&several));
    }

    #[test]
    fn an_answer_without_sense_is_told() {
        check(&found(&senseless(), &Source::Secret), "LF1115", "");
    }

    #[test]
    fn the_azure_cli_is_the_last_resort() {
        let cli = |text: &'static str| {
            found(&wrapped(Error::with_message(ErrorKind::Credential, text)), &Source::AzureCli)
        };
        let missing = cli("az not found on PATH");
        check(&missing, "LF1110", "");
        let nobody = cli("ERROR: Please run 'az login' to setup account.");
        check(&nobody, "LF1110", "");
        assert_ne!(missing.message, nobody.message);
        let expired = cli("ERROR: AADSTS700082: The refresh token has expired. canary");
        check(&expired, "LF1114", "(AADSTS700082)");
        let silent = cli("");
        check(&silent, "LF1115", "");
        let last = cli("Traceback\nERROR: The command failed with an unexpected error.\n\n");
        check(&last, "LF1115", ": ERROR: The command failed with an unexpected error");
        check(&cli("ERROR: not with eyJcanary.x.y"), "LF1115", ": ERROR: not with <redacted>");
        check(&cli(LONG), "LF1115", ": ERROR: <redacted>");
        // What it prints is quoted where it cannot be read.
        let quoted = Error::with_message(ErrorKind::DataConversion, "invalid value `canary`");
        let unread = found(&wrapped(quoted), &Source::AzureCli);
        check(&unread, "LF1115", "");
        assert_eq!(unread.message, silent.message);
        landfall_testing::assert_findings("azure-cli", [&missing, &nobody, &expired, &silent, &last]);
    }
}
