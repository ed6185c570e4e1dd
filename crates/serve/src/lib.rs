//! An HTTP server for a folder of static files on the loopback address: the studio's page and its tests.
//!
//! It listens on the loopback address only and answers `GET` and `HEAD` (RFC 9110, 9112) with files below the folder.
//! Each connection serves one request; anything else is refused. It is not meant for a network: the page is static, and
//! any web server can host it.

mod request;
mod response;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use response::respond;

/// Most simultaneous connections; a browser opens about six.
const MAX_CONNECTIONS: usize = 32;

/// Timeout of reading a request and of writing a response.
const IO_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a folder cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The folder has no index.html.
    #[error("there is no index.html in {0:?}")]
    NoPage(PathBuf),
    /// The port is in use.
    #[error("port {0} is in use; choose another, or 0 for any free one")]
    PortTaken(u16),
    /// The port cannot be opened.
    #[error("cannot listen on port {port}: {source}")]
    Port {
        /// The port.
        port: u16,
        /// The error of the system.
        source: io::Error,
    },
}

/// A server for a folder.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("index.html"), "<p>water</p>")?;
/// let server = undine_serve::Server::bind(folder.path(), 0)?;
/// assert!(server.url().starts_with("http://127.0.0.1:"));
/// std::thread::spawn(move || server.run());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Server {
    folder: Arc<PathBuf>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens on a port of the loopback address; port 0 takes any free one.
    pub fn bind(folder: impl Into<PathBuf>, port: u16) -> Result<Server, ServeError> {
        let folder = folder.into();
        let real = folder.canonicalize().ok().filter(|real| real.join("index.html").is_file());
        let real = real.ok_or(ServeError::NoPage(folder))?;
        let refused = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => ServeError::PortTaken(port),
            _ => ServeError::Port { port, source },
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        Ok(Server { folder: Arc::new(real), listener, address })
    }

    /// The address for the browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Serves until the program ends, each connection on its own thread.
    pub fn run(self) {
        let open = Arc::new(AtomicUsize::new(0));
        for stream in self.listener.incoming() {
            let Ok(stream) = stream else {
                // Out of file descriptors, or an aborted connection: try again
                std::thread::sleep(Duration::from_millis(10));
                continue;
            };
            let Some(slot) = ConnectionSlot::take(&open) else { continue };
            let (folder, port) = (Arc::clone(&self.folder), self.address.port());
            let serve = move || {
                let _slot = slot;
                // A connection closed by the browser is not an error
                let _ = set_timeouts(&stream).and_then(|()| respond(&stream, &folder, port));
            };
            // Without a thread the connection is dropped, and the browser retries
            let _ = std::thread::Builder::new().name("serve".to_owned()).spawn(serve);
        }
    }
}

fn set_timeouts(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(IO_TIMEOUT))?;
    stream.set_write_timeout(Some(IO_TIMEOUT))
}

/// A slot of the limited number of connections.
struct ConnectionSlot(Arc<AtomicUsize>);

impl ConnectionSlot {
    fn take(open: &Arc<AtomicUsize>) -> Option<ConnectionSlot> {
        let slot = ConnectionSlot(Arc::clone(open));
        // A slot beyond the limit is released on drop
        (open.fetch_add(1, Ordering::Relaxed) < MAX_CONNECTIONS).then_some(slot)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::{Read, Write};

    fn served() -> (tempfile::TempDir, SocketAddr) {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("page");
        fs::create_dir_all(folder.join("deep")).unwrap();
        fs::write(outer.path().join("secret.txt"), "secret").unwrap();
        fs::write(folder.join("index.html"), "<p>water</p>").unwrap();
        fs::write(folder.join("undine_bg.wasm"), b"\0asm").unwrap();
        fs::write(folder.join("a b.txt"), "spaced").unwrap();
        fs::write(folder.join("deep/index.html"), "deep").unwrap();
        let server = Server::bind(&folder, 0).unwrap();
        let address = server.address;
        std::thread::spawn(move || server.run());
        (outer, address)
    }

    fn raw(address: SocketAddr, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        // The server may close the connection before an overlong request is sent
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn ask(address: SocketAddr, method: &str, path: &str) -> String {
        let request = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
        raw(address, request.as_bytes())
    }

    #[test]
    fn files_have_media_type_and_length() {
        let (_folder, address) = served();
        let page = ask(address, "GET", "/?scene=pond");
        assert!(page.starts_with("HTTP/1.1 200 ") && page.ends_with("\r\n\r\n<p>water</p>"), "{page}");
        assert!(page.contains("Content-Type: text/html; charset=utf-8\r\n"), "{page}");
        assert!(page.contains("Content-Length: 12\r\n") && page.contains("Cache-Control: no-cache\r\n"));
        assert!(ask(address, "GET", "/undine_bg.wasm").contains("Content-Type: application/wasm\r\n"));
        assert!(ask(address, "GET", "/a%20b.txt").ends_with("spaced"));
        assert!(ask(address, "GET", "/deep/").ends_with("deep"));
        assert!(ask(address, "GET", "/deep").contains("Location: /deep/\r\n"));
        let head = ask(address, "HEAD", "/");
        assert!(head.contains("Content-Length: 12\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    }

    #[test]
    fn nothing_outside_the_folder_is_served() {
        let (outer, address) = served();
        let ways = [
            "/../secret.txt",
            "/deep/../../secret.txt",
            "/%2e%2e/secret.txt",
            "/%2e%2e%2fsecret.txt",
            "/..%5csecret.txt",
            "/deep/..",
            "//etc/passwd",
            "/\0",
            "/%00",
            "/%zz",
            "/%ff",
            "/C:/secret.txt",
        ];
        for way in ways {
            let answer = ask(address, "GET", way);
            assert!(answer.starts_with("HTTP/1.1 40") && !answer.contains("secret\n"), "{way}: {answer}");
        }
        #[cfg(unix)]
        {
            let link = outer.path().join("page/link.txt");
            std::os::unix::fs::symlink(outer.path().join("secret.txt"), link).unwrap();
            assert!(ask(address, "GET", "/link.txt").starts_with("HTTP/1.1 404 "));
        }
        drop(outer);
    }

    #[test]
    fn invalid_requests_are_refused() {
        let (_folder, address) = served();
        assert!(ask(address, "POST", "/").starts_with("HTTP/1.1 405 "));
        assert!(ask(address, "GET", "/none").starts_with("HTTP/1.1 404 "));
        assert!(ask(address, "GET", "index.html").starts_with("HTTP/1.1 400 "));
        assert!(raw(address, b"\r\n\r\n").starts_with("HTTP/1.1 400 "));
        assert!(raw(address, b"GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 421 "));
        // DNS rebinding: a foreign name that resolves to this machine
        let rebound = raw(address, b"GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n");
        assert!(rebound.starts_with("HTTP/1.1 421 "), "{rebound}");
        let endless = format!("GET / HTTP/1.1\r\nHost: {address}\r\nX: {}\r\n\r\n", "x".repeat(100_000));
        let answer = raw(address, endless.as_bytes());
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }

    #[test]
    fn errors_name_the_port_and_the_folder() {
        let (outer, address) = served();
        let again = Server::bind(outer.path().join("page"), address.port()).err().unwrap();
        assert!(again.to_string().contains(&format!("port {} is in use", address.port())), "{again}");
        let empty = Server::bind(outer.path(), 0).err().unwrap();
        assert!(empty.to_string().contains("no index.html"), "{empty}");
    }

    #[test]
    fn connection_slots_are_limited_and_released() {
        let open = Arc::new(AtomicUsize::new(0));
        let slots: Vec<_> = (0..MAX_CONNECTIONS).filter_map(|_| ConnectionSlot::take(&open)).collect();
        assert_eq!(slots.len(), MAX_CONNECTIONS);
        assert!(ConnectionSlot::take(&open).is_none());
        drop(slots);
        assert!(ConnectionSlot::take(&open).is_some());
    }
}
