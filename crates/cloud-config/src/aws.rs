//! AWS's texts.

use super::Fault;
use super::infrastructure::ServiceEndpoint;
use super::ini::{self, Mode};
use super::target::Gate;

/// What is wrong with a URL that may have a password in it.
const NAMES_USER: &str = "contains a user and possibly a password";

/// The user's text, as it is, with a service override behind it for each endpoint.
///
/// # Errors
/// The region or an endpoint is of no use, the text cannot be read, or has overrides of its own.
pub(super) fn stitch(text: &[u8], region: &str, endpoints: &[ServiceEndpoint]) -> Result<Vec<u8>, Fault> {
    if region.trim().is_empty() {
        return Err(Fault::RegionRequired);
    }
    let own = ini::read(text, Mode::Strict).map_err(|fault| unreadable(&fault))?;
    if let Some(name) = own.overrides.keys().next() {
        return Err(Fault::OverrideConflict(ini::header(name)));
    }
    let region = ini::value(region);
    let mut stitched = text.to_vec();
    for (index, ServiceEndpoint { name, url }) in endpoints.iter().enumerate() {
        let invalid = |field: &str, why: &'static str| {
            let at = format!("status.platformStatus.aws.serviceEndpoints[{index}].{field}");
            Err(Fault::EndpointInvalid { at, why })
        };
        for (field, value) in [("name", name), ("url", url)] {
            if value.trim().is_empty() || value.contains(['\0', '\r', '\u{feff}']) {
                return invalid(field, "is empty or has a control character");
            }
        }
        if names_user(url) {
            return invalid("url", NAMES_USER);
        }
        let (header, name, url) = (ini::header(&index.to_string()), ini::value(name), ini::value(url));
        let block = format!(
            "\n[{header}]\n\tService = {name}\n\tRegion = {region}\n\tURL = {url}\n\t\
             SigningRegion = {region}\n"
        );
        stitched.extend_from_slice(block.as_bytes());
    }
    Ok(stitched)
}

/// The text for the cloud controller manager.
///
/// # Errors
/// The text cannot be read.
pub(super) fn ccm(text: &str, gate: Gate) -> Result<String, Fault> {
    let mut file = ini::read(text.as_bytes(), Mode::Tolerant).map_err(|fault| unreadable(&fault))?;
    if let Some(mode) = file.global.text("ClusterServiceLoadBalancerHealthProbeMode")
        && mode.is_empty()
    {
        "Shared".clone_into(mode);
    }
    if let Some(mode) = file.global.text("NLBSecurityGroupMode")
        && matches!(gate, Gate::On)
    {
        "Managed".clone_into(mode);
    }
    Ok(ini::write(&file))
}

/// Whether somebody is named in front of a URL's host.
fn names_user(url: &str) -> bool {
    let scheme = url.split_once(':').filter(|(scheme, _)| !scheme.contains(['/', '\\', '?', '#']));
    let behind_scheme = scheme.map_or(url, |(_, rest)| rest).trim_start_matches(['/', '\\']);
    behind_scheme.split(['/', '\\', '?', '#']).next().is_some_and(|authority| authority.contains('@'))
}

fn unreadable(fault: &ini::Unreadable) -> Fault {
    Fault::ConfigUnreadable(fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(name: &str, url: &str) -> ServiceEndpoint {
        ServiceEndpoint { name: name.into(), url: url.into() }
    }

    fn stitched(text: &str, region: &str, endpoints: &[ServiceEndpoint]) -> Result<String, Fault> {
        stitch(text.as_bytes(), region, endpoints).map(|text| String::from_utf8_lossy(&text).into_owned())
    }

    #[test]
    fn endpoints_follow_the_users_own_bytes_in_their_order() {
        let own = "; mine\r\n[global]\r\nzone=\"a\"";
        let expected = format!(
            "{own}\n[ServiceOverride \"0\"]\n\tService = s3\n\tRegion = eu-west-1\n\tURL = \
             https://s3.example\n\tSigningRegion = eu-west-1\n\n[ServiceOverride \"1\"]\n\tService = \
             ec2\n\tRegion = eu-west-1\n\tURL = https://ec2.example/?a=b&c\n\tSigningRegion = eu-west-1\n"
        );
        let endpoints = [endpoint("s3", "https://s3.example"), endpoint("ec2", "https://ec2.example/?a=b&c")];
        assert_eq!(stitched(own, "eu-west-1", &endpoints), Ok(expected));
    }

    #[test]
    fn only_what_would_be_misread_is_quoted() -> Result<(), Fault> {
        let endpoints = [endpoint("a;b", r#"https://x/#"\"#), endpoint("c`d", "https://ü.example")];
        let text = stitched("", "us \"east\"", &endpoints)?;
        let quoted = [
            "Service = \"a;b\"\n",
            r#"URL = "https://x/#\"\\""#,
            r#"Region = "us \"east\"""#,
            "Service = c`d\n",
        ];
        assert_eq!(quoted.map(|part| text.contains(part)), [true; 4], "{text}");
        let mut read = ini::read(text.as_bytes(), Mode::Strict).map_err(|fault| unreadable(&fault))?;
        let mut held = |name: &str, key: &str| read.overrides.get_mut(name)?.text(key).cloned();
        assert_eq!(held("0", "Service").as_deref(), Some("a;b"));
        assert_eq!(held("0", "URL").as_deref(), Some(r#"https://x/#"\"#));
        assert_eq!(held("1", "SigningRegion").as_deref(), Some("us \"east\""));
        assert_eq!(held("1", "URL").as_deref(), Some("https://ü.example"));
        Ok(())
    }

    #[test]
    fn what_cannot_be_stitched_says_why() {
        let endpoints = [endpoint("ec2", "https://ec2.example")];
        let name = |text: &str, region: &str, endpoints: &[ServiceEndpoint]| {
            stitched(text, region, endpoints).map_err(|fault| fault.name())
        };
        assert_eq!(name("[[[", "", &endpoints), Err("region-required"));
        assert_eq!(name("", " ", &endpoints), Err("region-required"));
        assert_eq!(name("[[[", "r", &endpoints), Err("config-unreadable"));
        assert_eq!(name("[Local]\n", "r", &endpoints), Err("config-unreadable"));
        assert_eq!(name("[ServiceOverride]", "r", &endpoints), Err("override-conflict"));
        assert_eq!(name("", "r", &[endpoint("", "https://x")]), Err("endpoint-invalid"));
        assert_eq!(name("", "r", &[endpoint("x", "https://\0")]), Err("endpoint-invalid"));
        let conflict = stitched("[serviceoverride \"a\"]\n", "r", &endpoints);
        assert_eq!(conflict, Err(Fault::OverrideConflict("ServiceOverride \"a\"".into())));
    }

    #[test]
    fn a_url_that_names_a_user_is_refused_and_not_shown() {
        for url in ["http://user:canary@ec2", "https:/canary@ec2/", "canary@ec2", "user:canary@ec2"] {
            let stitched = stitched("", "r", &[endpoint("ec2", url)]).map_err(|fault| fault.to_string());
            let at = "status.platformStatus.aws.serviceEndpoints[0].url";
            let told = stitched.err().unwrap_or_default();
            assert!(told.starts_with(at) && told.ends_with(NAMES_USER), "{url}: {told}");
            let text = format!("[ServiceOverride \"1\"]\nURL = {url}\n");
            // The provider's own text may come from elsewhere.
            assert!(ccm(&text, Gate::Off).is_ok_and(|passed| passed.contains(url)), "{url}");
        }
        for url in ["https://ec2.example/@x", "https://ec2.example:8443/?a=b@c", "ec2.example:443#@"] {
            assert!(stitched("", "r", &[endpoint("ec2", url)]).is_ok(), "{url}");
        }
    }

    #[test]
    fn newer_names_are_no_fault() {
        assert!(stitched("[Global]\nRegion = r\nNLBSecurityGroupMode = Managed\n", "r", &[]).is_ok());
    }

    #[test]
    fn the_provider_gets_its_defaults_and_what_the_gate_asks_for() -> Result<(), Fault> {
        let plain = "[Global]\nDisableSecurityGroupIngress                     = false\n\
                     ClusterServiceLoadBalancerHealthProbeMode       = Shared\n\
                     ClusterServiceSharedLoadBalancerHealthProbePort = 0\n";
        assert_eq!(ccm("", Gate::Off)?, plain);
        assert_eq!(ccm(" ; nothing", Gate::Unknown)?, plain);
        let managed = format!("{plain}NLBSecurityGroupMode                            = Managed\n");
        assert_eq!(ccm("[Global]\nNLBSecurityGroupMode = Other\n", Gate::On)?, managed);
        assert_eq!(ccm("[Global]\nNLBSecurityGroupMode = Managed\n", Gate::Off)?, managed);
        let mode = ccm("[Global]\nClusterServiceLoadBalancerHealthProbeMode = odd\n", Gate::On)?;
        assert!(mode.contains("ProbeMode       = odd\n"), "{mode}");
        Ok(())
    }

    #[test]
    fn faults_of_the_text_are_reported_with_their_place_and_without_a_value() {
        let fault = ccm("[Global]\nDisableSecurityGroupIngress = hidden\n", Gate::Off);
        let Err(Fault::ConfigUnreadable(text)) = fault else { unreachable!("it takes true or false") };
        assert!(text.starts_with("line 2, column 1: ") && !text.contains("hidden"), "{text}");
    }
}
