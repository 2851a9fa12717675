//! The memory of the machine.

/// Bytes of memory that the system can still give to programs; `None` where it does not say so (only Linux
/// does).
pub fn available_memory() -> Option<u64> {
    parse_meminfo(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn parse_meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo_is_read_in_kilobytes() {
        let text = "MemTotal:       16000000 kB\nMemAvailable:    2048 kB\nBuffers: 1 kB\n";
        assert_eq!(parse_meminfo(text), Some(2048 * 1024));
        for other in ["", "MemAvailable: 5 MB", "MemAvailable: many kB", "MemFree: 5 kB"] {
            assert_eq!(parse_meminfo(other), None, "{other}");
        }
        assert_eq!(available_memory().is_some(), cfg!(target_os = "linux"));
    }
}
