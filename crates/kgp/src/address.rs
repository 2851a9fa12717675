//! Where a server is.

use std::fmt;
use std::str::FromStr;

use sowing_protocol::hosts::Authority;
use sowing_protocol::kgp::{PORT, SOCKET_PATH};
use sowing_rules::quoted;

/// The address of a server.
///
/// The text form is `kalah.example.org`, `127.0.0.1:2671` or `tcp://HOST:PORT` for lines over TCP, and
/// `ws://HOST:PORT/PATH` for a WebSocket. Without them the port is 2671, of a WebSocket 8080, and the path
/// `/socket`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
    /// Of a WebSocket.
    path: Option<String>,
}

impl Address {
    /// The host's name or number.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether it is a WebSocket.
    pub fn is_web(&self) -> bool {
        self.path.is_some()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = match self.host.contains(':') {
            true => &*format!("[{}]", self.host),
            false => &self.host,
        };
        match &self.path {
            Some(path) => write!(f, "ws://{host}:{}{path}", self.port),
            None => write!(f, "{host}:{}", self.port),
        }
    }
}

/// Why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseAddressError {
    /// It is of another form.
    #[error("an address is written as 127.0.0.1:2671 or ws://127.0.0.1:8080/socket, not {what}", what = quoted(.0))]
    Shape(String),
    /// It asks for encryption.
    #[error("encrypted connections are not supported: use ws:// and a tunnel, not {what}", what = quoted(.0))]
    Encrypted(String),
}

impl FromStr for Address {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<Address, ParseAddressError> {
        let shape = || ParseAddressError::Shape(text.to_string());
        if text.starts_with("wss://") || text.starts_with("https://") {
            return Err(ParseAddressError::Encrypted(text.to_string()));
        }
        let (rest, path) = match text.strip_prefix("ws://") {
            Some(rest) => match rest.find('/') {
                Some(at) => (&rest[..at], Some(rest[at..].to_string())),
                None => (rest, Some(SOCKET_PATH.to_string())),
            },
            None => (text.strip_prefix("tcp://").unwrap_or(text), None),
        };
        let default = if path.is_some() { 8080 } else { PORT };
        let place: Authority = rest.parse().map_err(|_| shape())?;
        if path.as_ref().is_some_and(|path| !path.chars().all(|c| c.is_ascii_graphic())) {
            return Err(shape());
        }
        Ok(Address { host: place.host(), port: place.port().unwrap_or(default), path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, right) in [
            ("kalah.example.org", "kalah.example.org:2671"),
            ("127.0.0.1:9", "127.0.0.1:9"),
            ("tcp://localhost", "localhost:2671"),
            ("ws://localhost", "ws://localhost:8080/socket"),
            ("ws://a-b.c:1/x?y=z", "ws://a-b.c:1/x?y=z"),
            ("[::1]:5", "[::1]:5"),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), right);
            assert_eq!(right.parse(), Ok(address));
        }
        assert_eq!("[::1]:5".parse::<Address>().unwrap().host(), "::1");
        for bad in [
            "",
            ":",
            ":5",
            "a:",
            "a:0",
            "a:+5",
            "a:65536",
            "http://a",
            "wss://a",
            "::1",
            "a b",
            "ws://",
            "ws:///socket",
            "0",
            "1..2",
            "a..b",
            ".a",
            "1.2.3",
            "256.1.1.1",
            "a/b",
            "\x1b[2J",
            "[a]:5",
            "ä",
            "ws://a/ b",
        ] {
            assert!(bad.parse::<Address>().is_err(), "{bad:?}");
        }
    }
}
