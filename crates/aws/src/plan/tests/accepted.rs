//! What the installer takes, and a service of AWS or the cluster does not.

use super::*;

/// What planning says of a config that was changed.
fn said(change: impl FnOnce(&mut InstallConfig, &mut config::Platform)) -> Vec<Finding> {
    let mut config = base_config();
    let mut platform = config.platform.aws.take().unwrap_or_default();
    change(&mut config, &mut platform);
    config.platform.aws = Some(platform);
    planned_with(Catalogue::embedded(), "4.19", &config, base_facts(), Source::Cloud, false).1
}

#[test]
fn the_ebs_driver_is_given_a_whole_arn() {
    let at = "platform.aws.defaultMachinePlatform.rootVolume.kmsKeyARN";
    let id = "1234abcd-12ab-34cd-56ef-1234567890ab";
    for (key, refused) in [
        (String::new(), false),
        (format!("arn:aws:kms:us-east-1:123456789012:key/{id}"), false),
        ("arn:aws-us-gov:kms:us-gov-west-1:123456789012:alias/a:b".to_owned(), false),
        (id.to_owned(), true),
        ("alias/demo".to_owned(), true),
        (format!("arn:aws-x:kms:us-east-1:123456789012:key/{id}"), true),
        (format!("arn:aws:kms:us-east-1:12345678901:key/{id}"), true),
        (format!("arn:aws:kms::123456789012:key/{id}"), true),
        (format!("arn:aws:kms:us-east-1:123456789012:{id}"), true),
    ] {
        let found = said(|_, aws| {
            aws.default_machine_platform.get_or_insert_default().root_volume.kms_key_arn.clone_from(&key);
        });
        assert_eq!(places(&found).contains(&("LF0659", at)), refused, "{key}");
    }
}

#[test]
fn user_tags_are_those_that_all_services_take() {
    for (key, value, copied, refused) in [
        ("team", "a b", true, false),
        ("team", "a\u{a0}b", false, false),
        ("team", "a\u{a0}b", true, true),
        ("team", "a,b", false, true),
        ("te?am", "a", true, true),
        ("aws:team", "a", false, true),
        ("AWS:team", "a", true, true),
        ("aws", "a", true, false),
        ("CSIVolumeName", "a", false, false),
        ("CSIVolumeName", "a", true, true),
    ] {
        let found = said(|_, aws| {
            aws.propagate_user_tags = copied;
            aws.user_tags.insert(key.to_owned(), value.to_owned());
        });
        let at = format!("platform.aws.userTags[{key}]");
        assert_eq!(places(&found).contains(&("LF0431", at.as_str())), refused, "{key}={value} {copied}");
    }
}

#[test]
fn the_cluster_trusts_its_endpoints() {
    let with = |url: &str, policy: &str, region: &str| {
        let found = said(|config, aws| {
            "bundle".clone_into(&mut config.additional_trust_bundle);
            policy.clone_into(&mut config.additional_trust_bundle_policy);
            region.clone_into(&mut aws.region);
            let endpoint =
                config::ServiceEndpoint { name: "ec2".to_owned(), url: SecretUrl::new(url.to_owned()) };
            aws.service_endpoints.extend((!url.is_empty()).then_some(endpoint));
        });
        found
            .iter()
            .filter(|one| one.field == "additionalTrustBundlePolicy")
            .map(|one| one.code.as_str())
            .collect()
    };
    let url = "https://ec2.example.com";
    for (url, policy, region, expected) in [
        (url, "Proxyonly", "us-east-1", &["LF0741"][..]),
        (url, "Always", "us-east-1", &[]),
        ("", "Proxyonly", "us-east-1", &[]),
        (url, "Proxyonly", "us-iso-east-1", &[]),
    ] {
        let codes: Vec<&str> = with(url, policy, region);
        assert_eq!(codes, expected, "{url} {policy} {region}");
    }
}

#[test]
fn types_of_volumes_are_written_as_ec2_writes_them() {
    let mut config = base_config();
    let pool = config.control_plane.get_or_insert_default();
    "Io2".clone_into(&mut pool.platform.aws.get_or_insert_default().root_volume.kind);
    let (plan, _) = planned_with(Catalogue::embedded(), "4.19", &config, base_facts(), Source::Cloud, false);
    let aws = plan.and_then(|platforms| platforms.aws);
    assert_eq!(aws.map(|aws| aws.control_plane.volume.kind.clone()).as_deref(), Some("io2"));
}
