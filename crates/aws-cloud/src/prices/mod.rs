//! Prices, from the Query API of the AWS Price List.
//!
//! It is one call of AWS's JSON protocol, so that it is written here, and signed, without an SDK of its own:
//! <https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html>

mod call;
mod products;

use futures::future::join_all;
use landfall_diagnostics::{Finding, Kind};
use landfall_model::prices::{Price, PriceKey, UNAVAILABLE};
use landfall_platform::cloud::{Asked, Priced, Unready, Verdict};
use serde_json::Value;

use super::fault::{Fault, Sort};
use super::session::Session;
use call::{CALL, PriceList};
use products::Query;

/// No price has more products than fit into so many pages.
const MOST_PAGES: usize = 10;

/// Where the price list of a partition is: URL, region to sign for, currency.
fn place(partition: &str) -> Option<(&'static str, &'static str, &'static str)> {
    match partition {
        "aws" => Some(("https://api.pricing.us-east-1.amazonaws.com", "us-east-1", "USD")),
        "aws-cn" => Some(("https://api.pricing.cn-northwest-1.amazonaws.com.cn", "cn-northwest-1", "CNY")),
        _ => None,
    }
}

/// The prices of these keys in the config's region.
pub(super) async fn prices(session: &Session<'_>, keys: &[PriceKey]) -> Asked<Priced> {
    let region = session.region();
    let partition = session.asking.catalogue.aws.partition_of(region).map_or("", |(partition, _)| partition);
    let Some((url, signing_region, currency)) = place(partition) else {
        let message = format!("the AWS Price List cannot be called from partition `{partition}`");
        let finding = Finding::error(&UNAVAILABLE, Kind::NotSupported, "platform.aws.region", message).help(
            "write the price file by hand, with the prices of your contract; see `landfall schema prices`",
        );
        return Err(Verdict::Found(Box::new(finding)));
    };
    session.caller().await?;
    let found = session.found().await;
    let config = &found.map_err(|why| Unready::found("there are no credentials", &why))?.config;
    let list = PriceList::new(config, url, signing_region);
    let asked = join_all(keys.iter().map(|key| price(session, &list, key, currency))).await;
    let mut priced = Priced {
        currency: currency.to_owned(),
        source: format!("the AWS Price List of {region}, on demand"),
        ..Priced::default()
    };
    for (key, asked) in keys.iter().zip(asked) {
        match asked? {
            Ok(price) => priced.prices.push(price),
            Err(why) => priced.gaps.push((key.clone(), why)),
        }
    }
    Ok(priced)
}

/// The price of a key, or why there is none.
async fn price(
    session: &Session<'_>,
    list: &PriceList,
    key: &PriceKey,
    currency: &str,
) -> Asked<Result<Price, String>> {
    let Some(query) = Query::of(key, session.region()) else {
        return Ok(Err("the price list does not have this item".to_owned()));
    };
    let mut products: Vec<Value> = Vec::new();
    let mut next: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let body = query.body(next.as_deref()).to_string();
        let answer = list.products(body).await.map_err(|error| unavailable(session, &error))?;
        for product in answer["PriceList"].as_array().into_iter().flatten() {
            // Each product is a text that holds JSON.
            products.extend(product.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok()));
        }
        next = answer["NextToken"].as_str().filter(|token| !token.is_empty()).map(str::to_owned);
        if next.is_none() {
            break;
        }
    }
    if next.is_some() {
        return Ok(Err("the price list has too many products".to_owned()));
    }
    Ok(match query.prices(&products, currency)[..] {
        [price] => Ok(Price::of(key, price)),
        [] => Err("the price list has no price".to_owned()),
        _ => Err("the price list has several prices".to_owned()),
    })
}

fn unavailable(session: &Session<'_>, error: &call::Error) -> Verdict {
    Verdict::Found(Box::new(finding(&session.fault(CALL, error))))
}

/// What is to be said of a call that failed: what to do about it, or how to do without.
fn finding(fault: &Fault) -> Finding {
    let message = format!("the AWS Price List cannot be read: {}", fault.sentence());
    let (kind, help) = match fault.sort {
        Sort::Denied => (Kind::Forbidden, format!("allow {CALL}")),
        _ => (Kind::Invalid, fault.help()),
    };
    Finding::error(&UNAVAILABLE, kind, "", message)
        .help(format!("{help}; or write the price file by hand: see `landfall schema prices`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_fits_the_failure() {
        let help = |sort: Sort| {
            let (code, message) = (Some("X".to_owned()), String::new());
            let fault = Fault { call: CALL.to_owned(), sort, code, message, request_id: None, status: None };
            finding(&fault).help.unwrap_or_default()
        };
        assert!(help(Sort::Denied).starts_with("allow pricing:GetProducts;"));
        let unreachable = help(Sort::Unreachable);
        assert!(unreachable.contains("proxy") && !unreachable.contains("GetProducts"), "{unreachable}");
        for sort in [Sort::Denied, Sort::Unreachable, Sort::Credentials] {
            assert!(help(sort).ends_with("by hand: see `landfall schema prices`"), "{sort:?}");
        }
    }
}
