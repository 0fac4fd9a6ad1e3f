//! The codes of the catalogue.
//!
//! What can be wrong with the form of an overlay has the codes of reading (`LF00xx`); these are about what
//! it says. Their subject is no install config, so that they have no examples of one.

use landfall_diagnostics::{Base, Page, Severity};

/// All codes of this room.
pub const PAGES: &[&Page] = &[&PATTERN, &REFERENCE, &CHOICE, &TWICE, &NO_STREAM];

/// A pattern that cannot be used.
pub const PATTERN: Page = Page {
    code: "LF0601",
    title: "the region pattern of a partition is a regular expression",
    text: "A partition's `regionPattern` says which regions belong to it besides those that it lists, as in \
           `^us-gov-\\w+-\\d+$`. The pattern begins with `^` and ends with `$` unless a part of a name is \
           to be enough.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
/// A name of something that is not there.
pub const REFERENCE: Page = Page {
    code: "LF0602",
    title: "what the catalogue refers to is in the catalogue",
    text: "A release names its rule for machine types and its set of permissions, images name their \
           release, a partition names the region that images are copied from, and defaults name a cloud. \
           All of these must be in the catalogue, as shipped or as given in an overlay.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
/// A value that is none of the accepted ones.
pub const CHOICE: Page = Page {
    code: "LF0603",
    title: "a value of the catalogue is one that landfall knows what to do with",
    text: "Some values can only be one of a few: the type of the API's DNS records is `A` or `CNAME`, the \
           architecture of images is `amd64` or `arm64`, and images are for a platform that landfall \
           supports.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
/// A region with two partitions.
pub const TWICE: Page = Page {
    code: "LF0604",
    title: "a region belongs to one partition",
    text: "Two partitions list the same region, so that it would depend on chance which DNS suffix and \
           which endpoints it has. Set the region to null in one of them to take it away.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
/// A document that is no stream metadata.
pub const NO_STREAM: Page = Page {
    code: "LF0605",
    title: "stream metadata names images",
    text: "Image streams are described by a JSON document with `stream` and `architectures`, under which \
           stand the images of `x86_64` and `aarch64` for each platform. The document that was given has \
           none that landfall can use. `openshift-install coreos print-stream-json` prints such a document.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
