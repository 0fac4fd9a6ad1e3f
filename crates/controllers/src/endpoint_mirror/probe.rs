//! The look at an endpoint from within the cluster.

use std::time::Duration;

use futures::future::BoxFuture;
use landfall_net::{Proxies, Step, Trust, probe};
use url::Url;

/// Looks whether endpoints can be reached.
pub trait Probe: Send + Sync {
    /// Looks at one: whether its name becomes addresses, one of them takes a connection, and the server proves
    /// who it is. Otherwise it says what happened, as a part of a sentence, without anything secret.
    fn look<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<(), String>>;
}

/// Looks over the network.
pub struct NetProbe {
    trust: Trust,
    proxies: Proxies,
    limit: Duration,
}

impl NetProbe {
    /// Trusts these roots, takes these proxies, and waits at most so long for one endpoint.
    #[must_use]
    pub fn new(trust: Trust, proxies: Proxies, limit: Duration) -> Self {
        Self { trust, proxies, limit }
    }
}

impl Probe for NetProbe {
    fn look<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let url = Url::parse(url).map_err(|fault| format!("its URL cannot be used: {fault}"))?;
            match probe(&url, &self.trust, &self.proxies, self.limit).await.answer {
                // Services answer each in their own way; that there is one is enough.
                Err(broken) if broken.step != Step::Http => Err(broken.why),
                _ => Ok(()),
            }
        })
    }
}
