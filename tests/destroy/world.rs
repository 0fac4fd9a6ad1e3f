//! An account with a cluster in it, and much beside it that must stay.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use serde_json::{Map, Value, json};

use crate::listing::{self, Listing};
use crate::moto::{Keys, Moto};
use crate::services;

/// The cluster's infrastructure id.
pub const ID: &str = "demo-bcd24";
/// The cluster's UUID.
const UUID: &str = "6f0e5a1c-3b52-4c1d-9d70-0a4f5c6b7d8e";
/// The account of everything in moto.
pub const ACCOUNT: &str = "123456789012";
/// The role of another account that may change a zone there.
const ZONE_ROLE: &str = "arn:aws:iam::210987654321:role/zone";

/// An account, with a cluster in it.
pub struct World {
    pub moto: Moto,
    pub region: &'static str,
    pub keys: Keys,
    /// What was there before the cluster was made.
    pub before: Listing,
    /// What is there with the cluster.
    pub with: Listing,
    domain: String,
    maker: Mutex<Maker>,
    words: Vec<&'static str>,
}

impl World {
    /// An account of a region with a cluster of at least so many things, in a network of its own.
    pub fn new(region: &'static str, things: usize) -> Self {
        Self::make(region, things, &[])
    }

    /// The same in a network, with a zone and a role that are the user's.
    pub fn brought(region: &'static str, things: usize) -> Self {
        Self::make(region, things, &["brought"])
    }

    /// The same, with the zone in another account.
    pub fn apart(region: &'static str, things: usize) -> Self {
        Self::make(region, things, &["apart"])
    }

    /// A cluster in a network of its own that also uses a subnet which another cluster owns.
    pub fn lodged(region: &'static str, things: usize) -> Self {
        Self::make(region, things, &["lodged"])
    }

    /// A cluster of which a public record leads to a newer cluster by now.
    pub fn outlived(region: &'static str, things: usize) -> Self {
        Self::make(region, things, &["newer"])
    }

    /// A cluster of which nothing has a tag that is tagged only after it was made.
    pub fn untagged(region: &'static str, things: usize) -> Self {
        Self::make(region, things, &["untagged"])
    }

    /// A cluster whose NAT gateways have addresses without a tag.
    pub fn lent(region: &'static str, things: usize) -> Self {
        Self::make(region, things, &["lent"])
    }

    /// A cluster whose tag is on the user's public zone as well.
    pub fn marked(region: &'static str, things: usize) -> Self {
        Self::make(region, things, &["marked"])
    }

    /// A cluster in a network of the user's in which there is a private zone of the cluster's domain without a tag.
    pub fn strayed(region: &'static str, things: usize) -> Self {
        Self::make(region, things, &["brought", "strayed"])
    }

    fn make(region: &'static str, things: usize, words: &[&'static str]) -> Self {
        let moto = Moto::start();
        let keys = moto.user(region);
        let mut maker = Maker::start(&moto, region, words);
        let mut made = maker.asked(&json!(["make", ID, things]));
        let domain = made["domain"].as_str().unwrap().to_owned();
        let mut listing = |name: &str| -> Listing { serde_json::from_value(made[name].take()).unwrap() };
        let (before, with) = (listing("before"), listing("with"));
        Self { moto, region, keys, before, with, domain, maker: Mutex::new(maker), words: words.to_vec() }
    }

    /// Everything that there is now.
    pub fn now(&self) -> Listing {
        serde_json::from_value(self.maker.lock().unwrap().asked(&json!(["list"]))).unwrap()
    }

    /// What landfall writes into `metadata.json`, with services at endpoints of their own.
    pub fn metadata(&self, account: &str, endpoints: &[(&str, String)]) -> String {
        let mut metadata = self.of_installer(endpoints);
        metadata["landfall"] = json!({ "account": account });
        metadata.to_string()
    }

    /// What landfall writes into `metadata.json`, with another region.
    pub fn metadata_of(&self, region: &str) -> String {
        let mut metadata = self.of_installer(&[]);
        metadata["landfall"] = json!({ "account": ACCOUNT });
        metadata["aws"]["region"] = region.into();
        metadata.to_string()
    }

    /// What landfall writes into `metadata.json`, with another domain.
    pub fn metadata_within(&self, domain: &str) -> String {
        let mut metadata = self.of_installer(&[]);
        metadata["landfall"] = json!({ "account": ACCOUNT });
        metadata["aws"]["clusterDomain"] = domain.into();
        metadata.to_string()
    }

    /// What the OpenShift installer writes, which knows of no account.
    pub fn installers_metadata(&self) -> String {
        self.of_installer(&[]).to_string()
    }

    fn of_installer(&self, endpoints: &[(&str, String)]) -> Value {
        let tag = |key: String, value: &str| Value::Object(Map::from_iter([(key, value.into())]));
        let mut aws = json!({
            "region": self.region,
            "identifier": [
                tag(format!("kubernetes.io/cluster/{ID}"), "owned"),
                tag("openshiftClusterID".to_owned(), UUID),
                tag(format!("sigs.k8s.io/cluster-api-provider-aws/cluster/{ID}"), "owned"),
            ],
            "clusterDomain": self.domain,
        });
        if self.words.contains(&"apart") {
            aws["hostedZoneRole"] = ZONE_ROLE.into();
        }
        if !endpoints.is_empty() {
            let given = endpoints.iter().map(|(name, url)| json!({ "name": name, "url": url }));
            aws["serviceEndpoints"] = given.collect();
        }
        json!({ "clusterName": "demo", "clusterID": UUID, "infraID": ID, "featureSet": "", "aws": aws })
    }

    /// Fails unless everything is as it was before the cluster was made.
    #[track_caller]
    pub fn is_as_before(&self, what: &str) {
        listing::equal(&self.before, &self.now(), what);
    }

    /// Fails unless everything is as it was when the cluster had been made.
    #[track_caller]
    pub fn is_untouched(&self, what: &str) {
        listing::equal(&self.with, &self.now(), what);
    }

    /// The ids of a kind that came with the cluster.
    pub fn own(&self, kind: &str) -> Vec<&str> {
        let new = listing::new(&self.before, &self.with).into_iter();
        new.filter_map(|key| key.rsplit_once(' '))
            .filter(|(known, _)| *known == kind)
            .map(|(_, id)| id)
            .collect()
    }
}

/// The Python that moto is installed in, with the SDK.
fn python() -> PathBuf {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/moto");
    PathBuf::from(services::installed("moto", &tool)).with_file_name("python")
}

/// The program that fills moto and lists what it holds. It ends with this test.
struct Maker {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Maker {
    fn start(moto: &Moto, region: &str, words: &[&str]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/destroy/cluster.py");
        let url = moto.url();
        let mut child = Command::new(python())
            .arg("-B")
            .arg(script)
            .args([url.as_str(), region])
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, answers }
    }

    fn asked(&mut self, what: &Value) -> Value {
        writeln!(self.child.stdin.as_mut().unwrap(), "{what}").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "cluster.py ended at {what}: its standard error says why");
        serde_json::from_str(&line).unwrap()
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
