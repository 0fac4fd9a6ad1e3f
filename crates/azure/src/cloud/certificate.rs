//! The certificate of an application: the file, and what is signed with it to get a token.

#![allow(clippy::disallowed_methods, reason = "a signed token contains its validity")]

use std::fmt;
use std::pin::Pin;

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{KeyPair, RSA_PSS_SHA256, RsaKeyPair};
use azure_core::error::ErrorKind;
use azure_core::http::ClientMethodOptions;
use azure_identity::ClientAssertion;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, Kind, shortened};
use pem::Pem;
use serde_json::{Value, json};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::key_store::{self, Unreadable};
use super::pages;

/// How long an assertion counts, in seconds.
const LIFETIME: i64 = 600;

const BOTH: &str = "put the certificate and its RSA key into one file: both in PEM format, or both in \
    PKCS#12 format";
const DECRYPT: &str = "write the key without a password: openssl pkey -in FILE, into a file that only you \
    can read; or put key and certificate into a PKCS#12 file, which may have one: openssl pkcs12 -export \
    -in FILE -out FILE.pfx";
const PASSWORD: &str = "set AZURE_CLIENT_CERTIFICATE_PASSWORD, or clientCertificatePassword in \
                        ~/.azure/osServicePrincipal.json, to the password of the file";
const EXPORT: &str = "create it again with a common cipher, such as AES-256: openssl pkcs12 -export -in FILE \
                      -out FILE.pfx; or use PEM format";
const FORM: &str = "it is neither PEM nor PKCS#12, or it is incomplete";
const CIPHER: &str = "it cannot be decrypted: unknown cipher or wrong password";
const RSA: &str = "Azure accepts RSA certificates only";

/// An application's certificate with its key.
pub(super) struct Certificate {
    key: RsaKeyPair,
    /// The certificate itself, in DER form.
    der: Vec<u8>,
    thumbprint: String,
    /// The end of its validity, in seconds since 1970.
    end: i64,
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").field("thumbprint", &self.thumbprint).finish_non_exhaustive()
    }
}

/// Why a certificate cannot be used, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unfit {
    why: String,
    help: &'static str,
}

fn unfit<T>(why: impl Into<String>, help: &'static str) -> Result<T, Unfit> {
    Err(Unfit { why: why.into(), help })
}

impl Unfit {
    /// The finding about the file at `path`.
    pub(super) fn finding(&self, path: &str) -> Finding {
        let message = format!("the certificate `{}` cannot be used: {}", shortened(path), self.why);
        Finding::error(&pages::CERTIFICATE, Kind::Invalid, "", message).help(self.help)
    }
}

impl Certificate {
    /// The certificate in a file, as of now. The password is that of a file in PKCS#12 form.
    pub(super) fn read(bytes: Option<Vec<u8>>, password: &Secret<String>) -> Result<Self, Unfit> {
        let Some(bytes) = bytes else {
            return unfit("the file cannot be read", "check the path and its permissions");
        };
        let certificate =
            if is_pem(&bytes) { Self::of_pem(&bytes) } else { Self::of_store(&bytes, password) }?;
        if certificate.end <= Timestamp::now().as_second() {
            let end = Timestamp::from_second(certificate.end).map(|end| end.to_string()).unwrap_or_default();
            return unfit(
                format!("it expired at {end}"),
                "create a new certificate, and upload it in the app registration",
            );
        }
        Ok(certificate)
    }

    fn of_pem(bytes: &[u8]) -> Result<Self, Unfit> {
        let Ok(blocks) = pem::parse_many(bytes) else {
            return unfit("it is incomplete, or not base64", BOTH);
        };
        let key = key_in(&blocks)?;
        let given = blocks.iter().filter(|block| block.tag() == "CERTIFICATE").map(Pem::contents);
        Self::of(key, given)
    }

    fn of_store(bytes: &[u8], password: &Secret<String>) -> Result<Self, Unfit> {
        let contents = match key_store::read(bytes, password.expose()) {
            Ok(contents) => contents,
            Err(Unreadable::Form) => return unfit(FORM, BOTH),
            Err(Unreadable::Password) if password.is_empty() => {
                return unfit("it needs a password, and none is set", PASSWORD);
            }
            Err(Unreadable::Password) => {
                return unfit("the password is wrong", PASSWORD);
            }
            Err(Unreadable::Cipher) => return unfit(CIPHER, EXPORT),
        };
        if contents.keys.is_empty() {
            return unfit("there is no private key in it", BOTH);
        }
        let mut found = unfit("its key is not an RSA key of 2048 to 8192 bits", RSA);
        for key in contents.keys.iter().filter_map(|key| RsaKeyPair::from_pkcs8(key).ok()) {
            found = Self::of(key, contents.certificates.iter().map(Vec::as_slice));
            if found.is_ok() {
                break;
            }
        }
        found
    }

    /// The certificate of a key, among those of its file.
    fn of<'d>(key: RsaKeyPair, given: impl Iterator<Item = &'d [u8]>) -> Result<Self, Unfit> {
        let public: &[u8] = key.public_key().as_ref();
        let own = |der: &&[u8]| {
            let read = X509Certificate::from_der(der);
            read.is_ok_and(|(_, read)| read.public_key().subject_public_key.data[..] == *public)
        };
        let mut given = given.peekable();
        if given.peek().is_none() {
            return unfit("there is no certificate in it", BOTH);
        }
        let Some(der) = given.find(own) else {
            return unfit("its key does not match its certificate", BOTH);
        };
        let end = X509Certificate::from_der(der).map_or(0, |(_, read)| read.validity().not_after.timestamp());
        let thumbprint = URL_SAFE_NO_PAD.encode(digest(&SHA256, der));
        Ok(Self { der: der.to_vec(), key, thumbprint, end })
    }

    /// The certificate with its key as a file in PKCS#12 form with this password; none where the libraries
    /// refuse.
    pub(super) fn key_store(&self, password: &Secret<String>) -> Option<Secret<Vec<u8>>> {
        let key: Pkcs8V1Der<'static> = self.key.as_der().ok()?;
        key_store::written(key.as_ref(), &self.der, password.expose()).map(Secret::new)
    }

    /// A JWT of these claims. The authority takes the thumbprint in SHA-256 with a signature by RSA-PSS.
    fn signed(&self, claims: &Value) -> Option<String> {
        let header = json!({ "alg": "PS256", "typ": "JWT", "x5t#S256": self.thumbprint });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(&header), part(claims));
        let mut signature = vec![0_u8; self.key.public_modulus_len()];
        self.key.sign(&RSA_PSS_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature).ok()?;
        Some(format!("{text}.{}", URL_SAFE_NO_PAD.encode(&signature)))
    }
}

/// Whether a file is in PEM form, whatever else it holds.
fn is_pem(bytes: &[u8]) -> bool {
    const BEGIN: &[u8] = b"-----BEGIN ";
    bytes.windows(BEGIN.len()).any(|window| window == BEGIN)
}

/// The RSA key among the blocks of a file.
fn key_in(blocks: &[Pem]) -> Result<RsaKeyPair, Unfit> {
    let encrypted =
        |block: &Pem| block.tag() == "ENCRYPTED PRIVATE KEY" || block.headers().get("Proc-Type").is_some();
    let Some(block) = blocks.iter().find(|block| block.tag().ends_with("PRIVATE KEY")) else {
        return unfit("there is no private key in it", BOTH);
    };
    if encrypted(block) {
        return unfit("its key has a password, which only a PKCS#12 file may have", DECRYPT);
    }
    let key = match block.tag() {
        "PRIVATE KEY" => RsaKeyPair::from_pkcs8(block.contents()).ok(),
        "RSA PRIVATE KEY" => RsaKeyPair::from_der(block.contents()).ok(),
        _ => None,
    };
    match key {
        Some(key) => Ok(key),
        None => unfit("its key is not an RSA key of 2048 to 8192 bits", RSA),
    }
}

/// What an application shows instead of a secret: that it has the key of its certificate.
#[derive(Debug)]
pub(super) struct Assertion {
    certificate: Certificate,
    client: String,
    audience: String,
}

impl Assertion {
    /// For an application of which a token is asked at the URL `audience`.
    pub(super) fn new(certificate: Certificate, client: &str, audience: &str) -> Self {
        Self { certificate, client: client.to_owned(), audience: audience.to_owned() }
    }

    fn claims(&self, now: i64) -> Value {
        let id: [u8; 16] = rand::random();
        json!({
            "aud": self.audience,
            "iss": self.client,
            "sub": self.client,
            "jti": URL_SAFE_NO_PAD.encode(id),
            "iat": now,
            "nbf": now,
            "exp": now + LIFETIME,
        })
    }

    fn made(&self) -> azure_core::Result<String> {
        let claims = self.claims(Timestamp::now().as_second());
        self.certificate
            .signed(&claims)
            .ok_or_else(|| azure_core::Error::with_message(ErrorKind::Credential, "the key cannot sign"))
    }
}

// The trait is made by the macro of async-trait; this is what the macro makes of an `async fn`.
impl ClientAssertion for Assertion {
    fn secret<'life0, 'life1, 'async_trait>(
        &'life0 self,
        _: Option<ClientMethodOptions<'life1>>,
    ) -> Pin<Box<dyn Future<Output = azure_core::Result<String>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(std::future::ready(self.made()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::error::Error;

    use aws_lc_rs::signature::{RSA_PSS_2048_8192_SHA256, UnparsedPublicKey};
    use rcgen::{CertificateParams, PKCS_RSA_SHA256, RsaKeySize};

    use super::*;

    type Outcome = Result<(), Box<dyn Error>>;

    /// An RSA key and its certificate, in PEM form.
    fn pair(years: (i32, i32)) -> Result<(String, String), Box<dyn Error>> {
        let key = rcgen::KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048)?;
        let mut params = CertificateParams::new(vec!["landfall".to_owned()])?;
        params.not_before = rcgen::date_time_ymd(years.0, 1, 2);
        params.not_after = rcgen::date_time_ymd(years.1, 1, 2);
        Ok((key.serialize_pem(), params.self_signed(&key)?.pem()))
    }

    fn password(text: &str) -> Secret<String> {
        Secret::new(text.to_owned())
    }

    fn read(bytes: &[u8]) -> Result<Certificate, Unfit> {
        Certificate::read(Some(bytes.to_vec()), &password(""))
    }

    fn why(bytes: &str) -> String {
        read(bytes.as_bytes()).err().map(|unfit| unfit.why).unwrap_or_default()
    }

    #[test]
    fn an_assertion_is_signed_by_the_key_of_the_certificate() -> Outcome {
        let (key, certificate) = pair((2020, 2090))?;
        let (_, other) = pair((2020, 2090))?;
        let text = format!("{other}{key}{certificate}");
        let Ok(read) = read(text.as_bytes()) else { unreachable!("it is whole") };
        let url = "https://login.example.com/t/oauth2/v2.0/token";
        let assertion = Assertion::new(read, "client", url);
        let claims = assertion.claims(1_700_000_000);
        assert_eq!((&claims["aud"], &claims["exp"]), (&json!(url), &json!(1_700_000_600)));
        assert_eq!((&claims["iss"], &claims["sub"]), (&json!("client"), &json!("client")));
        let jwt = assertion.made()?;
        let (text, signature) = jwt.rsplit_once('.').unwrap_or_default();
        let signature = URL_SAFE_NO_PAD.decode(signature)?;
        let public = assertion.certificate.key.public_key().as_ref().to_vec();
        let verifier = UnparsedPublicKey::new(&RSA_PSS_2048_8192_SHA256, public);
        assert!(verifier.verify(text.as_bytes(), &signature).is_ok());
        let header = text.split('.').next().unwrap_or_default();
        let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header)?)?;
        assert_eq!(header["alg"], json!("PS256"));
        assert_eq!(header["x5t#S256"].as_str().map(str::len), Some(43));
        Ok(())
    }

    #[test]
    fn a_file_that_cannot_be_used_says_why() -> Outcome {
        let (key, certificate) = pair((2020, 2090))?;
        let (_, other) = pair((2020, 2090))?;
        let (old_key, old) = pair((2020, 2021))?;
        for odd in ["", "0\u{1}", "text"] {
            assert_eq!(why(odd), FORM);
        }
        let encrypted = key.replace("PRIVATE", "ENCRYPTED PRIVATE");
        let curve = rcgen::KeyPair::generate()?.serialize_pem();
        let cases = [
            ("no key", why(&certificate), "private key"),
            ("no certificate", why(&key), "certificate"),
            ("another key", why(&format!("{key}{other}")), "key"),
            ("expired", why(&format!("{old_key}{old}")), "2021-01-02T00:00:00Z"),
            ("encrypted", why(&format!("{certificate}{encrypted}")), "PKCS#12"),
            ("another kind of key", why(&format!("{certificate}{curve}")), "RSA"),
        ];
        for (case, why, word) in &cases {
            assert!(why.contains(word), "{case}: {why}");
        }
        let all: BTreeSet<&str> = cases.iter().map(|(_, why, _)| why.as_str()).collect();
        assert_eq!(all.len(), cases.len(), "{all:?}");
        let sentences = cases.into_iter().map(|(case, why, _)| (case.to_owned(), why));
        landfall_testing::assert_sentences("azure-certificate", sentences);
        let missing = Certificate::read(None, &password("")).err().map(|unfit| unfit.finding("/c.pem"));
        let (code, message) = missing.map(|f| (f.code.as_str(), f.message)).unwrap_or_default();
        assert_eq!(code, "LF1112");
        assert!(message.contains("`/c.pem`"), "{message}");
        Ok(())
    }

    #[test]
    fn a_key_store_is_as_good_as_pem() -> Outcome {
        let (key, certificate) = pair((2020, 2090))?;
        let Ok(first) = read(format!("{key}{certificate}").as_bytes()) else { unreachable!("it is whole") };
        let canary = password("canary-password");
        let store = first.key_store(&canary).map(|store| store.expose().clone());
        let again = Certificate::read(store.clone(), &canary);
        assert_eq!(again.map(|again| again.thumbprint), Ok(first.thumbprint));
        let refused = |password: &Secret<String>| {
            Certificate::read(store.clone(), password).err().map(|unfit| unfit.finding("/c.pfx"))
        };
        let messages = ["canary-other", ""].map(|given| {
            let finding = refused(&password(given));
            assert_eq!(finding.as_ref().map(|finding| finding.code.as_str()), Some("LF1112"));
            finding.map(|finding| finding.message).unwrap_or_default()
        });
        for message in &messages {
            assert!(message.contains("`/c.pfx`") && message.contains("password"), "{message}");
        }
        assert_ne!(messages[0], messages[1]);
        let help = refused(&password("")).and_then(|finding| finding.help).unwrap_or_default();
        assert!(help.contains("AZURE_CLIENT_CERTIFICATE_PASSWORD"), "{help}");
        Ok(())
    }

    #[test]
    fn a_key_store_must_hold_an_rsa_key_with_its_certificate_of_today() -> Outcome {
        let of = |key: &[u8], certificate: &str| {
            let der = pem::parse(certificate).map(Pem::into_contents).unwrap_or_default();
            let store = key_store::written(key, &der, "").unwrap_or_default();
            read(&store).err().map(|unfit| unfit.why).unwrap_or_default()
        };
        let key = rcgen::KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048)?.serialize_der();
        let (old_key, old) = pair((2020, 2021))?;
        let curve = rcgen::KeyPair::generate()?.serialize_der();
        let own_key = pem::parse(&old_key)?.into_contents();
        // The same sentences as those of files in PEM form.
        let (other_key, _) = pair((2020, 2090))?;
        assert_eq!(of(&key, &old), why(&format!("{other_key}{old}")));
        assert_eq!(of(&own_key, &old), why(&format!("{old_key}{old}")));
        assert!(of(&curve, &old).contains("RSA"), "{}", of(&curve, &old));
        Ok(())
    }

    #[test]
    fn the_key_is_not_shown() -> Outcome {
        let (key, certificate) = pair((2020, 2090))?;
        let text = format!("{key}{certificate}");
        let shown = format!("{:?}", read(text.as_bytes()));
        assert!(shown.starts_with("Ok(Certificate { thumbprint: "), "{shown}");
        assert!(shown.len() < 100, "{shown}");
        Ok(())
    }
}
