//! Names of things: ARNs, taken apart and put together, and the names of what has no ARN.

use std::fmt::Display;

/// An ARN, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arn<'a> {
    /// The partition, such as `aws-us-gov`.
    pub(super) partition: &'a str,
    /// The service, such as `ec2`.
    pub(super) service: &'a str,
    /// The sort of thing within the service; empty for those of one sort only, such as buckets.
    pub(super) sort: &'a str,
    /// The rest, such as `vpc-1` or `net/demo-int/0123`.
    pub(super) id: &'a str,
}

impl<'a> Arn<'a> {
    /// Takes an ARN apart; none for what is no ARN.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.splitn(6, ':');
        let arn = parts.next().filter(|first| *first == "arn").and_then(|_| parts.next());
        let (partition, service) = (arn?, parts.next()?);
        let (_region, account, resource) = (parts.next()?, parts.next()?, parts.next()?);
        let (sort, id) = match resource.split_once(['/', ':']) {
            // The names of buckets stand alone; what is behind a slash there is an object.
            Some(_) if service == "s3" && account.is_empty() => ("", resource),
            Some((sort, id)) => (sort, id),
            None => ("", resource),
        };
        let whole = !partition.is_empty() && !service.is_empty() && !id.is_empty();
        whole.then_some(Self { partition, service, sort, id })
    }

    /// The last part of the id: a name without its path.
    pub(super) fn name(&self) -> &'a str {
        self.id.rsplit('/').next().unwrap_or(self.id)
    }
}

/// Where a cluster's things are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Home {
    /// The partition.
    pub(super) partition: String,
    /// The region.
    pub(super) region: String,
    /// The account.
    pub(super) account: String,
}

impl Home {
    /// The ARN of something of EC2. Images and snapshots have no account in theirs.
    pub(super) fn ec2(&self, sort: &str, id: &str) -> String {
        let Self { partition, region, account } = self;
        let account = if ["image", "snapshot"].contains(&sort) { "" } else { account.as_str() };
        format!("arn:{partition}:ec2:{region}:{account}:{sort}/{id}")
    }

    /// The ARN of a load balancer of the first generation.
    pub(super) fn classic_load_balancer(&self, name: &str) -> String {
        let Self { partition, region, account } = self;
        format!("arn:{partition}:elasticloadbalancing:{region}:{account}:loadbalancer/{name}")
    }

    /// The ARN of a hosted zone.
    pub(super) fn hosted_zone(&self, id: &str) -> String {
        format!("arn:{}:route53:::hostedzone/{id}", self.partition)
    }

    /// The ARN of a bucket.
    pub(super) fn bucket(&self, name: &str) -> String {
        format!("arn:{}:s3:::{name}", self.partition)
    }
}

/// The id of a record of a hosted zone, which has no ARN. Records of one name and type are told apart by a
/// set identifier.
pub(super) fn record(zone: &str, sort: impl Display, name: &str, set: Option<&str>) -> String {
    match set {
        Some(set) => format!("route53:record/{zone}/{sort}/{name}/{set}"),
        None => format!("route53:record/{zone}/{sort}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arn_is_taken_apart() {
        let arns = [
            ("arn:aws:ec2:us-east-1:123456789012:vpc/vpc-1", "aws", "ec2", "vpc", "vpc-1"),
            ("arn:aws-us-gov:iam::1:role/a/b/demo", "aws-us-gov", "iam", "role", "a/b/demo"),
            ("arn:aws:s3:::demo-bootstrap", "aws", "s3", "", "demo-bootstrap"),
            ("arn:aws:s3:::demo/a/b", "aws", "s3", "", "demo/a/b"),
            ("arn:aws:s3:us-east-1:1:accesspoint/a", "aws", "s3", "accesspoint", "a"),
            ("arn:aws:route53:::hostedzone/Z1", "aws", "route53", "hostedzone", "Z1"),
            ("arn:aws:rds:eu-west-1:1:db:demo", "aws", "rds", "db", "demo"),
            ("arn:aws:sqs:eu-west-1:1:demo", "aws", "sqs", "", "demo"),
        ];
        for (text, partition, service, sort, id) in arns {
            assert_eq!(Arn::parse(text), Some(Arn { partition, service, sort, id }), "{text}");
        }
        assert_eq!(Arn::parse("arn:aws:iam::1:role/a/b/demo").map(|arn| arn.name()), Some("demo"));
        for text in ["", "arn", "arn:aws:ec2", "urn:aws:ec2:us-east-1:1:vpc/vpc-1", "arn:aws:ec2:::"] {
            assert_eq!(Arn::parse(text), None, "{text}");
        }
    }

    #[test]
    fn arns_are_put_together_for_the_partition() {
        let home = Home {
            partition: "aws-us-gov".to_owned(),
            region: "us-gov-west-1".to_owned(),
            account: "123456789012".to_owned(),
        };
        let volume = home.ec2("volume", "vol-1");
        assert_eq!(volume, "arn:aws-us-gov:ec2:us-gov-west-1:123456789012:volume/vol-1");
        assert_eq!(home.ec2("image", "ami-1"), "arn:aws-us-gov:ec2:us-gov-west-1::image/ami-1");
        let classic = home.classic_load_balancer("a1");
        assert_eq!(Arn::parse(&classic).map(|arn| (arn.sort, arn.id)), Some(("loadbalancer", "a1")));
        assert_eq!(home.bucket("demo"), "arn:aws-us-gov:s3:::demo");
        assert_eq!(home.hosted_zone("Z1"), "arn:aws-us-gov:route53:::hostedzone/Z1");
    }

    #[test]
    fn records_are_told_apart_by_all_that_they_differ_in() {
        assert_eq!(record("Z1", "A", "api.example.com", None), "route53:record/Z1/A/api.example.com");
        assert_eq!(record("Z1", "A", "a.b", Some("one")), "route53:record/Z1/A/a.b/one");
    }
}
