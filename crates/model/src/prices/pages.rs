//! The findings of price files.

use landfall_diagnostics::{Code, Finding, Kind, shortened};

use super::{Item, Price};

const UNREADABLE: Code = Code::new("LF1235");
const ITEM: Code = Code::new("LF1236");
const TWICE: Code = Code::new("LF1237");
const OTHER_PLACE: Code = Code::new("LF1238");

/// The cloud has no price of something, or several.
pub const NOT_FOUND: Code = Code::new("LF1239");
/// The cloud's prices cannot be read.
pub const UNAVAILABLE: Code = Code::new("LF1248");

pub(super) fn other_version(version: i32) -> Finding {
    let message = match version {
        0 => "the file has no version".to_owned(),
        version => format!("version {version} is not supported; this landfall reads version 1"),
    };
    Finding::error(&UNREADABLE, Kind::Invalid, "version", message).help("use a price file of version 1")
}

pub(super) fn missing(field: &'static str) -> Finding {
    let message = format!("{field} is missing");
    Finding::error(&UNREADABLE, Kind::Required, field, message)
        .help("name the platform, the region and the currency of the prices")
}

pub(super) fn no_amount(field: &str, price: &str) -> Finding {
    let message = format!("`{}` is not a price", shortened(price));
    Finding::error(&UNREADABLE, Kind::Invalid, format!("{field}.price"), message)
        .help("write a decimal number with up to ten decimal places, in quotes, such as \"0.192\"")
}

pub(super) fn unknown_item(field: &str, item: &str) -> Finding {
    let known = Item::ALL.map(Item::name).join(", ");
    let message = format!("unknown item `{}`", shortened(item));
    Finding::error(&ITEM, Kind::NotSupported, format!("{field}.item"), message)
        .help(format!("known are {known}"))
}

pub(super) fn other_unit(field: &str, item: Item, unit: &str) -> Finding {
    let message = format!("the unit of {} is {}, not `{}`", item.name(), item.unit(), shortened(unit));
    Finding::error(&ITEM, Kind::Invalid, format!("{field}.unit"), message).help(format!(
        "convert the price to one {} and set unit: {}",
        item.unit(),
        item.unit()
    ))
}

pub(super) fn twice(field: &str, price: &Price) -> Finding {
    let what: Vec<&str> =
        [&price.item, &price.r#type, &price.zone].iter().map(|part| part.as_str()).collect();
    let message = format!("there is another price of `{}`", shortened(what.join(" ").trim_end()));
    Finding::error(&TWICE, Kind::Duplicate, field, message).help("keep one price")
}

/// Prices of another platform or region than the plan's.
pub(super) fn other_place(field: &str, file: &str, plan: &str) -> Finding {
    let message =
        format!("the prices are of {field} `{}`, the plan is of `{}`", shortened(file), shortened(plan));
    Finding::error(&OTHER_PLACE, Kind::Invalid, field, message)
        .help("use a price file of the plan's platform and region; `landfall facts --prices` prints one")
}
