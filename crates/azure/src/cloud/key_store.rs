//! Keys with their certificates in PKCS#12 form: what users have, and what terraform takes.

use p12_keystore::error::Error;
use p12_keystore::{
    Certificate, EncryptionAlgorithm, KeyStore, KeyStoreEntry, MacAlgorithm, Pkcs12Archive, PrivateKey,
    PrivateKeyChain,
};

/// The name of the only key in a file that is made here.
const NAME: &str = "landfall";

/// What a file holds.
pub(super) struct Contents {
    /// Private keys, in PKCS#8 form.
    pub(super) keys: Vec<Vec<u8>>,
    /// Certificates, in DER form.
    pub(super) certificates: Vec<Vec<u8>>,
}

/// Why a file cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// It is in another form, or not whole.
    Form,
    /// It is made with another password.
    Password,
    /// What it is encrypted with is not known here.
    Cipher,
}

/// What a file holds that was made with this password.
pub(super) fn read(bytes: &[u8], password: &str) -> Result<Contents, Unreadable> {
    let archive = Pkcs12Archive::from_pkcs12(bytes, password).map_err(|error| why(&error))?;
    Ok(Contents {
        keys: archive.keys.iter().map(|bag| bag.key.as_der().to_vec()).collect(),
        certificates: archive.certs.iter().map(|bag| bag.cert.as_der().to_vec()).collect(),
    })
}

fn why(error: &Error) -> Unreadable {
    match error {
        Error::MacError(_) => Unreadable::Password,
        // The password is right by then, unless the file says nothing to know it by.
        Error::Pkcs5Error(_)
        | Error::UnpadError
        | Error::UnsupportedEncryptionScheme
        | Error::UnsupportedMacAlgorithm => Unreadable::Cipher,
        _ => Unreadable::Form,
    }
}

/// A file with this key, in PKCS#8 form, and its certificate, in DER form; none where the libraries refuse.
///
/// Releases of the azurerm provider read files with different libraries. The older of these knows only the
/// ciphers that PKCS#12 began with, and no file with more than one certificate.
pub(super) fn written(key: &[u8], certificate: &[u8], password: &str) -> Option<Vec<u8>> {
    let key = PrivateKey::from_der(key).ok()?;
    let certificate = Certificate::from_der(certificate).ok()?;
    let mut store = KeyStore::new();
    let chain = PrivateKeyChain::new(NAME, key, [certificate]);
    store.add_entry(NAME, KeyStoreEntry::PrivateKeyChain(chain));
    store
        .writer(password)
        .encryption_algorithm(EncryptionAlgorithm::PbeWithShaAnd3KeyTripleDesCbc)
        .mac_algorithm(MacAlgorithm::HmacSha1)
        .write()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn what_is_written_is_read_with_its_password_alone() -> Outcome {
        let key = rcgen::KeyPair::generate()?;
        let certificate = rcgen::CertificateParams::new(Vec::<String>::new())?.self_signed(&key)?;
        let written = written(&key.serialize_der(), certificate.der(), "canary-password").unwrap_or_default();
        let read = read(&written, "canary-password").map(|found| (found.keys, found.certificates));
        assert_eq!(read, Ok((vec![key.serialize_der()], vec![certificate.der().to_vec()])));
        let refused = |bytes: &[u8], password: &str| super::read(bytes, password).err();
        assert_eq!(refused(&written, "other"), Some(Unreadable::Password));
        assert_eq!(refused(&written, ""), Some(Unreadable::Password));
        let half = written.get(..written.len() / 2).unwrap_or_default();
        assert_eq!(refused(half, "canary-password"), Some(Unreadable::Form));
        assert_eq!(refused(certificate.der(), ""), Some(Unreadable::Form));
        assert_eq!(refused(b"", ""), Some(Unreadable::Form));
        Ok(())
    }

    #[test]
    fn what_is_no_certificate_is_not_written() {
        assert_eq!(written(b"", b"", "x"), None);
    }
}
