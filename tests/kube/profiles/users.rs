//! Users of a cluster, whom the API server knows by their names alone, and what it says to them.

use std::path::Path;
use std::time::Duration;

use hyper::Request;
use kube::{Client, Error};
use landfall_kube::Access;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

/// How long one call may take: the server waits as long as ten seconds for who judges it.
const PATIENT: Duration = Duration::from_mins(1);

/// Somebody who may do everything.
pub const ADMINISTRATOR: &str = "administrator";

/// A way to call the API as anybody.
pub struct Users {
    runtime: Runtime,
    client: Client,
}

/// What was said to a call that was not done.
#[derive(Debug)]
pub struct Refused {
    pub code: u16,
    pub message: String,
}

impl Users {
    /// By the kubeconfig of somebody who may speak for others.
    pub fn new(kubeconfig: &Path) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let access = Access::read(kubeconfig, &|_: &str| None).unwrap();
        let client = runtime.block_on(async { access.client(PATIENT) }).unwrap();
        Self { runtime, client }
    }

    /// A call as this user.
    #[track_caller]
    pub fn call(&self, user: &str, method: &str, path: &str, body: &Value) -> Result<Value, Refused> {
        let kind = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let mut request = Request::builder().method(method).uri(path);
        request = request.header("content-type", kind).header("impersonate-user", user);
        if user == ADMINISTRATOR {
            request = request.header("impersonate-group", "system:masters");
        }
        let request = request.body(body.to_string().into_bytes()).unwrap();
        match self.runtime.block_on(self.client.request::<Value>(request)) {
            Ok(answer) => Ok(answer),
            Err(Error::Api(status)) => Err(Refused { code: status.code, message: status.message.clone() }),
            Err(other) => panic!("{path}: {other}"),
        }
    }
}
