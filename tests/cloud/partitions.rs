//! Regions that are not in the public cloud: US Gov, China, secret regions, and one that nobody knows.

use std::collections::BTreeSet;

use crate::answers::{caller, offerings, region, zones};
use crate::authority::{Authority, LOOPBACK};
use crate::front::{ALL, Asked, Front, Rule, refusal};
use crate::moto::{Moto, image};
use crate::program::{Landfall, Report, SERVICES, config, endpoints, text};
use crate::proxy::{Proxy, Way};

/// The image that configs name for regions in which none is published; moto has it in every region.
fn own_image() -> String {
    format!("    defaultMachinePlatform:\n      amiID: {}\n", image(None, "us-east-1"))
}

/// A partition's services, at the names that they have in the world.
struct Sovereign {
    region: &'static str,
    partition: &'static str,
    /// Letters of the zones.
    zones: &'static str,
    /// Hosts besides those at `<service>.<region>.<suffix>`, by service.
    global: &'static [(&'static str, &'static str)],
    suffix: &'static str,
    /// What requests to global services are signed for.
    signed: &'static [(&'static str, &'static str)],
}

const US_GOV: Sovereign = Sovereign {
    region: "us-gov-west-1",
    partition: "aws-us-gov",
    zones: "abc",
    global: &[("iam", "iam.us-gov.amazonaws.com"), ("route53", "route53.us-gov.amazonaws.com")],
    suffix: "amazonaws.com",
    signed: &[("iam", "us-gov-west-1"), ("route53", "us-gov-west-1")],
};

const CHINA: Sovereign = Sovereign {
    region: "cn-north-1",
    partition: "aws-cn",
    zones: "ab",
    global: &[("route53", "route53.amazonaws.com.cn")],
    suffix: "amazonaws.com.cn",
    signed: &[("iam", "cn-north-1"), ("route53", "cn-northwest-1")],
};

impl Sovereign {
    fn hosts(&self) -> BTreeSet<String> {
        let host = |service: &&str| match self.global.iter().find(|(name, _)| name == service) {
            Some((_, host)) => (*host).to_owned(),
            None => format!("{service}.{}.{}", self.region, self.suffix),
        };
        SERVICES.iter().chain(&["servicequotas"]).map(host).collect()
    }

    /// What moto does not know of the region.
    fn rules(&self) -> Vec<Rule> {
        let (region, letters) = (self.region, self.zones);
        let offered = move |_: &Asked| offerings("m6i.xlarge", region, letters);
        vec![Rule::always("ec2", "DescribeInstanceTypeOfferings", offered)]
    }
}

/// Asks a partition at its own hosts, which only the proxy can reach.
fn through_a_proxy(sovereign: &Sovereign, upstream: u16, rules: Vec<Rule>) -> (Landfall, Front, Proxy) {
    let authority = Authority::new("Partition Authority");
    let hosts = sovereign.hosts();
    let names: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let front = Front::start(Some(upstream), Some(authority.server(&names)), rules);
    let port = front.port;
    let proxy = Proxy::start(move |_| Way::To(port));
    let platform = if sovereign.partition == "aws-cn" { own_image() } else { String::new() };
    let landfall = Landfall::new(&config(sovereign.region, &platform))
        .naming("AWS_CA_BUNDLE", "ca.pem", &authority.pem)
        .with("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port));
    (landfall, front, proxy)
}

#[test]
#[ignore = "needs moto"]
fn sovereign_partitions_are_asked_at_their_own_hosts() {
    let moto = Moto::start();
    for sovereign in [US_GOV, CHINA] {
        let region = sovereign.region;
        let keys = moto.user(region);
        moto.zone(region, "example.com");
        let (landfall, front, proxy) = through_a_proxy(&sovereign, moto.port, sovereign.rules());
        let landfall = landfall.keys(&keys);
        let report = landfall.preflight();
        report.passes();
        report.is("aws.public-zone", "passed");
        let account = report.is("aws.account", "passed").to_string();
        assert!(account.contains(&format!("arn:{}:iam::", sovereign.partition)), "{account}");
        report.is("aws.quota.vpcs", "passed");
        assert_eq!(proxy.hosts(), sovereign.hosts(), "{}", report.ran);

        let signed: BTreeSet<(String, String)> = front
            .asked()
            .iter()
            .filter(|asked| !asked.service().is_empty())
            .map(|asked| (asked.service().to_owned(), asked.region().to_owned()))
            .collect();
        for (service, wanted) in &signed {
            let global = sovereign.signed.iter().find(|(name, _)| name == service);
            assert_eq!(wanted, global.map_or(region, |(_, region)| *region), "{service}");
        }

        let facts = landfall.ask(&["facts"]).ends(0).json();
        assert_eq!(facts["aws"]["partition"], sovereign.partition, "{facts}");
        landfall.ask(&["create", "manifests"]).ends(0);
    }

    // Keys of the public cloud are worth nothing there.
    let stranger =
        Rule::always("sts", "GetCallerIdentity", |_| caller("arn:aws:iam::123456789012:user/lander"));
    let rules = US_GOV.rules().into_iter().chain([stranger]).collect();
    let (landfall, _front, _proxy) = through_a_proxy(&US_GOV, moto.port, rules);
    let report = landfall.keys(&moto.keys("us-gov-west-1")).preflight();
    let check = report.says("aws.account", "failed", &["us-gov"]);
    assert_eq!(text(check, "field"), "platform.aws.region", "{check}");
}

#[test]
#[ignore = "needs moto"]
fn a_secret_region_has_what_the_config_and_the_cloud_say() {
    const REGION: &str = "us-iso-east-1";
    let moto = Moto::start();
    let keys = moto.user(REGION);
    moto.zone(REGION, "example.com");
    let authority = Authority::new("Secret Authority");
    let lines: Vec<String> = authority.pem.lines().map(|line| format!("  {line}\n")).collect();
    let trust = format!("additionalTrustBundle: |\n{}", lines.concat());
    let asked_at = |front: &Front| -> Report {
        let given: Vec<(&str, String)> = SERVICES.iter().map(|service| (*service, front.url())).collect();
        let config = config(REGION, &format!("{}{}", own_image(), endpoints(&given)));
        Landfall::new(&format!("{config}{trust}")).keys(&keys).preflight()
    };

    // Moto has no zones of it.
    let bare = Front::start(Some(moto.port), Some(authority.server(LOOPBACK)), Vec::new());
    let report = asked_at(&bare);
    let check = report.says("aws.zones", "failed", &[REGION]);
    assert_eq!(text(check, "code"), "LF0703", "{check}");
    assert!(text(check, "help").contains("zones"), "{check}");
    report.is("aws.endpoint.ec2", "passed");

    let rules = vec![
        Rule::always("ec2", "DescribeAvailabilityZones", |_| zones(REGION, "abc")),
        Rule::always("ec2", "DescribeInstanceTypeOfferings", |_| offerings("m5.xlarge", REGION, "abc")),
    ];
    let whole = Front::start(Some(moto.port), Some(authority.server(LOOPBACK)), rules);
    let report = asked_at(&whole);
    report.passes();
    report.says("aws.zones", "passed", &["us-iso-east-1a", "us-iso-east-1c"]);
    report.is(&format!("aws.image.{}", image(None, "us-east-1")), "passed");
    // Nobody is asked for quotas, as nobody knows whom.
    report.says("aws.quota", "skipped", &["ec2", "vpc", REGION]);
}

/// The services of a region that is in no list have names that only the proxy knows; one is beside us.
#[test]
#[ignore = "needs moto"]
fn a_region_that_nobody_knows_is_reached_through_a_proxy() {
    const REGION: &str = "xx-hidden-1";
    let moto = Moto::start();
    let keys = moto.user(REGION);
    moto.zone(REGION, "example.com");
    let authority = Authority::new("Hidden Authority");
    let names = ["*.hidden.example", "localhost"];
    let rules = vec![
        Rule::always("ec2", "DescribeAvailabilityZones", |_| zones(REGION, "ab")),
        Rule::always("ec2", "DescribeInstanceTypeOfferings", |_| offerings("m6i.xlarge", REGION, "ab")),
    ];
    let front = Front::start(Some(moto.port), Some(authority.server(&names)), rules);
    let port = front.port;
    let proxy = Proxy::start(move |asked| {
        let known = asked.path.ends_with(".hidden.example:443");
        if known { Way::To(port) } else { Way::Refused(403, "not from here".to_owned()) }
    });
    let url = |service: &str| match service {
        "s3" => format!("https://localhost:{port}"),
        _ => format!("https://{service}.hidden.example"),
    };
    let given: Vec<(&str, String)> = SERVICES.iter().map(|service| (*service, url(service))).collect();
    let whole = config(REGION, &format!("{}{}", own_image(), endpoints(&given)));
    let landfall = Landfall::new(&whole)
        .keys(&keys)
        .naming("SSL_CERT_FILE", "ca.pem", &authority.pem)
        .with("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port))
        .with("NO_PROXY", "localhost,127.0.0.1");
    let report = landfall.preflight();
    report.passes();
    for service in SERVICES {
        let check = report.is(&format!("aws.endpoint.{service}"), "passed");
        assert_eq!(check["evidence"]["proxy"].is_string(), *service != "s3", "{check}");
    }
    let hidden = SERVICES.iter().filter(|service| **service != "s3");
    let hidden: BTreeSet<String> = hidden.map(|service| format!("{service}.hidden.example")).collect();
    assert_eq!(proxy.hosts(), hidden, "{}", report.ran);
    landfall.ask(&["create", "manifests"]).ends(0);

    // A name that the proxy does not know either.
    let other = whole.replace("https://iam.hidden.example", "https://iam.other.example");
    let landfall = Landfall::new(&other)
        .keys(&keys)
        .naming("SSL_CERT_FILE", "ca.pem", &authority.pem)
        .with("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port))
        .with("NO_PROXY", "localhost");
    landfall.preflight().says("aws.endpoint.iam", "failed", &["proxy"]);
}

#[test]
fn every_endpoint_that_a_region_nobody_knows_lacks_is_told() {
    let authority = Authority::new("Hidden Authority");
    let front = Front::start(None, Some(authority.server(LOOPBACK)), Vec::new());
    let given = ["ec2", "s3", "iam"].map(|service| (service, front.url()));
    let config = config("xx-hidden-1", &format!("{}{}", own_image(), endpoints(&given)));
    let landfall = Landfall::new(&config)
        .naming("AWS_CA_BUNDLE", "ca.pem", &authority.pem)
        .with("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
        .with("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
    let report = landfall.preflight();
    let told: Vec<&str> = report
        .all()
        .iter()
        .filter(|check| text(check, "status") == "failed" && text(check, "code") == "LF0422")
        .map(|check| text(check, "message"))
        .collect();
    let [told] = told[..] else { panic!("{}", report.ran) };
    let missing: Vec<&&str> =
        SERVICES.iter().filter(|service| given.iter().all(|(name, _)| name != *service)).collect();
    for service in missing {
        assert!(told.contains(*service), "{service}: {told}");
        let check = report.check(&format!("aws.endpoint.{service}"));
        assert_ne!(text(check, "status"), "passed", "{check}");
    }
    landfall.ask(&["facts"]).ends(4);
    landfall.ask(&["create", "manifests"]).ends(4);
}

/// A region that is off knows nobody; another one says whether it is.
#[test]
fn a_region_that_refuses_everybody_is_asked_for_elsewhere() {
    const REGION: &str = "ap-east-1";
    let authority = Authority::new("Public Authority");
    let hosts = ["*.ap-east-1.amazonaws.com", "*.us-east-1.amazonaws.com", "*.amazonaws.com"];
    let asked = |opt_in: &'static str| -> Report {
        let rules = vec![
            Rule::always("sts", "GetCallerIdentity", |asked| match asked.region() {
                REGION => refusal(asked, 403, "InvalidClientTokenId", "The security token is invalid."),
                _ => caller("arn:aws:iam::123456789012:user/lander"),
            }),
            Rule::always("ec2", ALL, move |asked| match asked.region() {
                REGION => refusal(asked, 401, "AuthFailure", "AWS was not able to validate the credentials"),
                _ => region(REGION, opt_in),
            }),
        ];
        let front = Front::start(None, Some(authority.server(&hosts)), rules);
        let port = front.port;
        let proxy = Proxy::start(move |_| Way::To(port));
        Landfall::new(&config(REGION, ""))
            .naming("AWS_CA_BUNDLE", "ca.pem", &authority.pem)
            .with("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port))
            .with("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
            .with("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
            .preflight()
    };

    let off = asked("not-opted-in");
    let check = off.says("aws.region", "failed", &[REGION]);
    assert_eq!(text(check, "code"), "LF0729", "{check}");
    assert_eq!(off.is("aws.credentials", "passed")["evidence"]["askedIn"], "us-east-1", "{}", off.ran);
    off.says("aws.zones", "skipped", &["is not enabled"]);
    off.says("aws.instance-types", "skipped", &["is not enabled"]);
    off.is("aws.endpoint.ec2", "passed");

    let enabled = asked("opted-in");
    let check = enabled.is("aws.credentials", "failed");
    assert_eq!(text(check, "code"), "LF1003", "{check}");
    assert!(
        text(check, "help").contains("version 1") && text(check, "help").contains("us-east-1"),
        "{check}"
    );
}
