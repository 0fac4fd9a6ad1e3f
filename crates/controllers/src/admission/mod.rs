//! The webhook that the API server asks before it writes a profile, or a cluster's reference to one: what is to
//! be changed of the profile first, and whether it may be written.
//!
//! Each replica of the operator answers; the one that leads makes the certificates, which stand in a secret,
//! and tells the API server whom to ask and whom to trust. No profile is written unjudged: if nobody answers,
//! nothing is written.

mod address;
mod certificate;
mod certificate_rotation;
mod configuration;
mod mutation;
mod review;
mod server;
#[cfg(test)]
mod tests;
mod validation;

pub use address::Address;
pub use certificate_rotation::Keeper;
pub(crate) use certificate_rotation::holds;
pub use configuration::{NAME, configurations};
pub use server::Webhook;
pub use validation::Judge;

use landfall_kube::kinds;
use landfall_kube::objects::ObjectRef;

/// The name of the controller that keeps certificates and configuration.
pub const CONTROLLER: &str = "cloud-profile-admission";
/// The name of the secret with the certificates.
pub const SECRET_NAME: &str = "landfall-webhook";
/// The path on which it is asked whether something may be written.
const PATH: &str = "/admission";
/// The path on which it is asked what is to be changed before.
const AMENDMENT: &str = "/amendment";

fn secret(namespace: &str) -> ObjectRef {
    ObjectRef::in_namespace(&kinds::SECRET, namespace, SECRET_NAME)
}
