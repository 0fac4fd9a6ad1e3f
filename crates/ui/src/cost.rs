//! What a plan costs, for people and for programs.

use std::fmt::Write;

use landfall_model::prices::{Charge, Estimate, HOURS_PER_MONTH, Item, Line, Money, Total};
use serde_json::{Value, json};

use super::{Style, layout, printable};

/// Columns of a number.
const NUMBER: usize = 11;
/// Columns before a name: the number of resources between blanks.
const COUNT: usize = 2 + 4 + 2;
/// Decimal places of an hour's price and of a month's.
const HOUR: u32 = 4;
const MONTH: u32 = 2;

/// The estimate as a value, in the form that `docs/contract.md` fixes.
#[must_use]
pub fn json(estimate: &Estimate) -> Value {
    let amount = |money: Option<Money>| money.map(|money| money.to_string());
    let total = |total: Option<Total>| {
        total.map(|total| json!({ "hour": total.hour.to_string(), "month": total.month.to_string() }))
    };
    let item = |line: &Line| {
        let charge = &line.charge;
        json!({
            "stage": charge.stage,
            "temporary": line.temporary,
            "kind": charge.kind,
            "pool": charge.pool,
            "count": charge.count,
            "each": charge.each,
            "item": charge.key.item.name(),
            "type": charge.key.r#type,
            "zone": charge.key.zone,
            "unit": charge.key.item.unit(),
            "price": amount(line.price),
            "month": amount(line.month),
        })
    };
    json!({
        "currency": estimate.currency,
        "region": estimate.region,
        "source": estimate.source,
        "hoursPerMonth": HOURS_PER_MONTH,
        "items": estimate.lines.iter().map(item).collect::<Vec<Value>>(),
        "missing": estimate.missing(),
        "total": total(estimate.total(false)),
        "temporary": total(estimate.total(true)),
        "notCounted": estimate.not_counted,
    })
}

/// The estimate as a table: each stage, what the cluster creates later, the sum, and what is in no sum.
#[must_use]
pub fn text(estimate: &Estimate, style: Style) -> String {
    let (on, off) = if style.colour { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
    let width = style.width();
    let mut text = String::new();
    let (region, currency) = (printable(&estimate.region), printable(&estimate.currency));
    let title = format!("Cost in {region} in {currency}");
    let left = width.saturating_sub(2 * NUMBER);
    let _ = writeln!(text, "{on}{title}\n{:left$}{:>NUMBER$}{:>NUMBER$}{off}", "", "an hour", "a month");
    let stays = estimate.lines.iter().filter(|line| !line.temporary);
    section(&mut text, stays.collect(), (on, off), left);
    sum(&mut text, "Total", estimate.total(false), (left, true));
    let temporary: Vec<&Line> = estimate.lines.iter().filter(|line| line.temporary).collect();
    if !temporary.is_empty() {
        text.push('\n');
        section(&mut text, temporary, (on, off), left);
        sum(&mut text, "Total of what is temporary", estimate.total(true), (left, false));
    }
    text.push('\n');
    let missing = estimate.missing();
    if !missing.is_empty() {
        paragraph(&mut text, &format!("No price for: {}", missing.join("; ")), width);
    }
    paragraph(&mut text, &format!("Not counted: {}", estimate.not_counted.join("; ")), width);
    let source = if estimate.source.is_empty() { "an unnamed source" } else { estimate.source.as_str() };
    paragraph(&mut text, &format!("Prices from {source}; a month has {HOURS_PER_MONTH} hours"), width);
    text
}

/// What a question says of the cost; empty without a sum.
#[must_use]
pub fn clause(estimate: &Estimate) -> String {
    let Some(total) = estimate.total(false) else {
        return String::new();
    };
    let (hour, month) = (total.hour.rounded(HOUR), total.month.rounded(MONTH));
    format!(", at {} {hour} an hour ({month} a month)", printable(&estimate.currency))
}

/// The lines of each stage under its name.
fn section(text: &mut String, lines: Vec<&Line>, (on, off): (&str, &str), left: usize) {
    let mut before: Option<Option<&str>> = None;
    for line in lines {
        if before != Some(line.charge.stage) {
            let title = match line.charge.stage {
                Some(stage) => format!("Stage {stage}"),
                None => "Created later by the cluster".to_owned(),
            };
            let _ = writeln!(text, "{on}{title}{off}");
            before = Some(line.charge.stage);
        }
        row(text, line, left.saturating_sub(COUNT));
    }
}

fn row(text: &mut String, line: &Line, left: usize) {
    let mut names = layout::wrapped(&printable(&name(&line.charge)), left.saturating_sub(1)).into_iter();
    let first = names.next().unwrap_or_default();
    let (hour, month) = match line.month {
        Some(month) if line.temporary => (month.per_hour().rounded(HOUR), String::new()),
        Some(month) => (month.per_hour().rounded(HOUR), month.rounded(MONTH)),
        None => ("no price".to_owned(), String::new()),
    };
    let row = format!("  {:>4}  {first:left$}{hour:>NUMBER$}{month:>NUMBER$}", line.charge.count);
    let _ = writeln!(text, "{}", row.trim_end());
    for rest in names {
        let _ = writeln!(text, "        {rest}");
    }
}

fn sum(text: &mut String, title: &str, total: Option<Total>, (left, with_month): (usize, bool)) {
    let (hour, month) = match total {
        Some(total) if with_month => (total.hour.rounded(HOUR), total.month.rounded(MONTH)),
        Some(total) => (total.hour.rounded(HOUR), String::new()),
        None => ("no total".to_owned(), String::new()),
    };
    let line = format!("{title:left$}{hour:>NUMBER$}{month:>NUMBER$}");
    let _ = writeln!(text, "{}", line.trim_end());
}

fn paragraph(text: &mut String, what: &str, width: usize) {
    for line in layout::wrapped(&printable(what), width) {
        let _ = writeln!(text, "{line}");
    }
}

/// What is charged, for people: `Volume master: 120 GiB gp3`.
fn name(charge: &Charge) -> String {
    let key = &charge.key;
    let amount = match key.item {
        Item::Volume => format!("{} GiB {}", charge.each, key.r#type),
        Item::VolumeIops => format!("{} IOPS {}", charge.each, key.r#type),
        Item::VolumeThroughput => format!("{} MiB/s {}", charge.each, key.r#type),
        Item::Machine | Item::Disk | Item::LoadBalancer => key.r#type.clone(),
        Item::NatGateway | Item::LoadBalancerRule | Item::PublicAddress | Item::DnsZone => String::new(),
    };
    let mut name = charge.kind.to_owned();
    for (before, part) in [(" ", &charge.pool), (": ", &amount), (" in ", &key.zone)] {
        if !part.is_empty() {
            name.push_str(before);
            name.push_str(part);
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use landfall_model::prices::{Charges, Price, PriceKey, Prices};

    use super::*;

    fn charge(stage: Option<&'static str>, kind: &'static str, pool: &str, key: PriceKey) -> Charge {
        let each = if key.item == Item::Volume { 120 } else { 1 };
        Charge { stage, kind, pool: pool.to_owned(), count: 3, each, key, obstacle: String::new() }
    }

    fn estimate(with_volume: bool) -> Estimate {
        let machine = PriceKey::new(Item::Machine, "m6i.xlarge");
        let volume = PriceKey::new(Item::Volume, "gp3");
        let gateway = PriceKey::new(Item::NatGateway, "");
        let edge = PriceKey { zone: "us-east-1-bos-1".to_owned(), ..machine.clone() };
        let prices = [(&machine, "0.192"), (&volume, "0.08"), (&gateway, "0.045"), (&edge, "0.24")];
        let price = |(key, price): &(&PriceKey, &str)| Some(Price::of(key, Money::parse(price)?));
        let prices = Prices {
            region: "us-east-1".to_owned(),
            currency: "USD".to_owned(),
            source: "a test".to_owned(),
            prices: prices
                .iter()
                .filter(|(key, _)| with_volume || *key != &volume)
                .filter_map(price)
                .collect(),
            ..Prices::default()
        };
        let charges = vec![
            charge(Some("cluster"), "Instance", "master", machine.clone()),
            charge(Some("cluster"), "Volume", "master", volume),
            charge(Some("cluster"), "NAT gateway", "", gateway),
            charge(Some("bootstrap"), "Instance", "", machine.clone()),
            charge(None, "Compute machine", "worker", machine),
            charge(None, "Compute machine", "edge-of-a-long-name", edge),
        ];
        let charges =
            Charges { charges, temporary: vec!["bootstrap"], not_counted: vec!["data transfer", "taxes"] };
        Estimate::of(charges, &prices)
    }

    #[test]
    fn costs_are_in_columns_of_eighty() {
        let columns = |columns| Style { columns: Some(columns), ..Style::PLAIN };
        for width in [60, 80, 120] {
            let shown = text(&estimate(true), columns(width));
            assert!(shown.lines().all(|line| line.chars().count() <= width), "{width}\n{shown}");
            assert!(shown.lines().any(|line| line.chars().count() == width), "{width}\n{shown}");
        }
        let shown = text(&estimate(true), columns(80));
        for part in [
            "0.5760     420.48\n",
            "0.1350      98.55\n",
            "Total",
            "\nStage bootstrap\n",
            "data transfer; taxes",
        ] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
        landfall_testing::assert_text("cost", &shown);
        assert_eq!(clause(&estimate(true)), ", at USD 2.0465 an hour (1493.91 a month)");
    }

    #[test]
    fn without_a_price_there_is_no_total_and_the_item_is_named() {
        let estimate = estimate(false);
        let shown = text(&estimate, Style::PLAIN);
        assert!(shown.contains("no price\n") && shown.contains("no total\n"), "{shown}");
        assert!(shown.contains("No price for: volume gp3\n"), "{shown}");
        assert_eq!(clause(&estimate), "");
        let value = json(&estimate);
        assert_eq!((&value["total"], &value["missing"]), (&Value::Null, &json!(["volume gp3"])));
        assert_eq!(value["items"][0]["month"], "420.48");
        assert_eq!(value["temporary"]["hour"], "0.576");
    }
}
