//! What moto holds, asked for as the account's owner.

use serde_json::Value;

use crate::front::{Asked, forward};
use crate::moto::{Moto, value};
use crate::xml::Node;

/// A region of a running moto.
#[derive(Clone, Copy)]
pub struct Cloud<'a> {
    pub moto: &'a Moto,
    pub region: &'a str,
}

impl Cloud<'_> {
    /// What an action of EC2 answers.
    pub fn ec2(&self, action: &str, more: &[(&str, &str)]) -> Node {
        Node::of(&self.moto.ec2(self.region, action, more))
    }

    /// What an action of the load balancers answers.
    pub fn balancing(&self, action: &str, more: &[(&str, &str)]) -> Node {
        self.form("elasticloadbalancing", "2015-12-01", action, more)
    }

    /// What an action of IAM answers.
    pub fn iam(&self, action: &str, more: &[(&str, &str)]) -> Node {
        self.form("iam", "2010-05-08", action, more)
    }

    fn form(&self, service: &str, version: &str, action: &str, more: &[(&str, &str)]) -> Node {
        let form: Vec<(&str, &str)> =
            [("Action", action), ("Version", version)].into_iter().chain(more.iter().copied()).collect();
        Node::of(&self.moto.ask(service, self.region, &form))
    }

    /// What Route 53 says of a path below its version.
    pub fn names(&self, path: &str) -> Node {
        Node::of(&self.send("GET", "route53", &format!("/2013-04-01/{path}"), String::new()))
    }

    /// What lies at a path of S3.
    pub fn store(&self, path: &str) -> String {
        self.send("GET", "s3", path, String::new())
    }

    /// Puts something at a path of S3.
    pub fn put(&self, path: &str, body: &str) {
        self.send("PUT", "s3", path, body.to_owned());
    }

    /// Creates a KMS key, and gives its ARN.
    pub fn key(&self) -> String {
        let scope = format!("AKIAOWNER/20260101/{}/kms/aws4_request", self.region);
        let headers = [
            (
                "authorization",
                format!("AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"),
            ),
            ("content-type", "application/x-amz-json-1.1".to_owned()),
            ("x-amz-target", "TrentService.CreateKey".to_owned()),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let asked = Asked { method: "POST".to_owned(), path: "/".to_owned(), headers, body: "{}".to_owned() };
        let answer = String::from_utf8(forward(&asked, self.moto.port).unwrap()).unwrap();
        let made: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        made["KeyMetadata"]["Arn"].as_str().unwrap().to_owned()
    }

    /// Makes a private zone for a VPC, and gives its id.
    pub fn private_zone(&self, domain: &str, vpc: &str) -> String {
        let region = self.region;
        let body = format!(
            "<?xml version=\"1.0\"?><CreateHostedZoneRequest xmlns=\"https://route53.amazonaws.com/doc/2013-04-01/\">\
             <Name>{domain}</Name><VPC><VPCRegion>{region}</VPCRegion><VPCId>{vpc}</VPCId></VPC>\
             <CallerReference>{domain}{vpc}</CallerReference><HostedZoneConfig><PrivateZone>true</PrivateZone>\
             </HostedZoneConfig></CreateHostedZoneRequest>"
        );
        let zone = self.send("POST", "route53", "/2013-04-01/hostedzone", body);
        value(&zone, "Id").replace("/hostedzone/", "")
    }

    fn send(&self, method: &str, service: &str, path: &str, body: String) -> String {
        let scope = format!("AKIAOWNER/20260101/{}/{service}/aws4_request", self.region);
        let signed = format!("AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0");
        let headers =
            vec![("authorization".to_owned(), signed), ("content-type".to_owned(), "text/xml".to_owned())];
        let asked = Asked { method: method.to_owned(), path: path.to_owned(), headers, body };
        let answer = String::from_utf8(forward(&asked, self.moto.port).unwrap()).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 20"), "{service} {path}: {answer}");
        body.to_owned()
    }
}
