//! A proxy that tunnels, to places that only it knows.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::front::{Asked, read};

/// A running proxy. It ends with the test's process.
pub struct Proxy {
    pub port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// Where a tunnel leads, or what is answered instead.
pub enum Way {
    /// To this port of the loopback interface.
    To(u16),
    /// Nowhere, with this status and text.
    Refused(u16, String),
}

impl Proxy {
    pub fn start(way: impl Fn(&Asked) -> Way + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (record, way) = (Arc::clone(&asked), Arc::new(way));
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (record, way) = (Arc::clone(&record), Arc::clone(&way));
                std::thread::spawn(move || serve(socket, &record, &*way));
            }
        });
        Self { port, asked }
    }

    /// The hosts that tunnels were asked for, without their ports.
    pub fn hosts(&self) -> BTreeSet<String> {
        let asked = self.asked.lock().unwrap();
        let host = |asked: &Asked| asked.path.rsplit_once(':').map_or("", |(host, _)| host).to_owned();
        asked.iter().map(host).collect()
    }
}

fn serve(mut socket: TcpStream, record: &Mutex<Vec<Asked>>, way: &dyn Fn(&Asked) -> Way) {
    let Some(asked) = read(&mut socket) else {
        return;
    };
    let way = if asked.method == "CONNECT" {
        way(&asked)
    } else {
        Way::Refused(405, "this proxy only tunnels".to_owned())
    };
    record.lock().unwrap().push(asked);
    match way {
        Way::To(port) => {
            let _ = tunnel(socket, port);
        }
        Way::Refused(status, text) => {
            let head =
                format!("HTTP/1.1 {status} -\r\ncontent-length: {}\r\nconnection: close\r\n", text.len());
            let _ = socket.write_all(format!("{head}\r\n{text}").as_bytes());
            let _ = socket.shutdown(Shutdown::Write);
        }
    }
}

fn tunnel(mut client: TcpStream, port: u16) -> io::Result<()> {
    let mut server = TcpStream::connect(("127.0.0.1", port))?;
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    let up = std::thread::spawn(move || {
        let _ = io::copy(&mut from_client, &mut to_server);
        let _ = to_server.shutdown(Shutdown::Write);
    });
    let _ = io::copy(&mut server, &mut client);
    let _ = client.shutdown(Shutdown::Write);
    let _ = up.join();
    Ok(())
}
