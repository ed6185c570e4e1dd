//! Checks every dependency, on every platform, against a list of permissive licences.

mod spdx;

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use spdx::Expression;

use crate::invocation::Invocation;

/// Accepted licences. Copyleft is not among them: it would bind programs that embed Undine.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "bzip2-1.0.6",
    "CC0-1.0",
    "ISC",
    "Libpng",
    "libpng-2.0",
    "MIT",
    "MIT-0",
    "NCSA",
    "OFL-1.1",
    "Ubuntu-font-1.0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Each has a lock file of its own.
const MANIFESTS: &[&str] = &["Cargo.toml", "fuzz/Cargo.toml"];

const REMEDY: &str =
    "replace it, or, if its licence is permissive, add the licence to ALLOWED in xtask/src/licences/mod.rs";

/// A package and what it says about its licence.
struct Package {
    name: String,
    version: String,
    licence: Option<String>,
}

/// Reads what cargo knows of every package and refuses those that we may not use freely.
pub fn run(root: &Path) -> Result<()> {
    let mut packages = Vec::new();
    for manifest in MANIFESTS.iter().filter(|manifest| root.join(manifest).is_file()) {
        let arguments = ["metadata", "--format-version", "1", "--locked", "--manifest-path", manifest];
        packages.extend(read_packages(&Invocation::cargo(&arguments).output(root)?)?);
    }
    let refused: Vec<String> = packages.iter().filter_map(refusal).collect();
    if !refused.is_empty() {
        bail!(
            "{} of {} packages are refused; {REMEDY}\n  {}",
            refused.len(),
            packages.len(),
            refused.join("\n  ")
        );
    }
    println!("licences: {} packages, all under permissive licences", packages.len());
    Ok(())
}

fn read_packages(metadata: &str) -> Result<Vec<Package>> {
    let metadata: Value = serde_json::from_str(metadata).context("cargo metadata printed no JSON")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    Ok(packages.iter().map(read_package).collect())
}

fn read_package(package: &Value) -> Package {
    let text = |key: &str| package[key].as_str().map(str::to_owned);
    Package {
        name: text("name").unwrap_or_default(),
        version: text("version").unwrap_or_default(),
        licence: text("license"),
    }
}

/// Why a package is refused, if it is.
fn refusal(package: &Package) -> Option<String> {
    let reason = match &package.licence {
        None => "names no licence".to_owned(),
        Some(licence) => match Expression::parse(licence) {
            Ok(expression) if expression.is_met(&is_allowed) => return None,
            Ok(_) => format!("is under {licence:?}, which is not allowed"),
            Err(problem) => format!("names its licence as {licence:?}, which cannot be read: {problem}"),
        },
    };
    Some(format!("{} {} {reason}", package.name, package.version))
}

fn is_allowed(licence: &str) -> bool {
    ALLOWED.iter().any(|allowed| allowed.eq_ignore_ascii_case(licence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under(licence: Option<&str>) -> Package {
        Package { name: "weir".into(), version: "1.2.3".into(), licence: licence.map(str::to_owned) }
    }

    #[test]
    fn permissive_packages_pass() {
        for licence in [
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "MIT OR Apache-2.0 OR LGPL-2.1-or-later",
            "(MIT OR Apache-2.0) AND OFL-1.1 AND Ubuntu-font-1.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
            "(MIT OR Apache-2.0) AND NCSA",
        ] {
            assert_eq!(refusal(&under(Some(licence))), None, "{licence}");
        }
    }

    #[test]
    fn copyleft_and_unknown_licences_are_refused_by_name() {
        for licence in
            ["GPL-3.0-only", "MIT AND MPL-2.0", "AGPL-3.0 OR LGPL-2.1", "GPL-2.0 WITH LLVM-exception"]
        {
            let reason = refusal(&under(Some(licence))).unwrap();
            assert!(reason.contains("weir 1.2.3") && reason.contains(licence), "{reason}");
        }
    }

    #[test]
    fn a_package_without_a_readable_licence_is_refused() {
        assert!(refusal(&under(None)).unwrap().contains("names no licence"));
        assert!(refusal(&under(Some("MIT OR"))).unwrap().contains("cannot be read"));
    }

    #[test]
    fn packages_are_read_from_what_cargo_prints() {
        let metadata =
            r#"{"packages": [{"name": "weir", "version": "1.2.3", "license": "MIT"}, {"name": "sluice"}]}"#;
        let packages = read_packages(metadata).unwrap();
        assert_eq!((packages[0].name.as_str(), packages[0].licence.as_deref()), ("weir", Some("MIT")));
        assert_eq!((packages[1].name.as_str(), packages[1].licence.as_deref()), ("sluice", None));
        assert!(read_packages("no JSON").is_err());
        assert!(read_packages("{}").is_err());
    }
}
