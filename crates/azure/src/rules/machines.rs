//! Size, network, image and identity of machines: `docs/install-config.md`, section 11.8.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity};
use landfall_model::config::Zero;

use super::super::config::{Identity, OsImage};
use super::super::values;
use super::Settings;

/// A switch that is neither on nor off.
pub const ULTRA_DISKS: Page = Page {
    code: "LF0553",
    title: "`ultraSSDCapability` is `Enabled` or `Disabled`",
    text: "Whether ultra disks can be attached to the machines. Not every size of machine in every zone has \
           them.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.ultraSSDCapability",
        "platform.azure.defaultMachinePlatform.ultraSSDCapability",
    ],
    base: Base::Azure,
    bad: "\
controlPlane:
  platform:
    azure:
      ultraSSDCapability: 'true'
",
    good: "\
controlPlane:
  platform:
    azure:
      ultraSSDCapability: Enabled
",
};
/// Networking that is not known.
pub const NETWORKING_TYPE: Page = Page {
    code: "LF0554",
    title: "`vmNetworkingType` is `Accelerated` or `Basic`",
    text: "Accelerated networking hands a part of the network card to the machine; most sizes of machine \
           have it. Without a value it is used where the size has it.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.vmNetworkingType",
        "platform.azure.defaultMachinePlatform.vmNetworkingType",
    ],
    base: Base::Azure,
    bad: "\
controlPlane:
  platform:
    azure:
      vmNetworkingType: accelerated
",
    good: "\
controlPlane:
  platform:
    azure:
      vmNetworkingType: Accelerated
",
};
/// A purchase plan that is not known.
pub const IMAGE_PLAN: Page = Page {
    code: "LF0555",
    title: "`osImage.plan` is `WithPurchasePlan` or `NoPurchasePlan`",
    text: "Whether the image of the marketplace is bought with a plan, which somebody must have agreed to \
           in the subscription.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.osImage.plan", "platform.azure.defaultMachinePlatform.osImage.plan"],
    base: Base::Azure,
    bad: "\
controlPlane:
  platform:
    azure:
      osImage:
        publisher: azureopenshift
        offer: aro4
        sku: aro_417
        version: 417.94.20240701
        plan: Free
",
    good: "\
controlPlane:
  platform:
    azure:
      osImage:
        publisher: azureopenshift
        offer: aro4
        sku: aro_417
        version: 417.94.20240701
        plan: NoPurchasePlan
",
};
/// A part of an image's name is missing.
pub const IMAGE_PARTS: Page = Page {
    code: "LF0556",
    title: "an image of the marketplace is named completely",
    text: "Publisher, offer, SKU and version together are the name of an image. A pool that gives one of \
           them takes none from the default machine platform.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.osImage.publisher",
        "<pool>.platform.azure.osImage.offer",
        "<pool>.platform.azure.osImage.sku",
        "<pool>.platform.azure.osImage.version",
        "platform.azure.defaultMachinePlatform.osImage",
    ],
    base: Base::Azure,
    bad: "\
controlPlane:
  platform:
    azure:
      osImage:
        publisher: azureopenshift
        offer: aro4
        sku: aro_417
",
    good: "\
controlPlane:
  platform:
    azure:
      osImage:
        publisher: azureopenshift
        offer: aro4
        sku: aro_417
        version: 417.94.20240701
",
};
/// The kind of identity is missing or not known.
pub const IDENTITY_TYPE: Page = Page {
    code: "LF0557",
    title: "`identity.type` is `None` or `UserAssigned`",
    text: "With `None` the machines have no managed identity, with `UserAssigned` those of \
           `userAssignedIdentities`, or one that is made for them if the list is empty.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.identity.type", "platform.azure.defaultMachinePlatform.identity.type"],
    base: Base::Azure,
    bad: "\
controlPlane:
  platform:
    azure:
      identity:
        type: SystemAssigned
",
    good: "\
controlPlane:
  platform:
    azure:
      identity:
        type: UserAssigned
",
};
/// Identities for machines that have none.
pub const IDENTITY_NONE: Page = Page {
    code: "LF0558",
    title: "`userAssignedIdentities` are given with the identity type `UserAssigned` only",
    text: "With `type: None` the list would not be used. Not even an empty one is accepted.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.identity.userAssignedIdentities",
        "platform.azure.defaultMachinePlatform.identity.userAssignedIdentities",
    ],
    base: Base::Azure,
    bad: "\
controlPlane:
  platform:
    azure:
      identity:
        type: None
        userAssignedIdentities:
        - name: identity-1
          subscription: 00000000-0000-0000-0000-000000000000
          resourceGroup: identities-rg
",
    good: "\
controlPlane:
  platform:
    azure:
      identity:
        type: UserAssigned
        userAssignedIdentities:
        - name: identity-1
          subscription: 00000000-0000-0000-0000-000000000000
          resourceGroup: identities-rg
",
};

/// The kinds of networking that machines have.
const NETWORKING_TYPES: &[&str] = &["Accelerated", "Basic"];

pub(super) fn check(settings: &Settings<'_>, out: &mut Findings) {
    let ultra = settings.azure.ultra_ssd_capability.as_str();
    if !ultra.is_empty() && !values::ENABLED.contains(&ultra) {
        let field = settings.path("ultraSSDCapability");
        out.push(Finding::not_supported(&ULTRA_DISKS, field, ultra, values::ENABLED));
    }
    let networking = settings.azure.vm_networking_type.as_str();
    if !networking.is_empty() && !NETWORKING_TYPES.contains(&networking) {
        let reported = settings.path("acceleratedNetworking");
        out.push(
            Finding::not_supported(&NETWORKING_TYPE, reported, networking, NETWORKING_TYPES)
                .at(settings.path("vmNetworkingType")),
        );
    }
    if !settings.azure.os_image.is_zero() {
        check_image(settings, &settings.azure.os_image, out);
    }
    if let Some(identity) = &settings.azure.identity {
        check_identity(settings, identity, out);
    }
}

fn check_image(settings: &Settings<'_>, image: &OsImage, out: &mut Findings) {
    let plan = image.plan.as_str();
    if !plan.is_empty() && !values::PLANS.contains(&plan) {
        let field = settings.path("osImage.plan");
        out.push(Finding::not_supported(&IMAGE_PLAN, field, plan, values::PLANS));
    }
    let parts = [
        ("publisher", &image.publisher),
        ("offer", &image.offer),
        ("sku", &image.sku),
        ("version", &image.version),
    ];
    for (field, _) in parts.into_iter().filter(|(_, value)| value.is_empty()) {
        let message = format!("an image of the marketplace needs `{field}`, which is missing");
        out.push(
            settings
                .error(&IMAGE_PARTS, Kind::Required, &format!("osImage.{field}"), message)
                .help(format!("add `{field}`; `az vm image list --all --publisher <name>` lists images")),
        );
    }
}

/// Judges an identity: the first fault only.
fn check_identity(settings: &Settings<'_>, identity: &Identity, out: &mut Findings) {
    const FIELD: &str = "identity.type";
    let kind = identity.kind.as_str();
    if kind.is_empty() {
        let message = "the type of the identity is missing";
        out.push(
            settings
                .error(&IDENTITY_TYPE, Kind::Required, FIELD, message)
                .help("add `type: UserAssigned` or `type: None`"),
        );
    } else if !values::IDENTITY_TYPES.contains(&kind) {
        let field = settings.path(FIELD);
        out.push(Finding::not_supported(&IDENTITY_TYPE, field, kind, values::IDENTITY_TYPES));
    } else if kind == "None" && identity.user_assigned_identities.is_some() {
        let message = "machines with identities have the identity type `UserAssigned`, not `None`";
        out.push(
            settings
                .error(&IDENTITY_NONE, Kind::Invalid, FIELD, message)
                .related("the identities", settings.path("identity.userAssignedIdentities"))
                .help("write `type: UserAssigned`, or remove `userAssignedIdentities`"),
        );
    }
}
