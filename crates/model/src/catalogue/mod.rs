//! What landfall knows of clouds, as data: partitions, regions, clouds, images, default machine types.
//!
//! One document ships with the program, made of JSON files that a reviewer can read. An overlay
//! ([`Catalogue::with_overlay`]) or an image stream ([`Catalogue::with_stream`]) changes any part of it,
//! so that a new region, partition or release needs no new program. No other room holds a fact about a
//! region, a partition or a cloud. A cloud profile ([`Catalogue::with_allowance`]) adds to the document as well, and
//! says what of it may be used.

mod allowed;
mod overlay;
pub mod pages;
mod schema;
mod stream;
pub mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::Value;

pub use schema::schema;
pub use value::{Allowance, AllowedRegion, AllowedType, AllowedZone, Image, Release, Role};

use value::{ARCHITECTURES, Fault, Listing, Part, Wrong, architecture_fault};

macro_rules! catalogue {
    (pools: [$($pool:ident),*], plain: [$($plain:ident),*]) => {
        crate::config::value::model! {
            /// What landfall knows of clouds and releases.
            pub struct Catalogue {
                /// The releases that can be installed, by name such as `4.14`.
                pub releases: BTreeMap<String, Release>,
                /// Operating system images by release, then by architecture (`amd64` or `arm64`), then by platform.
                pub images: BTreeMap<String, BTreeMap<String, BTreeMap<String, Image>>>,
                /// What of all this may be used; everything unless a cloud profile says so. It is no part of the
                /// document.
                #[serde(skip)]
                pub allowance: Option<Allowance>,
                $(#[doc = concat!("What is known of platform ", stringify!($pool), ".")]
                pub $pool: crate::$pool::catalogue::Catalogue,)*
            }
        }

        /// The platforms that the catalogue knows something of.
        pub const PLATFORMS: &[&str] = &[$(stringify!($pool)),*];

        impl Catalogue {
            /// Reads the document that ships with the program.
            fn read() -> Self {
                Self {
                    releases: value::shipped(RELEASES),
                    images: value::shipped(IMAGES),
                    allowance: None,
                    $($pool: Part::shipped(),)*
                }
            }

            /// The regions that a platform's part describes.
            fn listings(&self, platform: &str) -> Vec<Listing<'_>> {
                $(if platform == stringify!($pool) {
                    return self.$pool.listings();
                })*
                Vec::new()
            }

            /// The images of all platforms in one architecture of a stream's metadata.
            fn images_in(architecture: &Value) -> BTreeMap<String, Image> {
                let found = [$((
                    stringify!($pool),
                    <crate::$pool::catalogue::Catalogue as Part>::image_in(architecture),
                )),*];
                found.into_iter().filter_map(|(name, image)| Some((name.to_owned(), image?))).collect()
            }

            /// Has the platform of a cloud profile take it in.
            fn take_in(&mut self, allowance: &Allowance) {
                $(if allowance.platform == stringify!($pool) {
                    self.$pool.allow(allowance);
                })*
            }

            /// What contradicts itself.
            fn faults(&self) -> Vec<Fault> {
                let mut faults = self.image_faults();
                $(faults.extend(self.$pool.faults(&self.releases));)*
                faults
            }
        }
    };
}

crate::sections::supported! { catalogue }

const RELEASES: &str = include_str!("data/releases.json");
const IMAGES: &str = include_str!("data/images.json");

static EMBEDDED: LazyLock<Catalogue> = LazyLock::new(Catalogue::read);

/// Why landfall knows a region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "why")]
pub enum Reason {
    /// The cloud lists it among its regions.
    Listed,
    /// The catalogue describes it, though the cloud's own lists do not have it.
    Described,
    /// A release has an image there.
    ImagePublished {
        /// Name of the release.
        release: String,
    },
    /// A cloud profile lists it.
    Allowed {
        /// Name of the profile.
        profile: String,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listed => f.write_str("the cloud lists it"),
            Self::Described => f.write_str("the catalogue describes it"),
            Self::ImagePublished { release } => write!(f, "release {release} has an image there"),
            Self::Allowed { profile } => write!(f, "the cloud profile {profile} lists it"),
        }
    }
}

/// A region that landfall knows, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownRegion<'a> {
    /// What an install config calls it.
    pub id: &'a str,
    /// Its name for people; empty where none is known.
    pub name: &'a str,
    /// Why it is known.
    pub reasons: Vec<Reason>,
    /// Whether a prompt offers it: the platform says so, and the release has an image for it.
    pub offered: bool,
}

impl Catalogue {
    /// The catalogue that ships with the program.
    #[must_use]
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    /// The facts of a release.
    #[must_use]
    pub fn release(&self, name: &str) -> Option<&Release> {
        self.releases.get(name)
    }

    /// The rule by which instance types are chosen for a release; empty for a release that is not known.
    #[must_use]
    pub fn instance_type_rule(&self, release: &str) -> &str {
        self.release(release).map_or("", |release| release.instance_type_rule.as_str())
    }

    /// The set of permissions that an installation of a release needs; empty for a release that is not known.
    #[must_use]
    pub fn permission_rule(&self, release: &str) -> &str {
        self.release(release).map_or("", |release| release.permission_rule.as_str())
    }

    /// The newest release, in the order of versions; names that are no versions do not count.
    #[must_use]
    pub fn newest_release(&self) -> Option<&str> {
        let versions = self.releases.keys().filter_map(|name| Some((version(name)?, name.as_str())));
        versions.max().map(|(_, name)| name)
    }

    /// The release that is installed where none is given: the newest that says so of itself, else the newest.
    #[must_use]
    pub fn default_release(&self) -> Option<&str> {
        let marked = self.releases.iter().filter(|(_, release)| release.default);
        let versions = marked.filter_map(|(name, _)| Some((version(name)?, name.as_str())));
        versions.max().map(|(_, name)| name).or_else(|| self.newest_release())
    }

    /// The images of a release for an architecture and a platform.
    #[must_use]
    pub fn images_of(&self, release: &str, architecture: &str, platform: &str) -> Option<&Image> {
        self.images.get(release)?.get(architecture)?.get(platform)
    }

    /// The image of a release in a region: its id there, or the URL that all regions share.
    #[must_use]
    pub fn image(&self, release: &str, architecture: &str, platform: &str, region: &str) -> Option<&str> {
        let image = self.images_of(release, architecture, platform)?;
        let own = image.regions.get(region).map(String::as_str);
        own.or(Some(image.url.as_str()).filter(|url| !url.is_empty()))
    }

    /// Whether any release has an image of the machines in a region.
    #[must_use]
    pub fn has_image(&self, platform: &str, region: &str) -> bool {
        let mut images = self.images.values().flat_map(BTreeMap::values);
        images
            .any(|platforms| platforms.get(platform).is_some_and(|image| image.regions.contains_key(region)))
    }

    /// The regions that are known for a release, sorted by their ids.
    #[must_use]
    pub fn known_regions(&self, platform: &str, release: &str) -> Vec<KnownRegion<'_>> {
        let mut known: BTreeMap<&str, KnownRegion<'_>> = BTreeMap::new();
        for listing in self.listings(platform) {
            let Listing { id, name, offered, .. } = listing;
            known.insert(id, KnownRegion { id, name, reasons: vec![reason(listing)], offered });
        }
        let published = self.published(release, platform);
        let everywhere = ARCHITECTURES.iter().any(|(architecture, _)| {
            let image = self.images_of(release, architecture, platform);
            image.is_some_and(|image| !image.url.is_empty())
        });
        for region in known.values_mut() {
            region.offered &= everywhere || published.contains(region.id);
        }
        for id in published {
            let region = known.entry(id).or_insert(nameless(id));
            region.reasons.push(Reason::ImagePublished { release: release.to_owned() });
        }
        if let Some(allowance) = &self.allowance {
            allowed::keep(&mut known, platform, allowance);
        }
        known.into_values().collect()
    }

    /// The regions that a release has images in, in whatever architecture.
    fn published(&self, release: &str, platform: &str) -> BTreeSet<&str> {
        let architectures = self.images.get(release).into_iter().flat_map(BTreeMap::values);
        let images = architectures.filter_map(|platforms| platforms.get(platform));
        images.flat_map(|image| image.regions.keys().map(String::as_str)).collect()
    }

    /// What is wrong with the keys that images stand under.
    fn image_faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (release, architectures) in &self.images {
            if !self.releases.contains_key(release) {
                let message =
                    format!("images are given for the release `{release}`, which is not in the catalogue");
                faults.push(Fault::new(Wrong::Reference, &["images", release], message));
            }
            for (architecture, platforms) in architectures {
                let path = ["images", release.as_str(), architecture.as_str()];
                faults.extend(architecture_fault(&path, architecture));
                let unknown = platforms.keys().filter(|platform| !PLATFORMS.contains(&platform.as_str()));
                faults.extend(unknown.map(|platform| {
                    let message = format!("`{platform}` has no images; accepted: {}", PLATFORMS.join(", "));
                    Fault::new(Wrong::Choice, &[path[0], path[1], path[2], platform], message)
                }));
            }
        }
        faults
    }
}

/// A region of which nothing but its id is known.
fn nameless(id: &str) -> KnownRegion<'_> {
    KnownRegion { id, name: "", reasons: Vec::new(), offered: false }
}

/// Why a region that a part describes is known.
fn reason(listing: Listing<'_>) -> Reason {
    if listing.listed { Reason::Listed } else { Reason::Described }
}

/// The numbers of a version such as `4.14`; none for a name that is not a version.
pub(crate) fn version(name: &str) -> Option<Vec<u64>> {
    name.split('.').map(|part| part.parse().ok()).collect()
}

/// Major and minor version of a release; none for a name that is not a version.
#[must_use]
pub fn minor_version(name: &str) -> Option<[u64; 2]> {
    let numbers = version(name)?;
    Some([*numbers.first()?, *numbers.get(1)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_that_ship_can_be_read() {
        type Images = BTreeMap<String, BTreeMap<String, BTreeMap<String, Image>>>;
        assert_eq!(landfall_testing::misfit::<BTreeMap<String, Release>>(RELEASES), None);
        assert_eq!(landfall_testing::misfit::<Images>(IMAGES), None);
        assert_eq!(Catalogue::embedded().faults(), Vec::<Fault>::new());
    }

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let mut catalogue = Catalogue::default();
        assert_eq!(catalogue.newest_release(), None);
        for name in ["4.9", "4.19", "4.2", "rhcos-4.20", "4.19.x"] {
            catalogue.releases.insert(name.to_owned(), Release::default());
        }
        assert_eq!(catalogue.newest_release(), Some("4.19"));
        assert_eq!(catalogue.default_release(), Some("4.19"));
        catalogue.releases.insert("4.9".to_owned(), Release { default: true, ..Release::default() });
        assert_eq!((catalogue.newest_release(), catalogue.default_release()), (Some("4.19"), Some("4.9")));
    }

    #[test]
    fn every_release_from_4_14_on_is_known() {
        let catalogue = Catalogue::embedded();
        let mut known: Vec<&str> = catalogue.releases.keys().map(String::as_str).collect();
        known.sort_by_key(|name| version(name));
        let minors = (14..=23).map(|minor| format!("4.{minor}")).chain(["5.0".to_owned()]);
        assert_eq!(known, minors.collect::<Vec<_>>());
        assert_eq!(catalogue.default_release(), Some("4.19"));
    }

    #[test]
    fn every_release_has_images_for_every_platform_and_architecture() {
        let catalogue = Catalogue::embedded();
        for release in catalogue.releases.keys() {
            for (architecture, _) in ARCHITECTURES {
                for platform in PLATFORMS {
                    let image = catalogue.images_of(release, architecture, platform);
                    let image = image.cloned().unwrap_or_default();
                    assert!(!image.release.is_empty(), "{release} {architecture} {platform}");
                    assert!(image.url.is_empty() != image.regions.is_empty(), "{release} {platform}");
                }
            }
        }
    }

    #[test]
    fn finds_images() {
        let catalogue = Catalogue::embedded();
        let image = |platform: &str, region: &str| catalogue.image("4.14", "amd64", platform, region);
        assert!(image("aws", "us-east-1").is_some_and(|id| id.starts_with("ami-")));
        assert_eq!(image("aws", "cn-north-1"), None);
        assert!(image("azure", "chinanorth3").is_some_and(|url| url.starts_with("https://")));
        assert_eq!(image("none", ""), None);
        assert_eq!(catalogue.image("4.13", "amd64", "aws", "us-east-1"), None);
    }

    #[test]
    fn says_why_a_region_is_known() {
        let catalogue = Catalogue::embedded();
        let why = |platform: &str, release: &str, region: &str| {
            let mut known = catalogue.known_regions(platform, release).into_iter();
            known.find(|known| known.id == region).map(|known| known.reasons).unwrap_or_default()
        };
        for (region, release) in [("us-east-1", "4.14"), ("ap-southeast-5", "4.16")] {
            let why = why("aws", release, region);
            assert_eq!(why.first(), Some(&Reason::Listed), "{region}");
            let image = why.get(1).map(ToString::to_string).unwrap_or_default();
            assert!(image.contains(release), "{region}: {image}");
        }
        assert_eq!(why("aws", "4.16", "us-iso-east-1"), [Reason::Listed]);
        assert!(why("aws", "4.16", "xx-hidden-1").is_empty());
        assert_eq!(why("azure", "4.16", "eastus"), [Reason::Listed]);
        assert!(why("none", "4.16", "eastus").is_empty());
    }

    #[test]
    fn offers_what_is_listed_and_has_an_image() {
        let catalogue = Catalogue::embedded();
        let regions = catalogue.known_regions("aws", "4.14");
        assert!(regions.is_sorted_by(|a, b| a.id < b.id));
        let offered: Vec<&str> = regions.iter().filter(|r| r.offered).map(|r| r.id).collect();
        assert_eq!(offered.len(), 29, "{offered:?}");
        assert!(!offered.contains(&"us-gov-west-1") && offered.contains(&"eu-central-1"));
        let paulo = regions.iter().find(|region| region.id == "sa-east-1").map(|region| region.name);
        assert_eq!(paulo, Some("South America (S\u{e3}o Paulo)"));
        let azure = catalogue.known_regions("azure", "4.14");
        let offered = |id: &str| azure.iter().find(|region| region.id == id).map(|region| region.offered);
        assert_eq!((offered("eastus"), offered("usgovvirginia")), (Some(true), Some(false)));
    }

    #[test]
    fn a_newer_release_finds_the_regions_that_came_with_it() {
        let catalogue = Catalogue::embedded();
        let offered = |release: &str| {
            let regions = catalogue.known_regions("aws", release);
            regions.iter().any(|region| region.id == "ap-southeast-5" && region.offered)
        };
        assert!(!offered("4.14") && offered("4.19"));
    }
}
