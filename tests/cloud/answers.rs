//! Answers of AWS that moto does not give, or gives otherwise than a test wants them.

use serde_json::json;

use crate::front::{Asked, Reply, refusal};

/// `sts:GetCallerIdentity`.
pub fn caller(arn: &str) -> Reply {
    let account = arn.split(':').nth(4).unwrap_or_default();
    Reply::xml(format!(
        "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\
         <GetCallerIdentityResult><UserId>AIDAEXAMPLEEXAMPLE000</UserId><Account>{account}</Account>\
         <Arn>{arn}</Arn></GetCallerIdentityResult>\
         <ResponseMetadata><RequestId>request</RequestId></ResponseMetadata></GetCallerIdentityResponse>"
    ))
}

/// `sts:AssumeRole` and `sts:AssumeRoleWithWebIdentity`.
pub fn assumed(asked: &Asked, key: &str, secret: &str, token: &str) -> Reply {
    let action = asked.action();
    Reply::xml(format!(
        "<{action}Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><{action}Result>\
         <Credentials><AccessKeyId>{key}</AccessKeyId><SecretAccessKey>{secret}</SecretAccessKey>\
         <SessionToken>{token}</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>\
         <AssumedRoleUser><AssumedRoleId>AROAEXAMPLEEXAMPLE000:s</AssumedRoleId>\
         <Arn>arn:aws:sts::123456789012:assumed-role/lander/s</Arn></AssumedRoleUser></{action}Result>\
         <ResponseMetadata><RequestId>request</RequestId></ResponseMetadata></{action}Response>"
    ))
}

/// What the metadata services of machines and containers hand out.
pub fn handed_out(key: &str, secret: &str, token: &str) -> Reply {
    let body = json!({
        "Code": "Success",
        "Type": "AWS-HMAC",
        "LastUpdated": "2026-01-01T00:00:00Z",
        "AccessKeyId": key,
        "SecretAccessKey": secret,
        "Token": token,
        "Expiration": "2099-01-01T00:00:00Z",
    });
    Reply::new(200, "application/json", body.to_string())
}

fn ec2(action: &str, set: &str, items: &[String]) -> Reply {
    Reply::xml(format!(
        "<{action}Response xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><{set}>{}</{set}>\
         <requestId>request</requestId></{action}Response>",
        items.concat()
    ))
}

/// `ec2:DescribeAvailabilityZones`: ordinary zones of a region.
pub fn zones(region: &str, letters: &str) -> Reply {
    let zone = |letter: char| {
        format!(
            "<item><zoneName>{region}{letter}</zoneName><zoneState>available</zoneState>\
             <regionName>{region}</regionName><groupName>{region}</groupName>\
             <zoneType>availability-zone</zoneType><optInStatus>opt-in-not-required</optInStatus>\
             <messageSet/></item>"
        )
    };
    let items: Vec<String> = letters.chars().map(zone).collect();
    ec2("DescribeAvailabilityZones", "availabilityZoneInfo", &items)
}

/// `ec2:DescribeInstanceTypeOfferings`: one type, in these zones of a region.
pub fn offerings(instance_type: &str, region: &str, letters: &str) -> Reply {
    let offer = |letter: char| {
        format!(
            "<item><instanceType>{instance_type}</instanceType><location>{region}{letter}</location>\
             <locationType>availability-zone</locationType></item>"
        )
    };
    let items: Vec<String> = letters.chars().map(offer).collect();
    ec2("DescribeInstanceTypeOfferings", "instanceTypeOfferingSet", &items)
}

/// `ec2:DescribeRegions`: one region, and what the account may do with it.
pub fn region(name: &str, opt_in: &str) -> Reply {
    let item = format!(
        "<item><regionName>{name}</regionName><regionEndpoint>ec2.{name}.amazonaws.com</regionEndpoint>\
         <optInStatus>{opt_in}</optInStatus></item>"
    );
    ec2("DescribeRegions", "regionInfo", &[item])
}

/// `ec2:DescribeTags` of a region in which nothing has one.
pub fn nothing_tagged() -> Reply {
    ec2("DescribeTags", "tagSet", &[])
}

/// `ec2:DescribeRegions` of an account that lists none.
pub fn no_regions() -> Reply {
    ec2("DescribeRegions", "regionInfo", &[])
}

/// `iam:SimulatePrincipalPolicy`: everything is allowed but these actions.
pub fn simulated(asked: &Asked, denied: &[&str]) -> Reply {
    let pairs = url::form_urlencoded::parse(asked.body.as_bytes());
    let actions = pairs.filter(|(name, _)| name.starts_with("ActionNames.member."));
    let member = |action: &str| {
        let decision = if denied.contains(&action) { "implicitDeny" } else { "allowed" };
        format!(
            "<member><EvalActionName>{action}</EvalActionName><EvalResourceName>*</EvalResourceName>\
             <EvalDecision>{decision}</EvalDecision></member>"
        )
    };
    let members: Vec<String> = actions.map(|(_, action)| member(&action)).collect();
    Reply::xml(format!(
        "<SimulatePrincipalPolicyResponse xmlns=\"https://iam.amazonaws.com/doc/2010-05-08/\">\
         <SimulatePrincipalPolicyResult><EvaluationResults>{}</EvaluationResults>\
         <IsTruncated>false</IsTruncated></SimulatePrincipalPolicyResult>\
         <ResponseMetadata><RequestId>request</RequestId></ResponseMetadata></SimulatePrincipalPolicyResponse>",
        members.concat()
    ))
}

/// `servicequotas:ListServiceQuotas` for an account with these limits, each with service and code.
pub fn quotas(asked: &Asked, limits: &[(&str, &str, f64)]) -> Reply {
    let quotas = limits.iter().filter(|(service, _, _)| asked.body.contains(&format!("\"{service}\"")));
    let quotas: Vec<serde_json::Value> = quotas
        .map(|(service, code, value)| json!({ "ServiceCode": service, "QuotaCode": code, "Value": value }))
        .collect();
    Reply::new(200, "application/x-amz-json-1.1", json!({ "Quotas": quotas }).to_string())
}

/// What a service says that is asked for too much at a time.
pub fn throttled(asked: &Asked) -> Reply {
    let (status, code) = match asked.service() {
        "ec2" => (503, "RequestLimitExceeded"),
        "s3" => (503, "SlowDown"),
        "servicequotas" => (429, "TooManyRequestsException"),
        "tagging" => (400, "ThrottledException"),
        _ => (400, "Throttling"),
    };
    refusal(asked, status, code, "Rate exceeded")
}

/// What stands in front of a service says where the service is gone.
pub fn unavailable() -> Reply {
    Reply::new(503, "text/html", "<html><body><h1>503 Service Unavailable</h1></body></html>")
}

/// A page for people.
pub fn page() -> Reply {
    Reply::new(200, "text/html", "<!doctype html><html><body>It works!</body></html>")
}

/// What S3 says to whoever asks for the buckets.
pub fn buckets() -> Reply {
    let body = "<ListAllMyBucketsResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Owner><ID>1</ID>\
                </Owner><Buckets/></ListAllMyBucketsResult>";
    Reply::new(200, "application/xml", body).header("x-amz-request-id", "0A1B2C3D4E5F6071")
}
