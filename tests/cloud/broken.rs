//! Servers that are none: ports that are closed, say nothing, or speak something else.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// How many connections there are and were.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<Mutex<Count>>);

/// What a gauge shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub open: usize,
    /// The most that were open at a time.
    pub most: usize,
    /// All that ever were.
    pub all: usize,
}

impl Gauge {
    pub fn read(&self) -> Count {
        *self.0.lock().unwrap()
    }

    fn enter(&self) {
        let mut count = self.0.lock().unwrap();
        count.open += 1;
        count.all += 1;
        count.most = count.most.max(count.open);
    }

    fn leave(&self) {
        self.0.lock().unwrap().open -= 1;
    }
}

fn listen(serve: impl Fn(TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || listener.incoming().map_while(Result::ok).for_each(serve));
    port
}

/// Reads to the other side's end and forgets.
fn drain(mut socket: TcpStream) {
    let _ = std::io::copy(&mut socket, &mut std::io::sink());
}

/// A port that nobody listens on.
pub fn closed() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// A port that accepts every connection and never says a word.
pub fn dead(gauge: &Gauge) -> u16 {
    let gauge = gauge.clone();
    listen(move |socket| {
        gauge.enter();
        let gauge = gauge.clone();
        std::thread::spawn(move || {
            drain(socket);
            gauge.leave();
        });
    })
}

/// A port that answers whatever it is sent in plain HTTP, also a greeting of TLS.
pub fn plain() -> u16 {
    listen(|socket| {
        std::thread::spawn(move || complain(socket));
    })
}

fn complain(mut socket: TcpStream) {
    let mut greeting = [0; 8192];
    if socket.read(&mut greeting).unwrap_or(0) > 0 {
        let _ =
            socket.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        let _ = socket.shutdown(Shutdown::Write);
        drain(socket);
    }
}
