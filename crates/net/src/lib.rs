//! What the clients of every cloud share: trust roots, proxies, the look at one endpoint, and words for what
//! goes wrong on the way to it.
//!
//! An edge: it resolves names and opens connections. TLS is always verified; nothing in here can leave that
//! out.
//!
//! ```
//! use landfall_net::Proxies;
//! use url::Url;
//!
//! let proxies = Proxies::of("http://proxy.example.com:3128", "", ".internal.example.com");
//! let inside = Url::parse("https://ec2.internal.example.com")?;
//! let outside = Url::parse("https://ec2.us-east-1.amazonaws.com")?;
//! assert!(proxies.for_url(&inside).is_none());
//! assert_eq!(proxies.for_url(&outside).map(|proxy| proxy.shown()).as_deref(), Some("http://proxy.example.com:3128"));
//! # Ok::<(), url::ParseError>(())
//! ```

#![forbid(unsafe_code)]

pub mod calls;
mod chain;
mod concurrency;
mod fault;
mod probe;
mod probe_steps;
mod proxy;
mod recording_verifier;
mod request;
pub mod stop;
#[cfg(test)]
mod tests;
mod trust;

pub use chain::Certificate;
pub use concurrency::{ConcurrencyLimit, Permit};
pub use fault::{Sort, fault};
pub use probe::{Broken, Probe, Reply, Step, probe};
pub use proxy::{Proxies, Proxy};
pub use trust::{BUNDLE, Extra, Trust, TrustFault, TrustSource, finding_of_trust};
