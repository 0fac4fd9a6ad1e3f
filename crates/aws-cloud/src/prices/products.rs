//! What the AWS Price List is asked for each price, and how its products are read.
//!
//! Attributes and usage types are those that other public programs ask it for:
//! <https://github.com/infracost/infracost/tree/master/internal/resources/aws> (`instance.go`, `ebs_volume.go`,
//! `nat_gateway.go`, `lb.go`, `route53_zone.go`), and those that AWS documents:
//! <https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-query-api-find-services-products.html>.
//! Public addresses in use: <https://docs.aws.amazon.com/vpc/latest/userguide/vpc-ip-addressing.html>.

use landfall_model::prices::{Item, Money, PriceKey};
use serde_json::{Value, json};

/// MiB in the GiB that throughput is sold by.
const MIB: i128 = 1024;
/// The unit that throughput is sold by.
const GIBPS: &str = "GiBps-mo";

/// The products that have one price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Query {
    /// Code of the service.
    pub(super) service: &'static str,
    /// Attributes and their values.
    pub(super) filters: Vec<(&'static str, String)>,
    /// What the usage type is, behind the region's prefix; empty where the attributes name one product.
    usage: String,
    /// The units that its price may be for.
    units: &'static [&'static str],
    /// Whether what a volume has without this charge is in the list as a tier that costs nothing.
    is_beyond: bool,
}

/// What the end of a usage type calls a volume type: `EBS:VolumeUsage.gp3`, `EBS:VolumeP-IOPS.piops`.
/// <https://docs.aws.amazon.com/ebs/latest/userguide/ebs-billing.html>
fn volume_usage(usage: &str, kind: &str) -> String {
    match kind {
        "standard" => usage.to_owned(),
        "io1" => format!("{usage}.piops"),
        kind => format!("{usage}.{kind}"),
    }
}

impl Query {
    /// The products with the price of a key in a region; empty if the price list does not have it.
    pub(super) fn of(key: &PriceKey, region: &str) -> Option<Self> {
        const HOURS: &[&str] = &["Hrs"];
        let place = if key.zone.is_empty() { region } else { &key.zone };
        let kind = key.r#type.as_str();
        let plain = |usage: &str| usage.to_owned();
        let (service, usage, units, filters): (_, _, _, &[(&'static str, &str)]) = match key.item {
            Item::Machine => (
                "AmazonEC2",
                String::new(),
                HOURS,
                &[
                    ("instanceType", kind),
                    ("operatingSystem", "Linux"),
                    ("tenancy", "Shared"),
                    ("preInstalledSw", "NA"),
                    ("licenseModel", "No License required"),
                    ("capacitystatus", "Used"),
                ],
            ),
            Item::Volume => (
                "AmazonEC2",
                volume_usage("EBS:VolumeUsage", kind),
                // The second one is that of io2.
                &["GB-Mo", "GB-month"],
                &[("productFamily", "Storage"), ("volumeApiName", kind)],
            ),
            // Later tiers of io2 are products of their own, whose usage type ends otherwise.
            Item::VolumeIops => (
                "AmazonEC2",
                volume_usage("EBS:VolumeP-IOPS", kind),
                &["IOPS-Mo"],
                &[("productFamily", "System Operation"), ("volumeApiName", kind)],
            ),
            Item::VolumeThroughput => (
                "AmazonEC2",
                volume_usage("EBS:VolumeP-Throughput", kind),
                &[GIBPS],
                &[("productFamily", "Provisioned Throughput"), ("volumeApiName", kind)],
            ),
            Item::NatGateway => {
                ("AmazonEC2", plain("NatGateway-Hours"), HOURS, &[("productFamily", "NAT Gateway")])
            }
            Item::LoadBalancer => {
                let family = match kind {
                    "network" => "Load Balancer-Network",
                    "classic" => "Load Balancer",
                    _ => return None,
                };
                ("AWSELB", plain("LoadBalancerUsage"), HOURS, &[("productFamily", family)])
            }
            Item::PublicAddress if kind == "ipv4" => {
                ("AmazonVPC", plain("PublicIPv4:InUseAddress"), HOURS, &[("group", "VPCPublicIPv4Address")])
            }
            Item::DnsZone => {
                ("AmazonRoute53", plain("HostedZone"), &["HostedZone"], &[("productFamily", "DNS Zone")])
            }
            Item::PublicAddress | Item::Disk | Item::LoadBalancerRule => return None,
        };
        let mut filters: Vec<(&str, String)> =
            filters.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        // Route 53 is the same in all regions.
        if key.item != Item::DnsZone {
            filters.push(("regionCode", place.to_owned()));
        }
        let is_beyond = matches!(key.item, Item::VolumeIops | Item::VolumeThroughput);
        Some(Self { service, filters, usage, units, is_beyond })
    }

    /// The body of the request for one page.
    pub(super) fn body(&self, next: Option<&str>) -> Value {
        let filter =
            |(field, value): &(&str, String)| json!({ "Type": "TERM_MATCH", "Field": field, "Value": value });
        let mut body = json!({
            "ServiceCode": self.service,
            "FormatVersion": "aws_v1",
            "MaxResults": 100,
            "Filters": self.filters.iter().map(filter).collect::<Vec<Value>>(),
        });
        if let Some(next) = next {
            body["NextToken"] = next.into();
        }
        body
    }

    /// Whether a usage type is the one that is asked for: alone, or behind the prefix of a region such as `USE1-` or
    /// of a local zone such as `USE1-BOS1-`. Others, such as that of Outposts, have a word before it.
    fn is_usage(&self, usage: &str) -> bool {
        let Some(before) = usage.strip_suffix(&self.usage) else { return false };
        let is_place = |part: &str| {
            let is_code = part.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
            // Ireland is older than the numbers.
            part == "EU" || (part.len() > 2 && is_code && part.ends_with(|c: char| c.is_ascii_digit()))
        };
        let is_prefix = |prefix: &str| prefix.split('-').all(is_place);
        self.usage.is_empty() || before.is_empty() || before.strip_suffix('-').is_some_and(is_prefix)
    }

    /// The prices of these products, each once: on demand, of the first tier, in this currency.
    pub(super) fn prices(&self, products: &[Value], currency: &str) -> Vec<Money> {
        let mut prices = Vec::new();
        let fitting = products.iter().filter(|product| {
            self.is_usage(product["product"]["attributes"]["usagetype"].as_str().unwrap_or_default())
        });
        let terms = fitting.filter_map(|product| product["terms"]["OnDemand"].as_object());
        let dimensions = terms
            .flat_map(|terms| terms.values())
            .filter_map(|term| Some(term["priceDimensions"].as_object()?.values().collect::<Vec<&Value>>()));
        for dimensions in dimensions {
            let tiers = dimensions.into_iter().filter_map(|dimension| self.tier(dimension, currency));
            // The one that begins first: that of a gp3 volume's operations begins with those in its price.
            let Some((_, price)) = tiers.min() else { continue };
            let price = if self.units.contains(&GIBPS) { price.divided_exactly(MIB) } else { Some(price) };
            prices.extend(price.filter(|price| !prices.contains(price)));
        }
        prices
    }

    /// Where a tier begins, and its price; none where it is for something else.
    fn tier(&self, dimension: &Value, currency: &str) -> Option<(Money, Money)> {
        let unit = dimension["unit"].as_str().unwrap_or_default();
        if !self.units.iter().any(|wanted| unit.eq_ignore_ascii_case(wanted)) {
            return None;
        }
        let begin = Money::parse(dimension["beginRange"].as_str().unwrap_or("0"))?;
        let price = Money::parse(dimension["pricePerUnit"][currency].as_str()?)?;
        (!self.is_beyond || price > Money::default()).then_some((begin, price))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(usage: &str, dimensions: &[(&str, &str, &str)]) -> Value {
        let dimensions: Vec<(String, Value)> = dimensions
            .iter()
            .enumerate()
            .map(|(at, (unit, begin, price))| {
                let value = json!({ "unit": unit, "beginRange": begin, "pricePerUnit": { "USD": price } });
                (format!("d{at}"), value)
            })
            .collect();
        json!({
            "product": { "attributes": { "usagetype": usage } },
            "terms": {
                "OnDemand": { "t": { "priceDimensions": Value::from_iter(dimensions) } },
                "Reserved": { "t": { "priceDimensions": { "d": { "unit": "Hrs", "pricePerUnit": { "USD": "0.1" } } } } },
            },
        })
    }

    fn prices(item: Item, kind: &str, products: &[Value]) -> Vec<String> {
        let query = Query::of(&PriceKey::new(item, kind), "us-east-1");
        query
            .map(|query| query.prices(products, "USD"))
            .unwrap_or_default()
            .iter()
            .map(Money::to_string)
            .collect()
    }

    #[test]
    fn a_price_is_on_demand_of_the_first_tier_and_of_the_unit() {
        let machine = product("BoxUsage:m6i.xlarge", &[("Hrs", "0", "0.1920000000")]);
        assert_eq!(prices(Item::Machine, "m6i.xlarge", &[machine.clone(), machine]), ["0.192"]);
        let zone = product("HostedZone", &[("HostedZone", "0", "0.5"), ("HostedZone", "25", "0.1")]);
        assert_eq!(prices(Item::DnsZone, "private", &[zone]), ["0.5"]);
        let volume = [
            product("EBS:VolumeUsage.io2", &[("GB-month", "0", "0.125")]),
            product("EBS:VolumeUsage.io2.outposts", &[("GB-month", "0", "0")]),
        ];
        assert_eq!(prices(Item::Volume, "io2", &volume), ["0.125"]);
        let volume = product("CAN1-EBS:VolumeUsage.piops", &[("GB-Mo", "0", "0.138")]);
        assert_eq!(prices(Item::Volume, "io1", &[volume]), ["0.138"]);
        let throughput = product("EBS:VolumeP-Throughput.gp3", &[("GiBps-mo", "0", "40.96")]);
        assert_eq!(prices(Item::VolumeThroughput, "gp3", &[throughput]), ["0.04"]);
        let gateway = [
            product("EUC1-NatGateway-Hours", &[("Hrs", "0", "0.052")]),
            product("EUC1-NatGateway-Bytes", &[("GB", "0", "0.051")]),
            product("EUC1-NatGateway-Prvd-Gbps", &[("Gbps-hrs", "0", "1.1")]),
            product("EUC1-RegionalNatGateway-Hours", &[("Hrs", "0", "0.06")]),
        ];
        assert_eq!(prices(Item::NatGateway, "", &gateway), ["0.052"]);
        let balancer = [
            product("LoadBalancerUsage", &[("Hrs", "0", "0.0225")]),
            product("Outposts-LoadBalancerUsage", &[("Hrs", "0", "0.03")]),
            product("TS-LoadBalancerUsage", &[("Hrs", "0", "0.0056")]),
            product("CAN1-TS-LoadBalancerUsage", &[("Hrs", "0", "0.0056")]),
        ];
        assert_eq!(prices(Item::LoadBalancer, "network", &balancer), ["0.0225"]);
    }

    #[test]
    fn the_operations_of_a_volume_have_the_price_of_the_first_that_costs_something() {
        let general = [product("EBS:VolumeP-IOPS.gp3", &[("IOPS-Mo", "3000", "0.005")])];
        assert_eq!(prices(Item::VolumeIops, "gp3", &general), ["0.005"]);
        let with_free =
            [product("EBS:VolumeP-IOPS.gp3", &[("IOPS-Mo", "0", "0"), ("IOPS-Mo", "3000", "0.005")])];
        assert_eq!(prices(Item::VolumeIops, "gp3", &with_free), ["0.005"]);
        let tiers = [
            product("USE1-EBS:VolumeP-IOPS.io2", &[("IOPS-Mo", "0", "0.065")]),
            product("USE1-EBS:VolumeP-IOPS.io2.tier2", &[("IOPS-Mo", "0", "0.0455")]),
            product("USE1-EBS:VolumeP-IOPS.io2.tier3", &[("IOPS-Mo", "0", "0.03185")]),
        ];
        assert_eq!(prices(Item::VolumeIops, "io2", &tiers), ["0.065"]);
    }

    #[test]
    fn several_prices_are_all_told_and_none_is_none() {
        let two = [product("a", &[("Hrs", "0", "1")]), product("b", &[("Hrs", "0", "2")])];
        assert_eq!(prices(Item::Machine, "m6i.xlarge", &two), ["1", "2"]);
        assert!(prices(Item::Machine, "m6i.xlarge", &[json!({}), json!(null)]).is_empty());
        assert_eq!(Query::of(&PriceKey::new(Item::Disk, "P30 LRS"), "us-east-1"), None);
    }

    #[test]
    fn the_zone_of_a_price_is_asked_for() {
        let key = PriceKey { zone: "us-east-1-bos-1".to_owned(), ..PriceKey::new(Item::Volume, "gp2") };
        let body = Query::of(&key, "us-east-1").map(|query| query.body(Some("next"))).unwrap_or_default();
        assert!(body.to_string().contains("\"us-east-1-bos-1\"") && body["NextToken"] == "next", "{body}");
        let volumes = [
            product("USE1-BOS1-EBS:VolumeUsage.gp2", &[("GB-Mo", "0", "0.12")]),
            product("USE1-BOS1-Other-EBS:VolumeUsage.gp2", &[("GB-Mo", "0", "0.2")]),
        ];
        assert_eq!(prices(Item::Volume, "gp2", &volumes), ["0.12"]);
    }
}
