//! Tools that tests need and a machine may lack.

use std::ffi::OsString;
use std::io::Write;
use std::process::Command;

/// Whether a tool is there. Where it is not, the test that asks may be left out, which is noted in
/// the file that `SOW_NOT_RUN` names: `./test` says so in its last line.
///
/// # Panics
/// If the tool is missing and nobody keeps account of it, or `CI` is set.
pub(crate) fn is_there(tool: &str, tests: &str) -> bool {
    let there = Command::new(tool).arg("-V").output().is_ok();
    if !there {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        leave_out(tool, tests, variable("CI"), variable("SOW_NOT_RUN"))
            .unwrap_or_else(|error| panic!("{error}"));
    }
    there
}

fn leave_out(
    tool: &str,
    tests: &str,
    ci: Option<OsString>,
    account: Option<OsString>,
) -> Result<(), String> {
    let missing = || format!("{tool} is missing: without it {tests} cannot be run");
    let Some(account) = account else { return Err(missing()) };
    let mut account =
        std::fs::File::options().append(true).open(account).map_err(|error| error.to_string())?;
    account
        .write_all(format!("{tests} (no {tool})\n").as_bytes())
        .map_err(|error| error.to_string())?;
    if ci.is_some() { Err(missing()) } else { Ok(()) }
}

#[test]
fn a_test_is_left_out_only_where_somebody_keeps_account() {
    let account = tempfile::NamedTempFile::new().unwrap();
    let path = || Some(account.path().as_os_str().to_owned());
    let leave_out =
        |ci: Option<&str>, path| leave_out("hen", "tests of eggs", ci.map(Into::into), path);
    assert!(leave_out(None, None).unwrap_err().contains("hen is missing"));
    assert!(leave_out(Some("true"), None).unwrap_err().contains("tests of eggs"));
    assert!(leave_out(None, Some("/no/such/account".into())).is_err());
    let line = "tests of eggs (no hen)\n";
    leave_out(None, path()).unwrap();
    assert_eq!(std::fs::read_to_string(account.path()).unwrap(), line);
    // The account is kept in any case.
    assert!(leave_out(Some("true"), path()).is_err());
    assert_eq!(std::fs::read_to_string(account.path()).unwrap(), line.repeat(2));
}
