//! The way to one cluster: its server, whom to trust, which proxy leads there, and who asks.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::kube::client::ClientBuilder;
use ::kube::{Client, Config};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Uri;
use landfall_diagnostics::secret::without_user;
use landfall_net::{Broken, Extra, Proxies, Proxy, Trust, probe};
use url::Url;

use super::Fault;
use super::kubeconfig::{self, Authorities, Bad, BadKubeconfig, Current};
use super::observed::Observed;

/// Where a pod finds its service account.
pub const ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
/// A watch is ended by the server after at most five minutes, whether there was news or not.
const LONGEST_SILENCE: Duration = Duration::from_secs(310);

/// Access to one cluster, as a kubeconfig or a pod's service account gives it.
pub struct Access {
    server: Url,
    config: Config,
    trust: Trust,
    proxies: Proxies,
}

impl Access {
    /// The access that the current context of a kubeconfig gives. `variable` gives the values of the
    /// environment, of which proxies and trust roots count; a proxy and authorities of the kubeconfig's own
    /// go before them.
    ///
    /// # Errors
    /// The file cannot be read, does not say what it must, or wants a connection that is not verified.
    pub fn read(path: &Path, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, BadKubeconfig> {
        Self::of(kubeconfig::read(path)?, variable)
    }

    /// The access that the pod gives in which this process runs: its service account, whose token is read
    /// again when it was renewed.
    ///
    /// # Errors
    /// This is not a pod, or it has no service account.
    pub fn in_cluster(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, BadKubeconfig> {
        let named = ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"].map(variable);
        let [Some(host), Some(port)] = named else {
            let why = "does not exist: this is not a pod of a cluster, and no kubeconfig is set".to_owned();
            return Err(BadKubeconfig { bad: Bad::Unreadable, why });
        };
        Self::of(kubeconfig::service_account(Path::new(ACCOUNT), &host, &port)?, variable)
    }

    /// The access that a run is given: by the kubeconfig of a flag, by that of `KUBECONFIG`, or by the pod in
    /// which it runs.
    ///
    /// # Errors
    /// What gives it cannot be used; the file that it is about goes with it.
    pub fn of_run(
        flag: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, (PathBuf, BadKubeconfig)> {
        let named = variable("KUBECONFIG").filter(|path| !path.is_empty()).map(PathBuf::from);
        match flag.map(Path::to_path_buf).or(named) {
            Some(path) => Self::read(&path, variable).map_err(|bad| (path, bad)),
            None => Self::in_cluster(variable).map_err(|bad| (PathBuf::from(ACCOUNT), bad)),
        }
    }

    fn of(current: Current, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, BadKubeconfig> {
        let server = server(current.cluster.server.as_deref().unwrap_or_default())?;
        let (trust, roots) = if let Some(Authorities { certificates, pem }) = current.authorities {
            let extra = Extra { name: "kubeconfig", pem: Some(pem) };
            (Trust::gather(false, &[extra]), certificates)
        } else {
            let trust = Trust::of_run(variable, kubeconfig::file, "");
            let blocks = pem::parse_many(trust.pem()).unwrap_or_default();
            (trust, blocks.into_iter().map(pem::Pem::into_contents).collect())
        };
        let own = current.cluster.proxy_url.as_deref().filter(|proxy| !proxy.is_empty());
        let proxies = match own {
            Some(proxy) => Proxies::of(proxy, "", ""),
            None => Proxies::gather(variable),
        };
        let uri: Uri = server
            .as_str()
            .parse()
            .map_err(|_| BadKubeconfig::invalid("has a server URL that cannot be used"))?;
        let mut config = Config::new(uri);
        config.root_cert = Some(roots);
        config.auth_info = current.user;
        config.tls_server_name = current.cluster.tls_server_name.filter(|name| !name.is_empty());
        config.proxy_url = proxies.for_url(&server).as_ref().and_then(with_user);
        // Whoever calls decides whether to call again.
        config.default_retry = false;
        config.reset_reader_on_write = true;
        Ok(Self { server, config, trust, proxies })
    }

    /// The server's URL, without what may be secret in it.
    #[must_use]
    pub fn server(&self) -> String {
        without_user(self.server.as_str()).trim_end_matches('/').to_owned()
    }

    /// Name and port of the server.
    #[must_use]
    pub fn authority(&self) -> String {
        let host = self.server.host_str().unwrap_or_default();
        match self.server.port_or_known_default() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// A client that waits at most `limit` for a connection, and for each part of an answer. Must be called
    /// within a runtime.
    ///
    /// # Errors
    /// The proxy, a certificate, a key or the user's credentials cannot be used.
    pub fn client(&self, limit: Duration) -> Result<Client, Fault> {
        self.client_with(limit, limit)
    }

    /// A client for watches: it waits at most `limit` for a connection, and for words of the server as long as
    /// a watch without news takes. Must be called within a runtime.
    ///
    /// # Errors
    /// As those of [`Self::client`].
    pub fn watching_client(&self, limit: Duration) -> Result<Client, Fault> {
        self.client_with(limit, LONGEST_SILENCE)
    }

    fn client_with(&self, limit: Duration, silence: Duration) -> Result<Client, Fault> {
        let mut config = self.config.clone();
        config.connect_timeout = Some(limit);
        config.read_timeout = Some(silence);
        config.write_timeout = Some(limit);
        let client = ClientBuilder::try_from(config).map_err(|error| Fault::of(&error))?;
        Ok(client.with_layer(&Observed).build())
    }

    /// What is wrong with the way to the server, looked at step by step; none where nothing is, or where it
    /// cannot be looked at.
    pub async fn look(&self, limit: Duration) -> Option<Broken> {
        // The look takes the name of the URL for the one that the certificate must have.
        if self.config.tls_server_name.is_some() {
            return None;
        }
        probe(&self.server, &self.trust, &self.proxies, limit).await.answer.err()
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("server", &self.server()).finish_non_exhaustive()
    }
}

fn server(text: &str) -> Result<Url, BadKubeconfig> {
    if text.is_empty() {
        return Err(BadKubeconfig::invalid("has no server for its cluster"));
    }
    let shown = without_user(text);
    let url = Url::parse(text).ok().filter(Url::has_host);
    let url = url.ok_or_else(|| {
        BadKubeconfig::invalid(format!(
            "has the server `{}`, which is not a URL",
            landfall_diagnostics::shortened(&shown)
        ))
    })?;
    match url.scheme() {
        "https" => Ok(url),
        scheme => {
            let why = format!("has a server URL with {scheme}, not https");
            Err(BadKubeconfig { bad: Bad::Insecure, why })
        }
    }
}

/// The proxy's address with its user and password, as the client takes it.
fn with_user(proxy: &Proxy) -> Option<Uri> {
    let Some(authorization) = proxy.authorization() else {
        return Some(proxy.uri().clone());
    };
    let sent = authorization.to_str().ok()?.strip_prefix("Basic ")?;
    let decoded = String::from_utf8(STANDARD.decode(sent).ok()?).ok()?;
    let (user, password) = decoded.split_once(':').unwrap_or((decoded.as_str(), ""));
    let mut url = Url::parse(&proxy.uri().to_string()).ok()?;
    url.set_username(user).ok()?;
    url.set_password(Some(password)).ok()?;
    url.as_str().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_asked_by_https() {
        let refused = |text: &str| server(text).err().map(|refused| refused.bad);
        assert_eq!(refused("https://api.demo.example.com:6443"), None);
        assert_eq!(refused("http://api.demo.example.com:8080"), Some(Bad::Insecure));
        assert_eq!(refused("api.demo"), Some(Bad::Invalid));
        assert_eq!(refused(""), Some(Bad::Invalid));
    }

    #[test]
    fn a_proxy_keeps_its_user() {
        let proxies = Proxies::of("http://user:p%40ss@proxy:3128", "", "");
        let url = Url::parse("https://api.demo.example.com:6443").ok();
        let found = url.and_then(|url| proxies.for_url(&url)).as_ref().and_then(with_user);
        assert_eq!(found.map(|uri| uri.to_string()), Some("http://user:p%40ss@proxy:3128/".to_owned()));
    }
}
