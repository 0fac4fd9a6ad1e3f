//! Signatures that give access to the blobs of a storage account: an account SAS, signed with its key.
//!
//! <https://learn.microsoft.com/rest/api/storageservices/create-account-sas>

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};
use landfall_diagnostics::secret::Secret;
use url::form_urlencoded;

/// Version of the storage service's interface.
pub(super) const VERSION: &str = "2019-12-12";
/// A clock that is ahead of Azure's must not sign for the future.
const BEFORE: SignedDuration = SignedDuration::from_mins(15);
/// The machine reads its config within this time.
const LIFE: SignedDuration = SignedDuration::from_hours(24);

/// What may be done with a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowed {
    /// It is read.
    Read,
    /// It is read, created and written.
    Write,
}

/// The query that gives access; none where the key is not base64.
pub(super) fn query(
    account: &str,
    key: &Secret<String>,
    allowed: Allowed,
    now: Timestamp,
) -> Option<Secret<String>> {
    let key = STANDARD.decode(key.expose().as_bytes()).ok()?;
    let permissions = match allowed {
        Allowed::Read => "r",
        Allowed::Write => "rwc",
    };
    let written = |time: Timestamp| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let start = written(now.checked_sub(BEFORE).ok()?);
    let end = written(now.checked_add(LIFE).ok()?);
    let (services, types, protocol) = ("b", "o", "https");
    let signed =
        format!("{account}\n{permissions}\n{services}\n{types}\n{start}\n{end}\n\n{protocol}\n{VERSION}\n");
    let signature = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), signed.as_bytes());
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("sv", VERSION)
        .append_pair("ss", services)
        .append_pair("srt", types)
        .append_pair("sp", permissions)
        .append_pair("se", &end)
        .append_pair("st", &start)
        .append_pair("spr", protocol)
        .append_pair("sig", &STANDARD.encode(signature.as_ref()))
        .finish();
    Some(Secret::new(query))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_of_one_account_one_time_and_one_purpose() {
        let key = Secret::new(STANDARD.encode("canary-key"));
        let signed = |account: &str, allowed, now| {
            query(account, &key, allowed, now).map(|query| query.expose().clone()).unwrap_or_default()
        };
        let now = Timestamp::UNIX_EPOCH;
        let read = signed("demo", Allowed::Read, now);
        let expected = "sv=2019-12-12&ss=b&srt=o&sp=r&se=1970-01-02T00%3A00%3A00Z&st=1969-12-31T23%3A45%3A00Z&spr=https&sig=";
        assert!(read.starts_with(expected), "{read}");
        assert!(!read.contains("canary"));
        for other in [
            signed("other", Allowed::Read, now),
            signed("demo", Allowed::Write, now),
            signed("demo", Allowed::Read, Timestamp::MAX.min(now + SignedDuration::from_secs(1))),
        ] {
            assert_ne!(read, other);
        }
        assert!(query("demo", &Secret::new("?".to_owned()), Allowed::Read, now).is_none());
    }
}
