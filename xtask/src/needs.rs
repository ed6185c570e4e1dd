//! What the checks need beyond a Rust toolchain, and how to get it.
//!
//! [`NEEDS`] is the one place to add to. On Debian as root a missing package is installed; elsewhere the message says
//! what to install.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::invocation::Invocation;

/// Something that must be there before the checks can run.
struct Need {
    what: &'static str,
    /// A command that succeeds when it is there.
    probe: &'static [&'static str],
    source: Source,
}

#[derive(Clone, Copy)]
enum Source {
    /// A package of Debian and its descendants.
    Debian(&'static str),
    /// A component of the Rust toolchain.
    Rustup(&'static str),
}

/// Everything the checks need.
static NEEDS: &[Need] = &[
    Need { what: "rustfmt", probe: &["cargo", "fmt", "--version"], source: Source::Rustup("rustfmt") },
    Need { what: "clippy", probe: &["cargo", "clippy", "--version"], source: Source::Rustup("clippy") },
    // The film encoder and libFuzzer are built from C++ source. On Windows the build finds the compiler by itself.
    #[cfg(unix)]
    Need { what: "a C++ compiler", probe: &["c++", "--version"], source: Source::Debian("g++") },
];

/// Installs what is missing, or says what to install.
pub fn run(root: &Path) -> Result<()> {
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !need.is_met(root)).collect();
    for need in &missing {
        println!("{} is missing", need.what);
        need.source.install(root).with_context(|| need.remedy())?;
    }
    println!(
        "needs: {} of {} were there, {} installed",
        NEEDS.len() - missing.len(),
        NEEDS.len(),
        missing.len()
    );
    Ok(())
}

impl Need {
    fn is_met(&self, root: &Path) -> bool {
        let Some((program, arguments)) = self.probe.split_first() else { return true };
        Invocation::new(*program, arguments).succeeds(root)
    }

    fn remedy(&self) -> String {
        let advice = match self.source {
            Source::Debian(package) => {
                format!("`apt-get install {package}` on Debian, or its like elsewhere")
            }
            Source::Rustup(component) => format!("`rustup component add {component}`"),
        };
        format!("install {} and try again: {advice}", self.what)
    }
}

impl Source {
    fn install(self, root: &Path) -> Result<()> {
        match self {
            Source::Debian(package) => install_package(package, root),
            Source::Rustup(component) => {
                Invocation::new("rustup", &["component", "add", component]).run(root)
            }
        }
    }
}

fn install_package(package: &str, root: &Path) -> Result<()> {
    if !Invocation::new("apt-get", &["--version"]).succeeds(root) {
        bail!("this system has no apt-get");
    }
    if Invocation::new("id", &["-u"]).output(root)?.trim() != "0" {
        bail!("only root may install packages");
    }
    Invocation::new("apt-get", &["update"]).run(root)?;
    let install = Invocation::new("apt-get", &["install", "-y", "--no-install-recommends", package]);
    install.with("DEBIAN_FRONTEND", "noninteractive").run(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_need_is_met_when_its_probe_succeeds() {
        let cargo = Need { what: "cargo", probe: &["cargo", "--version"], source: Source::Rustup("cargo") };
        let absent = Need { what: "a loom", probe: &["no-such-loom"], source: Source::Debian("loom") };
        assert!(cargo.is_met(&std::env::temp_dir()));
        assert!(!absent.is_met(&std::env::temp_dir()));
    }

    #[test]
    fn every_remedy_says_what_to_type() {
        for need in NEEDS {
            let remedy = need.remedy();
            assert!(remedy.contains(need.what) && remedy.contains('`'), "{remedy}");
        }
    }
}
