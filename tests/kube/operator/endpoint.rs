//! An endpoint of a cloud that is cut off from the public: a port that speaks TLS and answers every request.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Listens on a port of the loopback interface, and gives the port.
pub fn listen(config: Arc<ServerConfig>) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for socket in listener.incoming().map_while(Result::ok) {
            let config = Arc::clone(&config);
            std::thread::spawn(move || answer(socket, config));
        }
    });
    port
}

/// Who does not trust the certificate hangs up, which is no fault of the endpoint's.
fn answer(socket: TcpStream, config: Arc<ServerConfig>) -> io::Result<()> {
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(connection, socket);
    let mut request = [0; 4096];
    if stream.read(&mut request)? > 0 {
        stream.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
        stream.conn.send_close_notify();
        stream.flush()?;
    }
    Ok(())
}
