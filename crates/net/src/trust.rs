//! Trust roots: the system's, and whatever is given besides. Nothing that is given takes others away.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use landfall_diagnostics::{Code, Finding, Kind};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{PemObject, SectionKind};
use rustls::{ClientConfig, RootCertStore};
use serde_json::json;

/// Where systems keep all of their roots in one file. The first one that is there counts.
const BUNDLES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/ssl/cert.pem",
    "/opt/etc/ssl/certs/ca-certificates.crt",
    "/usr/local/etc/ssl/cert.pem",
];

/// Certificates that are given besides the system's.
#[derive(Clone, Debug)]
pub struct Extra<'a> {
    /// What they are called in findings, such as `AWS_CA_BUNDLE (/etc/ca.pem)`.
    pub name: &'a str,
    /// The PEM text; none where the file cannot be read.
    pub pem: Option<Vec<u8>>,
}

/// A place that trust roots came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustSource {
    /// Its name.
    pub name: String,
    /// How many of its certificates are trusted.
    pub certificates: usize,
}

/// Something that was given as a trust root and is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustFault {
    /// The name of the source.
    pub name: String,
    /// What is wrong with it, as a part of a sentence.
    pub why: String,
}

/// What is wrong with trust roots, and what to do.
#[must_use]
pub fn finding_of_trust(code: &'static Code, faults: &[TrustFault]) -> Finding {
    let told: Vec<String> = faults.iter().map(|fault| format!("{}: {}", fault.name, fault.why)).collect();
    let field = if faults.iter().any(|fault| fault.name == BUNDLE) { BUNDLE } else { "" };
    Finding::error(code, Kind::Invalid, field, told.join("; ")).help(
        "use certificates in PEM format, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, in a \
         file that can be read",
    )
}

/// The field of an install config that holds certificates, which is also their name among the sources.
pub const BUNDLE: &str = "additionalTrustBundle";

/// The variables that name files with certificates, all of which are trusted besides the system's.
const FILES: &[&str] = &["AWS_CA_BUNDLE", "SSL_CERT_FILE"];

/// All trust roots of a run. A copy costs nothing.
#[derive(Clone)]
pub struct Trust {
    held: Arc<Held>,
    /// Whether a root may be a server's own certificate.
    of_servers: bool,
}

struct Held {
    sources: Vec<TrustSource>,
    faults: Vec<TrustFault>,
    roots: Arc<RootCertStore>,
    /// The same in DER form.
    certificates: BTreeSet<Vec<u8>>,
    pem: String,
}

impl Trust {
    /// The system's roots and all extras together. `system_replaced` says that `SSL_CERT_FILE` or
    /// `SSL_CERT_DIR` is set, in place of which other programs would leave the system's out.
    #[must_use]
    pub fn gather(system_replaced: bool, extras: &[Extra<'_>]) -> Self {
        if !system_replaced {
            return Self::of(rustls_native_certs::load_native_certs().certs, extras, Vec::new());
        }
        // With one of the variables set, this gives what they name. Of a folder, nothing else knows.
        let named = rustls_native_certs::load_native_certs().certs;
        Self::of(well_known(), extras, named)
    }

    /// The roots of the system, of the files that the environment names, and of an install config's bundle,
    /// all together. Variables and files are looked up by the functions given.
    #[must_use]
    pub fn of_run(
        variable: impl Fn(&str) -> Option<String>,
        file: impl Fn(&str) -> Option<Vec<u8>>,
        bundle: &str,
    ) -> Self {
        let named = FILES.iter().filter_map(|name| {
            let path = variable(name)?;
            Some((format!("{name} ({path})"), file(&path)))
        });
        let bundle = Some(bundle).filter(|bundle| !bundle.is_empty());
        let bundle = bundle.map(|text| (BUNDLE.to_owned(), Some(text.as_bytes().to_vec())));
        let given: Vec<(String, Option<Vec<u8>>)> = named.chain(bundle).collect();
        let extras: Vec<Extra<'_>> =
            given.iter().map(|(name, pem)| Extra { name: name.as_str(), pem: pem.clone() }).collect();
        let replaced = ["SSL_CERT_FILE", "SSL_CERT_DIR"].iter().any(|name| variable(name).is_some());
        Self::gather(replaced, &extras)
    }

    /// The roots of these sources.
    pub(super) fn of(
        system: Vec<CertificateDer<'static>>,
        extras: &[Extra<'_>],
        folder: Vec<CertificateDer<'static>>,
    ) -> Self {
        let mut gathering = Gathering::default();
        // Systems keep many a root in two places.
        gathering.take_all(system);
        let system = gathering.seen.len();
        gathering.sources.push(TrustSource { name: "system".to_owned(), certificates: system });
        for extra in extras {
            gathering.take_extra(extra);
        }
        let before = gathering.seen.len();
        gathering.take_all(folder);
        let new = gathering.seen.len() - before;
        if new > 0 {
            gathering.sources.push(TrustSource { name: "SSL_CERT_DIR".to_owned(), certificates: new });
        }
        let held = Held {
            sources: gathering.sources,
            faults: gathering.faults,
            roots: Arc::new(gathering.roots.0),
            certificates: gathering.seen,
            pem: gathering.pem,
        };
        Self { held: Arc::new(held), of_servers: false }
    }

    /// The same, for a look in place of programs to which a trusted certificate may be a server's own although it says
    /// that it is an authority's: curl with OpenSSL, and programs in Go. Clients that are made of these roots do not take
    /// such a certificate.
    #[must_use]
    pub fn of_servers(self) -> Self {
        Self { of_servers: true, ..self }
    }

    /// Whether this certificate counts as a server's own without an authority above it.
    pub(super) fn is_server(&self, certificate: &CertificateDer<'_>) -> bool {
        self.of_servers && self.held.certificates.contains(certificate.as_ref())
    }

    /// Where the roots came from, the system first.
    #[must_use]
    pub fn sources(&self) -> &[TrustSource] {
        &self.held.sources
    }

    /// The sources with the number of their certificates, as a sentence without a full stop.
    #[must_use]
    pub fn sentence(&self) -> String {
        let counted = self.sources().iter();
        let counted: Vec<String> =
            counted.map(|source| format!("{} of {}", source.certificates, source.name)).collect();
        format!("trusted certificates: {}", counted.join(", "))
    }

    /// The same as data: a list of objects with `name` and `certificates`.
    #[must_use]
    pub fn evidence(&self) -> serde_json::Value {
        let sources = self.sources().iter();
        sources.map(|source| json!({ "name": source.name, "certificates": source.certificates })).collect()
    }

    /// What was given and cannot be used.
    #[must_use]
    pub fn faults(&self) -> &[TrustFault] {
        &self.held.faults
    }

    /// Whether anything was given besides the system's roots, be it of use or not. Other programs may then
    /// trust less than this.
    #[must_use]
    pub fn is_extended(&self) -> bool {
        self.held.sources.len() > 1 || !self.held.faults.is_empty()
    }

    /// The roots, as rustls takes them.
    #[must_use]
    pub fn roots(&self) -> Arc<RootCertStore> {
        Arc::clone(&self.held.roots)
    }

    /// The roots as PEM text, each once. rustls takes every one of them.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.held.pem
    }

    /// A client's side of TLS that trusts these roots, without a protocol being offered for inside.
    ///
    /// # Errors
    /// The cryptographic library lacks what TLS needs.
    pub fn client_config(&self) -> Result<Arc<ClientConfig>, rustls::Error> {
        let config = ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()?
            .with_root_certificates(self.roots())
            .with_no_client_auth();
        Ok(Arc::new(config))
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trust")
            .field("sources", &self.held.sources)
            .field("faults", &self.held.faults)
            .finish_non_exhaustive()
    }
}

/// The cryptography of all connections.
pub(super) fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

/// The system's roots from where systems keep them, whatever the environment says.
fn well_known() -> Vec<CertificateDer<'static>> {
    let read = |file: &&str| rustls_native_certs::load_certs_from_paths(Some(Path::new(file)), None).certs;
    let mut found =
        BUNDLES.iter().map(read).find(|certificates| !certificates.is_empty()).unwrap_or_default();
    for folder in openssl_probe::candidate_cert_dirs() {
        found.extend(rustls_native_certs::load_certs_from_paths(None, Some(folder)).certs);
    }
    found
}

struct Roots(RootCertStore);

impl Default for Roots {
    fn default() -> Self {
        Self(RootCertStore::empty())
    }
}

#[derive(Default)]
struct Gathering {
    sources: Vec<TrustSource>,
    faults: Vec<TrustFault>,
    seen: BTreeSet<Vec<u8>>,
    roots: Roots,
    pem: String,
}

impl Gathering {
    /// Takes a certificate in; whether it is a root now, be it for the second time.
    fn take(&mut self, certificate: CertificateDer<'_>) -> bool {
        let der = certificate.to_vec();
        if self.seen.contains(&der) {
            return true;
        }
        if self.roots.0.add(certificate).is_err() {
            return false;
        }
        let form = pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF);
        self.pem.push_str(&pem::encode_config(&pem::Pem::new("CERTIFICATE", der.clone()), form));
        self.seen.insert(der);
        true
    }

    fn take_all(&mut self, certificates: Vec<CertificateDer<'static>>) {
        for certificate in certificates {
            self.take(certificate);
        }
    }

    fn take_extra(&mut self, extra: &Extra<'_>) {
        let Some(text) = &extra.pem else {
            self.fault(extra.name, "the file cannot be read".to_owned());
            return;
        };
        let (mut blocks, mut certificates) = (0, 0);
        for block in <(SectionKind, Vec<u8>)>::pem_slice_iter(text) {
            blocks += 1;
            match block {
                Ok((SectionKind::Certificate, der)) if self.take(CertificateDer::from(der.as_slice())) => {
                    certificates += 1;
                }
                Ok((SectionKind::Certificate, _)) => {
                    self.fault(extra.name, format!("block {blocks} is not an X.509 certificate"));
                }
                Ok(_) => self.fault(extra.name, format!("block {blocks} is not a certificate")),
                Err(_) => {
                    self.fault(extra.name, format!("block {blocks} is incomplete, or not base64"));
                }
            }
        }
        if blocks == 0 {
            self.fault(extra.name, "there is no certificate in it".to_owned());
        }
        self.sources.push(TrustSource { name: extra.name.to_owned(), certificates });
    }

    fn fault(&mut self, name: &str, why: String) {
        self.faults.push(TrustFault { name: name.to_owned(), why });
    }
}
