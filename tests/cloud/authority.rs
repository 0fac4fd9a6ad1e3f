//! Certificates of a private authority, as a cloud that is cut off from the public has them.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// The names of a front that is asked by its address.
pub const LOOPBACK: &[&str] = &["127.0.0.1", "localhost"];

/// Certificates end on the second of January of a year; these are good for as long as the test may live.
const LONG: i32 = 2045;
/// And these have ended.
const GONE: i32 = 2024;

/// An authority that no system knows.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its certificate.
    pub pem: String,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = params(&[], name, LONG);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// What a server of these names shows.
    pub fn server(&self, names: &[&str]) -> Arc<ServerConfig> {
        self.shown(names, LONG)
    }

    /// What a server of these names shows whose certificate was not renewed in time.
    pub fn expired(&self, names: &[&str]) -> Arc<ServerConfig> {
        self.shown(names, GONE)
    }

    fn shown(&self, names: &[&str], until: i32) -> Arc<ServerConfig> {
        let key = KeyPair::generate().unwrap();
        let params = params(names, "server", until);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        Arc::new(config)
    }
}

fn params(names: &[&str], common_name: &str, until: i32) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(until, 1, 2);
    params
}
