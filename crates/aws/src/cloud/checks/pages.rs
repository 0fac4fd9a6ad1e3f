//! The findings of checks of AWS, each with its page.

use landfall_diagnostics::{Base, Finding, Kind, Page, Severity, shortened};

use super::images::Wish;
use super::quotas::Account;

/// The most names in a sentence.
const MOST: usize = 5;

const IMAGE: Page = Page {
    code: "LF1030",
    title: "the image that machines start from is in the region and available",
    text: "An image belongs to one region. One that the config names must be there, one that is copied must \
           be in the region that it is copied from, and the account must be allowed to use it.",
    severity: Severity::Error,
    fields: &["platform.aws.defaultMachinePlatform.amiID", "<pool>.platform.aws.amiID"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const IMAGE_ARCHITECTURE: Page = Page {
    code: "LF1031",
    title: "the image of a pool is of the pool's processor architecture",
    text: "Machines of one architecture do not start from an image of another.",
    severity: Severity::Error,
    fields: &["platform.aws.defaultMachinePlatform.amiID", "<pool>.platform.aws.amiID"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const KEY: Page = Page {
    code: "LF1032",
    title: "the key that encrypts volumes is there, enabled and symmetric",
    text: "EBS encrypts with symmetric keys of KMS that are in the region of the volume and enabled.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.aws.rootVolume.kmsKeyARN",
        "platform.aws.defaultMachinePlatform.rootVolume.kmsKeyARN",
    ],
    base: Base::Whole,
    bad: "",
    good: "",
};
const ROLE: Page = Page {
    code: "LF1033",
    title: "the role that machines get is there",
    text: "A role that the config names is used as it is. Without one, landfall makes roles.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.iamRole", "platform.aws.defaultMachinePlatform.iamRole"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const TRUST: Page = Page {
    code: "LF1034",
    title: "the role that machines get can be assumed by machines",
    text: "The trust policy of the role must let the service EC2 assume it, under the name that the service \
           has in the region's partition. Without that, machines start and have no rights.",
    severity: Severity::Warning,
    fields: &["<pool>.platform.aws.iamRole", "platform.aws.defaultMachinePlatform.iamRole"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const PROFILE: Page = Page {
    code: "LF1035",
    title: "the instance profile that machines get is there and has a role",
    text: "An instance profile hands a role to machines. One that the config names is used as it is.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.iamProfile", "platform.aws.defaultMachinePlatform.iamProfile"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const PERMISSIONS: Page = Page {
    code: "LF1036",
    title: "the caller may do everything that an installation does",
    text: "Which actions these are depends on the release and on the config. IAM is asked to simulate them, \
           with all policies, boundaries and organizations that hold for the caller; nothing is tried out.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};
const MODE: Page = Page {
    code: "LF1038",
    title: "the caller may do what the cluster's operators need",
    text: "Operators get credentials of their own, made with those of the caller (Mint), or use the caller's \
           (Passthrough). Where `credentialsMode` is empty, the cluster finds out itself what is possible, \
           and one of both must be. With Manual the user gives each operator its credentials.",
    severity: Severity::Error,
    fields: &["credentialsMode"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const DNS: Page = Page {
    code: "LF1039",
    title: "an existing network resolves names",
    text: "Machines find the API through a private hosted zone, which answers only in networks whose \
           attributes enableDnsSupport and enableDnsHostnames are both on.",
    severity: Severity::Error,
    fields: &["platform.aws.vpc.subnets", "platform.aws.subnets"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const QUOTA: Page = Page {
    code: "LF1040",
    title: "the account's quotas leave room for the cluster",
    text: "AWS limits how much of everything an account may have in a region. What the cluster needs is \
           added to what is in use. Most quotas are raised on request, some in minutes and some in days.",
    severity: Severity::Error,
    fields: &["platform.aws.region", "controlPlane.platform.aws.type"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const QUOTA_TIGHT: Page = Page {
    code: "LF1041",
    title: "the account's quotas leave some room beside the cluster",
    text: "With a fifth of a quota left or less, a cluster that grows soon finds its limit, as does one that \
           replaces its machines.",
    severity: Severity::Warning,
    fields: &["platform.aws.region", "controlPlane.platform.aws.type"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The pages of the checks.
pub(crate) const PAGES: &[&Page] = &[
    &IMAGE,
    &IMAGE_ARCHITECTURE,
    &KEY,
    &ROLE,
    &TRUST,
    &PROFILE,
    &PERMISSIONS,
    &MODE,
    &DNS,
    &QUOTA,
    &QUOTA_TIGHT,
];

pub(super) fn image_missing(wish: &Wish<'_>) -> Finding {
    let message =
        format!("there is no image {} in {} that this account can use", shortened(wish.id), wish.region);
    Finding::error(&IMAGE, Kind::Invalid, wish.field, message).help(
        "bring an image into the region and name it in platform.aws.defaultMachinePlatform.amiID, or allow \
         the account to use this one",
    )
}

pub(super) fn image_unavailable(wish: &Wish<'_>, state: &str) -> Finding {
    let message =
        format!("the image {} in {} is {}, not available", shortened(wish.id), wish.region, shortened(state));
    Finding::error(&IMAGE, Kind::Invalid, wish.field, message)
        .help("wait until it is available, or name another one in amiID")
}

pub(super) fn image_of_another(wish: &Wish<'_>, architecture: &str) -> Finding {
    let message = format!(
        "the image {} is for {}, the machines are {}",
        shortened(wish.id),
        shortened(architecture),
        wish.architecture
    );
    Finding::error(&IMAGE_ARCHITECTURE, Kind::Invalid, wish.field, message)
        .help("name an image of the pool's architecture in the pool's amiID")
}

pub(super) fn key_elsewhere(field: &str, arn: &str, found: &str, wanted: &str) -> Finding {
    let (arn, found) = (shortened(arn), shortened(found));
    let message = format!("the key {arn} is in {found}, the volumes are in {wanted}");
    Finding::error(&KEY, Kind::Invalid, field, message).help("name a key of the cluster's region")
}

pub(super) fn key_missing(field: &str, arn: &str) -> Finding {
    let message = format!("there is no key {}", shortened(arn));
    Finding::error(&KEY, Kind::Invalid, field, message)
        .help("look whether account and id are right, or remove kmsKeyARN for the account's own key")
}

pub(super) fn key_not_enabled(field: &str, arn: &str, state: &str) -> Finding {
    let message = format!("the key {} cannot be used: it is {}", shortened(arn), shortened(state));
    Finding::error(&KEY, Kind::Invalid, field, message).help("enable the key, or name another one")
}

pub(super) fn key_not_symmetric(field: &str, arn: &str, kind: &str) -> Finding {
    let message = format!("the key {} cannot encrypt volumes: it is {}", shortened(arn), shortened(kind));
    Finding::error(&KEY, Kind::Invalid, field, message)
        .help("name a symmetric key: SYMMETRIC_DEFAULT for ENCRYPT_DECRYPT")
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
    Finding::error(&PROFILE, Kind::Invalid, field, message).help("add a role to it, or name another one")
}

pub(super) fn denied(field: &str, denied: &[String], asked: usize) -> Finding {
    let message = format!(
        "the caller may not do {} of {asked} actions that this config needs: {}",
        denied.len(),
        first(denied)
    );
    Finding::error(&PERMISSIONS, Kind::Forbidden, field, message).help(
        "allow the caller these actions, or use other credentials; `landfall create permissions-policy` \
         prints everything that an installation needs",
    )
}

pub(super) fn mode(field: &str, what: &str, denied: &[String]) -> Finding {
    let message = format!("the caller's credentials do not suffice {what}: {} denied", first(denied));
    Finding::error(&MODE, Kind::Forbidden, field, message).help(
        "allow the caller these actions; or set `credentialsMode: Mint` where it may do them for the users \
         of this cluster only, or `credentialsMode: Manual` and give operators their credentials",
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
    let message = format!("{}: a fifth or less is left", account.sentence());
    Finding::warning(&QUOTA_TIGHT, Kind::Forbidden, field, message).help(account.help())
}

/// The first few names, and how many there are besides.
fn first(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MOST).map(|name| shortened(name)).collect();
    match names.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_testing::assert_names;

    #[test]
    fn a_long_list_is_cut() {
        let names: Vec<String> = (1..8).map(|i| format!("ec2:{i}")).collect();
        let finding = denied("platform.aws", &names, 140);
        assert_eq!((finding.page.code, finding.field.as_str()), ("LF1036", "platform.aws"));
        assert_names(&finding.message, &["7 of 140", "ec2:1, ec2:2, ec2:3, ec2:4, ec2:5 and 2 more"]);
        assert_eq!(first(&names[..2]), "ec2:1, ec2:2");
    }

    #[test]
    fn every_finding_has_its_own_page() {
        let codes = [
            role_missing("x", "a").page.code,
            role_not_trusting("x", "a", "ec2").page.code,
            profile_missing("x", "a").page.code,
            profile_empty("x", "a").page.code,
            mode("x", "to be shared", &[]).page.code,
        ];
        assert_eq!(codes, ["LF1033", "LF1034", "LF1035", "LF1035", "LF1038"]);
        let known: Vec<&str> = PAGES.iter().map(|page| page.code).collect();
        assert!(codes.iter().all(|code| known.contains(code)));
    }
}
