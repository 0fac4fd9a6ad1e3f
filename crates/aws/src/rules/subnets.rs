//! Existing subnets and their roles: `docs/install-config.md`, section 10.3.

use std::collections::HashMap;

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use landfall_model::aws::config::{Platform, Subnet};
use landfall_model::aws::values::SUBNET_ROLES;
use landfall_model::config::InstallConfig;

/// Both forms are used.
pub const FORMS: Code = Code::new("LF0410");
/// Some subnets have roles and some not.
pub const MIXED: Code = Code::new("LF0411");
/// A subnet stands twice.
pub const DUPLICATE: Code = Code::new("LF0412");
/// A role is not known or stands twice.
pub const ROLE: Code = Code::new("LF0413");
/// Two roles exclude each other.
pub const EXCLUSIVE: Code = Code::new("LF0414");
/// A needed role is on no subnet.
pub const MISSING: Code = Code::new("LF0415");
/// An internal cluster has an external load balancer.
pub const PUBLISH: Code = Code::new("LF0416");
/// Too many subnets for the ingress load balancer.
pub const INGRESS: Code = Code::new("LF0417");

const LIST: &str = "platform.aws.vpc.subnets";

pub(super) fn check(config: &InstallConfig, platform: &Platform, out: &mut Findings) {
    let subnets = &platform.vpc.subnets;
    let without = subnets.iter().filter(|subnet| subnet.roles.is_empty()).count();
    if without > 0 && without < subnets.len() {
        let message = format!("{without} of {} subnets have no roles", subnets.len());
        let finding = Finding::error(&MIXED, Kind::Forbidden, LIST, message);
        out.push(finding.help("give roles to all subnets, or to none"));
    }
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (i, subnet) in subnets.iter().enumerate() {
        let j = *first.entry(&subnet.id).or_insert(i);
        if j != i {
            let message = format!("the subnet `{}` is listed twice", shortened(&subnet.id));
            out.push(
                Finding::error(&DUPLICATE, Kind::Duplicate, format!("{LIST}[{i}].id"), message)
                    .help("keep one entry")
                    .related("the first one", format!("{LIST}[{j}].id")),
            );
        }
        check_roles(i, subnet, out);
    }
    check_cover(config, subnets, out);
}

fn has(subnet: &Subnet, role: &str) -> bool {
    subnet.roles.iter().any(|r| r.kind == role)
}

fn is_known(role: &str) -> bool {
    SUBNET_ROLES.contains(&role)
}

fn check_roles(i: usize, subnet: &Subnet, out: &mut Findings) {
    let path = || format!("{LIST}[{i}].roles");
    for (j, role) in subnet.roles.iter().enumerate() {
        let field = || format!("{LIST}[{i}].roles[{j}].type");
        if !is_known(&role.kind) {
            out.push(Finding::not_supported(&ROLE, field(), &role.kind, SUBNET_ROLES));
        } else if subnet.roles.iter().take(j).any(|other| other.kind == role.kind) {
            let message = format!("the subnet has the role {} already", role.kind);
            out.push(Finding::error(&ROLE, Kind::Duplicate, field(), message).help("remove it"));
        }
    }
    let fault =
        |message: &str, help: &str| Finding::error(&EXCLUSIVE, Kind::Forbidden, path(), message).help(help);
    if has(subnet, "ControlPlaneExternalLB") && has(subnet, "ControlPlaneInternalLB") {
        let message = "the control plane's external and internal load balancer cannot share a subnet";
        out.push(fault(message, "put them on different subnets"));
    }
    let others = subnet.roles.iter().any(|role| role.kind != "EdgeNode" && is_known(&role.kind));
    if has(subnet, "EdgeNode") && others {
        let message = "a subnet with the role EdgeNode cannot have other roles";
        out.push(fault(message, "put the other roles on another subnet"));
    }
}

/// Whether the roles together make a cluster.
fn check_cover(config: &InstallConfig, subnets: &[Subnet], out: &mut Findings) {
    if !subnets.iter().flat_map(|subnet| &subnet.roles).any(|role| is_known(&role.kind)) {
        return;
    }
    let count = |role: &str| subnets.iter().filter(|subnet| has(subnet, role)).count();
    let internal = config.publish == "Internal";
    let ingress = count("IngressControllerLB");
    if ingress > 10 {
        let message = format!("{ingress} subnets have the role IngressControllerLB, at most 10 are accepted");
        let finding = Finding::error(&INGRESS, Kind::Forbidden, LIST, message);
        out.push(finding.help("remove the role from some subnets"));
    }
    if internal && count("ControlPlaneExternalLB") > 0 {
        let message = "an internal cluster has no external load balancer, but a subnet has a role for it";
        let finding = Finding::error(&PUBLISH, Kind::Forbidden, LIST, message);
        out.push(finding.help("remove the role ControlPlaneExternalLB"));
    }
    let needed = ["BootstrapNode", "ClusterNode", "ControlPlaneInternalLB", "IngressControllerLB"];
    let external = (!internal).then_some("ControlPlaneExternalLB");
    let mut missing: Vec<&str> = needed.into_iter().chain(external).filter(|role| count(role) == 0).collect();
    missing.sort_unstable();
    if !missing.is_empty() {
        let message = format!("no subnet has the role {}", missing.join(", "));
        let finding = Finding::error(&MISSING, Kind::Invalid, LIST, message);
        out.push(finding.help("add each of these roles to a subnet, or remove all roles"));
    }
}
