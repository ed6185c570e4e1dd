//! Compiling for WebAssembly, with rustup or Debian's toolchain.
//!
//! Usually rustup brings the standard library for it. Where rustup cannot, Debian's compiler and its source of the
//! standard library do, with the linker of our own toolchain: the library is then compiled along with the crate.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::invocation::Invocation;
use crate::needs::{self, Need};

const TARGET: &str = "wasm32-unknown-unknown";

// 128-bit SIMD for the solvers; WebAssembly has it only when enabled.
const FLAGS: &str = "-C target-feature=+simd128";

/// Compiles a crate's library and gives the module.
pub fn compile(root: &Path, name: &str, profile: &str) -> Result<PathBuf> {
    let build = ["rustc", "--package", name, "--lib", "--target", TARGET, "--profile", profile];
    // The crate itself is an ordinary library: a native build has no use for a shared one, and linking it takes a while
    let build = Invocation::cargo(&build).and(&["--crate-type", "cdylib"].map(str::to_owned));
    let build = build.with("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", FLAGS);
    if has_library(root) || added_by_rustup(root) { build } else { by_debian(root, build)? }.run(root)?;
    Ok(root.join("target").join(TARGET).join(profile).join(name.replace('-', "_")).with_extension("wasm"))
}

/// Whether our toolchain has the standard library for WebAssembly.
fn has_library(root: &Path) -> bool {
    let folder = Invocation::new("rustc", &["--print", "target-libdir", "--target", TARGET]).output(root);
    folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

fn added_by_rustup(root: &Path) -> bool {
    println!("the standard library for {TARGET} is missing");
    Invocation::new("rustup", &["target", "add", TARGET]).succeeds(root) && has_library(root)
}

static DEBIAN: &[Need] = &[
    Need::package("a compiler for WebAssembly", &["dpkg", "-L", "rustc-web"], "rustc-web"),
    Need::package("the source of its standard library", &["dpkg", "-L", "rust-web-src"], "rust-web-src"),
];

/// The same with Debian's compiler.
fn by_debian(root: &Path, build: Invocation) -> Result<Invocation> {
    needs::meet(DEBIAN, root).context("add the target by `rustup target add wasm32-unknown-unknown`")?;
    let files = Invocation::new("dpkg", &["-L", "rustc-web"]).output(root)?;
    let compiler = files.lines().find(|file| file.ends_with("/bin/rustc"));
    let compiler = compiler.context("the package rustc-web holds no rustc")?;
    let path = std::env::var("PATH").unwrap_or_default();
    Ok(build
        .and(&["-Zbuild-std=std,panic_abort".to_owned()])
        .with("RUSTC", compiler)
        .with("RUSTC_BOOTSTRAP", "1")
        .with("PATH", &format!("{}:{path}", linker_folder(root)?.display())))
}

/// Where our own toolchain keeps the linker for WebAssembly: Debian's has none.
fn linker_folder(root: &Path) -> Result<PathBuf> {
    let sysroot = Invocation::new("rustc", &["--print", "sysroot"]).output(root)?;
    let about = Invocation::new("rustc", &["-vV"]).output(root)?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    let folder = Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin");
    let has_linker = folder.join("rust-lld").is_file();
    has_linker.then_some(folder).context("the toolchain has no rust-lld, which links WebAssembly")
}
