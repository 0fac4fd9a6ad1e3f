//! Size, network, image and identity of machines: `docs/install-config.md`, section 11.8.

use landfall_diagnostics::{Code, Finding, Findings, Kind};
use landfall_model::config::Zero;

use super::super::config::{Identity, OsImage};
use super::super::values;
use super::Settings;

/// A switch that is neither on nor off.
pub const ULTRA_DISKS: Code = Code::new("LF0553");
/// Networking that is not known.
pub const NETWORKING_TYPE: Code = Code::new("LF0554");
/// A purchase plan that is not known.
pub const IMAGE_PLAN: Code = Code::new("LF0555");
/// A part of an image's name is missing.
pub const IMAGE_PARTS: Code = Code::new("LF0556");
/// The kind of identity is missing or not known.
pub const IDENTITY_TYPE: Code = Code::new("LF0557");
/// Identities for machines that have none.
pub const IDENTITY_NONE: Code = Code::new("LF0558");

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
        let finding = Finding::not_supported(&NETWORKING_TYPE, reported, networking, NETWORKING_TYPES);
        out.push(finding.at(settings.path("vmNetworkingType")));
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
        let message = format!("a marketplace image needs `{field}`, which is missing");
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
        let finding = settings.error(&IDENTITY_TYPE, Kind::Required, FIELD, message);
        out.push(finding.help("add `type: UserAssigned` or `type: None`"));
    } else if !values::IDENTITY_TYPES.contains(&kind) {
        let field = settings.path(FIELD);
        out.push(Finding::not_supported(&IDENTITY_TYPE, field, kind, values::IDENTITY_TYPES));
    } else if kind == "None" && identity.user_assigned_identities.is_some() {
        let message = "machines with identities have the identity type `UserAssigned`, not `None`";
        let finding = settings.error(&IDENTITY_NONE, Kind::Invalid, FIELD, message);
        let finding = finding.related("the identities", settings.path("identity.userAssignedIdentities"));
        out.push(finding.help("write `type: UserAssigned`, or remove `userAssignedIdentities`"));
    }
}
