//! Parsing of HTTP requests.

use std::io::{self, Read};

/// Largest head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;

/// The parts of a request that serving files needs.
#[derive(Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method, such as `GET` or `HEAD`.
    pub method: String,
    /// Path components, percent-decoded.
    pub path: Vec<String>,
    /// Whether the path ends with a slash.
    pub is_folder: bool,
    /// The Host header.
    pub host: Option<String>,
}

/// Why a request is refused.
#[derive(Debug, PartialEq, Eq)]
pub enum RequestError {
    /// It is not a valid request, or its path is not allowed.
    Malformed,
    /// Its head is too long.
    TooLong,
}

/// Reads the head of a request; a body is not read.
pub fn read_head(mut stream: impl Read) -> io::Result<Result<HttpRequest, RequestError>> {
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    loop {
        if let Some(end) = head.windows(4).position(|window| window == b"\r\n\r\n") {
            return Ok(parse(&head[..end]).ok_or(RequestError::Malformed));
        }
        if head.len() > MAX_HEAD {
            return Ok(Err(RequestError::TooLong));
        }
        match stream.read(&mut piece)? {
            0 => return Ok(Err(RequestError::Malformed)),
            count => head.extend_from_slice(&piece[..count]),
        }
    }
}

fn parse(head: &[u8]) -> Option<HttpRequest> {
    let mut lines = std::str::from_utf8(head).ok()?.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") {
        return None;
    }
    let (path, is_folder) = parse_path(target)?;
    let mut fields = lines.filter_map(|line| line.split_once(':'));
    let host = fields.find(|(name, _)| name.eq_ignore_ascii_case("host"));
    let host = host.map(|(_, host)| host.trim().to_owned());
    Some(HttpRequest { method: method.to_owned(), path, is_folder, host })
}

/// The components of a path; `None` if one of them could lead out of the folder on any operating system.
fn parse_path(target: &str) -> Option<(Vec<String>, bool)> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let is_folder = path.is_empty() || path.ends_with('/');
    let path = path.strip_suffix('/').unwrap_or(path);
    if path.is_empty() {
        return Some((Vec::new(), is_folder));
    }
    let names = path.split('/').map(|name| percent_decoded(name).filter(|name| is_safe_name(name)));
    Some((names.collect::<Option<_>>()?, is_folder))
}

fn is_safe_name(name: &str) -> bool {
    let is_forbidden = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    !name.is_empty() && name != "." && name != ".." && !name.contains(is_forbidden)
}

/// Percent-decodes a path component: `a%20b` is `a b`.
fn percent_decoded(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => 16 * hexadecimal(rest.next()?)? + hexadecimal(rest.next()?)?,
            plain => plain,
        });
    }
    String::from_utf8(bytes).ok()
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<HttpRequest, RequestError> {
        read_head(text.as_bytes()).unwrap()
    }

    #[test]
    fn requests_of_browsers_are_parsed() {
        let request =
            read("GET /scenes/my%20pond.toml?x=/../ HTTP/1.1\r\nhost:  localhost:8080\r\n\r\nrest").unwrap();
        assert_eq!(request.path, ["scenes", "my pond.toml"]);
        assert_eq!((request.method.as_str(), request.is_folder), ("GET", false));
        assert_eq!(request.host.as_deref(), Some("localhost:8080"));
        assert_eq!(read("HEAD / HTTP/1.0\r\n\r\n").unwrap().path, Vec::<String>::new());
    }

    #[test]
    fn malformed_requests_are_refused() {
        for text in ["", "GET", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET /% HTTP/1.1\r\n\r\n"] {
            assert_eq!(read(text), Err(RequestError::Malformed), "{text:?}");
        }
        assert_eq!(read_head(&b"GET /\xff HTTP/1.1\r\n\r\n"[..]).unwrap(), Err(RequestError::Malformed));
        assert_eq!(read(&"x".repeat(MAX_HEAD + 2048)), Err(RequestError::TooLong));
    }

    #[test]
    fn paths_out_of_the_folder_are_refused() {
        for path in ["/..", "/a/../b", "/%2e%2E/x", "/a//b", "//a", "/a%2fb", "/a%5cb", "/c:", "/.", "/%00"] {
            assert_eq!(parse_path(path), None, "{path}");
        }
    }
}
