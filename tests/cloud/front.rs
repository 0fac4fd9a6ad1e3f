//! A server in front of moto: records what is asked, and gives answers of its own where a test wants them.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// In a rule: every service, and what is not signed for any.
pub const ANY: &str = "*";
/// In a rule: what is not signed, such as a probe.
pub const UNSIGNED: &str = "";
/// In a rule: every action.
pub const ALL: &str = "";

/// A request as the front saw it.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Asked {
    /// The value of a header; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str())
    }

    /// What a request is signed for: key, day, region and service, in this order.
    fn scope(&self, part: usize) -> &str {
        let signed = self.header("authorization").split_once("Credential=");
        let scope = signed.map_or("", |(_, rest)| rest.split(',').next().unwrap_or_default());
        scope.split('/').nth(part).unwrap_or_default()
    }

    /// The id of the access key that it is signed with; empty where it is not signed.
    pub fn key(&self) -> &str {
        self.scope(0)
    }

    /// The region that it is signed for.
    pub fn region(&self) -> &str {
        self.scope(2)
    }

    /// The service that it is signed for.
    pub fn service(&self) -> &str {
        self.scope(3)
    }

    /// The name of the action, or method and path where the service has no names.
    pub fn action(&self) -> String {
        let target = self.header("x-amz-target").rsplit_once('.').map(|(_, action)| action.to_owned());
        let form = || self.body.split('&').find_map(|pair| pair.strip_prefix("Action=")).map(str::to_owned);
        let path = self.path.split('?').next().unwrap_or_default();
        target.or_else(form).unwrap_or_else(|| format!("{} {path}", self.method))
    }

    /// Everything that was sent, as a text.
    pub fn echo(&self) -> String {
        let headers = self.headers.iter().map(|(name, value)| format!("{name}:{value}"));
        let headers: Vec<String> = headers.collect();
        format!("{}\n{}\n{}\n\n{}", self.method, self.path, headers.join("\n"), self.body)
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Reply {
    pub fn new(status: u16, kind: &str, body: impl Into<String>) -> Self {
        Self { status, headers: vec![("content-type".to_owned(), kind.to_owned())], body: body.into() }
    }

    /// An answer of a service that speaks XML.
    pub fn xml(body: impl Into<String>) -> Self {
        Self::new(200, "text/xml", body)
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The answer as it is sent.
    pub fn bytes(&self) -> Vec<u8> {
        let length = self.body.len();
        let mut bytes =
            format!("HTTP/1.1 {} -\r\ncontent-length: {length}\r\nconnection: close\r\n", self.status)
                .into_bytes();
        for (name, value) in &self.headers {
            bytes.extend(format!("{name}: {value}\r\n").into_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(self.body.as_bytes());
        bytes
    }
}

type Make = Box<dyn Fn(&Asked) -> Reply + Send + Sync>;

/// An answer that the front gives itself, always or so many times.
pub struct Rule {
    service: &'static str,
    action: &'static str,
    left: Mutex<usize>,
    make: Make,
}

impl Rule {
    /// Answers every request of an action of a service.
    pub fn always(
        service: &'static str,
        action: &'static str,
        make: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::first(usize::MAX, service, action, make)
    }

    /// Answers the first requests of an action of a service.
    pub fn first(
        times: usize,
        service: &'static str,
        action: &'static str,
        make: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self { service, action, left: Mutex::new(times), make: Box::new(make) }
    }

    fn takes(&self, asked: &Asked) -> bool {
        let service = self.service == ANY || self.service == asked.service();
        let action = self.action == ALL || self.action == asked.action();
        let mut left = self.left.lock().unwrap();
        let takes = service && action && *left > 0;
        if takes {
            *left -= 1;
        }
        takes
    }
}

/// What a client gets of an answer.
pub enum Sent {
    Whole(Vec<u8>),
    /// A part of it, and then the connection ends.
    Cut(Vec<u8>),
    /// The connection ends.
    Nothing,
}

/// What is on the way between a client and a server: it has the request, and what the server answers to it.
pub type Way = Box<dyn Fn(&Asked, &dyn Fn() -> Vec<u8>) -> Sent + Send + Sync>;

/// What the threads of a front share.
struct Served {
    upstream: Option<u16>,
    tls: Option<Arc<ServerConfig>>,
    rules: Vec<Rule>,
    asked: Mutex<Vec<Asked>>,
    way: OnceLock<Way>,
}

/// A running front. It ends with the test's process.
pub struct Front {
    pub port: u16,
    served: Arc<Served>,
}

impl Front {
    /// Listens on the loopback interface. What no rule answers goes to the port of `upstream`; where there is
    /// none, everything else is refused as AWS refuses.
    pub fn start(upstream: Option<u16>, tls: Option<Arc<ServerConfig>>, rules: Vec<Rule>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let served = Arc::new(Served { upstream, tls, rules, asked: Mutex::default(), way: OnceLock::new() });
        let shared = Arc::clone(&served);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || serve(&shared, socket));
            }
        });
        Self { port, served }
    }

    /// Puts something between the clients and this front. Once for a front.
    #[allow(dead_code, reason = "not every group of tests has something on the way")]
    pub fn on_the_way(&self, way: impl Fn(&Asked, &dyn Fn() -> Vec<u8>) -> Sent + Send + Sync + 'static) {
        assert!(self.served.way.set(Box::new(way)).is_ok(), "something is on the way already");
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        let scheme = if self.served.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}", self.port)
    }

    /// Everything that was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.served.asked.lock().unwrap().clone()
    }

    /// How often an action of a service was asked for, signed.
    pub fn count(&self, service: &str, action: &str) -> usize {
        let asked = self.asked().into_iter();
        asked.filter(|asked| asked.service() == service && asked.action() == action).count()
    }

    /// The limited rules that were not used up, so that a test does not prove nothing.
    pub fn unused(&self) -> Vec<String> {
        let rules = self.served.rules.iter().filter(|rule| {
            let left = *rule.left.lock().unwrap();
            // A rule without a limit never comes near to nothing.
            left > 0 && left < usize::MAX / 2
        });
        rules.map(|rule| format!("{} {}", rule.service, rule.action)).collect()
    }
}

fn serve(served: &Served, socket: TcpStream) {
    socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    let Some(config) = &served.tls else {
        let mut socket = socket;
        answer(served, &mut socket);
        let _ = socket.shutdown(Shutdown::Write);
        return;
    };
    let connection = ServerConnection::new(Arc::clone(config)).unwrap();
    let mut stream = StreamOwned::new(connection, socket);
    answer(served, &mut stream);
    stream.conn.send_close_notify();
    let _ = stream.flush();
}

fn answer<S: Read + Write>(served: &Served, stream: &mut S) {
    // A client that does not like the certificate says nothing more.
    let Some(asked) = read(stream) else {
        return;
    };
    let pass = || reply(served, &asked);
    let sent = served.way.get().map_or_else(|| Sent::Whole(pass()), |way| way(&asked, &pass));
    // Recorded before the client has its answer, and with it an occasion to end.
    served.asked.lock().unwrap().push(asked);
    if let Sent::Whole(bytes) | Sent::Cut(bytes) = sent {
        let _ = stream.write_all(&bytes).and_then(|()| stream.flush());
    }
}

fn reply(served: &Served, asked: &Asked) -> Vec<u8> {
    if let Some(rule) = served.rules.iter().find(|rule| rule.takes(asked)) {
        return (rule.make)(asked).bytes();
    }
    match served.upstream {
        Some(port) => forward(asked, port)
            .unwrap_or_else(|fault| Reply::new(502, "text/plain", fault.to_string()).bytes()),
        None => refusal(asked, 403, "AccessDenied", "the front has no answer to this").bytes(),
    }
}

/// Sends a request to a port of the loopback interface and reads the whole answer.
pub fn forward(asked: &Asked, port: u16) -> io::Result<Vec<u8>> {
    let mut socket = TcpStream::connect(("127.0.0.1", port))?;
    let mut bytes = format!(
        "{} {} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n",
        asked.method, asked.path
    )
    .into_bytes();
    let own = ["host", "connection", "content-length"];
    for (name, value) in asked.headers.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
        bytes.extend(format!("{name}: {value}\r\n").into_bytes());
    }
    if !asked.body.is_empty() {
        bytes.extend(format!("content-length: {}\r\n", asked.body.len()).into_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(asked.body.as_bytes());
    socket.write_all(&bytes)?;
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer)?;
    Ok(answer)
}

/// Reads one request; none where the other side sends none.
pub fn read<S: Read>(stream: &mut S) -> Option<Asked> {
    let mut bytes: Vec<u8> = Vec::new();
    let head = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        more(stream, &mut bytes)?;
    };
    let mut body = bytes.split_off(head + 4);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut lines = text.lines();
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
    let mut asked = Asked { method, path, headers, body: String::new() };
    let length: usize = asked.header("content-length").parse().unwrap_or(0);
    while body.len() < length {
        more(stream, &mut body)?;
    }
    asked.body = String::from_utf8_lossy(&body).into_owned();
    Some(asked)
}

/// Appends what comes next; none at the end.
fn more<S: Read>(stream: &mut S, bytes: &mut Vec<u8>) -> Option<()> {
    let mut chunk = [0; 8192];
    let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
    bytes.extend_from_slice(&chunk[..count]);
    Some(())
}

/// A refusal in the form of the service that was asked.
pub fn refusal(asked: &Asked, status: u16, code: &str, message: &str) -> Reply {
    let message = message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let error = format!("<Code>{code}</Code><Message>{message}</Message>");
    let id = "0f0e0d0c-0000-4000-8000-000000000001";
    let speaks_json = !asked.header("x-amz-target").is_empty();
    let (kind, body) = if speaks_json {
        let body = serde_json::json!({ "__type": code, "message": message });
        ("application/x-amz-json-1.1", body.to_string())
    } else if asked.service() == "ec2" {
        let body = format!(
            "<Response><Errors><Error>{error}</Error></Errors><RequestID>{id}</RequestID></Response>"
        );
        ("text/xml", body)
    } else if asked.service() == "s3" || (asked.service() == UNSIGNED && asked.body.is_empty()) {
        ("application/xml", format!("<Error>{error}<RequestId>{id}</RequestId></Error>"))
    } else {
        let error = format!("<Error><Type>Sender</Type>{error}</Error>");
        ("text/xml", format!("<ErrorResponse>{error}<RequestId>{id}</RequestId></ErrorResponse>"))
    };
    Reply::new(status, kind, body).header("x-amzn-requestid", id)
}
