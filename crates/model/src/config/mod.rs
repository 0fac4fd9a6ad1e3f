//! The typed install config: `docs/install-config.md`, section 4.
//!
//! What the file says, after it was read; then what [`upconvert`] and [`defaults`] make of it. Field
//! documentation is the doc comment of each field, from which [`schema`] and `landfall explain` are made.

pub mod capability_sets;
pub mod defaults;
pub mod foreign;
mod locate;
mod machine_pool;
mod networking;
pub mod pull_secret;
pub mod schema;
mod top;
pub mod upconvert;
pub mod value;

pub use landfall_source::fold_eq;
pub use locate::locate;
pub use machine_pool::{DiskSetup, Etcd, Fencing, FencingCredential, MachinePool, Swap, UserDefined};
pub use networking::{ClusterNetwork, MachineNetwork, Networking, OvnIpv4, OvnKubernetesConfig};
pub use top::{
    BootstrapInPlace, Capabilities, Ecdsa, ImageContentSource, ImageDigestSource, InstallConfig, Metadata,
    OperatorPublishingStrategy, Pki, PkiKey, Proxy, Rsa, SignerCertificates,
};
pub use value::{FORMS, Net, Network, Opaque, StrictText, Time, Zero};
