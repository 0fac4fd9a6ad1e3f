//! The mirror of custom endpoints.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use landfall_controllers::endpoint_mirror::{EndpointMirror, NetProbe, Probe};
use landfall_controllers::{Controller, Next};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use super::played::{Played, condition, infrastructure, key, proxy};

/// A network in which some endpoints cannot be reached.
#[derive(Default)]
struct Network {
    down: Mutex<BTreeSet<String>>,
    asked: Mutex<Vec<String>>,
}

impl Network {
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

impl Probe for Network {
    fn look<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<(), String>> {
        self.asked.lock().unwrap().push(url.to_owned());
        let down = self.down.lock().unwrap().contains(url);
        async move { if down { Err("nobody listens".to_owned()) } else { Ok(()) } }.boxed()
    }
}

struct Site {
    played: Arc<Played>,
    network: Arc<Network>,
    mirror: EndpointMirror,
}

/// A process of the controller.
fn mirror(played: &Arc<Played>, network: &Arc<Network>) -> EndpointMirror {
    EndpointMirror::new(played.clone(), played.clone(), network.clone(), "landfall".to_owned())
}

fn endpoint(name: &str, url: &str) -> Value {
    json!({ "name": name, "url": url })
}

impl Site {
    fn new(platform: &str, mirrored: &[Value]) -> Self {
        let played = Played::new();
        let network: Arc<Network> = Arc::default();
        let mirror = mirror(&played, &network);
        let aws = json!({ "region": "r", "serviceEndpoints": mirrored });
        let object = json!({
            "spec": {},
            "status": { "infrastructureName": "demo", "platformStatus": { "type": platform, "aws": aws } },
        });
        played.put(infrastructure(), object);
        Self { played, network, mirror }
    }

    /// Wishes for these endpoints.
    fn wish(&self, endpoints: &[Value]) {
        let mut object = self.played.object(&infrastructure()).unwrap();
        object["spec"]["platformSpec"] = json!({ "type": "AWS", "aws": { "serviceEndpoints": endpoints } });
        self.played.put(infrastructure(), object);
    }

    fn status(&self) -> Value {
        self.played.object(&infrastructure()).unwrap()["status"].clone()
    }

    fn mirrored(&self) -> Value {
        self.status()["platformStatus"]["aws"]["serviceEndpoints"].clone()
    }

    fn degraded(&self) -> (String, String, String) {
        condition(&self.played, "landfall", "EndpointMirrorDegraded").unwrap()
    }
}

#[tokio::test]
async fn endpoints_are_mirrored_in_the_order_of_their_names() {
    let site = Site::new("AWS", &[]);
    let (s3, ec2) = (endpoint("s3", "https://s3.example"), endpoint("ec2", "https://ec2.example:8443"));
    site.wish(&[s3.clone(), ec2.clone()]);
    assert_eq!(site.mirror.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(site.mirrored(), json!([ec2, s3]));
    assert_eq!(site.status()["platformStatus"]["aws"]["region"], "r");
    assert_eq!(site.status()["infrastructureName"], "demo");
    assert_eq!(site.played.told(), ["ServiceEndpointsMirrored"]);
    assert_eq!(site.degraded().0, "False");
    // The same again changes nothing and asks nobody.
    site.played.writes();
    site.network.asked();
    assert_eq!(site.mirror.reconcile(&key()).await, Ok(Next::Settled));
    assert!(site.played.writes().is_empty() && site.network.asked().is_empty());
    // What is in use is not asked again when another comes.
    let iam = endpoint("iam", "https://iam.example");
    site.wish(&[s3.clone(), iam.clone(), ec2.clone()]);
    assert_eq!(site.mirror.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(site.mirrored(), json!([ec2, iam, s3]));
    assert_eq!(site.network.asked(), ["https://iam.example"]);
    site.wish(&[]);
    assert_eq!(site.mirror.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(site.mirrored(), json!([]));
}

#[tokio::test]
async fn an_invalid_list_changes_nothing_and_says_all_that_is_wrong() {
    let before = endpoint("ec2", "https://ec2.example");
    let site = Site::new("AWS", std::slice::from_ref(&before));
    let user = endpoint("iam", "https://user:canary@iam.example");
    site.wish(&[endpoint("s3", "http://s3.example"), endpoint("s3", "https://s3.example/path"), user]);
    for told in [&["ServiceEndpointsInvalid"] as &[&str], &[]] {
        let failed = site.mirror.reconcile(&key()).await.unwrap_err();
        assert_eq!((failed.reason, failed.retry), ("endpoints-invalid", false));
        assert_eq!(site.played.told(), told);
    }
    assert_eq!(site.mirrored(), json!([before]));
    assert!(site.network.asked().is_empty());
    let (status, reason, message) = site.degraded();
    assert_eq!((status.as_str(), reason.as_str()), ("True", "ServiceEndpointsInvalid"));
    for part in ["[0].url", "[1].name", "[1].url", "[2].url"] {
        assert!(message.contains(part), "{message}");
    }
    assert!(!message.contains("canary"));
    site.wish(&[before]);
    assert_eq!(site.mirror.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(site.degraded().0, "False");
}

#[tokio::test]
async fn an_endpoint_that_cannot_be_reached_is_tried_again() {
    let site = Site::new("AWS", &[]);
    let (s3, ec2) = (endpoint("s3", "https://s3.example"), endpoint("ec2", "https://ec2.example"));
    site.network.down.lock().unwrap().insert("https://s3.example".to_owned());
    site.wish(&[s3.clone(), ec2.clone()]);
    let failed = site.mirror.reconcile(&key()).await.unwrap_err();
    assert_eq!((failed.reason, failed.retry), ("endpoints-unreachable", true));
    assert_eq!(site.mirrored(), json!([]));
    let (status, reason, message) = site.degraded();
    assert_eq!((status.as_str(), reason.as_str()), ("True", "ServiceEndpointsUnreachable"));
    assert!(message.contains("s3.example") && !message.contains("ec2.example"), "{message}");
    site.network.down.lock().unwrap().clear();
    assert_eq!(site.mirror.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(site.mirrored(), json!([ec2, s3]));
    assert_eq!(site.played.told(), ["ServiceEndpointsUnreachable", "ServiceEndpointsMirrored"]);
}

#[tokio::test]
async fn a_list_that_nothing_verified_is_replaced_by_the_last_that_was() {
    let ec2 = endpoint("ec2", "https://ec2.example");
    let site = Site::new("AWS", std::slice::from_ref(&ec2));
    let (iam, s3) = (endpoint("iam", "https://iam.example"), endpoint("s3", "https://s3.example"));
    site.network.down.lock().unwrap().insert("https://s3.example".to_owned());
    site.wish(&[ec2.clone(), s3.clone()]);
    assert!(site.mirror.reconcile(&key()).await.is_err());
    assert_eq!(site.mirrored(), json!([ec2]));
    assert_eq!(site.played.told(), ["ServiceEndpointsUnreachable"]);
    // Somebody writes an endpoint into the status, where nothing looks at it.
    let mut object = site.played.object(&infrastructure()).unwrap();
    object["status"]["platformStatus"]["aws"]["serviceEndpoints"] = json!([ec2, iam]);
    site.played.put(infrastructure(), object);
    assert!(site.mirror.reconcile(&key()).await.is_err());
    assert_eq!(site.mirrored(), json!([ec2]));
    assert_eq!(site.played.told(), ["ServiceEndpointsRestored"]);
    // It goes in by the specification alone, and is looked at like any other.
    site.network.asked();
    site.wish(&[ec2.clone(), iam.clone()]);
    assert_eq!(site.mirror.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(site.network.asked(), ["https://iam.example"]);
    assert_eq!(site.mirrored(), json!([ec2, iam]));
}

#[tokio::test]
async fn another_process_knows_what_was_verified() {
    let ec2 = endpoint("ec2", "https://ec2.example");
    let (iam, s3) = (endpoint("iam", "https://iam.example"), endpoint("s3", "https://s3.example"));
    let site = Site::new("AWS", &[]);
    site.wish(std::slice::from_ref(&ec2));
    assert_eq!(site.mirror.reconcile(&key()).await, Ok(Next::Settled));
    // While no process runs, somebody writes an endpoint into the status, and the specification cannot be verified.
    let mut object = site.played.object(&infrastructure()).unwrap();
    object["status"]["platformStatus"]["aws"]["serviceEndpoints"] = json!([ec2, iam]);
    site.played.put(infrastructure(), object);
    site.network.down.lock().unwrap().insert("https://s3.example".to_owned());
    site.wish(&[ec2.clone(), iam.clone(), s3]);
    site.network.asked();
    let next = mirror(&site.played, &site.network);
    assert!(next.reconcile(&key()).await.is_err());
    assert_eq!(site.mirrored(), json!([ec2]));
    assert_eq!(site.network.asked(), ["https://iam.example", "https://s3.example"]);
    // Where spec and status agree, another operator may have done this meanwhile: the list of long ago does not come
    // back, but what is new is not in it, and is looked at.
    site.wish(&[ec2.clone(), iam.clone()]);
    let mut object = site.played.object(&infrastructure()).unwrap();
    object["status"]["platformStatus"]["aws"]["serviceEndpoints"] = json!([ec2, iam]);
    site.played.put(infrastructure(), object);
    site.network.down.lock().unwrap().insert("https://iam.example".to_owned());
    let later = mirror(&site.played, &site.network);
    for _ in 0..2 {
        let failed = later.reconcile(&key()).await.unwrap_err();
        assert_eq!((failed.reason, failed.retry), ("endpoints-unreachable", true));
        assert_eq!(site.mirrored(), json!([ec2, iam]));
        assert_eq!(site.network.asked(), ["https://iam.example"]);
    }
    assert_eq!(site.degraded().0, "True");
    // A third finds nothing to do.
    site.wish(std::slice::from_ref(&ec2));
    let third = mirror(&site.played, &site.network);
    assert_eq!(third.reconcile(&key()).await, Ok(Next::Settled));
    site.played.writes();
    assert_eq!(third.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(site.played.writes(), Vec::<String>::new());
    assert!(site.network.asked().is_empty());
}

/// The look over the network of a process with these variables.
fn probe(played: &Arc<Played>, variables: &[(&str, String)]) -> NetProbe {
    let known: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    NetProbe {
        objects: played.clone(),
        variable: Arc::new(move |name| known.get(name).cloned()),
        file: Arc::new(|_| None),
        limit: Duration::from_secs(5),
    }
}

/// A proxy that lets nobody through, and the lines with which it is asked.
async fn refusing() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://user:canary@{}", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let record = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let mut stream = BufReader::new(socket);
            let mut line = String::new();
            let _ = stream.read_line(&mut line).await;
            record.lock().unwrap().push(line.trim().to_owned());
            let _ = stream.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n").await;
        }
    });
    (url, asked)
}

#[tokio::test]
async fn endpoints_are_looked_at_through_the_proxy_of_the_cluster() {
    const ENDPOINT: &str = "https://ec2.hidden.invalid";
    let played = Played::new();
    let (url, asked) = refusing().await;
    let lines = || std::mem::take(&mut *asked.lock().unwrap());
    // Without a Proxy object, and with one that names none, it is looked at directly.
    for object in [None, Some(json!({ "spec": {}, "status": {} }))] {
        if let Some(object) = object {
            played.put(proxy(), object);
        }
        assert!(probe(&played, &[]).look(ENDPOINT).await.is_err());
        assert_eq!(lines(), Vec::<String>::new());
    }
    let with = |no: &str| json!({ "status": { "httpsProxy": url, "noProxy": no } });
    played.put(proxy(), with(".svc,10.0.0.0/16"));
    let why = probe(&played, &[]).look(ENDPOINT).await.unwrap_err();
    assert_eq!(lines(), ["CONNECT ec2.hidden.invalid:443 HTTP/1.1"], "{why}");
    assert!(why.contains("403") && !why.contains("canary"), "{why}");
    played.put(proxy(), with(".hidden.invalid"));
    assert!(probe(&played, &[]).look(ENDPOINT).await.is_err());
    assert_eq!(lines(), Vec::<String>::new());

    // The environment's own goes before it, and is enough where the object cannot be read.
    played.fail_get("Proxy");
    let unread = probe(&played, &[]).look(ENDPOINT).await.unwrap_err();
    assert!(unread.contains("the cluster's proxy cannot be read"), "{unread}");
    assert!(probe(&played, &[("https_proxy", url.clone())]).look(ENDPOINT).await.is_err());
    assert_eq!(lines().len(), 1);
}

#[tokio::test]
async fn other_platforms_are_left_alone() {
    let site = Site::new("GCP", &[]);
    site.wish(&[endpoint("S3", "http://s3.example")]);
    let before = site.status();
    assert_eq!(site.mirror.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(site.status(), before);
    assert!(site.network.asked().is_empty());
    assert_eq!(site.degraded().0, "False");
}
