//! `landfall facts --prices` on AWS: the price list is played, everything else is moto.

use serde_json::{Value, json};

use crate::front::{Asked, Front, Reply, Rule};
use crate::moto::Moto;
use crate::program::{CONFIG, Landfall, text};

/// A product of the price list, as the text that the list has it as.
fn product(usage: &str, unit: &str, price: &str) -> String {
    json!({
        "product": { "attributes": { "usagetype": usage } },
        "terms": { "OnDemand": { "x": { "priceDimensions": { "y": {
            "unit": unit, "beginRange": "0", "pricePerUnit": { "USD": price },
        } } } } },
    })
    .to_string()
}

/// The products that fit the filters of a request; no NAT gateway has a price.
fn products(asked: &Asked) -> Reply {
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    let filters = body["Filters"].as_array().unwrap();
    let value =
        |field: &str| filters.iter().find(|filter| filter["Field"] == field).map_or("", |f| text(f, "Value"));
    let found = match (text(&body, "ServiceCode"), value("productFamily")) {
        ("AmazonEC2", "Storage") => {
            let usage = format!("EBS:VolumeUsage.{}", value("volumeApiName"));
            vec![product(&usage, "GB-Mo", "0.0800000000")]
        }
        ("AmazonEC2", "") => vec![product("BoxUsage", "Hrs", "0.1920000000")],
        ("AWSELB", _) => vec![
            product("LoadBalancerUsage", "Hrs", "0.0225"),
            product("Outposts-LoadBalancerUsage", "Hrs", "0.0300"),
        ],
        ("AmazonVPC", _) => vec![product("PublicIPv4:InUseAddress", "Hrs", "0.005")],
        ("AmazonRoute53", _) => vec![product("HostedZone", "HostedZone", "0.50")],
        _ => Vec::new(),
    };
    let page = json!({ "FormatVersion": "aws_v1", "PriceList": found });
    Reply::new(200, "application/x-amz-json-1.1", page.to_string())
}

fn landfall(moto: &Moto, rule: Rule) -> (Landfall, Front) {
    let keys = moto.user("us-east-1");
    moto.zone("us-east-1", "example.com");
    let front = Front::start(Some(moto.port), None, vec![rule]);
    let landfall = Landfall::new(CONFIG).keys(&keys).with("AWS_ENDPOINT_URL", front.url());
    (landfall, front)
}

#[test]
#[ignore = "needs moto"]
fn gathers_a_price_file_that_counts_the_plan() {
    let moto = Moto::start();
    let (landfall, front) = landfall(&moto, Rule::always("pricing", "GetProducts", products));
    let ran = landfall.ask(&["facts", "--prices"]).ends(0);
    assert!(ran.err.contains("LF1239") && ran.err.contains("no price of nat-gateway"), "{ran}");
    let prices = ran.json();
    assert_eq!(
        (text(&prices, "platform"), text(&prices, "region"), text(&prices, "currency")),
        ("aws", "us-east-1", "USD")
    );
    let price =
        |item: &str| prices["prices"].as_array().unwrap().iter().find(|price| price["item"] == item).cloned();
    assert_eq!(price("machine").unwrap()["price"], "0.192");
    assert_eq!(price("load-balancer").unwrap()["price"], "0.0225");
    assert_eq!(price("nat-gateway"), None);
    let calls: Vec<Asked> = front.asked().into_iter().filter(|asked| asked.service() == "pricing").collect();
    assert!(!calls.is_empty() && calls.iter().all(|asked| asked.region() == "us-east-1"), "{calls:?}");

    let file = landfall.directory().join("prices.json");
    std::fs::write(&file, &ran.out).unwrap();
    let plan = ["create", "cluster", "--plan", "--offline", "--prices", file.to_str().unwrap(), "-o", "json"];
    let cost = landfall.run(&plan).ends(0).json()["cost"].clone();
    assert_eq!((&cost["total"], &cost["missing"]), (&Value::Null, &json!(["nat-gateway"])), "{cost}");
}

#[test]
#[ignore = "needs moto"]
fn says_what_to_allow_where_the_price_list_refuses() {
    let moto = Moto::start();
    let refuse = |_: &Asked| {
        let body = json!({ "__type": "AccessDeniedException", "Message": "not authorized to perform: pricing:GetProducts" });
        Reply::new(400, "application/x-amz-json-1.1", body.to_string())
    };
    let (landfall, _front) = landfall(&moto, Rule::always("pricing", "GetProducts", refuse));
    let ran = landfall.ask(&["facts", "--prices"]).ends(4);
    assert!(ran.out.is_empty(), "{ran}");
    for part in ["LF1248", "allow pricing:GetProducts", "by hand"] {
        assert!(ran.err.contains(part), "{part}: {ran}");
    }
}
