//! Names of the DNS, and whose a record is by where it leads (`assets.md`, A.2 and D.4).

use std::collections::BTreeSet;

use aws_sdk_route53::types::{AliasTarget, ResourceRecord, ResourceRecordSet, RrType};

pub(super) use crate::dns::{is_below, is_within, plain};

/// The names that a record leads to, or the values that it has.
pub(super) fn targets(set: &ResourceRecordSet) -> BTreeSet<String> {
    let alias = set.alias_target().map(AliasTarget::dns_name).map(host);
    let values = set.resource_records().iter().map(ResourceRecord::value);
    let values =
        values.map(|value| if *set.r#type() == RrType::Cname { host(value) } else { value.to_owned() });
    alias.into_iter().chain(values).collect()
}

/// The name of a load balancer. Route 53 puts a word before it that says nothing more.
fn host(name: &str) -> String {
    plain(name).trim_start_matches("dualstack.").to_owned()
}

/// What a cluster's load balancers are called in the DNS.
#[derive(Clone, Copy, Debug)]
pub(super) struct Balancers<'c> {
    /// The cluster's infrastructure id, by which those of its API are known even when they are gone.
    pub(super) infra_id: &'c str,
    /// The names of those that were found.
    pub(super) found: &'c BTreeSet<String>,
}

impl Balancers<'_> {
    /// Whether a record leads to load balancers of the cluster, and to nothing else.
    pub(super) fn are_led_to(&self, set: &ResourceRecordSet) -> bool {
        let targets = targets(set);
        let is_own = |name: &String| self.found.contains(name) || is_of_api(name, self.infra_id);
        !targets.is_empty() && targets.iter().all(is_own)
    }

    /// The names of load balancers that must be there to prove that a record is the cluster's.
    pub(super) fn proving(&self, set: &ResourceRecordSet) -> Vec<String> {
        targets(set).into_iter().filter(|name| !is_of_api(name, self.infra_id)).collect()
    }
}

/// Whether a name is one that AWS gives to a load balancer of a cluster's API: `<id>-int` or `<id>-ext`, and
/// a number.
fn is_of_api(name: &str, infra_id: &str) -> bool {
    let Some((label, domain)) = name.split_once('.').filter(|_| !infra_id.is_empty()) else {
        return false;
    };
    let rest = label.strip_prefix(plain(infra_id).as_str()).and_then(|rest| rest.strip_prefix('-'));
    let is_named = rest.and_then(|rest| rest.split_once('-')).is_some_and(|(name, number)| {
        ["int", "ext"].contains(&name) && !number.is_empty() && !number.contains('-')
    });
    is_named && domain.split('.').any(|part| part == "elb")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alias(name: &str) -> Option<ResourceRecordSet> {
        let target = AliasTarget::builder().hosted_zone_id("Z1").dns_name(name).evaluate_target_health(false);
        let target = target.build().ok()?;
        ResourceRecordSet::builder().name("api.a.b").r#type(RrType::A).alias_target(target).build().ok()
    }

    fn values(kind: RrType, values: &[&str]) -> Option<ResourceRecordSet> {
        let values = values.iter().filter_map(|value| ResourceRecord::builder().value(*value).build().ok());
        let set = ResourceRecordSet::builder().name("api.a.b").r#type(kind);
        set.set_resource_records(Some(values.collect())).build().ok()
    }

    #[test]
    fn a_domain_is_within_itself_and_its_parents() {
        assert!(is_within("api.demo.example.com.", "demo.example.com"));
        assert!(is_within("Demo.example.com", "demo.example.com."));
        assert!(!is_within("api.mydemo.example.com", "demo.example.com"));
        assert!(!is_within("example.com", "") && !is_within("example.com", "."));
        assert!(is_below("\\052.apps.DEMO.example.com.", "demo.example.com"));
        assert!(!is_below("demo.example.com.", "demo.example.com") && !is_below("a.example.com", ""));
    }

    #[test]
    fn a_record_tells_where_it_leads() {
        let of = |set: Option<ResourceRecordSet>| set.map(|set| targets(&set)).unwrap_or_default();
        let expected = BTreeSet::from(["demo-bcd24-ext-0a1b.elb.us-east-1.amazonaws.com".to_owned()]);
        assert_eq!(of(alias("dualstack.Demo-bcd24-ext-0a1b.elb.us-east-1.amazonaws.com.")), expected);
        let cname = values(RrType::Cname, &["demo-bcd24-ext-0a1b.elb.us-east-1.amazonaws.com."]);
        assert_eq!(of(cname), expected);
        assert_eq!(of(values(RrType::Txt, &["\"By hand\""])), BTreeSet::from(["\"By hand\"".to_owned()]));
    }

    #[test]
    fn only_the_clusters_load_balancers_are_led_to() {
        let found = BTreeSet::from(["a0123.us-east-1.elb.amazonaws.com".to_owned()]);
        let balancers = Balancers { infra_id: "demo-bcd24", found: &found };
        let led = |set: Option<ResourceRecordSet>| set.map(|set| balancers.are_led_to(&set));
        assert_eq!(led(alias("dualstack.a0123.us-east-1.elb.amazonaws.com.")), Some(true));
        assert_eq!(led(alias("demo-bcd24-ext-0a1b.elb.us-east-1.amazonaws.com.")), Some(true));
        for other in [
            "demo-x7k2p-ext-0a1b.elb.us-east-1.amazonaws.com",
            "demo-bcd24-xyz79-ext-0a1b.elb.us-east-1.amazonaws.com",
            "demo-bcd24-ext-ext-0a1b.elb.us-east-1.amazonaws.com",
            "demo-bcd24-ext-0a1b.example.com",
            "b0123.us-east-1.elb.amazonaws.com",
        ] {
            assert_eq!(led(alias(other)), Some(false), "{other}");
        }
        let proving = |name: &str| alias(name).map(|set| balancers.proving(&set)).unwrap_or_default();
        assert_eq!(proving("a0123.us-east-1.elb.amazonaws.com."), ["a0123.us-east-1.elb.amazonaws.com"]);
        assert!(proving("demo-bcd24-ext-0a1b.elb.us-east-1.amazonaws.com").is_empty());
        assert_eq!(led(values(RrType::A, &["192.0.2.1"])), Some(false));
        let both = ["demo-bcd24-ext-0a1b.elb.us-east-1.amazonaws.com", "www.example.com"];
        assert_eq!(led(values(RrType::Cname, &both)), Some(false));
        assert_eq!(led(values(RrType::Cname, &[])), Some(false));
        assert!(!is_of_api("-ext-1.elb.amazonaws.com", ""));
    }
}
