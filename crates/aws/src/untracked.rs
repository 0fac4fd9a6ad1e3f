//! What the modules for AWS make, by type.

use landfall_platform::removal::Resource;
use landfall_platform::untracked::{Modules, Part, Tracked, text};
use serde_json::Value;

/// The tag by which people know a resource of EC2.
const TAGGED: Option<&str> = Some("/tags/Name");
/// The attribute with the name of anything else.
const NAMED: Option<&str> = Some("/name");

/// The tables of the modules in `templates/terraform/aws`.
pub(super) static MODULES: Modules =
    Modules { tracked: TRACKED, parts: PARTS, gives_up: false, kept: &["aws_main_route_table_association"] };

const fn tracked(resource: &'static str, kind: &'static str, name: Option<&'static str>) -> Tracked {
    Tracked { resource, kind, name, id: last, imports: true, comes_along: false }
}

/// What a service creates once, however often it is asked for with the same name and settings, is left out: role
/// policies, objects, target group attachments, the association of DHCP options, listeners.
static TRACKED: &[Tracked] = &[
    tracked("aws_vpc", "VPC", TAGGED),
    tracked("aws_vpc_dhcp_options", "DHCP options", None),
    tracked("aws_internet_gateway", "internet gateway", TAGGED),
    tracked("aws_egress_only_internet_gateway", "egress-only internet gateway", TAGGED),
    tracked("aws_ec2_carrier_gateway", "carrier gateway", TAGGED),
    tracked("aws_subnet", "subnet", TAGGED),
    tracked("aws_route_table", "route table", TAGGED),
    tracked("aws_eip", "elastic IP", TAGGED),
    tracked("aws_nat_gateway", "NAT gateway", TAGGED),
    tracked("aws_vpc_endpoint", "VPC endpoint", None),
    tracked("aws_security_group", "security group", TAGGED),
    tracked("aws_network_interface", "network interface", TAGGED),
    Tracked { id: whole, ..tracked("aws_lb", "load balancer", NAMED) },
    Tracked { id: whole, ..tracked("aws_lb_target_group", "target group", NAMED) },
    tracked("aws_route53_zone", "hosted zone", None),
    tracked("aws_iam_role", "role", NAMED),
    tracked("aws_iam_instance_profile", "instance profile", NAMED),
    tracked("aws_s3_bucket", "bucket", Some("/bucket")),
    // The provider cannot import a copy, and would replace an instance that it has imported.
    Tracked { imports: false, ..tracked("aws_ami_copy", "image", None) },
    Tracked { imports: false, ..tracked("aws_instance", "instance", TAGGED) },
];

static PARTS: &[Part] = &[
    Part { resource: "aws_route", id: |values, _| route(values) },
    Part { resource: "aws_route_table_association", id: |values, _| association(values) },
    Part { resource: "aws_security_group_rule", id: |values, _| rule(values) },
    Part { resource: "aws_route53_record", id: |values, _| record(values) },
];

/// An ARN as it is.
fn whole(thing: &Resource) -> &str {
    &thing.id
}

/// The last part of an ARN, such as `vpc-1` or a role's name.
fn last(thing: &Resource) -> &str {
    thing.id.rsplit(['/', ':']).next().unwrap_or_default()
}

fn route(values: &Value) -> Option<String> {
    let to = text(values, "destination_cidr_block").or(text(values, "destination_ipv6_cidr_block"))?;
    let table = text(values, "route_table_id")?;
    Some(format!("{table}_{to}"))
}

fn association(values: &Value) -> Option<String> {
    let (subnet, table) = (text(values, "subnet_id")?, text(values, "route_table_id")?);
    Some(format!("{subnet}/{table}"))
}

fn record(values: &Value) -> Option<String> {
    let (zone, name, sort) = (text(values, "zone_id")?, text(values, "name")?, text(values, "type")?);
    Some(format!("{zone}_{name}_{sort}"))
}

/// Group, direction, protocol, ports and source, as the provider wants them.
fn rule(values: &Value) -> Option<String> {
    let (group, direction) = (text(values, "security_group_id")?, text(values, "type")?);
    let protocol = match text(values, "protocol")? {
        "-1" => "all",
        protocol => protocol,
    };
    let port = |name: &str| values.get(name).and_then(Value::as_i64);
    let (from, to) = (port("from_port")?, port("to_port")?);
    let ranges =
        ["cidr_blocks", "ipv6_cidr_blocks"].into_iter().filter_map(|key| values.get(key)?.as_array());
    let mut sources: Vec<&str> = ranges.flatten().filter_map(Value::as_str).collect();
    if values.get("self").and_then(Value::as_bool) == Some(true) {
        sources.push("self");
    }
    if sources.is_empty() {
        sources.push(text(values, "source_security_group_id")?);
    }
    Some(format!("{group}_{direction}_{protocol}_{from}_{to}_{}", sources.join("_")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_are_imported_by_what_they_connect() {
        let table = json!({ "route_table_id": "rtb-1", "destination_cidr_block": "0.0.0.0/0" });
        assert_eq!(route(&table).as_deref(), Some("rtb-1_0.0.0.0/0"));
        let ipv6 = json!({ "route_table_id": "rtb-1", "destination_ipv6_cidr_block": "::/0" });
        assert_eq!(route(&ipv6).as_deref(), Some("rtb-1_::/0"));
        assert_eq!(route(&json!({ "destination_cidr_block": "0.0.0.0/0" })), None);
        let both = json!({ "route_table_id": "rtb-1", "subnet_id": "subnet-1" });
        assert_eq!(association(&both).as_deref(), Some("subnet-1/rtb-1"));
        let name = json!({ "zone_id": "Z1", "name": "api.demo.example.com", "type": "A" });
        assert_eq!(record(&name).as_deref(), Some("Z1_api.demo.example.com_A"));
    }

    #[test]
    fn a_rule_is_imported_by_all_that_it_says() {
        let with = |more: Value| {
            let mut values = json!({ "security_group_id": "sg-1", "type": "ingress", "protocol": "tcp",
                "from_port": 22, "to_port": 23, "cidr_blocks": null, "self": false });
            if let (Some(values), Value::Object(more)) = (values.as_object_mut(), more) {
                values.extend(more);
            }
            rule(&values)
        };
        let range = with(json!({ "cidr_blocks": ["10.0.0.0/16", "10.1.0.0/16"] }));
        assert_eq!(range.as_deref(), Some("sg-1_ingress_tcp_22_23_10.0.0.0/16_10.1.0.0/16"));
        let both = with(json!({ "cidr_blocks": ["10.0.0.0/16"], "ipv6_cidr_blocks": ["fd00::/48"] }));
        assert_eq!(both.as_deref(), Some("sg-1_ingress_tcp_22_23_10.0.0.0/16_fd00::/48"));
        assert_eq!(with(json!({ "self": true })).as_deref(), Some("sg-1_ingress_tcp_22_23_self"));
        let other = with(json!({ "source_security_group_id": "sg-2" }));
        assert_eq!(other.as_deref(), Some("sg-1_ingress_tcp_22_23_sg-2"));
        let all = with(json!({ "protocol": "-1", "from_port": 0, "to_port": 0, "self": true }));
        assert_eq!(all.as_deref(), Some("sg-1_ingress_all_0_0_self"));
        // The group that it names is not known yet.
        assert_eq!(with(json!({})), None);
    }
}
