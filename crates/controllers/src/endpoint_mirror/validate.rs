//! What can be wrong with custom endpoints without asking anybody.

use std::collections::HashMap;

use landfall_cloud_config::ServiceEndpoint;
use landfall_diagnostics::shortened;
use landfall_rules::endpoint::Endpoint;

/// All that is wrong with the list.
pub(super) fn faults(endpoints: &[ServiceEndpoint]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (i, endpoint) in endpoints.iter().enumerate() {
        let j = *first.entry(&endpoint.name).or_insert(i);
        let name = if j == i { name(&endpoint.name) } else { Err(again(&endpoint.name, j)) };
        for (field, fault) in [("name", name.err()), ("url", url(&endpoint.url).err())] {
            if let Some(fault) = fault {
                faults.push(format!("serviceEndpoints[{i}].{field}: {fault}"));
            }
        }
    }
    faults
}

fn again(name: &str, first: usize) -> String {
    format!("the service `{}` has an endpoint already, serviceEndpoints[{first}]", shortened(name))
}

/// A service's name has the form that the object's definition asks for.
fn name(name: &str) -> Result<(), String> {
    let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() {
        return Err("the name is missing".to_owned());
    }
    if !name.chars().all(known) {
        let name = shortened(name);
        return Err(format!(
            "`{name}` contains characters other than lower-case letters, digits and hyphens"
        ));
    }
    Ok(())
}

fn url(url: &str) -> Result<(), String> {
    // Neither is shown: it may contain a password.
    if url.contains('@') {
        return Err("the URL contains a user".to_owned());
    }
    let endpoint = Endpoint::of_service(url).map_err(|unfit| unfit.message)?;
    // Not everybody who reads the status takes `https://` for granted.
    if !url.starts_with("https://") {
        return Err(format!("`{}` does not begin with https://", shortened(url)));
    }
    endpoint.obstacle().map_or(Ok(()), |unfit| Err(unfit.message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(endpoints: &[(&str, &str)]) -> Vec<String> {
        let of = |(name, url): &(&str, &str)| ServiceEndpoint { name: (*name).into(), url: (*url).into() };
        faults(&endpoints.iter().map(of).collect::<Vec<_>>())
    }

    #[test]
    fn every_fault_is_found_at_once() {
        let endpoints = [
            ("ec2", "https://ec2.example.com"),
            ("ec2", "http://ec2.example.com"),
            ("S3", "https://s3.example.com/path"),
            ("", "https://user:canary@example.com"),
            ("iam", "iam.example.com"),
            ("sts", "https://sts.example.com#part"),
            ("kms", ""),
        ];
        let judged = judged(&endpoints);
        let fields: Vec<&str> = judged.iter().filter_map(|fault| Some(fault.split_once(": ")?.0)).collect();
        let wanted =
            ["1].name", "1].url", "2].name", "2].url", "3].name", "3].url", "4].url", "5].url", "6].url"];
        assert_eq!(fields, wanted.map(|field| format!("serviceEndpoints[{field}")));
        let text = judged.join("\n");
        assert!(!text.contains("canary"), "{text}");
        landfall_testing::assert_text("endpoint-mirror", &format!("{text}\n"));
    }

    #[test]
    fn a_host_with_a_port_is_an_endpoint() {
        assert_eq!(judged(&[("ec2", "https://ec2.example.com:8443"), ("s3", "https://[fd00::1]/")]), [""; 0]);
    }
}
