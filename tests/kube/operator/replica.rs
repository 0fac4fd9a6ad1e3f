//! One `landfall operator run`, from its start to its end.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::cluster::Cluster;
use super::until::until;
use crate::gate::nobody;

/// How long an answer of its own server may take.
const PATIENT: Duration = Duration::from_secs(10);

/// A running operator.
pub struct Replica {
    child: Child,
    port: u16,
    log: PathBuf,
}

impl Replica {
    /// Starts the operator with these controllers, and waits until it is ready.
    pub fn start(cluster: &Cluster, controllers: &str) -> Self {
        Self::begin(cluster, &["--controllers", controllers], None)
    }

    /// The same, without a lease to hold.
    pub fn alone(cluster: &Cluster, controllers: &str) -> Self {
        Self::begin(cluster, &["--controllers", controllers, "--leader-elect=false"], None)
    }

    /// The same, with all controllers, and with authorities of which the system knows nothing.
    pub fn trusting(cluster: &Cluster, authorities: &Path) -> Self {
        Self::begin(cluster, &[], Some(authorities))
    }

    /// The same, with these flags.
    pub fn begin(cluster: &Cluster, more: &[&str], authorities: Option<&Path>) -> Self {
        let port = nobody();
        let log = cluster.kubeconfig.with_file_name(format!("operator-{port}.log"));
        let written = File::create(&log).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_landfall"))
            .args(["operator", "run", "--namespace", &cluster.namespace])
            .args(["--listen", &format!("127.0.0.1:{port}"), "--kubeconfig"])
            .arg(&cluster.kubeconfig)
            .args(more)
            .env_clear()
            .envs(authorities.map(|path| ("SSL_CERT_FILE", path)))
            .stdin(Stdio::null())
            .stdout(written.try_clone().unwrap())
            .stderr(written)
            .spawn()
            .unwrap();
        let mut replica = Self { child, port, log };
        until("it is ready", || {
            let ended = replica.child.try_wait().unwrap();
            assert!(ended.is_none(), "the operator ended with {ended:?}");
            (replica.get("/readyz")?.0 == 200).then_some(())
        });
        replica
    }

    /// Status and body of what its server answers; none while it has none.
    pub fn get(&self, path: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(PATIENT)).ok()?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }

    /// The sum of a metric over all of its labels that have these words in them.
    pub fn metric(&self, name: &str, words: &[&str]) -> u64 {
        let Some((200, body)) = self.get("/metrics") else { return 0 };
        let value = |line: &str| {
            let (series, value) = line.rsplit_once(' ')?;
            let (found, labels) = series.split_once('{').unwrap_or((series, ""));
            let is_it = found == name && words.iter().all(|word| labels.contains(word));
            is_it.then(|| value.parse::<u64>().ok())?
        };
        body.lines().filter_map(value).sum()
    }

    /// Whether it leads.
    pub fn leads(&self) -> bool {
        self.metric("landfall_leader", &[]) == 1
    }

    /// Ends it without a word.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end, as the kubelet does, and gives its exit code.
    pub fn terminate(&mut self) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        until("it ends when it is told to", || self.child.try_wait().unwrap()).code()
    }

    /// What it wrote so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("the operator's log:\n{}", self.log());
        }
    }
}
