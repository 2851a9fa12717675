//! The directory of data files.

use std::ffi::OsString;
use std::path::PathBuf;

/// The directory for data of Sowing's programs: `$SOW_DATA`, else `$XDG_DATA_HOME/sow`, else
/// `~/.local/share/sow`. `None` if none of these variables nor `$HOME` is set; an empty one counts as not set.
pub fn data_directory() -> Option<PathBuf> {
    from_variables(|name| std::env::var_os(name))
}

fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || path("HOME").map(|home| home.join(".local/share"));
    let shared = || path("XDG_DATA_HOME").or_else(home).map(|dir| dir.join("sow"));
    path("SOW_DATA").or_else(shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let found = |set: &[(&str, &str)]| {
            from_variables(|name| {
                set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.into())
            })
        };
        let (home, shared, own) = (("HOME", "/h"), ("XDG_DATA_HOME", "/x"), ("SOW_DATA", "/d"));
        assert_eq!(found(&[home, shared, own]), Some("/d".into()));
        assert_eq!(found(&[home, shared, ("SOW_DATA", "")]), Some("/x/sow".into()));
        assert_eq!(found(&[home]), Some("/h/.local/share/sow".into()));
        assert_eq!(found(&[("HOME", "")]), None);
    }
}
