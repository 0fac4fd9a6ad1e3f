//! What planning judges of the facts of AWS, as subjects of checks: what belongs to each, and what is to be
//! said of it where planning has nothing to say.

use std::collections::BTreeSet;

use landfall_diagnostics::{counted, few};
use landfall_model::aws::config::{MachinePool, Platform};
use landfall_model::aws::facts::{self, HostedZone, InstanceType, Subnet, Zone};
use landfall_model::config::InstallConfig;
use landfall_model::facts::Facts;
use landfall_model::plan::Cluster;
use landfall_platform::cloud::{Answer, Judged};
use serde_json::{Value, json};

/// The most names in a sentence.
const MOST: usize = 6;

/// The subjects, in the order in which one is looked at after the other.
pub(super) const JUDGED: &[Judged] = landfall_platform::judged! {
    "aws.region" at "platform.aws.region" needs ["region"] => region,
        ["LF0711", "LF0729"];
    // What a config lacks for a region that nobody knows can be said before anything is asked.
    "aws.region.endpoints" at "platform.aws.serviceEndpoints" needs [] => endpoints,
        ["LF0422"];
    "aws.zones" at "platform.aws.region" needs ["zones"] => zones,
        ["LF0703", "LF0712", "LF0717", "LF1462"];
    "aws.instance-types" at "controlPlane.platform.aws.type"
        needs ["instance-types", "zones"] => instance_types,
        ["LF0704", "LF0705", "LF0706", "LF0718", "LF0719", "LF0731", "LF1464"];
    "aws.image.choice" at "platform.aws.defaultMachinePlatform.amiID" needs [] => image,
        ["LF0702"];
    "aws.subnets" at "platform.aws.vpc.subnets" needs ["subnets", "vpc"] => subnets,
        ["LF0707", "LF0709", "LF0713", "LF0720", "LF0721", "LF0722", "LF0723", "LF0732", "LF0733",
         "LF0738", "LF0739", "LF0740"];
    "aws.security-groups" at "platform.aws.defaultMachinePlatform.additionalSecurityGroupIDs"
        needs ["security-groups", "subnets"] => security_groups,
        ["LF0728", "LF0730"];
    "aws.dedicated-hosts" at "compute[0].platform.aws.hostPlacement.dedicatedHost"
        needs ["dedicated-hosts", "zones"] => dedicated_hosts,
        ["LF0734", "LF0735"];
    "aws.public-zone" at "baseDomain" needs ["public-zone"] => public_zone,
        ["LF0710", "LF0726", "LF0727"];
    "aws.hosted-zone" at "platform.aws.hostedZone" needs ["private-zone", "subnets"] => hosted_zone,
        ["LF0724", "LF0725"];
    // Zones that are not known are told of under their own name; without them nothing is divided.
    "aws.network" at "networking.machineNetwork" needs [] => network,
        ["LF0708"];
};

type Parts<'a> = (&'a Platform, &'a facts::Facts);

fn parts<'a>(config: &'a InstallConfig, facts: &'a Facts) -> Option<Parts<'a>> {
    config.platform.aws.as_ref().zip(facts.aws.as_ref())
}

fn region(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (platform, facts) = parts(config, facts)?;
    let name = &platform.region;
    let of = match facts.partition.as_str() {
        "" => String::new(),
        partition => format!(" of partition {partition}"),
    };
    let state = match facts.opt_in.as_str() {
        "" => "answers, and the cloud does not list it",
        "opt-in-not-required" => "is enabled in every account",
        "opted-in" => "is enabled in the account",
        other => other,
    };
    let answer = Answer::passed(format!("the region {name}{of} {state}"));
    Some(
        answer
            .with("region", name.as_str())
            .with("partition", facts.partition.as_str())
            .with("optIn", facts.opt_in.as_str()),
    )
}

fn endpoints(config: &InstallConfig, _: &Facts) -> Option<Answer> {
    let platform = config.platform.aws.as_ref()?;
    let own: Vec<&str> = platform.service_endpoints.iter().map(|endpoint| endpoint.name.as_str()).collect();
    let message = if own.is_empty() {
        "the endpoints of all services that are needed are known".to_owned()
    } else {
        format!(
            "the endpoints of all services that are needed are known; the config gives {}",
            few(&own, MOST)
        )
    };
    Some(Answer::passed(message).with("given", json!(own)))
}

fn zones(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (_, facts) = parts(config, facts)?;
    let shown = |zone: &Zone| {
        json!({
            "name": zone.name,
            "type": zone.kind,
            "group": zone.group,
            "notOptedIn": zone.not_opted_in,
        })
    };
    let all: Vec<Value> = facts.zones.iter().map(shown).collect();
    let names = facts.availability_zones();
    let answer = if names.is_empty() {
        Answer::skipped(
            "the cloud lists no zones of the region, so the zones of the config cannot be \
            compared",
        )
    } else {
        Answer::passed(format!("{}: {}", counted(names.len(), "zone"), few(&names, MOST)))
    };
    Some(answer.with("zones", all))
}

fn instance_types(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (_, facts) = parts(config, facts)?;
    let offered: serde_json::Map<String, Value> =
        facts.instance_types.iter().map(|(name, offer)| (name.clone(), shown(offer))).collect();
    let named = settings(config).map(|pool| pool.instance_type.as_str());
    let named = distinct(named.filter(|name| facts.instance_types.contains_key(*name)));
    let all: Vec<&String> = facts.instance_types.keys().collect();
    let answer = if all.is_empty() {
        Answer::skipped("the cloud lists no instance types of the region, so nothing can be compared")
    } else if named.is_empty() {
        Answer::passed(format!("the region offers {} of the default instance types", few(&all, MOST)))
    } else {
        Answer::passed(format!("the region offers {}", few(&named, MOST)))
    };
    Some(answer.with("types", offered))
}

fn shown(offer: &InstanceType) -> Value {
    json!({
        "zones": offer.zones,
        "vcpus": offer.vcpus,
        "memoryMib": offer.memory_mib,
        "architectures": offer.architectures,
    })
}

fn image(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (platform, facts) = parts(config, facts)?;
    let own = || settings(config).map(|pool| pool.ami_id.as_str()).filter(|id| !id.is_empty());
    let all = own().count() == config.pools().count();
    let own = distinct(own());
    let answer = if all && !own.is_empty() {
        Answer::passed(format!("the config sets the image of every pool: {}", few(&own, MOST)))
    } else if facts.partition.is_empty() {
        Answer::skipped(format!("the partition of {} is unknown, and therefore its images", platform.region))
    } else {
        Answer::passed(format!("an image is published for {}, or can be copied there", platform.region))
    };
    Some(answer.with("named", json!(own)))
}

fn subnets(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (platform, facts) = parts(config, facts)?;
    if platform.vpc.subnets.is_empty() {
        return None;
    }
    let shown = |subnet: &Subnet| {
        json!({
            "id": subnet.id,
            "zone": subnet.zone,
            "cidr": subnet.cidr,
            "vpc": subnet.vpc,
            "public": subnet.public,
            "owners": subnet.owners,
        })
    };
    let all: Vec<Value> = facts.subnets.iter().map(shown).collect();
    let public = facts.subnets.iter().filter(|subnet| subnet.public).count();
    let private = facts.subnets.len().saturating_sub(public);
    let message = format!("{} and {public} public in {}", counted(private, "private subnet"), facts.vpc);
    Some(Answer::passed(message).with("vpc", facts.vpc.as_str()).with("subnets", all))
}

fn security_groups(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (_, facts) = parts(config, facts)?;
    let ids = settings(config).flat_map(|pool| &pool.additional_security_group_ids);
    let ids = distinct(ids.map(String::as_str));
    if ids.is_empty() {
        return None;
    }
    let groups = facts.security_groups.iter();
    let all: Vec<Value> = groups.map(|group| json!({ "id": group.id, "vpc": group.vpc })).collect();
    let message = format!("{} in {}: {}", counted(ids.len(), "security group"), facts.vpc, few(&ids, MOST));
    Some(Answer::passed(message).with("securityGroups", all))
}

fn dedicated_hosts(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (_, facts) = parts(config, facts)?;
    let placement = settings(config).filter_map(|pool| pool.host_placement.as_ref());
    let hosts = placement.flat_map(|placement| &placement.dedicated_host);
    let named = distinct(hosts.map(|host| host.id.as_str()));
    if named.is_empty() {
        return None;
    }
    let hosts = facts.dedicated_hosts.iter();
    let all: Vec<Value> = hosts.map(|host| json!({ "id": host.id, "zone": host.zone })).collect();
    let message = format!("{}: {}", counted(named.len(), "dedicated host"), few(&named, MOST));
    Some(Answer::passed(message).with("hosts", all))
}

fn public_zone(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (platform, facts) = parts(config, facts)?;
    let cluster = Cluster::of(config);
    if !cluster.external_api || platform.has_user_dns() {
        return None;
    }
    Some(match &facts.public_zone {
        Some(zone) => zone_found(zone, "public"),
        None => Answer::skipped(format!("the public hosted zone of {} is not known", cluster.base_domain)),
    })
}

fn hosted_zone(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (platform, facts) = parts(config, facts)?;
    if platform.hosted_zone.is_empty() || platform.has_user_dns() {
        return None;
    }
    Some(match &facts.private_zone {
        Some(zone) => zone_found(zone, "private").with("vpcs", json!(zone.vpcs)),
        None => Answer::skipped(format!("the hosted zone {} is unknown", platform.hosted_zone)),
    })
}

fn zone_found(zone: &HostedZone, kind: &str) -> Answer {
    let message = format!("the {kind} hosted zone {} is {}", zone.name, zone.id);
    Answer::passed(message)
        .with("id", zone.id.as_str())
        .with("name", zone.name.as_str())
        .with("records", json!(zone.records))
}

fn network(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (platform, facts) = parts(config, facts)?;
    if !platform.vpc.subnets.is_empty() {
        return None;
    }
    let networks = config.networking.iter().flat_map(|networking| &networking.machine_network);
    let cidr = networks.filter_map(|network| network.cidr.given()).find(|net| net.is_ipv4())?.to_string();
    let known = !facts.zones.is_empty() || settings(config).any(|pool| !pool.zones.is_empty());
    let answer = if known {
        Answer::passed(format!("{cidr} is large enough for the subnets of all zones"))
    } else {
        Answer::skipped(format!("the zones among which {cidr} would be divided are not known"))
    };
    Some(answer.with("cidr", cidr))
}

/// Each of the texts once, sorted.
fn distinct<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    texts.collect::<BTreeSet<&str>>().into_iter().collect()
}

/// The settings of all pools that have any.
fn settings(config: &InstallConfig) -> impl Iterator<Item = &MachinePool> {
    config.pools().filter_map(|(_, pool)| pool.platform.aws.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::aws::config::Subnet as Given;
    use landfall_model::aws::facts::AVAILABILITY_ZONE;
    use landfall_model::config::MachinePool as Pool;
    use landfall_platform::cloud::Verdict;
    use landfall_testing::{assert_names, codes_between};

    /// What is judged of the config alone.
    const WITHOUT_FACTS: &[&str] = &["LF0714", "LF0715", "LF0736", "LF0737", "LF0741"];

    #[test]
    fn every_code_of_planning_belongs_to_one_subject() {
        let codes: Vec<&str> = JUDGED.iter().flat_map(|judged| judged.codes).copied().collect();
        let unique: BTreeSet<&str> = codes.iter().copied().collect();
        assert_eq!(unique.len(), codes.len());
        let of_planning = codes_between("LF0702", "LF0749");
        for code in &of_planning {
            assert!(unique.contains(code) != WITHOUT_FACTS.contains(code), "{code}");
        }
        // Three codes are of rules, and said again by planning.
        assert_eq!(codes.len() + WITHOUT_FACTS.len(), of_planning.len() + 3);
    }

    fn config() -> InstallConfig {
        let mut config = InstallConfig { base_domain: "example.com".to_owned(), ..InstallConfig::default() };
        config.platform.aws = Some(Platform { region: "us-east-1".to_owned(), ..Platform::default() });
        let settings = MachinePool { instance_type: "m5.xlarge".to_owned(), ..MachinePool::default() };
        let mut pool = Pool::default();
        pool.platform.aws = Some(settings);
        config.control_plane = Some(pool);
        config
    }

    fn said(passed: fn(&InstallConfig, &Facts) -> Option<Answer>, aws: facts::Facts) -> Option<String> {
        let facts = Facts { aws: Some(aws), ..Facts::default() };
        match passed(&config(), &facts)?.verdict {
            Verdict::Passed(message) => Some(message),
            Verdict::Skipped(why) | Verdict::Unanswered(why) => Some(format!("skipped: {why}")),
            Verdict::Found(finding) => Some(format!("found: {}", finding.message)),
        }
    }

    #[test]
    fn says_what_was_found() {
        let zone = |letter: char| Zone {
            name: format!("us-east-1{letter}"),
            kind: AVAILABILITY_ZONE.to_owned(),
            ..Zone::default()
        };
        let mut aws = facts::Facts { zones: ('a'..='h').map(zone).collect(), ..facts::Facts::default() };
        aws.opt_in = "opted-in".to_owned();
        aws.instance_types.insert("m5.xlarge".to_owned(), InstanceType::default());
        aws.instance_types.insert("m6i.xlarge".to_owned(), InstanceType::default());
        let six: Vec<String> = ('a'..='f').map(|letter| format!("us-east-1{letter}")).collect();
        let passed = |subject: fn(&InstallConfig, &Facts) -> Option<Answer>| {
            said(subject, aws.clone()).filter(|text| !text.starts_with("skipped: ")).unwrap_or_default()
        };
        assert_names(&passed(zones), &["8 zones", &six.join(", "), " 2 more"]);
        assert_names(&passed(instance_types), &["m5.xlarge"]);
        assert_names(&passed(region), &["us-east-1"]);
        assert!(said(zones, facts::Facts::default()).is_some_and(|text| text.starts_with("skipped: ")));
        assert!(said(public_zone, aws.clone()).is_some_and(|text| text.starts_with("skipped: ")));
        assert_eq!(said(hosted_zone, aws.clone()), None);
        assert_eq!(said(security_groups, aws.clone()), None);
        assert_eq!(said(subnets, aws), None);
    }

    #[test]
    fn counts_the_subnets_of_a_network() {
        let subnet = |id: &str, public: bool| Subnet { id: id.to_owned(), public, ..Subnet::default() };
        let aws = facts::Facts {
            vpc: "vpc-1".to_owned(),
            subnets: vec![subnet("subnet-1", false), subnet("subnet-2", true)],
            ..facts::Facts::default()
        };
        let facts = Facts { aws: Some(aws), ..Facts::default() };
        let mut config = config();
        if let Some(platform) = &mut config.platform.aws {
            platform.vpc.subnets = vec![Given::default()];
        }
        let Some(Verdict::Passed(what)) = subnets(&config, &facts).map(|answer| answer.verdict) else {
            unreachable!("the network is there")
        };
        assert_names(&what, &["1 private", "1 public", "vpc-1"]);
        assert!(network(&config, &facts).is_none());
    }
}
