//! The Azure clouds, and what only one of them has: `docs/install-config.md`, section 11.2.

use landfall_diagnostics::{Code, Finding, Findings, Kind, nearest};

use super::super::catalogue::Catalogue;
use super::super::config::Platform;
use super::shown;

/// The cloud is not known.
pub const CLOUD_NAME: Code = Code::new("LF0504");
/// An Azure Stack Hub without its endpoint.
pub const STACK_ENDPOINT: Code = Code::new("LF0505");
/// A setting of an Azure Stack Hub in another cloud.
pub const STACK_ONLY: Code = Code::new("LF0506");
/// A way to the outside that an Azure Stack Hub does not have.
pub const STACK_OUTBOUND: Code = Code::new("LF0507");
/// DNS records of the user on an Azure Stack Hub.
pub const STACK_DNS: Code = Code::new("LF0508");
/// No shared keys on an Azure Stack Hub.
pub const STACK_SHARED_KEY: Code = Code::new("LF0509");

pub(super) fn check(azure: &Platform, catalogue: &Catalogue, out: &mut Findings) {
    let cloud = azure.cloud_name.as_str();
    let known: Vec<&str> = catalogue.clouds.keys().map(String::as_str).collect();
    if !known.contains(&cloud) {
        let field = "platform.azure.cloudName";
        let finding = Finding::not_supported(&CLOUD_NAME, field, cloud, &known);
        out.push(finding.help(match meant(cloud, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "use one of these, or add the cloud in a catalogue overlay".to_owned(),
        }));
    }
    if catalogue.is_stack(cloud) {
        check_stack(azure, out);
    } else {
        check_others(azure, out);
    }
}

/// The known cloud that a name means: all names of clouds begin and end alike, so that what is between has to be near.
fn meant<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let core = |name: &str| {
        let name = name.to_ascii_lowercase();
        let name = name.strip_prefix("azure").unwrap_or(&name);
        name.strip_suffix("cloud").unwrap_or(name).to_owned()
    };
    let cores: Vec<String> = known.iter().map(|name| core(name)).collect();
    let near = nearest(&core(name), cores.iter().map(String::as_str))?;
    known.iter().zip(&cores).find(|(_, core)| core.as_str() == near).map(|(name, _)| *name)
}

fn check_others(azure: &Platform, out: &mut Findings) {
    let fields = [("armEndpoint", azure.arm_endpoint.expose()), ("clusterOSImage", &azure.cluster_os_image)];
    for (name, _) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        let cloud = shown(&azure.cloud_name);
        let message = format!("`{name}` is for `AzureStackCloud` only, and the cloud is {cloud}");
        let field = format!("platform.azure.{name}");
        let finding = Finding::error(&STACK_ONLY, Kind::Required, field, message);
        out.push(finding.help(format!("remove `{name}`, or write `cloudName: AzureStackCloud`")));
    }
}

fn check_stack(azure: &Platform, out: &mut Findings) {
    if azure.arm_endpoint.is_empty() {
        let message = "the address of the Azure Stack Hub's resource manager is missing";
        let finding = Finding::error(&STACK_ENDPOINT, Kind::Required, "platform.azure.armEndpoint", message);
        out.push(finding.help("add `armEndpoint: https://management.<region>.<domain of the hub>`"));
    }
    if azure.outbound_type != "Loadbalancer" {
        let value = shown(&azure.outbound_type);
        let message = format!("Azure Stack Hub supports `Loadbalancer` only, not {value}");
        let finding = Finding::error(&STACK_OUTBOUND, Kind::Invalid, "platform.azure.outboundType", message);
        out.push(finding.help("remove `outboundType`"));
    }
    if !azure.user_provisioned_dns.is_empty() {
        let message = "Azure Stack Hub does not support `userProvisionedDNS`, whatever its value";
        let finding = Finding::error(&STACK_DNS, Kind::Invalid, "platform.azure.userProvisionedDNS", message);
        out.push(finding.help("remove `userProvisionedDNS`"));
    }
    if azure.allow_shared_key_access == Some(false) {
        let message = "Azure Stack Hub does not support storage accounts without keys";
        out.push(
            Finding::error(&STACK_SHARED_KEY, Kind::Invalid, "platform.azure.allowSharedAccessKey", message)
                .at("platform.azure.allowSharedKeyAccess")
                .help("remove `allowSharedKeyAccess`"),
        );
    }
}
