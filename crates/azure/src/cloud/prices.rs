//! Prices, from the Azure Retail Prices API. It takes no credentials, and the values of its filters are case-sensitive:
//! <https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices>
//!
//! Services and meters are those that other public programs ask it for:
//! <https://github.com/infracost/infracost/tree/master/internal/providers/terraform/azure> (`public_ip.go`,
//! `nat_gateway.go`, `lb_rule.go`) and <https://github.com/infracost/infracost/tree/master/internal/resources/azure>
//! (`linux_virtual_machine.go`, `managed_disk.go`, `private_dns_zone.go`). Some meters are of a region, others of all
//! regions of a cloud, which have a name of their own there.

use azure_core::http::Method;
use futures::future::join_all;
use landfall_diagnostics::{Finding, Kind};
use landfall_model::prices::{Item, Money, Price, PriceKey, UNAVAILABLE};
use landfall_platform::cloud::{Asked, Priced, Unready, Verdict};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use url::Url;

use super::arm::Arm;
use super::fault::Fault;
use super::session::Session;
use super::{environment, transport};

const HOST: &str = "https://prices.azure.com/";
const PATH: &str = "api/retail/prices";
const CALL: &str = "GET prices.azure.com";
const CURRENCY: &str = "USD";
/// The clouds whose prices it has; none is named for the first of them.
const CLOUDS: &[&str] = &["", "AzurePublicCloud", "AzureUSGovernmentCloud"];
/// No price has more meters than fit into so many pages.
const MOST_PAGES: usize = 10;

/// Reads `null` as if nothing were there.
fn nullable<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Page {
    items: Vec<Meter>,
    #[serde(deserialize_with = "nullable")]
    next_page_link: String,
}

/// A meter with its price.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[allow(clippy::struct_field_names, reason = "the names of the price list")]
struct Meter {
    #[serde(deserialize_with = "nullable")]
    arm_region_name: String,
    #[serde(deserialize_with = "nullable")]
    product_name: String,
    #[serde(deserialize_with = "nullable")]
    sku_name: String,
    #[serde(deserialize_with = "nullable")]
    meter_name: String,
    #[serde(deserialize_with = "nullable")]
    unit_of_measure: String,
    /// As it is written, so that nothing is rounded.
    retail_price: Option<Box<RawValue>>,
    tier_minimum_units: Option<Box<RawValue>>,
}

/// The meters that have one price.
#[derive(Debug, PartialEq, Eq)]
struct Query {
    /// Conditions besides the region and the kind of price.
    filter: String,
    /// The name of the meter; empty where the conditions name it.
    meter: String,
    /// The regions that a meter may be of: the first one that has some counts.
    places: Vec<String>,
}

/// The names of all regions of a cloud, and those that DNS has for them.
fn everywhere(region: &str) -> (&'static str, &'static [&'static str]) {
    if region.starts_with("usgov") || region.starts_with("usdod") {
        ("US Gov", &["US Gov Zone 1", "US Gov"])
    } else {
        ("Global", &["", "Zone 1", "Global"])
    }
}

impl Query {
    /// The meters of a key in a region; none where Azure does not sell it.
    fn of(key: &PriceKey, region: &str) -> Option<Self> {
        let quoted = |text: &str| text.replace('\'', "''");
        let (all_regions, zones) = everywhere(region);
        let of = |service: &str, more: &str, meter: &str| Self {
            filter: format!("serviceName eq '{service}'{more}"),
            meter: meter.to_owned(),
            places: [region, all_regions].map(str::to_owned).to_vec(),
        };
        let kind = key.r#type.as_str();
        Some(match (key.item, kind) {
            (Item::Machine, size) => {
                of("Virtual Machines", &format!(" and armSkuName eq '{}'", quoted(size)), "")
            }
            (Item::Disk, tier) => {
                let more = format!(" and skuName eq '{}'", quoted(tier));
                of("Storage", &more, &format!("{tier} Disk"))
            }
            (Item::NatGateway, _) => of("NAT Gateway", "", "Standard Gateway"),
            (Item::LoadBalancer, "standard") => {
                of("Load Balancer", "", "Standard Included LB Rules and Outbound Rules")
            }
            (Item::LoadBalancerRule, "standard") => {
                of("Load Balancer", "", "Standard Overage LB Rules and Outbound Rules")
            }
            (Item::PublicAddress, "ipv4") => of("Virtual Network", "", "Standard IPv4 Static Public IP"),
            (Item::DnsZone, "private") => {
                let places = zones.iter().map(|zone| (*zone).to_owned()).collect();
                Self { places, ..of("Azure DNS", "", "Private Zone") }
            }
            _ => return None,
        })
    }

    /// The first page of its meters.
    fn url(&self, base: &Url) -> Option<Url> {
        let mut filter = format!("{} and priceType eq 'Consumption'", self.filter);
        if !self.meter.is_empty() {
            filter = format!("{filter} and meterName eq '{}'", self.meter);
        }
        let places = self.places.iter().map(|place| format!("armRegionName eq '{place}'"));
        let places = places.collect::<Vec<String>>().join(" or ");
        filter = format!("{filter} and ({places})");
        let mut url = base.join(PATH).ok()?;
        url.query_pairs_mut()
            .append_pair("api-version", "2023-01-01-preview")
            .append_pair("currencyCode", CURRENCY)
            .append_pair("$filter", &filter);
        Some(url)
    }

    /// The prices of these meters, each once: of the first place that has some.
    fn prices(&self, key: &PriceKey, meters: &[Meter]) -> Vec<Money> {
        let fitting = || {
            let meters = meters.iter().filter(|meter| is_ordinary(key, meter));
            meters.filter(|meter| self.meter.is_empty() || self.meter == meter.meter_name)
        };
        let of = |place: &String| {
            let mut prices = Vec::new();
            for meter in fitting().filter(|meter| meter.arm_region_name.eq_ignore_ascii_case(place)) {
                let price = meter.retail_price.as_ref().and_then(|price| Money::parse(price.get()));
                prices.extend(price.filter(|price| !prices.contains(price)));
            }
            prices
        };
        self.places.iter().map(of).find(|prices| !prices.is_empty()).unwrap_or_default()
    }
}

/// Whether a meter is what a cluster's machines are charged by: Linux, not spot, of the first tier, by the unit.
fn is_ordinary(key: &PriceKey, meter: &Meter) -> bool {
    const OTHER_PRODUCTS: &[&str] = &["Windows", "Cloud Services", "CloudServices"];
    const OTHER_SKUS: &[&str] = &["Spot", "Low Priority", "Expired", "Free"];
    let units: &[&str] = match key.item.unit() {
        "hour" => &["1 Hour", "1/Hour"],
        _ => &["1/Month", "1"],
    };
    let is_first = meter
        .tier_minimum_units
        .as_ref()
        .is_none_or(|tier| Money::parse(tier.get()).is_some_and(|minimum| minimum == Money::default()));
    is_first
        && units.contains(&meter.unit_of_measure.as_str())
        && !OTHER_PRODUCTS.iter().any(|other| meter.product_name.contains(other))
        && !OTHER_SKUS.iter().any(|other| meter.sku_name.contains(other) || meter.meter_name.contains(other))
}

/// The prices of these keys in the config's region.
pub(super) async fn prices(session: &Session<'_>, keys: &[PriceKey]) -> Asked<Priced> {
    let unavailable = |why: &str| {
        let finding = Finding::error(&UNAVAILABLE, Kind::NotSupported, "platform.azure.cloudName", why);
        let help =
            "write the price file by hand, with the prices of your contract; see `landfall schema prices`";
        Verdict::Found(Box::new(finding.help(help)))
    };
    if environment::is_hub(session) {
        return Err(unavailable("the Azure Retail Prices API has no prices of an Azure Stack Hub"));
    }
    // What it has for all regions of Azure is wrong elsewhere.
    if !CLOUDS.contains(&session.platform.cloud_name.as_str()) {
        let cloud = &session.platform.cloud_name;
        return Err(unavailable(&format!(
            "the Azure Retail Prices API has no prices of the cloud `{cloud}`"
        )));
    }
    let Ok(base) = Url::parse(HOST) else {
        return Err(unavailable("the Azure Retail Prices API has no URL"));
    };
    let client = session.client().ok_or_else(|| Unready("there is no HTTP client".to_owned()))?;
    let limit = session.asking.patience.call;
    let options = transport::for_calls(client);
    let api = Arm::new(options, &base, false, limit, session.scrub(), session.concurrency());
    gathered(&api, &base, &session.platform.region, keys).await.map_err(|fault| {
        let message = format!("the Azure Retail Prices API cannot be read: {}", fault.sentence());
        let finding = Finding::error(&UNAVAILABLE, Kind::Invalid, "", message);
        let help = "allow connections to prices.azure.com, or write the price file by hand";
        Verdict::Found(Box::new(finding.help(help)))
    })
}

async fn gathered(api: &Arm, base: &Url, region: &str, keys: &[PriceKey]) -> Result<Priced, Fault> {
    let mut priced = Priced {
        currency: CURRENCY.to_owned(),
        source: format!("the Azure Retail Prices API of {region}, pay as you go"),
        ..Priced::default()
    };
    let asked = join_all(keys.iter().map(|key| price(api, base, region, key))).await;
    for (key, asked) in keys.iter().zip(asked) {
        match asked? {
            Ok(price) => priced.prices.push(price),
            Err(why) => priced.gaps.push((key.clone(), why.to_owned())),
        }
    }
    Ok(priced)
}

/// The price of a key, or why there is none.
async fn price(
    api: &Arm,
    base: &Url,
    region: &str,
    key: &PriceKey,
) -> Result<Result<Price, &'static str>, Fault> {
    let Some(query) = Query::of(key, region) else {
        return Ok(Err("Azure does not have a price for this item"));
    };
    let mut meters = Vec::new();
    let mut next = query.url(base);
    for _ in 0..MOST_PAGES {
        let Some(url) = next else { break };
        let answer = api.send(CALL, Method::Get, &url, None).await?;
        let Ok(page) = serde_json::from_slice::<Page>(answer.body().as_ref()) else {
            return Ok(Err("the answer is not a list of prices"));
        };
        meters.extend(page.items);
        // Only this host is asked.
        next = Url::parse(&page.next_page_link).ok().filter(|next| next.origin() == base.origin());
    }
    Ok(match query.prices(key, &meters)[..] {
        [price] => Ok(Price::of(key, price)),
        [] => Err("Azure has no price"),
        _ => Err("Azure has several prices"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::scripted::scripted;
    use super::*;

    const MACHINES: &str = r#"{"Items": [
        {"armRegionName": "eastus", "productName": "Virtual Machines DSv3 Series", "skuName": "D8s v3",
         "meterName": "D8s v3", "unitOfMeasure": "1 Hour", "retailPrice": 0.384, "tierMinimumUnits": 0.0},
        {"armRegionName": "eastus", "productName": "Virtual Machines DSv3 Series Windows", "skuName": "D8s v3",
         "meterName": "D8s v3", "unitOfMeasure": "1 Hour", "retailPrice": 0.752, "tierMinimumUnits": 0.0},
        {"armRegionName": "eastus", "productName": "Virtual Machines DSv3 Series", "skuName": "D8s v3 Spot",
         "meterName": "D8s v3 Spot", "unitOfMeasure": "1 Hour", "retailPrice": 0.1, "tierMinimumUnits": 0.0}],
        "NextPageLink": null}"#;
    const ZONES: &str = r#"{"Items": [
        {"armRegionName": "", "productName": "Azure DNS", "skuName": "Private", "meterName": "Private Zone",
         "unitOfMeasure": "1", "retailPrice": 0.5, "tierMinimumUnits": 0.0},
        {"armRegionName": "", "productName": "Azure DNS", "skuName": "Private", "meterName": "Private Zone",
         "unitOfMeasure": "1", "retailPrice": 0.1, "tierMinimumUnits": 25.0}],
        "NextPageLink": "https://elsewhere.example.com/api/retail/prices?$skip=100"}"#;
    /// Meters of all regions; those of the United States government have the same names.
    const GATEWAYS: &str = r#"{"Items": [
        {"armRegionName": "US Gov", "productName": "NAT Gateway", "skuName": "Standard",
         "meterName": "Standard Gateway", "unitOfMeasure": "1 Hour", "retailPrice": 0.054, "tierMinimumUnits": 0.0},
        {"armRegionName": "Global", "productName": "NAT Gateway", "skuName": "Standard",
         "meterName": "Standard Gateway", "unitOfMeasure": "1 Hour", "retailPrice": 0.045, "tierMinimumUnits": 0.0}],
        "NextPageLink": null}"#;
    const NONE: &str = r#"{"Items": [], "NextPageLink": ""}"#;

    fn asked(
        key: PriceKey,
        bodies: &[&'static str],
    ) -> Result<(Priced, Vec<String>), Box<dyn std::error::Error>> {
        asked_in("eastus", key, bodies)
    }

    fn asked_in(
        region: &str,
        key: PriceKey,
        bodies: &[&'static str],
    ) -> Result<(Priced, Vec<String>), Box<dyn std::error::Error>> {
        let answers: Vec<super::super::scripted::Scripted> =
            bodies.iter().map(|body| (200, &[][..], *body)).collect();
        let (api, script) = scripted(&answers)?;
        let base = Url::parse(HOST)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let priced = runtime.block_on(gathered(&api, &base, region, &[key]));
        Ok((priced.map_err(|fault| fault.sentence())?, script.asked()))
    }

    #[test]
    fn a_machine_has_the_price_of_linux_without_spot() -> Result<(), Box<dyn std::error::Error>> {
        let (priced, calls) = asked(PriceKey::new(Item::Machine, "Standard_D8s_v3"), &[MACHINES])?;
        let found: Vec<&str> = priced.prices.iter().map(|price| price.price.as_str()).collect();
        assert_eq!((found, priced.gaps.len()), (vec!["0.384"], 0));
        assert!(calls[0].starts_with("GET https://prices.azure.com/api/retail/prices?"), "{calls:?}");
        assert!(calls[0].contains("Standard_D8s_v3") && calls[0].contains("eastus"), "{calls:?}");
        Ok(())
    }

    #[test]
    fn a_zone_has_the_price_of_the_first_tier_and_no_other_host_is_asked()
    -> Result<(), Box<dyn std::error::Error>> {
        let (priced, calls) = asked(PriceKey::new(Item::DnsZone, "private"), &[ZONES])?;
        let found: Vec<&str> = priced.prices.iter().map(|price| price.price.as_str()).collect();
        assert_eq!((found, calls.len()), (vec!["0.5"], 1));
        Ok(())
    }

    #[test]
    fn a_meter_of_all_regions_is_one_of_the_same_cloud() -> Result<(), Box<dyn std::error::Error>> {
        let key = PriceKey::new(Item::NatGateway, "");
        for (region, price) in [("eastus", "0.045"), ("usgovvirginia", "0.054")] {
            let (priced, _) = asked_in(region, key.clone(), &[GATEWAYS])?;
            let found: Vec<&str> = priced.prices.iter().map(|price| price.price.as_str()).collect();
            assert_eq!(found, [price], "{region}");
        }
        Ok(())
    }

    #[test]
    fn what_has_no_price_is_named() -> Result<(), Box<dyn std::error::Error>> {
        let key = PriceKey::new(Item::NatGateway, "");
        for (bodies, why) in [(NONE, "Azure has no price"), ("moon", "the answer is not a list of prices")] {
            let (priced, _) = asked(key.clone(), &[bodies])?;
            assert_eq!(priced.gaps, [(key.clone(), why.to_owned())]);
        }
        assert_eq!(Query::of(&PriceKey::new(Item::Volume, "gp3"), "eastus"), None);
        Ok(())
    }
}
