//! Price files, and what a plan costs by them.
//!
//! A [`Prices`] value is a file: prices of one region in one currency. A platform says with [`Charges`] what of a
//! plan its cloud charges for; an [`Estimate`] puts both together. Amounts are exact, and what has no price gets no
//! sum.

mod estimate;
mod money;
mod pages;

pub use estimate::{Estimate, Line, Total};
pub use money::{HOURS_PER_MONTH, Money};
pub use pages::{NOT_FOUND, UNAVAILABLE};

use landfall_diagnostics::{Finding, Findings};
use serde_json::json;

use crate::config::value::model;
use crate::file;

/// The version of the format that this landfall writes and reads.
pub const VERSION: i32 = 1;

/// What a cloud charges for, as price files name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Item {
    /// A machine that runs; its type is the instance type or the VM size.
    Machine,
    /// A GiB of a volume; its type is the volume type, such as `gp3`.
    Volume,
    /// An operation a second that a volume has beyond those in the price of its size.
    VolumeIops,
    /// A MiB a second that a volume has beyond those in the price of its size.
    VolumeThroughput,
    /// A managed disk; its type is the tier with its redundancy, such as `P30 LRS`.
    Disk,
    /// A NAT gateway.
    NatGateway,
    /// A load balancer; its type is `network`, `classic` or `standard`.
    LoadBalancer,
    /// A rule of a load balancer beyond those in its price.
    LoadBalancerRule,
    /// A public address; its type is `ipv4`, as IPv6 addresses cost nothing.
    PublicAddress,
    /// A DNS zone; its type is `private`.
    DnsZone,
}

impl Item {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Machine,
        Self::Volume,
        Self::VolumeIops,
        Self::VolumeThroughput,
        Self::Disk,
        Self::NatGateway,
        Self::LoadBalancer,
        Self::LoadBalancerRule,
        Self::PublicAddress,
        Self::DnsZone,
    ];

    /// The name in price files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// What its price is for.
    #[must_use]
    pub fn unit(self) -> &'static str {
        self.words().1
    }

    /// Name and unit.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Machine => ("machine", "hour"),
            Self::Volume => ("volume", "GiB-month"),
            Self::VolumeIops => ("volume-iops", "IOPS-month"),
            Self::VolumeThroughput => ("volume-throughput", "MiBps-month"),
            Self::Disk => ("disk", "month"),
            Self::NatGateway => ("nat-gateway", "hour"),
            Self::LoadBalancer => ("load-balancer", "hour"),
            Self::LoadBalancerRule => ("load-balancer-rule", "hour"),
            Self::PublicAddress => ("public-address", "hour"),
            Self::DnsZone => ("dns-zone", "month"),
        }
    }

    /// The item of a name in a price file.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|item| item.name() == name)
    }

    /// What so many units with this price cost in a month; none where that is too large to tell.
    fn month(self, price: Money, units: u64) -> Option<Money> {
        let hours = if self.unit() == "hour" { HOURS_PER_MONTH } else { 1 };
        price.times(units)?.times(hours)
    }
}

/// What a price is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PriceKey {
    /// What is charged.
    pub item: Item,
    /// Its type; empty where the item has none.
    pub r#type: String,
    /// The local zone group that has prices of its own; empty for the region's.
    pub zone: String,
}

impl PriceKey {
    /// The key of an item of this type at the region's price.
    #[must_use]
    pub fn new(item: Item, r#type: impl Into<String>) -> Self {
        Self { item, r#type: r#type.into(), zone: String::new() }
    }
}

/// As people read it: `machine m6i.xlarge in us-east-1-bos-1`.
impl std::fmt::Display for PriceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.item.name())?;
        for (before, part) in [(" ", &self.r#type), (" in ", &self.zone)] {
            if !part.is_empty() {
                write!(f, "{before}{part}")?;
            }
        }
        Ok(())
    }
}

/// Something of a plan that the cloud charges for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The stage that creates it; none for what the cluster creates later.
    pub stage: Option<&'static str>,
    /// What it is, for people: `NAT gateway`.
    pub kind: &'static str,
    /// The pool of machines that it belongs to; empty where it belongs to none.
    pub pool: String,
    /// Number of resources.
    pub count: u32,
    /// Units of the item that each of them has, such as the GiB of a volume.
    pub each: u64,
    /// What the price is for.
    pub key: PriceKey,
    /// Why no price can be named, such as a type that is priced in tiers; empty where one can.
    pub obstacle: String,
}

/// All that a cloud charges for in a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charges {
    /// What is counted, in the order of the stages.
    pub charges: Vec<Charge>,
    /// The stages that are removed once the cluster runs.
    pub temporary: Vec<&'static str>,
    /// What is not counted, for people.
    pub not_counted: Vec<&'static str>,
}

impl Charges {
    /// What prices are needed for, sorted.
    #[must_use]
    pub fn keys(&self) -> Vec<PriceKey> {
        let known = self.charges.iter().filter(|charge| charge.obstacle.is_empty());
        let mut keys: Vec<PriceKey> = known.map(|charge| charge.key.clone()).collect();
        keys.sort();
        keys.dedup();
        keys
    }
}

model! {
    /// Prices of one region.
    pub struct Prices {
        /// Version of the format: 1.
        pub version: i32,
        /// Platform, such as `aws`.
        pub platform: String,
        /// Region.
        pub region: String,
        /// Currency, such as `USD`.
        pub currency: String,
        /// Where the prices come from, for people.
        pub source: String,
        /// The prices.
        pub prices: Vec<Price>,
    }
    /// The price of one item.
    pub struct Price {
        /// What is charged.
        #[schemars(schema_with = "item_names")]
        pub item: String,
        /// Its type, such as `m6i.xlarge`; empty for items without types.
        pub r#type: String,
        /// Local zone group that the price is of; empty for the region's.
        pub zone: String,
        /// What the price is for.
        #[schemars(schema_with = "units")]
        pub unit: String,
        /// Decimal number with up to ten decimal places, as text.
        #[schemars(regex(pattern = r"^[0-9]{1,9}(\.[0-9]+)?$"))]
        pub price: String,
    }
}

fn item_names(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names = Item::ALL.map(Item::name);
    schemars::json_schema!({ "type": "string", "enum": json!(names) })
}

fn units(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let mut units: Vec<&str> = Vec::new();
    for item in Item::ALL {
        if !units.contains(&item.unit()) {
            units.push(item.unit());
        }
    }
    schemars::json_schema!({ "type": "string", "enum": units })
}

impl Price {
    /// The price of a key.
    #[must_use]
    pub fn of(key: &PriceKey, price: Money) -> Self {
        Self {
            item: key.item.name().to_owned(),
            r#type: key.r#type.clone(),
            zone: key.zone.clone(),
            unit: key.item.unit().to_owned(),
            price: price.to_string(),
        }
    }

    /// Whether it is the price of a key.
    fn is_of(&self, key: &PriceKey) -> bool {
        self.item == key.item.name() && self.r#type == key.r#type && self.zone == key.zone
    }
}

impl Prices {
    /// Reads a price file: JSON, or YAML of the same shape.
    ///
    /// # Errors
    /// Every fault of the text at once, with its place: malformed text, wrong types, unknown fields, unknown items,
    /// other units, prices that are not decimal numbers, two prices of one item, and an unknown version.
    pub fn read(bytes: &[u8]) -> Result<Self, Vec<Finding>> {
        Self::read_with(bytes, |_, _| {})
    }

    /// Reads a price file for a plan of this platform and region.
    ///
    /// # Errors
    /// As [`Prices::read`]; also where the prices are of another platform or region.
    pub fn read_for(bytes: &[u8], platform: &str, region: &str) -> Result<Self, Vec<Finding>> {
        Self::read_with(bytes, |prices, out| {
            for (field, file, plan) in
                [("platform", &prices.platform, platform), ("region", &prices.region, region)]
            {
                if !file.is_empty() && !file.eq_ignore_ascii_case(plan) {
                    out.push(pages::other_place(field, file, plan));
                }
            }
        })
    }

    fn read_with(bytes: &[u8], also: impl Fn(&Self, &mut Findings)) -> Result<Self, Vec<Finding>> {
        file::read(bytes, ("a price file", "the price file"), |prices: &Self, out| {
            prices.judge(out);
            also(prices, out);
        })
    }

    fn judge(&self, out: &mut Findings) {
        if self.version != VERSION {
            out.push(pages::other_version(self.version));
        }
        for (field, value) in
            [("platform", &self.platform), ("region", &self.region), ("currency", &self.currency)]
        {
            if value.is_empty() {
                out.push(pages::missing(field));
            }
        }
        for (at, price) in self.prices.iter().enumerate() {
            let field = format!("prices[{at}]");
            match Item::named(&price.item) {
                None => out.push(pages::unknown_item(&field, &price.item)),
                Some(item) if price.unit != item.unit() => {
                    out.push(pages::other_unit(&field, item, &price.unit));
                }
                Some(_) => {}
            }
            if Money::parse(&price.price).is_none() {
                out.push(pages::no_amount(&field, &price.price));
            }
            let same = |other: &&Price| {
                other.item == price.item && other.r#type == price.r#type && other.zone == price.zone
            };
            if self.prices.iter().take(at).any(|other| same(&other)) {
                out.push(pages::twice(&field, price));
            }
        }
    }

    /// The price of a key; none where the file has none.
    #[must_use]
    pub fn of(&self, key: &PriceKey) -> Option<Money> {
        let price = self.prices.iter().find(|price| price.is_of(key))?;
        Money::parse(&price.price)
    }

    /// The prices as the text of a file: JSON with two blanks of indentation and a final newline.
    #[must_use]
    pub fn to_text(&self) -> String {
        file::text(self)
    }
}

/// The JSON Schema of a price file.
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Prices).to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "version: 1\nplatform: aws\nregion: us-east-1\ncurrency: USD\nprices:\n";

    fn codes(text: &str) -> Vec<(&'static str, String)> {
        match Prices::read(text.as_bytes()) {
            Ok(_) => Vec::new(),
            Err(findings) => findings.into_iter().map(|f| (f.code.as_str(), f.field)).collect(),
        }
    }

    #[test]
    fn a_file_is_read_and_written_again() {
        let text =
            format!("{FILE}- {{item: machine, type: m6i.xlarge, unit: hour, price: '0.1920000000'}}\n");
        let prices = Prices::read(text.as_bytes()).unwrap_or_default();
        let key = PriceKey::new(Item::Machine, "m6i.xlarge");
        assert_eq!(prices.of(&key), Money::parse("0.192"));
        assert_eq!(prices.of(&PriceKey { zone: "us-east-1-bos-1".to_owned(), ..key.clone() }), None);
        assert_eq!(prices.of(&PriceKey::new(Item::Volume, "m6i.xlarge")), None);
        assert_eq!(Prices::read(prices.to_text().as_bytes()).ok(), Some(prices));
        assert_eq!(key.to_string(), "machine m6i.xlarge");
    }

    #[test]
    fn every_fault_of_a_file_is_told_with_its_place() {
        let text = format!(
            "{FILE}- {{item: moon, unit: hour, price: '1'}}\n- {{item: nat-gateway, unit: month, price: '1'}}\n\
             - {{item: nat-gateway, unit: hour, price: '1,5'}}\n"
        );
        let expected = [("LF1236", "item"), ("LF1236", "unit"), ("LF1235", "price"), ("LF1237", "")];
        let found = codes(&text);
        for (code, end) in expected {
            assert!(
                found.iter().any(|(known, field)| *known == code && field.ends_with(end)),
                "{code}: {found:?}"
            );
        }
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert_eq!(
            codes("version: 2\nplatform: aws\nregion: r\ncurrency: USD\n"),
            [("LF1235", "version".to_owned())]
        );
        assert_eq!(codes("version: 1\nplatform: aws\nregion: r\n"), [("LF1235", "currency".to_owned())]);
    }

    #[test]
    fn prices_are_of_the_plan_s_platform_and_region() {
        assert!(Prices::read_for(FILE.as_bytes(), "aws", "US-East-1").is_ok());
        let refused = Prices::read_for(FILE.as_bytes(), "azure", "eastus").err().unwrap_or_default();
        let found: Vec<(&str, &str)> = refused.iter().map(|f| (f.code.as_str(), f.field.as_str())).collect();
        assert_eq!(found, [("LF1238", "platform"), ("LF1238", "region")]);
    }

    #[test]
    fn names_are_their_own_and_the_schema_has_them() {
        for item in Item::ALL {
            assert_eq!(Item::named(item.name()), Some(item));
        }
        let schema = schema().to_string();
        assert!(schema.contains("volume-throughput") && schema.contains("GiB-month"), "{schema}");
    }
}
