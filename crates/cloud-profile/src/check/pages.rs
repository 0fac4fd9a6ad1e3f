//! The codes of profiles in files. Their subject is no install config, so that they have no examples of one.

use landfall_diagnostics::{Base, Page, Severity};

/// All codes of this room.
pub const PAGES: &[&Page] = &[&OBJECT, &TYPE, &ENTRY, &PARENT, &CONFLICT, &NOT_RENDERED, &PROVIDER, &EXPIRED];

/// The file holds no such object.
pub const OBJECT: Page = Page {
    code: "LF1450",
    title: "the file holds one profile of the kind that is asked for",
    text: "A profile is an object of the API `core.gardener.cloud/v1beta1`, of the kind `CloudProfile`, \
           `PrivateCloudProfile` or `NamespacedCloudProfile`. A file may hold further documents, as long as it is \
           plain which one is meant.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
/// A value is of another type.
pub const TYPE: Page = Page {
    code: "LF1451",
    title: "the values of a profile are of the types that its fields have",
    text: "Versions, names and dates are texts. A version such as `16.4` is a number to a YAML reader unless it \
           stands in quotes, and the API of a cluster refuses it. A quantity may be a whole number or a text; a \
           fraction such as `0.5` stands in quotes.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
/// The profile is refused for what it says itself.
pub const ENTRY: Page = Page {
    code: "LF1452",
    title: "a profile says only what its kind can say",
    text: "Admission looks at a profile by itself first: names, versions, dates and quantities must be ones, nothing \
           stands twice, and nothing is given that is inherited, such as `type` or `providerConfig` of a private \
           profile. A field that the kind does not have says nothing, so that what it was to restrict would not be \
           restricted.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
/// The profile is refused for what its parent says.
pub const PARENT: Page = Page {
    code: "LF1453",
    title: "a profile fits the cloud profile that it inherits from",
    text: "The parent must be there. Versions of Kubernetes can only be prolonged, or shortened, if the parent has \
           them, and what the parent has is named again for the sake of another date alone.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
/// The parent says something else.
pub const CONFLICT: Page = Page {
    code: "LF1454",
    title: "a private profile says nothing else than its parent",
    text: "Where both describe the same thing in another way, the parent is preferred: the entry of the private \
           profile has no effect, but for its expiration date. Everything else is joined all the same, and the \
           conflict stands in the status of the profile.",
    severity: Severity::Warning,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
/// A profile that inherits was not joined with its parent.
pub const NOT_RENDERED: Page = Page {
    code: "LF1455",
    title: "a profile that inherits is joined with its parent before it is used",
    text: "A private profile alone does not say what a cluster may use: most of it stands in its parent. A cluster \
           writes the two joined into the status of the profile; `landfall profile render -o json` prints such an \
           object. Where the profile was changed since, or its parent was not found, the status may be out of date.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
/// The profile is for a provider that landfall does not install on.
pub const PROVIDER: Page = Page {
    code: "LF1456",
    title: "a cloud profile for an installation is for a platform with regions and machines of its own",
    text: "The `type` of a profile names the provider. Those that landfall knows regions and machine types of can \
           be restricted with `--cloud-profile`.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
/// A version is taken out of a profile.
pub const EXPIRED: Page = Page {
    code: "LF1457",
    title: "the versions that a profile names have not expired",
    text: "A version of Kubernetes or of an image whose time has passed is taken out of a profile before it is joined \
           with its parent, so that what the parent says of the version holds again; an image that names nothing else \
           goes as well. The time is that of `--now`, else the clock's.",
    severity: Severity::Warning,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
