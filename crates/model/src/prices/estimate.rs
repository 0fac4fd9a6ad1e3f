//! What a plan costs by a price file.

use super::{Charge, Charges, Money, Prices};

/// What is charged, with its price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What is charged.
    pub charge: Charge,
    /// Whether it is gone once the cluster runs.
    pub temporary: bool,
    /// The price of one unit; none where the file has none, or none can be named.
    pub price: Option<Money>,
    /// What all of it costs in a month; none without a price.
    pub month: Option<Money>,
}

/// A sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// In a month; exact.
    pub month: Money,
    /// In an hour; the month's divided by its hours, rounded to ten decimal places.
    pub hour: Money,
}

/// What a plan costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Currency.
    pub currency: String,
    /// Region of the prices.
    pub region: String,
    /// Where the prices come from.
    pub source: String,
    /// What is charged.
    pub lines: Vec<Line>,
    /// What is not counted.
    pub not_counted: Vec<&'static str>,
}

impl Estimate {
    /// What these charges come to by these prices.
    #[must_use]
    pub fn of(charges: Charges, prices: &Prices) -> Self {
        let line = |charge: Charge| {
            let price = prices.of(&charge.key).filter(|_| charge.obstacle.is_empty());
            let units = u64::from(charge.count).checked_mul(charge.each);
            let month = price.zip(units).and_then(|(price, units)| charge.key.item.month(price, units));
            let temporary = charge.stage.is_some_and(|stage| charges.temporary.contains(&stage));
            Line { charge, temporary, price, month }
        };
        Self {
            currency: prices.currency.clone(),
            region: prices.region.clone(),
            source: prices.source.clone(),
            lines: charges.charges.into_iter().filter(|charge| charge.count > 0).map(line).collect(),
            not_counted: charges.not_counted,
        }
    }

    /// The same without the charges of some stages.
    #[must_use]
    pub fn without(mut self, is_gone: impl Fn(&str) -> bool) -> Self {
        self.lines.retain(|line| !line.charge.stage.is_some_and(&is_gone));
        self
    }

    /// The sum of what stays, or of what is gone once the cluster runs; none where one price is missing.
    #[must_use]
    pub fn total(&self, temporary: bool) -> Option<Total> {
        let lines = self.lines.iter().filter(|line| line.temporary == temporary);
        let month = lines.map(|line| line.month).try_fold(Money::default(), |sum, month| sum.plus(month?))?;
        Some(Total { month, hour: month.per_hour() })
    }

    /// What has no price, each once with the reason.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let mut missing: Vec<String> = Vec::new();
        for line in self.lines.iter().filter(|line| line.month.is_none()) {
            let key = &line.charge.key;
            let text = match line.charge.obstacle.as_str() {
                "" => key.to_string(),
                why => format!("{key} ({why})"),
            };
            if !missing.contains(&text) {
                missing.push(text);
            }
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Item, Price, PriceKey};
    use super::*;

    fn charge(stage: Option<&'static str>, key: PriceKey, count: u32, each: u64) -> Charge {
        Charge { stage, kind: "Thing", pool: String::new(), count, each, key, obstacle: String::new() }
    }

    fn machine() -> PriceKey {
        PriceKey::new(Item::Machine, "m6i.xlarge")
    }

    fn volume() -> PriceKey {
        PriceKey::new(Item::Volume, "gp3")
    }

    fn prices(of: &[(PriceKey, &str)]) -> Prices {
        let price = |(key, price): &(PriceKey, &str)| Some(Price::of(key, Money::parse(price)?));
        Prices {
            currency: "USD".to_owned(),
            prices: of.iter().filter_map(price).collect(),
            ..Prices::default()
        }
    }

    fn charges() -> Charges {
        Charges {
            charges: vec![
                charge(Some("cluster"), machine(), 3, 1),
                charge(Some("cluster"), volume(), 3, 120),
                charge(Some("bootstrap"), machine(), 1, 1),
                charge(None, machine(), 2, 1),
                charge(None, volume(), 0, 120),
            ],
            temporary: vec!["bootstrap"],
            not_counted: vec!["data transfer"],
        }
    }

    #[test]
    fn what_stays_and_what_goes_are_summed_apart() {
        let estimate = Estimate::of(charges(), &prices(&[(machine(), "0.192"), (volume(), "0.08")]));
        let months: Vec<String> =
            estimate.lines.iter().filter_map(|line| line.month).map(|month| month.to_string()).collect();
        assert_eq!(months, ["420.48", "28.8", "140.16", "280.32"]);
        let total = |temporary| {
            estimate.total(temporary).map(|total| (total.month.to_string(), total.hour.rounded(4)))
        };
        assert_eq!(total(false), Some(("729.6".to_owned(), "0.9995".to_owned())));
        assert_eq!(total(true), Some(("140.16".to_owned(), "0.1920".to_owned())));
        assert_eq!(estimate.missing(), Vec::<String>::new());
        let rest = estimate.without(|stage| stage == "cluster");
        assert_eq!(rest.lines.len(), 2);
    }

    #[test]
    fn without_one_price_there_is_no_sum() {
        let estimate = Estimate::of(charges(), &prices(&[(machine(), "0.192")]));
        assert_eq!(estimate.total(false), None);
        assert!(estimate.total(true).is_some());
        assert_eq!(estimate.missing(), ["volume gp3"]);
        assert_eq!(charges().keys(), [machine(), volume()]);
    }

    #[test]
    fn what_cannot_be_priced_is_not_priced() {
        let mut charges = charges();
        for charge in charges.charges.iter_mut().filter(|charge| charge.key == volume()) {
            charge.obstacle = "priced in tiers".to_owned();
        }
        assert_eq!(charges.keys(), [machine()]);
        let estimate = Estimate::of(charges, &prices(&[(machine(), "0.192"), (volume(), "0.08")]));
        assert_eq!(estimate.total(false), None);
        assert_eq!(estimate.missing(), ["volume gp3 (priced in tiers)"]);
    }

    #[test]
    fn what_is_too_large_to_tell_has_no_sum() {
        let huge =
            Charges { charges: vec![charge(None, volume(), u32::MAX, u64::MAX)], ..Charges::default() };
        let estimate = Estimate::of(huge, &prices(&[(volume(), "1")]));
        assert_eq!((estimate.total(false), estimate.missing().len()), (None, 1));
    }
}
