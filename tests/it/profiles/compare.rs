//! When two parts of profiles count as equal in the cases.

use std::cmp::Ordering;

use landfall_cloud_profile::instant::instant;
use landfall_cloud_profile::quantity::Quantity;
use serde_json::{Map, Value};

/// Whether the order of lists counts whose entries have a name or a version.
#[derive(Clone, Copy, PartialEq)]
pub enum Order {
    Exact,
    Free,
}

/// What differs; none when both count as equal: what is empty is as good as absent, quantities are compared
/// by value and times by instant.
pub fn difference(found: &Value, wanted: &Value, order: Order) -> Option<String> {
    let (found, wanted) = (plain(found, "", order), plain(wanted, "", order));
    let equal = found == wanted || (is_blank(&found) && is_blank(&wanted));
    (!equal).then(|| format!("found  {found}\nwanted {wanted}"))
}

/// The value in the one form that all of equal meaning have.
fn plain(value: &Value, key: &str, order: Order) -> Value {
    match value {
        Value::Object(map) => {
            let below = map.iter().map(|(key, value)| (key.clone(), plain(value, key, order)));
            Value::Object(below.filter(|(_, value)| !is_blank(value)).collect::<Map<_, _>>())
        }
        Value::Array(list) => {
            let mut list: Vec<Value> = list.iter().map(|item| plain(item, key, order)).collect();
            if order == Order::Free {
                list.sort_by(by_key);
            }
            Value::Array(list)
        }
        Value::String(text) => match key {
            "expirationDate" | "startTime" | "nextCheck" => {
                instant(text).map_or_else(|| value.clone(), |time| time.to_string().into())
            }
            "cpu" | "gpu" | "memory" | "size" | "minSize" => {
                let billionths = Quantity::from(text.as_str()).billionths();
                billionths.map_or_else(|| value.clone(), |billionths| format!("{billionths}n").into())
            }
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Entries without a key stay where they are.
fn by_key(one: &Value, other: &Value) -> Ordering {
    let key = |entry: &Value| {
        let key = entry.get("name").or_else(|| entry.get("version"))?;
        key.as_str().map(str::to_owned)
    };
    key(one).cmp(&key(other))
}

#[test]
fn what_counts_as_equal() {
    let found = serde_json::json!({
        "versions": [{"version": "2", "expirationDate": "2024-06-06T03:02:03+02:00"}, {"version": "1"}],
        "cpu": "4000m", "labels": {}, "text": "", "nested": {"list": []},
    });
    let wanted = serde_json::json!({
        "versions": [{"version": "1"}, {"version": "2", "expirationDate": "2024-06-06T01:02:03Z"}],
        "cpu": "4",
    });
    assert_eq!(difference(&found, &wanted, Order::Free), None);
    assert!(difference(&found, &wanted, Order::Exact).is_some());
    assert!(difference(&found, &serde_json::json!({"cpu": "4"}), Order::Free).is_some());
}
