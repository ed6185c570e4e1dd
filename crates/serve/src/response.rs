//! HTTP responses: files of the folder, or a status without one.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::{Path, PathBuf};

use crate::request::{HttpRequest, RequestError, read_head};

/// Reads one request and sends its response.
pub fn respond(stream: &TcpStream, folder: &Path, port: u16) -> io::Result<()> {
    match read_head(stream)? {
        Ok(request) => respond_to(stream, &request, folder, port),
        Err(RequestError::Malformed) => send_status(stream, "400 Bad Request", ""),
        Err(RequestError::TooLong) => send_status(stream, "431 Request Header Fields Too Large", ""),
    }
}

fn respond_to(stream: &TcpStream, request: &HttpRequest, folder: &Path, port: u16) -> io::Result<()> {
    if !is_own_host(request.host.as_deref(), port) {
        return send_status(stream, "421 Misdirected Request", "");
    }
    let with_body = match request.method.as_str() {
        "GET" => true,
        "HEAD" => false,
        _ => return send_status(stream, "405 Method Not Allowed", "Allow: GET, HEAD\r\n"),
    };
    match resolve(request, folder) {
        Resolved::File(path) => send(stream, &path, with_body),
        // Relative links need the trailing slash of a folder, so the browser is redirected to it
        Resolved::Folder => {
            let location = format!("Location: /{}/\r\n", request.path.join("/"));
            send_status(stream, "301 Moved Permanently", &location)
        }
        Resolved::Nothing => send_status(stream, "404 Not Found", ""),
    }
}

/// Whether the Host header names this server. This refuses DNS rebinding: a foreign host name that resolves to this
/// machine.
fn is_own_host(host: Option<&str>, port: u16) -> bool {
    // Browsers omit the default port of HTTP
    let suffix = if port == 80 { String::new() } else { format!(":{port}") };
    let name = host.and_then(|host| host.strip_suffix(suffix.as_str())).unwrap_or_default();
    name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")
}

enum Resolved {
    File(PathBuf),
    Folder,
    Nothing,
}

fn resolve(request: &HttpRequest, folder: &Path) -> Resolved {
    let mut path = folder.to_owned();
    path.extend(&request.path);
    if path.is_dir() {
        if !request.is_folder && request.path.iter().all(|name| name.is_ascii() && !name.contains(' ')) {
            return Resolved::Folder;
        }
        path.push("index.html");
    } else if request.is_folder {
        return Resolved::Nothing;
    }
    // A symbolic link may lead out of the folder
    match path.canonicalize() {
        Ok(real) if real.starts_with(folder) && real.is_file() => Resolved::File(real),
        _ => Resolved::Nothing,
    }
}

fn send(mut stream: &TcpStream, path: &Path, with_body: bool) -> io::Result<()> {
    let Ok(file) = File::open(path) else { return send_status(stream, "404 Not Found", "") };
    let length = file.metadata()?.len();
    let kind = media_type(path);
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    if with_body {
        io::copy(&mut file.take(length), &mut stream)?;
    }
    stream.flush()
}

/// Sends a status without a file; its text is also the body.
fn send_status(mut stream: &TcpStream, status: &str, fields: &str) -> io::Result<()> {
    let length = status.len() + 1;
    let head = format!(
        "HTTP/1.1 {status}\r\n{fields}Content-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{status}\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.shutdown(Shutdown::Write)
}

/// The media type of a file by its extension; browsers compile WebAssembly while loading only with the right one.
fn media_type(path: &Path) -> &'static str {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "toml" | "txt" | "md" | "csv" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_follow_from_extensions() {
        for (name, kind) in [("a.WASM", "application/wasm"), ("a.js", "text/javascript; charset=utf-8")] {
            assert_eq!(media_type(Path::new(name)), kind);
        }
        assert_eq!(media_type(Path::new("none")), "application/octet-stream");
    }

    #[test]
    fn only_loopback_names_are_accepted() {
        assert!(is_own_host(Some("LocalHost:8080"), 8080) && is_own_host(Some("127.0.0.1:8080"), 8080));
        assert!(is_own_host(Some("localhost"), 80));
        for host in [None, Some("localhost"), Some("localhost:8081"), Some("127.0.0.1.example:8080")] {
            assert!(!is_own_host(host, 8080), "{host:?}");
        }
    }
}
