//! The account's public DNS zones, for people to choose a base domain from.

use aws_sdk_route53::types::{HostedZone, HostedZoneConfig};
use landfall_platform::cloud::{Asked, PublicZone};

use super::session::Session;

/// The field that a zone is chosen for.
const BASE_DOMAIN: &str = "baseDomain";

/// The public zones of the account, each domain once, sorted.
pub(super) async fn public(session: &Session<'_>) -> Asked<Vec<PublicZone>> {
    const CALL: &str = "route53:ListHostedZones";
    let client = session.route53().await?;
    let listed = client.list_hosted_zones().into_paginator().items().send().try_collect().await;
    let listed = listed.map_err(|error| session.fault(CALL, &error).verdict(BASE_DOMAIN))?;
    Ok(choice(&listed))
}

/// What of a list can be chosen. Zones of one domain cannot be told apart by it, and Route 53 allows several.
fn choice(listed: &[HostedZone]) -> Vec<PublicZone> {
    let public = listed.iter().filter(|zone| !zone.config().is_some_and(HostedZoneConfig::private_zone));
    let zone = |zone: &HostedZone| PublicZone { domain: domain(zone.name()), group: None };
    let mut zones: Vec<PublicZone> = public.map(zone).filter(|zone| !zone.domain.is_empty()).collect();
    zones.sort();
    zones.dedup();
    zones
}

/// The name of a zone as people write it: without its final dot, and without the escapes in which Route 53
/// gives all but letters, digits, hyphens and underscores. What could not be shown, and a dot that separates
/// nothing, stay as they are.
fn domain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut rest = name.strip_suffix('.').unwrap_or(name);
    while let Some(first) = rest.chars().next() {
        let escaped = rest.strip_prefix('\\').and_then(|code| code.get(..3)).and_then(shown);
        let (meant, length) = escaped.map_or((first, first.len_utf8()), |meant| (meant, 4));
        plain.push(meant);
        rest = rest.get(length..).unwrap_or_default();
    }
    plain
}

/// The character of three octal digits, if it can stand in a line of text by itself.
fn shown(code: &str) -> Option<char> {
    let octal = code.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
    let byte = u8::from_str_radix(code, 8).ok().filter(|_| octal)?;
    let meant = char::from(byte);
    (meant.is_ascii_graphic() && !".\\".contains(meant)).then_some(meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str, config: Option<HostedZoneConfig>) -> Option<HostedZone> {
        let zone = HostedZone::builder().id("/hostedzone/Z1").name(name).caller_reference("1");
        zone.set_config(config).build().ok()
    }

    #[test]
    fn public_zones_are_listed_once_and_in_order() {
        let config = |private: bool| Some(HostedZoneConfig::builder().private_zone(private).build());
        let listed = [
            zone("www.example.com.", config(false)),
            zone("example.com.", config(false)),
            zone("internal.example.com.", config(true)),
            zone("example.com.", config(false)),
            zone("an.example.org.", None),
        ];
        let listed: Vec<HostedZone> = listed.into_iter().flatten().collect();
        let chosen: Vec<(String, Option<String>)> =
            choice(&listed).into_iter().map(|zone| (zone.domain, zone.group)).collect();
        let expected = ["an.example.org", "example.com", "www.example.com"];
        assert_eq!(chosen, expected.map(|domain| (domain.to_owned(), None)));
    }

    #[test]
    fn a_domain_is_written_as_people_write_it() {
        assert_eq!(domain("example.com."), "example.com");
        assert_eq!(domain("example.com"), "example.com");
        assert_eq!(domain("\\052.a\\057b.example.com."), "*.a/b.example.com");
        for kept in ["a\\012b.example", "a\\056b", "a\\134b", "a\\400b", "a\\+12b", "a\\05", "a\\"] {
            assert_eq!(domain(kept), kept);
        }
        assert_eq!(domain("a\\é52.example."), "a\\é52.example");
        assert_eq!(domain("."), "");
    }
}
