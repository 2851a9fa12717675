//! Checks of the headers `Host` and `Origin` of a request.
//!
//! A page of another site can make its visitor's browser send requests to a server that only the visitor reaches.
//! The `Origin` reveals the page, unless its own name resolves to the server (DNS rebinding); then the `Host` is
//! that name, which is not one of the server's.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use sowing_rules::{parse_digits, quoted};

/// A host with an optional port, as in a `Host` header.
///
/// The text form is `play.example.org`, `127.0.0.1:8080` or `[::1]:8080`. Names are in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    host: Host,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Name(String),
    Address(IpAddr),
}

impl Authority {
    /// The name or the IP address, the latter without brackets.
    pub fn host(&self) -> String {
        match &self.host {
            Host::Name(name) => name.clone(),
            Host::Address(address) => address.to_string(),
        }
    }

    /// The port, if it is given.
    pub fn port(&self) -> Option<u16> {
        self.port
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Name(name) => f.write_str(name)?,
            Host::Address(IpAddr::V4(address)) => write!(f, "{address}")?,
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]")?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// Why a text is not a host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a host is written as play.example.org, 127.0.0.1:8080 or [::1]:8080, not {what}", what = quoted(.0))]
pub struct ParseAuthorityError(String);

impl FromStr for Authority {
    type Err = ParseAuthorityError;

    fn from_str(text: &str) -> Result<Authority, ParseAuthorityError> {
        let read = || {
            // An IPv6 address is in brackets.
            let after_host = text.rfind(']').map_or(0, |at| at + 1);
            let end = text[after_host..].find(':').map_or(text.len(), |at| after_host + at);
            let (host, port) = text.split_at(end);
            let port = port.strip_prefix(':').map(parse_port).transpose().ok()?;
            Some(Authority { host: parse_host(host)?, port })
        };
        read().ok_or_else(|| ParseAuthorityError(text.to_string()))
    }
}

fn parse_port(text: &str) -> Result<u16, ()> {
    let port = parse_digits(text).and_then(|port| u16::try_from(port).ok());
    port.filter(|port| *port > 0).ok_or(())
}

fn parse_host(text: &str) -> Option<Host> {
    if let Some(number) = text.strip_prefix('[') {
        let number: Ipv6Addr = number.strip_suffix(']')?.parse().ok()?;
        return Some(Host::Address(number.into()));
    }
    if let Ok(number) = text.parse::<Ipv4Addr>() {
        return Some(Host::Address(number.into()));
    }
    // Labels with points between them, at least one with a letter.
    let in_label = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_label = |label: &str| !label.is_empty() && label.chars().all(in_label);
    let is_name = text.len() <= 253
        && text.split('.').all(is_label)
        && text.contains(|c: char| c.is_ascii_alphabetic());
    is_name.then(|| Host::Name(text.to_ascii_lowercase()))
}

/// The hosts of a server.
///
/// These are `localhost`, the named hosts, and IP addresses, which DNS cannot redirect: loopback addresses if the
/// server listens on loopback, otherwise all. The port of a `Host` is not checked, since a tunnel or a proxy may use
/// another.
#[derive(Clone, Debug)]
pub struct Hosts {
    loopback: bool,
    named: Vec<Authority>,
    any_port: bool,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The `Host` is not one of the server's.
    #[error(
        "this server does not answer to that host: use its IP address, or a name that it was started with"
    )]
    Host,
    /// The `Origin` is a page of another site.
    #[error("pages of other sites cannot ask this server: open its own page")]
    Origin,
}

impl Hosts {
    /// The hosts of a server that listens on an address. Pages of a named host are accepted on its port, or on the
    /// standard ports if it has none.
    pub fn new(listens_on: IpAddr, named: Vec<Authority>) -> Hosts {
        Hosts { loopback: is_loopback(listens_on), named, any_port: false }
    }

    /// Accepts pages on all ports of these hosts, for a server that has no pages on its own port.
    #[must_use]
    pub fn with_any_port(self) -> Hosts {
        Hosts { any_port: true, ..self }
    }

    /// Checks the `Host` headers of a request: each must be one of the server's. A request without any does not come
    /// from a browser, and passes.
    pub fn check_host<'a>(
        &self,
        mut hosts: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), HostError> {
        let is_own = |host| parse(host).is_some_and(|host| self.is_own(&host.host));
        if hosts.all(is_own) { Ok(()) } else { Err(HostError::Host) }
    }

    /// Checks the `Origin` headers of a request whose `Host` has passed: each must be the `Host` of the request or a
    /// named host. A request without any passes.
    pub fn check_origin<'a>(
        &self,
        host: Option<&[u8]>,
        mut origins: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), HostError> {
        let host = host.and_then(parse);
        let is_own = |origin: &[u8]| {
            let Some((standard, origin)) = parse_origin(origin) else { return false };
            let port = |of: &Authority| of.port.unwrap_or(standard);
            host.iter()
                .chain(&self.named)
                .any(|own| own.host == origin.host && (self.any_port || port(own) == port(&origin)))
        };
        if origins.all(is_own) { Ok(()) } else { Err(HostError::Origin) }
    }

    fn is_own(&self, host: &Host) -> bool {
        let is_default = match host {
            Host::Name(name) => name == "localhost",
            Host::Address(address) => !self.loopback || is_loopback(*address),
        };
        is_default || self.named.iter().any(|named| named.host == *host)
    }
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

fn parse(header: &[u8]) -> Option<Authority> {
    std::str::from_utf8(header).ok()?.parse().ok()
}

/// The standard port of an origin's scheme, and its authority.
fn parse_origin(header: &[u8]) -> Option<(u16, Authority)> {
    let (scheme, authority) = std::str::from_utf8(header).ok()?.split_once("://")?;
    let standard = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    Some((standard, authority.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(listens_on: &str, named: &[&str]) -> Hosts {
        let named = named.iter().map(|name| name.parse().unwrap()).collect();
        Hosts::new(listens_on.parse().unwrap(), named)
    }

    fn check(hosts: &Hosts, host: &str, origin: &str) -> Result<(), HostError> {
        hosts.check_host([host.as_bytes()].into_iter())?;
        hosts.check_origin(Some(host.as_bytes()), [origin.as_bytes()].into_iter())
    }

    #[test]
    fn texts_of_hosts() {
        for (text, right) in [
            ("localhost", "localhost"),
            ("Play.Example.ORG:8443", "play.example.org:8443"),
            ("127.0.0.1:9", "127.0.0.1:9"),
            ("[::1]", "[::1]"),
            ("[0:0::1]:5", "[::1]:5"),
        ] {
            let authority: Authority = text.parse().unwrap();
            assert_eq!(authority.to_string(), right);
            assert_eq!(right.parse(), Ok(authority));
        }
        for bad in [
            "",
            ":",
            ":5",
            "a:",
            "a:0",
            "a:+5",
            "a:65536",
            "a:5:5",
            "::1",
            "[a]:5",
            "[::1",
            "::1]",
            "x[::1]",
            "[::1]x",
            "a b",
            "a@b",
            "a/b",
            "0",
            "1..2",
            "a..b",
            ".a",
            "a.",
            "1.2.3",
            "256.1.1.1",
            "ä",
            "\x1b[2J",
            "http://a",
        ] {
            assert!(bad.parse::<Authority>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn addresses_cannot_be_rebound() {
        for (listens_on, host, right) in [
            ("127.0.0.1", "127.0.0.1:8080", true),
            ("127.0.0.1", "localhost", true),
            ("127.0.0.1", "[::ffff:127.0.0.1]", true),
            ("::1", "[::1]:8080", true),
            ("127.0.0.1", "10.0.0.5:8080", false),
            ("127.0.0.1", "0.0.0.0:8080", false),
            ("0.0.0.0", "10.0.0.5:8080", true),
            ("0.0.0.0", "localhost:8080", true),
            ("::", "[2001:db8::1]:8080", true),
            ("10.0.0.5", "10.0.0.5", true),
            ("0.0.0.0", "evil.example:8080", false),
            ("0.0.0.0", "10.0.0.5.evil.example", false),
        ] {
            let hosts = hosts(listens_on, &[]);
            let checked = hosts.check_host([host.as_bytes()].into_iter());
            assert_eq!(checked.is_ok(), right, "{host} at {listens_on}");
        }
    }

    #[test]
    fn origins_are_the_host_or_a_name() {
        let hosts = hosts("0.0.0.0", &["play.example.org", "mill:8080"]);
        for (host, origin, right) in [
            ("10.0.0.5:8080", "http://10.0.0.5:8080", Ok(())),
            ("10.0.0.5:8080", "http://10.0.0.6:8080", Err(HostError::Origin)),
            ("10.0.0.5:8080", "http://10.0.0.5", Err(HostError::Origin)),
            ("localhost", "http://localhost", Ok(())),
            ("localhost:80", "http://localhost", Ok(())),
            ("localhost", "null", Err(HostError::Origin)),
            ("localhost", "localhost", Err(HostError::Origin)),
            ("localhost", "file://localhost", Err(HostError::Origin)),
            ("play.example.org", "https://play.example.org", Ok(())),
            ("play.example.org:9", "http://play.example.org:9", Ok(())),
            ("play.example.org:9", "https://play.example.org", Ok(())),
            ("play.example.org", "https://play.example.org:9", Err(HostError::Origin)),
            ("127.0.0.1:8080", "https://play.example.org", Ok(())),
            ("10.0.0.5", "http://mill:8080", Ok(())),
            ("10.0.0.5", "http://mill", Err(HostError::Origin)),
            ("evil.example", "http://evil.example", Err(HostError::Host)),
        ] {
            assert_eq!(check(&hosts, host, origin), right, "{host} {origin}");
        }
        let hosts = hosts.with_any_port();
        assert_eq!(check(&hosts, "localhost:2672", "http://localhost:8080"), Ok(()));
        let foreign = check(&hosts, "localhost:2672", "http://10.0.0.5:2672");
        assert_eq!(foreign, Err(HostError::Origin));
        assert_eq!(hosts.check_host(std::iter::empty()), Ok(()));
        assert_eq!(hosts.check_origin(None, std::iter::empty()), Ok(()));
        let nowhere = hosts.check_origin(None, [&b"http://localhost"[..]].into_iter());
        assert_eq!(nowhere, Err(HostError::Origin));
    }
}
