//! What the checks need beyond a Rust toolchain, and how to get it.
//!
//! [`NEEDS`] is the one place to add to; what only one command needs stands beside that command. On Debian as root a missing
//! package is installed; elsewhere the message says what to install.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::invocation::Invocation;

/// Something that must be there before the checks can run.
pub struct Need {
    what: &'static str,
    /// A command that succeeds when it is there.
    probe: &'static [&'static str],
    source: ToolSource,
}

#[derive(Clone, Copy)]
enum ToolSource {
    /// A package of Debian and its descendants.
    Debian(&'static str),
    /// A component of the Rust toolchain.
    Rustup(&'static str),
}

/// Everything the checks need.
static NEEDS: &[Need] = &[
    Need { what: "rustfmt", probe: &["cargo", "fmt", "--version"], source: ToolSource::Rustup("rustfmt") },
    Need { what: "clippy", probe: &["cargo", "clippy", "--version"], source: ToolSource::Rustup("clippy") },
    // The film encoder and libFuzzer are built from C++ source. On Windows the build finds the compiler by itself.
    #[cfg(unix)]
    Need::package("a C++ compiler", &["c++", "--version"], "g++"),
    // The studio is tested on a screen and a graphics card that are both made of software
    #[cfg(target_os = "linux")]
    Need::package("a screen for tests", &["Xvfb", "-help"], "xvfb"),
    #[cfg(target_os = "linux")]
    Need::package("Vulkan", &["sh", "-c", "ldconfig -p | grep -q libvulkan.so.1"], "libvulkan1"),
    #[cfg(target_os = "linux")]
    Need::package(
        "a graphics driver of software",
        &["sh", "-c", "ls /usr/share/vulkan/icd.d/lvp_icd*.json"],
        "mesa-vulkan-drivers",
    ),
    #[cfg(target_os = "linux")]
    Need::package(
        "a keyboard for windows",
        &["sh", "-c", "ldconfig -p | grep -q libxkbcommon-x11.so.0"],
        "libxkbcommon-x11-0",
    ),
    #[cfg(target_os = "linux")]
    Need::package(
        "a pointer for windows",
        &["sh", "-c", "ldconfig -p | grep -q libXcursor.so.1"],
        "libxcursor1",
    ),
    #[cfg(target_os = "linux")]
    Need::package("a hand for tests", &["xdotool", "version"], "xdotool"),
    #[cfg(target_os = "linux")]
    Need::package("a mouse for windows", &["sh", "-c", "ldconfig -p | grep -q libXi.so.6"], "libxi6"),
];

/// Installs what the checks need and is missing, or says what to install.
pub fn run(root: &Path) -> Result<()> {
    let installed = meet(NEEDS, root)?;
    println!("needs: {} of {} were there, {installed} installed", NEEDS.len() - installed, NEEDS.len());
    Ok(())
}

/// Installs what is missing, or says what to install; gives the number of things installed.
pub fn meet(needs: &[Need], root: &Path) -> Result<usize> {
    let missing: Vec<&Need> = needs.iter().filter(|need| !need.is_met(root)).collect();
    for need in &missing {
        println!("{} is missing", need.what);
        need.source.install(root).with_context(|| need.remedy())?;
    }
    Ok(missing.len())
}

impl Need {
    /// Something that a package of Debian brings; `probe` is a command that succeeds when it is there.
    pub const fn package(what: &'static str, probe: &'static [&'static str], package: &'static str) -> Need {
        Need { what, probe, source: ToolSource::Debian(package) }
    }

    fn is_met(&self, root: &Path) -> bool {
        let Some((program, arguments)) = self.probe.split_first() else { return true };
        Invocation::new(*program, arguments).succeeds(root)
    }

    fn remedy(&self) -> String {
        let advice = match self.source {
            ToolSource::Debian(package) => {
                format!("`apt-get install {package}` on Debian, or its like elsewhere")
            }
            ToolSource::Rustup(component) => format!("`rustup component add {component}`"),
        };
        format!("install {} and try again: {advice}", self.what)
    }
}

impl ToolSource {
    fn install(self, root: &Path) -> Result<()> {
        match self {
            ToolSource::Debian(package) => install_package(package, root),
            ToolSource::Rustup(component) => {
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
        let cargo =
            Need { what: "cargo", probe: &["cargo", "--version"], source: ToolSource::Rustup("cargo") };
        let absent = Need { what: "a loom", probe: &["no-such-loom"], source: ToolSource::Debian("loom") };
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
