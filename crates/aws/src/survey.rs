//! What AWS knows for those who ask a user for a new config.

use landfall_model::catalogue::{Catalogue, KnownRegion};
use landfall_platform::World;
use landfall_platform::survey::{Fields, Site, Survey};
use serde_json::{Map, Value};

use super::NAME;

/// AWS's part in asking for a new config.
pub(super) struct AwsSurvey;

impl Survey for AwsSurvey {
    fn title(&self) -> &'static str {
        "Amazon Web Services"
    }

    fn fields(&self) -> Fields {
        Fields { cloud: "", region: "platform.aws.region", zone_group: "" }
    }

    fn regions<'c>(&self, catalogue: &'c Catalogue, release: &str, _: &str) -> Vec<KnownRegion<'c>> {
        catalogue.known_regions(NAME, release)
    }

    fn environment_region(&self, world: &dyn World) -> Option<String> {
        let named = ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|name| world.variable(name));
        named.or_else(|| profile_region(world))
    }

    fn unlisted(&self) -> &'static str {
        "write it to the file as `platform.aws.region`, with its `serviceEndpoints`, or describe it in a \
         catalogue overlay and pass that with --catalogue"
    }

    fn section(&self, site: Site<'_>, _: &Catalogue) -> Map<String, Value> {
        [("region".to_owned(), Value::from(site.region))].into_iter().collect()
    }
}

/// The region of the profile that the SDK takes.
#[cfg(feature = "cloud")]
#[allow(deprecated, reason = "the newer names of the types are in a crate that nothing else here needs")]
fn profile_region(world: &dyn World) -> Option<String> {
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

/// Profiles are read by the SDK, which this build leaves out.
#[cfg(not(feature = "cloud"))]
fn profile_region(_: &dyn World) -> Option<String> {
    None
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

    fn region(home: &'static [(&'static str, &'static str)]) -> Option<String> {
        AwsSurvey.environment_region(&Home(home))
    }

    #[test]
    fn the_environment_names_the_region() {
        assert_eq!(region(&[]), None);
        assert_eq!(region(&[("AWS_DEFAULT_REGION", "eu-west-1")]).as_deref(), Some("eu-west-1"));
        let both = region(&[("AWS_DEFAULT_REGION", "eu-west-1"), ("AWS_REGION", "eu-west-2")]);
        assert_eq!(both.as_deref(), Some("eu-west-2"));
    }

    #[cfg(feature = "cloud")]
    #[test]
    fn the_profile_names_the_region() {
        const CONFIG: &str =
            "[default]\nregion = us-east-2\n[profile team]\nregion = eu-north-1\noutput = json\n";
        assert_eq!(region(&[("~/.aws/config", CONFIG)]).as_deref(), Some("us-east-2"));
        let team = region(&[("~/.aws/config", CONFIG), ("AWS_PROFILE", "team")]);
        assert_eq!(team.as_deref(), Some("eu-north-1"));
        assert_eq!(region(&[("~/.aws/config", CONFIG), ("AWS_PROFILE", "other")]), None);
        let elsewhere = region(&[("AWS_CONFIG_FILE", "/c"), ("/c", "[default]\nregion=sa-east-1\n")]);
        assert_eq!(elsewhere.as_deref(), Some("sa-east-1"));
        assert_eq!(region(&[("~/.aws/config", "no profile file at all")]), None);
    }

    #[test]
    fn a_region_of_every_partition_is_known() {
        let catalogue = Catalogue::embedded();
        let release = catalogue.newest_release().unwrap_or_default();
        let regions = AwsSurvey.regions(catalogue, release, "");
        for id in ["eu-central-1", "us-gov-west-1", "cn-north-1"] {
            assert!(regions.iter().any(|region| region.id == id && !region.name.is_empty()), "{id}");
        }
    }
}
