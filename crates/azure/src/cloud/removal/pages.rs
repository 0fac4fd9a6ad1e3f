//! The pages of what is found on the way to remove a cluster.

use landfall_diagnostics::{Base, Page, Severity};

/// Something could not be looked at.
pub(super) static UNSEEN: Page = Page {
    code: "LF1351",
    title: "all that a cluster on Azure owns can be looked at",
    text: "A cluster is gone only when a look at everything that it may own finds nothing. What cannot be \
           looked at may hold something of it.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The caller may not remove something.
pub(super) static DENIED: Page = Page {
    code: "LF1352",
    title: "the caller may remove what the cluster owns",
    text: "Removing a resource takes the action that ends with /delete of its type, on it or on its group. A \
           role like Contributor has these actions but those for role assignments.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A deny assignment is in the way.
pub(super) static DENY_ASSIGNMENT: Page = Page {
    code: "LF1353",
    title: "no deny assignment protects what the cluster owns",
    text: "A deny assignment outweighs every role. Azure makes them for deployment stacks, managed \
           applications and blueprints, and they go with what they were made for; nobody can delete them \
           otherwise.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The directory could not be looked at.
pub(super) static DIRECTORY: Page = Page {
    code: "LF1354",
    title: "applications of the cluster can be looked for in the directory",
    text: "Old releases of OpenShift made applications in Microsoft Entra ID for the operators of a cluster. \
           Clusters that landfall makes have none. Looking for them is asking Microsoft Graph, which takes \
           the permission Application.Read.All, and Application.ReadWrite.All to delete them.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Another cluster uses something of this one.
pub(super) static USED: Page = Page {
    code: "LF1355",
    title: "no other cluster uses what the cluster owns",
    text: "A tag that begins with kubernetes.io_cluster and names another cluster says that that one uses \
           the resource. It would lose it.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A group of the cluster's name stays.
pub(super) static FOREIGN_GROUP: Page = Page {
    code: "LF1356",
    title: "the resource group of the cluster is its own, with all that is in it",
    text: "A group that another cluster owns stays, whatever its name. So does one without any cluster's tag, \
           unless the cluster's id is one that nothing else would be named by and everything in the group \
           carries its tag; and one in which the cluster shares something. What is this cluster's own is \
           removed from it one by one.",
    severity: Severity::Warning,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The pages of this room.
pub(in crate::cloud) static PAGES: &[&Page] =
    &[&UNSEEN, &DENIED, &DENY_ASSIGNMENT, &DIRECTORY, &USED, &FOREIGN_GROUP];
