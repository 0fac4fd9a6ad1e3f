//! A server that plays an Azure cloud: its authority, its resource manager, and the metadata of a Stack Hub.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;

use super::answer::Answer;
use super::call::Call;
use super::directory::Directory;
use super::manager::Manager;
use super::scene::CLIENT;
use super::tree::Tree;
use crate::authority::{Authority, LOOPBACK};
use crate::front::{Asked, Sent, Way, read};

/// The name of the authority that vouches for the cloud's servers.
pub const ISSUER: &str = "Moon Authority";

type Make = Box<dyn Fn(&Asked) -> Answer + Send + Sync>;

type Hook = Box<dyn Fn(&Call, &Manager) + Send + Sync>;

/// Answers that come in place of the cloud's own, always or so many times.
pub struct Trouble {
    /// The one method that it is for; empty for all.
    method: &'static str,
    /// A part of the path, in lower case.
    path: &'static str,
    left: Mutex<usize>,
    make: Make,
}

impl Trouble {
    /// For every request to such a path.
    pub fn always(path: &'static str, make: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        Self::first(usize::MAX, path, make)
    }

    /// For the first requests to such a path.
    pub fn first(
        times: usize,
        path: &'static str,
        make: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self { method: "", path, left: Mutex::new(times), make: Box::new(make) }
    }

    /// For the first requests that would create something at such a path.
    pub fn first_put(
        times: usize,
        path: &'static str,
        make: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self { method: "PUT", ..Self::first(times, path, make) }
    }

    fn takes(&self, call: &Call) -> bool {
        if !call.path.contains(self.path) || !(self.method.is_empty() || self.method == call.method) {
            return false;
        }
        let mut left = self.left.lock().unwrap();
        let takes = *left > 0;
        *left = left.saturating_sub(1);
        takes
    }
}

/// A cloud before anybody has asked it.
pub struct Scene {
    pub tree: Tree,
    pub directory: Directory,
    pub troubles: Vec<Trouble>,
    /// Whether it is a Stack Hub, which has older interfaces and reports its endpoints.
    pub hub: bool,
    /// Path of the authority that a hub names.
    pub login: &'static str,
    /// How long every answer takes.
    pub delay: Duration,
    /// The names of its servers.
    pub names: Vec<String>,
    /// What follows the name of a storage account in the address of its blobs.
    pub blob_suffix: &'static str,
}

impl Scene {
    /// With answers in place of the cloud's own.
    pub fn with(mut self, trouble: Trouble) -> Self {
        self.troubles.push(trouble);
        self
    }
}

/// A request with what came of it.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub asked: Asked,
    pub call: Call,
    pub status: u16,
    /// The id by which the cloud's support finds it.
    pub correlation: String,
}

#[derive(Default)]
struct Log {
    all: Vec<Recorded>,
    begun: usize,
    open: usize,
    most: usize,
}

/// What the threads of a cloud share.
struct Served {
    tls: Arc<ServerConfig>,
    directory: Directory,
    manager: Manager,
    troubles: Vec<Trouble>,
    hub: bool,
    login: &'static str,
    delay: Duration,
    log: Mutex<Log>,
    after: OnceLock<Hook>,
    way: RwLock<Option<Way>>,
}

/// A running cloud. It ends with the test's process.
pub struct Azure {
    pub port: u16,
    /// The certificate of the authority that vouches for it.
    pub pem: String,
    served: Arc<Served>,
}

impl Azure {
    /// Listens on the loopback interface.
    pub fn start(scene: Scene) -> Self {
        let authority = Authority::new(ISSUER);
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let Scene { tree, directory, troubles, hub, login, delay, names, blob_suffix } = scene;
        let names: Vec<&str> = LOOPBACK.iter().copied().chain(names.iter().map(String::as_str)).collect();
        let mut manager = Manager::new(tree, hub);
        if !blob_suffix.is_empty() {
            blob_suffix.clone_into(&mut manager.blob_suffix);
        }
        let served = Arc::new(Served {
            tls: authority.server(&names),
            directory,
            manager,
            troubles,
            hub,
            login,
            delay,
            log: Mutex::default(),
            after: OnceLock::new(),
            way: RwLock::default(),
        });
        let shared = Arc::clone(&served);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || serve(&shared, socket));
            }
        });
        Self { port, pem: authority.pem, served }
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    /// Changes what it holds.
    pub fn edit(&self, change: impl FnOnce(&mut Tree)) {
        self.served.manager.edit(change);
    }

    /// Does something after every call that changes what it holds, before the caller has an answer. Once for a
    /// cloud.
    #[track_caller]
    pub fn after_changes(&self, then: impl Fn(&Call, &Manager) + Send + Sync + 'static) {
        assert!(self.served.after.set(Box::new(then)).is_ok(), "something is done already");
    }

    /// Puts something between the clients and this cloud.
    pub fn on_the_way(&self, way: impl Fn(&Asked, &dyn Fn() -> Vec<u8>) -> Sent + Send + Sync + 'static) {
        *self.served.way.write().unwrap() = Some(Box::new(way));
    }

    /// Takes that away again.
    pub fn clear_the_way(&self) {
        *self.served.way.write().unwrap() = None;
    }

    /// Ends all changes that are under way, as they end in a cloud though nobody asks after them.
    pub fn settle(&self) {
        self.served.manager.settle();
    }

    /// The resource manager.
    pub fn manager(&self) -> &Manager {
        &self.served.manager
    }

    /// Everything that was asked so far.
    pub fn asked(&self) -> Vec<Recorded> {
        self.served.log.lock().unwrap().all.clone()
    }

    /// Everything that was asked so far of paths with such a part.
    pub fn asked_at(&self, path: &str) -> Vec<Recorded> {
        self.asked().into_iter().filter(|one| one.call.path.contains(path)).collect()
    }

    /// The most requests that were open at a time.
    pub fn most(&self) -> usize {
        self.served.log.lock().unwrap().most
    }

    /// A token of somebody who has logged in elsewhere.
    pub fn login(&self) -> String {
        self.served.directory.issue(CLIENT)
    }

    /// All tokens that were given out.
    pub fn tokens(&self) -> Vec<String> {
        self.served.directory.issued()
    }

    /// The limited troubles that nobody ran into, so that a test does not prove nothing.
    pub fn unused(&self) -> Vec<&'static str> {
        let unused = self.served.troubles.iter().filter(|trouble| {
            let left = *trouble.left.lock().unwrap();
            // One without a limit never comes near to nothing.
            left > 0 && left < usize::MAX / 2
        });
        unused.map(|trouble| trouble.path).collect()
    }
}

/// Answers one request after the other.
fn serve(served: &Served, socket: TcpStream) {
    socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    socket.set_nodelay(true).unwrap();
    let connection = ServerConnection::new(Arc::clone(&served.tls)).unwrap();
    let mut stream = StreamOwned::new(connection, socket);
    // A client that does not like the certificate says nothing.
    while let Some(asked) = read(&mut stream) {
        let pass = || served.answer(asked.clone());
        let sent = served.way.read().unwrap().as_ref().map(|way| way(&asked, &pass));
        let (bytes, ends) = match sent.unwrap_or_else(|| Sent::Whole(pass())) {
            Sent::Whole(bytes) => (bytes, false),
            Sent::Cut(bytes) => (bytes, true),
            Sent::Nothing => return,
        };
        if stream.write_all(&bytes).and_then(|()| stream.flush()).is_err() || ends {
            return;
        }
    }
    stream.conn.send_close_notify();
    let _ = stream.flush();
}

impl Served {
    fn answer(&self, asked: Asked) -> Vec<u8> {
        let number = {
            let mut log = self.log.lock().unwrap();
            log.begun += 1;
            log.open += 1;
            log.most = log.most.max(log.open);
            log.begun
        };
        if !self.delay.is_zero() {
            std::thread::sleep(self.delay);
        }
        let call = Call::of(&asked);
        let trouble = self.troubles.iter().find(|trouble| trouble.takes(&call));
        let answer = trouble.map_or_else(|| self.judge(&asked, &call), |trouble| (trouble.make)(&asked));
        let answer = if call.method == "HEAD" { answer.without_body() } else { answer };
        let correlation = format!("c0ffee00-0000-4000-8000-{number:012}");
        let bytes = answer.bytes(&correlation);
        let changes = ["DELETE", "PATCH", "PUT"].contains(&call.method.as_str());
        if let Some(after) = self.after.get().filter(|_| changes) {
            after(&call, &self.manager);
        }
        // Recorded before the client has its answer, and with it an occasion to end.
        let mut log = self.log.lock().unwrap();
        log.open -= 1;
        log.all.push(Recorded { asked, call, status: answer.status, correlation });
        bytes
    }

    fn judge(&self, asked: &Asked, call: &Call) -> Answer {
        let proven = self.directory.knows_for_storage(&call.authorization);
        if let Some(answer) = self.manager.blobs(asked, call, proven) {
            return answer;
        }
        let segments = call.segments();
        match (call.method.as_str(), segments.as_slice()) {
            ("GET", ["metadata", "endpoints"]) if self.hub => self.endpoints(call),
            ("GET", ["common", "discovery", "instance"]) => Directory::discovery(call),
            ("GET", [tenant, "v2.0", ".well-known", "openid-configuration"]) => {
                self.directory.configuration(call, tenant)
            }
            ("POST", [tenant, "oauth2", "v2.0", "token"]) => self.directory.token(call, tenant),
            (_, ["v1.0", ..]) if call.host.starts_with("graph.") => self
                .manager
                .directory(&call.below("/graph"), self.directory.knows_for_graph(&call.authorization)),
            (_, ["graph", "v1.0", ..]) => {
                self.manager.directory(call, self.directory.knows_for_graph(&call.authorization))
            }
            _ => self.manager.answer(call, self.directory.knows(&call.authorization)),
        }
    }

    /// What a hub says of itself.
    fn endpoints(&self, call: &Call) -> Answer {
        let version = call.asks("api-version");
        if version != "2015-01-01" {
            let message =
                format!("The api-version '{version}' is invalid. The supported versions are '2015-01-01'.");
            return Answer::error(400, "InvalidApiVersionParameter", &message);
        }
        let (host, login) = (&call.host, self.login);
        let body = json!({
            "galleryEndpoint": format!("https://{host}/gallery/"),
            "graphEndpoint": "https://graph.hub.example/",
            "portalEndpoint": "https://portal.hub.example/",
            "authentication": {
                "loginEndpoint": format!("https://{host}/{login}"),
                "audiences": [self.directory.audience],
            },
        });
        Answer::json(200, &body)
    }
}
