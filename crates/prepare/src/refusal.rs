//! Why nothing was prepared.

use std::path::PathBuf;

use super::{INSTALL_CONFIG, Said};
use landfall_workdir as workdir;

/// Why a directory was not prepared.
pub enum Refusal {
    /// A file that the user gave is not valid: exit code 3.
    Invalid(Box<Said>),
    /// A value on the command line is not valid: exit code 2.
    Usage(Box<Said>),
    /// The config is valid, and what is known of the cloud does not have what it needs: exit code 4.
    Unfit(Box<Said>),
    /// The config is valid, and the cloud could not be asked for what planning needs to know: exit code 4.
    NoFacts(Box<Said>),
    /// Something besides the input and the cloud stands in the way, such as a kubeconfig that cannot be read, or a
    /// platform without a cloud: exit code 1.
    Outside(Box<Said>),
    /// Something else went wrong: exit code 1.
    Failed(Error),
}

/// Something outside of the input went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// There is no install config.
    #[error("there is no {INSTALL_CONFIG} in {}: create one with `landfall create install-config`, put \
        yours there, or set its directory with --dir", directory.display())]
    NoConfig {
        /// The cluster directory.
        directory: PathBuf,
    },
    /// No facts are at hand, and none were asked for.
    #[error(
        "landfall cannot query this platform's cloud, and there are no facts in {}: pass a file with \
         --facts, or plan with the catalogue only with --offline",
        directory.display()
    )]
    NoFacts {
        /// The cluster directory.
        directory: PathBuf,
    },
    /// Landfall cannot ask the cloud of the config's platform.
    #[error("landfall cannot query the cloud of platform `{platform}`")]
    NoCloud {
        /// The platform.
        platform: String,
    },
    /// Landfall makes no infrastructure on the config's platform.
    #[error("landfall does not create infrastructure on platform `{platform}`")]
    NoModules {
        /// The platform.
        platform: String,
    },
    /// Landfall knows no permissions of the config's platform.
    #[error("landfall has no permissions list for platform `{platform}`")]
    NoPolicy {
        /// The platform.
        platform: String,
    },
    /// The operating system gives no threads or no way to wait for the network.
    #[error("cannot wait for the network")]
    Network(#[source] std::io::Error),
    /// The certificates of the cluster cannot be made.
    #[error(transparent)]
    Tls(#[from] landfall_certificates::Error),
    /// The directory cannot be written.
    #[error(transparent)]
    Directory(#[from] workdir::Error),
    /// A file of ours has a path that cannot be written.
    #[error(transparent)]
    Path(#[from] workdir::BadPath),
}

impl<T: Into<Error>> From<T> for Refusal {
    fn from(error: T) -> Self {
        Self::Failed(error.into())
    }
}
