//! Keeps the certificates that a server presents, whether they are accepted or not.

use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::chain::Certificate;
use super::trust::{self, Trust};

/// Verifies one server as rustls does, and remembers what it presented.
#[derive(Debug)]
pub(super) struct RecordingVerifier {
    /// None where there is no trust root at all, which rustls makes no verifier of: nobody is accepted then.
    verifier: Option<Arc<WebPkiServerVerifier>>,
    schemes: Vec<SignatureScheme>,
    trust: Trust,
    presented: OnceLock<Vec<Certificate>>,
}

impl RecordingVerifier {
    /// A verifier of one handshake.
    pub(super) fn new(trust: &Trust) -> Arc<Self> {
        let provider = trust::provider();
        let schemes = provider.signature_verification_algorithms.supported_schemes();
        let verifier = WebPkiServerVerifier::builder_with_provider(trust.roots(), provider).build().ok();
        Arc::new(Self { verifier, schemes, trust: trust.clone(), presented: OnceLock::new() })
    }

    /// The certificates that were presented, the server's own first.
    pub(super) fn presented(&self) -> Vec<Certificate> {
        self.presented.get().cloned().unwrap_or_default()
    }

    fn verifier(&self) -> Result<&WebPkiServerVerifier, Error> {
        self.verifier.as_deref().ok_or(Error::InvalidCertificate(CertificateError::UnknownIssuer))
    }
}

/// Whether a certificate is valid at this time.
fn valid_at(certificate: &CertificateDer<'_>, now: UnixTime) -> Result<(), Error> {
    let (_, read) =
        X509Certificate::from_der(certificate).map_err(|_| Error::from(CertificateError::BadEncoding))?;
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    match read.validity() {
        validity if now < validity.not_before.timestamp() => Err(CertificateError::NotValidYet.into()),
        validity if now > validity.not_after.timestamp() => Err(CertificateError::Expired.into()),
        _ => Ok(()),
    }
}

/// A client's side of TLS with this verifier.
pub(super) fn config(verifier: &Arc<RecordingVerifier>) -> Result<Arc<ClientConfig>, Error> {
    let verifier: Arc<dyn ServerCertVerifier> = verifier.clone();
    let config = ClientConfig::builder_with_provider(trust::provider())
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

impl ServerCertVerifier for RecordingVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let presented =
            [end_entity].into_iter().chain(intermediates).map(|der| Certificate::of(der)).collect();
        // A handshake presents certificates once.
        let _ = self.presented.set(presented);
        let verifier = self.verifier()?;
        match verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // What rustls has no word of its own for, such as the certificate of an authority.
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
                if self.trust.is_server(end_entity) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                valid_at(end_entity, now).map(|()| ServerCertVerified::assertion())
            }
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier()?.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier()?.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.clone()
    }
}
