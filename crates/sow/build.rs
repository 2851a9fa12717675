//! Builds the engine for browsers in, where SOW_WASM names the folder that bindings/wasm/build wrote.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(sow_wasm)");
    println!("cargo:rerun-if-env-changed=SOW_WASM");
    if let Some(folder) = std::env::var_os("SOW_WASM").filter(|folder| !folder.is_empty()) {
        let folder = std::path::absolute(&folder).expect("SOW_WASM is a path");
        println!("cargo:rerun-if-changed={}", folder.join("sowing_bg.wasm").display());
        println!("cargo:rustc-env=SOW_WASM={}", folder.display());
        println!("cargo:rustc-cfg=sow_wasm");
    }
}
