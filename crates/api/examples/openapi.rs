//! Prints the OpenAPI document of the API: `openapi.json` of this folder is what it prints.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let description = serde_json::to_string_pretty(&sowing_api::document())?;
    writeln!(std::io::stdout(), "{description}")
}
