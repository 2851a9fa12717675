//! What the two servers have in common: where they listen, and what their users should know of that.

use std::net::IpAddr;

use crate::failure::note;

/// Reads an address to listen on.
pub(crate) fn address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| "an address is written as 127.0.0.1 or ::1".to_string())
}

/// Says on standard error what a server lacks that other machines can reach.
pub(crate) fn warn_of_exposure(bind: IpAddr) {
    if let Some(warning) = exposure(bind) {
        note(&warning);
    }
}

fn exposure(bind: IpAddr) -> Option<String> {
    let warning = format!(
        "other machines can reach {bind}, and there is no log-in and no TLS: put a reverse proxy in front, \
         listen on 127.0.0.1 behind it, and name its host with --public-host NAME"
    );
    (!bind.to_canonical().is_loopback()).then_some(warning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_to_others_is_warned() {
        for local in ["127.0.0.1", "127.0.0.9", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(exposure(local.parse().unwrap()), None);
        }
        for open in ["0.0.0.0", "::", "10.0.0.5"] {
            let warning = exposure(open.parse().unwrap()).unwrap();
            assert!(warning.lines().count() == 1 && warning.len() < 300, "{warning}");
            for word in [open, "no log-in", "no TLS", "reverse proxy", "--public-host"] {
                assert!(warning.contains(word), "{warning}");
            }
        }
    }
}
