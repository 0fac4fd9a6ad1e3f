//! What AWS knows for those who ask a user for a new config.

use landfall_diagnostics::shortened;
use landfall_model::aws::catalogue::InstanceType;
use landfall_model::catalogue::{Catalogue, KnownRegion, Role};
use landfall_platform::World;
use landfall_platform::survey::{Fields, MachineType, Site, Survey};
use serde_json::{Map, Value, json};

use super::NAME;
use super::type_names::proposed;

/// The default region of the OpenShift installer, too.
const USUAL_REGION: &str = "us-east-1";
/// The architecture of machines for which a config says nothing.
const ARCHITECTURE: &str = "amd64";

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
        Fields {
            cloud: "",
            region: "platform.aws.region",
            zone_group: "",
            image: "platform.aws.defaultMachinePlatform.amiID",
            machine_type: "type",
        }
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

    fn needs_image(&self, catalogue: &Catalogue, region: &str) -> bool {
        catalogue.aws.region(region).is_some_and(|region| region.image_required)
    }

    fn image_fault(&self, image: &str) -> Option<String> {
        const SHORTEST: usize = 8;
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let number = image.strip_prefix("ami-").unwrap_or_default();
        let is_id = number.len() >= SHORTEST && number.bytes().all(is_hex);
        let why = || format!("`{}` is not the ID of an AMI, such as ami-0123456789abcdef0", shortened(image));
        (!is_id).then(why)
    }

    fn machine_type(&self, catalogue: &Catalogue, region: &str, role: Role, name: &str) -> MachineType {
        let aws = &catalogue.aws;
        let least = aws.minimums(role).map_or((0, 0), |least| (least.vcpus, least.memory_mib));
        let is_large = |known: &InstanceType| known.vcpus >= least.0 && known.memory_mib >= least.1;
        let has_offerings = aws.region(region).is_some_and(|region| !region.offerings.is_empty());
        // The catalogue has offerings of some types only: those that it has of the usual region.
        let is_offered = |region: &str, name: &str| aws.offered_zones(region, name).is_some();
        let is_lacking =
            |name: &str| has_offerings && !is_offered(region, name) && is_offered(USUAL_REGION, name);
        let nearest = || {
            let usable = aws.instance_types.iter().filter(|(name, known)| {
                let is_there = !has_offerings || is_offered(region, name);
                known.architecture == ARCHITECTURE && is_large(known) && is_there
            });
            let names = proposed(usable.map(|(name, _)| name.as_str()), &[name], 1);
            names.first().map(|name| (*name).to_owned())
        };
        let refused = |why: String| {
            let near = nearest().map(|near| format!("; use for example `{near}`")).unwrap_or_default();
            MachineType::Refused(format!("{why}{near}"))
        };
        let shown = shortened(name);
        let Some(known) = aws.instance_types.get(name) else {
            return if is_type(name) {
                MachineType::Unknown(nearest())
            } else {
                refused(format!("`{shown}` is not an instance type of AWS"))
            };
        };
        if !is_large(known) {
            let (vcpus, memory) = least;
            return refused(format!(
                "`{shown}` has {} virtual CPUs and {} MiB of memory; a {} machine needs {vcpus} and {memory} MiB",
                known.vcpus,
                known.memory_mib,
                role.name()
            ));
        }
        if known.architecture != ARCHITECTURE {
            let other = &known.architecture;
            return refused(format!(
                "`{shown}` is of the architecture {other}, the machines are {ARCHITECTURE}"
            ));
        }
        if is_lacking(name) {
            return refused(format!("the region {} does not offer `{shown}`", shortened(region)));
        }
        MachineType::Fits
    }

    fn section(&self, site: Site<'_>, _: &Catalogue) -> Map<String, Value> {
        let mut section = Map::from_iter([("region".to_owned(), Value::from(site.region))]);
        if !site.image.is_empty() {
            section.insert("defaultMachinePlatform".to_owned(), json!({ "amiID": site.image }));
        }
        section
    }
}

/// Whether a text has the form of an instance type: a series with a generation, and a size.
fn is_type(name: &str) -> bool {
    const SIZES: &[&str] = &["nano", "micro", "small", "medium", "large", "xlarge", "metal"];
    let Some((series, size)) = name.split_once('.') else { return false };
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_series = series.bytes().all(is_plain)
        && series.starts_with(|c: char| c.is_ascii_lowercase())
        && series.contains(|c: char| c.is_ascii_digit());
    let size = size.trim_start_matches(|c: char| c.is_ascii_digit());
    is_series && (SIZES.contains(&size) || size.strip_prefix("metal-").is_some_and(|rest| !rest.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_type_is_judged_by_what_the_catalogue_knows() {
        let catalogue = Catalogue::embedded();
        let of = |role, name| SURVEY.machine_type(catalogue, "us-east-1", role, name);
        let refused = |role, name| match of(role, name) {
            MachineType::Refused(why) => why,
            other => format!("{other:?}"),
        };
        assert_eq!(of(Role::ControlPlane, "m6i.xlarge"), MachineType::Fits);
        assert_eq!(of(Role::Compute, "m6i.large"), MachineType::Fits);
        let huge = refused(Role::Compute, "m9.huge");
        assert!(
            huge.contains("`m9.huge` is not an instance type") && huge.contains("`m6i.xlarge`"),
            "{huge}"
        );
        assert!(refused(Role::ControlPlane, "m6i.large").contains("virtual CPUs"));
        assert!(refused(Role::Compute, "m6g.xlarge").contains("arm64"));
        // A newer one than the catalogue may exist.
        assert!(matches!(of(Role::Compute, "m99i.xlarge"), MachineType::Unknown(Some(_))));
        assert_eq!(
            ["m6i.xlarge", "u-6tb1.metal", "c8g.metal-24xl", "huge", "m9.huge", "m.xlarge", "m6i.x large"]
                .map(is_type),
            [true, true, true, false, false, false, false]
        );
        let region = SURVEY.machine_type(catalogue, "eu-nowhere-1", Role::Compute, "m6i.xlarge");
        assert_eq!(region, MachineType::Fits);
    }

    #[test]
    fn a_region_without_a_published_image_needs_one() {
        let catalogue = Catalogue::embedded();
        assert!(SURVEY.needs_image(catalogue, "cn-north-1") && !SURVEY.needs_image(catalogue, "us-east-1"));
        let told = |image: &str| SURVEY.image_fault(image).unwrap_or_default();
        assert_eq!(["ami-01234567", "ami-0123456789abcdef0"].map(told), ["", ""]);
        for wrong in ["", "ami-", "ami-0123", "0123456789abcdef0", "ami-0123456789ABCDEF0"] {
            assert!(told(wrong).contains("ami-0123456789abcdef0"), "{wrong}");
        }
        let site = Site { region: "cn-north-1", image: "ami-01234567", ..Site::default() };
        let section = Value::Object(SURVEY.section(site, catalogue));
        assert_eq!(section.pointer("/defaultMachinePlatform/amiID"), Some(&json!("ami-01234567")));
        let usual = SURVEY.section(Site { region: "us-east-1", ..Site::default() }, catalogue);
        assert_eq!(usual.keys().collect::<Vec<_>>(), ["region"]);
    }

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
