//! What a platform knows for those who ask a user for a new config: its regions, and what a config says of
//! the place that was chosen.

use landfall_model::catalogue::{Catalogue, KnownRegion, Role};
use serde_json::{Map, Value};

use super::World;

/// The place of a cluster, as far as it was chosen; what is empty was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Site<'a> {
    /// The cloud, where the platform has several that a config tells apart.
    pub cloud: &'a str,
    /// The region.
    pub region: &'a str,
    /// The group that holds the base domain's public zone, where the platform has such groups.
    pub zone_group: &'a str,
    /// The image of all machines, where the user names one.
    pub image: &'a str,
}

/// Paths of the fields that hold a [`Site`] in an install config; empty where there is no such field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// Field of the cloud.
    pub cloud: &'static str,
    /// Field of the region.
    pub region: &'static str,
    /// Field of the public zone's group.
    pub zone_group: &'static str,
    /// Field of the image of all machines.
    pub image: &'static str,
    /// Name of the machine type among the platform's settings of a machine pool; no path.
    pub machine_type: &'static str,
}

/// What a platform knows of a machine type, for machines of a role in a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineType {
    /// Nothing is against it.
    Fits,
    /// The catalogue does not have it. The known one that is nearest, if any.
    Unknown(Option<String>),
    /// No machine of this role can have it, for this reason.
    Refused(String),
}

/// A platform's part in asking a user for a new config.
pub trait Survey: Sync {
    /// The platform's name for people.
    fn title(&self) -> &'static str;

    /// Where the site stands in a config.
    fn fields(&self) -> Fields;

    /// The clouds that a new config can name, the usual one first; empty where a config names none.
    fn clouds<'c>(&self, _: &'c Catalogue) -> Vec<&'c str> {
        Vec::new()
    }

    /// The known regions of a cloud, sorted by their ids. An empty name is the usual cloud's.
    fn regions<'c>(&self, catalogue: &'c Catalogue, release: &str, cloud: &str) -> Vec<KnownRegion<'c>>;

    /// The region that most users choose, for one who has not set another.
    fn usual_region(&self) -> &'static str;

    /// The region that the user's environment and files are set to, known or not.
    fn environment_region(&self, world: &dyn World) -> Option<String>;

    /// How a config gets a region that is not known, for the end of a sentence.
    fn unlisted(&self) -> &'static str;

    /// Whether a config for a region must name the image of its machines, as none is published there.
    fn needs_image(&self, _: &Catalogue, _region: &str) -> bool {
        false
    }

    /// Why a text cannot be the image of machines; none where it can.
    fn image_fault(&self, _image: &str) -> Option<String> {
        None
    }

    /// What is known of a machine type in a region.
    fn machine_type(&self, catalogue: &Catalogue, region: &str, role: Role, name: &str) -> MachineType;

    /// The platform's section of a config for a site.
    fn section(&self, site: Site<'_>, catalogue: &Catalogue) -> Map<String, Value>;
}
