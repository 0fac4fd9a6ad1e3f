//! The codes of reading a file.

use landfall_diagnostics::{Base, Page, Severity};

/// All codes of this room.
pub const PAGES: &[&Page] = &[
    &UNREADABLE,
    &ENCODING,
    &TOO_LARGE,
    &TOO_DEEP,
    &SYNTAX,
    &DUPLICATE_KEY,
    &KEY,
    &UNKNOWN_FIELD,
    &WRONG_TYPE,
    &FORM,
    &TOO_MANY_FINDINGS,
    &MORE_DOCUMENTS,
    &CONVERTED,
    &SPELLING,
];

/// Text that a reader can do nothing with is wrong by example only in a whole file.
const NO_FIELDS: &[&str] = &[];

/// The file could not be opened or read.
pub const UNREADABLE: Page = Page {
    code: "LF0001",
    title: "the file can be read",
    text: "The file or directory named on the command line could not be read: it does not exist, this \
           user has no permission, or a symbolic link leads back to itself. The message ends with what \
           the operating system said. Exit code 1, as nothing is known about the content.",
    severity: Severity::Error,
    fields: NO_FIELDS,
    base: Base::Whole,
    bad: "",
    good: "",
};
/// The bytes are not UTF-8 text.
pub const ENCODING: Page = Page {
    code: "LF0002",
    title: "the file is UTF-8 text without control characters",
    text: "An install config is UTF-8, with or without a byte order mark, with LF or CRLF line ends. \
           UTF-16, binary data and raw control characters are refused. An editor's \"save as UTF-8\", \
           or `iconv -f UTF-16 -t UTF-8`, puts it right.",
    severity: Severity::Error,
    fields: NO_FIELDS,
    base: Base::None,
    bad: "baseDomain: \"exam\u{7}ple.com\"\n",
    good: "baseDomain: example.com\n",
};
/// The file is larger than any install config.
pub const TOO_LARGE: Page = Page {
    code: "LF0003",
    title: "the file has at most 10 MB",
    text: "No install config comes near 10 MB (10,000,000 bytes); a larger file is another kind of file.",
    severity: Severity::Error,
    fields: NO_FIELDS,
    base: Base::Whole,
    bad: "",
    good: "",
};
/// The tree has too many levels or nodes.
pub const TOO_DEEP: Page = Page {
    code: "LF0004",
    title: "the file has at most 100 levels and 50,000 values",
    text: "Values are counted after aliases and merge keys were written out, so that a small file which \
           multiplies itself through aliases is refused as well.",
    severity: Severity::Error,
    fields: NO_FIELDS,
    base: Base::Whole,
    bad: "",
    good: "",
};
/// The text is not YAML.
pub const SYNTAX: Page = Page {
    code: "LF0005",
    title: "the file is YAML 1.1",
    text: "The place is where reading had to stop; the cause is often a line earlier: a quote or bracket \
           that was not closed, an indentation that fits no level, a tab used for indentation, or a \
           colon followed by a space inside a value without quotes.",
    severity: Severity::Error,
    fields: NO_FIELDS,
    base: Base::None,
    bad: "metadata:\n  name: demo\n labels: {}\n",
    good: "metadata:\n  name: demo\n  labels: {}\n",
};
/// One key stands twice in a map.
pub const DUPLICATE_KEY: Page = Page {
    code: "LF0006",
    title: "a key stands once in its map",
    text: "Two values under one key are refused, because one of them would be lost without a word. A key \
           that a merge key (`<<`) brings in counts like one that stands there.",
    severity: Severity::Error,
    fields: NO_FIELDS,
    base: Base::None,
    bad: "metadata:\n  name: demo\n  name: other\n",
    good: "metadata:\n  name: demo\n",
};
/// A key is not text.
pub const KEY: Page = Page {
    code: "LF0007",
    title: "a key is text",
    text: "The key of a map is text, a number or a boolean (which become text). An empty key, null, a \
           list or a map cannot be a key.",
    severity: Severity::Error,
    fields: NO_FIELDS,
    base: Base::None,
    bad: "metadata:\n  name: demo\n  ? [a, b]\n  : c\n",
    good: "metadata:\n  name: demo\n",
};
/// A key is not a field of the format.
pub const UNKNOWN_FIELD: Page = Page {
    code: "LF0010",
    title: "every key is a field of the install config",
    text: "A key that nothing reads is most often a typing error, and the setting meant by it would be \
           missing from the cluster. `landfall explain FIELD` lists the fields of a level. Automation \
           that meets files for a newer release can turn this into a warning with \
           `--unknown-fields warn`.",
    severity: Severity::Error,
    fields: NO_FIELDS,
    base: Base::Aws,
    bad: "platform:\n  aws:\n    regoin: us-east-1\n",
    good: "platform:\n  aws:\n    region: us-east-1\n",
};
/// A value has another type than its field.
pub const WRONG_TYPE: Page = Page {
    code: "LF0011",
    title: "a value has the type of its field",
    text: "Text fields also take numbers and booleans, which become text; whole-number fields take \
           numbers without a fraction that fit their width; boolean fields take `true` and `false` \
           without quotes. Lists and maps are never converted.",
    severity: Severity::Error,
    fields: NO_FIELDS,
    base: Base::None,
    bad: "fips: \"true\"\n",
    good: "fips: true\nsshKey: \"\"\n",
};
/// A value with a fixed form cannot be read.
pub const FORM: Page = Page {
    code: "LF0012",
    title: "networks and times can be read",
    text: "A network is `address/prefix` such as `10.0.0.0/16` or `fd00:1::/48`: no spaces, no leading \
           zeros in IPv4 parts, no zone. A time is RFC 3339 such as `2030-01-31T12:00:00Z`.",
    severity: Severity::Error,
    fields: &[
        "networking.machineNetwork[].cidr",
        "networking.clusterNetwork[].cidr",
        "networking.serviceNetwork[]",
        "networking.machineCIDR",
        "networking.serviceCIDR",
        "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet",
        "metadata.creationTimestamp",
        "metadata.deletionTimestamp",
    ],
    base: Base::None,
    bad: "networking:\n  machineNetwork:\n  - cidr: 10.0.0.0\n",
    good: "networking:\n  machineNetwork:\n  - cidr: 10.0.0.0/16\n",
};
/// More findings than anybody reads.
pub const TOO_MANY_FINDINGS: Page = Page {
    code: "LF0013",
    title: "a file has at most 1,000 errors and 1,000 warnings",
    text: "The list was cut there. Put right what is shown and run again.",
    severity: Severity::Error,
    fields: NO_FIELDS,
    base: Base::Whole,
    bad: "",
    good: "",
};
/// Text after the first document.
pub const MORE_DOCUMENTS: Page = Page {
    code: "LF0020",
    title: "only the first YAML document of a file is read",
    text: "What follows a line `---` or `...` after the first document is not looked at, neither here \
           nor by the OpenShift installer.",
    severity: Severity::Warning,
    fields: NO_FIELDS,
    base: Base::None,
    bad: "publish: External\n---\nfips: true\n",
    good: "publish: External\nfips: true\n",
};
/// A scalar that reads as another text than was written.
pub const CONVERTED: Page = Page {
    code: "LF0021",
    title: "text that looks like a number or boolean keeps its spelling only in quotes",
    text: "YAML 1.1 reads `yes`, `on` and `y` as true, `010` as 8 and `1.10` as 1.1; a text field then \
           gets `true`, `8` and `1.1`. Put the value in quotes to keep it as written.",
    severity: Severity::Warning,
    fields: NO_FIELDS,
    base: Base::None,
    bad: "metadata:\n  name: yes\n",
    good: "metadata:\n  name: \"yes\"\n",
};
/// A field name in another case.
pub const SPELLING: Page = Page {
    code: "LF0022",
    title: "field names are written in their own case",
    text: "Field names are matched without regard to case, as the OpenShift installer does; other tools \
           that read the file do not. Two spellings of one field are both read, the later one in byte \
           order winning.",
    severity: Severity::Warning,
    fields: NO_FIELDS,
    base: Base::None,
    bad: "BaseDomain: example.com\n",
    good: "baseDomain: example.com\n",
};
