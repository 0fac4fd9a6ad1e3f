//! Images of a release that the catalogue does not know, from the metadata of its stream.

use std::collections::BTreeMap;

use serde_json::Value;

use super::value::{ARCHITECTURES, Release};
use super::{Catalogue, pages};
use crate::finding::{Finding, Findings, Kind, Severity, Span};
use crate::source::{self, Decoder, Mask};

/// The release's name where the metadata does not give one.
const NAMELESS: &str = "stream";

impl Catalogue {
    /// The catalogue with the images of a stream's metadata, and the name of the release that they are
    /// under: the stream's own name. The other facts of the release are those of the one that the name
    /// ends with, else of the newest.
    ///
    /// # Errors
    /// Faults of the text, or one finding where it has no images that can be used.
    pub fn with_stream(&self, text: &str) -> Result<(Self, String), Vec<Finding>> {
        let mut findings = Findings::default();
        let mut mask = Mask::default();
        let tree = source::read(text, &mut findings);
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
        let name = text_at(&stream, "/stream").unwrap_or(NAMELESS).to_owned();
        let mut release = self.nearest_release(&name);
        release.stream.clone_from(&name);
        text_at(&stream, "/metadata/last-modified")
            .unwrap_or_default()
            .clone_into(&mut release.last_modified);
        let mut catalogue = self.clone();
        catalogue.images.insert(name.clone(), images);
        catalogue.releases.insert(name.clone(), release);
        Ok((catalogue, name))
    }

    /// The facts of the release that a stream's name ends with, as `rhcos-4.14` does, else of the newest.
    fn nearest_release(&self, stream: &str) -> Release {
        let version = stream.rsplit('-').next().unwrap_or(stream);
        let newest = || self.releases.get(self.newest_release()?);
        self.releases.get(version).or_else(newest).cloned().unwrap_or_default()
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
    fn images_of_a_stream_are_found_under_its_name() {
        let with = Catalogue::embedded().with_stream(STREAM);
        let (catalogue, name) = with.ok().unwrap_or_default();
        assert_eq!(name, "rhcos-4.14");
        assert_eq!(catalogue.image(&name, "amd64", "aws", "moon-base-1"), Some("ami-2"));
        assert_eq!(catalogue.image(&name, "amd64", "azure", "eastus"), Some("https://example.com/a.vhd"));
        assert_eq!(catalogue.image(&name, "arm64", "aws", "us-east-1"), None);
        let release = catalogue.release(&name).cloned().unwrap_or_default();
        assert_eq!(release.instance_type_rule, "4.14");
        assert_eq!(release.last_modified, "2030-01-31T12:00:00Z");
        assert_eq!(catalogue.newest_release(), Catalogue::embedded().newest_release());
        let reasons = catalogue.why_known("aws", "moon-base-1");
        assert_eq!(reasons.len(), 1, "{reasons:?}");
    }

    #[test]
    fn what_is_no_stream_is_refused() {
        let codes = |text: &str| -> Vec<&'static str> {
            let faults = Catalogue::embedded().with_stream(text).err().unwrap_or_default();
            faults.iter().map(|finding| finding.page.code).collect()
        };
        assert_eq!(codes("{}"), ["LF0605"]);
        assert_eq!(codes(""), ["LF0605"]);
        assert_eq!(codes(r#"{"architectures": {"x86_64": {"images": {"gcp": {}}}}}"#), ["LF0605"]);
        assert_eq!(codes(r#"{"architectures": ["#), ["LF0005"]);
    }
}
