//! The findings of checks of AWS, each with its page.

use landfall_diagnostics::{Code, Finding, Kind, few, shortened};

use super::images::Wish;
use super::quotas::Account;

/// The most names in a sentence.
const MOST: usize = 5;

const IMAGE: Code = Code::new("LF1030");
const IMAGE_ARCHITECTURE: Code = Code::new("LF1031");
const KEY: Code = Code::new("LF1032");
const ROLE: Code = Code::new("LF1033");
const TRUST: Code = Code::new("LF1034");
const PROFILE: Code = Code::new("LF1035");
const PERMISSIONS: Code = Code::new("LF1036");
const MODE: Code = Code::new("LF1038");
const DNS: Code = Code::new("LF1039");
const QUOTA: Code = Code::new("LF1040");
const QUOTA_TIGHT: Code = Code::new("LF1041");
const ADDRESS_POOL: Code = Code::new("LF1042");

pub(super) fn no_address_pool(field: &str, pool: &str, region: &str) -> Finding {
    let message = format!("there is no public IPv4 pool {} in {region}", shortened(pool));
    Finding::error(&ADDRESS_POOL, Kind::Invalid, field, message)
        .help("set a pool of this account and region, or remove the setting to use addresses of AWS")
}

pub(super) fn address_pool_too_small(field: &str, pool: &str, free: i32, needed: usize) -> Finding {
    let message = format!(
        "the public IPv4 pool {} has {free} free addresses, the cluster needs {needed}",
        shortened(pool)
    );
    Finding::error(&ADDRESS_POOL, Kind::Invalid, field, message)
        .help("release addresses of the pool, set another one, or use fewer zones")
}

pub(super) fn image_missing(wish: &Wish<'_>) -> Finding {
    let message =
        format!("there is no image {} in {} that this account can use", shortened(wish.id), wish.region);
    Finding::error(&IMAGE, Kind::Invalid, wish.field, message).help(
        "import an image into the region and set it in platform.aws.defaultMachinePlatform.amiID, or allow \
         the account to use this one",
    )
}

pub(super) fn image_unavailable(wish: &Wish<'_>, state: &str) -> Finding {
    let message =
        format!("the image {} in {} is {}, not available", shortened(wish.id), wish.region, shortened(state));
    Finding::error(&IMAGE, Kind::Invalid, wish.field, message)
        .help("wait until it is available, or set another one in amiID")
}

pub(super) fn image_of_another(wish: &Wish<'_>, architecture: &str) -> Finding {
    let message = format!(
        "the image {} is for {}, the machines are {}",
        shortened(wish.id),
        shortened(architecture),
        wish.architecture
    );
    Finding::error(&IMAGE_ARCHITECTURE, Kind::Invalid, wish.field, message)
        .help("set an image of the pool's architecture in the pool's amiID")
}

pub(super) fn image_without_uefi(wish: &Wish<'_>, mode: &str) -> Finding {
    let mode = if mode.is_empty() { "legacy-bios" } else { mode };
    let message = format!(
        "the image {} has the boot mode {}, and AMD SEV-SNP needs UEFI",
        shortened(wish.id),
        shortened(mode)
    );
    Finding::error(&IMAGE_ARCHITECTURE, Kind::Invalid, wish.field, message)
        .help("set an image with the boot mode uefi or uefi-preferred in the pool's amiID")
}

pub(super) fn key_elsewhere(field: &str, arn: &str, found: &str, wanted: &str) -> Finding {
    let (arn, found) = (shortened(arn), shortened(found));
    let message = format!("the key {arn} is in {found}, the volumes are in {wanted}");
    Finding::error(&KEY, Kind::Invalid, field, message).help("use a key of the cluster's region")
}

pub(super) fn key_missing(field: &str, arn: &str) -> Finding {
    let message = format!("there is no key {}", shortened(arn));
    Finding::error(&KEY, Kind::Invalid, field, message)
        .help("check the account and the key ID, or remove kmsKeyARN to use the account's default key")
}

pub(super) fn key_not_enabled(field: &str, arn: &str, state: &str) -> Finding {
    let message = format!("the key {} cannot be used: it is {}", shortened(arn), shortened(state));
    Finding::error(&KEY, Kind::Invalid, field, message).help("enable the key, or use another one")
}

pub(super) fn key_not_symmetric(field: &str, arn: &str, kind: &str) -> Finding {
    let message = format!("the key {} cannot encrypt volumes: it is {}", shortened(arn), shortened(kind));
    Finding::error(&KEY, Kind::Invalid, field, message)
        .help("use a symmetric key: SYMMETRIC_DEFAULT for ENCRYPT_DECRYPT")
}

pub(super) fn role_missing(field: &str, name: &str) -> Finding {
    let message = format!("there is no role `{}` in this account", shortened(name));
    Finding::error(&ROLE, Kind::Invalid, field, message)
        .help("write the name of an existing role, without its path, or remove iamRole")
}

pub(super) fn role_not_trusting(field: &str, name: &str, service: &str) -> Finding {
    let message = format!("the trust policy of the role `{}` does not name {service}", shortened(name));
    Finding::warning(&TRUST, Kind::Invalid, field, message)
        .help(format!("allow the service {service} the action sts:AssumeRole in the role's trust policy"))
}

pub(super) fn profile_missing(field: &str, name: &str) -> Finding {
    let message = format!("there is no instance profile `{}` in this account", shortened(name));
    Finding::error(&PROFILE, Kind::Invalid, field, message)
        .help("write the name of an existing instance profile, or remove iamProfile")
}

pub(super) fn profile_empty(field: &str, name: &str) -> Finding {
    let message = format!("the instance profile `{}` has no role", shortened(name));
    Finding::error(&PROFILE, Kind::Invalid, field, message).help("add a role to it, or use another one")
}

pub(super) fn denied(field: &str, denied: &[String], asked: usize) -> Finding {
    let message = format!(
        "the caller is denied {} of {asked} actions that this config needs: {}",
        denied.len(),
        first(denied)
    );
    Finding::error(&PERMISSIONS, Kind::Forbidden, field, message).help(
        "allow the caller these actions, or use other credentials; `landfall create permissions-policy` \
         prints all permissions that an installation needs",
    )
}

pub(super) fn mode(field: &str, what: &str, denied: &[String]) -> Finding {
    let message = format!("the caller's credentials are not sufficient {what}: {} denied", first(denied));
    Finding::error(&MODE, Kind::Forbidden, field, message).help(
        "allow the caller these actions; or set `credentialsMode: Mint` if the caller has them for the \
         users of this cluster only, or `credentialsMode: Manual` and give operators their credentials",
    )
}

/// Credentials of a session, which end before the operators need them: `assets.md`, B.7.
pub(super) fn temporary(field: &str, mode: &str, provider: &str) -> Finding {
    let mode = if mode.is_empty() { "credentialsMode is not set" } else { "credentialsMode is not Manual" };
    let message =
        format!("{provider} gives credentials of a session, which operators cannot use, and {mode}");
    Finding::error(&MODE, Kind::Forbidden, field, message).help(
        "set `credentialsMode: Manual` and create the operators' credentials with ccoctl; or install with the \
         long-term access key of an IAM user",
    )
}

pub(super) fn vpc_without_dns(field: &str, vpc: &str, missing: &str) -> Finding {
    let message = format!("{} does not resolve names of private zones: {missing} is off", shortened(vpc));
    Finding::error(&DNS, Kind::Invalid, field, message).help("turn on both attributes of the network")
}

pub(super) fn quota_short(field: &str, account: &Account<'_>) -> Finding {
    Finding::error(&QUOTA, Kind::Forbidden, field, account.sentence()).help(account.help())
}

pub(super) fn quota_tight(field: &str, account: &Account<'_>) -> Finding {
    let message = format!("{}; at most 20 % would remain", account.sentence());
    Finding::warning(&QUOTA_TIGHT, Kind::Forbidden, field, message).help(account.help())
}

/// The first few names, and how many there are besides.
fn first(names: &[String]) -> String {
    few(&names.iter().map(|name| shortened(name)).collect::<Vec<String>>(), MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_testing::assert_names;

    #[test]
    fn a_long_list_is_cut() {
        let names: Vec<String> = (1..8).map(|i| format!("ec2:{i}")).collect();
        let finding = denied("platform.aws", &names, 140);
        assert_eq!((finding.code.as_str(), finding.field.as_str()), ("LF1036", "platform.aws"));
        assert_names(&finding.message, &["7 of 140", "ec2:1, ec2:2, ec2:3, ec2:4, ec2:5 and 2 more"]);
        assert_eq!(first(&names[..2]), "ec2:1, ec2:2");
    }

    #[test]
    fn every_finding_has_its_own_page() {
        let codes = [
            role_missing("x", "a").code.as_str(),
            role_not_trusting("x", "a", "ec2").code.as_str(),
            profile_missing("x", "a").code.as_str(),
            profile_empty("x", "a").code.as_str(),
            mode("x", "to be shared", &[]).code.as_str(),
        ];
        assert_eq!(codes, ["LF1033", "LF1034", "LF1035", "LF1035", "LF1038"]);
    }
}
