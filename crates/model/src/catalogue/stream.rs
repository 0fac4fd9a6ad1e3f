//! Images of a release that the catalogue does not know, from the metadata of its stream.

use std::collections::BTreeMap;

use landfall_diagnostics::{Finding, Findings, Kind, Severity, Span};
use landfall_source::{Decoder, Mask};
use serde_json::Value;

use super::value::{ARCHITECTURES, Image, Release};
use super::{Catalogue, pages, version};

/// The name of a stream whose metadata does not give one.
const NAMELESS: &str = "stream";

impl Catalogue {
    /// The catalogue with the images of a stream's metadata in place of its own, and the name of the release
    /// that they are of: `wanted`, else the version that the stream's name ends with, else the newest release.
    /// Newer installers share streams, so that a stream's name may end with another release. The other facts
    /// of a release that the catalogue does not know are those of the newest.
    ///
    /// # Errors
    /// Faults of the text, or one finding where it has no images that can be used.
    pub fn with_stream(&self, text: &str, wanted: Option<&str>) -> Result<(Self, String), Vec<Finding>> {
        let mut findings = Findings::default();
        let mut mask = Mask::default();
        let tree = landfall_source::read(text, &mut findings);
        let stream: Value = Decoder::new(&tree, &[], Severity::Warning, &mut findings, &mut mask).decode();
        if findings.errors() > 0 {
            return Err(findings.into_vec().into_iter().filter(Finding::is_error).collect());
        }
        let mut images = BTreeMap::new();
        for (name, theirs) in ARCHITECTURES {
            let architecture = stream.get("architectures").and_then(|all| all.get(theirs));
            let found = architecture.map(Self::images_in).unwrap_or_default();
            if !found.is_empty() {
                images.insert((*name).to_owned(), found);
            }
        }
        if images.is_empty() {
            let message = "the document has no images of the platforms that landfall supports";
            let finding = Finding::error(&pages::NO_STREAM, Kind::Invalid, "architectures", message);
            return Err(vec![finding.span(Span::default())]);
        }
        let own_name = text_at(&stream, "/stream").unwrap_or(NAMELESS);
        let name = wanted.map_or_else(|| self.release_of(own_name), str::to_owned);
        let mut release = self.releases.get(&name).cloned().unwrap_or_else(|| self.newest());
        own_name.clone_into(&mut release.stream);
        os_image_stream(&images).clone_into(&mut release.os_image_stream);
        text_at(&stream, "/metadata/last-modified")
            .unwrap_or_default()
            .clone_into(&mut release.last_modified);
        let mut catalogue = self.clone();
        catalogue.images.insert(name.clone(), images);
        catalogue.releases.insert(name.clone(), release);
        Ok((catalogue, name))
    }

    /// The release that a stream's name ends with, as `rhcos-4.14` does, else the newest one.
    fn release_of(&self, stream: &str) -> String {
        let end = stream.rsplit('-').next().unwrap_or(stream);
        let name = if version(end).is_some() { end } else { self.newest_release().unwrap_or(NAMELESS) };
        name.to_owned()
    }

    fn newest(&self) -> Release {
        self.newest_release().and_then(|name| self.releases.get(name)).cloned().unwrap_or_default()
    }
}

/// The operating system stream that images are of, by their version: `9.6.20260112-0` is of `rhel-9`. Empty for
/// images that are named after a release, as `418.94.202501221327-0` is.
fn os_image_stream(images: &BTreeMap<String, BTreeMap<String, Image>>) -> &'static str {
    let image = images.values().flat_map(BTreeMap::values).next();
    match image.and_then(|image| image.release.split('.').next()) {
        Some("9") => "rhel-9",
        Some("10") => "rhel-10",
        _ => "",
    }
}

fn text_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = r#"{
      "stream": "rhcos-4.14",
      "metadata": { "last-modified": "2030-01-31T12:00:00Z" },
      "architectures": {
        "s390x": { "images": { "aws": { "regions": { "us-east-1": { "release": "1", "image": "ami-z" } } } } },
        "x86_64": {
          "artifacts": { "metal": { "release": "999.1", "formats": {} } },
          "images": { "aws": { "regions": {
            "us-east-1": { "release": "999.1", "image": "ami-1" },
            "moon-base-1": { "release": "999.1", "image": "ami-2" }
          } } },
          "rhel-coreos-extensions": { "azure-disk": { "release": "999.1", "url": "https://example.com/a.vhd" } }
        }
      }
    }"#;

    #[test]
    fn images_of_a_stream_take_the_place_of_its_release() {
        let with = Catalogue::embedded().with_stream(STREAM, None);
        let (catalogue, name) = with.ok().unwrap_or_default();
        assert_eq!(name, "4.14");
        assert_eq!(catalogue.image(&name, "amd64", "aws", "moon-base-1"), Some("ami-2"));
        assert_eq!(catalogue.image(&name, "amd64", "azure", "eastus"), Some("https://example.com/a.vhd"));
        assert_eq!(catalogue.image(&name, "arm64", "aws", "us-east-1"), None);
        let release = catalogue.release(&name).cloned().unwrap_or_default();
        assert_eq!(release.instance_type_rule, "4.14");
        assert_eq!(release.last_modified, "2030-01-31T12:00:00Z");
        assert_eq!(catalogue.newest_release(), Catalogue::embedded().newest_release());
        let known = catalogue.known_regions("aws", &name);
        let reasons = known.iter().find(|known| known.id == "moon-base-1").map(|known| known.reasons.len());
        assert_eq!(reasons, Some(1));
    }

    #[test]
    fn a_stream_may_be_of_another_release_than_its_name_says() {
        let text = STREAM.replace("999.1", "10.2.1");
        let (catalogue, name) =
            Catalogue::embedded().with_stream(&text, Some("5.7")).ok().unwrap_or_default();
        assert_eq!(name, "5.7");
        assert_eq!(catalogue.image("5.7", "amd64", "aws", "moon-base-1"), Some("ami-2"));
        assert_eq!(catalogue.image("4.14", "amd64", "aws", "moon-base-1"), None);
        assert_eq!(catalogue.release("5.7").map(|release| release.os_image_stream.as_str()), Some("rhel-10"));
    }

    #[test]
    fn what_is_no_stream_is_refused() {
        let codes = |text: &str| -> Vec<&'static str> {
            let faults = Catalogue::embedded().with_stream(text, None).err().unwrap_or_default();
            faults.iter().map(|finding| finding.code.as_str()).collect()
        };
        assert_eq!(codes("{}"), ["LF0605"]);
        assert_eq!(codes(""), ["LF0605"]);
        assert_eq!(codes(r#"{"architectures": {"x86_64": {"images": {"gcp": {}}}}}"#), ["LF0605"]);
        assert_eq!(codes(r#"{"architectures": ["#), ["LF0005"]);
    }
}
