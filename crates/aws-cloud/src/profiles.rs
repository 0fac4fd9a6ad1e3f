//! The profiles of the user, as the SDK reads them, for the region that the wizard proposes.

use landfall_platform::World;

/// The region of the profile that the SDK takes.
#[allow(deprecated, reason = "the newer names of the types are in a crate that nothing else here needs")]
pub(crate) fn region(world: &dyn World) -> Option<String> {
    use aws_config::profile::load;
    use aws_config::profile::profile_file::{ProfileFileKind, ProfileFiles};
    use aws_types::os_shim_internal::{Env, Fs};
    use futures::FutureExt;

    let sources = [
        ("AWS_CONFIG_FILE", "~/.aws/config", ProfileFileKind::Config),
        ("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials", ProfileFileKind::Credentials),
    ];
    let mut files = ProfileFiles::builder();
    let mut found = false;
    for (variable, usual, kind) in sources {
        let path = world.variable(variable).unwrap_or_else(|| usual.to_owned());
        if let Some(bytes) = world.file(&path) {
            files = files.with_contents(kind, String::from_utf8_lossy(&bytes).into_owned());
            found = true;
        }
    }
    // Without a single file, there is nothing that could be built.
    let files = found.then(|| files.build())?;
    let profile = world.variable("AWS_PROFILE").unwrap_or_else(|| "default".to_owned());
    // All contents are at hand, so nothing is waited for.
    let (nowhere, nothing) = (Fs::from_slice(&[]), Env::from_slice(&[]));
    let profiles = load(&nowhere, &nothing, &files, Some(profile.into())).now_or_never()?.ok()?;
    profiles.get("region").filter(|region| !region.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Home(&'static [(&'static str, &'static str)]);

    impl World for Home {
        fn variable(&self, name: &str) -> Option<String> {
            self.file(name).and_then(|bytes| String::from_utf8(bytes).ok())
        }

        fn file(&self, path: &str) -> Option<Vec<u8>> {
            self.0.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes().to_vec())
        }
    }

    fn region_of(home: &'static [(&'static str, &'static str)]) -> Option<String> {
        region(&Home(home))
    }

    #[test]
    fn the_profile_names_the_region() {
        const CONFIG: &str =
            "[default]\nregion = us-east-2\n[profile team]\nregion = eu-north-1\noutput = json\n";
        assert_eq!(region_of(&[("~/.aws/config", CONFIG)]).as_deref(), Some("us-east-2"));
        let team = region_of(&[("~/.aws/config", CONFIG), ("AWS_PROFILE", "team")]);
        assert_eq!(team.as_deref(), Some("eu-north-1"));
        assert_eq!(region_of(&[("~/.aws/config", CONFIG), ("AWS_PROFILE", "other")]), None);
        let elsewhere = region_of(&[("AWS_CONFIG_FILE", "/c"), ("/c", "[default]\nregion=sa-east-1\n")]);
        assert_eq!(elsewhere.as_deref(), Some("sa-east-1"));
        assert_eq!(region_of(&[("~/.aws/config", "no profile file at all")]), None);
    }
}
