//! The user's AWS credentials, as far as the environment has them.

use landfall_diagnostics::secret::Secret;
use landfall_platform::World;
use landfall_render::Credentials;

/// Id of the access key.
pub const ACCESS_KEY_ID: &str = "accessKeyId";
/// The access key.
pub const SECRET_ACCESS_KEY: &str = "secretAccessKey";

/// Long-lived keys of the environment. Keys that come with a session token end with the session, so a
/// cluster cannot live on them: they count as none.
pub(super) fn credentials(world: &dyn World) -> Credentials {
    let session = world.variable("AWS_SESSION_TOKEN").is_some();
    let pair = world.variable("AWS_ACCESS_KEY_ID").zip(world.variable("AWS_SECRET_ACCESS_KEY"));
    match pair {
        Some((id, key)) if !session => {
            Credentials::from([(ACCESS_KEY_ID, Secret::new(id)), (SECRET_ACCESS_KEY, Secret::new(key))])
        }
        _ => Credentials::new(),
    }
}
