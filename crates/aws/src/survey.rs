//! What AWS knows for those who ask a user for a new config.

use landfall_model::catalogue::{Catalogue, KnownRegion};
use landfall_platform::World;
use landfall_platform::survey::{Fields, Site, Survey};
use serde_json::{Map, Value};

use super::NAME;

/// The default region of the OpenShift installer, too.
const USUAL_REGION: &str = "us-east-1";

/// AWS's part in asking for a new config.
#[derive(Debug)]
pub struct AwsSurvey {
    /// The region of the user's profile; none where there is none.
    pub profile_region: fn(&dyn World) -> Option<String>,
}

/// The survey where no SDK reads profiles.
pub(super) static SURVEY: AwsSurvey = AwsSurvey { profile_region: |_| None };

impl Survey for AwsSurvey {
    fn title(&self) -> &'static str {
        "Amazon Web Services"
    }

    fn fields(&self) -> Fields {
        Fields { cloud: "", region: "platform.aws.region", zone_group: "", machine_type: "type" }
    }

    fn regions<'c>(&self, catalogue: &'c Catalogue, release: &str, _: &str) -> Vec<KnownRegion<'c>> {
        catalogue.known_regions(NAME, release)
    }

    fn usual_region(&self) -> &'static str {
        USUAL_REGION
    }

    fn environment_region(&self, world: &dyn World) -> Option<String> {
        let named = ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|name| world.variable(name));
        named.or_else(|| (self.profile_region)(world))
    }

    fn unlisted(&self) -> &'static str {
        "write it to the file as `platform.aws.region`, with its `serviceEndpoints`, or describe it in a \
         catalogue overlay and pass that with --catalogue"
    }

    fn section(&self, site: Site<'_>, _: &Catalogue) -> Map<String, Value> {
        [("region".to_owned(), Value::from(site.region))].into_iter().collect()
    }
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
        SURVEY.environment_region(&Home(home))
    }

    #[test]
    fn the_environment_names_the_region() {
        assert_eq!(region(&[]), None);
        assert_eq!(region(&[("AWS_DEFAULT_REGION", "eu-west-1")]).as_deref(), Some("eu-west-1"));
        let both = region(&[("AWS_DEFAULT_REGION", "eu-west-1"), ("AWS_REGION", "eu-west-2")]);
        assert_eq!(both.as_deref(), Some("eu-west-2"));
    }

    #[test]
    fn a_region_of_every_partition_is_known() {
        let catalogue = Catalogue::embedded();
        let release = catalogue.default_release().unwrap_or_default();
        let regions = SURVEY.regions(catalogue, release, "");
        for id in [SURVEY.usual_region(), "eu-central-1", "us-gov-west-1", "cn-north-1"] {
            assert!(regions.iter().any(|region| region.id == id && !region.name.is_empty()), "{id}");
        }
    }
}
