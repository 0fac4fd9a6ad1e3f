//! What the AWS Price List is asked for each price, and how its products are read.

use landfall_model::prices::{Item, Money, PriceKey};
use serde_json::{Value, json};

/// MiB in the GiB that throughput is sold by.
const MIB: i128 = 1024;

/// The products that have one price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Query {
    /// Code of the service.
    pub(super) service: &'static str,
    /// Attributes and their values.
    pub(super) filters: Vec<(&'static str, String)>,
    /// What the usage type is, behind the region's prefix; empty where the attributes name one product.
    usage: &'static str,
    /// The unit that its price is for.
    unit: &'static str,
}

impl Query {
    /// The products with the price of a key in a region; empty if the price list does not have it.
    pub(super) fn of(key: &PriceKey, region: &str) -> Option<Self> {
        let place = if key.zone.is_empty() { region } else { &key.zone };
        let (service, usage, unit, filters): (_, _, _, &[(&'static str, &str)]) = match key.item {
            Item::Machine => (
                "AmazonEC2",
                "",
                "Hrs",
                &[
                    ("instanceType", &key.r#type),
                    ("operatingSystem", "Linux"),
                    ("tenancy", "Shared"),
                    ("preInstalledSw", "NA"),
                    ("capacitystatus", "Used"),
                ],
            ),
            Item::Volume => {
                ("AmazonEC2", "", "GB-Mo", &[("productFamily", "Storage"), ("volumeApiName", &key.r#type)])
            }
            Item::VolumeIops => (
                "AmazonEC2",
                "",
                "IOPS-Mo",
                &[
                    ("productFamily", "System Operation"),
                    ("group", "EBS IOPS"),
                    ("volumeApiName", &key.r#type),
                ],
            ),
            Item::VolumeThroughput => (
                "AmazonEC2",
                "",
                "GiBps-mo",
                &[("productFamily", "Provisioned Throughput"), ("volumeApiName", &key.r#type)],
            ),
            Item::NatGateway => ("AmazonEC2", "NatGateway-Hours", "Hrs", &[("productFamily", "NAT Gateway")]),
            Item::LoadBalancer => {
                let family = match key.r#type.as_str() {
                    "network" => "Load Balancer-Network",
                    "classic" => "Load Balancer",
                    _ => return None,
                };
                ("AWSELB", "LoadBalancerUsage", "Hrs", &[("productFamily", family)])
            }
            Item::PublicAddress if key.r#type == "ipv4" => {
                ("AmazonVPC", "PublicIPv4:InUseAddress", "Hrs", &[("group", "VPCPublicIPv4Address")])
            }
            Item::DnsZone => ("AmazonRoute53", "HostedZone", "HostedZone", &[("productFamily", "DNS Zone")]),
            Item::PublicAddress | Item::Disk | Item::LoadBalancerRule => return None,
        };
        let mut filters: Vec<(&str, String)> =
            filters.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        // Route 53 is the same in all regions.
        if key.item != Item::DnsZone {
            filters.push(("regionCode", place.to_owned()));
        }
        Some(Self { service, filters, usage, unit })
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

    /// Whether a usage type is the one that is asked for: alone, or behind the prefix of a region such as `USE1-`.
    /// Others, such as that of Outposts, have a word before it.
    fn is_usage(&self, usage: &str) -> bool {
        let Some(before) = usage.strip_suffix(self.usage) else { return false };
        let is_region = |prefix: &str| {
            prefix.len() >= 2 && prefix.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        };
        self.usage.is_empty() || before.is_empty() || before.strip_suffix('-').is_some_and(is_region)
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
            .filter_map(|term| term["priceDimensions"].as_object())
            .flat_map(|dimensions| dimensions.values());
        for dimension in dimensions {
            let is_first = dimension["beginRange"].as_str().is_none_or(|range| range == "0");
            let unit = dimension["unit"].as_str().unwrap_or_default();
            if !is_first || !unit.eq_ignore_ascii_case(self.unit) {
                continue;
            }
            let Some(price) = dimension["pricePerUnit"][currency].as_str().and_then(Money::parse) else {
                continue;
            };
            let price = if self.unit == "GiBps-mo" { price.divided_exactly(MIB) } else { Some(price) };
            prices.extend(price.filter(|price| !prices.contains(price)));
        }
        prices
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
        let throughput = product("EBS:VolumeP-Throughput.gp3", &[("GiBps-mo", "0", "40.96")]);
        assert_eq!(prices(Item::VolumeThroughput, "gp3", &[throughput]), ["0.04"]);
        let gateway = [
            product("EUC1-NatGateway-Hours", &[("Hrs", "0", "0.052")]),
            product("EUC1-NatGateway-Bytes", &[("GB", "0", "0.051")]),
            product("EUC1-NatGateway-Prvd-Hours", &[("Hrs", "0", "0")]),
        ];
        assert_eq!(prices(Item::NatGateway, "", &gateway), ["0.052"]);
        let balancer = [
            product("LoadBalancerUsage", &[("Hrs", "0", "0.0225")]),
            product("Outposts-LoadBalancerUsage", &[("Hrs", "0", "0.03")]),
        ];
        assert_eq!(prices(Item::LoadBalancer, "network", &balancer), ["0.0225"]);
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
    }
}
