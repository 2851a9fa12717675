//! `sowing-glue IN.wasm FOLDER`: the module for a browser and the script that loads it.

use std::env;
use std::error::Error;
use std::path::PathBuf;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [module, folder] = paths.as_slice() else {
        return Err("two paths are needed: sowing-glue IN.wasm FOLDER".into());
    };
    Bindgen::new()
        .input_path(module)
        .web(true)?
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .typescript(true)
        .out_name("sowing")
        .generate(folder)?;
    Ok(())
}
