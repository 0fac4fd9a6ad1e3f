use super::*;
use landfall_testing::misfit;

fn partition(region: &str) -> Option<String> {
    Catalogue::shipped().partition_of(region).map(|(id, _)| id.to_owned())
}

#[test]
fn the_documents_that_ship_can_be_read() {
    assert_eq!(misfit::<BTreeMap<String, Partition>>(PARTITIONS), None);
    assert_eq!(misfit::<BTreeMap<String, InstanceType>>(INSTANCE_TYPES), None);
    assert_eq!(misfit::<BTreeMap<String, BTreeMap<String, Vec<String>>>>(PERMISSIONS), None);
    assert_eq!(misfit::<Catalogue>(DEFAULTS), None);
    assert_eq!(Catalogue::shipped().partitions.len(), 8);
}

#[test]
fn regions_belong_to_the_partition_that_lists_them_or_else_fits() {
    let probe = [
        ("cn-new-1", Some("aws-cn")),
        ("eu-isoe-west-1", Some("aws-iso-e")),
        ("il-central-1", Some("aws")),
        ("us-gov-new-1", Some("aws-us-gov")),
        ("us-iso-new-1", Some("aws-iso")),
        ("us-isob-new-1", Some("aws-iso-b")),
        ("us-isof-south-1", Some("aws-iso-f")),
        ("us-new-9", Some("aws")),
        ("us-gov-west-1", Some("aws-us-gov")),
        // Known to the newest releases only.
        ("mx-central-1", Some("aws")),
        ("eusc-de-east-1", Some("aws-eusc")),
        ("eusc-de-north-2", Some("aws-eusc")),
        ("xx-hidden-1", None),
        ("us-east-1x", None),
        ("", None),
    ];
    for (region, expected) in probe {
        assert_eq!(partition(region).as_deref(), expected, "{region}");
    }
    let aws = Catalogue::shipped();
    let listed = ["us-east-1", "us-iso-west-1", "ap-southeast-7", "us-new-9", "xx-hidden-1"];
    assert_eq!(listed.map(|region| aws.listed(region)), [true, true, true, false, false]);
}

#[test]
fn endpoints_follow_the_partition() {
    let aws = Catalogue::shipped();
    let endpoint = |region: &str, service: &str| {
        aws.endpoint(region, service).map(|endpoint| format!("{} {}", endpoint.url, endpoint.signing_region))
    };
    let expected = [
        ("us-east-1", "s3", "https://s3.amazonaws.com us-east-1"),
        ("us-east-2", "s3", "https://s3.us-east-2.amazonaws.com us-east-2"),
        ("us-new-9", "iam", "https://iam.amazonaws.com us-east-1"),
        ("eu-west-1", "sts", "https://sts.amazonaws.com us-east-1"),
        ("eu-south-1", "sts", "https://sts.eu-south-1.amazonaws.com eu-south-1"),
        ("cn-north-1", "route53", "https://route53.amazonaws.com.cn cn-northwest-1"),
        ("cn-northwest-1", "iam", "https://iam.cn-north-1.amazonaws.com.cn cn-north-1"),
        ("us-gov-east-1", "route53", "https://route53.us-gov.amazonaws.com us-gov-west-1"),
        ("us-iso-west-1", "tagging", "https://tagging.us-iso-west-1.c2s.ic.gov us-iso-west-1"),
        ("us-isob-east-1", "route53", "https://route53.sc2s.sgov.gov us-isob-east-1"),
        ("eusc-de-east-1", "iam", "https://iam.eusc-de-east-1.amazonaws.eu eusc-de-east-1"),
    ];
    for (region, service, url) in expected {
        assert_eq!(endpoint(region, service).as_deref(), Some(url), "{region} {service}");
    }
    assert_eq!(endpoint("xx-hidden-1", "ec2"), None);
}

#[test]
fn partitions_differ_as_they_do() {
    let aws = Catalogue::shipped();
    let facts = |region: &str| {
        format!(
            "{} {} {} {}",
            aws.api_record_type(region),
            aws.ec2_service_principal(region),
            aws.internal_domain(region),
            aws.s3_endpoint_service(region),
        )
    };
    assert_eq!(facts("us-east-1"), "A ec2.amazonaws.com ec2.internal com.amazonaws.us-east-1.s3");
    assert!(facts("us-gov-west-1").starts_with("CNAME ec2.amazonaws.com us-gov-west-1.compute.internal "));
    assert!(facts("cn-north-1").starts_with("A ec2.amazonaws.com.cn "));
    assert!(facts("us-isob-east-1").starts_with("A ec2.sc2s.sgov.gov "));
    assert!(facts("eusc-de-east-1").starts_with("A ec2.amazonaws.com "));
    assert!(facts("xx-hidden-1").starts_with("A ec2.amazonaws.com xx-hidden-1.compute.internal "));
    let required = |region: &str| aws.region(region).is_some_and(|region| region.image_required);
    assert!(required("cn-north-1") && required("us-isob-east-1") && !required("us-gov-west-1"));
    let secret = |region: &str| aws.partition_of(region).is_some_and(|(_, partition)| partition.secret);
    assert!(secret("us-iso-east-1") && secret("us-isob-new-1") && !secret("cn-north-1"));
    let copy = |region: &str| aws.partition_of(region).and_then(|(_, p)| p.image_copy_from.clone());
    assert_eq!((copy("us-new-9").as_deref(), copy("us-gov-west-1")), (Some("us-east-1"), None));
    assert_eq!(aws.required_services("xx-hidden-1").len(), 7);
    assert_eq!(aws.zones("us-west-1"), ["us-west-1a", "us-west-1b"]);
    assert_eq!(aws.offered_zones("eu-north-1", "m4.xlarge").map(<[String]>::len), Some(0));
    assert_eq!(aws.offered_zones("us-east-1", "m6i.xlarge").map(<[String]>::len), Some(5));
    assert_eq!(aws.offered_zones("us-gov-west-1", "m6i.xlarge"), None);
}

#[test]
fn every_candidate_is_a_type_that_is_large_enough() {
    let aws = Catalogue::shipped();
    for (name, rule) in &aws.default_instance_types {
        for architecture in rule.architectures.keys() {
            for role in [Role::ControlPlane, Role::Compute, Role::Edge] {
                for single in [false, true] {
                    let types = aws.candidates(name, architecture, role, single);
                    assert!(!types.is_empty(), "{name} {architecture} {role:?}");
                    let least = aws.minimums(role).cloned().unwrap_or_default();
                    for kind in types {
                        let facts = aws.instance_types.get(kind).cloned().unwrap_or_default();
                        assert_eq!(&facts.architecture, architecture, "{kind}");
                        let enough = facts.vcpus >= least.vcpus && facts.memory_mib >= least.memory_mib;
                        assert!(enough, "{name} {role:?} {kind}");
                    }
                }
            }
        }
    }
}

#[test]
fn rules_choose_as_their_release_did() {
    let aws = Catalogue::shipped();
    let first =
        |rule: &str, role: Role, single: bool| aws.candidates(rule, "amd64", role, single).first().cloned();
    assert_eq!(first("4.14", Role::ControlPlane, false).as_deref(), Some("m6i.xlarge"));
    assert_eq!(first("4.14", Role::ControlPlane, true).as_deref(), Some("m6i.2xlarge"));
    assert_eq!(first("4.14", Role::Bootstrap, true).as_deref(), Some("m6i.2xlarge"));
    assert_eq!(first("4.14", Role::Compute, true).as_deref(), Some("m6i.xlarge"));
    assert_eq!(first("4.10", Role::Compute, false).as_deref(), Some("m6i.large"));
    assert_eq!(first("seed", Role::Bootstrap, false).as_deref(), Some("m4.large"));
    assert_eq!(first("none", Role::Compute, false), None);
    assert_eq!(aws.skipped_zones("newest"), ["us-east-1e"]);
    assert_eq!(aws.root_volume(Role::Edge).map(|volume| volume.kind.as_str()), Some("gp2"));
}

#[test]
fn permissions_and_quotas_are_there() {
    let aws = Catalogue::shipped();
    assert!(aws.permissions("4.14", "create-base").iter().any(|action| action == "ec2:RunInstances"));
    assert!(aws.permissions("4.10", "create-hosted-zone").is_empty());
    assert_eq!(aws.permissions("4.14", "permission-mint-creds").len(), 11);
    let quota = |kind: &str| aws.vcpu_quota(kind).map(|(_, quota)| quota.code.clone());
    assert_eq!(quota("im4gn.large").as_deref(), Some("L-1216C47A"));
    assert_eq!(quota("vt1.3xlarge").as_deref(), Some("L-DB2E81BA"));
    assert_eq!(quota("q9.large"), None);
    let asked = ["eu-west-1", "us-gov-west-1", "xx-hidden-1", "us-iso-east-1", "us-isob-new-1"];
    assert_eq!(asked.map(|region| aws.has_quotas(region)), [true, true, true, false, false]);
    let nameless: Vec<&String> =
        aws.quotas.iter().filter(|(_, quota)| quota.name.is_empty()).map(|(name, _)| name).collect();
    assert!(nameless.is_empty(), "{nameless:?}");
}
