//! Services that are in trouble for a while, and for ever.

use crate::answers::{no_regions, throttled, unavailable};
use crate::front::{ALL, Asked, Front, Reply, Rule, refusal};
use crate::moto::Moto;
use crate::program::{CONFIG, Landfall, text};

#[test]
#[ignore = "needs moto"]
fn trouble_that_passes_is_waited_out_and_other_trouble_is_told() {
    let moto = Moto::start();
    let keys = moto.user("us-east-1");
    moto.zone("us-east-1", "example.com");
    let landfall = |front: &Front| Landfall::new(CONFIG).keys(&keys).with("AWS_ENDPOINT_URL", front.url());

    let rules = vec![
        Rule::first(2, "sts", "GetCallerIdentity", |_| unavailable()),
        Rule::first(3, "ec2", "DescribeAvailabilityZones", throttled),
        Rule::first(2, "ec2", "DescribeInstanceTypeOfferings", |asked| {
            refusal(asked, 500, "InternalError", "An internal error has occurred")
        }),
        Rule::first(2, "elasticloadbalancing", ALL, |_| unavailable()),
        Rule::first(2, "iam", ALL, throttled),
        Rule::first(2, "route53", ALL, throttled),
        Rule::first(2, "s3", ALL, throttled),
        Rule::first(2, "servicequotas", ALL, throttled),
        Rule::first(2, "tagging", ALL, throttled),
    ];
    let front = Front::start(Some(moto.port), None, rules);
    let report = landfall(&front).preflight();
    report.passes();
    assert!(front.unused().is_empty(), "nobody was in trouble with {:?}", front.unused());
    for id in ["aws.zones", "aws.instance-types", "aws.permissions", "aws.quota.vpcs", "aws.endpoint.s3"] {
        report.is(id, "passed");
    }

    for_ever(&moto, &landfall, "RequestLimitExceeded", "skipped", throttled);
    for_ever(&moto, &landfall, "InternalError", "failed", |asked| {
        refusal(asked, 500, "InternalError", "An internal error has occurred")
    });
    not_allowed(&moto, &landfall);

    // An account that may not see which regions there are can still use this one.
    let rules = vec![Rule::always("ec2", "DescribeRegions", |_| no_regions())];
    let front = Front::start(Some(moto.port), None, rules);
    landfall(&front).preflight().passes();
}

/// How long a run may take that waits for one call in vain.
const SOON: &str = "15s";

/// The call that never succeeds is named, it is given up after some attempts, and all else is told as well. That
/// AWS has no time is no fault of anybody.
fn for_ever(
    moto: &Moto,
    landfall: &dyn Fn(&Front) -> Landfall,
    code: &str,
    status: &str,
    reply: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
) {
    let rules = vec![Rule::always("ec2", "DescribeAvailabilityZones", reply)];
    let front = Front::start(Some(moto.port), None, rules);
    let report = landfall(&front).preflight_within(SOON);
    let check = report.says("aws.zones", status, &["ec2:DescribeAvailabilityZones", code]);
    assert_eq!(text(check, "code"), if status == "failed" { "LF1020" } else { "" }, "{check}");
    let attempts = front.count("ec2", "DescribeAvailabilityZones");
    assert!((3..=12).contains(&attempts), "{attempts}");
    for id in ["aws.region", "aws.public-zone", "aws.permissions", "aws.endpoint.ec2"] {
        report.is(id, "passed");
    }
    report.is("aws.quota", "skipped");
    let ran = landfall(&front).ask(&["facts", "--deadline", SOON]).ends(5);
    assert!(ran.out.is_empty() && ran.err.contains("ec2:DescribeAvailabilityZones"), "{ran}");
}

fn not_allowed(moto: &Moto, landfall: &dyn Fn(&Front) -> Landfall) {
    let denied = |asked: &Asked| {
        refusal(asked, 403, "UnauthorizedOperation", "You are not authorized to perform this operation.")
    };
    let rules = vec![Rule::always("ec2", "DescribeInstanceTypeOfferings", denied)];
    let front = Front::start(Some(moto.port), None, rules);
    let report = landfall(&front).preflight();
    report.says(
        "aws.instance-types",
        "failed",
        &["ec2:DescribeInstanceTypeOfferings", "UnauthorizedOperation"],
    );
    // What is not allowed is not asked again and again.
    assert_eq!(front.count("ec2", "DescribeInstanceTypeOfferings"), 1, "{}", report.ran);
}
