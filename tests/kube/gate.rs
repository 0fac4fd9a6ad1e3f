//! A port before a server that is closed at first: what a load balancer is whose servers are not there yet.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A gate to a server.
pub struct Gate {
    pub port: u16,
    open: Arc<AtomicBool>,
}

impl Gate {
    /// A gate to a port of the loopback interface, closed.
    pub fn closed(target: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let open = Arc::new(AtomicBool::new(false));
        let is_open = Arc::clone(&open);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                if is_open.load(Ordering::SeqCst) {
                    let _ = pass(&socket, target);
                }
            }
        });
        Self { port, open }
    }

    /// Lets connections through from now on.
    pub fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
    }
}

fn pass(socket: &TcpStream, target: u16) -> io::Result<()> {
    let server = TcpStream::connect(("127.0.0.1", target))?;
    for (from, to) in [(socket.try_clone()?, server.try_clone()?), (server, socket.try_clone()?)] {
        std::thread::spawn(move || {
            let _ = io::copy(&mut &from, &mut &to);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
    Ok(())
}

/// A port that nobody listens on.
pub fn nobody() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}
