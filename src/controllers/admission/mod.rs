//! The judge whom the API server asks before it writes a profile, or a cluster's reference to one.
//!
//! Each replica of the operator answers; the one that leads makes the certificates, which stand in a secret,
//! and tells the API server whom to ask and whom to trust. No profile is written unjudged: if nobody answers,
//! nothing is written.

mod address;
mod certificate;
mod configuration;
mod judge;
mod keeper;
mod server;
#[cfg(test)]
mod tests;

pub use address::Address;
pub use configuration::{NAME, configuration};
pub use judge::Judge;
pub use keeper::Keeper;
pub use server::Webhook;

use crate::kube::kinds;
use crate::kube::objects::Place;

/// The name of the controller that keeps certificates and configuration.
pub const CONTROLLER: &str = "cloud-profile-admission";
/// The name of the secret with the certificates.
pub const SECRET_NAME: &str = "landfall-webhook";
/// The path that is asked.
const PATH: &str = "/admission";

fn secret(namespace: &str) -> Place {
    Place::in_namespace(&kinds::SECRET, namespace, SECRET_NAME)
}
