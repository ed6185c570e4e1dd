//! What a browser gets.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::{Path, PathBuf};

use crate::request::{HttpRequest, Refusal, read_head};

/// Reads one request and answers it.
pub fn answer(stream: &TcpStream, folder: &Path, port: u16) -> io::Result<()> {
    match read_head(stream)? {
        Ok(request) => reply(stream, &request, folder, port),
        Err(Refusal::Malformed) => refuse(stream, "400 Bad Request", ""),
        Err(Refusal::TooLong) => refuse(stream, "431 Request Header Fields Too Large", ""),
    }
}

fn reply(stream: &TcpStream, request: &HttpRequest, folder: &Path, port: u16) -> io::Result<()> {
    if !is_ours(request.host.as_deref(), port) {
        return refuse(stream, "421 Misdirected Request", "");
    }
    let with_body = match request.method.as_str() {
        "GET" => true,
        "HEAD" => false,
        _ => return refuse(stream, "405 Method Not Allowed", "Allow: GET, HEAD\r\n"),
    };
    match find(request, folder) {
        Found::File(path) => send(stream, &path, with_body),
        // Links in a page count from its folder, which the browser must know for one
        Found::Folder => {
            let place = format!("Location: /{}/\r\n", request.path.join("/"));
            refuse(stream, "301 Moved Permanently", &place)
        }
        Found::Nothing => refuse(stream, "404 Not Found", ""),
    }
}

/// Whether the browser means this server by its own name. A stranger's page whose name leads to this machine does not.
fn is_ours(host: Option<&str>, port: u16) -> bool {
    // Browsers leave out the port that http has by itself
    let suffix = if port == 80 { String::new() } else { format!(":{port}") };
    let name = host.and_then(|host| host.strip_suffix(suffix.as_str())).unwrap_or_default();
    name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")
}

enum Found {
    File(PathBuf),
    Folder,
    Nothing,
}

fn find(request: &HttpRequest, folder: &Path) -> Found {
    let mut path = folder.to_owned();
    path.extend(&request.path);
    if path.is_dir() {
        if !request.is_folder && request.path.iter().all(|name| name.is_ascii() && !name.contains(' ')) {
            return Found::Folder;
        }
        path.push("index.html");
    } else if request.is_folder {
        return Found::Nothing;
    }
    // A link may lead anywhere
    match path.canonicalize() {
        Ok(real) if real.starts_with(folder) && real.is_file() => Found::File(real),
        _ => Found::Nothing,
    }
}

fn send(mut stream: &TcpStream, path: &Path, with_body: bool) -> io::Result<()> {
    let Ok(file) = File::open(path) else { return refuse(stream, "404 Not Found", "") };
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

/// Answers without a file: `status` is also what a person reads.
fn refuse(mut stream: &TcpStream, status: &str, fields: &str) -> io::Result<()> {
    let length = status.len() + 1;
    let head = format!(
        "HTTP/1.1 {status}\r\n{fields}Content-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{status}\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.shutdown(Shutdown::Write)
}

/// What a file is, by its name; browsers compile WebAssembly while it loads only if it is called that.
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
    fn the_page_runs_only_with_the_right_kinds() {
        for (name, kind) in [("a.WASM", "application/wasm"), ("a.js", "text/javascript; charset=utf-8")] {
            assert_eq!(media_type(Path::new(name)), kind);
        }
        assert_eq!(media_type(Path::new("none")), "application/octet-stream");
    }

    #[test]
    fn only_this_machine_is_ours() {
        assert!(is_ours(Some("LocalHost:8080"), 8080) && is_ours(Some("127.0.0.1:8080"), 8080));
        assert!(is_ours(Some("localhost"), 80));
        for host in [None, Some("localhost"), Some("localhost:8081"), Some("127.0.0.1.example:8080")] {
            assert!(!is_ours(host, 8080), "{host:?}");
        }
    }
}
