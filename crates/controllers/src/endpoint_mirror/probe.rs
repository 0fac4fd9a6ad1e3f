//! The look at an endpoint from within the cluster.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use landfall_kube::kinds;
use landfall_kube::objects::{ObjectRef, Objects};
use landfall_net::{Proxies, Step, Trust, probe};
use url::Url;

use crate::object_refs;

/// The variables that name a proxy, in capitals.
const PROXIES: [&str; 3] = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"];

/// Looks whether endpoints can be reached.
pub trait Probe: Send + Sync {
    /// Looks at one: whether its name becomes addresses, one of them takes a connection, and the server proves
    /// who it is. Otherwise it says what happened, as a part of a sentence, without anything secret.
    fn look<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<(), String>>;
}

/// What the environment says: the value of a variable.
pub type Variable = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;
/// What the environment holds: the bytes of a file.
pub type File = Arc<dyn Fn(&str) -> Option<Vec<u8>> + Send + Sync>;

/// Looks over the network as the process does otherwise: with the roots of the environment, whose files may change
/// under it, and with its proxies. Where the environment names none, with those of the cluster.
pub struct NetProbe {
    /// Where the cluster's proxies are asked for.
    pub objects: Arc<dyn Objects>,
    /// The variables.
    pub variable: Variable,
    /// The files.
    pub file: File,
    /// How long the look at one endpoint may take.
    pub limit: Duration,
}

impl NetProbe {
    /// The proxies of the environment, else those in the status of the cluster's Proxy object, where there is one.
    /// See <https://docs.openshift.com/container-platform/latest/networking/enable-cluster-wide-proxy.html>.
    async fn proxies(&self) -> Result<Proxies, String> {
        let variable = |name: &str| (self.variable)(name);
        let has = |name: &&str| variable(name).is_some_and(|value| !value.is_empty());
        if PROXIES.iter().any(|name| has(name) || has(&name.to_lowercase().as_str())) {
            return Ok(Proxies::gather(variable));
        }
        let place = ObjectRef::in_cluster(&kinds::PROXY, object_refs::CLUSTER);
        let found = self.objects.get(&place).await;
        let object = found.map_err(|fault| format!("the cluster's proxy cannot be read: {}", fault.why()))?;
        let object = object.unwrap_or_default();
        let text = |field: &str| object["status"][field].as_str().unwrap_or_default();
        Ok(Proxies::of(text("httpsProxy"), text("httpProxy"), text("noProxy")))
    }
}

impl Probe for NetProbe {
    fn look<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let url = Url::parse(url).map_err(|fault| format!("its URL cannot be used: {fault}"))?;
            // The cluster's components are written in Go.
            let trust =
                Trust::of_run(|name| (self.variable)(name), |path| (self.file)(path), "").of_servers();
            match probe(&url, &trust, &self.proxies().await?, self.limit).await.answer {
                // Services answer each in their own way; that there is one is enough.
                Err(broken) if broken.step != Step::Http => Err(broken.why),
                _ => Ok(()),
            }
        })
    }
}
