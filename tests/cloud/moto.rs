//! Moto, a server that plays AWS: started for a test, filled by it, and gone with it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::front::{Asked, forward};
use crate::services::{self, Slot};

/// A running moto.
pub struct Moto {
    pub port: u16,
    /// Where it runs after this test.
    _slot: Option<Slot>,
    /// What ends with this test.
    own: Option<(Child, TempDir)>,
}

/// Keys of a user.
pub struct Keys {
    pub id: String,
    pub secret: String,
}

impl Moto {
    /// An empty moto on a free port, with the images of the oldest and the default release in every region, and regions that
    /// nobody knows.
    pub fn start() -> Self {
        match Slot::take("moto") {
            Some(slot) => Self::shared(slot),
            None => Self::own(),
        }
    }

    /// One that tests use one after the other.
    fn shared(slot: Slot) -> Self {
        let port = || std::fs::read_to_string(slot.server().join("port")).ok()?.trim().parse().ok();
        let port = port().filter(|port| reset(*port)).unwrap_or_else(|| {
            let tool = tool();
            services::installed("moto", &tool);
            let images = slot.server().with_file_name("images.json");
            std::fs::write(images, all_images().to_string()).unwrap();
            slot.start(SHARED, &tool, "port");
            port().unwrap()
        });
        Self { port, _slot: Some(slot), own: None }
    }

    fn own() -> Self {
        let tool = tool();
        services::installed("moto", &tool);
        let files = tempfile::tempdir().unwrap();
        let images = files.path().join("images.json");
        std::fs::write(&images, all_images().to_string()).unwrap();
        let mut child = Command::new(&tool)
            .args(["run", "0"])
            .env("MOTO_AMIS_PATH", &images)
            .env("MOTO_ALLOW_NONEXISTENT_REGION", "true")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut said = Vec::new();
        let port = lines.by_ref().find_map(|line| {
            let port = port_of(&line);
            said.push(line);
            port
        });
        let Some(port) = port else {
            let _ = child.wait();
            panic!("moto does not start: {}", said.join("\n"));
        };
        // It writes a line for each request, and would wait for somebody to read it.
        std::thread::spawn(move || lines.for_each(drop));
        Self { port, _slot: None, own: Some((child, files)) }
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// An action of a service with forms, as the account's owner; gives the answer's body.
    pub fn ask(&self, service: &str, region: &str, form: &[(&str, &str)]) -> String {
        let body =
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form.iter().copied()).finish();
        self.send(service, region, "POST", "/", "application/x-www-form-urlencoded", body)
    }

    /// An action of EC2.
    pub fn ec2(&self, region: &str, action: &str, more: &[(&str, &str)]) -> String {
        let form: Vec<(&str, &str)> =
            [("Action", action), ("Version", "2016-11-15")].into_iter().chain(more.iter().copied()).collect();
        self.ask("ec2", region, &form)
    }

    fn send(
        &self,
        service: &str,
        region: &str,
        method: &str,
        path: &str,
        kind: &str,
        body: String,
    ) -> String {
        let scope = format!("AKIAOWNER/20260101/{region}/{service}/aws4_request");
        let signed = format!("AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0");
        let headers =
            vec![("authorization".to_owned(), signed), ("content-type".to_owned(), kind.to_owned())];
        let asked = Asked { method: method.to_owned(), path: path.to_owned(), headers, body };
        let answer = String::from_utf8(forward(&asked, self.port).unwrap()).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 20"), "{service} {}: {answer}", asked.body);
        body.to_owned()
    }

    /// Makes a user in the partition of a region.
    pub fn user(&self, region: &str) -> Keys {
        let form = [("Action", "CreateUser"), ("UserName", "lander"), ("Version", "2010-05-08")];
        self.ask("iam", region, &form);
        self.keys(region)
    }

    /// More keys of the user that was made in the partition of a region.
    pub fn keys(&self, region: &str) -> Keys {
        let form = [("Action", "CreateAccessKey"), ("UserName", "lander"), ("Version", "2010-05-08")];
        let key = self.ask("iam", region, &form);
        Keys { id: value(&key, "AccessKeyId"), secret: value(&key, "SecretAccessKey") }
    }

    /// Makes a public hosted zone in the partition of a region, and gives its id.
    pub fn zone(&self, region: &str, domain: &str) -> String {
        let body = format!(
            "<?xml version=\"1.0\"?><CreateHostedZoneRequest xmlns=\"https://route53.amazonaws.com/doc/2013-04-01/\">\
             <Name>{domain}</Name><CallerReference>{region}{domain}</CallerReference></CreateHostedZoneRequest>"
        );
        let zone = self.send("route53", region, "POST", "/2013-04-01/hostedzone", "text/xml", body);
        value(&zone, "Id").replace("/hostedzone/", "")
    }

    /// Makes an address record in a hosted zone.
    pub fn record(&self, region: &str, zone: &str, name: &str) {
        let body = format!(
            "<?xml version=\"1.0\"?><ChangeResourceRecordSetsRequest \
             xmlns=\"https://route53.amazonaws.com/doc/2013-04-01/\"><ChangeBatch><Changes><Change>\
             <Action>CREATE</Action><ResourceRecordSet><Name>{name}</Name><Type>A</Type><TTL>60</TTL>\
             <ResourceRecords><ResourceRecord><Value>192.0.2.1</Value></ResourceRecord></ResourceRecords>\
             </ResourceRecordSet></Change></Changes></ChangeBatch></ChangeResourceRecordSetsRequest>"
        );
        let path = format!("/2013-04-01/hostedzone/{zone}/rrset/");
        self.send("route53", region, "POST", &path, "text/xml", body);
    }

    /// Makes a network with names for its machines, and gives its id.
    pub fn vpc(&self, region: &str, cidr: &str) -> String {
        let vpc = value(&self.ec2(region, "CreateVpc", &[("CidrBlock", cidr)]), "vpcId");
        let names = [("VpcId", vpc.as_str()), ("EnableDnsHostnames.Value", "true")];
        self.ec2(region, "ModifyVpcAttribute", &names);
        vpc
    }

    /// Makes a subnet, and gives its id. One that a cluster owns has a tag that says so.
    pub fn subnet(&self, vpc: &str, zone: &str, cidr: &str, owner: Option<&str>) -> String {
        let key = owner.map(|id| format!("kubernetes.io/cluster/{id}"));
        let mut form = vec![("VpcId", vpc), ("AvailabilityZone", zone), ("CidrBlock", cidr)];
        if let Some(key) = &key {
            form.push(("TagSpecification.1.ResourceType", "subnet"));
            form.push(("TagSpecification.1.Tag.1.Key", key.as_str()));
            form.push(("TagSpecification.1.Tag.1.Value", "owned"));
        }
        value(&self.ec2(region_of(zone), "CreateSubnet", &form), "subnetId")
    }

    /// Makes subnets public: with a route table of their own that leads to an internet gateway.
    pub fn publish(&self, region: &str, vpc: &str, subnets: &[&str]) {
        let gateway = value(&self.ec2(region, "CreateInternetGateway", &[]), "internetGatewayId");
        let attached = [("InternetGatewayId", gateway.as_str()), ("VpcId", vpc)];
        self.ec2(region, "AttachInternetGateway", &attached);
        let table = value(&self.ec2(region, "CreateRouteTable", &[("VpcId", vpc)]), "routeTableId");
        let route = [
            ("RouteTableId", table.as_str()),
            ("DestinationCidrBlock", "0.0.0.0/0"),
            ("GatewayId", gateway.as_str()),
        ];
        self.ec2(region, "CreateRoute", &route);
        for subnet in subnets {
            let association = [("RouteTableId", table.as_str()), ("SubnetId", *subnet)];
            self.ec2(region, "AssociateRouteTable", &association);
        }
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.own {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs a moto until standard input ends, and writes its port into a file.
const SHARED: &str = r#"
MOTO_AMIS_PATH="$1/../images.json" MOTO_ALLOW_NONEXISTENT_REGION=true "$0" run 0 </dev/null 2>"$1/log" &
moto=$!
trap 'kill -KILL $moto' EXIT
until port=$(sed -n 's|.*Running on http://127.0.0.1:\([0-9]*\).*|\1|p' "$1/log") && [ -n "$port" ]; do
    kill -0 $moto || exit 1
    sleep 0.1
done
echo "$port" >"$1/port.new"
mv "$1/port.new" "$1/port"
cat >/dev/null
"#;

fn tool() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/moto")
}

/// Empties a moto; false where it does not answer.
fn reset(port: u16) -> bool {
    let asked = Asked { method: "POST".to_owned(), path: "/moto-api/reset".to_owned(), ..Asked::default() };
    forward(&asked, port).is_ok_and(|answer| answer.starts_with(b"HTTP/1.1 200"))
}

/// The port in the line that says that moto is ready.
fn port_of(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("Running on http://127.0.0.1:")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

fn region_of(zone: &str) -> &str {
    zone.trim_end_matches(|c: char| c.is_ascii_lowercase())
}

/// The text of the first element of a name.
pub fn value(xml: &str, element: &str) -> String {
    let found = xml.split_once(&format!("<{element}>"));
    let Some((text, _)) = found.and_then(|(_, rest)| rest.split_once(&format!("</{element}>"))) else {
        panic!("no {element} in {xml}");
    };
    text.to_owned()
}

const IMAGES: &str = include_str!("../../crates/model/src/catalogue/data/images.json");

const RELEASES: &str = include_str!("../../crates/model/src/catalogue/data/releases.json");

/// The images of the default release, by architecture and region.
fn images() -> Value {
    let all: Value = serde_json::from_str(RELEASES).unwrap();
    let default = all.as_object().unwrap().iter().find(|(_, release)| release["default"] == true);
    images_of(default.unwrap().0)
}

/// The image of a release, or of the default one, for a region.
pub fn image(release: Option<&str>, region: &str) -> String {
    let of = release.map_or_else(images, images_of);
    of["amd64"]["aws"]["regions"][region].as_str().unwrap().to_owned()
}

fn images_of(release: &str) -> Value {
    serde_json::from_str::<Value>(IMAGES).unwrap()[release].clone()
}

/// The images of the oldest and the default release in the form that moto reads, and of the two newest for one region.
/// It has them in every region.
fn all_images() -> Value {
    let mut all = in_motos_form(&images_of("4.14"));
    all.extend(in_motos_form(&images()));
    for newer in ["4.21", "4.22"] {
        let images = in_motos_form(&images_of(newer)).into_iter();
        all.extend(images.filter(|image| image["name"].as_str().unwrap().ends_with("-us-east-1")));
    }
    let mut known = std::collections::BTreeSet::new();
    all.retain(|image| known.insert(image["ami_id"].to_string()));
    all.into()
}

fn in_motos_form(images: &Value) -> Vec<Value> {
    let of = |(ours, theirs): (&str, &str)| -> Vec<Value> {
        let regions = images[ours]["aws"]["regions"].as_object().unwrap();
        let image = |(region, id): (&String, &Value)| {
            json!({
                "ami_id": id,
                "name": format!("rhcos-{ours}-{region}"),
                "description": "",
                "owner_id": "531415883065",
                "public": true,
                "state": "available",
                "architecture": theirs,
                "virtualization_type": "hvm",
                "hypervisor": "xen",
                "root_device_name": "/dev/xvda",
                "root_device_type": "ebs",
                "image_location": "rhcos",
            })
        };
        regions.iter().map(image).collect()
    };
    [("amd64", "x86_64"), ("arm64", "arm64")].into_iter().flat_map(of).collect()
}
