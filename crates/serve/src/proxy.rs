//! Reverse proxies in front of the server, from which many clients come by one address.

use std::net::IpAddr;
use std::str::FromStr;

use axum::http::HeaderMap;

use crate::queue::Client;

/// Where a reverse proxy connects from. Its connections are not limited per address, and the server believes
/// what it says of its clients in `X-Forwarded-For`.
///
/// The text form is an address, `loopback` or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxy {
    /// There is none.
    None,
    /// Any loopback address.
    Loopback,
    /// This address.
    Address(IpAddr),
}

/// A text that is no proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a proxy is written as an address, as in 10.0.0.2, or as loopback or none")]
pub struct ParseProxyError;

impl FromStr for Proxy {
    type Err = ParseProxyError;

    fn from_str(text: &str) -> Result<Proxy, ParseProxyError> {
        match text {
            "none" => Ok(Proxy::None),
            "loopback" => Ok(Proxy::Loopback),
            _ => text.parse().map(Proxy::Address).map_err(|_| ParseProxyError),
        }
    }
}

impl Proxy {
    fn is_at(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        match self {
            Proxy::None => false,
            Proxy::Loopback => address.is_loopback(),
            Proxy::Address(proxy) => address == proxy.to_canonical(),
        }
    }
}

/// Whether a proxy connects from this address.
pub(crate) fn is_proxy(proxies: &[Proxy], address: IpAddr) -> bool {
    proxies.iter().any(|proxy| proxy.is_at(address))
}

/// The client of a request: the address that the connection comes from, or, if that is a proxy's, the last address of
/// `X-Forwarded-For` that is not. A client can forge the entries before the one that its proxy appends, but not
/// that one.
pub(crate) fn client(proxies: &[Proxy], from: IpAddr, headers: &HeaderMap) -> Client {
    let lines = headers.get_all("x-forwarded-for").into_iter();
    let entries = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    let mut known = from;
    for entry in entries.collect::<Vec<_>>().into_iter().rev() {
        if !is_proxy(proxies, known) {
            break;
        }
        let address = std::str::from_utf8(entry).ok().and_then(|entry| entry.trim().parse().ok());
        let Some(address) = address else { break };
        known = address;
    }
    Client::new(known)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn clients_are_whom_the_proxies_name() {
        let ours = [Proxy::Loopback, Proxy::Address([10, 0, 0, 2].into())];
        for (from, forwarded, right) in [
            ("192.0.2.1", "", "192.0.2.1"),
            // Only a proxy is believed.
            ("192.0.2.1", "198.51.100.1", "192.0.2.1"),
            ("127.0.0.1", "", "127.0.0.1"),
            ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("::1", "203.0.113.9, 198.51.100.1", "198.51.100.1"),
            ("127.0.0.1", "203.0.113.9, 198.51.100.1 , 10.0.0.2", "198.51.100.1"),
            ("127.0.0.1", "nonsense", "127.0.0.1"),
            ("127.0.0.1", "198.51.100.1, nonsense", "127.0.0.1"),
        ] {
            let mut headers = HeaderMap::new();
            if !forwarded.is_empty() {
                headers.insert("x-forwarded-for", forwarded.parse().unwrap());
            }
            let found = client(&ours, from.parse().unwrap(), &headers);
            assert_eq!(found, Client::new(right.parse().unwrap()), "{from}: {forwarded}");
        }
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", "203.0.113.9".parse().unwrap());
        headers.append("x-forwarded-for", "198.51.100.1".parse().unwrap());
        let found = client(&ours, [127, 0, 0, 1].into(), &headers);
        assert_eq!(found, Client::new([198, 51, 100, 1].into()));
        // What is no text is not skipped: the entry before it is the client's own.
        for last in [&b"\xff, 198.51.100.1"[..], b"\xff"] {
            let mut headers = HeaderMap::new();
            headers.append("x-forwarded-for", "203.0.113.9".parse().unwrap());
            headers.append("x-forwarded-for", HeaderValue::from_bytes(last).unwrap());
            let found = client(&ours, [127, 0, 0, 1].into(), &headers);
            assert_ne!(found, Client::new([203, 0, 113, 9].into()));
        }
        let found = client(&[Proxy::None], [127, 0, 0, 1].into(), &headers);
        assert_eq!(found, Client::new([127, 0, 0, 1].into()));
    }
}
